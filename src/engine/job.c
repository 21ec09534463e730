#include "engine/job.h"

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
    return job;
}

void job_free(struct job *job)
{
    if (!job)
        return;
    if (job->kind == JOB_VISIT) {
        judge_unref(job->visit.judge);
        fetch_exchange_free(job->visit.exchange);
        buf_release(&job->visit.records);
    }
    checkpoint_free(job->checkpoint);
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
