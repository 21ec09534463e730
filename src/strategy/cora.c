/* cora - what is a link worth, by the words around it? (Rennie and McCallum 1999, the spider of the search engine Cora)
 *
 * Before the crawl the links of known pages get a value, as in reinforcement learning: sum_t g^t r_t along the best
 * path that begins with the link, where r_t is 1 for the t-th page of the path if it is an example of the topic that
 * was not met before. With g = 0 only the page behind the link counts ("immediate"). Values are divided into bins, and
 * a Naive Bayes classifier learns to tell the bin of a link by its text: the words around it with its anchor, the
 * heading above it, the title of its page. While it crawls, the priority of a link is sum_b P(b | text) mean(b).
 *
 * Where the papers are silent [R]: the best path goes to the nearest example that is not yet met, by the shortest way
 * and of equal ones by the first link, and from there on to the next; at most STEPS links in all, since g^4 is .06. Of
 * B bins, the first has the values of at least 1, the second those of at least g, then g^2, …; the last has the rest.
 * The known pages are drawn from all distances to the examples alike, and of each bin at most `links` links.
 *
 * Memory: of what was learned, 8 bytes a word and 8 a word and bin. Nothing grows with the crawl. Work: a look-up a
 * word of a link's text. */
#include "strategy/known_pages.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "base/vec.h"
#include "learn/model.h"
#include "page/context.h"
#include "page/tag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    VERSION = 1,
    STEPS = 4,       /* links of a path */
    REACH = 4096,    /* pages that are looked at for the next example of a path */
    BINS_MAX = 5,
    SPAN_MAX = 50,   /* words of a title or heading */
    MODEL_MAX = 256 << 20
};

struct cora {
    double gamma, flatten;
    uint32_t bins, words, pages, links;
    struct model *model; /* one class a bin that has links */
    uint32_t nbins;
    uint32_t bin[BINS_MAX]; /* of each class */
    double mean[BINS_MAX];
    /* of one page */
    uint64_t prepared;
    struct context title;
    uint32_t *headings; /* nodes */
    size_t nheadings, heading_room;
    /* of one link */
    struct text_weight *items;
    size_t room;
};

static const struct strategy_option options[] = {
    {"gamma", "0.5", "g: what an example is worth if it comes a link later; 0: only the page behind the link counts",
     OPTION_NUMBER(struct cora, gamma, 0, .95)},
    {"bins", "3", "bins of values that the words of a link are told apart by", OPTION_WHOLE(struct cora, bins, 2, 5)},
    {"words", "20", "words around a link, half of them before the anchor and half after; the anchor comes on top",
     OPTION_WHOLE(struct cora, words, 0, 1000)},
    {"pages", "300", "known pages at each distance from the examples whose links are learned, at most",
     OPTION_WHOLE(struct cora, pages, 1, 100000)},
    {"links", "2000", "links of each bin that are learned, at most", OPTION_WHOLE(struct cora, links, 1, 1000000)},
    {"flatten", "30", "a longer text counts as so many words, so that probabilities differ; 0: as it is",
     .printed = "0", OPTION_NUMBER(struct cora, flatten, 0, 10000)},
    KNOWN_GRAPH_OPTION,
    {0},
};

/* ---- the text of a link ---- */

static struct context cut_span(uint32_t first, uint32_t end)
{
    return (struct context){first, end - first > SPAN_MAX ? first + SPAN_MAX : end};
}

static void find_headings(struct cora *cora, const struct page *page)
{
    struct context title = context_title(page);

    cora->title = cut_span(title.first, title.end);
    cora->nheadings = 0;
    for (uint32_t i = 0; i < page->nnodes; i++) {
        uint16_t tag = page->nodes[i].tag;

        if (tag < PAGE_TAG_H1 || tag > PAGE_TAG_H6)
            continue;
        SCENT_BUG_IF(!vec_reserve(&cora->headings, &cora->heading_room, cora->nheadings + 1, sizeof *cora->headings));
        cora->headings[cora->nheadings++] = i;
    }
}

/* The last one that begins before the link. */
static struct context heading_above(const struct cora *cora, const struct page *page, uint32_t word)
{
    size_t low = 0, high = cora->nheadings;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (page->nodes[cora->headings[middle]].first_word <= word)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return (struct context){0, 0};
    low = cora->headings[low - 1];
    return cut_span(page->nodes[low].first_word, page->nodes[low].end_word);
}

