#include "engine/moves.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "engine/exchange_parts.h"

#include <unistd.h>

enum { RETIRE_US = 15 * 1000 * 1000 }; /* for the last turns; who takes longer is taken over */

/* ---- leaving ---- */

static void lose_again(void *ctx, uint32_t id)
{
    recrawl_lose(((struct crawl *)ctx)->recrawl, id);
}

/* A URL that waits for another attempt is queued in the log. */
static bool is_foreign_retry(void *ctx, const struct steer_visit *visit)
{
    struct crawl *crawl = ctx;
    bool foreign = !crawl->exchange->shares.mine[steer_part(crawl->steer, visit->host)];

    if (foreign)
        steer_give_up(crawl->steer, visit->id);
    return foreign;
}

/* Not ours from now on. The place says so, so that a restart begins anew where it comes back. */
static scent_status drop_part(struct crawl *crawl, uint32_t part, struct rows *rows)
{
    struct exchange *exchange = crawl->exchange;

    exchange->shares.mine[part] = exchange->shares.live[part] = exchange->leaving[part] = false;
    if (exchange->over[part] < exchange->places[part].epoch)
        exchange->over[part] = exchange->places[part].epoch;
    exchange->places[part] = (struct store_place){.part = part};
    ROWS_ADD(rows, places, exchange->places[part]);
    retries_drop(&crawl->retries, is_foreign_retry, crawl);
    return steer_leave(crawl->steer, part, rows, lose_again, crawl);
}

static scent_status leave_part(struct crawl *crawl, uint32_t part, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    struct job *job = job_new(JOB_ROWS);
    uint64_t epoch = exchange->places[part].epoch;
    scent_status status = drop_part(crawl, part, &job->rows);
    bool ok;

    if (status != SCENT_OK || job->rows.failed) {
        job_free(job);
        return errmsg_no_memory(err);
    }
    outcome_put(crawl, job);
    pthread_mutex_lock(&exchange->lock);
    ok = vec_reserve(&exchange->left, &exchange->left_room, exchange->nleft + 1, sizeof *exchange->left);
    if (ok)
        exchange->left[exchange->nleft++] = (struct exchange_left){part, epoch, atomic_load(&exchange->number)};
    pthread_mutex_unlock(&exchange->lock);
    return ok ? SCENT_OK : errmsg_no_memory(err);
}

scent_status moves_leave(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;

    for (uint32_t i = 0; exchange && i < exchange->shares.parts; i++)
        if (exchange->leaving[i] && !exchange->visits[i])
            SCENT_TRY(leave_part(crawl, i, err));
    return SCENT_OK;
}

static bool has_left(struct exchange *exchange)
{
    bool left;

    pthread_mutex_lock(&exchange->lock);
    left = !exchange->nleft;
    pthread_mutex_unlock(&exchange->lock);
    return left;
}

scent_status moves_retire(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    int64_t late = clock_boot() + RETIRE_US;

    if (!exchange || !ending_was_asked(crawl) || exchange_is_stopped(exchange) ||
        atomic_load(&exchange->workers) < 2 || exchange_must_wait(exchange))
        return SCENT_OK;
    journal_tell(crawl->journal, JOURNAL_RUN, LOG_INFO, STR_NONE, "gives its hosts to the other workers");
    pthread_mutex_lock(&exchange->lock);
    exchange->retiring = true;
    exchange_return_grant(crawl);
    pthread_mutex_unlock(&exchange->lock);
    for (uint32_t i = 0; i < exchange->shares.parts; i++)
        if (exchange->shares.live[i])
            SCENT_TRY(leave_part(crawl, i, err));
    while (!has_left(exchange) && clock_boot() < late && exchange_status(exchange, err) == SCENT_OK)
        usleep(10 * 1000);
    return SCENT_OK;
}

/* ---- visits ---- */

void moves_count_visit(struct crawl *crawl, uint32_t host, int change)
{
    if (crawl->exchange)
        crawl->exchange->visits[steer_part(crawl->steer, host)] += (uint32_t)change;
}

