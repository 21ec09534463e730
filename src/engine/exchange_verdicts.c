/* The end of a crawl of several workers: all pages of all of them are judged by one judge.
 *
 * When its threads are gone, a worker counts the words of the query in its pages as they are seen now, and adds up its
 * seeds; tells both as its last; waits until all workers that live have told theirs; and judges its pages by the sums,
 * which are the same everywhere. Verdicts that change become outgoing rows in the transaction that changes them, and go
 * to the log like everything else: in the last turn of this run, or in the first of the next one.
 * A server that cannot be reached is waited for as long as a lease; then pages are judged by what was told before. */
#include "engine/exchange_parts.h"

#include "crawldir/rejudge.h"

#include <inttypes.h>
#include <unistd.h>

enum { POLL_US = 200 * 1000, PATIENCE_US = 5 * 1000 * 1000, POLLS_A_LEASE = 8 };

static bool is_stopped(const struct crawl *crawl)
{
    return crawl->options->stop && atomic_load(crawl->options->stop);
}

/* The connection may be gone since the last turn. */
static scent_status reach(struct exchange *exchange, struct errmsg *err)
{
    if (!exchange->unreachable)
        return SCENT_OK;
    SCENT_TRY(cluster_recover(exchange->cluster, &exchange->mark, err));
    exchange->unreachable = false;
    return SCENT_OK;
}

/* The crawl itself has ended well. (Somebody may have removed it from the server meanwhile.) */
static scent_status note_trouble(struct crawl *crawl, scent_status status, const char *what, const struct errmsg *err)
{
    if (status != SCENT_E_IO && status != SCENT_E_LOCKED && status != SCENT_E_NOTFOUND)
        return status;
    crawl->exchange->unreachable = status == SCENT_E_IO;
    log_line(crawl->options->log, LOG_WARN, "%s; %s", err->text, what);
    return SCENT_OK;
}

/* ---- sums ---- */

static scent_status await_others(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    char name[COUNTS_NAME];
    uint64_t count;
    int64_t patience = clock_boot() + PATIENCE_US;

    for (;;) {
        SCENT_TRY(counts_await(exchange->cluster, &count, name, err));
        if (!count || is_stopped(crawl))
            return SCENT_OK;
        if (clock_boot() > patience) {
            patience = INT64_MAX;
            log_line(crawl->options->log, LOG_INFO,
                     "waits for the last counts of %" PRIu64 " other workers, %s among them", count, name);
        }
        usleep((useconds_t)(exchange->turn_us < POLL_US ? exchange->turn_us : POLL_US));
    }
}

struct collected {
    struct arena arena;
    struct counts *items;
    size_t count;
};

static void collect(void *ctx, const struct counts *counts)
{
    struct collected *all = ctx;
    struct counts copy = {.census = arena_str(&all->arena, counts->census),
                          .seeds = arena_str(&all->arena, counts->seeds)};

    all->items = arena_grow(&all->arena, all->items, all->count * sizeof copy, (all->count + 1) * sizeof copy);
    SCENT_BUG_IF(!copy.census.p || !copy.seeds.p || !all->items);
    all->items[all->count++] = copy;
}

static scent_status keep_others(struct crawl *crawl, struct errmsg *err)
{
    struct buf census, seeds;
    scent_status status;

    buf_init(&census, 0);
    buf_init(&seeds, 0);
    status = exchange_counts_write_others(&crawl->judging, &census, &seeds);
    if (status == SCENT_OK)
        status = store_begin(crawl->store, err);
    if (status == SCENT_OK && census.len)
        status = store_set(crawl->store, JUDGED_OTHERS, buf_str(&census), err);
    if (status == SCENT_OK)
        status = store_set(crawl->store, JUDGED_OTHER_SEEDS, buf_str(&seeds), err);
    if (status == SCENT_OK)
        status = store_commit(crawl->store, err);
    buf_release(&census);
    buf_release(&seeds);
    return status;
}

static scent_status settle(struct crawl *crawl, const struct counts *own, bool wait, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    struct collected all = {0};
    scent_status status;

    SCENT_TRY(reach(exchange, err));
    SCENT_TRY(counts_settle(exchange->cluster, own, err));
    if (!wait)
        return SCENT_OK;
    SCENT_TRY(await_others(crawl, err));
    arena_init(&all.arena, SIZE_MAX);
    status = counts_exchange(exchange->cluster, &(struct counts){0}, collect, &all, err);
    if (status == SCENT_OK) {
        exchange_counts_judge(crawl, all.items, all.count);
        status = keep_others(crawl, err);
    }
    arena_release(&all.arena);
    return status;
}

