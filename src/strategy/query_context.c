/* query-context, query-context-weighted - the larger of what the words near a link and what the whole page say of the
 * topic's query (Pirkola and Talvensaari, strategies 2 and 3): max(bel(c), bel(u)).
 *
 * Near is at most `nodes` DOM nodes away; in the weighted one a word at distance d counts 1 - d/(nodes + 1). A context is
 * short, so its length is compared with the mean length of the contexts so far. State: 16 bytes. */
#include "strategy/array.h"
#include "strategy/context_words.h"
#include "strategy/counts.h"
#include "strategy/option.h"
#include "strategy/pirkola.h"
#include "strategy/saved.h"
#include "topic/query.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED_VERSION = 1 };

struct query_context {
    const struct query *query;
    struct query_scratch *scratch;
    struct context_words words;
    bool weighted, page_lengths;
    double sum, count; /* lengths of the contexts so far */
    uint64_t begun;    /* the visit whose page `words` is prepared for */
};

static const struct strategy_option options[] = {
    {"nodes", "5", "words that are at most so many DOM nodes from the link are its context"},
    {"distance", "leaves",
     "how nodes are counted: leaves (pieces of text to the left and right of the link) or path (edges through the tree)"},
    {"avglen", "own",
     "what a context's length is compared with: own (the mean length of the contexts so far) or pages (that of pages)"},
    {0},
};

static scent_status read_options(const struct strategy_ops *ops, const struct topic *topic, struct query_context *out,
                                 struct errmsg *err)
{
    static const char *const distances[] = {"leaves", "path", NULL}, *const lengths[] = {"own", "pages", NULL};
    unsigned distance = 0, length = 0;
    scent_status status = option_u32(ops, topic, "nodes", 0, 1000, &out->words.distance, err);

    if (status == SCENT_OK)
        status = option_choice(ops, topic, "distance", distances, &distance, err);
    if (status == SCENT_OK)
        status = option_choice(ops, topic, "avglen", lengths, &length, err);
    out->words.by_path = distance == 1;
    out->page_lengths = length == 1;
    out->weighted = ops == &strategy_query_context_weighted;
    return status;
}

static scent_status open_with(const struct strategy_ops *ops, const struct strategy_context *context, void **state,
                              struct errmsg *err)
{
    struct query_context *qc;
    scent_status status;

    if (!context->topic->query)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %s follows a query, and the topic has none: write for example query: '#sum(ice hockey)'",
                           ops->name);
    qc = calloc(1, sizeof *qc);
    SCENT_BUG_IF(!qc);
    status = read_options(ops, context->topic, qc, err);
    if (status != SCENT_OK) {
        free(qc);
        return status;
    }
    qc->query = context->topic->query;
    qc->scratch = malloc(sizeof *qc->scratch);
    SCENT_BUG_IF(!qc->scratch);
    *state = qc;
    return SCENT_OK;
}

static scent_status open_plain(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return open_with(&strategy_query_context, context, state, err);
}

static scent_status open_weighted(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return open_with(&strategy_query_context_weighted, context, state, err);
}

static void close_state(void *state)
{
    struct query_context *qc = state;

    context_words_release(&qc->words);
    free(qc->scratch);
    free(qc);
}

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void begin(struct query_context *qc, const struct strategy_visit *visit, uint32_t link)
{
    if (link > 0 && qc->begun == visit->number)
        return;
    context_words_begin(&qc->words, visit->page);
    qc->begun = visit->number;
}

static double belief_near(struct query_context *qc, const struct strategy_visit *visit, uint32_t link)
{
    const float *weights;
    struct context range = context_words_near(&qc->words, visit->page, link, &weights);
    struct query_text text;

    if (!qc->weighted && !qc->words.by_path)
        text = query_text_range(visit->page, range.first, range.end);
    else
        text = query_text_weighted(visit->page, range.first, range.end,
                                   qc->weighted ? weights : context_words_flatten(&qc->words, range));
    qc->sum += text.length;
    qc->count++;
    text.avglen = qc->page_lengths ? 0 : qc->sum / qc->count;
    return query_belief(qc->query, visit->judgement->stats, &text, qc->scratch);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    double near, page = visit->judgement->query;

    begin(state, visit, link);
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
    const double lengths[] = {qc->sum, qc->count};

    buf_addc(out, VERSION);
    array_put(out, lengths, sizeof lengths);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct query_context *qc = state;
    double lengths[2];
    scent_status status = saved_open("the query strategy", VERSION, &blob, err);

    if (status != SCENT_OK)
        return status;
    if (!array_get(&blob, lengths, sizeof lengths) || blob.len || !(lengths[0] >= 0) || !(lengths[1] >= 0))
        return saved_fail("the query strategy", NULL, err);
    qc->sum = lengths[0];
    qc->count = lengths[1];
    return SCENT_OK;
}

/* ---- for other crawls: how long contexts are ---- */

struct meaning {
    char text[64];
};

static struct meaning meaning(const struct query_context *qc)
{
    struct meaning out;

    snprintf(out.text, sizeof out.text, "nodes: %u, distance: %s", qc->words.distance,
             qc->words.by_path ? "path" : "leaves");
    return out;
}

static scent_status learned(void *state, struct buf *out)
{
    const struct query_context *qc = state;

    counts_put_head(out, LEARNED_VERSION, meaning(qc).text);
    counts_put(out, qc->sum);
    counts_put(out, qc->count);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct query_context *qc = state;
    const char *name = qc->weighted ? "query-context-weighted" : "query-context";
    struct bytes in = bytes_of(blob);
    scent_status status = counts_get_head(&in, name, LEARNED_VERSION, meaning(qc).text, err);
    double sum, count;

    if (status != SCENT_OK)
        return status;
    sum = counts_get(&in);
    count = counts_get(&in);
    status = counts_end(&in, name, err);
    if (status == SCENT_OK) {
        qc->sum += weight * sum;
        qc->count += weight * count;
    }
    return status;
}

#define PAPER "Pirkola and Talvensaari, Effects of Crawling Strategies on the Performance of Focused Web Crawling"

const struct strategy_ops strategy_query_context = {
    .name = "query-context",
    .summary = "the query's belief in the words near the link, or in the page if that is larger",
    .paper = PAPER,
    .options = options,
    .wants = JUDGE_QUERY,
    .open = open_plain,
    .close = close_state,
    .score = score,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};

const struct strategy_ops strategy_query_context_weighted = {
    .name = "query-context-weighted",
    .summary = "as query-context, and a word counts less the farther it is from the link",
    .paper = PAPER,
    .options = options,
    .wants = JUDGE_QUERY,
    .open = open_weighted,
    .close = close_state,
    .score = score,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
