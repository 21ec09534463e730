/* held - texts that are needed singly: asked for, loaded from disk, or in flight.
 *
 * A text stays at its address from supply to finish. Of a URL in flight also what the beginning of its visit changed.
 * Memory: about 110 bytes and the text; at most SUPPLY_HELD of them and those in flight. Cost: one probe.
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

enum held_state { HELD_ASKED, HELD_LOADED, HELD_LENT }; /* asked: there is no text yet; lent: the URL is in flight */

struct held_url {
    struct held_begin begin; /* while lent */
    uint32_t id;
    uint16_t len;
    uint8_t state; /* enum held_state */
    char text[]; /* with a terminator */
};

struct held {
    struct held_url **slots;
    uint32_t count, nslots; /* nslots: a power of two, or 0 */
    uint32_t hand;          /* of held_next */
    size_t bytes;
};

void held_init(struct held *held);
void held_release(struct held *held);
/* NULL when it is not there. */
struct held_url *held_find(const struct held *held, uint32_t id);
/* The id must not be there yet. NULL: no memory. */
struct held_url *held_add(struct held *held, uint32_t id, enum held_state state, struct str text) SCENT_NODISCARD;
/* Gives an asked one its text: it is loaded. False: no memory. */
bool held_load(struct held *held, uint32_t id, struct str text) SCENT_NODISCARD;
/* Goes round all of them, a slot at a time; NULL: the slot is empty. */
struct held_url *held_next(struct held *held);
void held_remove(struct held *held, uint32_t id);

#endif
