#include "strategy/linkgraph.h"

#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

void linkgraph_release(struct linkgraph *graph)
{
    free(graph->links);
    free(graph->pages);
}

static void know(struct linkgraph *graph, uint32_t id)
{
    if (id >= graph->nurls)
        graph->nurls = id + 1;
}

size_t linkgraph_add(struct linkgraph *graph, const struct strategy_visit *visit,
                     bool (*takes)(const struct page *page, const struct page_link *link))
{
    const struct page *page = visit->page;
    size_t first = graph->nlinks, end = first;
    uint32_t *links;

    SCENT_BUG_IF(!vec_reserve(&graph->links, &graph->links_room, first + page->nlinks, sizeof *graph->links) ||
                 !vec_reserve(&graph->pages, &graph->pages_room, graph->npages + 1, sizeof *graph->pages));
    links = graph->links;
    know(graph, visit->id);
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (visit->targets[i] != STRATEGY_UNKNOWN && visit->targets[i] != visit->id &&
            (!takes || takes(page, &page->links[i])))
            links[end++] = visit->targets[i];
    if (end > first)
        qsort(links + first, end - first, sizeof *links, order_u32);
    for (size_t i = first; i < end; i++)
        if (i == first || links[i] != links[graph->nlinks - 1])
            links[graph->nlinks++] = links[i];
    if (graph->nlinks > first)
        know(graph, links[graph->nlinks - 1]);
    graph->pages[graph->npages++] = (struct linkgraph_page){visit->id, (uint32_t)graph->nlinks};
    return graph->nlinks - first;
}

/* Where the links of a page begin. */
static size_t linkgraph_first(const struct linkgraph *graph, size_t page)
{
    return page ? graph->pages[page - 1].end : 0;
}

/* ---- keeping ---- */

void linkgraph_save(const struct linkgraph *graph, struct buf *out)
{
    bytes_put(out, graph->npages, 8);
    bytes_put(out, graph->nlinks, 8);
    bytes_put(out, graph->nurls, 8);
    for (size_t p = 0; p < graph->npages; p++) {
        bytes_put(out, graph->pages[p].id, 4);
        bytes_put(out, graph->pages[p].end, 4);
    }
    saved_put_array(out, graph->links, graph->nlinks, sizeof *graph->links);
}

/* Ids and ends lie inside what was announced: a damaged state must not lead out of the arrays. */
void linkgraph_load(struct linkgraph *graph, struct bytes *in)
{
    uint64_t npages = bytes_get(in, 8), nlinks = bytes_get(in, 8), nurls = bytes_get(in, 8);
    size_t before = 0;

    linkgraph_release(graph);
    *graph = (struct linkgraph){.nurls = (uint32_t)nurls};
    if (!bytes_check(in, nlinks <= UINT32_MAX && nurls <= UINT32_MAX, "it has too many links") ||
        !bytes_has(in, npages, 8))
        return;
    SCENT_BUG_IF(!vec_reserve(&graph->pages, &graph->pages_room, npages, sizeof *graph->pages));
    for (; graph->npages < npages; graph->npages++) {
        uint32_t id = (uint32_t)bytes_get(in, 4), end = (uint32_t)bytes_get(in, 4);

        bytes_check(in, id < nurls && end >= before && end <= nlinks, "a page is out of place");
        graph->pages[graph->npages] = (struct linkgraph_page){id, end};
        before = end;
    }
    bytes_check(in, before == nlinks, "links belong to no page");
    graph->links = saved_take_array(in, nlinks, sizeof *graph->links);
    for (size_t i = 0; i < nlinks && !in->wrong; i++)
        bytes_check(in, graph->links[i] < nurls, "a link leads nowhere");
    if (in->wrong)
        nlinks = graph->npages = 0;
    graph->nlinks = graph->links_room = nlinks;
}

/* ---- the distiller ---- */

enum { VERSION = 1, ROUNDS = 15, FIRST = 32 };

void distiller_release(struct distiller *distiller)
{
    linkgraph_release(&distiller->graph);
    free(distiller->relevance);
    free(distiller->hub);
    free(distiller->raised);
}

/* ---- the distiller: HITS ---- */

static float *zeros(size_t n)
{
    float *x = calloc(n + 1, sizeof *x);

    SCENT_BUG_IF(!x);
    return x;
}

static void scale(float *x, size_t n)
{
    float most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, x[i]);
    for (size_t i = 0; i < n && most > 0; i++)
        x[i] /= most;
}

/* One round: authorities from hubs, hubs from authorities. `rel` and `authority` are by URL; a URL that is not fetched
 * has no relevance, and so no authority. */
static void exchange(const struct linkgraph *graph, const float *rel, float *authority, float *hub)
{
    size_t link = 0;

    for (uint32_t i = 0; i < graph->nurls; i++)
        authority[i] = 0;
    for (size_t p = 0; p < graph->npages; p++)
        for (; link < graph->pages[p].end; link++)
            authority[graph->links[link]] += rel[graph->links[link]] * hub[p];
    scale(authority, graph->nurls);
    link = 0;
    for (size_t p = 0; p < graph->npages; p++) {
        hub[p] = 0;
        for (; link < graph->pages[p].end; link++)
            hub[p] += rel[graph->pages[p].id] * authority[graph->links[link]];
    }
    scale(hub, graph->npages);
}

/* Fills `authority` (by URL) and `hub` (by page). */
static void distill(const struct linkgraph *graph, const float *rel, float *authority, float *hub)
{
    for (size_t p = 0; p < graph->npages; p++)
        hub[p] = 1;
    for (int round = 0; round < ROUNDS; round++)
        exchange(graph, rel, authority, hub);
}

