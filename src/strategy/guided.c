/* guided - the classifier-guided strategies: a link is as good as what the topic's model makes of its page, of its
 * context, or of both.
 *
 * full-page, classifier   rel(u). One rule in two papers, which differ in the model: an SVM of the seeds (Pant and
 *                         Srinivasan), logistic regression (Pirkola and Talvensaari, strategy 1). The topic's `model`
 *                         says which. Soft focus is the same over a taxonomy (focus.c).
 * text-window             rel(c), of T words around the link
 * text-window-combo       b * rel(u) + (1 - b) * rel(c) (Pant, 3)
 * tag-tree-combo          the same mix, where c is the innermost element around the link with more than MIN words */
#include "strategy/guided.h"

#include "base/vec.h"
#include "learn/model.h"
#include "strategy/option.h"
#include "strategy/strategies.h"

#include <stdlib.h>

scent_status guided_init(struct guided *guided, const struct strategy_context *context, struct errmsg *err)
{
    const struct model *model = context->knowledge->model;
    uint32_t nclasses;

    *guided = (struct guided){.model = model, .guide = knowledge_guide(context->knowledge)};
    if (!model)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %s is guided by a classifier, and the topic has none: give it examples "
                           "(examples: {positive: …}) and train it with 'scent train'", context->ops->name);
    nclasses = model_nclasses(model);
    guided->wanted = calloc(nclasses, sizeof *guided->wanted);
    guided->p = calloc(nclasses, sizeof *guided->p);
    SCENT_BUG_IF(!guided->wanted || !guided->p);
    knowledge_wanted_classes(context->topic, model, guided->wanted);
    return SCENT_OK;
}

void guided_release(struct guided *guided)
{
    free(guided->wanted);
    free(guided->p);
    free(guided->items);
}

void guided_adopt(struct guided *guided, const struct knowledge *knowledge)
{
    guided->model = knowledge->model;
    guided->guide = knowledge_guide(knowledge);
}

double guided_page(const struct strategy_visit *visit)
{
    return visit->judgement->classifier;
}

uint32_t guided_best_class(struct guided *guided, const struct page *page)
{
    struct text_vector bag = {.count = page->nbag};

    SCENT_BUG_IF(!vec_reserve(&guided->items, &guided->room, page->nbag, sizeof *guided->items));
    for (uint32_t i = 0; i < page->nbag; i++)
        guided->items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    bag.items = guided->items;
    model_decision(guided->model, &bag, guided->p);
    return model_best(guided->p, model_nclasses(guided->model));
}

double guided_context(struct guided *guided, const struct page *page, struct context context)
{
    struct text_vector bag;
    double sum = 0;

    SCENT_BUG_IF(!vec_reserve(&guided->items, &guided->room, context.end - context.first, sizeof *guided->items));
    bag = context_bag(page, context, NULL, guided->items);
    model_predict(guided->guide, &bag, guided->p);
    for (uint32_t i = 0; i < model_nclasses(guided->guide); i++)
        sum += guided->wanted[i] ? guided->p[i] : 0;
    return sum;
}

/* "A standard weighting scheme in the SMART system", and Weka's SMO, which minimises the hinge loss with C = 1 (Pant
 * and Srinivasan, section 4). Of other kinds of models the paper does not print such details. */
static void pant_model(struct model_options *options)
{
    if (options->kind != MODEL_SVM)
        return;
    options->weighting = TEXT_ATN;
    options->loss = MODEL_HINGE;
    options->C = 1;
}

static void pirkola_model(struct model_options *options)
{
    uint64_t seed = options->seed;

    *options = model_options_default(MODEL_LOGISTIC);
    options->seed = seed;
}

/* ---- by the page ---- */

static scent_status open_by_page(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct guided guided;
    scent_status status = guided_init(&guided, context, err);

    guided_release(&guided);
    *state = NULL;
    return status;
}

static void close_nothing(void *state)
{
    (void)state;
}

static void score_by_page(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double page = guided_page(visit);

    (void)state, (void)link;
    *out = (struct strategy_score){
        .priority = (float)page,
        .nparts = 1,
        .parts = {{.name = "probability of the page", .value = page}},
    };
}

void guided_paper_bayes(struct model_options *options)
{
    *options = model_options_default(MODEL_BAYES);
    options->flatten = 0;
}

#define PANT "Pant and Srinivasan 2006, Link Contexts in Classifier-Guided Topical Crawlers"

const struct strategy_ops strategy_full_page = {
    .name = "full-page",
    .summary = "the classifier's probability of the page that holds the link",
    .paper = PANT,
    .paper_model = pant_model,
    .wants = JUDGE_CLASSES,
    .open = open_by_page,
    .close = close_nothing,
    .score = score_by_page,
    .adopt = strategy_adopt_judgements,
};

