/* candidates - the state of every id, and the records of those that are queued or in flight.
 *
 * Memory: 24 bytes for 64 ids (0.4 an id), whatever their state, and for a record 12 bytes and the strategy's own: 0,
 * 4, 8, 12 or 16, as many as one of its chunk uses (zeros at the end cost nothing). Records lie densely, 64 ids to a
 * chunk in order of id, and a chunk holds at most seven unused ones: a record that goes gives its memory back, and a
 * walk in order of id reads memory in order.
 * Cost: a record is found by one read of its chunk's head and a bit count.
 * Thread: one. A pointer to a record is valid until the next add or remove. */
#ifndef SCENT_FRONTIER_CANDIDATES_H
#define SCENT_FRONTIER_CANDIDATES_H

#include "frontier/frontier.h"

#define CANDIDATES_NONE UINT32_MAX

/* The priority is in the queue of the host, see hostqueue.h. */
struct candidates_record {
    uint32_t host;
    uint32_t position; /* in the queue of its host, while QUEUED */
    uint32_t depth : 12, off_domain : 7, redirects : 4, tries : 4, flags : 5;
};

struct candidates_chunk;
struct candidates {
    struct candidates_chunk **blocks; /* 1024 chunks each, never moved */
    size_t nblocks, room;
    uint32_t ids;
};

void candidates_init(struct candidates *all);
void candidates_release(struct candidates *all);

/* A further id, in the state `seen`. */
SCENT_NODISCARD scent_status candidates_extend(struct candidates *all);
/* An id that was never given out is a bug. */
enum frontier_state candidates_state(const struct candidates *all, uint32_t id);

/* seen -> QUEUED. */
SCENT_NODISCARD scent_status candidates_add(struct candidates *all, uint32_t id, uint32_t host);
/* QUEUED <-> IN_FLIGHT */
void candidates_set_in_flight(struct candidates *all, uint32_t id, bool in_flight);
/* any -> DONE; the record is gone. */
void candidates_remove(struct candidates *all, uint32_t id);

/* DONE -> seen. */
void candidates_reopen(struct candidates *all, uint32_t id);

/* Of an id that is QUEUED or IN_FLIGHT; others are a bug. */
struct candidates_record *candidates_at(const struct candidates *all, uint32_t id);
/* All but the priority. What is too large for its bits is kept as the largest that fits. */
void candidates_read(const struct candidates *all, uint32_t id, struct candidate *out);
void candidates_write(struct candidates *all, uint32_t id, const struct candidate *in);
/* Begins to load the head of the id's chunk; any id that was given out. */
void candidates_prefetch(const struct candidates *all, uint32_t id);

/* The first QUEUED id that is not below `from`; CANDIDATES_NONE when there is none. */
uint32_t candidates_next(const struct candidates *all, uint32_t from);

#endif
