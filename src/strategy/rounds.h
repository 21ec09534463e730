/* rounds - which of so many things were met in this round? A new round forgets them all at no cost.
 *
 * State: 4 bytes a thing. Owner: who initialised it. (evidence.c and kinship.c number rounds too, but keep them with
 * what they read in the same step.) */
#ifndef SCENT_STRATEGY_ROUNDS_H
#define SCENT_STRATEGY_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rounds {
    uint32_t *met; /* the last round in which it was */
    size_t count;
    uint32_t now;
};

void rounds_init(struct rounds *rounds, size_t count); /* no round has begun */
void rounds_release(struct rounds *rounds);
void rounds_begin(struct rounds *rounds);

/* Meets it. True: for the first time in this round. */
static inline bool rounds_first(struct rounds *rounds, size_t i)
{
    bool first = rounds->met[i] != rounds->now;

    rounds->met[i] = rounds->now;
    return first;
}

#endif
