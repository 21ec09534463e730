/* rejudge - all pages of a crawl by one judge.
 *
 * A judge learns while a crawl runs. At its end, or on demand, the last judge is made from all pages: which blocks
 * repeat on a host, how often the words of the query stand in pages, what the seeds are like. These are sums over the
 * pages, so they do not depend on the order of the crawl. Then every page that another judge has judged, or whose
 * content is seen differently now, is read back from the WARC files and judged again; the others are only stamped.
 *
 * A page that asked not to be archived keeps the verdict that it has. Verdicts are written in batches, each a
 * transaction; what was interrupted goes on where it stood. Unless the topic is another one the strategy is not taught
 * anew: it learned from the first verdicts, which stay in the page rows (docs/decisions/0031-one-judge.md).
 * Thread: that of the store; pages are analysed by `threads` more. */
#ifndef SCENT_CRAWLDIR_REJUDGE_H
#define SCENT_CRAWLDIR_REJUDGE_H

#include "base/clock.h"
#include "base/log.h"
#include "crawldir/judged.h"
#include "crawldir/reread.h"
#include "topic/judge.h"

#include <stdatomic.h>

struct rejudge_progress {
    const char *what; /* it does now: static */
    uint64_t done, of;
};

struct rejudge_verdict {
    uint64_t number; /* of the page row */
    struct str url;
    bool relevant;
    double score;
};

struct rejudge_options {
    const char *dir;
    struct store *store; /* for writing, outside of a transaction */
    const struct topic *topic;
    const struct knowledge *knowledge;
    struct page_reader pdf;
    const struct clock *clock;
    const struct log *log;
    bool anew;              /* the topic is another one: the strategy will learn from the pages by these verdicts */
    const atomic_int *stop; /* not 0: break off; NULL: never */
    uint32_t threads;       /* 0: one a core */
    /* Where several workers crawl together: told what this one has counted by itself (each may be NULL: the judge does
     * not need it), it sets the values JUDGED_OTHERS and JUDGED_OTHER_SEEDS. NULL: they are as they are. */
    judged_share_fn *share;
    /* A verdict or score has changed; in the transaction. NULL: nobody asks. */
    scent_status (*on_verdict)(void *ctx, const struct rejudge_verdict *verdict, struct errmsg *err);
    void (*on_progress)(void *ctx, const struct rejudge_progress *progress); /* after each batch; may be NULL */
    void *ctx;
};

struct rejudge_report {
    uint32_t judge;    /* id of the judge */
    uint64_t digest;   /* of it: the same wherever it gives the same verdicts */
    uint64_t pages;    /* that could be judged */
    uint64_t read;     /* from the WARC files, to be judged again */
    uint64_t gained, lost; /* pages of the collection: relevant now, and relevant before */
    uint64_t damaged;  /* could not be read: they keep their verdict */
    uint64_t unanswered; /* the user's program had no answer: the same */
    uint64_t unkept;   /* asked not to be archived */
    bool stopped;      /* before the end */
};
SCENT_NODISCARD scent_status rejudge_crawl(const struct rejudge_options *options, struct rejudge_report *out,
                                           struct errmsg *err);

#endif
