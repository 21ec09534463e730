/* job - a message between the threads of a crawl.
 *
 *   JOB_VISIT   engine -> fetch -> analysts -> engine -> writer     one visit on its way
 *   JOB_NAME    engine -> fetch -> engine -> writer                 the name of a host is looked up
 *   JOB_TEXTS   engine -> loader -> engine                          texts of queued URLs
 *   JOB_DUE     engine -> writer -> engine -> writer (as JOB_ROWS)  which pages are due again?
 *   JOB_ROWS    engine -> writer                                    rows, an event or a checkpoint alone
 *   JOB_REREAD  engine -> rescoring -> engine -> writer (as JOB_ROWS)  a page whose links are scored again
 *   JOB_ARRIVED exchange -> engine -> writer                        links that other workers found, or partitions
 *   JOB_CONTROL listener -> engine -> (writer ->) listener          a request of somebody who watches or steers
 *
 * Exactly one thread owns a job at any time; it moves through queues. What it points to lies in its arena and is freed
 * with it, unless it says otherwise. */
#ifndef SCENT_ENGINE_JOB_H
#define SCENT_ENGINE_JOB_H

#include "base/buf.h"
#include "cluster/cluster.h"
#include "crawldir/snapshot.h"
#include "engine/judging.h"
#include "engine/recrawl.h"
#include "engine/rows.h"
#include "engine/steer.h"
#include "fetch/fetch.h"
#include "page/page.h"
#include "page/references.h"
#include "page/repeats.h"
#include "store/store.h"
#include "strategy/strategy.h"
#include "topic/judge.h"
#include "topic/query.h"
#include "warc/warc.h"

enum visit_result {
    VISIT_PAGE = 1,  /* 2xx, analysed and judged */
    VISIT_NOT_TEXT,  /* 2xx, an image, an archive, a document that cannot be read: kept, but not a page */
    VISIT_UNCHANGED, /* 304: as it was when it was visited before */
    VISIT_ROBOTS,    /* 2xx, `robots` is the text of a robots.txt */
    VISIT_REQUISITE, /* 2xx, a file that a page needs; `requisites` is what it needs itself */
    VISIT_SITEMAP,   /* 2xx, `listed` is what it lists */
    VISIT_REDIRECT,  /* `target` is where to */
    VISIT_STATUS,    /* another status */
    VISIT_UNWANTED,  /* a content type that the scope refuses */
    VISIT_FAILED     /* no response */
};

struct visit {
    /* the engine's, at dispatch */
    struct steer_visit at;
    struct url url;
    struct judge *judge;        /* a reference */
    struct repeats_host *repeats; /* what is known of its host: a reference; NULL: nothing */
    struct recrawl_page *again; /* what is known of a page that is visited again; the engine's. NULL: it is new */
    bool is_again;              /* so it was */

    /* the fetcher's; after analysis only that of a page is left, without its body: for a revisit record */
    struct fetch_exchange *exchange;

    /* the analyst's, of any answer */
    enum visit_result result;
    int status;
    char ip[48];
    char error[160];         /* why there is no page: stored */
    struct str mime;
    int64_t wall, took_us;
    uint64_t bytes;
    uint64_t body_bytes;     /* as they came, content encoding kept */
    uint8_t directives;      /* enum page_robots: what the answer asks of robots, as far as the topic obeys */
    bool closed_by_us;       /* the transfer was broken off because the crawl ends */
    bool unread;             /* a kept connection ended before the answer: neither page nor host are to blame */
    bool may_retry;
    bool out_of_time;        /* it took all the time that a visit may take: waiting for it thrice would be in vain */
    const char *trouble;     /* what is wrong with the host, a static word; NULL: nothing */
    int64_t retry_after;     /* the host wants to be left alone so long; microseconds */

    /* of a page */
    struct page page;
    struct judgement judgement;
    struct str blocks; /* for repeats_tally_add(); .p NULL: the topic reads whole pages */
    struct str counted; /* query_counted_write(); .p NULL: the topic has no query */
    uint64_t simhash;
    enum page_canonical canonical;
    /* of a page, and of a requisite: what it loads */
    struct references_found requisites;
    bool looked; /* for them */
    /* of anything else, by `result` */
    union {
        struct url target;
        struct str robots;
        struct {
            struct url *urls; /* pages, or sitemaps where `is_index` */
            size_t count;
            bool is_index;
        } listed;
    };

    /* for the writer: WARC records, compressed, and where the response lies in them; the page row, where it has one */
    struct buf records;
    struct http_dictionary *packed_with; /* NULL: no dictionary */
    struct warc_span response;
    char digest[33];
    bool has_row;
    struct store_page row;
};

struct job_name {
    uint32_t host;
    bool ahead;                /* nobody waits for it */
    struct fetch_name *answer; /* NULL: there was no memory for it */
};

struct job_texts {
    uint32_t *ids;
    struct str *texts; /* empty: there is none */
    size_t count;
    scent_status status; /* SCENT_E_END: the loader was stopped before it came to this */
    struct errmsg err;
};

/* Which pages are due again: a question to the store, and its answer. */
struct job_due {
    struct store_revisit after; /* what comes behind this */
    int64_t until;              /* and is due then */
    size_t room;
    struct store_revisit *pages;
    struct store_url *urls;
    size_t count;
    int64_t later;              /* the first that is due after `until`; INT64_MAX: none */
};

