/* best-first - a link is as good as the page it stands on: the cosine of that page to the centroid of the
 * seeds, which the judge computes once a page (similar() in a predicate is the same number). */
#include "strategy/classics.h"

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double similar = visit->judgement->similar;

    (void)state;
    (void)link;
    *out = (struct strategy_score){
        .priority = (float)similar,
        .nparts = 1,
        .parts = {{"cosine of the page to the seeds", similar}},
    };
}

const struct strategy_ops strategy_best_first = {
    .name = "best-first",
    .summary = "links of the pages most similar to the seeds first",
    .paper = "classic baseline (Cho et al. 1998; the rival in Pant, Liu and Aggarwal)",
    .score = score,
};
