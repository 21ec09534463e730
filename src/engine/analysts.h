/* analyst - what happens to a page between fetch and engine: decode, analyse, judge, build its WARC records.
 *
 * A pool of threads; each job is independent, so order does not matter here. For a crawl of an archive or a
 * generated web the analyst also gets the response (there is no network to wait for). */
#ifndef SCENT_ENGINE_ANALYSTS_H
#define SCENT_ENGINE_ANALYSTS_H

#include "base/clock.h"
#include "base/queue.h"
#include "engine/job.h"
#include "engine/writer.h"
#include "topic/topic.h"
#include "web/web.h"

struct analyst_options {
    const struct topic *topic;
    const struct web *web;   /* NULL: the exchange is filled already */
    const struct clock *clock;
    struct queue *in, *out;  /* of struct job; the pool ends when `in` is closed and empty */
    uint64_t key;            /* of fingerprints */
    uint64_t seed;           /* of WARC record ids */
    uint32_t threads;        /* at least 1 */
    const struct writer *writer; /* which the records are built for */
    struct page_reader pdf;
};

/* CPU time of all threads together, nanoseconds. */
struct analyst_cpu {
    int64_t analyse; /* decode and analyse */
    int64_t judge;
    int64_t warc;
    int64_t source;  /* web_get, where there is no network */
};

struct analysts;
SCENT_NODISCARD scent_status analysts_start(const struct analyst_options *options, struct analysts **out,
                                            struct errmsg *err);
/* After `in` was closed: waits for the threads, frees. *cpu may be NULL. */
void analysts_join(struct analysts *analysts, struct analyst_cpu *cpu);

#endif
