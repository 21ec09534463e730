#include "lab/readers.h"

#include "base/rng.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES_MIN = 2, NAME = 24 };

/* The pages that are marked; returns their number. */
static uint32_t list_marked(const bool *marked, uint32_t npages, uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < npages; i++)
        if (marked[i])
            out[count++] = i;
    return count;
}

struct category_pages {
    uint32_t *pages;  /* of the first category, of the second, …, and of all */
    uint32_t *begins; /* one more than there are categories, and one for all */
    size_t ncategories, room;
};

static void category_pages_release(struct category_pages *lists)
{
    free(lists->pages);
    free(lists->begins);
}

/* A page is listed with every category that it has. */
static void list_pages(struct category_pages *lists, const struct labels *labels, const struct str *categories,
                       uint32_t npages)
{
    bool *marked = calloc(npages + 1, sizeof *marked), *any = calloc(npages + 1, sizeof *any);
    uint32_t count = 0;

    SCENT_BUG_IF(!marked || !any);
    for (size_t i = 0; i <= lists->ncategories; i++) {
        bool last = i == lists->ncategories;

        if (!last) {
            memset(marked, 0, npages * sizeof *marked);
            (void)labels_mark(labels, categories[i], marked);
            for (uint32_t page = 0; page < npages; page++)
                any[page] |= marked[page];
        }
        SCENT_BUG_IF(!vec_reserve(&lists->pages, &lists->room, (size_t)count + npages, sizeof *lists->pages));
        lists->begins[i] = count;
        count += list_marked(last ? any : marked, npages, lists->pages + count);
    }
    lists->begins[lists->ncategories + 1] = count;
    free(marked);
    free(any);
}

static uint32_t draw(const struct category_pages *lists, size_t category, struct rng *rng)
{
    uint32_t begin = lists->begins[category];

    return lists->pages[begin + rng_below(rng, lists->begins[category + 1] - begin)];
}

static scent_status read_for_interest(const struct readers_wish *wish, const struct collection *collection,
                                      const struct category_pages *lists, uint64_t seed, struct trace **out)
{
    const int64_t minute = 60 * (int64_t)1000000, day = 24 * 60 * minute;
    size_t count = (size_t)wish->readers * wish->accesses;
    struct trace_given *given = calloc(count + 1, sizeof *given);
    char (*names)[NAME] = calloc(wish->readers, sizeof *names);
    scent_status status = SCENT_E_NOMEM;
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t reader = 0; given && names && reader < wish->readers; reader++) {
        size_t own = rng_below(&rng, lists->ncategories);

        snprintf(names[reader], NAME, "reader%u", (unsigned)reader);
        for (uint32_t i = 0; i < wish->accesses; i++) {
            bool interested = rng_unit(&rng) < wish->interest;

            given[(size_t)reader * wish->accesses + i] = (struct trace_given){
                .time = reader * day + i * minute, .user = str_of(names[reader]),
                .url = collection_url(collection, draw(lists, interested ? own : lists->ncategories, &rng))};
        }
    }
    if (given && names)
        status = trace_simulated(given, count, out);
    free(given);
    free(names);
    return status;
}

scent_status readers_simulate(const struct readers_wish *wish, const struct collection *collection,
                              const struct labels *labels, uint64_t seed, struct trace **out, struct errmsg *err)
{
    struct category_pages lists = {0};
    struct arena arena;
    struct str *categories = NULL;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = labels_categories(labels, wish->level, PAGES_MIN, &arena, &categories, &lists.ncategories);
    if (status == SCENT_OK && lists.ncategories == 0)
        status = SCENT_E_INVALID;
    if (status != SCENT_OK) {
        arena_release(&arena);
        return errmsg_fail(err, status, "readers need categories of at least %d pages, and there are none", PAGES_MIN);
    }
    lists.begins = calloc(lists.ncategories + 2, sizeof *lists.begins);
    SCENT_BUG_IF(!lists.begins);
    list_pages(&lists, labels, categories, collection_count(collection));
    status = read_for_interest(wish, collection, &lists, seed, out);
    category_pages_release(&lists);
    arena_release(&arena);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "no memory for so many readers");
}
