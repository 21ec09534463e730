/* context-graph - how many links is a page away from the topic, by its words? (Diligenti, Coetzee, Lawrence, Giles and
 * Gori 2000)
 *
 * Before the crawl the pages around the examples are learned: layer 0 is the examples, layer n the pages that lead to
 * one by n links. A page is its `terms` best words by TF-IDF. One Naive Bayes classifier tells the layers apart: a page
 * belongs to the layer under which its words are most likely, or to none ("other") where even that layer finds them
 * less likely than it finds its own pages. The links of a page wait in the queue of its layer; the queue of the lowest
 * layer comes first, and in a queue the links of the pages of which the classifier is most sure.
 *
 * Where the paper is silent [R]: words that fewer than two of the known pages have count as one word, "unseen", so that
 * foreign pages are unlikely and not merely short. A likelihood is the mean of the logarithms over the words, so that
 * it can be compared with a threshold. A fifth of a layer's pages is held back, and the threshold is what the share
 * `keep` of them reaches. All layers are equally probable beforehand.
 *
 * Memory: of what was learned, 8 bytes a word and 8 a word and layer; at most `terms` words a known page, and `pages`
 * pages a layer. Nothing grows with the crawl. Work: one look-up a distinct word of a page. */
#include "strategy/known_pages.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/map.h"
#include "base/vec.h"
#include "learn/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LAYERS_MAX = KNOWN_LAYERS_MAX, TERMS_MAX = 1000, HELD_BACK = 5, MODEL_MAX = 256 << 20 };
#define UNSEEN 1u        /* the stem of all words that are not known */
#define FLATTEN 30       /* the words of a text as so many, as for the topic's model: probabilities that differ */

/* The words that more than one known page has, sorted, and in how many pages each stands. */
struct words {
    uint64_t *stems;
    uint32_t *df;
    size_t count;
    uint32_t pages;
};

struct graphed {
    uint32_t layers, pages, terms; /* N; a layer's; a page's */
    double keep;
    struct words words;
    struct model *model; /* one class a layer */
    uint32_t nlayers;    /* that have pages */
    double threshold[LAYERS_MAX + 1];
    double prior[LAYERS_MAX + 1];
    struct text_weight *chosen; /* room for `terms` and one more */
    /* of the page whose links are being scored */
    uint64_t decided;
    uint32_t layer; /* nlayers: none of them */
    double p;
};

static const struct strategy_option options[] = {
    {"layers", "3", "N: pages that lead to an example by at most so many links are learned",
     OPTION_WHOLE(struct graphed, layers, 1, LAYERS_MAX)},
    {"pages", "300", "pages of each layer that are learned, at most", OPTION_WHOLE(struct graphed, pages, 1, 100000)},
    {"terms", "40", "words of a page that count: its best by TF-IDF",
     OPTION_WHOLE(struct graphed, terms, 1, TERMS_MAX)},
    {"keep", "0.9", "the share of a layer's own pages that are likely enough to belong to it",
     OPTION_NUMBER(struct graphed, keep, 0, 1)},
    KNOWN_GRAPH_OPTION,
    {0},
};

/* ---- the words of a page ---- */

static uint32_t known_df(const struct words *words, uint64_t stem)
{
    const uint64_t *at =
        words->count ? bsearch(&stem, words->stems, words->count, sizeof *words->stems, order_u64) : NULL;

    return at ? words->df[at - words->stems] : 0;
}

/* The `terms` words with the largest tf ln(D/df), with their frequencies; what is not known counts as one word. `out`
 * has room for them and one more. */
static struct text_vector choose_terms(const struct words *words, const struct text_vector *tf, uint32_t terms,
                                       struct text_weight *out)
{
    double weights[TERMS_MAX];
    struct text_vector chosen = {out, 0};
    double unseen = 0;
    size_t n = 0;

