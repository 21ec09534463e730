/* rng - random numbers that a seed makes reproducible (xoshiro256**). Not for secrets. */
#ifndef SCENT_BASE_RNG_H
#define SCENT_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
double rng_unit(struct rng *rng);                   /* [0, 1) */
uint64_t rng_below(struct rng *rng, uint64_t bound); /* [0, bound), bound > 0, without bias */
uint64_t rng_entropy(void);                         /* from the system, to seed with */

#endif
