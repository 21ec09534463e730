/* seen - fingerprint -> dense id: which URLs (and hosts) does this crawl know?
 *
 * One probe: the segment's head lies in the first-level cache, its slots side by side in memory.
 * 59 bits of a fingerprint are kept; two with the same 59 bits count as one: 0.009 expected losses at
 * 10^8. Memory: 10 bytes a slot, 80 to 90 percent of the slots in use: 11.8 to 12.4 bytes an id beyond 10^7.
 * Owner: whoever initialised it. Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_SEEN_H
#define SCENT_FRONTIER_SEEN_H

#include "base/status.h"
#include "base/str.h"

struct seen_segment;
struct seen {
    struct seen_segment *segments;
    uint32_t count;
};

void seen_init(struct seen *seen);
void seen_release(struct seen *seen);

/* false when unknown */
bool seen_find(const struct seen *seen, uint64_t fingerprint, uint32_t *id);
/* The id of the fingerprint; a new one gets the next, from 0. SCENT_E_LIMIT after SEEN_MAX ids. */
enum { SEEN_MAX = 0x7FFFFFFF };
SCENT_NODISCARD scent_status seen_add(struct seen *seen, uint64_t fingerprint, uint32_t *id, bool *is_new);
/* Begins to load what a find or add of the fingerprint will read. */
void seen_prefetch(const struct seen *seen, uint64_t fingerprint);

#endif
