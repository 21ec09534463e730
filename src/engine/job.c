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
    if (job->checkpoint)
        buf_release(&job->checkpoint->blob);
    free(job->checkpoint);
    arena_release(&job->arena);
    free(job);
}