/* Texts are short: a word is put in its place among those before. */
static void add_words(const struct page *page, struct context range, struct text_weight *items, size_t *count)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        uint64_t stem = page->words[i].stem;
        size_t at = *count;

        if (page->words[i].flags & PAGE_WORD_STOP)
            continue;
        while (at > 0 && items[at - 1].stem >= stem)
            at--;
        if (at < *count && items[at].stem == stem) {
            items[at].weight++;
            continue;
        }
        memmove(items + at + 1, items + at, (*count - at) * sizeof *items);
        items[at] = (struct text_weight){stem, 1};
        ++*count;
    }
}

/* In cora->items. The page was prepared by find_headings(). */
static struct text_vector text_of(struct cora *cora, const struct page *page, uint32_t link)
{
    struct context around = context_window(page, link, cora->words), anchor = context_anchor(page, link);
    struct context heading = heading_above(cora, page, anchor.first);
    struct text_vector text = {0};

    if (around.end - around.first > cora->words + SPAN_MAX) /* an anchor without end */
        around.end = around.first + cora->words + SPAN_MAX;
    SCENT_BUG_IF(!vec_reserve(&cora->items, &cora->room, around.end - around.first + 2 * (size_t)SPAN_MAX,
                              sizeof *cora->items));
    add_words(page, around, cora->items, &text.count);
    add_words(page, heading, cora->items, &text.count);
    add_words(page, cora->title, cora->items, &text.count);
    text.items = cora->items;
    return text;
}

/* ---- values ---- */

struct values {
    const struct page_graph *graph;
    double gamma;
    bool *example;
    uint32_t *distance; /* to the nearest example */
    double *known;      /* of each page; below 0: not computed yet */
    uint32_t *stamp, *depth, *queue;
    uint32_t now;
    uint32_t path[STEPS + 1]; /* the examples that were met */
    uint32_t npath;
};

static bool is_met(const struct values *values, uint32_t page)
{
    for (uint32_t i = 0; i < values->npath; i++)
        if (values->path[i] == page)
            return true;
    return false;
}

/* The nearest example that is not yet met, at most `steps` links away. */
static bool find_next(struct values *values, uint32_t from, uint32_t steps, uint32_t *found, uint32_t *links)
{
    size_t count = 1;

    values->now++;
    values->stamp[from] = values->now;
    values->depth[from] = 0;
    values->queue[0] = from;
    for (size_t at = 0; at < count && at < REACH; at++) {
        uint32_t page = values->queue[at];
        size_t nlinks;
        const uint32_t *targets = page_graph_links(values->graph, page, &nlinks);

        if (values->depth[page] == steps)
            return false;
        for (size_t i = 0; i < nlinks; i++) {
            uint32_t target = targets[i], depth = values->depth[page] + 1;

            if (values->stamp[target] == values->now || values->distance[target] > steps - depth)
                continue;
            values->stamp[target] = values->now;
            values->depth[target] = depth;
            if (values->example[target] && !is_met(values, target)) {
                *found = target;
                *links = depth;
                return true;
            }
            values->queue[count++] = target;
        }
    }
    return false;
}

/* sum_t g^t r_t of a path that begins at this page. */
static double value_of(struct values *values, uint32_t page)
{
    double value = values->example[page];
    uint32_t at = page, steps = 0, links;

    if (values->known[page] >= 0)
        return values->known[page];
    values->path[0] = page;
    values->npath = 1;
    while (values->gamma > 0 && steps < STEPS && find_next(values, at, STEPS - steps, &at, &links)) {
        steps += links;
        value += pow(values->gamma, steps);
        values->path[values->npath++] = at;
    }
    values->known[page] = value;
    return value;
}

static scent_status values_init(struct values *values, const struct strategy_known *known, double gamma)
{
    size_t n = page_graph_count(known->graph) + (size_t)1;

    *values = (struct values){
        .graph = known->graph,
        .gamma = gamma,
        .example = calloc(n, sizeof *values->example),
        .distance = malloc(n * sizeof *values->distance),
        .known = malloc(n * sizeof *values->known),
        .stamp = calloc(n, sizeof *values->stamp),
        .depth = malloc(n * sizeof *values->depth),
        .queue = malloc(n * sizeof *values->queue),
    };
    if (!values->example || !values->distance || !values->known || !values->stamp || !values->depth || !values->queue)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        values->known[i] = -1;
    for (size_t i = 0; i < known->nexamples; i++)
        values->example[known->examples[i]] = true;
    return page_graph_distances(known->graph, known->examples, known->nexamples, STEPS, values->distance);
}

static void values_release(struct values *values)
{
    free(values->example);
    free(values->distance);
    free(values->known);
    free(values->stamp);
    free(values->depth);
    free(values->queue);
}

