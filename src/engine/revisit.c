#include "engine/revisit.h"

#include <inttypes.h>
#include <stdio.h>

struct original {
    struct arena *arena;
    uint64_t number;
    struct str url, digest;
    int64_t wall;
    bool is_archived;
};

static scent_status keep_original(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct original *original = ctx;

    if (row->number != original->number)
        return SCENT_E_END;
    original->url = arena_str(original->arena, url->url);
    original->digest = arena_str(original->arena, row->digest);
    original->wall = row->wall;
    original->is_archived = row->warc_length > 0;
    return original->url.p && original->digest.p ? SCENT_E_END : SCENT_E_NOMEM;
}

/* The first asked not to be archived: there is nothing to refer to, and no more is kept of this one. */
static scent_status leave_out(struct job *job, struct str digest)
{
    buf_clear(&job->records);
    job->response = (struct warc_span){0};
    snprintf(job->digest, sizeof job->digest, "%.*s", STR_ARG(digest));
    job->row.digest = str_of(job->digest);
    return SCENT_OK;
}

scent_status revisit_build(struct job *job, struct store *store, struct rng *rng, struct http_deflater *deflater,
                           struct errmsg *err)
{
    struct original original = {.arena = &job->arena, .number = job->row.duplicate_of};
    struct warc_exchange exchange = job_warc_exchange(job);
    bool not_modified = job->result == JOB_UNCHANGED;
    scent_status status = store_each_page(store, original.number - 1, keep_original, &original, err);

    if (status != SCENT_OK && status != SCENT_E_END)
        return status;
    /* Pages are told apart by 59 bits of their digest: two may meet. */
    if (original.url.len == 0 || (!not_modified && !str_eq(original.digest, str_of(job->digest)))) {
        job->row.duplicate_of = 0;
        return SCENT_OK;
    }
    if (!original.is_archived)
        return leave_out(job, original.digest);
    exchange.body.len = job->body_bytes;
    exchange.not_modified = not_modified;
    exchange.same_as_url = original.url;
    exchange.same_as_wall = original.wall;
    exchange.same_as_digest = original.digest;
    buf_clear(&job->records);
    status = warc_build_exchange(&exchange, rng, deflater, &job->records, &job->response, job->digest);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory for the revisit record of page %" PRIu64, job->row.number);
    return status;
}
