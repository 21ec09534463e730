/* From pages and marks to a model. */
#include "base/order.h"
#include "browse/browse_parts.h"
#include "browse/webgraph.h"

#include <stdlib.h>

struct browse_options browse_options_default(void)
{
    return (struct browse_options){.keep = LSI_KEEP, .cluster = cluster_options_default()};
}

/* What is made on the way. */
struct course {
    struct arena arena;
    const struct browse_input *input;
    struct text_vector *pages;
    struct webgraph graph;
};

static scent_status check_input(const struct browse_input *input, struct errmsg *err)
{
    size_t useful = 0;

    for (size_t i = 0; i < input->npages; i++)
        useful += input->pages[i].useful;
    if (input->npages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "there is no page to learn from");
    if (useful == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "none of the %zu pages is marked as useful, and the model learns what leads "
                           "to useful pages; mark some",
                           input->npages);
    if (input->npages == 1)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "one page is not enough to learn from: the model needs the pages on the way "
                           "to useful ones; browse further");
    return SCENT_OK;
}

static scent_status read_words(struct course *course)
{
    const struct browse_input *input = course->input;

    course->pages = arena_array(&course->arena, input->npages, sizeof *course->pages);
    for (size_t i = 0; course->pages && i < input->npages; i++) {
        const struct page *page = input->pages[i].page;
        struct text_weight *items = arena_array(&course->arena, page->nbag + (size_t)1, sizeof *items);

        if (!items)
            return SCENT_E_NOMEM;
        for (uint32_t k = 0; k < page->nbag; k++)
            items[k] = (struct text_weight){page->bag[k].stem, page->bag[k].tf};
        course->pages[i] = (struct text_vector){items, page->nbag};
    }
    return course->pages ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status place_pages(struct browse *browse, const struct course *course,
                                const struct cluster_options *options)
{
    uint32_t dims = lsi_dims(browse->lsi), n = browse->npages;
    struct cluster_points points = {.count = n, .dims = dims};

    browse->points = arena_array(&browse->arena, (size_t)n * dims, sizeof *browse->points);
    browse->of = arena_array(&browse->arena, n, sizeof *browse->of);
    browse->labels = arena_array(&browse->arena, n, sizeof *browse->labels);
    if (!browse->points || !browse->of || !browse->labels)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        lsi_project_unit(browse->lsi, &course->pages[i], browse->points + (size_t)i * dims);
    points.values = browse->points;
    return cluster_find(&points, options, browse->of, &browse->nclusters);
}

static void draw_concepts(struct browse *browse, const struct webgraph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        uint32_t from = graph->edges[i].from, to = graph->edges[i].to;

        browse->concepts.links[browse_node(browse->labels[from], browse->of[from])]
                              [browse_node(browse->labels[to], browse->of[to])]++;
    }
}

/* ---- what is familiar ---- */

static double share_in(const struct text_vector *page, const uint64_t *stems, size_t count)
{
    double known = 0, all = 0;

    for (size_t k = 0; k < page->count; k++) {
        all += page->items[k].weight;
        if (bsearch(&page->items[k].stem, stems, count, sizeof *stems, order_u64))
            known += page->items[k].weight;
    }
    return all > 0 ? known / all : 0;
}

/* Of every page of one half: the share of its words that pages of the other half have; `room` is for all stems. */
static void measure_half(const struct course *course, size_t half, uint64_t *room, double *shares)
{
    size_t npages = course->input->npages, count = 0;

    for (size_t i = 1 - half; i < npages; i += 2)
        for (size_t k = 0; k < course->pages[i].count; k++)
            room[count++] = course->pages[i].items[k].stem;
    qsort(room, count, sizeof *room, order_u64);
    for (size_t i = half; i < npages; i += 2)
        shares[i] = share_in(&course->pages[i], room, count);
}

/* The median of the pages of a cluster; `room` is for all pages. */
static double median_of(const struct browse *browse, uint32_t cluster, const double *shares, double *room)
{
    size_t n = 0;

    for (uint32_t i = 0; i < browse->npages; i++)
        if (browse->of[i] == cluster)
            room[n++] = shares[i];
    qsort(room, n, sizeof *room, order_double);
    return room[n / 2];
}

/* What half of the pages of a cluster reach where they are new to a model, and that a model of half of the pages: ours
 * is made of all, knows more words, and nearly all of their kind pass. */
static scent_status find_familiar(struct browse *browse, struct course *course)
{
    double *shares = arena_zalloc(&course->arena, browse->npages * sizeof *shares);
    double *sorted = arena_array(&course->arena, browse->npages, sizeof *sorted);
    uint64_t *stems;
    size_t all = 0;

    for (size_t i = 0; i < browse->npages; i++)
        all += course->pages[i].count;
    stems = arena_array(&course->arena, all + 1, sizeof *stems);
    if (!shares || !sorted || !stems)
        return SCENT_E_NOMEM;
    measure_half(course, 0, stems, shares);
    measure_half(course, 1, stems, shares);
    for (uint32_t c = 0; c < browse->nclusters; c++)
        browse->familiar[c] = median_of(browse, c, shares, sorted);
    return SCENT_OK;
}

/* ---- the words of a cluster ---- */

/* By how much more the pages of a cluster have of a word than all pages, in the mean. */
struct surplus {
    struct text_weight *words; /* sorted by stem */
    size_t count;
};

