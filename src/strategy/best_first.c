/* best-first - a link is as good as the page it stands on.
 *
 * By `similar`: the cosine to the centroid of the seeds, as in the classic definition. By `score`: what the judge makes
 * of the page, so that whatever the topic has (a classifier, a query) leads the crawl. */
#include "strategy/classics.h"

#include <stdlib.h>

struct best_first {
    bool by_similar;
};

static const struct strategy_option options[] = {
    {"by", "similar", "what a page is worth: similar (the cosine to the seeds) or score (the judge's)"},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct str by = strategy_option_value(&strategy_best_first, context->topic, "by");
    struct best_first *best;

    if (!str_eq(by, STR("score")) && !str_eq(by, STR("similar")))
        return errmsg_fail(err, SCENT_E_INVALID, "best-first: by must be 'similar' or 'score', got '%.*s'", STR_ARG(by));
    best = malloc(sizeof *best);
    SCENT_BUG_IF(!best);
    best->by_similar = str_eq(by, STR("similar"));
    *state = best;
    return SCENT_OK;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct best_first *best = state;
    double worth = best->by_similar ? visit->judgement->similar : visit->judgement->score;

    (void)link;
    *out = (struct strategy_score){
        .priority = (float)worth,
        .nparts = 1,
        .parts = {{.name = best->by_similar ? "cosine of the page to the seeds" : "score of the page", .value = worth}},
    };
}

const struct strategy_ops strategy_best_first = {
    .name = "best-first",
    .summary = "links of the best pages first, by their score or by their likeness to the seeds",
    .paper = "classic baseline (Cho et al. 1998; the rival in Pant, Liu and Aggarwal)",
    .options = options,
    .wants = JUDGE_SIMILAR,
    .open = open_state,
    .close = free,
    .score = score,
};
