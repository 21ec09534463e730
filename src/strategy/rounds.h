/* rounds - which of so many things were met in this round? A new round forgets them all at no cost.
 *
 * State: 4 bytes a thing. Owner: who initialised it. (features.c and linkmap.c number rounds too, but keep them with
 * what they read in the same step.) */
#ifndef SCENT_STRATEGY_ROUNDS_H
#define SCENT_STRATEGY_ROUNDS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct rounds {
    uint32_t *met; /* the last round in which it was */
    size_t count;
    uint32_t now;
};

/* No round has begun. */
static inline void rounds_init(struct rounds *rounds, size_t count)
{
    *rounds = (struct rounds){.met = calloc(count + 1, sizeof *rounds->met), .count = count};
    SCENT_BUG_IF(!rounds->met);
}

static inline void rounds_release(struct rounds *rounds)
{
    free(rounds->met);
}

static inline void rounds_begin(struct rounds *rounds)
{
    if (++rounds->now)
        return;
    memset(rounds->met, 0, rounds->count * sizeof *rounds->met);
    rounds->now = 1;
}

/* Meets it. True: for the first time in this round. */
static inline bool rounds_first(struct rounds *rounds, size_t i)
{
    bool first = rounds->met[i] != rounds->now;

    rounds->met[i] = rounds->now;
    return first;
}

#endif
