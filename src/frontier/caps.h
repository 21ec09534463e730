/* caps - how many URLs of a pattern have been queued? Endless patterns are cut off at a limit.
 *
 * Fixed memory: 8 MiB for 2^20 patterns, touched as they come (a line of 64 bytes holds 8 patterns). When a line is
 * full the pattern with the smallest count in it makes room, so that counts are only ever too small: nothing is refused
 * wrongly (but for two patterns that agree in 49 bits: 1 in 5 * 10^8 look-ups), and an endless pattern loses its count
 * only while it is rarer than the other seven of its line.
 * Cost: one cache line. Owner: whoever initialised it. Thread: one. */
#ifndef SCENT_FRONTIER_CAPS_H
#define SCENT_FRONTIER_CAPS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { CAPS_DEFAULT_LIMIT = 2000 }; /* URLs of a pattern */

struct caps_line;
struct caps {
    struct caps_line *lines;
    void *room; /* the allocation in which they lie */
};

void caps_init(struct caps *caps);
void caps_release(struct caps *caps);

/* Counts one more URL of the pattern, unless there are `limit` already: then false. The limit 0 is none. */
bool caps_take(struct caps *caps, uint64_t pattern, uint32_t limit);
/* Begins to load what a take of this pattern will read. Optional. */
void caps_expect(const struct caps *caps, uint64_t pattern);
uint32_t caps_count(const struct caps *caps, uint64_t pattern);

#endif
