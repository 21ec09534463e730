/* best-n-first - best-first that fetches the N best candidates before it ranks again: its links come from N pages, so
 * that one misleading page does not lead the whole crawl. */
#include "strategy/classics.h"
#include "strategy/option.h"

#include <stdlib.h>

struct best_n_first {
    uint32_t n;
};

static const struct strategy_option options[] = {
    {"n", "256", "candidates that are fetched as one batch"},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct best_n_first *best = calloc(1, sizeof *best);
    scent_status status;

    SCENT_BUG_IF(!best);
    status = option_u32(&strategy_best_n_first, context->topic, "n", 1, 100000, &best->n, err);
    if (status == SCENT_OK)
        *state = best;
    else
        free(best);
    return status;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)link;
    *out = (struct strategy_score){
        .priority = (float)visit->judgement->similar,
        .nparts = 1,
        .parts = {{.name = "cosine of the page to the seeds", .value = visit->judgement->similar}},
    };
}

static uint32_t batch(void *state)
{
    return ((const struct best_n_first *)state)->n;
}

const struct strategy_ops strategy_best_n_first = {
    .name = "best-n-first",
    .summary = "the N best candidates at once, by the likeness of their pages to the seeds",
    .paper = "Pant, Srinivasan and Menczer 2002; classic baseline",
    .options = options,
    .wants = JUDGE_SIMILAR,
    .open = open_state,
    .close = free,
    .score = score,
    .batch = batch,
};
