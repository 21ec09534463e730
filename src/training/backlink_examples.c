#include "training/backlink_examples.h"

#include "page/context.h"

#include <stdlib.h>

/* ---- windows ---- */

/* `count` of the n items come to the front, each as likely as the others. */
static void shuffle(struct page_backlink *items, size_t n, size_t count, struct rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = i + rng_below(rng, n - i);
        struct page_backlink item = items[i];

        items[i] = items[k];
        items[k] = item;
    }
}

static int by_stem(const void *key, const void *term)
{
    uint64_t stem = *(const uint64_t *)key, other = ((const struct page_term *)term)->stem;

    return stem < other ? -1 : stem > other;
}

static scent_status tell_words(const struct backlink_words *words, const struct page *page,
                               const struct text_vector *tf)
{
    for (size_t i = 0; i < tf->count; i++) {
        const struct page_term *term = bsearch(&tf->items[i].stem, page->bag, page->nbag, sizeof *page->bag, by_stem);

        if (term)
            SCENT_TRY(words->add(words->ctx, term->stem, term->text));
    }
    return SCENT_OK;
}

/* A window without any words but stop words is not an example. */
static scent_status add_window(const struct page_graph *graph, struct page_backlink from, uint32_t class,
                               struct arena *arena, const struct backlink_words *words, struct learn_example *items,
                               size_t *count)
{
    const struct page *page = page_graph_page(graph, from.page, NULL);
    struct text_weight *weights;
    struct context range;

    if (!page)
        return SCENT_E_FORMAT;
    range = context_window(page, from.link, BACKLINK_WORDS);
    weights = arena_array(arena, range.end - range.first + 1, sizeof *weights);
    if (!weights)
        return SCENT_E_NOMEM;
    items[*count] = (struct learn_example){context_bag(page, range, NULL, weights), class};
    if (!items[*count].tf.count)
        return SCENT_OK;
    return words ? tell_words(words, page, &items[(*count)++].tf) : (++*count, SCENT_OK);
}

scent_status backlink_examples_add(const struct page_graph *graph, const uint32_t *pages, size_t npages, uint32_t class,
                                   struct rng *rng, struct arena *arena, const struct backlink_words *words,
                                   struct learn_example *items, size_t *count)
{
    struct page_backlink *links = arena_array(arena, npages * BACKLINK_LINKS + 1, sizeof *links);
    size_t n = 0, wanted;

    if (!links)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < npages; i++)
        n += page_graph_draw(graph, pages[i], BACKLINK_LINKS, rng, links + n);
    wanted = n < npages ? n : npages;
    shuffle(links, n, wanted, rng);
    for (size_t i = 0; i < wanted; i++)
        SCENT_TRY(add_window(graph, links[i], class, arena, words, items, count));
    return SCENT_OK;
}

/* ---- hubs ---- */

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

size_t backlink_hubs(const struct page_graph *graph, const uint32_t *pages, size_t npages, size_t room, uint32_t *hubs)
{
    uint32_t all = page_graph_count(graph);
    struct hub *found = calloc(all + (size_t)1, sizeof *found);
    size_t n = 0, count;

    SCENT_BUG_IF(!found);
    for (uint32_t i = 0; i < all; i++)
        found[i].page = i;
    for (size_t i = 0; i < npages; i++) {
        const struct page_backlink *from = page_graph_backlinks(graph, pages[i], &count);

        for (size_t k = 0; k < count; k++)
            found[from[k].page].seeds++;
    }
    for (size_t i = 0; i < npages; i++)
        found[pages[i]].seeds = 0;
    for (uint32_t i = 0; i < all; i++)
        if (found[i].seeds >= BACKLINK_HUB_SEEDS)
            found[n++] = found[i];
    qsort(found, n, sizeof *found, by_seeds);
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        hubs[i] = found[i].page;
    free(found);
    return n;
}
