/* proposals - which pages of a trace are candidates, which are to be proposed next, and under which ids they are known.
 *
 * Candidates are the pages of the users who looked at an examined page, in the order of users and accesses; all pages
 * of the trace once proposals_open_all() was called. State: 12 to 24 bytes a page of the trace for finding it, 9 for
 * the page itself, 1 to 5 a user. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_PROPOSALS_H
#define SCENT_STRATEGY_PROPOSALS_H

#include "base/map.h"
#include "strategy/usercounts.h"
#include "trace/trace.h"

#define PROPOSALS_NONE UINT32_MAX

struct proposals {
    const struct trace *trace;
    uint32_t npages;
    struct map by_url;
    uint32_t *ids;   /* of the pages' URLs in the crawl; PROPOSALS_NONE: not known */
    struct proposals_page {
        uint8_t proposed : 1, examined : 1;
    } *pages;
    struct rounds met; /* pages */
    bool again;        /* a page is proposed anew whenever another user's page leads to it (Aggarwal, Figure 1) */
    bool *requested;   /* users whose pages were or will be proposed */
    uint32_t *waiting; /* users, of which `done` are done with */
    size_t nwaiting, waiting_room, done;
    uint32_t at;       /* accesses of the first waiting user that were looked at */
    bool opened;
    uint32_t next;     /* page, once opened */
    uint32_t cursor;   /* page, for proposals_in_turn() */
};

void proposals_init(struct proposals *proposals, const struct trace *trace, bool again);
void proposals_release(struct proposals *proposals);

/* The page with this key (usercounts_key()); PROPOSALS_NONE. */
uint32_t proposals_with_key(const struct proposals *proposals, uint64_t key);
uint32_t proposals_find(const struct proposals *proposals, struct str url);

/* The page is the URL `id`; queued: it needs no proposal. */
void proposals_know(struct proposals *proposals, uint32_t page, uint32_t id, bool queued);
/* It was examined: the pages of its users become candidates. */
void proposals_examined(struct proposals *proposals, uint32_t page);
void proposals_open_all(struct proposals *proposals);
/* Nothing waits any more. */
void proposals_forget_waiting(struct proposals *proposals);

/* The next page to propose; false: there is none. */
bool proposals_next(struct proposals *proposals, uint32_t *page);

/* Ids of unexamined candidates: those of the users of `page`, looking at `looks` accesses at most, and the next ones in
 * turn, looking at as many pages. Each returns how many it wrote, at most `room`; after proposals_begin() no id
 * twice. */
void proposals_begin(struct proposals *proposals);
size_t proposals_of_users(struct proposals *proposals, uint32_t page, size_t looks, uint32_t *ids, size_t room);
size_t proposals_in_turn(struct proposals *proposals, size_t looks, uint32_t *ids, size_t room);

#endif
