/* schedule - how the next URL is chosen, or: when may each host be visited?
 *
 * WHAT IS PROMISED. frontier_take() gives the best candidate among the hosts that may be visited now: the largest
 * priority, among equals the smallest id (first found first), NaN below every number. There are up to millions of
 * hosts, and a take, a new link or a changed priority may cost O(log hosts), not a look at all of them.
 *
 * THE HEAPS. Every host has a queue of its own candidates (hostqueue.h), and counts by its best one. A host is in one
 * place, which find_spot() computes from what is true now, in this order:
 *   nowhere   nothing is queued, its best lies below the floor, it is held (its robots.txt is being read), or as many
 *             visits as it allows are in flight: the event that changes this places it again
 *   waiting   its delay has not passed; a heap by time, from which schedule_advance() wakes those that are due
 *   parked    a gate is closed, or a better host stands before it at one
 *   starved   it may be visited, but the text of its best candidate is on disk (supply.c); a heap by key, from which
 *             texts are asked for; `asked` once that was done
 *   ready     a heap by key: its first is what frontier_take() takes
 * Whatever changes about a host, its caller calls schedule_place(), which takes the host from where it is and puts it
 * where it belongs. Nothing is moved at the time when it could have been: only when somebody asks.
 *
 * THE GATES (gates.h) are what several hosts share, their registered domain and their IP address. A gate that limits
 * visits would make a thousand hosts ready or not ready with each visit. So only one host, the best, stands for a gate
 * among the ready or waiting ones, and all others are parked at it; when that one leaves, the best that is parked
 * follows (settle()). Therefore the first of `ready` is the best of all that may be visited: whoever is parked at an
 * open gate is behind a better one. A ready host may find that another has closed its gate since; schedule_first()
 * looks, and places it again.
 *
 * TWO EXCEPTIONS, in which a host may be overtaken by a worse one, keep the work of a call bounded. A host that follows
 * at its domain may find its address closed and is then parked there, and the next follows: where thousands of hosts
 * share both, all would go to and fro. So at most GATES_SENT hosts of a domain are sent on to their addresses at a
 * time; the next best waits until one of them comes off, even if its own address is free. And after MOVES moves the
 * rest is left to the next call, unless nothing is ready. For texts there is a third limit of the kind: GATES_STARVED
 * hosts of a gate may wait for texts, the others stay parked, so that no more is loaded than is soon needed.
 *
 * FAIRNESS follows from politeness: a host has one visit a delay, so a host with a million good candidates cannot keep
 * others waiting, and a gate as many as its limit. There is no other fairness: of hosts that may be visited the best
 * goes first, and one whose candidates are worse than what is found all the time is never visited. Which host of a gate
 * goes first is decided by candidates alone, never by its turn.
 *
 * THE FLOOR (frontier_set_floor(), the option `threshold` of strategies) is kept a host: weigh() notes whether its best
 * candidate reaches it whenever that is another one, so that a host below is nowhere and costs nothing, and
 * frontier_has_more() is one comparison. Without a floor nothing is weighed.
 *
 * A VISIT moves the times of its host, domain and address when it begins (schedule_begin()) and keeps what they were
 * before, so that schedule_undo() can put them back where the visit did not take place. */
#include "frontier/frontier_parts.h"

#include <math.h>

#define NONE GATES_NO_HOST

enum { MOVES = 32, WAKES = 1024 }; /* of settle() and schedule_advance(): the most that one call does */

bool schedule_has_floor(const struct frontier *f)
{
    return f->floor > -INFINITY;
}

int64_t schedule_add_time(int64_t time, int64_t more)
{
    int64_t sum;

    if (more < 0)
        more = 0;
    return __builtin_add_overflow(time, more, &sum) ? INT64_MAX : sum;
}

scent_status schedule_reserve(struct frontier *f)
{
    SCENT_TRY(hostheap_reserve(&f->ready));
    SCENT_TRY(hostheap_reserve(&f->waiting));
    return hostheap_reserve(&f->starved);
}

/* Times may be negative: the middle moves to the middle of the unsigned numbers. */
static uint64_t key_of_time(int64_t time)
{
    return (uint64_t)time ^ (uint64_t)1 << 63;
}

static int64_t time_of_key(uint64_t key)
{
    return (int64_t)(key ^ (uint64_t)1 << 63);
}

/* NULL: the host has none of this kind. */
static struct gates_gate *gate_of(const struct frontier *f, const struct hosttable_host *host, int kind)
{
    return host->gates[kind] == HOSTTABLE_NO_GATE ? NULL : gates_at(&f->gates[kind], host->gates[kind]);
}

