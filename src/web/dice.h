/* dice - random numbers for the generated web: a counter and a mixer, all inline, because a page rolls
 * thousands of times and the generator shares its machine with the crawler that is being measured.
 * Deterministic: the same key gives the same rolls everywhere. */
#ifndef SCENT_WEB_DICE_H
#define SCENT_WEB_DICE_H

#include "base/hash.h"

struct dice {
    uint64_t state;
};

static inline struct dice dice_of(uint64_t key, uint64_t salt)
{
    return (struct dice){hash_mix(key, salt)};
}

static inline uint64_t dice_roll(struct dice *dice)
{
    uint64_t x = dice->state += 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* [0, bound) from the upper half of a roll; bound below 2^32. */
static inline uint64_t dice_scale(uint64_t roll, uint64_t bound)
{
    return ((roll >> 32) * bound) >> 32;
}

static inline uint64_t dice_below(struct dice *dice, uint64_t bound)
{
    return dice_scale(dice_roll(dice), bound);
}

/* Odds are a share times 2^32, so that a chance is one comparison. */
static inline uint64_t dice_odds(double share)
{
    return (uint64_t)(share * 4294967296.0);
}

static inline bool dice_hit(uint64_t roll, uint64_t odds)
{
    return roll >> 32 < odds;
}

static inline bool dice_chance(struct dice *dice, uint64_t odds)
{
    return dice_hit(dice_roll(dice), odds);
}

/* [0, bound), the small numbers more often: the popularity of hosts and pages. The density falls with the square
 * root, so the least popular still has half the mean. */
static inline uint64_t dice_popular(struct dice *dice, uint64_t bound)
{
    uint64_t u = dice_roll(dice) >> 32;

    return (((u * u) >> 32) * bound) >> 32;
}

#endif
