/* What workers learn, summed. Every EVERY turns, and more often in the beginning, the thread tells the server what this
 * worker has counted by itself, and brings what the others told. The engine then takes away what it was told before,
 * which leaves its own counts; notes these for the next time; adds the new ones; and scores its candidates again. What
 * is inside is committed together with the state of the strategy, so that a crawl that resumes can take it away. */
#include "engine/exchange_parts.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "cluster/counts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FIRST = 5, EVERY = 60 }; /* turns: from FIRST on twice as many each time, up to EVERY */
#define INSIDE "cluster_counts" /* the value of the store: the counts of others that the strategy holds */

struct exchange_counts {
    unsigned turns, wait; /* the thread's */
    /* the engine's */
    struct str *inside; /* each allocated */
    size_t ninside, room;
    /* shared; the buffer with the lock of the exchange */
    struct buf own;
    atomic_bool nothing; /* the strategy learns nothing that others could use */
};

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
    buf_init(&counts->own, 0);
    return load_inside(counts, crawl->store, err);
}

void exchange_counts_free(struct exchange_counts *counts)
{
    if (!counts)
        return;
    forget_inside(counts);
    free(counts->inside);
    buf_release(&counts->own);
    free(counts);
}

/* ---- the thread ---- */

static void take_counts(void *ctx, uint64_t worker, struct str blob)
{
    struct job *job = ctx;
    struct job_arrived *arrived = &job->arrived;
    struct str copy = arena_str(&job->arena, blob);

    (void)worker;
    arrived->counts = arena_grow(&job->arena, arrived->counts, arrived->ncounts * sizeof *arrived->counts,
                                 (arrived->ncounts + 1) * sizeof *arrived->counts);
    SCENT_BUG_IF(!copy.p || !arrived->counts);
    arrived->counts[arrived->ncounts++] = copy;
}

scent_status exchange_counts_ask(struct exchange *exchange, struct job **out, struct errmsg *err)
{
    struct exchange_counts *counts = exchange->counts;
    struct buf own;
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
    buf_init(&counts->own, 0);
    pthread_mutex_unlock(&exchange->lock);
    if (idle) {
        buf_release(&own);
        return SCENT_OK;
    }
    job = job_new(JOB_ARRIVED);
    job->arrived.has_counts = true;
    status = counts_exchange(exchange->cluster, buf_str(&own), take_counts, job, err);
    buf_release(&own);
    if (status == SCENT_OK)
        *out = job;
    else
        job_free(job);
    return status;
}

/* ---- the engine ---- */

static scent_status keep_value(const struct exchange_counts *counts, struct rows *rows)
{
    struct rows_value value = {.name = INSIDE};
    struct buf all;

    buf_init(&all, 0);
    for (size_t i = 0; i < counts->ninside; i++)
        bytes_put_str(&all, counts->inside[i], 4);
    value.value = arena_str(rows->arena, buf_str(&all));
    buf_release(&all);
    if (!value.value.p)
        return SCENT_E_NOMEM;
    ROWS_ADD(rows, values, value);
    return SCENT_OK;
}

scent_status exchange_counts_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct exchange_counts *counts = crawl->exchange->counts;
    const struct strategy *strategy = steer_strategy(crawl->steer);
    const struct job_arrived *arrived = &job->arrived;
    struct buf own;

    if (!strategy->ops->learned) {
        atomic_store(&counts->nothing, true);
        return SCENT_OK;
    }
    for (size_t i = 0; i < counts->ninside; i++)
        SCENT_TRY(strategy->ops->recall(strategy->state, counts->inside[i], -1, err));
    forget_inside(counts);
    buf_init(&own, 0);
    SCENT_TRY(strategy->ops->learned(strategy->state, &own));
    pthread_mutex_lock(&crawl->exchange->lock);
    buf_release(&counts->own);
    counts->own = own;
    pthread_mutex_unlock(&crawl->exchange->lock);
    for (size_t i = 0; i < arrived->ncounts; i++) {
        struct errmsg why = {0};

        /* A worker trusts its peers for truth, not for form. */
        if (strategy->ops->recall(strategy->state, arrived->counts[i], 1, &why) == SCENT_OK)
            keep_inside(counts, arrived->counts[i]);
        else
            log_line(crawl->options->log, LOG_WARN, "counts of another worker are left out: %s", why.text);
    }
    steer_settle(crawl->steer, false);
    SCENT_TRY(keep_value(counts, &job->rows));
    return apply_checkpoint(crawl, job, true, err);
}
