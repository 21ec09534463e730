/* contexts - text-window, text-window-combo and tag-tree-combo: the same mix of what the page and what the link's
 * context say, b * rel(u) + (1 - b) * rel(c) (Pant, 3), with different contexts; b is 0 for the window alone. */
#include "strategy/guided.h"
#include "strategy/option.h"
#include "strategy/pant.h"

#include <stdlib.h>

struct contexts {
    struct guided guided;
    double beta;
    bool tree;
    uint32_t words;    /* T, or the tag tree's MAX */
    uint32_t min;      /* the tag tree's MIN */
    bool skip_formatting;
};

static const struct strategy_option window_options[] = {
    {"words", "40", "T: words around the link, half of them before the anchor and half after; the anchor comes on top"},
    {0},
};
static const struct strategy_option window_combo_options[] = {
    {"words", "40", "T: words around the link, half of them before the anchor and half after; the anchor comes on top"},
    {"beta", "0.25", "the weight of the page's probability, from 0 to 1; the context's has the rest"},
    {0},
};
static const struct strategy_option tag_tree_options[] = {
    {"beta", "0.25", "the weight of the page's probability, from 0 to 1; the context's has the rest"},
    {"min", "2", "the context is the innermost element around the link that holds more words than this"},
    {"max", "40", "a larger element is cut to so many words, centred on the anchor"},
    {"formatting", "climb",
     "climb: b, i, font and the like are elements as others; skip: they count as part of their parent"},
    {0},
};

static scent_status read_options(const struct strategy_ops *ops, const struct topic *topic, struct contexts *out,
                                 struct errmsg *err)
{
    static const char *const formattings[] = {"climb", "skip", NULL};
    unsigned formatting = 0;
    scent_status status = SCENT_OK;

    out->tree = ops == &strategy_tag_tree_combo;
    if (ops != &strategy_text_window)
        status = option_double(ops, topic, "beta", 0, 1, &out->beta, err);
    if (status == SCENT_OK)
        status = option_u32(ops, topic, out->tree ? "max" : "words", 1, 100000, &out->words, err);
    if (status == SCENT_OK && out->tree)
        status = option_u32(ops, topic, "min", 0, 100000, &out->min, err);
    if (status == SCENT_OK && out->tree)
        status = option_choice(ops, topic, "formatting", formattings, &formatting, err);
    out->skip_formatting = formatting;
    return status;
}

static scent_status open_with(const struct strategy_ops *ops, const struct strategy_context *context, void **state,
                              struct errmsg *err)
{
    struct contexts *contexts = calloc(1, sizeof *contexts);
    scent_status status;

    SCENT_BUG_IF(!contexts);
    status = read_options(ops, context->topic, contexts, err);
    if (status == SCENT_OK)
        status = guided_init(&contexts->guided, ops->name, context->topic, err);
    if (status == SCENT_OK)
        *state = contexts;
    else
        free(contexts);
    return status;
}

static scent_status open_window(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return open_with(&strategy_text_window, context, state, err);
}

static scent_status open_window_combo(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return open_with(&strategy_text_window_combo, context, state, err);
}

static scent_status open_tag_tree(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return open_with(&strategy_tag_tree_combo, context, state, err);
}

static void close_state(void *state)
{
    struct contexts *contexts = state;

    guided_release(&contexts->guided);
    free(contexts);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct contexts *contexts = state;
    struct context range = contexts->tree ? context_tag_tree(visit->page, link, contexts->min, contexts->words,
                                                             contexts->skip_formatting)
                                          : context_window(visit->page, link, contexts->words);
    double context = guided_context(&contexts->guided, visit->page, range, NULL);
    double page = contexts->beta > 0 ? guided_page(visit) : 0;

    *out = (struct strategy_score){
        .priority = (float)(contexts->beta * page + (1 - contexts->beta) * context),
        .nparts = 3,
        .parts = {{.name = "probability of the context", .value = context},
                  {.name = "probability of the page", .value = page},
                  {.name = "weight of the page", .value = contexts->beta}},
    };
}

#define PAPER "Pant and Srinivasan 2006, Link Contexts in Classifier-Guided Topical Crawlers"

const struct strategy_ops strategy_text_window = {
    .name = "text-window",
    .summary = "the classifier's probability of the words around the link",
    .paper = PAPER,
    .options = window_options,
    .open = open_window,
    .close = close_state,
    .score = score,
};

const struct strategy_ops strategy_text_window_combo = {
    .name = "text-window-combo",
    .summary = "the words around the link and the whole page, mixed",
    .paper = PAPER,
    .options = window_combo_options,
    .wants = JUDGE_CLASSES,
    .open = open_window_combo,
    .close = close_state,
    .score = score,
};

const struct strategy_ops strategy_tag_tree_combo = {
    .name = "tag-tree-combo",
    .summary = "the words of the element around the link and the whole page, mixed",
    .paper = PAPER,
    .options = tag_tree_options,
    .wants = JUDGE_CLASSES,
    .open = open_tag_tree,
    .close = close_state,
    .score = score,
};
