#include "engine/recrawl.h"

#include "engine/crawl.h"
#include "engine/freshness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHORTEST_TURN_US = 1000,
    CLOCK_STEP_US = 1000 * 1000 /* less is no step, but a clock that is put right slowly */
};

/* ---- pages ---- */

struct recrawl *recrawl_new(void)
{
    struct recrawl *recrawl = calloc(1, sizeof *recrawl);

    SCENT_BUG_IF(!recrawl);
    recrawl->answers = queue_new(1);
    return recrawl;
}

void recrawl_free(struct recrawl *recrawl)
{
    if (!recrawl)
        return;
    for (size_t i = 0; i < 256; i++)
        while (recrawl->buckets[i])
            recrawl_drop(recrawl, recrawl->buckets[i], false);
    queue_free(recrawl->answers);
    free(recrawl);
}

static struct recrawl_page **bucket_of(const struct recrawl *recrawl, uint32_t host)
{
    return (struct recrawl_page **)&recrawl->buckets[host % 256];
}

static struct str copy_text(char **to, struct str text)
{
    struct str own = {*to, text.len};

    if (text.len)
        memcpy(*to, text.p, text.len);
    (*to)[text.len] = 0;
    *to += text.len + 1;
    return own;
}

scent_status recrawl_add(struct recrawl *recrawl, const struct store_revisit *known, const struct candidate *candidate,
                         uint32_t host)
{
    struct recrawl_page **head = bucket_of(recrawl, host);
    struct recrawl_page *page =
        malloc(sizeof *page + known->digest.len + known->etag.len + known->last_modified.len + 3);
    char *text = (char *)(page + 1);

    if (!page)
        return SCENT_E_NOMEM;
    *page = (struct recrawl_page){.next = *head, .known = *known, .candidate = *candidate, .host = host};
    page->known.digest = copy_text(&text, known->digest);
    page->known.etag = copy_text(&text, known->etag);
    page->known.last_modified = copy_text(&text, known->last_modified);
    *head = page;
    recrawl->queued++;
    return SCENT_OK;
}

struct recrawl_page *recrawl_find(const struct recrawl *recrawl, uint32_t host, uint32_t id)
{
    struct recrawl_page *page = *bucket_of(recrawl, host);

    while (page && page->known.url != id)
        page = page->next;
    return page;
}

size_t recrawl_count(const struct recrawl *recrawl, uint32_t host)
{
    size_t count = 0;

    for (const struct recrawl_page *page = *bucket_of(recrawl, host); page; page = page->next)
        count += page->host == host;
    return count;
}

void recrawl_drop(struct recrawl *recrawl, struct recrawl_page *page, bool was_in_flight)
{
    struct recrawl_page **at = bucket_of(recrawl, page->host);

    while (*at != page)
        at = &(*at)->next;
    *at = page->next;
    recrawl->queued--;
    recrawl->in_flight -= was_in_flight;
    free(page);
}

/* ---- when ---- */

/* Visits to known pages shall take half of a host's time at most, so that they go first and new pages get their turn
 * nevertheless: no page of the host is due again before all of them could have been visited twice. */
static int64_t host_turn(const struct crawl *crawl, uint32_t host)
{
    uint32_t at_once = crawl->topic->politeness.per_host;

    if (!crawl->access.politeness)
        return 0;
    return 2 * politeness_delay(crawl->access.politeness, host) / (at_once ? at_once : 1) *
           steer_host_pages(crawl->steer, host);
}

static void note_revisit(struct crawl *crawl, struct rows *rows, const struct store_revisit *revisit)
{
    if (revisit->next < crawl->recrawl->next)
        crawl->recrawl->next = revisit->next;
    ROWS_ADD(rows, revisits, *revisit);
}

static void put_revisit(struct crawl *crawl, struct rows *rows, uint32_t host, struct store_revisit revisit,
                        int64_t interval)
{
    int64_t turn = host_turn(crawl, host);

    revisit.next = clock_wall(crawl->options->clock) + (interval > turn ? interval : turn);
    note_revisit(crawl, rows, &revisit);
}

static struct freshness history_of(const struct store_revisit *known, int64_t now)
{
    return (struct freshness){known->visits, known->changes, known->first, now, now - known->last};
}

/* The visit has shown whether the page changed. */
static void note_look(struct crawl *crawl, struct job *job, uint64_t page, bool changed)
{
    struct visit *visit = &job->visit;
    struct store_revisit known = visit->again->known;
    struct freshness seen;

    known.visits++;
    known.changes += changed;
    seen = history_of(&known, visit->wall);
    known.page = page;
    known.last = visit->wall;
    crawl->recrawl->changes += changed;
    put_revisit(crawl, &job->rows, visit->at.host, known, freshness_interval(&crawl->topic->recrawl, &seen));
}

