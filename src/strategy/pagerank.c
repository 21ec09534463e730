/* pagerank - what the pages seen so far make important (Cho et al.).
 *
 * Rank flows over the links of examined pages; a URL that is not fetched yet gets what flows into it, and hands nothing
 * on. The ranks are computed anew when the graph has grown by a tenth, so the work a page stays constant on average;
 * between two computations a new link adds what its page would hand it. Priorities are ranks times the number of URLs:
 * 1 is the mean.
 * State: 4 bytes a link, 8 a page, 12 a URL. */
#include "strategy/classics.h"
#include "strategy/option.h"

#include <stdlib.h>

enum { VERSION = 1, ROUNDS = 30 };
#define PRECISE 1e-4 /* the mean change of a rank, as a share of the mean rank, that ends a computation */

struct pagerank {
    double damping;
    uint32_t *links;  /* targets, page by page, each once a page */
    size_t nlinks, links_room;
    struct pagerank_page {
        uint32_t id, end; /* its links end at links[end] */
    } *pages;
    size_t npages, pages_room;
    uint32_t nurls;   /* the largest id + 1 */
    float *rank;      /* of the URLs known at the last computation; the mean is 1 */
    uint32_t nranked;
    size_t computed;  /* links at the last computation */
    double hands_on;  /* what each link of the page that is being scored gets */
    bool stale;
};

static const struct strategy_option options[] = {
    {"damping", "0.85", "the share of a rank that follows links"},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct pagerank *pr = calloc(1, sizeof *pr);
    scent_status status;

    SCENT_BUG_IF(!pr);
    status = option_double(&strategy_pagerank, context->topic, "damping", 0, .999, &pr->damping, err);
    if (status == SCENT_OK)
        *state = pr;
    else
        free(pr);
    return status;
}

static void close_state(void *state)
{
    struct pagerank *pr = state;

    free(pr->links);
    free(pr->pages);
    free(pr->rank);
    free(pr);
}

/* ---- the graph ---- */

static void *grow(void *items, size_t *room, size_t want, size_t size)
{
    if (want <= *room)
        return items;
    *room = want + want / 2 + 64;
    items = realloc(items, *room * size);
    SCENT_BUG_IF(!items);
    return items;
}

