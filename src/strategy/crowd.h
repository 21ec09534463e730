/* crowd - what the people of a trace tell about its pages (Aggarwal, 8-14): who looked at relevant pages, what the pages
 * they looked at are like, and what they looked at just before and after.
 *
 * Everything is counted over crawled pages. Ratios are natural logarithms, as in interest.h: 0 says nothing.
 * State, with its bounds: 16 bytes a user and 9 a page of the trace; 44 to 72 bytes (evidence.h) a user who looked at a crawled
 * page, and a distinct sign; 40 bytes a crawled page of the trace, and 4 for each of its 64 signs at most. To learn from a
 * page reads its accesses and, where it is relevant, those around them, once in a crawl; to judge one reads 1,024 accesses
 * at most, and 1,024 of each of its telling users. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_CROWD_H
#define SCENT_STRATEGY_CROWD_H

#include "strategy/evidence.h"
#include "strategy/interest.h"
#include "strategy/rounds.h"
#include "trace/trace.h"

enum { CROWD_SIGNS = 64, CROWD_LOOKS = 1024, CROWD_USERS_MAX = 1024 };
#define CROWD_NOWHERE UINT32_MAX /* no page of the trace */

struct crowd_options {
    bool printed_n;    /* T divides by N as in (Aggarwal, 10), not by the crawled pages of the user */
    uint32_t users;    /* of a page at most so many count, the most significant ones; 1 to CROWD_USERS_MAX */
    uint32_t reach;    /* accesses before and after one that lie near it */
    bool exact;        /* false: what signs tell of a user may be as old as a sixteenth of the crawl */
};

struct crowd {
    const struct trace *trace;
    struct crowd_options options;
    struct interest known;        /* N, n(U) and t */
    struct evidence users, signs; /* users by hash of their names */
    struct crowd_person {
        double taste;    /* log I_i, the mean of what the signs of their crawled pages tell */
        uint32_t taken;  /* when it was computed: pages observed; 0: never */
        uint32_t fact;   /* among `users`, + 1; 0: looked at no crawled page */
    } *people;           /* by number of the user */
    uint32_t *crawled;   /* by number of the page in the trace: its number among `pages`, + 1; 0: not crawled */
    bool *close;         /* by number of the page in the trace: it lies in TL(U) */
    struct rounds met;   /* pages of the trace */
    struct crowd_page {
        uint64_t key;      /* of its URL in the trace, for a trace that changes */
        uint64_t end;      /* its signs end there; they begin where those of the page before end */
        double taste;      /* the sum of what its signs tell */
        uint32_t taken;    /* as above */
        uint32_t relevant;
    } *pages;
    uint32_t *marks; /* signs of pages: facts among `signs` */
    size_t npages, pages_room, nmarks, marks_room;
    uint32_t observed; /* pages of this crawl, in the trace or not */
    double near[2], far[2]; /* crawled pages of the trace inside and outside TL(U), relevant ones among them */
    double recalled[4];     /* what other crawls taught of these, which is in them */
};

void crowd_init(struct crowd *crowd, const struct trace *trace, const struct crowd_options *options, double t);
void crowd_release(struct crowd *crowd);
uint64_t crowd_key(struct str url);

/* A crawled page; `place` is its number in the trace, CROWD_NOWHERE: it is not there. At most CROWD_SIGNS signs count. */
void crowd_learn(struct crowd *crowd, uint32_t place, bool relevant, const uint64_t *signs, size_t nsigns);

/* What is known of a page of the trace that was not crawled. */
struct crowd_view {
    double users, taste, moment;     /* log I^B, log I^SF, log I^TL */
    uint32_t telling, visitors;      /* users that count, of those that were looked at */
    uint32_t tasting;                /* telling users whose signs tell something */
    bool near;
    uint32_t neighbours, relevant;   /* crawled pages inside (outside) TL(U), relevant ones among them */
};
void crowd_view(struct crowd *crowd, uint32_t place, struct crowd_view *out);

/* T(U, R) (Aggarwal, 10) of users and signs that hold for `pages` crawled pages, `relevant` of them relevant. */
double crowd_significance(const struct crowd *crowd, double pages, double relevant);

/* What was learned, for other crawls: users and signs by their names, so that another trace will do. What users are like is
 * not among it: it is made from the signs of the pages that they looked at in a crawl. As evidence_learned and recall. */
void crowd_learned(const struct crowd *crowd, struct buf *out);
void crowd_recall(struct crowd *crowd, struct bytes *in, double weight);

void crowd_save(const struct crowd *crowd, struct buf *out);
/* Takes it off the front of *rest, into a fresh one; false: damaged. `find` tells where the trace has a page now; users and
 * TL(U) are counted again, so that the trace may have changed. */
SCENT_NODISCARD bool crowd_load(struct crowd *crowd, struct str *rest, uint32_t (*find)(void *ctx, uint64_t key),
                                void *ctx);

#endif
