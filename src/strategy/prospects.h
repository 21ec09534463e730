/* prospects - which pages of a trace are candidates, which are to be proposed next, and under which ids they are known.
 *
 * Candidates are the pages of the users who looked at an examined page, in the order of users and accesses; all pages of
 * the trace once prospects_open() was called. State: 8 to 16 bytes a page of the trace for finding it, 9 for the page itself,
 * 1 to 5 a user. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_PROSPECTS_H
#define SCENT_STRATEGY_PROSPECTS_H

#include "base/buf.h"
#include "strategy/rounds.h"
#include "trace/trace.h"

#define PROSPECTS_NONE UINT32_MAX

struct prospects {
    const struct trace *trace;
    uint32_t npages;
    uint32_t *slots; /* page + 1, by hash of its URL; 0: free */
    size_t nslots;   /* a power of two */
    uint32_t *ids;   /* of the pages' URLs in the crawl; PROSPECTS_NONE: not known */
    struct prospect {
        uint8_t proposed : 1, examined : 1;
    } *pages;
    struct rounds met; /* pages */
    bool again;        /* a page is proposed anew whenever another user's page leads to it (Aggarwal, Figure 1) */
    bool *asked;       /* users whose pages were or will be proposed */
    uint32_t *waiting; /* users, of which `done` are done with */
    size_t nwaiting, waiting_room, done;
    uint32_t at;       /* accesses of the first waiting user that were looked at */
    bool opened;
    uint32_t next;     /* page, once opened */
    uint32_t cursor;   /* page, for prospects_turn() */
};

void prospects_init(struct prospects *prospects, const struct trace *trace, bool again);
void prospects_release(struct prospects *prospects);

/* The page with this key (crowd_key()); PROSPECTS_NONE. */
uint32_t prospects_with_key(const struct prospects *prospects, uint64_t key);
uint32_t prospects_find(const struct prospects *prospects, struct str url);

/* The page is the URL `id`; queued: it needs no proposal. */
void prospects_know(struct prospects *prospects, uint32_t page, uint32_t id, bool queued);
/* It was examined: the pages of its users become candidates. */
void prospects_examined(struct prospects *prospects, uint32_t page);
void prospects_open(struct prospects *prospects);
/* Nothing waits any more. */
void prospects_forget_waiting(struct prospects *prospects);

/* The next page to propose; false: there is none. */
bool prospects_next(struct prospects *prospects, uint32_t *page);

/* Ids of unexamined candidates: those of the users of `page`, looking at `looks` accesses at most, and the next ones in
 * turn, looking at as many pages. Each returns how many it wrote, at most `room`; after prospects_begin() no id twice. */
void prospects_begin(struct prospects *prospects);
size_t prospects_beside(struct prospects *prospects, uint32_t page, size_t looks, uint32_t *ids, size_t room);
size_t prospects_turn(struct prospects *prospects, size_t looks, uint32_t *ids, size_t room);

#endif
