/* bingo - a crawler that teaches itself: the best pages that it found train its classifier anew (Sizov and others,
 * BINGO!).
 *
 * It begins with the topic's own model, in a "learning" phase. When 200 pages were accepted (p >= .5), and again
 * whenever their number has doubled, a linear SVM on the 2,000 words of highest mutual information is trained on the
 * archetypes of the crawl: the 100 best authorities by HITS over the links seen so far, and the 100 accepted pages of
 * the largest confidence [R: 100], as far as they are surer than the mean of the pages it was trained on before, so
 * that the topic does not drift; and the seeds. Counterexamples are a sample of the rejected pages [R: 400]. From then
 * on it "harvests" by confidence. A confidence is the probability that the model in force gives to a page when it is
 * read.
 * Links of accepted pages are followed without limit, those of rejected ones through at most 2 of them in a row (a
 * tunnel), with half the confidence for each. In the learning phase preset: paper goes depth-first; ours goes by
 * confidence there, too [R].
 *
 * Own bytes: the confidence of the last accepted page (4), rejected pages since (1), depth (2). State: 4 bytes a link,
 * 12 a page; at most 1,400 pages of 256 stems, 12 bytes each (4 MB); the model, 12 bytes a word. The work of a training
 * is bounded but for HITS, which is linear in the links; its number grows with the logarithm of the accepted pages. */
#include "strategy/guided.h"
#include "strategy/linkgraph.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/rng.h"
#include "base/vec.h"
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>

enum {
    VERSION = 1,
    STEMS = 256,        /* of a document: its most frequent ones */
    ACCEPTED_MAX = 1000,
    REJECTED_MAX = 400,
    SEEDS_MAX = 100,
    ARCHETYPES = 100,   /* by each of the two rules */
    LEAST = 5,          /* examples of a class, without which nothing is trained */
    MODEL_BYTES_MAX = 1 << 24
};
#define HALF .5f

struct document {
    uint32_t page; /* its number in the graph */
    float confidence;
    bool seed;
    uint32_t count;
    uint64_t *stems; /* sorted */
    uint32_t *tf;
};

struct bingo {
    uint32_t first, words, tunnel;
    bool depth_first;
    struct guided guided;
    struct model *model; /* NULL: still learning, by the topic's */
    struct linkgraph graph;
    float *confidence; /* of each page of the graph */
    size_t confidence_room;
    struct document accepted[ACCEPTED_MAX], rejected[REJECTED_MAX];
    size_t naccepted, nrejected;
    uint64_t all_accepted, all_rejected, trained; /* trained: accepted pages at the last training */
    double sure; /* mean confidence of the pages that the model in force was trained on */
    struct rng rng;
    uint64_t seed;
    bool stale; /* the phase has changed, or a crawl resumes */
    /* the page that was looked at last */
    uint64_t decided;    /* its number, */
    uint32_t decided_id; /* and its URL: a copy of a page may have the number of the page before */
    float page_confidence;
};

static const struct strategy_option options[] = {
    {"first", "200", "accepted pages at which the classifier is trained anew, and then whenever they have doubled",
     OPTION_WHOLE(struct bingo, first, 10, 1000000)},
    {"words", "2000", "words of the classifier: those of highest mutual information",
     OPTION_WHOLE(struct bingo, words, 10, 100000)},
    {"tunnel", "2", "rejected pages in a row whose links are followed", OPTION_WHOLE(struct bingo, tunnel, 0, 255)},
    {"learning", "confidence", "the order before the first training: confidence or depth-first",
     .printed = "depth-first", OPTION_EITHER(struct bingo, depth_first, "confidence", "depth-first")},
    {0},
};

static void free_document(struct document *document)
{
    free(document->stems);
    free(document->tf);
    *document = (struct document){0};
}

static void close_state(void *state)
{
    struct bingo *bingo = state;

    for (size_t i = 0; i < bingo->naccepted; i++)
        free_document(&bingo->accepted[i]);
    for (size_t i = 0; i < bingo->nrejected; i++)
        free_document(&bingo->rejected[i]);
    guided_release(&bingo->guided);
    model_free(bingo->model);
    linkgraph_release(&bingo->graph);
    free(bingo->confidence);
    free(bingo);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct bingo *bingo;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *bingo, state, err));
    bingo = *state;
    bingo->seed = context->seed;
    rng_seed(&bingo->rng, context->seed);
    status = guided_init(&bingo->guided, context, err);
    if (status != SCENT_OK)
        close_state(bingo);
    return status;
}

