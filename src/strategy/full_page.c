/* full-page - every link of a page has the page's own probability (Pant and Srinivasan, "full page"). */
#include "strategy/guided.h"
#include "strategy/pant.h"

#include <stdlib.h>

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct guided *guided = calloc(1, sizeof *guided);
    scent_status status;

    SCENT_BUG_IF(!guided);
    status = guided_init(guided, "full-page", context->topic, err);
    if (status == SCENT_OK)
        *state = guided;
    else
        free(guided);
    return status;
}

static void close_state(void *state)
{
    guided_release(state);
    free(state);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double page = guided_page(visit);

    (void)state, (void)link;
    *out = (struct strategy_score){.priority = (float)page, .nparts = 1, .parts = {{"probability of the page", page}}};
}

const struct strategy_ops strategy_full_page = {
    .name = "full-page",
    .summary = "the classifier's probability of the page that holds the link",
    .paper = "Pant and Srinivasan 2006, Link Contexts in Classifier-Guided Topical Crawlers",
    .wants = JUDGE_CLASSES,
    .open = open_state,
    .close = close_state,
    .score = score,
};
