/* parent - full-page and classifier: a link is as good as the page it stands on, by the topic's model.
 *
 * One rule in two papers, which differ in the model: an SVM of the seeds (Pant and Srinivasan), logistic regression
 * (Pirkola and Talvensaari, strategy 1). The topic's `model` says which. Soft focus is the same over a taxonomy. */
#include "strategy/guided.h"
#include "strategy/pant.h"
#include "strategy/pirkola.h"

static scent_status check_model(const char *strategy, const struct strategy_context *context, struct errmsg *err)
{
    struct guided guided;
    scent_status status = guided_init(&guided, strategy, context->topic, err);

    guided_release(&guided);
    return status;
}

static scent_status open_full_page(const struct strategy_context *context, void **state, struct errmsg *err)
{
    *state = NULL;
    return check_model("full-page", context, err);
}

static scent_status open_classifier(const struct strategy_context *context, void **state, struct errmsg *err)
{
    *state = NULL;
    return check_model("classifier", context, err);
}

static void close_state(void *state)
{
    (void)state;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double page = guided_page(visit);

    (void)state, (void)link;
    *out = (struct strategy_score){
        .priority = (float)page,
        .nparts = 1,
        .parts = {{.name = "probability of the page", .value = page}},
    };
}

const struct strategy_ops strategy_full_page = {
    .name = "full-page",
    .summary = "the classifier's probability of the page that holds the link",
    .paper = "Pant and Srinivasan 2006, Link Contexts in Classifier-Guided Topical Crawlers",
    .wants = JUDGE_CLASSES,
    .open = open_full_page,
    .close = close_state,
    .score = score,
};

const struct strategy_ops strategy_classifier = {
    .name = "classifier",
    .summary = "the probability of the page that holds the link; with model: {kind: logistic} as in the paper",
    .paper = "Pirkola and Talvensaari, Effects of Crawling Strategies on the Performance of Focused Web Crawling",
    .wants = JUDGE_CLASSES,
    .open = open_classifier,
    .close = close_state,
    .score = score,
};