/* A page of the crawl, read back and judged. */
struct job_reread {
    uint64_t after, until; /* the first page row behind `after` that can be read, up to `until`; then `after` is its */
    uint64_t pass;
    struct judge *judge;   /* a reference */
    bool found;            /* what follows is set; it lies with whoever read it, until the next one is asked for */
    struct page page;
    struct judgement judgement;
    struct steer_visit visit;
    scent_status status;
    struct errmsg err;
};

/* The addresses that another worker visits (cluster/addresses.h). */
struct job_filter {
    uint64_t worker, stamp;
    struct str filter; /* empty: as before */
};

/* A row of the log of a partition, or a piece of a long one. */
struct arrived_row {
    enum cluster_kind kind;
    struct str records;       /* one behind the other; empty: the row was our own, or damaged */
    struct store_place place; /* that is reached with it; `applied` is added. Epoch 0: more of the same row follows */
    bool is_live;             /* it is no row: all that former owners of the place's partition wrote has come */
};

/* What the server of a crawl of several workers has told. */
struct job_arrived {
    struct arrived_row *rows; /* those of one partition are in its order */
    size_t nrows, room;
    size_t count;               /* of records, in all of them */
    struct cluster_part *parts; /* all that this worker owns now; NULL: as before */
    size_t nparts;
    bool has_counts;            /* it is these: what other workers have learned */
    struct counts *counts;
    size_t ncounts;
    bool has_filters;           /* it is these: which addresses the others visit */
    struct job_filter *filters;
    size_t nfilters;
    uint32_t *lost;             /* those that it does not own any more in the epoch in which it did */
    size_t nlost;
    uint64_t mark;              /* outgoing rows up to this one had been sent by then */
};

/* A request by the control socket, and its answer. */
struct job_control {
    enum { CONTROL_SNAPSHOT, CONTROL_REQUEST, CONTROL_MARKED } what;
    uint64_t client;           /* whose; 0: all that watch */
    struct json *request;      /* an object; NULL: none is needed */
    struct snapshot *snapshot; /* the answer to CONTROL_SNAPSHOT; NULL: no memory */
    struct buf answer;         /* of a request: an object */
    bool done;                 /* what was asked for is done, or may be */
    struct str url;            /* of a mark, as the crawl knows it */
};

enum job_kind { JOB_ROWS, JOB_VISIT, JOB_NAME, JOB_TEXTS, JOB_DUE, JOB_REREAD, JOB_ARRIVED, JOB_CONTROL };

struct job {
    enum job_kind kind;
    uint64_t order; /* 0, 1, …: of dispatch */
    uint64_t number; /* 1, 2, …: of those that went to the writer; 0: of none that is counted */
    struct arena arena;

    /* for the writer */
    struct rows rows;
    const char *event; /* static word; NULL: none */
    struct str event_text;
    struct checkpoint *checkpoint; /* NULL: none */

    union {
        struct visit visit;
        struct job_name name;
        struct job_texts texts;
        struct job_due due;
        struct job_reread reread;
        struct job_arrived arrived;
        struct job_control control;
    };
};

struct job *job_new(enum job_kind kind); /* never NULL */
void job_free(struct job *job);
/* What the WARC records of a visit say, but for the body. The strings are the job's. */
struct warc_exchange job_warc_exchange(const struct job *job);

/* ---- checkpoints ---- */

/* What a crawl has learned up to a page: the state of its strategy and the statistics of its query.
 *
 * One is made every ten seconds and at the end, carried to the writer by a job, and committed with its rows; after a
 * restart the pages behind it are learned again (resume.c). */

struct checkpoint {
    const char *strategy; /* its name */
    struct buf blob;   /* its state; empty: it keeps none */
    struct buf scores; /* of candidates, as they drifted; empty: they do not */
    struct buf term_counts, live_counts, judged_counts; /* the statistics of the query; empty: the topic has none */
    struct buf repeats;     /* blocks that repeat on hosts; empty: the topic reads whole pages */
    uint64_t row, pages;
};
/* *out is for the job that carries it, which frees it. */
SCENT_NODISCARD scent_status checkpoint_new(struct steer *steer, const struct judging *judging, uint64_t row,
                                            uint64_t pages, struct checkpoint **out, struct errmsg *err);
/* In the writer's thread, inside a transaction. */
SCENT_NODISCARD scent_status checkpoint_write(const struct checkpoint *checkpoint, struct store *store,
                                              struct errmsg *err);

/* The last one; *row is the last page row that it has seen. SCENT_E_NOTFOUND: there is none. SCENT_E_VERSION: it is of
 * another strategy, or of another version of it; the state of this one may be anything then. */
SCENT_NODISCARD scent_status checkpoint_load_strategy(struct store *store, const struct strategy *strategy,
                                                      uint64_t *row, uint64_t *pages, struct errmsg *err);
/* SCENT_E_VERSION: of another version; nothing is known then. */
SCENT_NODISCARD scent_status checkpoint_load_repeats(struct store *store, struct repeats *repeats, uint64_t *row,
                                                     struct errmsg *err);
/* SCENT_E_INVALID, SCENT_E_VERSION: of another query, or of another version. */
SCENT_NODISCARD scent_status checkpoint_load_counts(struct store *store, struct judging *judging, uint64_t *row,
                                                    struct errmsg *err);
/* Candidates have the scores that they had, where it was made behind this row, the last of the crawl. */
SCENT_NODISCARD scent_status checkpoint_load_scores(struct store *store, struct steer *steer, uint64_t row,
                                                    bool *restored, struct errmsg *err);

#endif
