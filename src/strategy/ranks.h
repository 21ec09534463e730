/* ranks - how high a score is among those that a strategy gave so far: what makes the scores of several comparable.
 *
 * Keeps a uniform sample of 1,024 of them, sorted. Plain data; the randomness is the caller's. */
#ifndef SCENT_STRATEGY_RANKS_H
#define SCENT_STRATEGY_RANKS_H

#include "base/buf.h"
#include "base/rng.h"

enum { RANKS_SAMPLE = 1024 };

struct ranks {
    float sample[RANKS_SAMPLE];
    uint32_t count;
    uint64_t seen;
};

void ranks_learn(struct ranks *ranks, float score, struct rng *rng);
/* The share of the sample that lies below; 0 while there is none. */
float ranks_of(const struct ranks *ranks, float score);

void ranks_save(const struct ranks *ranks, struct buf *out);
/* Takes it off the front of *rest; false: damaged. */
SCENT_NODISCARD bool ranks_load(struct ranks *ranks, struct str *rest);

#endif