/* Nothing was learned about the page. */
static void put_off(struct crawl *crawl, struct rows *rows, const struct recrawl_page *page)
{
    struct freshness seen = history_of(&page->known, clock_wall(crawl->options->clock));

    put_revisit(crawl, rows, page->host, page->known, freshness_patience(&crawl->topic->recrawl, &seen));
}

void recrawl_note_fetched(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct store_revisit first = {
        .url = visit->at.id, .page = visit->row.number, .visits = 1, .first = visit->wall, .last = visit->wall};

    if (crawl->recrawl)
        put_revisit(crawl, &job->rows, visit->at.host, first, crawl->topic->recrawl.interval_us);
}

/* ---- queueing ---- */

/* A page that was visited under a clock that ran ahead would wait until that date. */
static int64_t latest_visit(const struct crawl *crawl)
{
    const struct topic_recrawl *recrawl = &crawl->topic->recrawl;

    return clock_wall(crawl->options->clock) +
           (recrawl->policy == TOPIC_RECRAWL_ADAPTIVE ? recrawl->max_us : recrawl->interval_us);
}

struct replan {
    const struct crawl *crawl;
    struct errmsg *err;
};

/* Of the gaps between visits only the mean is known. What a row becomes does not depend on its `next`, so it would do
 * no harm if the walk met it twice. */
static scent_status replan_row(void *ctx, const struct store_revisit *known)
{
    struct replan *replan = ctx;
    struct store_revisit row = *known;
    int64_t gap = known->visits > 1 ? (known->last - known->first) / (known->visits - 1) : 0;
    struct freshness seen = {known->visits, known->changes, known->first, known->last, gap};

    row.next = known->last + freshness_interval(&replan->crawl->topic->recrawl, &seen);
    return store_put_revisit(replan->crawl->store, &row, replan->err);
}

/* A policy that the user has changed holds for what was planned before. */
static scent_status replan_all(struct crawl *crawl, struct errmsg *err)
{
    const struct topic_recrawl *recrawl = &crawl->topic->recrawl;
    struct replan ctx = {crawl, err};
    char plan[128];
    struct buf before;
    scent_status status;

    snprintf(plan, sizeof plan, "%d %" PRId64 " %" PRId64 " %" PRId64, (int)recrawl->policy, recrawl->interval_us,
             recrawl->min_us, recrawl->max_us);
    buf_init(&before, 0);
    status = store_get(crawl->store, "recrawl", &before, err);
    if (status == SCENT_OK && !str_eq(buf_str(&before), str_of(plan)))
        status = store_each_revisit(crawl->store, replan_row, &ctx, err);
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
        status = store_set(crawl->store, "recrawl", str_of(plan), err);
    buf_release(&before);
    return status;
}

scent_status recrawl_start(struct crawl *crawl, struct errmsg *err)
{
    if (crawl->topic->recrawl.policy == TOPIC_RECRAWL_NONE || crawl->options->web)
        return SCENT_OK; /* an archive does not change */
    crawl->recrawl = recrawl_new();
    crawl->recrawl->ahead = clock_wall(crawl->options->clock) - clock_mono(crawl->options->clock);
    SCENT_TRY(store_begin(crawl->store, err));
    SCENT_TRY(replan_all(crawl, err));
    SCENT_TRY(store_fill_revisits(crawl->store, crawl->topic->recrawl.interval_us, err));
    SCENT_TRY(store_bound_revisits(crawl->store, latest_visit(crawl), err));
    return store_commit(crawl->store, err);
}

void recrawl_end(struct crawl *crawl)
{
    if (!crawl->recrawl)
        return;
    job_free(queue_pop_for(crawl->recrawl->answers, 0));
    recrawl_free(crawl->recrawl);
}

/* Too many of its host are queued already: it comes back when about as many have been visited as stand before it. */
static void wait_for_turn(struct crawl *crawl, const struct store_revisit *due, uint32_t host, uint32_t *waiting,
                          struct rows *rows)
{
    struct store_revisit later = *due;
    int64_t delay = crawl->access.politeness ? politeness_delay(crawl->access.politeness, host) : 0;

    if (delay < SHORTEST_TURN_US)
        delay = SHORTEST_TURN_US;
    later.next = clock_wall(crawl->options->clock) + delay * (RECRAWL_PER_HOST + (*waiting)++);
    note_revisit(crawl, rows, &later);
    if (later.next > crawl->recrawl->turns_until)
        crawl->recrawl->turns_until = later.next;
}