bool moves_refuse_visit(struct crawl *crawl, struct job *job)
{
    struct steer_visit *at = &job->visit.at;
    uint32_t part;

    if (!crawl->exchange || at->candidate.flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP))
        return false;
    part = steer_part(crawl->steer, at->host);
    if (crawl->exchange->shares.live[part] || crawl->exchange->leaving[part])
        return false;
    if (job->visit.again)
        recrawl_drop(crawl->recrawl, job->visit.again, true);
    else
        outcome_note_state(job, STORE_SEEN, STR(STEER_FOREIGN));
    frontier_finish(steer_frontier(crawl->steer), at->id, clock_mono(crawl->options->clock));
    if (crawl->exchange->shares.mine[part] && !job->visit.again)
        steer_send_back(crawl->steer, at, &job->visit.url, &job->rows);
    else
        steer_give_up(crawl->steer, at->id);
    job->visit.has_row = false;
    buf_clear(&job->visit.records);
    outcome_put(crawl, job);
    return true;
}

/* ---- what arrives ---- */

/* What is no URL, or not ours any more, is left out. */
static scent_status apply_link(struct crawl *crawl, const struct batch_link *link, struct rows *rows)
{
    const struct shares *shares = &crawl->exchange->shares;
    struct candidate candidate = {
        .priority = link->priority,
        .depth = link->depth,
        .off_domain = link->off_domain,
        .redirects = link->redirects,
        .flags = link->seed ? CANDIDATE_SEED : 0,
    };
    struct url parsed, url;
    const char *refused;

    memcpy(candidate.own, link->own, sizeof candidate.own);
    if (url_parse(rows->arena, link->url, NULL, &parsed) != SCENT_OK ||
        url_normalise(rows->arena, &parsed, topic_url_flags(crawl->topic), &url) != SCENT_OK ||
        !shares->mine[shares_part(shares, url_server(&url))])
        return SCENT_OK;
    return steer_arrive(crawl->steer, &url, candidate, rows, &refused);
}

static scent_status apply_host(struct crawl *crawl, const struct batch_host *host, struct rows *rows)
{
    struct store_host row = {.delay_us = host->delay_us, .not_before = host->not_before, .failures = host->failures};

    SCENT_TRY(steer_import_host(crawl->steer, host->name, rows, &row.id));
    if (row.id == FRONTIER_UNKNOWN || !crawl->exchange->shares.mine[steer_part(crawl->steer, row.id)])
        return SCENT_OK;
    ROWS_ADD(rows, host_changes, row);
    return access_import_host(crawl, &row);
}

/* What is overdue is due from now on: the writer has looked for what was due before. */
static void apply_revisit(struct crawl *crawl, const struct batch_revisit *revisit, struct rows *rows)
{
    struct rows_imported row = {.revisit = {.next = revisit->next, .visits = revisit->visits,
                                            .changes = revisit->changes, .first = revisit->first,
                                            .last = revisit->last}};
    int64_t now = clock_wall(crawl->options->clock);
    uint32_t id;

    if (!crawl->recrawl || !frontier_find(steer_frontier(crawl->steer), revisit->fingerprint, &id) ||
        !crawl->exchange->shares.mine[steer_place_of(crawl->steer, id).part])
        return;
    row.revisit.url = id;
    if (row.revisit.next <= now)
        row.revisit.next = now + 1;
    if (row.revisit.next < crawl->recrawl->next)
        crawl->recrawl->next = row.revisit.next;
    if (revisit->has_page) {
        row.page = (struct store_page){.number = ++crawl->counts.rows, .url = id, .wall = revisit->wall, .status = 200,
                                       .digest = arena_str(rows->arena, revisit->digest),
                                       .etag = arena_str(rows->arena, revisit->etag),
                                       .last_modified = arena_str(rows->arena, revisit->last_modified),
                                       .score = (double)revisit->score, .robots = revisit->robots};
        row.page.previous = row.page.number; /* it lies elsewhere */
        rows->failed |= !row.page.digest.p || !row.page.etag.p || !row.page.last_modified.p;
    }
    ROWS_ADD(rows, imported, row);
}