/* Does a better host stand for the gate? */
static bool is_behind(const struct frontier *f, const struct gates_gate *gate, const struct hosttable_host *host)
{
    return gate->first != NONE && hostqueue_best(hosttable_at(&f->hosts, gate->first)) < hostqueue_best(host);
}

struct spot {
    enum hosttable_place place;
    int64_t time; /* WAITING until */
    int gate;     /* PARKED at this kind, or WAITING for it; HOSTTABLE_GATES: for itself */
};

static bool is_starved(const struct hosttable_host *host)
{
    return host->place == HOSTTABLE_STARVED || host->place == HOSTTABLE_ASKED;
}

/* Of a host that may be visited. */
static struct spot find_spot_by_text(const struct frontier *f, const struct hosttable_host *host,
                                     struct gates_gate *const gates[HOSTTABLE_GATES])
{
    uint32_t id = host->queue[0].id;

    if (supply_has_text(f, id))
        return (struct spot){HOSTTABLE_READY, 0, HOSTTABLE_GATES};
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (gates[kind] && gates[kind]->starved >= GATES_STARVED + is_starved(host))
            return (struct spot){HOSTTABLE_PARKED, 0, kind};
    return (struct spot){supply_was_asked(f, id) ? HOSTTABLE_ASKED : HOSTTABLE_STARVED, 0, HOSTTABLE_GATES};
}

/* Where a host belongs. */
static struct spot find_spot(const struct frontier *f, const struct hosttable_host *host)
{
    struct gates_gate *gates[HOSTTABLE_GATES];

    if (host->queued == 0 || host->holds || host->in_flight >= f->per_host || (schedule_has_floor(f) && !host->worthy))
        return (struct spot){HOSTTABLE_NOWHERE, 0, HOSTTABLE_GATES};
    if (host->next_us > f->now)
        return (struct spot){HOSTTABLE_WAITING, host->next_us, HOSTTABLE_GATES};
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++) {
        gates[kind] = gate_of(f, host, kind);
        if (gates[kind] && gates_full(&f->gates[kind], gates[kind]))
            return (struct spot){HOSTTABLE_PARKED, 0, kind};
    }
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (gates[kind] && gates[kind]->next_us > f->now)
            return (struct spot){is_behind(f, gates[kind], host) ? HOSTTABLE_PARKED : HOSTTABLE_WAITING,
                                 gates[kind]->next_us, kind};
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (gates[kind] && is_behind(f, gates[kind], host))
            return (struct spot){HOSTTABLE_PARKED, 0, kind};
    return find_spot_by_text(f, host, gates);
}

/* May its best candidate be taken at all? To be asked whenever it is another one, or has another priority. */
static void weigh(struct frontier *f, struct hosttable_host *host)
{
    bool worthy;

    if (!schedule_has_floor(f))
        return;
    worthy = host->queued && host->queue[0].priority >= f->floor; /* NaN is below */
    f->worthy += (uint32_t)worthy - host->worthy;
    host->worthy = worthy;
}

static void unplace(struct frontier *f, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(&f->hosts, id);

    if (host->place == HOSTTABLE_PARKED) {
        struct gates_gate *gate = gate_of(f, host, host->gate);

        gates_unpark(gate, &f->hosts, id);
        host->place = HOSTTABLE_NOWHERE;
        if (host->sent)
            gate_of(f, host, HOSTTABLE_DOMAIN)->sent--;
        host->sent = 0;
        return;
    }
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++) {
        struct gates_gate *gate = gate_of(f, host, kind);

        if (gate && gate->first == id)
            gate->first = NONE;
        if (gate && is_starved(host))
            gate->starved--;
    }
    hostheap_remove(&f->ready, id);
    hostheap_remove(&f->waiting, id);
    hostheap_remove(&f->starved, id);
    host->place = HOSTTABLE_NOWHERE;
}

static void park(struct frontier *f, uint32_t id, struct hosttable_host *host, int kind)
{
    host->place = HOSTTABLE_PARKED;
    host->gate = (uint16_t)kind & 1;
    gates_park(gate_of(f, host, kind), &f->hosts, id);
}

static void place_alone(struct frontier *f, uint32_t id);

/* Whoever waited for the gate before is parked behind the new one: its time may be put back (schedule_undo). */
static void wait_for(struct frontier *f, uint32_t id, const struct hosttable_host *host, const struct spot *spot)
{
    struct gates_gate *gate = spot->gate == HOSTTABLE_GATES ? NULL : gate_of(f, host, spot->gate);
    uint32_t before = gate ? gate->first : NONE;

    hostheap_set(&f->waiting, id, key_of_time(spot->time));
    if (gate)
        gate->first = id;
    if (before != NONE && before != id && hosttable_at(&f->hosts, before)->place == HOSTTABLE_WAITING)
        place_alone(f, before);
}

