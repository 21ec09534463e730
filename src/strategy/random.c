/* random - uniform, seeded.
 *
 * A URL's priority is a hash of the seed and its id, not the next number of a generator: it does not
 * depend on how often the URL is linked, and a resumed crawl needs no state to go on alike. */
#include "strategy/classics.h"

#include "base/hash.h"

#include <stdlib.h>

struct random_state {
    uint64_t seed;
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct random_state *random = malloc(sizeof *random);

    (void)err;
    SCENT_BUG_IF(!random);
    random->seed = context->seed;
    *state = random;
    return SCENT_OK;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct random_state *random = state;
    uint64_t draw = hash_mix(random->seed, visit->targets[link]);

    *out = (struct strategy_score){.priority = (float)(draw >> 40) * 0x1p-24f};
}

const struct strategy_ops strategy_random = {
    .name = "random",
    .summary = "in random order, uniform over the candidates",
    .paper = "classic baseline",
    .open = open_state,
    .close = free,
    .score = score,
};
