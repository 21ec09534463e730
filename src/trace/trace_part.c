#include "trace/gather.h"

#include <stdlib.h>

static void add_counts(struct trace_counts *sum, const struct trace_counts *counts)
{
    sum->files += counts->files;
    sum->lines += counts->lines;
    sum->backwards += counts->backwards;
    sum->unknown += counts->unknown;
    sum->damaged += counts->damaged;
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        sum->left[i] += counts->left[i];
}

static scent_status add_accesses(struct gather *gather, const struct trace *trace, const struct trace_cut *cut)
{
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < trace->naccesses && status == SCENT_OK; i++) {
        const struct trace_access *access = &trace->accesses[i];
        struct str name = names_at(&trace->pages, access->page);

        if (access->time < cut->from || access->time >= cut->until)
            continue;
        if (cut->name)
            name = cut->name(cut->ctx, name);
        if (name.len)
            status = gather_add(gather, access->time, names_at(&trace->users, access->user), name);
    }
    return status;
}

scent_status trace_part(const struct trace *const *traces, size_t count, const struct trace_cut *cut,
                        struct trace **out, struct errmsg *err)
{
    /* The users have the names that they shall have. */
    struct trace_options options = {.keep_users = true, .max_accesses = TRACE_ACCESSES_MAX};
    bool keep_users = false;
    struct gather gather;
    scent_status status = SCENT_OK;

    *out = NULL;
    if (count)
        options.idle = traces[0]->idle;
    gather_init(&gather, &options);
    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        add_counts(&gather.counts, &traces[i]->counts);
        keep_users |= traces[i]->keep_users;
        status = add_accesses(&gather, traces[i], cut);
    }
    if (status == SCENT_OK)
        status = gather_finish(&gather, out);
    if (status == SCENT_OK)
        (*out)->keep_users = keep_users;
    else
        errmsg_fail(err, status, "there is no memory for a part of the trace");
    gather_release(&gather);
    return status;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t trace_time_at(const struct trace *trace, double share)
{
    uint32_t n = trace->naccesses, at = (uint32_t)(share * n);
    int64_t *times, time;

    if (at >= n)
        return INT64_MAX;
    times = malloc(n * sizeof *times);
    SCENT_BUG_IF(!times);
    for (uint32_t i = 0; i < n; i++)
        times[i] = trace->accesses[i].time;
    qsort(times, n, sizeof *times, by_time);
    time = times[at];
    free(times);
    return time;
}
