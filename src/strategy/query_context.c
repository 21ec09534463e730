/* query-context, query-context-weighted - the larger of what the words near a link and what the whole page say of the
 * topic's query (Pirkola and Talvensaari, strategies 2 and 3): max(bel(c), bel(u)).
 *
 * Near is at most `nodes` DOM nodes away; in the weighted one a word at distance d counts 1 - d/(nodes + 1). A context
 * is short, so its length is compared with the mean length of the contexts so far.
 *
 * Beliefs depend on statistics that are counted during the crawl. Candidates that were scored with old ones would stand
 * in one queue with those of new ones, so what was counted of a link and of its page is kept, and all candidates are
 * scored again when the statistics have changed much (MUCH): at most once for each snapshot of the judge. Bounded: the
 * last 32,768 URLs (36 bytes each) and 8,192 pages (4 bytes, and 2 a term of the query); older candidates keep their
 * scores, and so do all with a query of more than 255 terms. */
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/vec.h"
#include "page/context.h"
#include "topic/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 3,
    LEARNED_VERSION = 1,
    KEPT_URLS = 1 << 15,
    KEPT_PAGES = 1 << 13,
    KEPT_TERMS = 255,
    HITS = 6,     /* terms of a context that are kept: of those that stand there, the first ones of the query */
    TF_STEPS = 8, /* a frequency near a link is kept as a multiple of 1/8, at most 255 of them */
    RATIOS = 10   /* 1/10: a mean length has changed much */
};
#define MUCH .02 /* an idf, which is from 0 to 1, has changed much */

/* What was counted near a link. */
struct evidence {
    uint32_t id;     /* of the URL that it leads to */
    uint32_t page;   /* the number of its page among those that were scored, from 1; 0: nothing is kept here */
    float length;    /* of the context */
    float priority;  /* that it gave, */
    uint32_t pass;   /* and when: scores of the last pass need not be computed again */
    uint8_t nhits;
    struct hit {
        uint8_t term, tf; /* in TF_STEPS */
    } hits[HITS];
};

/* Statistics that scores depend on. */
struct statistics {
    struct query_stats stats; /* with `idf` alone */
    double *idf;
    double contexts; /* their mean length */
};

struct query_context {
    const struct query *query;
    struct query_scratch *scratch;
    uint32_t distance; /* in nodes */
    bool by_path;      /* through the tree; else in text leaves */
    uint32_t *leaf_nodes; /* by_path: of the page */
    float *weights;       /* of the words near one link; 0: too far */
    size_t leaves_room, weights_room;
    bool weighted, page_lengths;
    double sum, count; /* lengths of the contexts so far; */
    double recalled_sum, recalled_count; /* of other crawls */
    uint64_t begun;    /* the visit whose page was looked at last */

    size_t nterms;     /* of the query; 0: nothing is kept */
    uint32_t pages;    /* that were scored */
    uint16_t *page_tf; /* [page % KEPT_PAGES][term] */
    uint32_t *page_length;
    struct evidence *evidence; /* [id % KEPT_URLS] */
    struct statistics now, scored; /* of the judge's last snapshot, and at the last time that all were scored */
    uint32_t version;              /* of that snapshot */
    uint32_t pass;                 /* how often all were scored again */
    bool is_stale, is_restored;    /* restored: the frontier has the scores of the time when links were found */
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
    qc->nterms = query_terms(qc->query) <= KEPT_TERMS ? query_terms(qc->query) : 0;
    qc->page_tf = calloc(KEPT_PAGES * qc->nterms + 1, sizeof *qc->page_tf);
    qc->page_length = calloc(KEPT_PAGES, sizeof *qc->page_length);
    qc->evidence = calloc(KEPT_URLS, sizeof *qc->evidence);
    qc->now.idf = calloc(qc->nterms + 1, sizeof *qc->now.idf);
    qc->scored.idf = calloc(qc->nterms + 1, sizeof *qc->scored.idf);
    SCENT_BUG_IF(!qc->scratch || !qc->page_tf || !qc->page_length || !qc->evidence || !qc->now.idf || !qc->scored.idf);
    qc->now.stats.idf = qc->now.idf;
    qc->scored.stats.idf = qc->scored.idf;
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct query_context *qc = state;

    free(qc->leaf_nodes);
    free(qc->weights);
    free(qc->page_tf);
    free(qc->page_length);
    free(qc->evidence);
    free(qc->now.idf);
    free(qc->scored.idf);
    free(qc->scratch);
    free(qc);
}

/* ---- statistics that change ---- */

static bool differs_much(double a, double b)
{
    return fabs(a - b) * RATIOS > b;
}

