/* usercounts - what the users of a trace tell about its pages (Aggarwal, 8-14): who looked at relevant pages, what the
 * pages they looked at are like, and what they looked at just before and after. usercounts.c tells how.
 *
 * State, with its bounds: 16 bytes a user and 9 a page of the trace; 44 to 72 bytes (features.h) a user who looked at a
 * crawled page, and a distinct signature; 40 bytes a crawled page of the trace, and 4 for each of its 64 signatures at
 * most (with `all` of all its signatures). To learn from a page reads its accesses and, where it is relevant, those
 * around them, once in a crawl; to judge one reads 1,024 accesses at most, and 1,024 of each of its significant users;
 * with `all` every one. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_USERCOUNTS_H
#define SCENT_STRATEGY_USERCOUNTS_H

#include "base/status.h"
#include "strategy/features.h"
#include "strategy/ratios.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* rounds - which of so many things were met in this round? A new round forgets them all at no cost.
 *
 * State: 4 bytes a thing. Owner: who initialised it. (features.c and linkmap.c number rounds too, but keep them with
 * what they read in the same step.) */
struct rounds {
    uint32_t *met; /* the last round in which it was */
    size_t count;
    uint32_t now;
};

/* No round has begun. */
static inline void rounds_init(struct rounds *rounds, size_t count)
{
    *rounds = (struct rounds){.met = calloc(count + 1, sizeof *rounds->met), .count = count};
    SCENT_BUG_IF(!rounds->met);
}

static inline void rounds_release(struct rounds *rounds)
{
    free(rounds->met);
}

static inline void rounds_begin(struct rounds *rounds)
{
    if (++rounds->now)
        return;
    memset(rounds->met, 0, rounds->count * sizeof *rounds->met);
    rounds->now = 1;
}

/* Meets it. True: for the first time in this round. */
static inline bool rounds_first(struct rounds *rounds, size_t i)
{
    bool first = rounds->met[i] != rounds->now;

    rounds->met[i] = rounds->now;
    return first;
}

enum { USERCOUNTS_SIGNATURES = 64, USERCOUNTS_LOOKS = 1024, USERCOUNTS_USERS_MAX = 1024 };
#define USERCOUNTS_NONE UINT32_MAX /* no page of the trace */

struct usercounts_options {
    double t;          /* significance from which a user or a signature counts */
    bool printed_n;    /* T divides by N as in (Aggarwal, 10), not by the crawled pages of the user */
    uint32_t users;    /* of a page so many count, the most significant ones, USERCOUNTS_USERS_MAX at most; 0: all */
    double smoothing, clip, support; /* as in struct ratios */
    bool all;          /* all signatures of a page and all accesses count, not some of many */
    uint32_t locality; /* accesses before and after one that lie near it */
    bool exact;        /* false: what signatures tell of a user may be as old as a sixteenth of the crawl */
};

struct usercounts {
    const struct trace *trace;
    struct usercounts_options options;
    struct ratios known;               /* N, n(U) and t */
    struct features users, signatures; /* users by hash of their names */
    struct usercounts_user {
        double signature_log; /* log I_i, the mean of what the signatures of their crawled pages tell */
        uint32_t computed;    /* when: pages observed; 0: never */
        uint32_t feature;     /* among `users`, + 1; 0: looked at no crawled page */
    } *by_user;               /* by number of the user */
    uint32_t *crawled;   /* by number of the page in the trace: its number among `pages`, + 1; 0: not crawled */
    bool *is_inside;     /* by number of the page in the trace: it lies in TL(U) */
    struct rounds met;   /* pages of the trace */
    struct usercounts_page {
        uint64_t key;         /* of its URL in the trace, for a trace that changes */
        uint64_t end;         /* its signatures end there; they begin where those of the page before end */
        double signature_log; /* the sum of what its signatures tell */
        uint32_t computed;    /* as above */
        uint32_t relevant;
    } *pages;
    uint32_t *lists; /* signatures of pages: features among `signatures` */
    size_t npages, pages_room, nlists, lists_room;
    uint32_t observed; /* pages of this crawl, in the trace or not */
    double inside[2], outside[2]; /* crawled pages of the trace in TL(U) and outside, relevant ones among them */
    double recalled[4];           /* what other crawls taught of these, which is in them */
};

void usercounts_init(struct usercounts *counts, const struct trace *trace, const struct usercounts_options *options);
void usercounts_release(struct usercounts *counts);
uint64_t usercounts_key(struct str url);

/* A crawled page; `place` is its number in the trace, USERCOUNTS_NONE: it is not there. Of its signatures
 * USERCOUNTS_SIGNATURES count, unless all do. */
void usercounts_learn(struct usercounts *counts, uint32_t place, bool relevant, const uint64_t *signatures,
                      size_t nsignatures);

/* What is known of a page of the trace that was not crawled. */
struct usercounts_view {
    double users, signatures, locality; /* log I^B, log I^SF, log I^TL */
    uint32_t significant, visitors;     /* users that count, of those that were looked at */
    uint32_t informative;               /* significant users whose signatures tell something */
    bool inside;                        /* TL(U) */
    uint32_t neighbours, relevant;      /* crawled pages inside (outside) TL(U), relevant ones among them */
};
void usercounts_view(struct usercounts *counts, uint32_t place, struct usercounts_view *out);

/* What was learned, for other crawls: users and signatures by their names, so that another trace will do. What users
 * are like is not among it: it is made from the signatures of the pages that they looked at in a crawl. As
 * features_learned and recall. */
void usercounts_learned(const struct usercounts *counts, struct buf *out);
void usercounts_recall(struct usercounts *counts, struct bytes *in, double weight);

void usercounts_save(const struct usercounts *counts, struct buf *out);
/* Into a fresh one; what is wrong is noted in `in`. `find` tells where the trace has a page now; users and TL(U) are
 * counted again, so that the trace may have changed. */
void usercounts_load(struct usercounts *counts, struct bytes *in, uint32_t (*find)(const void *ctx, uint64_t key),
                     const void *ctx);

#endif
