#include "engine/job.h"

#include "crawldir/judged.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOB_ARENA_CAP = 256 * 1024 * 1024 };

struct job *job_new(enum job_kind kind)
{
    struct job *job = calloc(1, sizeof *job);

    SCENT_BUG_IF(!job);
    job->kind = kind;
    arena_init(&job->arena, JOB_ARENA_CAP);
    rows_init(&job->rows, &job->arena);
    if (kind == JOB_VISIT)
        buf_init(&job->visit.records, 0);
    if (kind == JOB_CONTROL)
        buf_init(&job->control.answer, 0);
    return job;
}

static void free_checkpoint(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    buf_release(&checkpoint->blob);
    buf_release(&checkpoint->scores);
    buf_release(&checkpoint->term_counts);
    buf_release(&checkpoint->live_counts);
    buf_release(&checkpoint->judged_counts);
    buf_release(&checkpoint->repeats);
    free(checkpoint);
}

void job_free(struct job *job)
{
    if (!job)
        return;
    if (job->kind == JOB_VISIT) {
        judge_unref(job->visit.judge);
        repeats_host_unref(job->visit.repeats);
        fetch_exchange_free(job->visit.exchange);
        buf_release(&job->visit.records);
    }
    if (job->kind == JOB_REREAD)
        judge_unref(job->reread.judge);
    if (job->kind == JOB_CONTROL) {
        json_free(job->control.request);
        buf_release(&job->control.answer);
    }
    free_checkpoint(job->checkpoint);
    arena_release(&job->arena);
    free(job);
}

static enum warc_truncated truncation(enum fetch_cut cut)
{
    switch (cut) {
    case FETCH_CUT_SIZE:
        return WARC_CUT_LENGTH;
    case FETCH_CUT_TIME:
        return WARC_CUT_TIME;
    case FETCH_CUT_CLOSED:
        return WARC_CUT_DISCONNECT;
    default:
        return WARC_WHOLE;
    }
}

struct warc_exchange job_warc_exchange(const struct job *job)
{
    const struct fetch_exchange *ex = job->visit.exchange;

    return (struct warc_exchange){
        .url = job->visit.url.href,
        .wall = ex->started_wall,
        .ip = str_of(ex->ip),
        .protocol = str_of(ex->protocol),
        .request = buf_str(&ex->request),
        .response_head = buf_str(&ex->head),
        .truncated = truncation(ex->cut),
        .chunked = ex->chunked,
    };
}

/* ---- checkpoints ---- */

scent_status checkpoint_new(struct steer *steer, const struct judging *judging, uint64_t row, uint64_t pages,
                            struct checkpoint **out, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(steer);
    bool counts = judging->topic->query;
    struct checkpoint *checkpoint;
    scent_status status = SCENT_OK;

    *out = checkpoint = calloc(1, sizeof *checkpoint);
    SCENT_BUG_IF(!checkpoint);
    buf_init(&checkpoint->blob, 0);
    buf_init(&checkpoint->scores, 0);
    buf_init(&checkpoint->term_counts, 0);
    buf_init(&checkpoint->live_counts, 0);
    buf_init(&checkpoint->judged_counts, 0);
    buf_init(&checkpoint->repeats, 0);
    checkpoint->row = row;
    checkpoint->pages = pages;
    checkpoint->strategy = strategy->ops->name;
    if (counts && (query_counts_write(judging->is_settled ? &judging->settled_counts : &judging->term_counts,
                                      &checkpoint->term_counts) != SCENT_OK ||
                   query_counts_write(&judging->term_counts, &checkpoint->live_counts) != SCENT_OK ||
                   query_counts_write(&judging->judged_counts, &checkpoint->judged_counts) != SCENT_OK))
        return errmsg_fail(err, SCENT_E_NOMEM, "cannot save the statistics of the query: out of memory");
    if (judging->repeats)
        repeats_save(judging->repeats, &checkpoint->repeats);
    if (checkpoint->repeats.failed)
        return errmsg_fail(err, SCENT_E_NOMEM, "cannot save the blocks that repeat: out of memory");
    if (strategy->ops->save)
        status = strategy->ops->save(strategy->state, &checkpoint->blob);
    steer_save_scores(steer, &checkpoint->scores);
    if (checkpoint->scores.failed)
        return errmsg_fail(err, SCENT_E_NOMEM, "cannot save the scores of candidates: out of memory");
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "cannot save the strategy's state");
}