static int by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct text_weight *)a)->stem, y = ((const struct text_weight *)b)->stem;

    return x < y ? -1 : x > y;
}

static void add_up(struct surplus *surplus)
{
    size_t kept = 0;

    qsort(surplus->words, surplus->count, sizeof *surplus->words, by_stem);
    for (size_t i = 0; i < surplus->count; i++) {
        if (kept && surplus->words[kept - 1].stem == surplus->words[i].stem)
            surplus->words[kept - 1].weight += surplus->words[i].weight;
        else
            surplus->words[kept++] = surplus->words[i];
    }
    surplus->count = kept;
}

static void weigh_cluster(const struct browse *browse, const struct course *course, uint32_t cluster,
                          struct surplus *surplus)
{
    uint32_t size = 0;

    surplus->count = 0;
    for (uint32_t i = 0; i < browse->npages; i++)
        size += browse->of[i] == cluster;
    for (uint32_t i = 0; i < browse->npages; i++) {
        double share = (browse->of[i] == cluster ? 1. / size : 0) - 1. / browse->npages;
        struct text_weight *words = surplus->words + surplus->count;
        size_t n = lsi_weigh(browse->lsi, &course->pages[i], words);

        for (size_t k = 0; k < n; k++)
            words[k].weight *= share;
        surplus->count += n;
    }
    add_up(surplus);
}

static struct str text_of(const struct course *course, uint64_t stem)
{
    for (size_t i = 0; i < course->input->npages; i++) {
        const struct page *page = course->input->pages[i].page;

        for (uint32_t k = 0; k < page->nbag; k++)
            if (page->bag[k].stem == stem)
                return page->bag[k].text;
    }
    return STR_NONE;
}

/* The stems with the largest surplus, best first, equal ones by stem; `best` has BROWSE_TELLING places. */
static size_t choose_words(const struct surplus *surplus, struct text_weight *best)
{
    size_t n = 0;

    for (size_t i = 0; i < surplus->count; i++) {
        struct text_weight one = surplus->words[i];
        size_t at = n;

        while (at > 0 && best[at - 1].weight < one.weight)
            at--;
        if (one.weight <= 0 || at == BROWSE_TELLING)
            continue;
        n += n < BROWSE_TELLING;
        memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
        best[at] = one;
    }
    return n;
}

static scent_status find_telling(struct browse *browse, struct course *course)
{
    struct text_weight best[BROWSE_TELLING];
    struct surplus surplus = {0};
    size_t all = 0;

    for (size_t i = 0; i < course->input->npages; i++)
        all += course->pages[i].count;
    surplus.words = arena_array(&course->arena, all + 1, sizeof *surplus.words);
    if (!surplus.words)
        return SCENT_E_NOMEM;
    for (uint32_t c = 0; c < browse->nclusters; c++) {
        size_t n;

        weigh_cluster(browse, course, c, &surplus);
        n = choose_words(&surplus, best);
        for (size_t i = 0; i < n; i++)
            browse->telling[c][i] = arena_str(&browse->arena, text_of(course, best[i].stem));
    }
    return SCENT_OK;
}

/* ---- all of it ---- */

static bool has_direction(const struct browse *browse)
{
    uint32_t dims = lsi_dims(browse->lsi);

    for (uint32_t i = 0; i < browse->npages; i++) {
        const double *point = browse->points + (size_t)i * dims;

        if (browse->labels[i] == 0 && cluster_dot(point, point, dims) > 0)
            return true;
    }
    return false;
}

static scent_status learn(struct browse *browse, struct course *course, const struct browse_options *options,
                          struct errmsg *err)
{
    scent_status status = read_words(course);

    if (status == SCENT_OK)
        status = webgraph_init(&course->graph, course->input, &course->arena);
    if (status == SCENT_OK)
        status = lsi_train(course->pages, browse->npages, options->keep, &browse->lsi, err);
    if (status == SCENT_E_INVALID || status == SCENT_E_LIMIT)
        return status;
    if (status == SCENT_OK)
        status = place_pages(browse, course, &options->cluster);
    if (status == SCENT_OK) {
        webgraph_label(&course->graph, course->input, browse->labels);
        draw_concepts(browse, &course->graph);
        status = find_telling(browse, course);
    }
    if (status == SCENT_OK)
        status = find_familiar(browse, course);
    if (status == SCENT_OK && !has_direction(browse))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no useful page has words that tell it from other pages; mark pages with "
                           "text");
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory");
}

scent_status browse_train(const struct browse_input *input, const struct browse_options *options, struct browse **out,
                          struct errmsg *err)
{
    struct course course = {.input = input};
    struct browse *browse;
    scent_status status = check_input(input, err);

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    if (input->npages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT,
                           "%zu pages are more than the %d that a model is made of; take a shorter time, "
                           "or fewer hosts",
                           input->npages, LSI_PAGES_MAX);
    browse = browse_new();
    browse->npages = (uint32_t)input->npages;
    arena_init(&course.arena, SIZE_MAX);
    status = learn(browse, &course, options, err);
    arena_release(&course.arena);
    if (status != SCENT_OK) {
        browse_free(browse);
        return status;
    }
    browse_finish(browse);
    *out = browse;
    return SCENT_OK;
}