static scent_status apply_links(struct crawl *crawl, struct str records, struct rows *rows)
{
    struct bytes in = bytes_of(records);
    struct batch_link link;

    while (batch_get_link(&in, &link))
        SCENT_TRY(apply_link(crawl, &link, rows));
    return SCENT_OK;
}

static scent_status apply_state(struct crawl *crawl, struct str records, struct rows *rows)
{
    struct bytes in = bytes_of(records);
    struct batch_state state;

    while (batch_get_state(&in, STORE_URL_STATES, &state)) {
        if (state.kind == BATCH_URL)
            SCENT_TRY(steer_import(crawl->steer, &state.url, rows));
        if (state.kind == BATCH_HOST)
            SCENT_TRY(apply_host(crawl, &state.host, rows));
        if (state.kind == BATCH_REVISIT)
            apply_revisit(crawl, &state.revisit, rows);
    }
    return SCENT_OK;
}

/* Somebody has taken it before it could be given away. */
static void forget_left(struct exchange *exchange, uint32_t part)
{
    pthread_mutex_lock(&exchange->lock);
    for (size_t i = 0; i < exchange->nleft; i++)
        if (exchange->left[i].part == part)
            exchange->left[i--] = exchange->left[--exchange->nleft];
    pthread_mutex_unlock(&exchange->lock);
}

static bool keeps_some(const struct exchange *exchange, const struct job_arrived *arrived)
{
    for (size_t i = 0; i < arrived->nparts; i++)
        if (exchange->places[arrived->parts[i].part].epoch == arrived->parts[i].epoch)
            return true;
    return false;
}

/* Those that are gone first: one may be lost and ours again. */
static scent_status apply_parts(struct crawl *crawl, const struct job_arrived *arrived, struct rows *rows)
{
    struct exchange *exchange = crawl->exchange;
    bool gained = false;

    /* Some pages that it knows are no longer counted: what it fetches again must not be a copy of them. Copies of the
     * others that it finds from now on are kept twice, as those are that two workers find. */
    if (arrived->nlost) {
        duplicates_free(crawl->duplicates);
        crawl->duplicates = duplicates_new(crawl->key);
    }
    for (size_t i = 0; i < arrived->nlost; i++) {
        forget_left(exchange, arrived->lost[i]);
        ROWS_ADD(rows, lost,
                 ((struct rows_lost){arrived->lost[i], arrived->mark, keeps_some(exchange, arrived),
                                     &exchange->disowned}));
        exchange_forget_unsent(crawl, arrived->lost[i], arrived->mark, rows);
        SCENT_TRY(drop_part(crawl, arrived->lost[i], rows));
    }
    for (size_t i = 0; i < arrived->nparts; i++) {
        uint32_t part = arrived->parts[i].part;

        if (exchange->places[part].epoch == arrived->parts[i].epoch) {
            exchange->leaving[part] |= arrived->parts[i].wanted && exchange->shares.live[part];
            exchange->shares.live[part] &= !exchange->leaving[part];
            continue;
        }
        if (arrived->parts[i].epoch <= exchange->over[part])
            continue; /* it was left while this was on its way */
        gained = exchange->shares.mine[part] = true;
        exchange->places[part] = (struct store_place){.part = part, .epoch = arrived->parts[i].epoch};
        ROWS_ADD(rows, places, exchange->places[part]);
        /* What a former tenure did not send. */
        ROWS_ADD(rows, lost, ((struct rows_lost){part, arrived->mark, true, &exchange->disowned}));
    }
    if (gained)
        steer_reclaim(crawl->steer);
    steer_hold_shares(crawl->steer);
    return SCENT_OK;
}

/* A former owner may have visited them a moment ago. */
static scent_status rest_hosts(struct crawl *crawl, const bool *begun)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct politeness *politeness = crawl->access.politeness;
    int64_t now = clock_mono(crawl->options->clock);

    if (!politeness)
        return SCENT_OK;
    SCENT_TRY(politeness_reserve(politeness, frontier_hosts(frontier)));
    for (uint32_t host = 0; host < frontier_hosts(frontier); host++) {
        uint32_t part = steer_part(crawl->steer, host);

        if (begun[part] && crawl->exchange->places[part].epoch > 1)
            frontier_wait_until(frontier, host, now + politeness_delay(politeness, host), now);
    }
    return SCENT_OK;
}