    for (size_t i = 0; i < tf->count; i++) {
        uint32_t df = known_df(words, tf->items[i].stem);
        double weight = tf->items[i].weight * text_idf(words->pages, df ? df : 1);
        size_t at = n;

        if (n == terms && !(weight > weights[n - 1]))
            continue;
        at = n < terms ? n++ : n - 1;
        for (; at > 0 && weights[at - 1] < weight; at--) {
            weights[at] = weights[at - 1];
            out[at] = out[at - 1];
        }
        weights[at] = weight;
        out[at] = (struct text_weight){df ? tf->items[i].stem : UNSEEN, tf->items[i].weight};
    }
    for (size_t i = 0; i < n; i++) {
        if (out[i].stem == UNSEEN)
            unseen += out[i].weight;
        else
            out[chosen.count++] = out[i];
    }
    if (unseen > 0)
        out[chosen.count++] = (struct text_weight){UNSEEN, unseen};
    qsort(out, chosen.count, sizeof *out, text_order_stems);
    return chosen;
}

/* means[nlayers]: the mean log likelihood of a word under each layer; false: there are no words. */
static bool mean_likelihoods(const struct graphed *graphed, const struct text_vector *chosen, double *means)
{
    double length = 0;

    for (size_t i = 0; i < chosen->count; i++)
        length += chosen->items[i].weight;
    if (length <= 0)
        return false;
    model_decision(graphed->model, chosen, means);
    for (uint32_t i = 0; i < graphed->nlayers; i++)
        means[i] = (means[i] - graphed->prior[i]) / length;
    return true;
}

/* ---- before the crawl ---- */

struct study {
    struct graphed graphed;
    struct known_layers layers;
    struct arena arena;
    struct text_vector *bags;   /* of each page of the layers: all words, later the chosen ones */
    struct learn_example *examples;
};

static scent_status read_bags(struct study *study, const struct strategy_known *known)
{
    size_t n = study->layers.starts[study->layers.count];

    study->bags = arena_zalloc(&study->arena, n * sizeof *study->bags);
    study->examples = arena_zalloc(&study->arena, (n + study->layers.count) * sizeof *study->examples);
    if (!study->bags || !study->examples)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const struct page *page = page_graph_page(known->graph, study->layers.pages[i], NULL);

        if (!page)
            return SCENT_E_FORMAT;
        SCENT_TRY(page_frequencies(page, &study->arena, &study->bags[i]));
    }
    return SCENT_OK;
}

/* Those that two pages have, or more. */
static scent_status count_words(struct study *study)
{
    struct words *words = &study->graphed.words;
    size_t n = study->layers.starts[study->layers.count], all = 0, kept = 0, k = 0;
    uint64_t *stems;

    for (size_t i = 0; i < n; i++)
        all += study->bags[i].count;
    stems = malloc((all + 1) * sizeof *stems);
    if (!stems)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < study->bags[i].count; t++)
            stems[k++] = study->bags[i].items[t].stem;
    qsort(stems, all, sizeof *stems, order_u64);
    words->stems = stems;
    words->df = malloc((all + 1) * sizeof *words->df);
    if (!words->df)
        return SCENT_E_NOMEM;
    for (size_t i = 0, end; i < all; i = end) {
        for (end = i; end < all && stems[end] == stems[i]; end++)
            ;
        if (end - i < 2)
            continue;
        words->stems[kept] = stems[i];
        words->df[kept++] = (uint32_t)(end - i);
    }
    words->count = kept;
    words->pages = (uint32_t)n;
    return SCENT_OK;
}

static scent_status choose_all(struct study *study)
{
    size_t n = study->layers.starts[study->layers.count];

    for (size_t i = 0; i < n; i++) {
        struct text_weight *room = arena_array(&study->arena, study->graphed.terms + (size_t)1, sizeof *room);

        if (!room)
            return SCENT_E_NOMEM;
        study->bags[i] = choose_terms(&study->graphed.words, &study->bags[i], study->graphed.terms, room);
    }
    return SCENT_OK;
}

static bool is_held_back(const struct study *study, uint32_t layer, size_t i)
{
    size_t begin = study->layers.starts[layer], count = study->layers.starts[layer + 1] - begin;

    return count >= HELD_BACK && (i - begin) % HELD_BACK == HELD_BACK - 1;
}

static void take_priors(struct graphed *graphed)
{
    model_decision(graphed->model, &(struct text_vector){0}, graphed->prior);
}