/* ---- confidence ---- */

/* Its own model has two classes, TOPIC_NEGATIVE and TOPIC_POSITIVE. */
static float rate_page(struct bingo *bingo, const struct strategy_visit *visit)
{
    struct guided *guided = &bingo->guided;
    const struct page *page = visit->page;
    struct text_vector bag = {.count = page->nbag};
    double p[2];

    if (!bingo->model)
        return (float)guided_page(visit);
    SCENT_BUG_IF(!vec_reserve(&guided->items, &guided->room, page->nbag, sizeof *guided->items));
    for (uint32_t i = 0; i < page->nbag; i++)
        guided->items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    bag.items = guided->items;
    model_predict(bingo->model, &bag, p);
    return (float)p[1];
}

/* Once a page: a copy of a page is scored without being observed. */
static void decide(struct bingo *bingo, const struct strategy_visit *visit)
{
    if (bingo->decided == visit->number && bingo->decided_id == visit->id)
        return;
    bingo->decided = visit->number;
    bingo->decided_id = visit->id;
    bingo->page_confidence = rate_page(bingo, visit);
}

static bool is_accepted(const struct bingo *bingo, const struct strategy_visit *visit)
{
    return visit->seed || bingo->page_confidence >= HALF;
}

/* ---- documents ---- */

/* The frequency that at most STEMS words of the page exceed. */
static uint32_t border_of(const struct page *page)
{
    uint32_t counts[256] = {0}, above = 0, tf = 255;

    for (uint32_t i = 0; i < page->nbag; i++)
        counts[page->bag[i].tf < 255 ? page->bag[i].tf : 255]++;
    while (tf > 0 && above + counts[tf] <= STEMS)
        above += counts[tf--];
    return tf;
}

static struct document make_document(const struct bingo *bingo, const struct strategy_visit *visit)
{
    const struct page *page = visit->page;
    uint32_t border = border_of(page), n = page->nbag < STEMS ? page->nbag : STEMS, equals = n;
    struct document out = {.page = (uint32_t)bingo->graph.npages - 1,
                           .confidence = bingo->page_confidence,
                           .seed = visit->seed,
                           .stems = malloc((n + 1) * sizeof *out.stems),
                           .tf = malloc((n + 1) * sizeof *out.tf)};

    SCENT_BUG_IF(!out.stems || !out.tf);
    for (uint32_t i = 0; i < page->nbag; i++)
        equals -= page->bag[i].tf > border && equals > 0;
    for (uint32_t i = 0; i < page->nbag && out.count < n; i++) {
        if (page->bag[i].tf < border || (page->bag[i].tf == border && equals == 0))
            continue;
        equals -= page->bag[i].tf == border;
        out.stems[out.count] = page->bag[i].stem;
        out.tf[out.count++] = page->bag[i].tf;
    }
    return out;
}

/* When there are too many, the least sure one goes; the first seeds stay. */
static void keep_accepted(struct bingo *bingo, struct document document)
{
    size_t out = 0;

    document.seed &= bingo->all_accepted < SEEDS_MAX;
    if (bingo->naccepted < ACCEPTED_MAX) {
        bingo->accepted[bingo->naccepted++] = document;
        return;
    }
    while (bingo->accepted[out].seed)
        out++;
    for (size_t i = out + 1; i < ACCEPTED_MAX; i++)
        if (!bingo->accepted[i].seed && bingo->accepted[i].confidence < bingo->accepted[out].confidence)
            out = i;
    if (!(document.confidence > bingo->accepted[out].confidence)) {
        free_document(&document);
        return;
    }
    free_document(&bingo->accepted[out]);
    bingo->accepted[out] = document;
}

/* A uniform sample. */
static void keep_rejected(struct bingo *bingo, struct document document)
{
    size_t at = bingo->nrejected;

    if (at == REJECTED_MAX)
        at = rng_below(&bingo->rng, bingo->all_rejected);
    if (at >= REJECTED_MAX) {
        free_document(&document);
        return;
    }
    if (at < bingo->nrejected)
        free_document(&bingo->rejected[at]);
    else
        bingo->nrejected++;
    bingo->rejected[at] = document;
}