/* It replaces the one that stood for a gate so far, which stays where it is: it is in nobody's way. */
static void become_ready(struct frontier *f, uint32_t id, const struct hosttable_host *host)
{
    hostheap_set(&f->ready, id, hostqueue_best(host));
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (gate_of(f, host, kind))
            gate_of(f, host, kind)->first = id;
}

static void starve(struct frontier *f, uint32_t id, struct hosttable_host *host, enum hosttable_place place)
{
    if (place == HOSTTABLE_STARVED)
        hostheap_set(&f->starved, id, hostqueue_best(host));
    else
        host->place = HOSTTABLE_ASKED;
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (gate_of(f, host, kind))
            gate_of(f, host, kind)->starved++;
}

static void place_alone(struct frontier *f, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(&f->hosts, id);
    struct spot spot;

    weigh(f, host);
    spot = find_spot(f, host);
    if (spot.place != HOSTTABLE_READY || host->place != HOSTTABLE_READY)
        unplace(f, id);
    if (spot.place == HOSTTABLE_PARKED)
        park(f, id, host, spot.gate);
    else if (spot.place == HOSTTABLE_WAITING)
        wait_for(f, id, host, &spot);
    else if (spot.place == HOSTTABLE_READY)
        become_ready(f, id, host);
    else if (spot.place != HOSTTABLE_NOWHERE)
        starve(f, id, host, spot.place);
}

/* Must the best that is parked at the gate stay there? */
static bool stays(const struct frontier *f, const struct gates_gate *gate, int kind)
{
    return gates_full(&f->gates[kind], gate) || gate->starved >= GATES_STARVED || gate->sent >= GATES_SENT ||
           is_behind(f, gate, hosttable_at(&f->hosts, gate->parked));
}

static void settle(struct frontier *f, int kind, uint32_t gate_id);

/* The best that is parked at the gate goes where it belongs. */
static void move_on(struct frontier *f, int kind, struct gates_gate *gate)
{
    uint32_t id = gate->parked;
    struct hosttable_host *host = hosttable_at(&f->hosts, id);
    bool was_sent = host->sent;

    place_alone(f, id);
    if (kind == HOSTTABLE_DOMAIN && host->place == HOSTTABLE_PARKED) {
        host->sent = 1;
        gate->sent++;
    }
    if (was_sent)
        settle(f, HOSTTABLE_DOMAIN, host->gates[HOSTTABLE_DOMAIN]);
}

/* Someone better than all that are parked at the gate must stand for it, unless one of the limits forbids it. */
static void settle(struct frontier *f, int kind, uint32_t gate_id)
{
    struct gates_gate *gate;

    if (gate_id == HOSTTABLE_NO_GATE)
        return;
    gate = gates_at(&f->gates[kind], gate_id);
    for (int moves = 0; gate->parked != NONE && !stays(f, gate, kind); moves++) {
        uint32_t top = gate->parked;

        if (moves < MOVES)
            move_on(f, kind, gate);
        else { /* the next call goes on */
            unplace(f, top);
            wait_for(f, top, hosttable_at(&f->hosts, top), &(struct spot){HOSTTABLE_WAITING, f->now, kind});
        }
    }
}

void schedule_place(struct frontier *f, uint32_t id)
{
    const struct hosttable_host *host = hosttable_at(&f->hosts, id);

    place_alone(f, id);
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        settle(f, kind, host->gates[kind]);
}

static bool has_gates(const struct hosttable_host *host)
{
    return host->gates[HOSTTABLE_DOMAIN] != HOSTTABLE_NO_GATE || host->gates[HOSTTABLE_IP] != HOSTTABLE_NO_GATE;
}

/* A host without gates, which is nowhere, at the end of its heap. */
static void append(struct frontier *f, uint32_t id, struct hosttable_host *host)
{
    struct spot spot;

    weigh(f, host);
    spot = find_spot(f, host);
    if (spot.place == HOSTTABLE_READY)
        hostheap_append(&f->ready, id, hostqueue_best(host));
    else if (spot.place == HOSTTABLE_STARVED)
        hostheap_append(&f->starved, id, hostqueue_best(host));
    else if (spot.place == HOSTTABLE_WAITING)
        hostheap_append(&f->waiting, id, key_of_time(spot.time));
    else
        host->place = (uint16_t)spot.place & 7;
}

