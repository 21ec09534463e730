/* hard-focus - soft focus that follows the links of a page only if its best class is a target, or, with
 * `by: probability`, if the target classes have half of the probability. */
#include "strategy/chakrabarti.h"
#include "strategy/guided.h"
#include "strategy/option.h"

#include "learn/model.h"

#include <stdlib.h>

struct hard_focus {
    struct guided guided;
    bool by_probability;
    bool refuses;     /* the page whose links are being scored … */
    uint64_t decided; /* … the one of this visit */
};

static const struct strategy_option options[] = {
    {"by", "class", "class: the best class must be a target; probability: the targets must have at least half of it"},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    static const char *const ways[] = {"class", "probability", NULL};
    struct hard_focus *hard = calloc(1, sizeof *hard);
    unsigned way = 0;
    scent_status status;

    SCENT_BUG_IF(!hard);
    status = option_choice(&strategy_hard_focus, context->topic, "by", ways, &way, err);
    if (status == SCENT_OK)
        status = guided_init(&hard->guided, "hard-focus", context->topic, err);
    hard->by_probability = way == 1;
    if (status == SCENT_OK)
        *state = hard;
    else
        free(hard);
    return status;
}

static void close_state(void *state)
{
    struct hard_focus *hard = state;

    guided_release(&hard->guided);
    free(hard);
}

/* The class by its decision value: flattened probabilities of Naive Bayes do not tell the best one. */
static bool best_is_wanted(struct hard_focus *hard, const struct page *page)
{
    struct guided *guided = &hard->guided;
    struct text_vector bag = guided_bag(guided, page);

    model_decision(guided->model, &bag, guided->p);
    return guided->wanted[model_best(guided->p, model_nclasses(guided->model))];
}

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void decide(struct hard_focus *hard, const struct strategy_visit *visit, uint32_t link)
{
    if (link > 0 && hard->decided == visit->number)
        return;
    hard->refuses = hard->by_probability ? guided_page(visit) < .5 : !best_is_wanted(hard, visit->page);
    hard->decided = visit->number;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct hard_focus *hard = state;
    double page = guided_page(visit);

    decide(hard, visit, link);
    *out = (struct strategy_score){
        .priority = (float)page,
        .drop = hard->refuses,
        .nparts = 2,
        .parts = {{"probability of the page", page}, {"page of a target class", !hard->refuses}},
    };
}

const struct strategy_ops strategy_hard_focus = {
    .name = "hard-focus",
    .summary = "links of pages whose best class is a target, and no others",
    .paper = "Chakrabarti, van den Berg and Dom 1999, Focused Crawling",
    .options = options,
    .wants = JUDGE_CLASSES,
    .open = open_state,
    .close = close_state,
    .score = score,
};
