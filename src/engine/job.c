#include "engine/job.h"

#include <stdlib.h>

enum { JOB_ARENA_CAP = 256 * 1024 * 1024 };

struct job *job_new(void)
{
    struct job *job = calloc(1, sizeof *job);

    SCENT_BUG_IF(!job);
    arena_init(&job->arena, JOB_ARENA_CAP);
    rows_init(&job->rows, &job->arena);
    buf_init(&job->records, 0);
    return job;
}

void job_free(struct job *job)
{
    if (!job)
        return;
    judge_unref(job->judge);
    fetch_exchange_free(job->exchange);
    buf_release(&job->records);
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
    const struct fetch_exchange *ex = job->exchange;

    return (struct warc_exchange){
        .url = job->url.href,
        .wall = ex->started_wall,
        .ip = str_of(ex->ip),
        .protocol = str_of(ex->protocol),
        .request = buf_str(&ex->request),
        .response_head = buf_str(&ex->head),
        .truncated = truncation(ex->cut),
        .chunked = ex->chunked,
    };
}
