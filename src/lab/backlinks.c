#include "lab/backlinks.h"

#include <stdlib.h>

struct backlinks {
    size_t *starts; /* of each page in `items`; one more for the end */
    struct backlink *items;
};

/* Calls for each pair of pages once: `last` holds, of each page, the last one that was seen to link to it. */
typedef void backlink_fn(void *ctx, uint32_t target, struct backlink from);

static scent_status each_link(const struct collection *collection, uint32_t *last, backlink_fn *fn, void *ctx)
{
    uint32_t npages = collection_count(collection);

    for (uint32_t i = 0; i < npages; i++)
        last[i] = UINT32_MAX;
    for (uint32_t i = 0; i < npages; i++) {
        const uint32_t *targets;
        const struct page *page = collection_page(collection, i, &targets);

        if (!page)
            return SCENT_E_FORMAT;
        for (uint32_t k = 0; k < page->nlinks; k++) {
            if (last[targets[k]] == i || targets[k] == i)
                continue;
            last[targets[k]] = i;
            fn(ctx, targets[k], (struct backlink){i, k});
        }
    }
    return SCENT_OK;
}

static void count_link(void *ctx, uint32_t target, struct backlink from)
{
    struct backlinks *backlinks = ctx;

    (void)from;
    backlinks->starts[target + 1]++;
}

/* Fills from the start of each page; the starts are put back afterwards. */
static void place_link(void *ctx, uint32_t target, struct backlink from)
{
    struct backlinks *backlinks = ctx;

    backlinks->items[backlinks->starts[target]++] = from;
}

static scent_status fill(struct backlinks *backlinks, const struct collection *collection, uint32_t *last)
{
    uint32_t npages = collection_count(collection);
    scent_status status = each_link(collection, last, count_link, backlinks);

    if (status != SCENT_OK)
        return status;
    for (uint32_t i = 0; i < npages; i++)
        backlinks->starts[i + 1] += backlinks->starts[i];
    backlinks->items = malloc((backlinks->starts[npages] + 1) * sizeof *backlinks->items);
    if (!backlinks->items)
        return SCENT_E_NOMEM;
    status = each_link(collection, last, place_link, backlinks);
    for (uint32_t i = npages; i > 0; i--)
        backlinks->starts[i] = backlinks->starts[i - 1];
    backlinks->starts[0] = 0;
    return status;
}

scent_status backlinks_new(const struct collection *collection, struct backlinks **out, struct errmsg *err)
{
    struct backlinks *backlinks = calloc(1, sizeof *backlinks);
    uint32_t npages = collection_count(collection), *last = malloc((npages + 1) * sizeof *last);
    scent_status status = SCENT_E_NOMEM;

    SCENT_BUG_IF(!backlinks);
    backlinks->starts = calloc((size_t)npages + 1, sizeof *backlinks->starts);
    if (last && backlinks->starts)
        status = fill(backlinks, collection, last);
    free(last);
    if (status == SCENT_OK) {
        *out = backlinks;
        return SCENT_OK;
    }
    backlinks_free(backlinks);
    return errmsg_fail(err, status, "the back-links cannot be found: %s", scent_status_text(status));
}

void backlinks_free(struct backlinks *backlinks)
{
    if (!backlinks)
        return;
    free(backlinks->starts);
    free(backlinks->items);
    free(backlinks);
}

const struct backlink *backlinks_of(const struct backlinks *backlinks, uint32_t page, size_t *count)
{
    *count = backlinks->starts[page + 1] - backlinks->starts[page];
    return &backlinks->items[backlinks->starts[page]];
}

size_t backlinks_draw(const struct backlinks *backlinks, uint32_t page, size_t count, struct rng *rng,
                      struct backlink *out)
{
    size_t all, n = 0;
    const struct backlink *items = backlinks_of(backlinks, page, &all);

    for (size_t i = 0; i < all; i++) { /* Vitter's algorithm R */
        size_t at = i < count ? n++ : rng_below(rng, i + 1);

        if (at < count)
            out[at] = items[i];
    }
    return n;
}
