/* pagerank - what the pages seen so far make important (Cho et al.): the ranks, and the strategy that goes by them. */
#include "strategy/pagerank.h"

#include "strategy/saved.h"
#include "strategy/strategies.h"

#include <stdlib.h>

enum { VERSION = 2, ROUNDS = 30 };
#define DAMPING .85  /* the share of a rank that follows links */
#define PRECISE 1e-4 /* the mean change of a rank, as a share of the mean rank, that ends a computation */

void pagerank_release(struct pagerank *pr)
{
    linkgraph_release(&pr->graph);
    free(pr->rank);
}

float pagerank_of(const struct pagerank *pr, uint32_t id)
{
    return id < pr->nranked ? pr->rank[id] : (float)(1 - DAMPING);
}

/* ---- ranks ---- */

static double spread(const struct pagerank *pr, const float *from, float *to)
{
    const struct linkgraph *graph = &pr->graph;
    double handed = 0, whole = graph->nurls, change = 0;
    size_t link = 0;

    for (uint32_t i = 0; i < graph->nurls; i++)
        to[i] = 0;
    for (size_t p = 0; p < graph->npages; p++) {
        size_t n = graph->pages[p].end - link;
        float share = n ? (float)DAMPING * from[graph->pages[p].id] / (float)n : 0;

        for (; link < graph->pages[p].end; link++)
            to[graph->links[link]] += share;
        handed += (double)share * (double)n;
    }
    /* What is not handed on (jumps, pages without links, URLs that are not fetched) goes to all alike. */
    for (uint32_t i = 0; i < graph->nurls; i++) {
        to[i] += (float)((whole - handed) / whole);
        change += (double)(to[i] > from[i] ? to[i] - from[i] : from[i] - to[i]);
    }
    return change / whole;
}

static void compute(struct pagerank *pr)
{
    uint32_t nurls = pr->graph.nurls;
    float *from = malloc((nurls + 1) * sizeof *from), *to = malloc((nurls + 1) * sizeof *to);

    SCENT_BUG_IF(!from || !to);
    for (uint32_t i = 0; i < nurls; i++)
        from[i] = pagerank_of(pr, i);
    for (int round = 0; round < ROUNDS; round++) {
        double change = spread(pr, from, to);
        float *swap = from;

        from = to;
        to = swap;
        if (change < PRECISE)
            break;
    }
    free(pr->rank);
    free(to);
    pr->rank = from;
    pr->nranked = nurls;
    pr->computed = pr->graph.nlinks;
    pr->stale = true;
}

void pagerank_observe(struct pagerank *pr, const struct strategy_visit *visit)
{
    size_t n = linkgraph_add(&pr->graph, visit, NULL);

    pr->hands_on = n ? DAMPING * (double)pagerank_of(pr, visit->id) / (double)n : 0;
    if (pr->graph.nlinks > pr->computed + pr->computed / 10)
        compute(pr);
}

double pagerank_of_target(const struct pagerank *pr, uint32_t id)
{
    return id < pr->nranked ? (double)pr->rank[id] : 1 - DAMPING + pr->hands_on;
}

/* Before the next computation links add up; a page that names the target twice adds little. */
float pagerank_merge(const struct pagerank *pr, uint32_t id, float kept, float found)
{
    if (id >= pr->nranked)
        return kept + (float)pr->hands_on;
    return kept > found ? kept : found;
}

void pagerank_save(const struct pagerank *pr, struct buf *out)
{
    linkgraph_save(&pr->graph, out);
    bytes_put(out, pr->nranked, 8);
    bytes_put(out, pr->computed, 8);
    saved_put_array(out, pr->rank, pr->nranked, sizeof *pr->rank);
}

void pagerank_load(struct pagerank *pr, struct bytes *in)
{
    uint64_t nranked;

    linkgraph_load(&pr->graph, in);
    nranked = bytes_get(in, 8);
    pr->computed = bytes_get(in, 8);
    if (bytes_check(in, nranked <= pr->graph.nurls, "more URLs have ranks than are known"))
        pr->rank = saved_take_array(in, nranked, sizeof *pr->rank);
    pr->nranked = in->wrong ? 0 : (uint32_t)nranked;
    pr->stale = true;
}

/* ---- the strategy ---- */

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    (void)context, (void)err;
    *state = calloc(1, sizeof(struct pagerank));
    SCENT_BUG_IF(!*state);
    return SCENT_OK;
}

static void close_state(void *state)
{
    pagerank_release(state);
    free(state);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    pagerank_observe(state, visit);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct pagerank *pr = state;
    double rank = pagerank_of_target(pr, visit->targets[link]);

    *out = (struct strategy_score){
        .priority = (float)rank,
        .nparts = 2,
        .parts = {{.name = PAGERANK_PART, .value = rank},
                  {.name = "handed on by this page", .value = pr->hands_on}},
    };
}

static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    score->priority = pagerank_merge(state, id, kept->priority, score->priority);
    score->parts[0].value = (double)score->priority;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct pagerank *pr = state;
    bool all = pr->stale;

    (void)ids, (void)room;
    pr->stale = false;
    return all ? STRATEGY_ALL : 0;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    float rank = pagerank_of(state, id);

    if (score->priority == rank)
        return false;
    score->priority = rank;
    return true;
}

/* What a candidate has: the rank of the last computation, and what links handed it since. */
static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    if (((struct pagerank *)state)->stale)
        (void)rescore(state, id, score);
    score->nparts = 1;
    score->parts[0] = (struct strategy_part){.name = PAGERANK_PART, .value = (double)score->priority};
    return true;
}

static scent_status save(void *state, struct buf *out)
{
    buf_addc(out, VERSION);
    pagerank_save(state, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct bytes in;

    SCENT_TRY(saved_open("pagerank", VERSION, blob, &in, err));
    pagerank_load(state, &in);
    return saved_end("pagerank", &in, err);
}

const struct strategy_ops strategy_pagerank = {
    .name = "pagerank",
    .summary = "the highest PageRank over the links seen so far",
    .paper = "Cho, Garcia-Molina and Page 1998, Efficient Crawling Through URL Ordering",
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .whole_graph = "ranks are computed over the links of all pages",
    .save = save,
    .load = load,
};