scent_status checkpoint_write(const struct checkpoint *checkpoint, struct store *store, struct errmsg *err)
{
    char text[64];
    int len = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, checkpoint->row, checkpoint->pages);
    struct str at = {text, (size_t)len};

    if (checkpoint->term_counts.len) {
        SCENT_TRY(store_set(store, JUDGED_COUNTS_AT, at, err));
        SCENT_TRY(store_set(store, JUDGED_COUNTS, buf_str(&checkpoint->term_counts), err));
        SCENT_TRY(store_set(store, JUDGED_LIVE, buf_str(&checkpoint->live_counts), err));
        SCENT_TRY(store_set(store, JUDGED_SNAPSHOT, buf_str(&checkpoint->judged_counts), err));
    }
    if (checkpoint->repeats.len) {
        SCENT_TRY(store_set(store, "repeats_at", at, err));
        SCENT_TRY(store_set(store, "repeats", buf_str(&checkpoint->repeats), err));
    }
    if (checkpoint->scores.len) {
        SCENT_TRY(store_set(store, "scores_at", at, err));
        SCENT_TRY(store_set(store, "scores", buf_str(&checkpoint->scores), err));
    }
    if (checkpoint->blob.len) {
        SCENT_TRY(store_set(store, "strategy_at", at, err));
        SCENT_TRY(store_set(store, JUDGED_STRATEGY, buf_str(&checkpoint->blob), err));
        SCENT_TRY(store_set(store, JUDGED_STRATEGY_OF, str_of(checkpoint->strategy), err));
    }
    return SCENT_OK;
}

/* The value `name`, and behind which row and page it was made. */
static scent_status load_value(struct store *store, const char *name, const char *name_at, struct buf *out,
                               uint64_t *row, uint64_t *pages, struct errmsg *err)
{
    struct buf at;
    scent_status status;

    buf_init(&at, 64);
    status = store_get(store, name, out, err);
    if (status == SCENT_OK)
        status = store_get(store, name_at, &at, err);
    if (status == SCENT_OK && sscanf(buf_z(&at), "%" SCNu64 " %" SCNu64, row, pages) != 2)
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: the value %s is damaged", name_at);
    buf_release(&at);
    return status;
}

scent_status checkpoint_load_strategy(struct store *store, const struct strategy *strategy, uint64_t *row,
                                      uint64_t *pages, struct errmsg *err)
{
    struct buf blob, name;
    scent_status status;

    buf_init(&blob, 0);
    buf_init(&name, 64);
    status = load_value(store, JUDGED_STRATEGY, "strategy_at", &blob, row, pages, err);
    if (status == SCENT_OK) { /* older crawls do not say whose it is */
        status = store_get(store, JUDGED_STRATEGY_OF, &name, err);
        status = status == SCENT_E_NOTFOUND ? SCENT_OK : status;
    }
    if (status == SCENT_OK && name.len && !str_eq(buf_str(&name), str_of(strategy->ops->name)))
        status = errmsg_fail(err, SCENT_E_VERSION, "the strategy has changed: it was %.*s, and is %s",
                             STR_ARG(buf_str(&name)), strategy->ops->name);
    if (status == SCENT_OK)
        status = strategy->ops->load(strategy->state, buf_str(&blob), err);
    buf_release(&blob);
    buf_release(&name);
    return status;
}

scent_status checkpoint_load_scores(struct store *store, struct steer *steer, uint64_t row, bool *restored,
                                    struct errmsg *err)
{
    struct buf saved;
    uint64_t at, pages;
    scent_status status;

    buf_init(&saved, 0);
    status = load_value(store, "scores", "scores_at", &saved, &at, &pages, err);
    *restored = status == SCENT_OK && at == row && steer_restore_scores(steer, buf_str(&saved));
    buf_release(&saved);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status checkpoint_load_repeats(struct store *store, struct repeats *repeats, uint64_t *row, struct errmsg *err)
{
    struct buf saved;
    uint64_t pages;
    scent_status status;

    buf_init(&saved, 0);
    status = load_value(store, "repeats", "repeats_at", &saved, row, &pages, err);
    if (status == SCENT_OK && !repeats_load(repeats, buf_str(&saved)))
        status = errmsg_fail(err, SCENT_E_VERSION, "crawl.db: the value repeats is of another version, or damaged");
    buf_release(&saved);
    return status;
}

/* A crawl goes on with the counts that it had, whatever became of its pages when they were judged again at its end. */
static scent_status load_live(struct store *store, struct judging *judging, struct errmsg *err)
{
    struct query_counts live;
    scent_status status;

    query_counts_init(&live, judging->topic->query);
    status = judged_load_counts(store, JUDGED_LIVE, &live, err);
    if (status == SCENT_OK && live.documents == judging->term_counts.documents) {
        judging->is_settled = true;
        query_counts_sum(&judging->settled_counts, &judging->term_counts);
        query_counts_release(&judging->term_counts);
        query_counts_init(&judging->term_counts, judging->topic->query);
        query_counts_sum(&judging->term_counts, &live);
    }
    query_counts_release(&live);
    if (status == SCENT_OK)
        status = judged_load_counts(store, JUDGED_SNAPSHOT, &judging->judged_counts, err);
    if (status == SCENT_E_NOTFOUND) /* of an older version */
        query_counts_sum(&judging->judged_counts, &judging->term_counts);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status checkpoint_load_counts(struct store *store, struct judging *judging, uint64_t *row, struct errmsg *err)
{
    struct buf counts;
    uint64_t pages;
    scent_status status;

    buf_init(&counts, 0);
    status = load_value(store, JUDGED_COUNTS, JUDGED_COUNTS_AT, &counts, row, &pages, err);
    if (status == SCENT_OK)
        status = query_counts_read(&judging->term_counts, buf_str(&counts), "crawl.db: census", err);
    buf_release(&counts);
    if (status != SCENT_OK)
        return status;
    return load_live(store, judging, err);
}
