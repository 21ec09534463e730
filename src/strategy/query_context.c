/* query-context, query-context-weighted - the larger of what the words near a link and what the whole page say of the
 * topic's query (Pirkola and Talvensaari, strategies 2 and 3): max(bel(c), bel(u)).
 *
 * Near is at most `nodes` DOM nodes away; in the weighted one a word at distance d counts 1 - d/(nodes + 1). A context
 * is short, so its length is compared with the mean length of the contexts so far. State: 16 bytes. */
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/vec.h"
#include "page/context.h"
#include "topic/query.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED_VERSION = 1 };

struct query_context {
    const struct query *query;
    struct query_scratch *scratch;
    uint32_t distance; /* in nodes */
    bool by_path;      /* through the tree; else in text leaves */
    uint32_t *leaf_nodes; /* by_path: of the page */
    float *weights;       /* of the words near one link; 0: too far */
    size_t leaves_room, weights_room;
    bool weighted, page_lengths;
    double sum, count; /* lengths of the contexts so far */
    uint64_t begun;    /* the visit whose page `leaf_nodes` are of */
};

static const struct strategy_option options[] = {
    {"nodes", "5", "words that are at most so many DOM nodes from the link are its context",
     OPTION_WHOLE(struct query_context, distance, 0, 1000)},
    {"distance", "leaves",
     "how nodes are counted: leaves (pieces of text to the left and right of the link) or path (edges through the "
     "tree)",
     OPTION_EITHER(struct query_context, by_path, "leaves", "path")},
    {"avglen", "own",
     "what a context's length is compared with: own (the mean length of the contexts so far) or pages (that of pages)",
     OPTION_EITHER(struct query_context, page_lengths, "own", "pages")},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct query_context *qc;

    if (!context->topic->query)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %s follows a query, and the topic has none: write for example "
                           "query: '#sum(ice hockey)'", context->ops->name);
    SCENT_TRY(option_new_state(context, sizeof *qc, state, err));
    qc = *state;
    qc->weighted = context->ops == &strategy_query_context_weighted;
    qc->query = context->topic->query;
    qc->scratch = malloc(sizeof *qc->scratch);
    SCENT_BUG_IF(!qc->scratch);
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct query_context *qc = state;

    free(qc->leaf_nodes);
    free(qc->weights);
    free(qc->scratch);
    free(qc);
}

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void begin_page(struct query_context *qc, const struct strategy_visit *visit, uint32_t link)
{
    const struct page *page = visit->page;

    if (!qc->by_path || (link > 0 && qc->begun == visit->number))
        return;
    SCENT_BUG_IF(!vec_reserve(&qc->leaf_nodes, &qc->leaves_room, page->nleaves, sizeof *qc->leaf_nodes));
    context_leaf_nodes(page, qc->leaf_nodes);
    qc->begun = visit->number;
}

/* The words near a link, with weights that fall with the distance, or with 1 for each of them. */
static struct query_text text_near(struct query_context *qc, const struct page *page, uint32_t link)
{
    struct context range =
        qc->by_path ? context_path(page, link, qc->distance) : context_leaves(page, link, qc->distance);
    uint32_t count = range.end - range.first;

    if (!qc->weighted && !qc->by_path)
        return query_text_range(page, range.first, range.end);
    SCENT_BUG_IF(!vec_reserve(&qc->weights, &qc->weights_room, count, sizeof *qc->weights));
    if (qc->by_path)
        context_path_weights(page, link, qc->distance, qc->leaf_nodes, range, qc->weights);
    else
        context_leaf_weights(page, link, qc->distance, range, qc->weights);
    for (uint32_t i = 0; i < count && !qc->weighted; i++)
        qc->weights[i] = qc->weights[i] > 0 ? 1 : 0;
    return query_text_weighted(page, range.first, range.end, qc->weights);
}

static double belief_near(struct query_context *qc, const struct strategy_visit *visit, uint32_t link)
{
    struct query_text text = text_near(qc, visit->page, link);

    qc->sum += text.length;
    qc->count++;
    text.avglen = qc->page_lengths ? 0 : qc->sum / qc->count;
    return query_belief(qc->query, visit->judgement->stats, &text, qc->scratch);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double near, page = visit->judgement->query;

    begin_page(state, visit, link);
    near = belief_near(state, visit, link);
    *out = (struct strategy_score){
        .priority = (float)(near > page ? near : page),
        .nparts = 2,
        .parts = {{.name = "belief of the words near the link", .value = near},
                  {.name = "belief of the page", .value = page}},
    };
}

static scent_status save(void *state, struct buf *out)
{
    const struct query_context *qc = state;

    buf_addc(out, VERSION);
    bytes_put_double(out, qc->sum);
    bytes_put_double(out, qc->count);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct query_context *qc = state;
    struct bytes in;

    SCENT_TRY(saved_open("the query strategy", VERSION, blob, &in, err));
    qc->sum = bytes_get_double(&in);
    qc->count = bytes_get_double(&in);
    bytes_check(&in, qc->sum >= 0 && qc->count >= 0, "a count is out of range");
    return saved_end("the query strategy", &in, err);
}

/* ---- for other crawls: how long contexts are ---- */

struct meaning {
    char text[64];
};

static struct meaning meaning(const struct query_context *qc)
{
    struct meaning out;

    snprintf(out.text, sizeof out.text, "nodes: %u, distance: %s", qc->distance,
             qc->by_path ? "path" : "leaves");
    return out;
}

static scent_status learned(void *state, struct buf *out)
{
    const struct query_context *qc = state;

    saved_begin_learned(out, LEARNED_VERSION, meaning(qc).text);
    saved_put_count(out, qc->sum);
    saved_put_count(out, qc->count);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct query_context *qc = state;
    const char *name = qc->weighted ? "query-context-weighted" : "query-context";
    struct bytes in = bytes_of(blob);
    double sum, count;

    SCENT_TRY(saved_open_learned(name, LEARNED_VERSION, meaning(qc).text, &in, err));
    sum = saved_get_count(&in);
    count = saved_get_count(&in);
    SCENT_TRY(saved_end_learned(name, &in, err));
    qc->sum += weight * sum;
    qc->count += weight * count;
    return SCENT_OK;
}

/* What both strategies have in common. */
#define QUERY_CONTEXT_OPS                                                                                          \
    .paper = "Pirkola and Talvensaari, Effects of Crawling Strategies on the Performance of Focused Web Crawling", \
    .options = options, .wants = JUDGE_QUERY, .open = open_state, .close = close_state, .score = score,            \
    .save = save, .load = load, .learned = learned, .recall = recall

const struct strategy_ops strategy_query_context = {
    .name = "query-context",
    .summary = "the query's belief in the words near the link, or in the page if that is larger",
    QUERY_CONTEXT_OPS,
};

const struct strategy_ops strategy_query_context_weighted = {
    .name = "query-context-weighted",
    .summary = "as query-context, and a word counts less the farther it is from the link",
    QUERY_CONTEXT_OPS,
};
