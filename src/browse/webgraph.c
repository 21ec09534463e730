#include "browse/webgraph.h"

#include "base/hash.h"

#include <stdlib.h>

/* A name of a page, found by its hash. Two URLs with one hash would make one wrong link in 10^12 pages. */
struct name {
    uint64_t hash;
    uint32_t page;
};

static int by_hash(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

static struct name *name_pages(const struct browse_input *input, struct arena *arena, size_t *count)
{
    struct name *names = arena_array(arena, input->npages + input->nnames + 1, sizeof *names);
    size_t n = 0;

    for (size_t i = 0; names && i < input->npages; i++)
        names[n++] = (struct name){hash_str(input->pages[i].page->url.href, 0), (uint32_t)i};
    for (size_t i = 0; names && i < input->nnames; i++)
        names[n++] = (struct name){hash_str(input->names[i].url, 0), input->names[i].page};
    if (names)
        qsort(names, n, sizeof *names, by_hash);
    *count = n;
    return names;
}

static const struct name *find_name(const struct name *names, size_t count, struct str url)
{
    uint64_t hash = hash_str(url, 0);
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (names[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && names[low].hash == hash ? &names[low] : NULL;
}

static int by_ends(const void *a, const void *b)
{
    const struct webgraph_edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void collect(struct webgraph *graph, const struct browse_input *input, const struct name *names, size_t nnames)
{
    for (size_t i = 0; i < input->npages; i++) {
        const struct page *page = input->pages[i].page;

        for (uint32_t k = 0; k < page->nlinks; k++) {
            const struct name *name = find_name(names, nnames, page->links[k].url.href);

            if (name && name->page != i)
                graph->edges[graph->count++] = (struct webgraph_edge){(uint32_t)i, name->page};
        }
    }
}

static void drop_copies(struct webgraph *graph)
{
    size_t kept = 0;

    qsort(graph->edges, graph->count, sizeof *graph->edges, by_ends);
    for (size_t i = 0; i < graph->count; i++)
        if (kept == 0 || by_ends(&graph->edges[kept - 1], &graph->edges[i]) != 0)
            graph->edges[kept++] = graph->edges[i];
    graph->count = kept;
}

scent_status webgraph_init(struct webgraph *graph, const struct browse_input *input, struct arena *arena)
{
    size_t nlinks = 0, nnames;
    struct name *names = name_pages(input, arena, &nnames);

    for (size_t i = 0; i < input->npages; i++)
        nlinks += input->pages[i].page->nlinks;
    *graph = (struct webgraph){.edges = arena_array(arena, nlinks + 1, sizeof *graph->edges)};
    if (!names || !graph->edges)
        return SCENT_E_NOMEM;
    collect(graph, input, names, nnames);
    drop_copies(graph);
    return SCENT_OK;
}

void webgraph_label(const struct webgraph *graph, const struct browse_input *input, uint8_t *labels)
{
    const uint8_t far = HMM_STATES - 1;

    for (size_t i = 0; i < input->npages; i++)
        labels[i] = input->pages[i].useful ? 0 : far;
    for (uint8_t step = 1; step < far; step++)
        for (size_t i = 0; i < graph->count; i++)
            if (labels[graph->edges[i].to] == step - 1 && labels[graph->edges[i].from] > step)
                labels[graph->edges[i].from] = step;
}
