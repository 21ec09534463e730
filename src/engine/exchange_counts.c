/* What workers learn, summed. Every EVERY turns, and more often in the beginning, the thread tells the server what this
 * worker has counted by itself, and brings what the others told. The engine then takes away what its strategy was told
 * before, which leaves its own counts; notes these for the next time; adds the new ones; and scores its candidates
 * again. Counts of the query's terms and sums of seeds are kept beside its own, and the judge knows both. What
 * is inside is committed together with the state of the strategy, so that a crawl that resumes can take it away. */
#include "engine/exchange_parts.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "crawldir/judged.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FIRST = 5, EVERY = 60 }; /* turns: from FIRST on twice as many each time, up to EVERY */
#define INSIDE "cluster_counts" /* the value of the store: the counts of others that the strategy holds */

struct exchange_counts {
    unsigned turns, wait; /* the thread's */
    /* the engine's */
    struct str *inside; /* each allocated */
    size_t ninside, room;
    /* shared; the buffers with the lock of the exchange */
    struct own_counts {
        struct buf learned, census, seeds;
    } own;
    atomic_bool nothing; /* there is nothing that others could use */
};

static void init_own(struct own_counts *own)
{
    buf_init(&own->learned, 0);
    buf_init(&own->census, 0);
    buf_init(&own->seeds, 0);
}

static void release_own(struct own_counts *own)
{
    buf_release(&own->learned);
    buf_release(&own->census);
    buf_release(&own->seeds);
}

static void forget_inside(struct exchange_counts *counts)
{
    for (size_t i = 0; i < counts->ninside; i++)
        free((void *)(uintptr_t)counts->inside[i].p);
    counts->ninside = 0;
}

static void keep_inside(struct exchange_counts *counts, struct str blob)
{
    char *copy = malloc(blob.len + 1);

    SCENT_BUG_IF(!copy || !vec_reserve(&counts->inside, &counts->room, counts->ninside + 1, sizeof *counts->inside));
    memcpy(copy, blob.p, blob.len);
    counts->inside[counts->ninside++] = (struct str){copy, blob.len};
}

