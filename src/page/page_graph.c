#include "page/page_graph.h"

#include "base/vec.h"

#include <stdlib.h>

struct page_graph {
    struct page_graph_source source;
    size_t *link_starts, *back_starts; /* of each page; one more for the end */
    uint32_t *links;
    struct page_backlink *backlinks;
};

/* ---- making ---- */

/* The links of all pages one after the other, each pair of pages once, with the place of the link in its page. */
struct listing {
    uint32_t *targets, *places;
    size_t count, target_room, place_room;
    uint32_t *last; /* of each page, the last one that was seen to link to it */
};

static scent_status list_links(struct page_graph *graph, struct listing *listing, uint32_t number)
{
    const uint32_t *targets;
    const struct page *page = graph->source.page(graph->source.ctx, number, &targets);

    if (!page)
        return SCENT_E_FORMAT;
    if (!vec_reserve(&listing->targets, &listing->target_room, listing->count + page->nlinks + 1, sizeof(uint32_t)) ||
        !vec_reserve(&listing->places, &listing->place_room, listing->count + page->nlinks + 1, sizeof(uint32_t)))
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        uint32_t target = targets[i];

        if (target == PAGE_NONE || target == number || listing->last[target] == number)
            continue;
        listing->last[target] = number;
        listing->targets[listing->count] = target;
        listing->places[listing->count++] = i;
        graph->back_starts[target + 1]++;
    }
    graph->link_starts[number + 1] = listing->count;
    return SCENT_OK;
}

static scent_status turn_round(struct page_graph *graph, const struct listing *listing)
{
    uint32_t npages = graph->source.count;

    graph->backlinks = malloc((listing->count + 1) * sizeof *graph->backlinks);
    if (!graph->backlinks)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < npages; i++)
        graph->back_starts[i + 1] += graph->back_starts[i];
    /* Filled from the start of each page; the starts are put back afterwards. */
    for (uint32_t i = 0; i < npages; i++)
        for (size_t k = graph->link_starts[i]; k < graph->link_starts[i + 1]; k++)
            graph->backlinks[graph->back_starts[listing->targets[k]]++] =
                (struct page_backlink){i, listing->places[k]};
    for (uint32_t i = npages; i > 0; i--)
        graph->back_starts[i] = graph->back_starts[i - 1];
    graph->back_starts[0] = 0;
    return SCENT_OK;
}

static scent_status fill(struct page_graph *graph, struct listing *listing)
{
    uint32_t npages = graph->source.count;
    scent_status status = SCENT_OK;

    listing->last = malloc(((size_t)npages + 1) * sizeof *listing->last);
    graph->link_starts = calloc((size_t)npages + 1, sizeof *graph->link_starts);
    graph->back_starts = calloc((size_t)npages + 1, sizeof *graph->back_starts);
    if (!listing->last || !graph->link_starts || !graph->back_starts)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < npages; i++)
        listing->last[i] = PAGE_NONE;
    for (uint32_t i = 0; i < npages && status == SCENT_OK; i++)
        status = list_links(graph, listing, i);
    return status == SCENT_OK ? turn_round(graph, listing) : status;
}

scent_status page_graph_new(const struct page_graph_source *source, struct page_graph **out, struct errmsg *err)
{
    struct page_graph *graph = calloc(1, sizeof *graph);
    struct listing listing = {0};
    scent_status status;

    SCENT_BUG_IF(!graph);
    graph->source = *source;
    status = fill(graph, &listing);
    graph->links = listing.targets;
    free(listing.places);
    free(listing.last);
    if (status == SCENT_OK) {
        *out = graph;
        return SCENT_OK;
    }
    page_graph_free(graph);
    return errmsg_fail(err, status, "the links between the pages cannot be found: %s", scent_status_text(status));
}

void page_graph_free(struct page_graph *graph)
{
    if (!graph)
        return;
    free(graph->link_starts);
    free(graph->back_starts);
    free(graph->links);
    free(graph->backlinks);
    free(graph);
}

/* ---- asking ---- */

uint32_t page_graph_count(const struct page_graph *graph)
{
    return graph->source.count;
}

const struct page *page_graph_page(const struct page_graph *graph, uint32_t page, const uint32_t **targets)
{
    return graph->source.page(graph->source.ctx, page, targets);
}

const uint32_t *page_graph_links(const struct page_graph *graph, uint32_t page, size_t *count)
{
    *count = graph->link_starts[page + 1] - graph->link_starts[page];
    return graph->links + graph->link_starts[page];
}

const struct page_backlink *page_graph_backlinks(const struct page_graph *graph, uint32_t page, size_t *count)
{
    *count = graph->back_starts[page + 1] - graph->back_starts[page];
    return graph->backlinks + graph->back_starts[page];
}

size_t page_graph_draw(const struct page_graph *graph, uint32_t page, size_t count, struct rng *rng,
                       struct page_backlink *out)
{
    size_t all, n = 0;
    const struct page_backlink *items = page_graph_backlinks(graph, page, &all);

    for (size_t i = 0; i < all; i++) { /* Vitter's algorithm R */
        size_t at = i < count ? n++ : rng_below(rng, i + 1);

        if (at < count)
            out[at] = items[i];
    }
    return n;
}

scent_status page_graph_distances(const struct page_graph *graph, const uint32_t *goals, size_t ngoals, uint32_t most,
                                  uint32_t *distances)
{
    uint32_t *queue = malloc(((size_t)graph->source.count + 1) * sizeof *queue);
    size_t count = 0;

    if (!queue)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < graph->source.count; i++)
        distances[i] = PAGE_GRAPH_FAR;
    for (size_t i = 0; i < ngoals; i++)
        if (distances[goals[i]] != 0) {
            distances[goals[i]] = 0;
            queue[count++] = goals[i];
        }
    for (size_t at = 0; at < count && distances[queue[at]] < most; at++) {
        size_t nlinks;
        const struct page_backlink *from = page_graph_backlinks(graph, queue[at], &nlinks);

        for (size_t k = 0; k < nlinks; k++)
            if (distances[from[k].page] == PAGE_GRAPH_FAR) {
                distances[from[k].page] = distances[queue[at]] + 1;
                queue[count++] = from[k].page;
            }
    }
    free(queue);
    return SCENT_OK;
}
