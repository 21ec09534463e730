/* pairing - the queue of one host: a pairing heap of its QUEUED candidates.
 *
 * The best is the candidate with the largest priority; among equals the smallest id. NaN is below every
 * number. A queue is the id of its root, CANDIDATES_NONE when it is empty; each function returns the new root.
 * Cost: insert and raise O(1), remove O(log n) amortised. Memory: the three links in a candidate's node.
 * Reference: Fredman, Sedgewick, Sleator, Tarjan, The pairing heap, Algorithmica 1 (1986). */
#ifndef SCENT_FRONTIER_PAIRING_H
#define SCENT_FRONTIER_PAIRING_H

#include "frontier/candidates.h"

/* Orders candidates: the better has the smaller key. */
uint64_t pairing_key(float priority, uint32_t id);

SCENT_NODISCARD uint32_t pairing_insert(struct candidates *all, uint32_t root, uint32_t id);
/* After the priority of `id`, which must be in this queue, went up. */
SCENT_NODISCARD uint32_t pairing_raise(struct candidates *all, uint32_t root, uint32_t id);
/* `id` must be in this queue; its priority may have changed in any way. */
SCENT_NODISCARD uint32_t pairing_remove(struct candidates *all, uint32_t root, uint32_t id);

#endif
