/* turns - several strategies choose in turn: which candidates come next, and so rise above all others?
 *
 * Each chooses what is best in its own lane (lanes.h). After every page the next TURNS_AHEAD are chosen anew; those that
 * were and those that are must be scored again. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_TURNS_H
#define SCENT_STRATEGY_TURNS_H

#include "strategy/lanes.h"

enum { TURNS_AHEAD = 16 };

struct turns {
    struct lanes lanes;
    size_t turn;
    uint32_t chosen[TURNS_AHEAD], former[TURNS_AHEAD]; /* what comes next, and what was to come before */
    size_t nchosen, nformer, told;
    bool confirmed[TURNS_AHEAD]; /* a chosen one was asked for: it is still in the queue */
    bool renew;                  /* the choice is made anew */
};

void turns_init(struct turns *turns, size_t lanes);
void turns_release(struct turns *turns);

/* The candidate was visited; it was somebody's turn unless it is a seed. */
void turns_visited(struct turns *turns, uint32_t id, bool seed);
/* Candidates whose place changed, as the `stale` of a strategy. */
size_t turns_stale(struct turns *turns, uint32_t *ids, size_t room);
/* Is it one of the next? Then *priority is above 2, in the order of the turns. Only what is in the queue is asked for. */
bool turns_find(struct turns *turns, uint32_t id, float *priority);

#endif
