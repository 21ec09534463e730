/* schedule - when may each host be visited?
 *
 * A host with candidates, a free visit and no delay to wait for is in the heap `ready`, under the key of its best
 * candidate, when its gates are open and no better host stands before it at one of them; at a closed gate, and
 * behind a better one, it is parked. One that has to wait for a time is in `waiting`; one that only wants the text of
 * its best candidate (supply.h) is in `starved`, until that is asked for; others are nowhere.
 * So the best of the ready hosts is the best of all that may be visited: whoever is parked at an open gate is behind
 * a better one.
 *
 * When a host leaves the place where it stood for a gate, the best that is parked there follows. It may find its other
 * gate closed and is then parked at that one, and the next follows. Where thousands of hosts share a domain and an
 * address all of them would go to and fro, so only GATES_SENT hosts of a domain are sent on to their addresses; the
 * next best must wait until one of those comes off, even if its own address is free. And after SCHEDULE_MOVES moves the
 * rest is left to the next call, unless nothing is ready. In these two cases, and only then, a host may be overtaken by
 * a worse one. */
#ifndef SCENT_FRONTIER_SCHEDULE_H
#define SCENT_FRONTIER_SCHEDULE_H

#include "frontier/frontier_parts.h"

enum { SCHEDULE_MOVES = 32, SCHEDULE_WAKES = 1024 };

bool schedule_has_floor(const struct frontier *f);
/* Room for every host, so that no other call fails. */
SCENT_NODISCARD scent_status schedule_reserve(struct frontier *f);
/* Puts the host where it belongs, after anything about it has changed. */
void schedule_place(struct frontier *f, uint32_t host);
/* All hosts, after their queues have changed, in linear time (but for the gates). */
void schedule_place_all(struct frontier *f);
/* To another gate, or none. */
void schedule_set_gate(struct frontier *f, uint32_t host, enum hosttable_gate kind, uint32_t gate);
/* The time has come to `now`. */
void schedule_advance(struct frontier *f, int64_t now);
/* The host to be visited next; false when there is none now: *wait_us says for how long. */
bool schedule_first(struct frontier *f, uint32_t *host, int64_t *wait_us);

/* A visit to the host begins, and ends. Whoever calls must place the host after it. */
void schedule_begin(struct frontier *f, uint32_t host, struct held_begin *begin);
void schedule_end(struct frontier *f, uint32_t host, const struct held_begin *begin);
/* As if the visit had not begun, where no other has begun since. After schedule_end. */
void schedule_undo(struct frontier *f, uint32_t host, const struct held_begin *begin);

/* time + more, where more is not negative */
int64_t schedule_add_time(int64_t time, int64_t more);

#endif