/* ---- before the crawl ---- */

/* The links of one bin: all of them, or as many as are learned, each as likely as the others. */
struct sample {
    struct learn_example *examples;
    double *values;
    size_t count, seen, example_room, value_room;
};

struct study {
    struct cora cora;
    struct values values;
    struct known_layers layers;
    struct sample bins[BINS_MAX];
    struct arena arena;
    struct rng rng;
};

static uint32_t bin_of(const struct cora *cora, double value)
{
    uint32_t bin = 0;

    /* Sums of powers are not exact, and the edges are powers. */
    while (bin + 1 < cora->bins && value < pow(cora->gamma, bin) - 1e-9)
        bin++;
    return bin;
}

static scent_status keep_link(struct study *study, const struct page *page, uint32_t link, double value)
{
    struct sample *bin = &study->bins[bin_of(&study->cora, value)];
    size_t at = bin->seen < study->cora.links ? bin->count : rng_below(&study->rng, bin->seen + 1);
    struct text_vector text;
    struct text_weight *copy;

    bin->seen++;
    if (at >= study->cora.links)
        return SCENT_OK;
    if (!vec_reserve(&bin->examples, &bin->example_room, bin->count + 1, sizeof *bin->examples) ||
        !vec_reserve(&bin->values, &bin->value_room, bin->count + 1, sizeof *bin->values))
        return SCENT_E_NOMEM;
    text = text_of(&study->cora, page, link);
    copy = arena_array(&study->arena, text.count + 1, sizeof *copy);
    if (!copy)
        return SCENT_E_NOMEM;
    memcpy(copy, text.items, text.count * sizeof *copy);
    bin->examples[at] = (struct learn_example){.tf = {copy, text.count}};
    bin->values[at] = value;
    bin->count += at == bin->count;
    return SCENT_OK;
}

static scent_status read_page(struct study *study, uint32_t number)
{
    const uint32_t *targets;
    const struct page *page = page_graph_page(study->values.graph, number, &targets);

    if (!page)
        return SCENT_E_FORMAT;
    find_headings(&study->cora, page);
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (targets[i] != PAGE_NONE && targets[i] != number)
            SCENT_TRY(keep_link(study, page, i, value_of(&study->values, targets[i])));
    return SCENT_OK;
}

static scent_status train_bins(struct study *study, struct errmsg *err)
{
    static const struct str names[BINS_MAX] = {STR("0"), STR("1"), STR("2"), STR("3"), STR("4")};
    struct cora *cora = &study->cora;
    struct model_options model = model_options_default(MODEL_BAYES);
    struct learn_example *examples;
    struct learn_set set = {.classes = names};
    size_t all = 0;

    for (uint32_t b = 0; b < cora->bins; b++)
        all += study->bins[b].count;
    examples = arena_array(&study->arena, all + 1, sizeof *examples);
    if (!examples)
        return SCENT_E_NOMEM;
    for (uint32_t b = 0; b < cora->bins; b++) {
        const struct sample *bin = &study->bins[b];
        double sum = 0;

        if (bin->count == 0)
            continue;
        for (size_t i = 0; i < bin->count; i++) {
            sum += bin->values[i];
            examples[set.nexamples] = bin->examples[i];
            examples[set.nexamples++].class = cora->nbins;
        }
        cora->bin[cora->nbins] = b;
        cora->mean[cora->nbins++] = sum / (double)bin->count;
    }
    if (cora->nbins < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "all known links are worth the same");
    set.examples = examples;
    set.nclasses = cora->nbins;
    model.alpha = .01;
    model.flatten = cora->flatten;
    return model_train(&set, &model, &cora->model, err);
}

/* Options that change what was learned. */
static void write_meaning(const struct cora *cora, char out[128])
{
    snprintf(out, 128, "gamma: %g, bins: %u, words: %u, pages: %u, links: %u, flatten: %g", cora->gamma, cora->bins,
             cora->words, cora->pages, cora->links, cora->flatten);
}

static scent_status write_study(const struct cora *cora, struct buf *out)
{
    struct buf model;
    scent_status status;
    char meaning[128];

    write_meaning(cora, meaning);
    saved_begin_learned(out, VERSION, meaning);
    bytes_put(out, cora->nbins, 1);
    for (uint32_t i = 0; i < cora->nbins; i++) {
        bytes_put(out, cora->bin[i], 1);
        bytes_put_double(out, cora->mean[i]);
    }
    buf_init(&model, MODEL_MAX);
    status = model_write(cora->model, &model);
    if (status == SCENT_OK)
        bytes_put_str(out, buf_str(&model), 8);
    buf_release(&model);
    return status == SCENT_OK && out->failed ? SCENT_E_NOMEM : status;
}