static scent_status train_layers(struct study *study, struct errmsg *err)
{
    static const struct str names[LAYERS_MAX + 1] = {STR("0"), STR("1"), STR("2"), STR("3"), STR("4"),
                                                     STR("5"), STR("6"), STR("7"), STR("8")};
    struct model_options model = model_options_default(MODEL_BAYES);
    struct learn_set set = {.examples = study->examples, .classes = names, .nclasses = study->layers.count};

    for (uint32_t layer = 0; layer < study->layers.count; layer++)
        for (size_t i = study->layers.starts[layer]; i < study->layers.starts[layer + 1]; i++)
            if (study->bags[i].count && !is_held_back(study, layer, i))
                study->examples[set.nexamples++] = (struct learn_example){study->bags[i], layer};
    model.alpha = .01;
    SCENT_TRY(model_train(&set, &model, &study->graphed.model, err));
    study->graphed.nlayers = study->layers.count;
    take_priors(&study->graphed);
    return SCENT_OK;
}

/* What the share `keep` of the pages that were held back reaches; of all pages of the layer where there are few. */
static scent_status find_thresholds(struct study *study)
{
    struct graphed *graphed = &study->graphed;
    double *reached = arena_array(&study->arena, study->layers.starts[study->layers.count] + 1, sizeof *reached);

    if (!reached)
        return SCENT_E_NOMEM;
    for (uint32_t layer = 0; layer < graphed->nlayers; layer++) {
        size_t begin = study->layers.starts[layer], end = study->layers.starts[layer + 1], n = 0;
        double means[LAYERS_MAX + 1];

        for (size_t i = begin; i < end; i++)
            if ((end - begin < HELD_BACK || is_held_back(study, layer, i)) &&
                mean_likelihoods(graphed, &study->bags[i], means))
                reached[n++] = means[layer];
        qsort(reached, n, sizeof *reached, order_double);
        graphed->threshold[layer] = n ? reached[(size_t)floor((1 - graphed->keep) * (double)(n - 1))] : 0;
    }
    return SCENT_OK;
}

/* Options that change what was learned. */
static void write_meaning(const struct graphed *graphed, char out[96])
{
    snprintf(out, 96, "layers: %u, pages: %u, terms: %u, keep: %g", graphed->layers, graphed->pages, graphed->terms,
             graphed->keep);
}

static scent_status write_study(const struct graphed *graphed, struct buf *out)
{
    struct buf model;
    scent_status status;
    char meaning[96];

    write_meaning(graphed, meaning);
    saved_begin_learned(out, VERSION, meaning);
    bytes_put(out, graphed->nlayers, 4);
    for (uint32_t i = 0; i < graphed->nlayers; i++)
        bytes_put_double(out, graphed->threshold[i]);
    bytes_put(out, graphed->words.pages, 4);
    bytes_put(out, graphed->words.count, 8);
    saved_put_array(out, graphed->words.stems, graphed->words.count, sizeof *graphed->words.stems);
    saved_put_array(out, graphed->words.df, graphed->words.count, sizeof *graphed->words.df);
    buf_init(&model, MODEL_MAX);
    status = model_write(graphed->model, &model);
    if (status == SCENT_OK)
        bytes_put_str(out, buf_str(&model), 8);
    buf_release(&model);
    return status == SCENT_OK && out->failed ? SCENT_E_NOMEM : status;
}

static void release(struct graphed *graphed)
{
    free(graphed->words.stems);
    free(graphed->words.df);
    free(graphed->chosen);
    model_free(graphed->model);
}

static scent_status learn_layers(struct study *study, const struct strategy_known *known, struct buf *out,
                                 struct errmsg *err)
{
    SCENT_TRY(read_bags(study, known));
    SCENT_TRY(count_words(study));
    SCENT_TRY(choose_all(study));
    SCENT_TRY(train_layers(study, err));
    SCENT_TRY(find_thresholds(study));
    return write_study(&study->graphed, out);
}

static scent_status study(const struct strategy_context *context, const struct strategy_known *known, struct buf *out,
                          struct errmsg *err)
{
    struct study study = {0};
    struct errmsg why = {{0}};
    scent_status status;

    SCENT_TRY(option_read(context->ops->name, options, context->topic, &study.graphed, err));
    SCENT_TRY(known_layers_draw(context, known, study.graphed.layers, study.graphed.pages, false, &study.layers, err));
    arena_init(&study.arena, SIZE_MAX);
    status = learn_layers(&study, known, out, &why);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "the pages around the examples cannot be learned: %s",
                    why.text[0] ? why.text : scent_status_text(status));
    arena_release(&study.arena);
    known_layers_release(&study.layers);
    release(&study.graphed);
    return status;
}