/* ---- archetypes ---- */

struct rank {
    float value;
    uint32_t document;
};

static int order_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Marks the best of the accepted documents by their values: those above 0 that are surer than the last examples. */
static void mark_best(const struct bingo *bingo, struct rank *ranks, bool *archetype)
{
    size_t chosen = 0;

    qsort(ranks, bingo->naccepted, sizeof *ranks, order_ranks);
    for (size_t i = 0; i < bingo->naccepted && chosen < ARCHETYPES; i++) {
        if (!(ranks[i].value > 0) || (double)bingo->accepted[ranks[i].document].confidence < bingo->sure)
            continue;
        archetype[ranks[i].document] = true;
        chosen++;
    }
}

static void choose_archetypes(const struct bingo *bingo, bool *archetype)
{
    const struct linkgraph *graph = &bingo->graph;
    float *relevance = calloc(graph->nurls + (size_t)1, sizeof *relevance), *authority;
    struct rank ranks[ACCEPTED_MAX];

    SCENT_BUG_IF(!relevance);
    for (size_t p = 0; p < graph->npages; p++)
        relevance[graph->pages[p].id] = bingo->confidence[p] >= HALF ? bingo->confidence[p] : 0;
    authority = linkgraph_authorities(graph, relevance);
    for (uint32_t i = 0; i < bingo->naccepted; i++) {
        ranks[i] = (struct rank){authority[graph->pages[bingo->accepted[i].page].id], i};
        archetype[i] = bingo->accepted[i].seed;
    }
    mark_best(bingo, ranks, archetype);
    for (uint32_t i = 0; i < bingo->naccepted; i++)
        ranks[i] = (struct rank){bingo->accepted[i].confidence, i};
    mark_best(bingo, ranks, archetype);
    free(relevance);
    free(authority);
}

/* ---- training ---- */

static struct learn_example example_of(const struct document *document, uint32_t class, struct text_weight **next)
{
    struct learn_example example = {.tf = {*next, document->count}, .class = class};

    for (uint32_t i = 0; i < document->count; i++)
        *(*next)++ = (struct text_weight){document->stems[i], document->tf[i]};
    return example;
}

/* Where the examples teach nothing the model in force stays. */
static void train(struct bingo *bingo)
{
    static const struct str classes[] = {{TOPIC_NEGATIVE, sizeof TOPIC_NEGATIVE - 1},
                                         {TOPIC_POSITIVE, sizeof TOPIC_POSITIVE - 1}};
    enum { EXAMPLES = 2 * ARCHETYPES + SEEDS_MAX + REJECTED_MAX };
    struct learn_example *examples = malloc(EXAMPLES * sizeof *examples);
    struct text_weight *cells = malloc((size_t)EXAMPLES * STEMS * sizeof *cells), *next = cells;
    struct learn_set set = {.examples = examples, .classes = classes, .nclasses = 2};
    struct model_options how = model_options_default(MODEL_SVM);
    bool archetype[ACCEPTED_MAX];
    struct model *model;
    struct errmsg err;
    double sure = 0;
    size_t narchetypes;

    SCENT_BUG_IF(!examples || !cells);
    choose_archetypes(bingo, archetype);
    for (size_t i = 0; i < bingo->naccepted; i++)
        if (archetype[i]) {
            examples[set.nexamples++] = example_of(&bingo->accepted[i], 1, &next);
            sure += (double)bingo->accepted[i].confidence;
        }
    narchetypes = set.nexamples;
    for (size_t i = 0; i < bingo->nrejected; i++)
        examples[set.nexamples++] = example_of(&bingo->rejected[i], 0, &next);
    how.max_features = bingo->words;
    how.selection = MODEL_BY_INFORMATION;
    how.seed = bingo->seed;
    if (narchetypes >= LEAST && model_train(&set, &how, &model, &err) == SCENT_OK) {
        bingo->stale |= !bingo->model;
        model_free(bingo->model);
        bingo->model = model;
        bingo->sure = sure / (double)narchetypes;
    }
    free(examples);
    free(cells);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct bingo *bingo = state;
    struct document document;

    decide(bingo, visit);
    linkgraph_add(&bingo->graph, visit, NULL);
    SCENT_BUG_IF(!vec_reserve(&bingo->confidence, &bingo->confidence_room, bingo->graph.npages,
                              sizeof *bingo->confidence));
    bingo->confidence[bingo->graph.npages - 1] = visit->seed ? 1 : bingo->page_confidence;
    document = make_document(bingo, visit);
    if (is_accepted(bingo, visit)) {
        bingo->all_accepted++;
        keep_accepted(bingo, document);
    } else {
        bingo->all_rejected++;
        keep_rejected(bingo, document);
    }
    if (bingo->all_accepted < bingo->first || bingo->all_accepted < 2 * bingo->trained || bingo->nrejected < LEAST)
        return;
    bingo->trained = bingo->all_accepted;
    train(bingo);
}

