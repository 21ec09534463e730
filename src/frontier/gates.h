/* gates - politeness towards what several hosts share: a registered domain, or an IP address.
 *
 * A gate is open when fewer than `limit` visits are behind it and `gap_us` has passed since the last one began. The
 * hosts that wait for it are parked there, the one with the best candidate on top, and one, its best, stands for it
 * among the ready hosts (or, while the gate waits for its time, among the waiting ones): so a gate that opens wakes one
 * host, not all. Memory: 24 bytes a gate; the parked hosts are linked through their own records. Nothing is ever moved
 * or removed. Cost: to park and unpark O(log n) amortised.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_GATES_H
#define SCENT_FRONTIER_GATES_H

#include "frontier/hosttable.h"

#define GATES_NO_HOST UINT32_MAX

struct gates_gate {
    int64_t next_us; /* no visit begins earlier */
    uint32_t parked; /* the best of its hosts, GATES_NO_HOST: none */
    uint32_t first;  /* the host that stands for it; GATES_NO_HOST */
    uint16_t in_flight;
    uint16_t starved; /* hosts that would be ready if they had their text; at most GATES_STARVED */
    uint16_t sent;    /* of a domain: hosts that were sent on; at most GATES_SENT */
    uint16_t share;   /* of so many crawlers this one is one: each has its part of limit and time; 0: as 1 */
};
/* So many hosts of a gate may wait for texts, others stay parked: no more is loaded than is soon needed. And so many of
 * a domain that was open may have been sent on to their addresses, which were not. */
enum { GATES_STARVED = 16, GATES_SENT = 64 };

struct gates {
    struct gates_gate **blocks; /* 4096 gates each; NULL where nobody was yet */
    size_t nblocks, room;
    uint32_t limit; /* 0: there are no gates */
    int64_t gap_us;
};

void gates_init(struct gates *gates, uint32_t limit, int64_t delay_us);
void gates_set_delay(struct gates *gates, int64_t delay_us); /* from the next visits on */
void gates_release(struct gates *gates);
/* Makes the gate of this number exist. */
SCENT_NODISCARD scent_status gates_reach(struct gates *gates, uint32_t gate);
struct gates_gate *gates_at(const struct gates *gates, uint32_t gate);
/* Takes all hosts off the gates. */
void gates_clear(struct gates *gates);

/* A host is parked at one gate at most. When it is unparked, its queue may have changed in any way. */
void gates_park(struct gates_gate *gate, const struct hosttable *hosts, uint32_t host);
void gates_unpark(struct gates_gate *gate, const struct hosttable *hosts, uint32_t host);

static inline bool gates_full(const struct gates *gates, const struct gates_gate *gate)
{
    uint32_t limit = gate->share > 1 ? gates->limit / gate->share : gates->limit;

    return gate->in_flight >= (limit ? limit : 1);
}

/* Between the beginnings of two visits. */
static inline int64_t gates_gap(const struct gates *gates, const struct gates_gate *gate)
{
    return gate->share > 1 ? gates->gap_us * gate->share : gates->gap_us;
}

#endif
