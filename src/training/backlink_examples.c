#include "training/backlink_examples.h"

#include "base/vec.h"
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

static scent_status note_words(struct backlink_words *words, const struct page *page, const struct text_vector *tf,
                               struct arena *arena)
{
    for (size_t i = 0; i < tf->count; i++) {
        const struct page_term *term = page_find_term(page, tf->items[i].stem);

        if (!term)
            continue;
        if (!vec_reserve(&words->items, &words->room, words->count + 1, sizeof *words->items))
            return SCENT_E_NOMEM;
        words->items[words->count] = (struct learn_word){term->stem, arena_str(arena, term->text)};
        if (!words->items[words->count++].text.p)
            return SCENT_E_NOMEM;
    }
    return SCENT_OK;
}

/* A window without any words but stop words is not an example. */
static scent_status add_window(const struct page_graph *graph, struct page_backlink from, uint32_t class,
                               struct arena *arena, struct backlink_words *words, struct learn_example *items,
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
    ++*count;
    return words ? note_words(words, page, &items[*count - 1].tf, arena) : SCENT_OK;
}

scent_status backlink_examples_add(const struct page_graph *graph, const uint32_t *pages, size_t npages, uint32_t class,
                                   struct rng *rng, struct arena *arena, struct backlink_words *words,
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

/* ---- a whole set ---- */

static int by_word(const void *a, const void *b)
{
    uint64_t x = ((const struct learn_word *)a)->stem, y = ((const struct learn_word *)b)->stem;

    return x < y ? -1 : x > y;
}

static scent_status keep_words(struct training_set *set, struct backlink_words *words)
{
    struct learn_word *kept = arena_array(&set->arena, words->count + 1, sizeof *kept);
    size_t n = 0;

    if (!kept)
        return SCENT_E_NOMEM;
    if (words->count)
        qsort(words->items, words->count, sizeof *words->items, by_word);
    for (size_t i = 0; i < words->count; i++)
        if (n == 0 || kept[n - 1].stem != words->items[i].stem)
            kept[n++] = words->items[i];
    set->set.words = kept;
    set->set.nwords = n;
    return SCENT_OK;
}

/* The windows of all classes; counts[class] of them. *unknown: examples that the graph does not have. */
static scent_status gather(struct training_set *set, const struct archive_graph *graph, uint64_t seed,
                           struct backlink_words *words, struct learn_example *items, size_t *count, size_t *unknown)
{
    uint32_t *pages = arena_array(&set->arena, set->set.nexamples + 1, sizeof *pages);
    struct rng rng;

    if (!pages)
        return SCENT_E_NOMEM;
    rng_seed(&rng, seed);
    for (uint32_t class = 0; class < set->set.nclasses; class++) {
        size_t npages = 0, before = *count;

        for (size_t i = 0; i < set->set.nexamples; i++)
            if (set->set.examples[i].class == class)
                archive_graph_find(graph, set->names[i], &pages[npages]) ? npages++ : ++*unknown;
        SCENT_TRY(backlink_examples_add(archive_graph_pages(graph), pages, npages, class, &rng, &set->arena, words,
                                        items, count));
        set->counts[class] = *count - before;
    }
    return SCENT_OK;
}

scent_status backlink_examples_replace(struct training_set *set, const struct archive_graph *graph, uint64_t seed,
                                       const struct log *log, struct errmsg *err)
{
    struct learn_example *items = arena_array(&set->arena, set->set.nexamples + 1, sizeof *items);
    struct str *names = arena_zalloc(&set->arena, (set->set.nexamples + 1) * sizeof *names);
    struct backlink_words words = {0};
    size_t count = 0, unknown = 0;
    scent_status status =
        items && names ? gather(set, graph, seed, &words, items, &count, &unknown) : SCENT_E_NOMEM;

    if (status == SCENT_OK)
        status = keep_words(set, &words);
    free(words.items);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "the words around links to the examples cannot be read: %s",
                           scent_status_text(status));
    if (unknown)
        log_line(log, LOG_WARN, "%zu of %zu examples are not among the known pages: no links to them are learned from",
                 unknown, set->set.nexamples);
    for (uint32_t class = 0; class < set->set.nclasses; class++)
        if (set->counts[class] < 2)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "%s of the known pages to examples of class %.*s; a model needs at least 2: name more "
                               "pages in 'graph', or train with 'train: pages'",
                               set->counts[class] ? "there is only one link" : "there is no link",
                               STR_ARG(set->set.classes[class]));
    for (size_t i = 0; i < count; i++)
        names[i] = STR("words around a link");
    set->names = names;
    set->set.examples = items;
    set->set.nexamples = count;
    set->set.nweak = 0;
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