static void copy_statistics(const struct query_context *qc, const struct statistics *from, struct statistics *to)
{
    memcpy(to->idf, from->idf, qc->nterms * sizeof *to->idf);
    to->stats.avglen = from->stats.avglen;
    to->contexts = from->contexts;
}

static double mean_length(const struct query_context *qc)
{
    double count = qc->count + qc->recalled_count;

    return count > 0 ? (qc->sum + qc->recalled_sum) / count : 0;
}

/* Looks at a new snapshot of the judge. Contexts come by the dozen with every page: their mean is looked at then, too,
 * and while there are few of them. */
static void note_statistics(struct query_context *qc, const struct judgement *judgement)
{
    const struct query_stats *stats = judgement->stats;
    bool is_first = qc->scored.stats.avglen == 0, much;

    qc->now.contexts = mean_length(qc);
    much = !qc->page_lengths && qc->scored.contexts > 0 && differs_much(qc->now.contexts, qc->scored.contexts);
    if (judgement->version != qc->version || is_first) {
        qc->version = judgement->version;
        memcpy(qc->now.idf, stats->idf, qc->nterms * sizeof *qc->now.idf);
        qc->now.stats.avglen = stats->avglen;
        much |= differs_much(qc->now.stats.avglen, qc->scored.stats.avglen);
        for (size_t i = 0; i < qc->nterms; i++)
            much |= fabs(qc->now.idf[i] - qc->scored.idf[i]) > MUCH;
    }
    if (is_first || (qc->scored.contexts == 0 && qc->now.contexts > 0))
        copy_statistics(qc, &qc->now, &qc->scored); /* nothing, or nothing near a link, was scored before */
    else
        qc->is_stale |= much;
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct query_context *qc = state;

    if (qc->nterms && visit->judgement->stats)
        note_statistics(qc, visit->judgement);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct query_context *qc = state;

    (void)ids, (void)room;
    if (!qc->is_stale && !qc->is_restored)
        return 0;
    if (qc->is_stale) {
        copy_statistics(qc, &qc->now, &qc->scored);
        qc->pass++;
    }
    qc->is_stale = qc->is_restored = false;
    return STRATEGY_ALL;
}

/* ---- what is kept of pages and links ---- */

static void keep_page(struct query_context *qc, const struct page *page)
{
    struct query_text text = query_text_page(page);
    uint16_t *tf;

    qc->pages++;
    tf = qc->page_tf + (size_t)(qc->pages % KEPT_PAGES) * qc->nterms;
    query_count(qc->query, &text, qc->scratch);
    for (size_t i = 0; i < qc->nterms; i++)
        tf[i] = (uint16_t)fmin(qc->scratch->tf[i], UINT16_MAX);
    qc->page_length[qc->pages % KEPT_PAGES] = (uint32_t)text.length;
}

/* scratch->tf is that of the context. Of several links to a URL the one with the larger priority counts, as in the
 * frontier. */
static void keep_link(struct query_context *qc, uint32_t id, double length, double priority)
{
    struct evidence *evidence = &qc->evidence[id % KEPT_URLS];

    if (!qc->nterms || id == STRATEGY_UNKNOWN ||
        (evidence->page && evidence->id == id && evidence->priority >= (float)priority))
        return;
    *evidence = (struct evidence){
        .id = id, .page = qc->pages, .length = (float)length, .priority = (float)priority, .pass = qc->pass};
    for (size_t i = 0; i < qc->nterms && evidence->nhits < HITS; i++)
        if (qc->scratch->tf[i] > 0)
            evidence->hits[evidence->nhits++] =
                (struct hit){(uint8_t)i, (uint8_t)fmin(fmax(round(qc->scratch->tf[i] * TF_STEPS), 1), 255)};
}

/* The two beliefs by the statistics of the last pass; false: too little is kept of this URL. */
static bool believe_again(struct query_context *qc, uint32_t id, double *near, double *page)
{
    const struct evidence *evidence = &qc->evidence[id % KEPT_URLS];
    const uint16_t *tf = qc->page_tf + (size_t)(evidence->page % KEPT_PAGES) * qc->nterms;

    if (!qc->nterms || !evidence->page || evidence->id != id || qc->pages - evidence->page >= KEPT_PAGES)
        return false;
    memset(qc->scratch->tf, 0, qc->nterms * sizeof *qc->scratch->tf);
    for (unsigned i = 0; i < evidence->nhits; i++)
        qc->scratch->tf[evidence->hits[i].term] = (double)evidence->hits[i].tf / TF_STEPS;
    *near = query_belief_counted(qc->query, &qc->scored.stats, qc->scratch->tf, (double)evidence->length,
                                 qc->page_lengths ? 0 : qc->scored.contexts);
    for (size_t i = 0; i < qc->nterms; i++)
        qc->scratch->tf[i] = tf[i];
    *page = query_belief_counted(qc->query, &qc->scored.stats, qc->scratch->tf,
                                 qc->page_length[evidence->page % KEPT_PAGES], 0);
    return true;
}