const struct strategy_ops strategy_classifier = {
    .name = "classifier",
    .summary = "the probability of the page that holds the link; with model: {kind: logistic} as in the paper",
    .paper = "Pirkola and Talvensaari, Effects of Crawling Strategies on the Performance of Focused Web Crawling",
    .paper_model = pirkola_model,
    .wants = JUDGE_CLASSES,
    .open = open_by_page,
    .close = close_nothing,
    .score = score_by_page,
    .adopt = strategy_adopt_judgements,
};

/* ---- by the link's context ---- */

struct contexts {
    struct guided guided;
    double beta;       /* 0 for the window alone */
    bool tree;
    uint32_t words;    /* T, or the tag tree's MAX */
    uint32_t min;      /* the tag tree's MIN */
    bool skip_formatting;
};

#define WORDS_OPTION                                                                                     \
    {"words", "40",                                                                                      \
     "T: words around the link, half of them before the anchor and half after; the anchor comes on top", \
     OPTION_WHOLE(struct contexts, words, 1, 100000)}
#define BETA_OPTION                                                                                 \
    {"beta", "0.25", "the weight of the page's probability, from 0 to 1; the context's has the rest", \
     OPTION_NUMBER(struct contexts, beta, 0, 1)}

static const struct strategy_option window_options[] = {
    WORDS_OPTION,
    {0},
};
static const struct strategy_option window_combo_options[] = {
    WORDS_OPTION,
    BETA_OPTION,
    {0},
};
static const struct strategy_option tag_tree_options[] = {
    BETA_OPTION,
    {"min", "2", "the context is the innermost element around the link that holds more words than this",
     OPTION_WHOLE(struct contexts, min, 0, 100000)},
    {"max", "40", "a larger element is cut to so many words, centred on the anchor",
     OPTION_WHOLE(struct contexts, words, 1, 100000)},
    {"formatting", "climb",
     "climb: b, i, font and the like are elements as others; skip: they count as part of their parent",
     OPTION_EITHER(struct contexts, skip_formatting, "climb", "skip")},
    {0},
};

static scent_status open_contexts(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct contexts *contexts;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *contexts, state, err));
    contexts = *state;
    contexts->tree = context->ops == &strategy_tag_tree_combo;
    status = guided_init(&contexts->guided, context, err);
    if (status != SCENT_OK)
        free(contexts);
    return status;
}

static void close_contexts(void *state)
{
    struct contexts *contexts = state;

    guided_release(&contexts->guided);
    free(contexts);
}

static bool adopt_contexts(void *state, const struct knowledge *knowledge)
{
    struct contexts *contexts = state;

    guided_adopt(&contexts->guided, knowledge);
    return true;
}

static void score_by_context(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct contexts *contexts = state;
    struct context range = contexts->tree ? context_tag_tree(visit->page, link, contexts->min, contexts->words,
                                                             contexts->skip_formatting)
                                          : context_window(visit->page, link, contexts->words);
    double context = guided_context(&contexts->guided, visit->page, range);
    double page = contexts->beta > 0 ? guided_page(visit) : 0;

    *out = (struct strategy_score){
        .priority = (float)(contexts->beta * page + (1 - contexts->beta) * context),
        .nparts = 3,
        .parts = {{.name = "probability of the context", .value = context},
                  {.name = "probability of the page", .value = page},
                  {.name = "weight of the page", .value = contexts->beta}},
    };
}

const struct strategy_ops strategy_text_window = {
    .name = "text-window",
    .summary = "the classifier's probability of the words around the link",
    .paper = PANT,
    .paper_model = pant_model,
    .options = window_options,
    .open = open_contexts,
    .close = close_contexts,
    .score = score_by_context,
    .adopt = adopt_contexts,
};

const struct strategy_ops strategy_text_window_combo = {
    .name = "text-window-combo",
    .summary = "the words around the link and the whole page, mixed",
    .paper = PANT,
    .paper_model = pant_model,
    .options = window_combo_options,
    .wants = JUDGE_CLASSES,
    .open = open_contexts,
    .close = close_contexts,
    .score = score_by_context,
    .adopt = adopt_contexts,
};

const struct strategy_ops strategy_tag_tree_combo = {
    .name = "tag-tree-combo",
    .summary = "the words of the element around the link and the whole page, mixed",
    .paper = PANT,
    .paper_model = pant_model,
    .options = tag_tree_options,
    .wants = JUDGE_CLASSES,
    .open = open_contexts,
    .close = close_contexts,
    .score = score_by_context,
    .adopt = adopt_contexts,
};
