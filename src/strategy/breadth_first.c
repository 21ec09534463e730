/* breadth-first - the order of discovery: all links are equal, and equals go first found first. */
#include "strategy/classics.h"

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state;
    (void)visit;
    (void)link;
    *out = (struct strategy_score){0};
}

const struct strategy_ops strategy_breadth_first = {
    .name = "breadth-first",
    .summary = "in the order in which links were found",
    .paper = "classic baseline",
    .score = score,
};
