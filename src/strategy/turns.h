/* turns - several strategies choose in turn: which candidates come next, and so rise above all others?
 *
 * Each strategy has a priority queue over the same candidates: a heap of (priority, id), in which an entry whose
 * candidate was given a higher priority since, or is gone, is skipped when it comes up. After every page the next
 * TURNS_AHEAD are chosen anew; those that were and those that are must be scored again.
 * Memory: 4 bytes a strategy and URL, 8 a strategy and entry, a bit a URL. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_TURNS_H
#define SCENT_STRATEGY_TURNS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TURNS_MAX = 3, TURNS_AHEAD = 16 };

struct turns {
    size_t count; /* strategies */
    struct turns_queue {
        struct turns_entry {
            float priority;
            uint32_t id;
        } *heap;
        size_t n, room;
        float *best; /* of each id; -INFINITY: it has none here */
    } queues[TURNS_MAX];
    uint8_t *gone; /* a bit an id */
    size_t ids;
    size_t turn;
    uint32_t chosen[TURNS_AHEAD], former[TURNS_AHEAD]; /* what comes next, and what was to come before */
    size_t nchosen, nformer, told;
    bool confirmed[TURNS_AHEAD]; /* a chosen one was asked for: it is still in the queue */
    bool renew;                  /* the choice is made anew */
};

void turns_init(struct turns *turns, size_t count);
void turns_release(struct turns *turns);

/* The candidate has this priority with a strategy from now on, if it is higher than before. */
void turns_put(struct turns *turns, size_t strategy, uint32_t id, float priority);
/* It is not a candidate any more. */
void turns_remove(struct turns *turns, uint32_t id);
/* The candidates that come next, no one twice: the best of strategy `turn`, then of the next one, and so on round.
 * Returns how many. Nothing changes. */
size_t turns_next(struct turns *turns, size_t turn, uint32_t *ids, size_t room);

/* The candidate was visited; it was somebody's turn unless it is a seed. */
void turns_visited(struct turns *turns, uint32_t id, bool seed);
/* Candidates whose place changed, as the `stale` of a strategy. */
size_t turns_stale(struct turns *turns, uint32_t *ids, size_t room);
/* Is it one of the next? Then *priority is above 2, in the order of the turns. Only what is in the queue is asked
 * for. */
bool turns_find(struct turns *turns, uint32_t id, float *priority);

/* Who was chosen, and who is gone: `gone` bytes of a bit an id, ids / 8. */
void turns_save_choice(const struct turns *turns, struct buf *out);
void turns_load_choice(struct turns *turns, uint64_t gone, struct bytes *in);
/* What each strategy gave each of `ids`. Where nothing of it was kept, as an older version did, the queues stay empty
 * until candidates are scored. */
void turns_save_queues(const struct turns *turns, struct buf *out);
void turns_load_queues(struct turns *turns, uint64_t ids, struct bytes *in);

#endif
