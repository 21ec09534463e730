#include "strategy/ranks.h"

#include "strategy/array.h"

/* The place of the first that is not below. */
static uint32_t place(const struct ranks *ranks, float score)
{
    uint32_t low = 0, high = ranks->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranks->sample[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When the sample is full a new one takes the place of a random old one. */
void ranks_learn(struct ranks *ranks, float score, struct rng *rng)
{
    uint32_t at;

    if (ranks->count == RANKS_SAMPLE) {
        uint32_t out = (uint32_t)rng_below(rng, RANKS_SAMPLE);

        if (rng_below(rng, ++ranks->seen) >= RANKS_SAMPLE)
            return;
        memmove(&ranks->sample[out], &ranks->sample[out + 1], (RANKS_SAMPLE - out - 1) * sizeof *ranks->sample);
        ranks->count--;
    } else {
        ranks->seen++;
    }
    at = place(ranks, score);
    memmove(&ranks->sample[at + 1], &ranks->sample[at], (ranks->count - at) * sizeof *ranks->sample);
    ranks->sample[at] = score;
    ranks->count++;
}

float ranks_of(const struct ranks *ranks, float score)
{
    return ranks->count ? (float)place(ranks, score) / (float)ranks->count : 0;
}

void ranks_save(const struct ranks *ranks, struct buf *out)
{
    array_put(out, &ranks->count, sizeof ranks->count);
    array_put(out, &ranks->seen, sizeof ranks->seen);
    array_put(out, ranks->sample, ranks->count * sizeof *ranks->sample);
}

bool ranks_load(struct ranks *ranks, struct str *rest)
{
    return array_get(rest, &ranks->count, sizeof ranks->count) && ranks->count <= RANKS_SAMPLE &&
           array_get(rest, &ranks->seen, sizeof ranks->seen) &&
           array_get(rest, ranks->sample, ranks->count * sizeof *ranks->sample);
}