static void know(struct pagerank *pr, uint32_t id)
{
    if (id >= pr->nurls)
        pr->nurls = id + 1;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Links to itself and those that stand there twice say nothing. */
static size_t add_links(struct pagerank *pr, const struct strategy_visit *visit)
{
    size_t first = pr->nlinks, kept = first;

    pr->links = grow(pr->links, &pr->links_room, first + visit->page->nlinks, sizeof *pr->links);
    for (uint32_t i = 0; i < visit->page->nlinks; i++)
        if (visit->targets[i] != STRATEGY_UNKNOWN && visit->targets[i] != visit->id)
            pr->links[pr->nlinks++] = visit->targets[i];
    qsort(pr->links + first, pr->nlinks - first, sizeof *pr->links, by_number);
    for (size_t i = first; i < pr->nlinks; i++)
        if (i == first || pr->links[i] != pr->links[i - 1])
            pr->links[kept++] = pr->links[i];
    pr->nlinks = kept;
    for (size_t i = first; i < kept; i++)
        know(pr, pr->links[i]);
    return kept - first;
}

static float rank_of(const struct pagerank *pr, uint32_t id)
{
    return id < pr->nranked ? pr->rank[id] : (float)(1 - pr->damping);
}

/* ---- ranks ---- */

static double spread(const struct pagerank *pr, const float *from, float *to)
{
    double handed = 0, whole = pr->nurls, change = 0;
    size_t link = 0;

    for (uint32_t i = 0; i < pr->nurls; i++)
        to[i] = 0;
    for (size_t p = 0; p < pr->npages; p++) {
        size_t n = pr->pages[p].end - link;
        float share = n ? (float)pr->damping * from[pr->pages[p].id] / (float)n : 0;

        for (; link < pr->pages[p].end; link++)
            to[pr->links[link]] += share;
        handed += (double)share * (double)n;
    }
    /* What is not handed on (jumps, pages without links, URLs that are not fetched) goes to all alike. */
    for (uint32_t i = 0; i < pr->nurls; i++) {
        to[i] += (float)((whole - handed) / whole);
        change += (double)(to[i] > from[i] ? to[i] - from[i] : from[i] - to[i]);
    }
    return change / whole;
}

static void compute(struct pagerank *pr)
{
    float *from = malloc((pr->nurls + 1) * sizeof *from), *to = malloc((pr->nurls + 1) * sizeof *to);

    SCENT_BUG_IF(!from || !to);
    for (uint32_t i = 0; i < pr->nurls; i++)
        from[i] = rank_of(pr, i);
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
    pr->nranked = pr->nurls;
    pr->computed = pr->nlinks;
    pr->stale = true;
}

/* ---- the strategy ---- */

static void observe(void *state, const struct strategy_visit *visit)
{
    struct pagerank *pr = state;
    size_t n;

    know(pr, visit->id);
    pr->pages = grow(pr->pages, &pr->pages_room, pr->npages + 1, sizeof *pr->pages);
    n = add_links(pr, visit);
    pr->pages[pr->npages++] = (struct pagerank_page){visit->id, (uint32_t)pr->nlinks};
    pr->hands_on = n ? pr->damping * (double)rank_of(pr, visit->id) / (double)n : 0;
    if (pr->nlinks > pr->computed + pr->computed / 10)
        compute(pr);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct pagerank *pr = state;
    uint32_t id = visit->targets[link];
    double rank = id < pr->nranked ? (double)pr->rank[id] : 1 - pr->damping + pr->hands_on;

    *out = (struct strategy_score){
        .priority = (float)rank,
        .nparts = 2,
        .parts = {{"rank (the mean is 1)", rank}, {"handed on by this page", pr->hands_on}},
    };
}

/* Before the next computation links add up; a page that names the target twice adds little. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    struct pagerank *pr = state;

    if (id >= pr->nranked)
        score->priority = kept->priority + (float)pr->hands_on;
    else if (kept->priority > score->priority)
        score->priority = kept->priority;
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
    float rank = rank_of(state, id);

    if (score->priority == rank)
        return false;
    score->priority = rank;
    return true;
}

/* ---- keeping ---- */

static void put(struct buf *out, const void *p, size_t size)
{
    if (size)
        buf_add(out, (struct str){p, size});
}

static scent_status save(void *state, struct buf *out)
{
    struct pagerank *pr = state;
    const uint64_t sizes[] = {pr->npages, pr->nlinks, pr->nranked, pr->nurls, pr->computed};

    buf_addc(out, VERSION);
    put(out, sizes, sizeof sizes);
    put(out, pr->pages, pr->npages * sizeof *pr->pages);
    put(out, pr->links, pr->nlinks * sizeof *pr->links);
    put(out, pr->rank, pr->nranked * sizeof *pr->rank);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static void *take(struct str *rest, size_t size)
{
    void *copy = malloc(size + 1);

    SCENT_BUG_IF(!copy);
    memcpy(copy, rest->p, size);
    *rest = str_sub(*rest, size, rest->len);
    return copy;
}

/* Ids and ends lie inside what was announced: a damaged state must not lead out of the arrays. */
static bool is_sound(const struct pagerank *pr)
{
    size_t before = 0;

    for (size_t p = 0; p < pr->npages; p++) {
        if (pr->pages[p].id >= pr->nurls || pr->pages[p].end < before || pr->pages[p].end > pr->nlinks)
            return false;
        before = pr->pages[p].end;
    }
    for (size_t i = 0; i < pr->nlinks; i++)
        if (pr->links[i] >= pr->nurls)
            return false;
    return before == pr->nlinks && pr->nranked <= pr->nurls;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct pagerank *pr = state;
    uint64_t sizes[5];
    struct str rest;

    if (blob.len < 1 || blob.p[0] != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "the state of pagerank is of another version");
    if (blob.len < 1 + sizeof sizes)
        return errmsg_fail(err, SCENT_E_FORMAT, "the state of pagerank is cut");
    memcpy(sizes, blob.p + 1, sizeof sizes);
    rest = str_sub(blob, 1 + sizeof sizes, blob.len);
    if (sizes[0] > UINT32_MAX || sizes[1] > UINT32_MAX || sizes[2] > UINT32_MAX || sizes[3] > UINT32_MAX ||
        rest.len != sizes[0] * sizeof *pr->pages + sizes[1] * sizeof *pr->links + sizes[2] * sizeof *pr->rank)
        return errmsg_fail(err, SCENT_E_FORMAT, "the state of pagerank is damaged");
    pr->npages = pr->pages_room = sizes[0];
    pr->nlinks = pr->links_room = sizes[1];
    pr->nranked = (uint32_t)sizes[2];
    pr->nurls = (uint32_t)sizes[3];
    pr->computed = sizes[4];
    pr->pages = take(&rest, pr->npages * sizeof *pr->pages);
    pr->links = take(&rest, pr->nlinks * sizeof *pr->links);
    pr->rank = take(&rest, pr->nranked * sizeof *pr->rank);
    pr->stale = true;
    return is_sound(pr) ? SCENT_OK : errmsg_fail(err, SCENT_E_FORMAT, "the state of pagerank is damaged");
}

const struct strategy_ops strategy_pagerank = {
    .name = "pagerank",
    .summary = "the highest PageRank over the links seen so far",
    .paper = "Cho, Garcia-Molina and Page 1998, Efficient Crawling Through URL Ordering",
    .options = options,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .save = save,
    .load = load,
};