/* ---- opening ---- */

static scent_status read_study(struct graphed *graphed, struct bytes *in, struct errmsg *err)
{
    struct str model;
    bool sorted = true;

    graphed->nlayers = (uint32_t)bytes_get(in, 4);
    if (!bytes_check(in, graphed->nlayers >= 2 && graphed->nlayers <= graphed->layers + 1, "it has no layers"))
        graphed->nlayers = 0;
    for (uint32_t i = 0; i < graphed->nlayers; i++)
        graphed->threshold[i] = bytes_get_double(in);
    graphed->words.pages = (uint32_t)bytes_get(in, 4);
    graphed->words.count = bytes_get(in, 8);
    graphed->words.stems = saved_take_array(in, graphed->words.count, sizeof *graphed->words.stems);
    graphed->words.df = saved_take_array(in, graphed->words.count, sizeof *graphed->words.df);
    for (size_t i = 1; !in->wrong && i < graphed->words.count; i++)
        sorted &= graphed->words.stems[i - 1] < graphed->words.stems[i];
    bytes_check(in, sorted, "its words are out of order");
    model = bytes_get_str(in, 8, MODEL_MAX);
    SCENT_TRY(saved_end_learned("context-graph", in, err));
    SCENT_TRY(model_read(model, "the model of the layers", &graphed->model, err));
    if (model_nclasses(graphed->model) != graphed->nlayers)
        return errmsg_fail(err, SCENT_E_FORMAT, "the model of the layers is of other layers");
    take_priors(graphed);
    return SCENT_OK;
}

static void close_state(void *state)
{
    release(state);
    free(state);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct graphed *graphed;
    char meaning[96];
    struct bytes in;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *graphed, state, err));
    graphed = *state;
    graphed->chosen = malloc((graphed->terms + (size_t)1) * sizeof *graphed->chosen);
    SCENT_BUG_IF(!graphed->chosen);
    write_meaning(graphed, meaning);
    status = known_pages_open(context, VERSION, meaning, &in, err);
    if (status == SCENT_OK)
        status = read_study(graphed, &in, err);
    if (status != SCENT_OK)
        close_state(graphed);
    return status;
}

/* ---- crawling ---- */

static void classify(struct graphed *graphed, const struct strategy_visit *visit)
{
    double means[LAYERS_MAX + 1], sum = 0;
    struct text_vector tf = {0}, chosen;
    struct arena arena;

    graphed->decided = visit->number;
    graphed->layer = graphed->nlayers;
    graphed->p = 0;
    arena_init(&arena, SIZE_MAX);
    if (page_frequencies(visit->page, &arena, &tf) == SCENT_OK) {
        chosen = choose_terms(&graphed->words, &tf, graphed->terms, graphed->chosen);
        if (mean_likelihoods(graphed, &chosen, means)) {
            uint32_t best = model_best(means, graphed->nlayers);

            for (uint32_t i = 0; i < graphed->nlayers; i++)
                sum += exp(FLATTEN * (means[i] - means[best]));
            graphed->p = 1 / sum;
            if (means[best] >= graphed->threshold[best])
                graphed->layer = best;
        }
    }
    arena_release(&arena);
}

/* The queues one above the other: that of layer 0 from nlayers on, that of "other" below 1. */
static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct graphed *graphed = state;

    if (link == 0 || graphed->decided != visit->number)
        classify(graphed, visit);
    *out = (struct strategy_score){
        .priority = (float)(graphed->nlayers - graphed->layer + .999 * graphed->p),
        .nparts = 2,
        .parts = {{.name = "links from its page to the topic, judging by the page's words", .value = graphed->layer},
                  {.name = "probability of that, against the other distances", .value = graphed->p}},
    };
    if (graphed->layer == graphed->nlayers)
        out->parts[0] = (struct strategy_part){
            .name = "unlike all known pages near the topic, so that it comes last", .value = 1};
}

const struct strategy_ops strategy_context_graph = {
    .name = "context-graph",
    .summary = "the number of links from the page to the topic, as pages around the examples taught before the crawl",
    .paper = "Diligenti, Coetzee, Lawrence, Giles and Gori 2000, Focused Crawling Using Context Graphs",
    .options = options,
    .study = study,
    .open = open_state,
    .close = close_state,
    .score = score,
};