void schedule_place_all(struct frontier *f)
{
    struct hostheap *heaps[] = {&f->ready, &f->waiting, &f->starved};
    uint32_t hosts = hosttable_count(&f->hosts);

    for (int i = 0; i < 3; i++)
        hostheap_clear(heaps[i]);
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        gates_clear(&f->gates[kind]);
    for (uint32_t i = 0; i < hosts; i++) {
        struct hosttable_host *host = hosttable_at(&f->hosts, i);

        host->place = HOSTTABLE_NOWHERE;
        host->sent = 0;
        if (!has_gates(host))
            append(f, i, host);
    }
    for (int i = 0; i < 3; i++)
        hostheap_order(heaps[i]);
    for (uint32_t i = 0; i < hosts; i++)
        if (has_gates(hosttable_at(&f->hosts, i)))
            schedule_place(f, i);
}

void schedule_set_gate(struct frontier *f, uint32_t id, enum hosttable_gate kind, uint32_t gate)
{
    struct hosttable_host *host = hosttable_at(&f->hosts, id);
    uint32_t before = host->gates[kind];

    unplace(f, id);
    host->gates[kind] = gate;
    schedule_place(f, id);
    settle(f, kind, before);
}

void schedule_share_gate(struct frontier *f, enum hosttable_gate kind, uint32_t gate, uint16_t share)
{
    gates_at(&f->gates[kind], gate)->share = share;
    settle(f, kind, gate); /* it may not be full any more */
}

void schedule_advance(struct frontier *f, int64_t now)
{
    uint32_t host;
    uint64_t key;

    if (now > f->now)
        f->now = now;
    for (int wakes = 0; wakes < WAKES || f->ready.count == 0; wakes++) {
        if (!hostheap_first(&f->waiting, &host, &key) || time_of_key(key) > f->now)
            return;
        schedule_place(f, host);
    }
}

static bool may_be_visited(const struct frontier *f, const struct hosttable_host *host)
{
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++) {
        const struct gates_gate *gate = gate_of(f, host, kind);

        if (gate && (gates_full(&f->gates[kind], gate) || gate->next_us > f->now))
            return false;
    }
    return true;
}

/* A ready host may find that another has closed its gate: it goes, and those that wait for this moment follow. */
bool schedule_first(struct frontier *f, uint32_t *id, int64_t *wait_us)
{
    uint64_t key;

    while (hostheap_first(&f->ready, id, &key)) {
        if (may_be_visited(f, hosttable_at(&f->hosts, *id)))
            return true;
        schedule_place(f, *id);
        schedule_advance(f, f->now);
    }
    *wait_us = INT64_MAX;
    if (hostheap_first(&f->waiting, id, &key) && __builtin_sub_overflow(time_of_key(key), f->now, wait_us))
        *wait_us = INT64_MAX;
    return false;
}

void frontier_waits(const struct frontier *f, struct frontier_waits *out)
{
    uint64_t key;

    *out = (struct frontier_waits){.ready = f->ready.count, .waiting = f->waiting.count, .until = INT64_MAX};
    if (hostheap_first(&f->waiting, &out->host, &key))
        out->until = time_of_key(key);
}

void schedule_begin(struct frontier *f, uint32_t id, struct held_begin *begin)
{
    struct hosttable_host *host = hosttable_at(&f->hosts, id);
    int64_t delay = host->delay_us == HOSTTABLE_DEFAULT ? f->delay_us : host->delay_us;

    host->in_flight++;
    begin->before[HELD_HOST] = host->next_us;
    begin->after[HELD_HOST] = host->next_us = schedule_add_time(f->now, delay);
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++) {
        struct gates_gate *gate = gate_of(f, host, kind);

        begin->gates[kind] = host->gates[kind];
        if (!gate)
            continue;
        gate->in_flight++;
        begin->before[HELD_DOMAIN + kind] = gate->next_us;
        begin->after[HELD_DOMAIN + kind] = gate->next_us = schedule_add_time(f->now, gates_gap(&f->gates[kind], gate));
    }
}

void schedule_end(struct frontier *f, uint32_t id, const struct held_begin *begin)
{
    hosttable_at(&f->hosts, id)->in_flight--;
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (begin->gates[kind] != HOSTTABLE_NO_GATE) {
            gates_at(&f->gates[kind], begin->gates[kind])->in_flight--;
            settle(f, kind, begin->gates[kind]);
        }
}

static void undo(int64_t *next, const struct held_begin *begin, int party)
{
    if (*next == begin->after[party])
        *next = begin->before[party];
}

void schedule_undo(struct frontier *f, uint32_t id, const struct held_begin *begin)
{
    undo(&hosttable_at(&f->hosts, id)->next_us, begin, HELD_HOST);
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        if (begin->gates[kind] != HOSTTABLE_NO_GATE) {
            struct gates_gate *gate = gates_at(&f->gates[kind], begin->gates[kind]);

            undo(&gate->next_us, begin, HELD_DOMAIN + kind);
            if (gate->first != NONE)
                schedule_place(f, gate->first); /* may wait for a time that is gone */
            settle(f, kind, begin->gates[kind]);
        }
}
