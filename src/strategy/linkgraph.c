#include "strategy/linkgraph.h"

#include "base/order.h"
#include "strategy/array.h"

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

size_t linkgraph_add(struct linkgraph *graph, uint32_t id, uint32_t *targets, size_t count)
{
    size_t first = graph->nlinks;

    know(graph, id);
    graph->links = array_grow(graph->links, &graph->links_room, first + count, sizeof *graph->links);
    graph->pages = array_grow(graph->pages, &graph->pages_room, graph->npages + 1, sizeof *graph->pages);
    if (count)
        qsort(targets, count, sizeof *targets, order_u32);
    for (size_t i = 0; i < count; i++) {
        if (targets[i] == id || (i && targets[i] == targets[i - 1]))
            continue;
        graph->links[graph->nlinks++] = targets[i];
        know(graph, targets[i]);
    }
    graph->pages[graph->npages++] = (struct linkgraph_page){id, (uint32_t)graph->nlinks};
    return graph->nlinks - first;
}

size_t linkgraph_first(const struct linkgraph *graph, size_t page)
{
    return page ? graph->pages[page - 1].end : 0;
}

/* ---- keeping ---- */

void linkgraph_save(const struct linkgraph *graph, struct buf *out)
{
    const uint64_t sizes[] = {graph->npages, graph->nlinks, graph->nurls};

    array_put(out, sizes, sizeof sizes);
    array_put(out, graph->pages, graph->npages * sizeof *graph->pages);
    array_put(out, graph->links, graph->nlinks * sizeof *graph->links);
}

/* Ids and ends lie inside what was announced: a damaged state must not lead out of the arrays. */
static bool is_sound(const struct linkgraph *graph)
{
    size_t before = 0;

    for (size_t p = 0; p < graph->npages; p++) {
        if (graph->pages[p].id >= graph->nurls || graph->pages[p].end < before || graph->pages[p].end > graph->nlinks)
            return false;
        before = graph->pages[p].end;
    }
    for (size_t i = 0; i < graph->nlinks; i++)
        if (graph->links[i] >= graph->nurls)
            return false;
    return before == graph->nlinks;
}

bool linkgraph_load(struct linkgraph *graph, struct str *rest)
{
    uint64_t sizes[3];

    if (!array_get(rest, sizes, sizeof sizes) || sizes[0] > UINT32_MAX || sizes[1] > UINT32_MAX ||
        sizes[2] > UINT32_MAX || sizes[0] * sizeof *graph->pages + sizes[1] * sizeof *graph->links > rest->len)
        return false;
    linkgraph_release(graph);
    *graph = (struct linkgraph){
        .npages = sizes[0],
        .pages_room = sizes[0],
        .nlinks = sizes[1],
        .links_room = sizes[1],
        .nurls = (uint32_t)sizes[2],
    };
    graph->pages = array_take(rest, graph->npages, sizeof *graph->pages);
    graph->links = array_take(rest, graph->nlinks, sizeof *graph->links);
    return is_sound(graph);
}