/* ---- scores ---- */

#define STEPS_PART "pages in a row that are not, up to this one"
#define SURE_PART "probability of the last page that is"
#define TRAINED_PART "the classifier was trained on pages of this crawl (1: yes, 0: no)"

enum { OWN_STEPS = sizeof(float), OWN_DEPTH, OWN_END = OWN_DEPTH + 2 };

static float priority_of(const struct bingo *bingo, const uint8_t *own)
{
    uint16_t depth;
    float sure;

    memcpy(&sure, own, sizeof sure);
    memcpy(&depth, own + OWN_DEPTH, sizeof depth);
    if (!bingo->model && bingo->depth_first && own[OWN_STEPS] == 0)
        return 1 + (float)depth;
    return ldexpf(sure, -own[OWN_STEPS]);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct bingo *bingo = state;
    uint16_t depth = (uint16_t)(visit->depth < UINT16_MAX ? visit->depth : UINT16_MAX);
    uint8_t steps = visit->own[OWN_STEPS];
    float sure;

    (void)link;
    decide(bingo, visit);
    memcpy(&sure, visit->own, sizeof sure);
    if (is_accepted(bingo, visit)) {
        sure = bingo->page_confidence;
        steps = 0;
    } else if (steps < UINT8_MAX) {
        steps++;
    }
    *out = (struct strategy_score){
        .drop = steps > bingo->tunnel,
        .nparts = 4,
        .parts = {{.name = "probability that the page is on the topic", .value = (double)bingo->page_confidence},
                  {.name = STEPS_PART, .value = steps},
                  {.name = SURE_PART, .value = (double)sure},
                  {.name = TRAINED_PART, .value = bingo->model != NULL}},
    };
    memcpy(out->own, &sure, sizeof sure);
    out->own[OWN_STEPS] = steps;
    memcpy(out->own + OWN_DEPTH, &depth, sizeof depth);
    out->priority = priority_of(bingo, out->own);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct bingo *bingo = state;
    bool all = bingo->stale;

    (void)ids, (void)room;
    bingo->stale = false;
    return all ? STRATEGY_ALL : 0;
}

/* Confidences stay what they were when the page was read: its words are gone. The phase changes their order. */
static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    float before = score->priority;

    (void)id;
    score->priority = priority_of(state, score->own);
    return score->priority != before;
}

static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    const struct bingo *bingo = state;
    float sure;

    (void)rescore(state, id, score);
    memcpy(&sure, score->own, sizeof sure);
    score->nparts = 3;
    score->parts[0] = (struct strategy_part){.name = STEPS_PART, .value = score->own[OWN_STEPS]};
    score->parts[1] = (struct strategy_part){.name = SURE_PART, .value = (double)sure};
    score->parts[2] = (struct strategy_part){.name = TRAINED_PART, .value = bingo->model != NULL};
    return true;
}

/* ---- keeping ---- */

static void save_document(const struct document *document, struct buf *out)
{
    bytes_put(out, document->page, 4);
    bytes_put_float(out, document->confidence);
    bytes_put(out, document->seed, 1);
    bytes_put(out, document->count, 2);
    saved_put_array(out, document->stems, document->count, sizeof *document->stems);
    saved_put_array(out, document->tf, document->count, sizeof *document->tf);
}

