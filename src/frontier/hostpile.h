/* hostpile - the hosts that are parked at a gate: a pairing heap, the one with the best candidate on top.
 *
 * A pile is its top host, HOSTPILE_NONE when it is empty; each function returns the new top. A host is in one pile at
 * most; its record holds the links.
 * Cost: O(log n) amortised. A plain pairing heap would leave the work of n inserts to the next removal; here equal
 * ranks are melded as they come, so that a removal finds about log n children.
 * Reference: Fredman, Sedgewick, Sleator, Tarjan, The pairing heap, Algorithmica 1 (1986). */
#ifndef SCENT_FRONTIER_HOSTPILE_H
#define SCENT_FRONTIER_HOSTPILE_H

#include "frontier/hosttable.h"

#define HOSTPILE_NONE UINT32_MAX

SCENT_NODISCARD uint32_t hostpile_insert(const struct hosttable *hosts, uint32_t top, uint32_t host);
/* The host must be in this pile; its queue may have changed in any way. */
SCENT_NODISCARD uint32_t hostpile_remove(const struct hosttable *hosts, uint32_t top, uint32_t host);

#endif
