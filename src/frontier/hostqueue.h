/* hostqueue - the queue of one host: a heap, four children to a node, in an array.
 *
 * The best is the candidate with the largest priority; among equals the smallest id. NaN is below every number.
 * Cost: O(log n) in the worst case, whatever came before: no call leaves work for a later one.
 * Memory: 8 bytes a candidate, 4 in its record for its place, and slack: up to 16 bytes a host, beyond 32 candidates an
 * eighth at most. There is always room for what is in flight to come back. */
#ifndef SCENT_FRONTIER_HOSTQUEUE_H
#define SCENT_FRONTIER_HOSTQUEUE_H

#include "frontier/candidates.h"
#include "frontier/hosttable.h"

struct hostqueue_entry {
    float priority;
    uint32_t id;
};

/* Orders candidates: the better has the smaller key. */
uint64_t hostqueue_key(float priority, uint32_t id);
/* Of the best; the queue must not be empty. */
uint64_t hostqueue_best(const struct hosttable_host *host);

/* Room for one more, to be called before an id comes to the host; the host is unchanged when it fails. */
SCENT_NODISCARD scent_status hostqueue_reserve(struct hosttable_host *host);
/* Gives memory back after an id has left the queue and is not in flight. */
void hostqueue_trim(struct hosttable_host *host);

void hostqueue_insert(struct hosttable_host *host, struct candidates *all, uint32_t id, float priority);
void hostqueue_remove(struct hosttable_host *host, struct candidates *all, uint32_t position);
void hostqueue_change(struct hosttable_host *host, struct candidates *all, uint32_t position, float priority);
/* After priorities were written into the entries: puts all in order, in linear time. */
void hostqueue_order(struct hosttable_host *host, struct candidates *all);

/* The ids of the best `room`, best first; returns how many. At most HOSTQUEUE_LIST. */
enum { HOSTQUEUE_LIST = 64 };
size_t hostqueue_list(const struct hosttable_host *host, uint32_t *ids, size_t room);

#endif