/* `waiting` counts by host % 256. */
static scent_status queue_due(struct crawl *crawl, const struct store_revisit *due, const struct store_url *url,
                              uint32_t waiting[256], struct rows *rows)
{
    struct recrawl *recrawl = crawl->recrawl;
    struct candidate candidate = steer_candidate_of_row(url);
    scent_status status;
    bool queued;

    if (recrawl_find(recrawl, url->host, url->id))
        return SCENT_OK; /* the clock was set back, and all is read anew */
    if (recrawl_count(recrawl, url->host) >= RECRAWL_PER_HOST) {
        wait_for_turn(crawl, due, url->host, &waiting[url->host % 256], rows);
        return SCENT_OK;
    }
    status = steer_again(crawl->steer, url, due->score, &queued);
    if (status == SCENT_OK && queued)
        return recrawl_add(recrawl, due, &candidate, url->host);
    if (status == SCENT_OK)
        put_revisit(crawl, rows, url->host, *due, crawl->topic->recrawl.interval_us);
    return status;
}

static scent_status take_answer(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    const struct job_due *batch = &job->due;
    struct recrawl *recrawl = crawl->recrawl;
    uint32_t waiting[256] = {0};
    scent_status status = SCENT_OK;

    recrawl->asked = false;
    if (batch->later < recrawl->next)
        recrawl->next = batch->later;
    for (size_t i = 0; i < batch->count && status == SCENT_OK; i++)
        status = queue_due(crawl, &batch->pages[i], &batch->urls[i], waiting, &job->rows);
    if (batch->count)
        recrawl->last = (struct store_revisit){.next = batch->pages[batch->count - 1].next,
                                               .url = batch->pages[batch->count - 1].url};
    if (status == SCENT_OK && job->rows.failed)
        status = SCENT_E_NOMEM;
    job->kind = JOB_ROWS;
    if (status != SCENT_OK) {
        job_free(job);
        return errmsg_fail(err, status, "out of memory for the pages that are due");
    }
    writer_put(crawl->writer, job);
    return SCENT_OK;
}

/* What was planned under a clock that is set back meanwhile would wait for the difference too. (A clock that is set
 * forward makes pages due, as a machine that slept does.) */
static void follow_clock(struct crawl *crawl, int64_t now)
{
    struct recrawl *recrawl = crawl->recrawl;
    int64_t ahead = now - clock_mono(crawl->options->clock), back = recrawl->ahead - ahead;
    struct job *job;

    if (back < 0)
        recrawl->ahead = ahead;
    if (back < CLOCK_STEP_US)
        return;
    recrawl->ahead = ahead;
    recrawl->last = (struct store_revisit){0};
    recrawl->turns_until -= back;
    if (recrawl->next != INT64_MAX)
        recrawl->next -= back;
    job = job_new(JOB_ROWS);
    job->rows.set_back = back;
    writer_put(crawl->writer, job);
}

static void ask_writer(struct crawl *crawl, int64_t now)
{
    struct recrawl *recrawl = crawl->recrawl;
    struct job *job = job_new(JOB_DUE);

    if (now < recrawl->last.next)
        recrawl->last = (struct store_revisit){0}; /* the clock was set back: what is noted now lies before it */
    job->due = (struct job_due){.after = recrawl->last, .until = now, .room = RECRAWL_ROOM - recrawl->queued};
    recrawl->asked = true;
    recrawl->next = INT64_MAX; /* what is noted from now on the writer may not see in time */
    writer_put(crawl->writer, job);
}

scent_status recrawl_queue_due(struct crawl *crawl, struct errmsg *err)
{
    struct recrawl *recrawl = crawl->recrawl;
    int64_t now = clock_wall(crawl->options->clock);
    struct job *answer;

    if (!recrawl || crawl->ending.stopping)
        return SCENT_OK;
    answer = recrawl->asked ? queue_pop_for(recrawl->answers, 0) : NULL;
    if (answer)
        return take_answer(crawl, answer, err);
    if (!recrawl->asked)
        follow_clock(crawl, now);
    if (!recrawl->asked && recrawl->next <= now && recrawl->queued <= RECRAWL_ROOM / 2)
        ask_writer(crawl, now);
    return SCENT_OK;
}

bool recrawl_nothing_is_due(const struct crawl *crawl)
{
    const struct recrawl *recrawl = crawl->recrawl;

    if (!recrawl)
        return true;
    if (recrawl->asked || recrawl->queued)
        return false;
    if (recrawl->next == INT64_MAX)
        return true;
    return !crawl->topic->recrawl.wait && recrawl->next > clock_wall(crawl->options->clock) &&
           recrawl->next > recrawl->turns_until;
}

/* ---- visits to known pages ---- */

struct recrawl_page *recrawl_begin(struct recrawl *recrawl, const struct frontier_taken *taken)
{
    struct recrawl_page *page = recrawl_find(recrawl, taken->host, taken->id);

    SCENT_BUG_IF(!page);
    recrawl->in_flight++;
    return page;
}