/* Hosts of these partitions may be visited. Seeds that nobody has queued yet are. */
static scent_status begin_parts(struct crawl *crawl, const bool *begun, struct rows *rows)
{
    struct exchange *exchange = crawl->exchange;
    const struct topic *topic = crawl->topic;

    for (uint32_t i = 0; i < exchange->shares.parts; i++)
        exchange->shares.live[i] |= begun[i];
    steer_hold_shares(crawl->steer);
    for (size_t i = 0; i < topic->nseeds; i++)
        if (begun[shares_part(&exchange->shares, url_server(&topic->seeds[i]))])
            SCENT_TRY(steer_seed(crawl->steer, &topic->seeds[i], rows, NULL));
    SCENT_TRY(rest_hosts(crawl, begun));
    for (uint32_t i = 0; i < exchange->shares.parts; i++)
        if (begun[i]) {
            atomic_store(&exchange->ready[i].number, atomic_load(&exchange->number) + 1);
            atomic_store(&exchange->ready[i].epoch, exchange->places[i].epoch);
        }
    return SCENT_OK;
}

/* What was read for a tenure that has ended is read again by who has it now. */
static bool is_current(const struct exchange *exchange, const struct arrived_row *row)
{
    return row->place.epoch && exchange->places[row->place.part].epoch == row->place.epoch;
}

static scent_status apply_row(struct crawl *crawl, const struct arrived_row *row, struct rows *rows)
{
    struct store_place *place = &crawl->exchange->places[row->place.part];

    if (row->kind == CLUSTER_LINKS)
        SCENT_TRY(apply_links(crawl, row->records, rows));
    if (!is_current(crawl->exchange, row))
        return SCENT_OK;
    if (row->kind == CLUSTER_STATE)
        SCENT_TRY(apply_state(crawl, row->records, rows));
    place->xid = row->place.xid;
    place->row = row->place.row;
    place->applied += row->place.applied;
    /* Rows of one partition lie together: one place is enough for them. */
    if (rows->nplaces && rows->places[rows->nplaces - 1].part == place->part)
        rows->places[rows->nplaces - 1] = *place;
    else
        ROWS_ADD(rows, places, *place);
    return SCENT_OK;
}

static scent_status apply_rows(struct crawl *crawl, const struct job_arrived *arrived, struct rows *rows)
{
    bool *begun = NULL;

    for (size_t i = 0; i < arrived->nrows; i++) {
        const struct arrived_row *row = &arrived->rows[i];

        SCENT_TRY(apply_row(crawl, row, rows));
        if (!row->is_live || !is_current(crawl->exchange, row))
            continue;
        if (!begun && !(begun = arena_zalloc(rows->arena, crawl->exchange->shares.parts * sizeof *begun)))
            return SCENT_E_NOMEM;
        begun[row->place.part] = true;
    }
    return begun ? begin_parts(crawl, begun, rows) : SCENT_OK;
}

scent_status moves_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct job_arrived *arrived = &job->arrived;
    scent_status status = SCENT_OK;

    atomic_fetch_sub(&crawl->exchange->records, (unsigned)arrived->count);
    if (arrived->has_counts)
        return exchange_counts_apply(crawl, job, err);
    if (arrived->has_filters)
        exchange_addresses_apply(crawl, job);
    if (arrived->parts)
        status = apply_parts(crawl, arrived, &job->rows);
    if (status == SCENT_OK)
        status = apply_rows(crawl, arrived, &job->rows);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no room for what other workers have told");
}

/* After its rows have a number: who sees that nothing is on its way sees the number, too. */
void moves_applied(struct crawl *crawl)
{
    atomic_fetch_sub(&crawl->exchange->jobs, 1);
}