/* A server that is started again finds us waiting. */
static scent_status settle_patiently(struct crawl *crawl, const struct counts *own, struct errmsg *err)
{
    int64_t until = clock_boot() + crawl->exchange->lease_us;

    for (;;) {
        scent_status status = settle(crawl, own, true, err);

        if (status != SCENT_E_IO || clock_boot() >= until || is_stopped(crawl))
            return status;
        crawl->exchange->unreachable = true;
        usleep(POLL_US);
    }
}

scent_status exchange_share_sums(void *ctx, const struct query_counts *counts, const struct centroid *seeds,
                                 struct errmsg *err)
{
    struct crawl *crawl = ctx;
    struct buf census, centroid;
    scent_status status = SCENT_OK;

    buf_init(&census, 0);
    buf_init(&centroid, 0);
    if (counts)
        status = query_counts_write(counts, &census);
    if (seeds)
        centroid_write(seeds, &centroid);
    if (status == SCENT_OK)
        status = settle_patiently(
            crawl, &(struct counts){.census = buf_str(&census), .seeds = buf_str(&centroid)}, err);
    buf_release(&census);
    buf_release(&centroid);
    return note_trouble(crawl, status, "pages are judged by what other workers told before", err);
}

/* Who ends without judging its pages may be the last to tell what they are. */
static scent_status settle_as_it_is(struct crawl *crawl, struct errmsg *err)
{
    struct buf census, seeds;
    scent_status status;

    buf_init(&census, 0);
    buf_init(&seeds, 0);
    status = judging_write_own(&crawl->judging, &census, &seeds);
    if (status == SCENT_OK)
        status = settle(crawl, &(struct counts){.census = buf_str(&census), .seeds = buf_str(&seeds)}, false, err);
    buf_release(&census);
    buf_release(&seeds);
    return status;
}

void exchange_stay(void *ctx, const struct rejudge_progress *progress)
{
    struct crawl *crawl = ctx;
    struct exchange *exchange = crawl->exchange;
    char name[COUNTS_NAME];
    struct errmsg err;
    uint64_t count;

    (void)progress;
    if (exchange->unreachable || clock_boot() - exchange->renewed < exchange->lease_us / POLLS_A_LEASE)
        return;
    exchange->renewed = clock_boot();
    if (counts_await(exchange->cluster, &count, name, &err) != SCENT_OK)
        exchange->unreachable = true;
}

/* ---- verdicts ---- */

scent_status exchange_note_verdict(void *ctx, const struct rejudge_verdict *verdict, struct errmsg *err)
{
    struct crawl *crawl = ctx;
    struct exchange *exchange = crawl->exchange;
    struct store_outgoing row = {.kind = CLUSTER_VERDICTS};
    struct arena arena;
    struct buf body;
    struct url url;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    buf_init(&body, 0);
    status = url_parse(&arena, verdict->url, NULL, &url);
    if (status == SCENT_OK) {
        batch_put_verdict(&body, &(struct batch_verdict){verdict->number, verdict->relevant, (float)verdict->score});
        row.id = exchange->next_id++;
        row.part = shares_part(&exchange->shares, url_server(&url));
        row.body = buf_str(&body);
        status = body.failed ? errmsg_no_memory(err) : store_add_outgoing(crawl->store, &row, err);
    }
    buf_release(&body);
    arena_release(&arena);
    return status == SCENT_E_INVALID ? SCENT_OK : status;
}

static scent_status compare_judge(struct crawl *crawl, uint64_t digest, struct errmsg *err)
{
    char name[COUNTS_NAME];
    uint64_t count;

    SCENT_TRY(counts_compare_judge(crawl->exchange->cluster, digest, &count, name, err));
    if (count)
        log_line(crawl->options->log, LOG_ERROR,
                 "%" PRIu64 " other workers, %s among them, have judged their pages by another judge: their classifier "
                 "is not the same, or a worker did not tell its last counts; start all workers once more, and they "
                 "judge by one",
                 count, name);
    return SCENT_OK;
}

scent_status exchange_end(struct crawl *crawl, const uint64_t *digest, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    scent_status status;

    if (!exchange)
        return SCENT_OK;
    status = reach(exchange, err);
    if (status == SCENT_OK)
        status = digest ? compare_judge(crawl, *digest, err) : settle_as_it_is(crawl, err);
    if (status == SCENT_OK)
        status = exchange_send_rest(crawl, err);
    return note_trouble(crawl, status, "what this worker has not told yet it tells in its next run", err);
}