static void release(struct cora *cora)
{
    model_free(cora->model);
    free(cora->headings);
    free(cora->items);
}

static scent_status learn_links(struct study *study, const struct strategy_known *known, struct buf *out,
                                struct errmsg *err)
{
    SCENT_TRY(values_init(&study->values, known, study->cora.gamma));
    for (size_t i = 0; i < study->layers.starts[study->layers.count]; i++)
        SCENT_TRY(read_page(study, study->layers.pages[i]));
    SCENT_TRY(train_bins(study, err));
    return write_study(&study->cora, out);
}

static scent_status study(const struct strategy_context *context, const struct strategy_known *known, struct buf *out,
                          struct errmsg *err)
{
    struct study study = {0};
    struct errmsg why = {{0}};
    scent_status status;

    SCENT_TRY(option_read(context->ops->name, options, context->topic, &study.cora, err));
    SCENT_TRY(known_layers_draw(context, known, STEPS, study.cora.pages, true, &study.layers, err));
    arena_init(&study.arena, SIZE_MAX);
    rng_seed(&study.rng, hash_mix(context->seed, 0x636f7261));
    status = learn_links(&study, known, out, &why);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "strategy cora cannot learn from the known links: %s",
                    why.text[0] ? why.text : scent_status_text(status));
    for (uint32_t b = 0; b < BINS_MAX; b++) {
        free(study.bins[b].examples);
        free(study.bins[b].values);
    }
    values_release(&study.values);
    known_layers_release(&study.layers);
    arena_release(&study.arena);
    release(&study.cora);
    return status;
}

/* ---- opening ---- */

static scent_status read_study(struct cora *cora, struct bytes *in, struct errmsg *err)
{
    struct str model;

    cora->nbins = (uint32_t)bytes_get(in, 1);
    if (!bytes_check(in, cora->nbins >= 2 && cora->nbins <= cora->bins, "it has no bins"))
        cora->nbins = 0;
    for (uint32_t i = 0; i < cora->nbins; i++) {
        cora->bin[i] = (uint32_t)bytes_get(in, 1);
        cora->mean[i] = bytes_get_double(in);
        bytes_check(in, cora->bin[i] < cora->bins && fabs(cora->mean[i]) <= 1e6, "a bin is out of range");
    }
    model = bytes_get_str(in, 8, MODEL_MAX);
    SCENT_TRY(saved_end_learned("cora", in, err));
    SCENT_TRY(model_read(model, "the model of the bins", &cora->model, err));
    return model_nclasses(cora->model) == cora->nbins
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_FORMAT, "the model of the bins is of other bins");
}

static void close_state(void *state)
{
    release(state);
    free(state);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct cora *cora;
    char meaning[128];
    struct bytes in;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *cora, state, err));
    cora = *state;
    write_meaning(cora, meaning);
    status = known_pages_open(context, VERSION, meaning, &in, err);
    if (status == SCENT_OK)
        status = read_study(cora, &in, err);
    if (status != SCENT_OK)
        close_state(cora);
    return status;
}

/* ---- crawling ---- */

static const char *name_of(const struct cora *cora, uint32_t bin)
{
    static const char *const names[] = {
        "chance that it leads to an example at once", "chance that an example is one link further",
        "chance that an example is two links further", "chance that an example is three links further"};

    return bin + 1 < cora->bins ? names[bin] : "chance that an example is farther away, or never comes";
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct cora *cora = state;
    struct text_vector text;
    double p[BINS_MAX], sum = 0;

    if (link == 0 || cora->prepared != visit->number)
        find_headings(cora, visit->page);
    cora->prepared = visit->number;
    text = text_of(cora, visit->page, link);
    model_predict(cora->model, &text, p);
    *out = (struct strategy_score){.nparts = (uint8_t)cora->nbins};
    for (uint32_t i = 0; i < cora->nbins; i++) {
        sum += p[i] * cora->mean[i];
        out->parts[i] = (struct strategy_part){
            .name = name_of(cora, cora->bin[i]), .value = p[i], .weight = (float)cora->mean[i]};
    }
    out->priority = (float)sum;
}

const struct strategy_ops strategy_cora = {
    .name = "cora",
    .summary = "what the words of a link promise: examples soon, as links of known pages taught before the crawl",
    .paper = "Rennie and McCallum 1999, Using Reinforcement Learning to Spider the Web Efficiently",
    .options = options,
    .study = study,
    .open = open_state,
    .close = close_state,
    .score = score,
};
