#include "strategy/distiller.h"

#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1, ROUNDS = 15, FIRST = 32 };

void distiller_release(struct distiller *distiller)
{
    linkgraph_release(&distiller->graph);
    free(distiller->relevance);
    free(distiller->hub);
    free(distiller->raised);
}

/* ---- HITS ---- */

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
    for (size_t p = 0; p < graph->npages; p++) {
        rel[graph->pages[p].id] = fmaxf(distiller->relevance[p], 1e-6f); /* above 0: it is fetched */
        distiller->hub[p] = 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        exchange(graph, rel, authority, distiller->hub);
    raise_links(distiller, rel);
    distiller->computed = graph->npages;
    free(rel);
    free(authority);
}

/* ---- the calls ---- */

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

/* ---- keeping ---- */

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
