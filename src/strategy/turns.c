#include "strategy/turns.h"

#include <string.h>

void turns_init(struct turns *turns, size_t lanes)
{
    *turns = (struct turns){.turn = 0};
    lanes_init(&turns->lanes, lanes);
}

void turns_release(struct turns *turns)
{
    lanes_release(&turns->lanes);
}

void turns_visited(struct turns *turns, uint32_t id, bool seed)
{
    lanes_remove(&turns->lanes, id);
    turns->turn += !seed;
    turns->renew = true;
}

/* Who was chosen and not asked for was not in the queue any more: it is fetched already, or was refused. */
static void forget_lost(struct turns *turns)
{
    for (size_t i = 0; i < turns->nchosen; i++)
        if (!turns->confirmed[i])
            lanes_remove(&turns->lanes, turns->chosen[i]);
}

static void choose(struct turns *turns)
{
    memcpy(turns->former, turns->chosen, sizeof turns->former);
    turns->nformer = turns->nchosen;
    turns->nchosen = lanes_next(&turns->lanes, turns->turn, turns->chosen, TURNS_AHEAD);
    memset(turns->confirmed, 0, sizeof turns->confirmed);
}

/* What was chosen sinks back, what is chosen rises: first those, then these. */
size_t turns_stale(struct turns *turns, uint32_t *ids, size_t room)
{
    size_t n = 0;

    if (turns->renew) {
        turns->renew = false;
        turns->told = 0;
        forget_lost(turns);
        choose(turns);
    }
    for (; n < room && turns->told < turns->nformer + turns->nchosen; turns->told++)
        ids[n++] = turns->told < turns->nformer ? turns->former[turns->told]
                                                : turns->chosen[turns->told - turns->nformer];
    return n;
}

bool turns_find(struct turns *turns, uint32_t id, float *priority)
{
    for (size_t i = 0; i < turns->nchosen; i++)
        if (turns->chosen[i] == id) {
            turns->confirmed[i] = true;
            *priority = (float)(2 + TURNS_AHEAD - i);
            return true;
        }
    return false;
}
