/* gates - politeness towards what several hosts share: a registered domain, or an IP address.
 *
 * A gate is open when fewer than `limit` visits are behind it and `gap_us` has passed since the last one began. The
 * hosts that wait for it are parked in its pile, and one, its best, stands for it among the ready hosts (or, while
 * the gate waits for its time, among the waiting ones): so a gate that opens wakes one host, not all.
 * Memory: 24 bytes a gate. Nothing is ever moved or removed.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_GATES_H
#define SCENT_FRONTIER_GATES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct gates_gate {
    int64_t next_us; /* no visit begins earlier */
    uint32_t pile;   /* see hostpile.h */
    uint32_t first;  /* the host that stands for it; HOSTPILE_NONE */
    uint16_t in_flight;
    uint16_t starved; /* hosts that would be ready if they had their text; at most GATES_STARVED */
    uint16_t sent;    /* of a domain: hosts that were sent on; at most GATES_SENT */
};
/* So many hosts of a gate may wait for texts, others stay parked: no more is loaded than is soon needed. And so many of
 * a domain that was open may have been sent on to their addresses, which were not. */
enum { GATES_STARVED = 16, GATES_SENT = 64 };

struct gates {
    struct gates_gate **blocks; /* 4096 gates each; NULL where nobody was yet */
    uint32_t nblocks;
    uint32_t limit; /* 0: there are no gates */
    int64_t gap_us;
};

void gates_init(struct gates *gates, uint32_t limit, int64_t delay_us);
void gates_release(struct gates *gates);
/* Makes the gate of this number exist. */
SCENT_NODISCARD scent_status gates_reach(struct gates *gates, uint32_t gate);
struct gates_gate *gates_at(const struct gates *gates, uint32_t gate);
/* Takes all hosts off the gates. */
void gates_clear(struct gates *gates);

static inline bool gates_full(const struct gates *gates, const struct gates_gate *gate)
{
    return gate->in_flight >= gates->limit;
}

#endif