float *linkgraph_authorities(const struct linkgraph *graph, const float *relevance)
{
    float *authority = zeros(graph->nurls), *hub = zeros(graph->npages);

    distill(graph, relevance, authority, hub);
    free(hub);
    return authority;
}

/* The value that so many hubs reach. */
static float threshold(const struct distiller *distiller)
{
    float best[64];
    size_t n = 0, want = distiller->hubs < 64 ? distiller->hubs : 64;

    for (size_t p = 0; p < distiller->graph.npages; p++) {
        float h = distiller->hub[p];
        size_t at = n < want ? n++ : n;

        if (at == want && !(h > best[want - 1]))
            continue;
        at = at == want ? want - 1 : at;
        for (; at > 0 && best[at - 1] < h; at--)
            best[at] = best[at - 1];
        best[at] = h;
    }
    return n ? best[n - 1] : 0;
}

static void raise_links(struct distiller *distiller, const float *rel)
{
    const struct linkgraph *graph = &distiller->graph;
    float least = threshold(distiller);

    free(distiller->raised);
    distiller->raised = zeros(graph->nurls);
    distiller->nraised = graph->nurls;
    distiller->told = 0;
    for (size_t p = 0; p < graph->npages; p++) {
        if (!(distiller->hub[p] > 0) || distiller->hub[p] < least)
            continue;
        for (size_t link = linkgraph_first(graph, p); link < graph->pages[p].end; link++) {
            uint32_t id = graph->links[link];

            if (rel[id] == 0)
                distiller->raised[id] = fmaxf(distiller->raised[id], 1 + distiller->hub[p]);
        }
    }
}

static void compute(struct distiller *distiller)
{
    const struct linkgraph *graph = &distiller->graph;
    float *rel = zeros(graph->nurls), *authority = zeros(graph->nurls);

    free(distiller->hub);
    distiller->hub = zeros(graph->npages);
    for (size_t p = 0; p < graph->npages; p++)
        rel[graph->pages[p].id] = fmaxf(distiller->relevance[p], 1e-6f); /* above 0: it is fetched */
    distill(graph, rel, authority, distiller->hub);
    raise_links(distiller, rel);
    distiller->computed = graph->npages;
    free(rel);
    free(authority);
}

/* ---- the distiller: calls of a strategy ---- */

static bool leads_elsewhere(const struct page *page, const struct page_link *link)
{
    return !str_eq(url_host(&page->url), url_host(&link->url));
}

void distiller_observe(struct distiller *distiller, const struct strategy_visit *visit, double relevance)
{
    struct linkgraph *graph = &distiller->graph;

    if (!distiller->hubs)
        return;
    linkgraph_add(graph, visit, leads_elsewhere);
    SCENT_BUG_IF(!vec_reserve(&distiller->relevance, &distiller->pages_room, graph->npages,
                              sizeof *distiller->relevance));
    distiller->relevance[graph->npages - 1] = (float)relevance;
    if (graph->npages >= FIRST && graph->npages > distiller->computed + distiller->computed / 10)
        compute(distiller);
}

size_t distiller_stale(struct distiller *distiller, uint32_t *ids, size_t room)
{
    size_t n = 0;

    for (; n < room && distiller->told < distiller->nraised; distiller->told++)
        if (distiller->raised[distiller->told] > 0)
            ids[n++] = distiller->told;
    return n;
}

bool distiller_rescore(const struct distiller *distiller, uint32_t id, struct strategy_score *score)
{
    if (id >= distiller->nraised || !(distiller->raised[id] > score->priority))
        return false;
    score->priority = distiller->raised[id];
    return true;
}

bool distiller_explain(const struct distiller *distiller, uint32_t id, struct strategy_score *score)
{
    (void)distiller_rescore(distiller, id, score);
    if (id >= distiller->nraised || distiller->raised[id] == 0 || distiller->raised[id] != score->priority)
        return false;
    score->nparts = 1;
    score->parts[0] =
        (struct strategy_part){.name = "1 and the score of a hub that links to it", .value = (double)score->priority};
    return true;
}

/* ---- the distiller: keeping ---- */

scent_status distiller_save(const struct distiller *distiller, struct buf *out)
{
    buf_addc(out, VERSION);
    linkgraph_save(&distiller->graph, out);
    bytes_put(out, distiller->computed, 8);
    bytes_put(out, distiller->nraised, 8);
    saved_put_array(out, distiller->relevance, distiller->graph.npages, sizeof *distiller->relevance);
    saved_put_array(out, distiller->raised, distiller->nraised, sizeof *distiller->raised);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status distiller_load(struct distiller *distiller, struct str blob, struct errmsg *err)
{
    struct linkgraph *graph = &distiller->graph;
    uint64_t nraised;
    struct bytes in;

    SCENT_TRY(saved_open("the distiller", VERSION, blob, &in, err));
    linkgraph_load(graph, &in);
    distiller->computed = bytes_get(&in, 8);
    nraised = bytes_get(&in, 8);
    distiller->relevance = saved_take_array(&in, graph->npages, sizeof *distiller->relevance);
    distiller->pages_room = graph->npages;
    if (bytes_check(&in, nraised <= graph->nurls, "more URLs are raised than are known"))
        distiller->raised = saved_take_array(&in, nraised, sizeof *distiller->raised);
    distiller->nraised = in.wrong ? 0 : (uint32_t)nraised;
    return saved_end("the distiller", &in, err);
}