static void load_document(const struct bingo *bingo, struct document *document, struct bytes *in)
{
    document->page = (uint32_t)bytes_get(in, 4);
    document->confidence = bytes_get_float(in);
    document->seed = bytes_get(in, 1);
    document->count = (uint32_t)bytes_get(in, 2);
    bytes_check(in, document->page < bingo->graph.npages && document->count <= STEMS, "a document is out of place");
    if (in->wrong)
        document->count = 0;
    document->stems = saved_take_array(in, document->count, sizeof *document->stems);
    document->tf = saved_take_array(in, document->count, sizeof *document->tf);
    for (uint32_t i = 1; i < document->count && !in->wrong; i++)
        bytes_check(in, document->stems[i - 1] < document->stems[i], "the words of a document are not sorted");
}

static scent_status save(void *state, struct buf *out)
{
    const struct bingo *bingo = state;
    struct buf model;
    scent_status status = SCENT_OK;

    buf_addc(out, VERSION);
    linkgraph_save(&bingo->graph, out);
    saved_put_array(out, bingo->confidence, bingo->graph.npages, sizeof *bingo->confidence);
    bytes_put(out, bingo->naccepted, 4);
    bytes_put(out, bingo->nrejected, 4);
    for (size_t i = 0; i < bingo->naccepted; i++)
        save_document(&bingo->accepted[i], out);
    for (size_t i = 0; i < bingo->nrejected; i++)
        save_document(&bingo->rejected[i], out);
    bytes_put(out, bingo->all_accepted, 8);
    bytes_put(out, bingo->all_rejected, 8);
    bytes_put(out, bingo->trained, 8);
    bytes_put_double(out, bingo->sure);
    saved_put_array(out, bingo->rng.s, sizeof bingo->rng.s / sizeof *bingo->rng.s, sizeof *bingo->rng.s);
    buf_init(&model, MODEL_BYTES_MAX);
    if (bingo->model)
        status = model_write(bingo->model, &model);
    bytes_put_str(out, buf_str(&model), 4);
    buf_release(&model);
    return status != SCENT_OK ? status : out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct bingo *bingo = state;
    uint64_t naccepted, nrejected;
    struct str model;
    struct bytes in;

    SCENT_TRY(saved_open("bingo", VERSION, blob, &in, err));
    linkgraph_load(&bingo->graph, &in);
    bingo->confidence = saved_take_array(&in, bingo->graph.npages, sizeof *bingo->confidence);
    bingo->confidence_room = bingo->confidence ? bingo->graph.npages : 0;
    naccepted = bytes_get(&in, 4);
    nrejected = bytes_get(&in, 4);
    if (!bytes_check(&in, naccepted <= ACCEPTED_MAX && nrejected <= REJECTED_MAX, "it has too many documents"))
        naccepted = nrejected = 0;
    while (bingo->naccepted < naccepted && !in.wrong)
        load_document(bingo, &bingo->accepted[bingo->naccepted++], &in);
    while (bingo->nrejected < nrejected && !in.wrong)
        load_document(bingo, &bingo->rejected[bingo->nrejected++], &in);
    bingo->all_accepted = bytes_get(&in, 8);
    bingo->all_rejected = bytes_get(&in, 8);
    bingo->trained = bytes_get(&in, 8);
    bingo->sure = bytes_get_double(&in);
    saved_get_array(&in, bingo->rng.s, sizeof bingo->rng.s / sizeof *bingo->rng.s, sizeof *bingo->rng.s);
    bytes_check(&in, bingo->all_rejected >= bingo->nrejected, "it kept more pages than it rejected");
    model = bytes_get_str(&in, 4, MODEL_BYTES_MAX);
    bingo->stale = true;
    SCENT_TRY(saved_end("bingo", &in, err));
    if (model.len)
        SCENT_TRY(model_read(model, "the state of bingo", &bingo->model, err));
    return !bingo->model || model_nclasses(bingo->model) == 2
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_FORMAT, "the state of bingo has a model of other classes");
}

const struct strategy_ops strategy_bingo = {
    .name = "bingo",
    .summary = "by a classifier that is trained anew on the best pages found: authorities, and those it is surest of",
    .paper = "Sizov and others 2003, The BINGO! System for Information Portal Generation and Expert Web Search",
    .options = options,
    .wants = JUDGE_CLASSES,
    .own_bytes = OWN_END,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
};