static scent_status load_inside(struct exchange_counts *counts, struct store *store, struct errmsg *err)
{
    struct bytes in;
    struct buf value;
    scent_status status;

    buf_init(&value, 0);
    status = store_get(store, INSIDE, &value, err);
    for (in = bytes_of(buf_str(&value)); status == SCENT_OK && bytes_left(&in) && !in.wrong;) {
        struct str blob = bytes_get_str(&in, 4, COUNTS_MAX);

        if (!in.wrong)
            keep_inside(counts, blob);
    }
    if (status == SCENT_OK && in.wrong)
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db has damaged counts of other workers: %s", in.wrong);
    buf_release(&value);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status exchange_counts_open(struct crawl *crawl, struct exchange *exchange, struct errmsg *err)
{
    struct exchange_counts *counts = exchange_array(1, sizeof *counts);

    exchange->counts = counts;
    counts->wait = FIRST;
    init_own(&counts->own);
    return load_inside(counts, crawl->store, err);
}

void exchange_counts_free(struct exchange_counts *counts)
{
    if (!counts)
        return;
    forget_inside(counts);
    free(counts->inside);
    release_own(&counts->own);
    free(counts);
}

/* ---- the thread ---- */

static void take_counts(void *ctx, const struct counts *counts)
{
    struct job *job = ctx;
    struct job_arrived *arrived = &job->arrived;
    struct counts copy = {arena_str(&job->arena, counts->learned), arena_str(&job->arena, counts->census),
                          arena_str(&job->arena, counts->seeds)};

    arrived->counts = arena_grow(&job->arena, arrived->counts, arrived->ncounts * sizeof *arrived->counts,
                                 (arrived->ncounts + 1) * sizeof *arrived->counts);
    SCENT_BUG_IF(!copy.learned.p || !copy.census.p || !copy.seeds.p || !arrived->counts);
    arrived->counts[arrived->ncounts++] = copy;
}

scent_status exchange_counts_ask(struct exchange *exchange, struct job **out, struct errmsg *err)
{
    struct exchange_counts *counts = exchange->counts;
    struct own_counts own;
    struct job *job;
    scent_status status;
    bool idle;

    *out = NULL;
    if (atomic_load(&counts->nothing) || ++counts->turns < counts->wait)
        return SCENT_OK;
    counts->turns = 0;
    counts->wait = 2 * counts->wait < EVERY ? 2 * counts->wait : EVERY;
    pthread_mutex_lock(&exchange->lock);
    idle = exchange->told.idle; /* it waits for links, not for counts */
    own = counts->own;
    init_own(&counts->own);
    pthread_mutex_unlock(&exchange->lock);
    if (idle) {
        release_own(&own);
        return SCENT_OK;
    }
    job = job_new(JOB_ARRIVED);
    job->arrived.has_counts = true;
    status = counts_exchange(
        exchange->cluster, &(struct counts){buf_str(&own.learned), buf_str(&own.census), buf_str(&own.seeds)},
        take_counts, job, err);
    release_own(&own);
    if (status == SCENT_OK)
        *out = job;
    else
        job_free(job);
    return status;
}

/* ---- the engine ---- */

static scent_status keep_value(struct rows *rows, const char *name, const struct buf *bytes)
{
    struct rows_value value = {.name = name, .value = arena_str(rows->arena, buf_str(bytes))};

    if (bytes->failed || !value.value.p)
        return SCENT_E_NOMEM;
    ROWS_ADD(rows, values, value);
    return SCENT_OK;
}

static scent_status keep_inside_value(const struct exchange_counts *counts, struct rows *rows)
{
    struct buf all;
    scent_status status;

    buf_init(&all, 0);
    for (size_t i = 0; i < counts->ninside; i++)
        bytes_put_str(&all, counts->inside[i], 4);
    status = keep_value(rows, INSIDE, &all);
    buf_release(&all);
    return status;
}

/* A worker trusts its peers for truth, not for form. */
static void warn(const struct crawl *crawl, const struct errmsg *why)
{
    log_line(crawl->options->log, LOG_WARN, "counts of another worker are left out: %s", why->text);
}

static scent_status sum_learned(struct crawl *crawl, const struct job_arrived *arrived, struct buf *own,
                                struct errmsg *err)
{
    struct exchange_counts *counts = crawl->exchange->counts;
    const struct strategy *strategy = steer_strategy(crawl->steer);

    if (!strategy->ops->learned)
        return SCENT_OK;
    for (size_t i = 0; i < counts->ninside; i++)
        SCENT_TRY(strategy->ops->recall(strategy->state, counts->inside[i], -1, err));
    forget_inside(counts);
    SCENT_TRY(strategy->ops->learned(strategy->state, own));
    for (size_t i = 0; i < arrived->ncounts; i++) {
        struct errmsg why = {0};

        if (!arrived->counts[i].learned.len)
            continue;
        if (strategy->ops->recall(strategy->state, arrived->counts[i].learned, 1, &why) == SCENT_OK)
            keep_inside(counts, arrived->counts[i].learned);
        else
            warn(crawl, &why);
    }
    return SCENT_OK;
}

void exchange_counts_judge(struct crawl *crawl, const struct counts *counts, size_t count)
{
    judging_forget_others(&crawl->judging);
    for (size_t i = 0; i < count; i++) {
        struct errmsg why = {0};

        if (judging_add_other(&crawl->judging, counts[i].census, counts[i].seeds, &why) != SCENT_OK)
            warn(crawl, &why);
    }
    judging_renew(&crawl->judging);
}

scent_status exchange_counts_write_others(const struct judging *judging, struct buf *census, struct buf *seeds)
{
    centroid_write(&judging->other_seeds, seeds);
    return judging->topic->query ? query_counts_write(&judging->others, census) : SCENT_OK;
}

static scent_status keep_others(const struct crawl *crawl, struct rows *rows)
{
    struct buf census, seeds;
    scent_status status;

    buf_init(&census, 0);
    buf_init(&seeds, 0);
    status = exchange_counts_write_others(&crawl->judging, &census, &seeds);
    if (status == SCENT_OK && census.len)
        status = keep_value(rows, JUDGED_OTHERS, &census);
    if (status == SCENT_OK)
        status = keep_value(rows, JUDGED_OTHER_SEEDS, &seeds);
    buf_release(&census);
    buf_release(&seeds);
    return status;
}

scent_status exchange_counts_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct exchange_counts *counts = crawl->exchange->counts;
    struct own_counts own;

    if (!steer_strategy(crawl->steer)->ops->learned && !crawl->topic->query && !judging_needs_seeds(&crawl->judging)) {
        atomic_store(&counts->nothing, true);
        return SCENT_OK;
    }
    init_own(&own);
    SCENT_TRY(sum_learned(crawl, &job->arrived, &own.learned, err));
    SCENT_TRY(judging_write_own(&crawl->judging, &own.census, &own.seeds));
    exchange_counts_judge(crawl, job->arrived.counts, job->arrived.ncounts);
    pthread_mutex_lock(&crawl->exchange->lock);
    release_own(&counts->own);
    counts->own = own;
    pthread_mutex_unlock(&crawl->exchange->lock);
    if (steer_strategy(crawl->steer)->ops->learned)
        steer_settle(crawl->steer, false);
    SCENT_TRY(keep_inside_value(counts, &job->rows));
    SCENT_TRY(keep_others(crawl, &job->rows));
    return apply_checkpoint(crawl, job, true, err);
}
