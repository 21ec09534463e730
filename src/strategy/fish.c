/* fish - De Bra's school of fish: children of relevant pages first, and fewer and fewer after pages that are not.
 *
 * Of a relevant page the first 1.5 * width links get potential 1, of an irrelevant one the first `width` .5, all others
 * 0. Own bytes: the depth left (1). */
#include "strategy/fish.h"

#include "strategy/classics.h"
#include "strategy/option.h"

#include <stdlib.h>

struct fish {
    uint32_t width, depth;
};

static const struct strategy_option options[] = {
    {"width", "10", "links of an irrelevant page that are followed early; of a relevant one half as many more"},
    {"depth", "3", "links that are followed beyond a relevant page"},
    {0},
};

uint8_t fish_depth_of_page(const struct strategy_visit *visit, uint8_t whole, uint8_t kept)
{
    return visit->seed ? whole : kept;
}

bool fish_depth_of_children(bool relevant, uint8_t own, uint8_t whole, uint8_t *out)
{
    *out = relevant ? whole : own ? (uint8_t)(own - 1) : 0;
    return relevant || own > 0;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct fish *fish = calloc(1, sizeof *fish);
    scent_status status;

    SCENT_BUG_IF(!fish);
    status = option_u32(&strategy_fish, context->topic, "width", 1, 100000, &fish->width, err);
    if (status == SCENT_OK)
        status = option_u32(&strategy_fish, context->topic, "depth", 1, 255, &fish->depth, err);
    if (status == SCENT_OK)
        *state = fish;
    else
        free(fish);
    return status;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct fish *fish = state;
    bool relevant = visit->judgement->relevant;
    uint32_t first = relevant ? fish->width + fish->width / 2 : fish->width;
    double potential = link >= first ? 0 : relevant ? 1 : .5;
    uint8_t own = fish_depth_of_page(visit, (uint8_t)fish->depth, visit->own[0]), depth;

    *out = (struct strategy_score){.priority = (float)potential};
    out->drop = !fish_depth_of_children(relevant, own, (uint8_t)fish->depth, &depth);
    out->own[0] = depth;
    out->nparts = 2;
    out->parts[0] = (struct strategy_part){.name = "potential", .value = potential};
    out->parts[1] = (struct strategy_part){.name = "depth left", .value = depth};
}

/* The larger potential and the larger depth, each for itself. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id;
    if (kept->priority > score->priority)
        score->priority = kept->priority;
    if (kept->own[0] > score->own[0])
        score->own[0] = kept->own[0];
}

const struct strategy_ops strategy_fish = {
    .name = "fish",
    .summary = "children of relevant pages first; a branch dies after some irrelevant ones",
    .paper = "De Bra and Post 1994, Information Retrieval in the World-Wide Web",
    .options = options,
    .open = open_state,
    .close = free,
    .own_bytes = 1,
    .score = score,
    .merge = merge,
};
