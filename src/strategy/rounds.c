#include "strategy/rounds.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void rounds_init(struct rounds *rounds, size_t count)
{
    *rounds = (struct rounds){.met = calloc(count + 1, sizeof *rounds->met), .count = count};
    SCENT_BUG_IF(!rounds->met);
}

void rounds_release(struct rounds *rounds)
{
    free(rounds->met);
}

void rounds_begin(struct rounds *rounds)
{
    if (++rounds->now)
        return;
    memset(rounds->met, 0, rounds->count * sizeof *rounds->met);
    rounds->now = 1;
}
