/* numbering - dense numbers for things that are known by a 64-bit hash: registered domains, IP addresses.
 * 20 to 36 bytes a thing. Thread: one. */
#ifndef SCENT_ENGINE_NUMBERING_H
#define SCENT_ENGINE_NUMBERING_H

#include "base/map.h"

struct numbering {
    uint64_t *keys; /* by number */
    size_t room;
    struct map map;
};

void numbering_init(struct numbering *numbering);
void numbering_release(struct numbering *numbering);
/* The number of `key`: 0, 1, … in the order in which they were first asked for. On error nothing changes. */
SCENT_NODISCARD scent_status numbering_find(struct numbering *numbering, uint64_t key, uint32_t *number);

#endif
