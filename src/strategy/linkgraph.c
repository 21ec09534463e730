#include "strategy/linkgraph.h"

#include "base/order.h"
#include "base/vec.h"
#include "strategy/saved.h"

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

size_t linkgraph_first(const struct linkgraph *graph, size_t page)
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
