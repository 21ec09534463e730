/* engine - a crawl from its seeds to its end: the loop of "the way of a page", its threads, limits and resume.
 *
 * engine_run() blocks; the calling thread becomes the engine's. What DIR holds already is resumed. */
#ifndef SCENT_ENGINE_ENGINE_H
#define SCENT_ENGINE_ENGINE_H

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "fetch/fetch.h"
#include "strategy/strategy.h"
#include "topic/knowledge.h"
#include "web/web.h"

#include <stdatomic.h>

enum engine_end {
    ENGINE_LIMIT,       /* pages or time */
    ENGINE_EXHAUSTED,   /* no links left */
    ENGINE_BELOW,       /* none at or above the strategy's threshold */
    ENGINE_NO_SEED,     /* not one page: no seed could be fetched */
    ENGINE_INTERRUPTED  /* stopped from outside; can be resumed */
};

/* CPU milliseconds by stage. */
struct engine_cpu {
    double fetch, source, analyse, judge, engine, warc, store;
};

struct engine_progress {
    uint64_t pages, relevant, failed;
    uint64_t known, queued, in_flight, hosts;
    uint64_t page_limit;              /* 0: none */
    uint64_t new_pages;               /* of this run */
    char waits_for[256];              /* for a person; "": it is at work */
    double pages_per_s;               /* over the last ten seconds */
    uint64_t revisits, changes;       /* of this run: pages that were visited again, and had changed */
    int64_t elapsed_us, time_limit_us; /* of this run; 0: none */
};

struct engine_report {
    enum engine_end end;
    struct engine_progress totals;
    struct engine_cpu cpu;
    uint64_t judged_again, gained, lost; /* at the end: pages, those that became relevant, those that are no longer */
    uint64_t below;     /* candidates that are left below the strategy's threshold */
    char seed_trouble[512]; /* why the last seed that failed could not be fetched, with its name; "": none failed */
    bool resumed;
    bool started; /* false: nothing was touched, the fault lies in what was asked for */
};

/* An examined page, for --json. */
struct engine_page {
    uint64_t number;
    struct str url, title, lang;
    int status;
    bool relevant;
    bool changed; /* a new version of a page that was counted before */
    bool noindex; /* it asks not to be shown: visited, but no part of the collection */
    double score;
    float priority;
    uint32_t depth, links;
    uint64_t bytes;
};

struct engine_options {
    const struct topic *topic;
    const struct knowledge *knowledge; /* of the topic; NULL: nothing was learned */
    const char *dir;
    const struct web *web;         /* an archive or a generated web instead of the network; NULL */
    const char *proxy; /* instead of the topic's, and nothing is beyond it but what is to be crawled; NULL */
    const char *proxy_login;       /* "user:password" for the topic's proxy; NULL */
    const char *ca_file;           /* NULL */
    const char *dns_server;        /* "127.0.0.1:5353" instead of the system's; NULL */
    enum fetch_reach reach;        /* which addresses may be visited */
    const struct strategy_ops *strategy; /* NULL: what the topic names */
    const char *join;              /* the PostgreSQL server of a crawl of several workers; NULL: it crawls alone */
    uint32_t threads;              /* of analysis; 0: as many as there are cores */
    const struct clock *clock;
    const struct log *log;
    bool verbose;                  /* every line of crawl.log goes to the log too */
    bool log_json;                 /* crawl.log has JSON lines */
    const atomic_int *stop;        /* becomes 1: finish what is in flight and stop */
    void (*on_page)(void *ctx, const struct engine_page *page);
    void (*on_progress)(void *ctx, const struct engine_progress *progress); /* about five times a second */
    void *ctx;
};

/* SCENT_E_FULL, SCENT_E_IO: storage failed, what was committed stays. SCENT_E_INVALID: a configuration that cannot be
 * run. SCENT_E_LOCKED: another process uses the directory. */
SCENT_NODISCARD scent_status engine_run(const struct engine_options *options, struct engine_report *out,
                                        struct errmsg *err);

#endif
