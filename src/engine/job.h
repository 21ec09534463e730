/* job - one visit on its way: from the frontier through fetch and analysis back to the engine, then to the writer.
 *
 * Exactly one thread owns a job at any time; it moves through queues. Everything that is made of the page lives
 * in the job's arena and is freed with it. */
#ifndef SCENT_ENGINE_JOB_H
#define SCENT_ENGINE_JOB_H

#include "engine/checkpoint.h"
#include "engine/recrawl.h"
#include "engine/rows.h"
#include "engine/steer.h"
#include "fetch/fetch.h"
#include "page/canonical.h"
#include "page/page.h"
#include "store/store.h"
#include "topic/judge.h"
#include "warc/warc.h"

enum job_result {
    JOB_NONE,     /* no visit: rows, an event or a checkpoint on their way to the writer */
    JOB_PAGE,     /* 2xx, analysed and judged */
    JOB_ROBOTS,   /* 2xx, the text of a robots.txt */
    JOB_UNCHANGED, /* 304: as it was when it was visited before */
    JOB_SITEMAP,  /* 2xx, `listed` is what it lists */
    JOB_REDIRECT, /* `target` is where to */
    JOB_STATUS,   /* another status */
    JOB_UNWANTED, /* a content type that the scope refuses */
    JOB_FAILED,   /* no response */
    JOB_NAME,     /* not a visit: a host's name was looked up */
    JOB_TEXTS     /* nor this: texts of queued URLs, see loader.h */
};

/* What the loader was asked for, and brought. In the job's arena. */
struct job_texts {
    uint32_t *ids;
    struct str *texts; /* empty: there is none */
    size_t count;
    scent_status status; /* SCENT_E_END: the loader was stopped before it came to this */
    struct errmsg err;
};

struct job {
    /* the engine's, at dispatch */
    uint64_t order;          /* 0, 1, …: of dispatch */
    struct steer_visit visit;
    struct url url;
    struct judge *judge;     /* a reference */
    struct arena arena;
    struct recrawl_page *again; /* what is known of a page that is visited again; the engine's. NULL: it is new */
    struct recrawl_batch *batch; /* no visit: which pages are due? In the arena; NULL: nobody asks */

    /* the fetcher's; after analysis only that of a page is left, without its body: for a revisit record */
    struct fetch_exchange *exchange;

    /* the analyst's */
    enum job_result result;
    struct page page;
    struct judgement judgement;
    uint8_t directives;      /* enum page_robots: what the answer asks of robots, as far as the topic obeys */
    uint64_t simhash;
    enum page_canonical canonical;
    uint64_t body_bytes;     /* as they came, content encoding kept */
    struct url target;
    struct str mime;
    char error[160];         /* why there is no page: stored */
    char digest[33];
    char ip[48];
    int status;
    bool closed_by_us;       /* the transfer was broken off because the crawl ends */
    bool may_retry;
    const char *trouble;     /* what is wrong with the host, a static word; NULL: nothing */
    int64_t retry_after;     /* the host wants to be left alone so long; microseconds */
    struct str robots;       /* the text of a robots.txt */
    struct url *listed;      /* by a sitemap: pages, or sitemaps where `is_index` */
    size_t nlisted;
    bool is_index;
    struct fetch_name *name; /* JOB_NAME, in the arena */
    bool ahead;              /* JOB_NAME: nobody waits for it */
    struct job_texts *texts; /* JOB_TEXTS */
    uint64_t bytes;
    int64_t wall, took_us;
    struct buf records;      /* WARC records, compressed */
    struct warc_span response;

    /* the engine's, for the writer */
    struct rows rows;
    bool has_row;
    struct store_page row;
    const char *event;       /* static word; NULL: none */
    struct str event_text;
    struct checkpoint *checkpoint; /* NULL: none */
};

struct job *job_new(void); /* never NULL */
void job_free(struct job *job);
/* What its WARC records say, but for the body. The strings are the job's. */
struct warc_exchange job_warc_exchange(const struct job *job);

#endif
