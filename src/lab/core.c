/* Tarjan's algorithm with a stack of its own: a topic may be one long chain of pages. */
#include "lab/core.h"

#include <stdlib.h>

enum { DONE = UINT32_MAX }; /* `low` of a page whose component is known */

struct step {
    uint32_t page, link; /* the next of its links to look at */
};

struct search {
    const struct collection *collection;
    const bool *topic;
    uint32_t *order, *low;  /* of every page: when it was met (0: not yet), and the earliest that it leads back to */
    uint32_t *open;         /* met, and their component is not yet complete */
    struct step *path;
    size_t nopen, npath, best;
    uint32_t met;
    bool *core;
    bool damaged;
};

static void enter(struct search *search, uint32_t page)
{
    search->order[page] = search->low[page] = ++search->met;
    search->open[search->nopen++] = page;
    search->path[search->npath++] = (struct step){page, 0};
}

/* Everything that was opened after `page` belongs to its component. */
static void close_component(struct search *search, uint32_t page)
{
    size_t end = search->nopen;

    while (search->open[--search->nopen] != page)
        search->low[search->open[search->nopen]] = DONE;
    search->low[page] = DONE;
    if (end - search->nopen <= search->best)
        return;
    search->best = end - search->nopen;
    memset(search->core, 0, collection_count(search->collection) * sizeof *search->core);
    for (size_t i = search->nopen; i < end; i++)
        search->core[search->open[i]] = true;
}

static void leave(struct search *search, uint32_t page)
{
    uint32_t low = search->low[page];

    search->npath--;
    if (low == search->order[page])
        close_component(search, page);
    else if (search->npath && low < search->low[search->path[search->npath - 1].page])
        search->low[search->path[search->npath - 1].page] = low;
}

/* The next link of the page at the end of the path. */
static void advance(struct search *search)
{
    struct step *step = &search->path[search->npath - 1];
    const uint32_t *targets;
    const struct page *page = collection_page(search->collection, step->page, &targets);
    uint32_t target;

    search->damaged |= !page;
    if (!page || step->link == page->nlinks) {
        leave(search, step->page);
        return;
    }
    target = targets[step->link++];
    if (!search->topic[target] || search->low[target] == DONE)
        return;
    if (!search->order[target])
        enter(search, target);
    else if (search->order[target] < search->low[step->page])
        search->low[step->page] = search->order[target];
}

static void look_everywhere(struct search *search, size_t npages)
{
    for (uint32_t i = 0; i < npages; i++) {
        if (search->topic[i] && !search->order[i])
            enter(search, i);
        while (search->npath)
            advance(search);
    }
}

scent_status core_mark(const struct collection *collection, const bool *topic, bool *core, size_t *count)
{
    size_t npages = collection_count(collection);
    uint32_t *numbers = calloc(3 * npages + 1, sizeof *numbers);
    struct search search = {.collection = collection, .topic = topic, .core = core};
    scent_status status = SCENT_E_NOMEM;

    search.path = calloc(npages + 1, sizeof *search.path);
    memset(core, 0, npages * sizeof *core);
    if (numbers && search.path) {
        search.order = numbers;
        search.low = numbers + npages;
        search.open = numbers + 2 * npages;
        look_everywhere(&search, npages);
        status = search.damaged ? SCENT_E_FORMAT : SCENT_OK;
    }
    *count = search.best;
    free(numbers);
    free(search.path);
    return status;
}
