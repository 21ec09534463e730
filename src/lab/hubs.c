#include "lab/hubs.h"

#include <stdlib.h>

enum { LEAST = 2 };

struct hub {
    uint32_t page, seeds; /* how many it links to */
};

static int by_seeds(const void *a, const void *b)
{
    const struct hub *x = a, *y = b;

    if (x->seeds != y->seeds)
        return x->seeds < y->seeds ? 1 : -1;
    return (x->page > y->page) - (x->page < y->page);
}

/* Fills `hubs` (one a page) with those that link to enough seeds, best first. */
static size_t find(const struct trial *trial, const struct backlinks *backlinks, uint32_t npages, struct hub *hubs)
{
    size_t n = 0;

    for (uint32_t i = 0; i < npages; i++)
        hubs[i] = (struct hub){.page = i};
    for (size_t i = 0; i < trial->nseeds; i++) {
        size_t count;
        const struct backlink *from = backlinks_of(backlinks, trial->seeds[i], &count);

        for (size_t k = 0; k < count; k++)
            hubs[from[k].page].seeds++;
    }
    for (size_t i = 0; i < trial->nseeds; i++)
        hubs[trial->seeds[i]].seeds = 0;
    for (uint32_t i = 0; i < npages; i++)
        if (hubs[i].seeds >= LEAST)
            hubs[n++] = hubs[i];
    qsort(hubs, n, sizeof *hubs, by_seeds);
    return n;
}

static scent_status join(struct trial *trial, const struct hub *hubs, size_t count)
{
    uint32_t *starts = arena_array(&trial->arena, trial->nstarts + count, sizeof *starts);

    if (!starts)
        return SCENT_E_NOMEM;
    memcpy(starts, trial->starts, trial->nstarts * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[trial->nstarts++] = hubs[i].page;
        trial->ntargets -= trial->target[hubs[i].page];
        trial->target[hubs[i].page] = false;
    }
    trial->starts = starts;
    return SCENT_OK;
}

scent_status hubs_join(struct trial *trial, const struct backlinks *backlinks, uint32_t npages, size_t count,
                       struct errmsg *err)
{
    struct hub *hubs = malloc((npages + (size_t)1) * sizeof *hubs);
    scent_status status = SCENT_E_NOMEM;

    if (hubs) {
        size_t n = find(trial, backlinks, npages, hubs);

        status = join(trial, hubs, n < count ? n : count);
    }
    free(hubs);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for hubs");
}
