/* best-first - a link is as good as the page it stands on.
 *
 * By `similar`: the cosine to the centroid of the seeds, as in the classic definition. By `score`: what the judge makes
 * of the page, so that whatever the topic has (a classifier, a query) leads the crawl. By `browsing`: the largest cosine to
 * a useful page of the browsing model, the baseline of Liu, Milios and Janssen. */
#include "strategy/classics.h"
#include "strategy/option.h"

#include <stdlib.h>

struct best_first {
    unsigned by;
};

enum { SIMILAR, SCORE, BROWSING };

static const struct strategy_option options[] = {
    {"by", "similar", "what a page is worth: similar (the cosine to the seeds), score (the judge's) or browsing (the largest "
                      "cosine to a useful page)"},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    static const char *const ways[] = {"similar", "score", "browsing", NULL};
    struct best_first *best = calloc(1, sizeof *best);
    scent_status status;

    SCENT_BUG_IF(!best);
    status = option_choice(&strategy_best_first, context->topic, "by", ways, &best->by, err);
    if (status == SCENT_OK && best->by == BROWSING && !context->topic->browsing)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "best-first: by: browsing needs a model of somebody's browsing: make one with "
                             "'scent browse train', and name it with the key 'browsing'");
    if (status == SCENT_OK)
        *state = best;
    else
        free(best);
    return status;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    static const char *const names[] = {"cosine of the page to the seeds", "score of the page",
                                        "largest cosine of the page to a useful one"};
    const struct best_first *best = state;
    const struct judgement *judgement = visit->judgement;
    double worth = best->by == SIMILAR ? judgement->similar
                   : best->by == SCORE ? judgement->score
                                       : judgement->browsing;

    (void)link;
    *out = (struct strategy_score){
        .priority = (float)worth,
        .nparts = 1,
        .parts = {{.name = names[best->by], .value = worth}},
    };
}

const struct strategy_ops strategy_best_first = {
    .name = "best-first",
    .summary = "links of the best pages first, by their score or by their likeness to the seeds",
    .paper = "classic baseline (Cho et al. 1998; the rival in Pant, Liu and Aggarwal)",
    .options = options,
    .wants = JUDGE_SIMILAR | JUDGE_BROWSING,
    .open = open_state,
    .close = free,
    .score = score,
};
