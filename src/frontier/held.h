/* held - the URLs in flight: their text, at an address that stays, and what the beginning of the visit changed.
 *
 * Memory: about 100 bytes and the text, for each URL in flight. Cost: one probe.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_HELD_H
#define SCENT_FRONTIER_HELD_H

#include "base/status.h"
#include "base/str.h"

/* Who may be visited again when: before this visit began, and because it did. */
enum held_party { HELD_HOST, HELD_DOMAIN, HELD_IP, HELD_PARTIES };
struct held_begin {
    int64_t before[HELD_PARTIES], after[HELD_PARTIES];
    uint32_t gates[2]; /* enum hosttable_gate, as they were then */
};

struct held_url {
    struct held_begin begin;
    uint32_t id;
    uint16_t len;
    char text[]; /* with a terminator */
};

struct held {
    struct held_url **slots;
    uint32_t count, nslots; /* nslots: a power of two, or 0 */
};

void held_init(struct held *held);
void held_release(struct held *held);
/* NULL when it is not there. */
struct held_url *held_find(const struct held *held, uint32_t id);
/* The id must not be there yet. NULL: no memory. */
struct held_url *held_add(struct held *held, uint32_t id, struct str text) SCENT_NODISCARD;
void held_remove(struct held *held, uint32_t id);

#endif