void recrawl_refuse(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows)
{
    struct recrawl_page *page = recrawl_find(crawl->recrawl, taken->host, taken->id);

    SCENT_BUG_IF(!page);
    put_off(crawl, rows, page);
    frontier_finish(steer_frontier(crawl->steer), taken->id, clock_mono(crawl->options->clock));
    recrawl_drop(crawl->recrawl, page, false);
}

void recrawl_lose(struct recrawl *recrawl, uint32_t id)
{
    for (size_t i = 0; recrawl && i < 256; i++)
        for (struct recrawl_page *page = recrawl->buckets[i]; page; page = page->next)
            if (page->known.url == id) {
                recrawl_drop(recrawl, page, false);
                return;
            }
}

/* A 304 has no page, but headers that hold for the one that we have (RFC 9110, 15.4.5), and a date in them may have
 * passed. What the page itself asks for still holds: nothing is taken back before it changes. */
static void note_wishes(struct crawl *crawl, struct job *job)
{
    const struct store_revisit *known = &job->visit.again->known;
    uint8_t robots = known->robots | job->visit.directives;

    if (job->visit.result != VISIT_UNCHANGED || robots == known->robots)
        return;
    ROWS_ADD(&job->rows, asked, ((struct rows_asked){known->page, robots}));
    crawl->counts.relevant -= known->relevant && !(known->robots & STORE_NOINDEX) && robots & STORE_NOINDEX;
}

/* Whether the server said so (304), or sent the same bytes. */
static void apply_same(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;

    outcome_fill_row(crawl, job);
    visit->row.counted = false;
    visit->row.duplicate_of = visit->again->known.page;
    outcome_note_state(job, STORE_FETCHED, STR_NONE);
    note_wishes(crawl, job);
    note_look(crawl, job, visit->again->known.page, false);
}

/* A new version takes the place of the old one: it is judged, and its links are followed, but it is the page that was
 * counted before, and what can be learned from it was learned. */
static scent_status apply_changed(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    const struct store_revisit *known = &visit->again->known;

    outcome_fill_row(crawl, job);
    visit->row.previous = known->page;
    crawl->counts.relevant += visit->judgement.relevant && store_page_is_shown(&visit->row);
    crawl->counts.relevant -= known->relevant && !(known->robots & STORE_NOINDEX);
    ROWS_ADD(&job->rows, replaced, ((struct rows_replaced){known->page, visit->row.number}));
    outcome_note_state(job, STORE_FETCHED, STR_NONE);
    note_look(crawl, job, visit->row.number, true);
    if (duplicates_know(crawl->duplicates, &visit->row) != SCENT_OK)
        return errmsg_no_memory(err);
    outcome_tell_page(crawl, job);
    SCENT_TRY(steer_examine(crawl->steer, &visit->at, false, &job->rows, err));
    if (requisites_queue(crawl, job) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for requisites");
    return outcome_queue_canonical(crawl, job, err);
}

/* An error, a redirect, half a page: the page that we have stays what it is. */
static void apply_trouble(struct crawl *crawl, struct job *job, const char *what)
{
    if (job->visit.records.len)
        outcome_fill_row(crawl, job);
    job->visit.row.counted = false;
    outcome_note_state(job, STORE_FETCHED, arena_printf(&job->arena, "visited again: %s", what));
    put_off(crawl, &job->rows, job->visit.again);
}

static scent_status apply_moved(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    const char *refused;
    scent_status status = steer_redirect(crawl->steer, &job->visit.at, &job->visit.target, &job->rows, &refused);

    apply_trouble(crawl, job, "it has moved");
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

static bool is_part(const struct job *job)
{
    return job->visit.exchange->cut == FETCH_CUT_TIME || job->visit.exchange->cut == FETCH_CUT_CLOSED;
}

/* The same bytes may come with other wishes in the header. */
static bool is_same(const struct job *job)
{
    const struct visit *visit = &job->visit;
    const struct store_revisit *known = &visit->again->known;

    return visit->result == VISIT_UNCHANGED || (visit->result == VISIT_PAGE && visit->directives == known->robots &&
                                            str_eq(str_of(visit->digest), known->digest));
}

static scent_status apply_visit(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    bool is_page = job->visit.result == VISIT_PAGE;

    if (is_same(job))
        apply_same(crawl, job);
    else if (is_page && !is_part(job))
        return apply_changed(crawl, job, err);
    else if (job->visit.result == VISIT_REDIRECT)
        return apply_moved(crawl, job, err);
    else
        apply_trouble(crawl, job, is_page ? "only a part came" : job->visit.error);
    return SCENT_OK;
}

scent_status recrawl_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    scent_status status;

    visit->at.candidate = visit->again->candidate;
    status = apply_visit(crawl, job, err);
    if (visit->has_row)
        visit->row.previous = visit->again->known.page;
    crawl->recrawl->visits++;
    recrawl_drop(crawl->recrawl, visit->again, true);
    visit->again = NULL;
    return status;
}