static struct strategy_score score_of(double near, double page)
{
    return (struct strategy_score){
        .priority = (float)(near > page ? near : page),
        .nparts = 2,
        .parts = {{.name = "belief of the words near the link", .value = near},
                  {.name = "belief of the page", .value = page}},
    };
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    struct query_context *qc = state;
    struct evidence *evidence = &qc->evidence[id % KEPT_URLS];
    double near, page;
    float before = score->priority;

    qc->is_restored = false; /* a fusion restores the scores of all its parts in one pass */
    if (!believe_again(qc, id, &near, &page))
        return false;
    if (evidence->pass != qc->pass) {
        evidence->priority = score_of(near, page).priority;
        evidence->pass = qc->pass;
    }
    score->priority = evidence->priority;
    return score->priority != before;
}

static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    double near, page;

    if (!believe_again(state, id, &near, &page))
        return false;
    *score = score_of(near, page);
    return true;
}

/* ---- scoring ---- */

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void begin_page(struct query_context *qc, const struct strategy_visit *visit, uint32_t link)
{
    const struct page *page = visit->page;

    if (link > 0 && qc->begun == visit->number)
        return;
    qc->begun = visit->number;
    if (qc->nterms)
        keep_page(qc, page);
    if (!qc->by_path)
        return;
    SCENT_BUG_IF(!vec_reserve(&qc->leaf_nodes, &qc->leaves_room, page->nleaves, sizeof *qc->leaf_nodes));
    context_leaf_nodes(page, qc->leaf_nodes);
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

static double belief_near(struct query_context *qc, const struct strategy_visit *visit, uint32_t link, double *length)
{
    struct query_text text = text_near(qc, visit->page, link);

    *length = text.length;
    qc->sum += text.length;
    qc->count++;
    text.avglen = qc->page_lengths ? 0 : mean_length(qc);
    return query_belief(qc->query, visit->judgement->stats, &text, qc->scratch);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct query_context *qc = state;
    double near, length, page = visit->judgement->query;

    begin_page(qc, visit, link);
    near = belief_near(qc, visit, link, &length);
    *out = score_of(near, page);
    keep_link(qc, visit->targets ? visit->targets[link] : STRATEGY_UNKNOWN, length, out->priority);
}

/* ---- keeping ---- */

static void put_statistics(const struct query_context *qc, const struct statistics *statistics, struct buf *out)
{
    for (size_t i = 0; i < qc->nterms; i++)
        bytes_put_double(out, statistics->idf[i]);
    bytes_put_double(out, statistics->stats.avglen);
    bytes_put_double(out, statistics->contexts);
}

static void get_statistics(const struct query_context *qc, struct bytes *in, struct statistics *statistics)
{
    for (size_t i = 0; i < qc->nterms; i++)
        statistics->idf[i] = bytes_get_double(in);
    statistics->stats.avglen = bytes_get_double(in);
    statistics->contexts = bytes_get_double(in);
    bytes_check(in, statistics->stats.avglen >= 0 && statistics->contexts >= 0, "a mean length is out of range");
}

static void put_evidence(const struct query_context *qc, struct buf *out)
{
    uint32_t kept = qc->pages < KEPT_PAGES ? qc->pages : KEPT_PAGES, nlinks = 0;

    for (size_t i = 0; i < KEPT_URLS; i++)
        nlinks += qc->evidence[i].page && qc->pages - qc->evidence[i].page < kept;
    bytes_put(out, qc->pages, 4);
    for (uint32_t page = qc->pages - kept + 1; kept && page <= qc->pages; page++) {
        bytes_put(out, qc->page_length[page % KEPT_PAGES], 4);
        saved_put_array(out, qc->page_tf + (size_t)(page % KEPT_PAGES) * qc->nterms, qc->nterms, sizeof *qc->page_tf);
    }
    bytes_put(out, nlinks, 4);
    for (size_t i = 0; i < KEPT_URLS; i++) {
        const struct evidence *evidence = &qc->evidence[i];

        if (!evidence->page || qc->pages - evidence->page >= kept)
            continue;
        bytes_put(out, evidence->id, 4);
        bytes_put(out, evidence->page, 4);
        bytes_put_float(out, evidence->length);
        bytes_put_float(out, evidence->priority);
        bytes_put(out, evidence->pass, 4);
        bytes_put(out, evidence->nhits, 1);
        for (unsigned k = 0; k < evidence->nhits; k++) {
            bytes_put(out, evidence->hits[k].term, 1);
            bytes_put(out, evidence->hits[k].tf, 1);
        }
    }
}

static void get_evidence(struct query_context *qc, struct bytes *in)
{
    uint32_t kept, nlinks;

    qc->pages = (uint32_t)bytes_get(in, 4);
    kept = qc->pages < KEPT_PAGES ? qc->pages : KEPT_PAGES;
    for (uint32_t page = qc->pages - kept + 1; kept && page <= qc->pages && !in->wrong; page++) {
        qc->page_length[page % KEPT_PAGES] = (uint32_t)bytes_get(in, 4);
        saved_get_array(in, qc->page_tf + (size_t)(page % KEPT_PAGES) * qc->nterms, qc->nterms, sizeof *qc->page_tf);
    }
    nlinks = (uint32_t)bytes_get(in, 4);
    for (uint32_t i = 0; i < nlinks && !in->wrong; i++) {
        struct evidence evidence = {.id = (uint32_t)bytes_get(in, 4), .page = (uint32_t)bytes_get(in, 4)};

        evidence.length = bytes_get_float(in);
        evidence.priority = bytes_get_float(in);
        evidence.pass = (uint32_t)bytes_get(in, 4);
        evidence.nhits = (uint8_t)bytes_get(in, 1);
        if (!bytes_check(in, evidence.page && qc->pages - evidence.page < kept && evidence.nhits <= HITS &&
                                 evidence.length >= 0, "a link is out of range"))
            return;
        for (unsigned k = 0; k < evidence.nhits; k++) {
            evidence.hits[k] = (struct hit){(uint8_t)bytes_get(in, 1), (uint8_t)bytes_get(in, 1)};
            bytes_check(in, evidence.hits[k].term < qc->nterms, "a term is out of range");
        }
        if (!in->wrong)
            qc->evidence[evidence.id % KEPT_URLS] = evidence;
    }
}

static scent_status save(void *state, struct buf *out)
{
    const struct query_context *qc = state;

    buf_addc(out, VERSION);
    bytes_put_double(out, qc->sum);
    bytes_put_double(out, qc->count);
    bytes_put_double(out, qc->recalled_sum);
    bytes_put_double(out, qc->recalled_count);
    bytes_put(out, qc->nterms, 4);
    bytes_put(out, qc->pass, 4);
    bytes_put(out, qc->is_stale, 1);
    put_statistics(qc, &qc->now, out);
    put_statistics(qc, &qc->scored, out);
    put_evidence(qc, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct query_context *qc = state;
    struct bytes in;

    SCENT_TRY(saved_open("the query strategy", VERSION, blob, &in, err));
    qc->sum = bytes_get_double(&in);
    qc->count = bytes_get_double(&in);
    qc->recalled_sum = bytes_get_double(&in);
    qc->recalled_count = bytes_get_double(&in);
    bytes_check(&in, qc->sum >= 0 && qc->count >= 0 && qc->recalled_sum >= 0 && qc->recalled_count >= 0,
                "a count is out of range");
    if (bytes_check(&in, bytes_get(&in, 4) == qc->nterms, "it is of another query")) {
        qc->pass = (uint32_t)bytes_get(&in, 4);
        qc->is_stale = bytes_get(&in, 1) != 0;
        get_statistics(qc, &in, &qc->now);
        get_statistics(qc, &in, &qc->scored);
        get_evidence(qc, &in);
        qc->is_restored = true;
    }
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
    saved_put_count(out, saved_round(qc->sum) + qc->recalled_sum);
    saved_put_count(out, qc->count + qc->recalled_count);
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
    qc->recalled_sum += saved_weigh(sum, weight);
    qc->recalled_count += saved_weigh(count, weight);
    return SCENT_OK;
}

/* What both strategies have in common. */
#define QUERY_CONTEXT_OPS                                                                                          \
    .paper = "Pirkola and Talvensaari, Effects of Crawling Strategies on the Performance of Focused Web Crawling", \
    .options = options, .wants = JUDGE_QUERY, .open = open_state, .close = close_state, .observe = observe,        \
    .score = score, .stale = stale, .rescore = rescore, .explain = explain, .save = save, .load = load,            \
    .learned = learned, .recall = recall

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
