/* How a model of browsing is learned, in the order of the paper's section 2: the web graph and the distances of its
 * pages from useful ones; vectors and clusters; the concept graph; and beyond the paper, for each cluster the words
 * that tell it from others and the share of known words below which a page is strange to it. */
#include "base/hash.h"
#include "base/vec.h"
#include "learn/lsi.h"
#include "trace/browse_parts.h"

#include <stdlib.h>

/* ---- the web graph: the links between the pages, and how far each page is from a useful one ---- */

struct webgraph_edge {
    uint32_t from, to;
};
struct webgraph {
    struct webgraph_edge *edges; /* each once, sorted; no page links to itself */
    size_t count;
};

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

static void collect_edges(struct webgraph *graph, const struct browse_input *input, const struct name *names,
                          size_t nnames)
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

static scent_status webgraph_init(struct webgraph *graph, const struct browse_input *input, struct arena *arena)
{
    size_t nlinks = 0, nnames;
    struct name *names = name_pages(input, arena, &nnames);

    for (size_t i = 0; i < input->npages; i++)
        nlinks += input->pages[i].page->nlinks;
    *graph = (struct webgraph){.edges = arena_array(arena, nlinks + input->nways + 1, sizeof *graph->edges)};
    if (!names || !graph->edges)
        return SCENT_E_NOMEM;
    collect_edges(graph, input, names, nnames);
    for (size_t i = 0; i < input->nways; i++)
        if (input->ways[i].from != input->ways[i].to)
            graph->edges[graph->count++] = (struct webgraph_edge){input->ways[i].from, input->ways[i].to};
    drop_copies(graph);
    return SCENT_OK;
}

/* labels[page]: links to the nearest useful page, by a breadth-first search against the links; 3 stands for three,
 * more, and no way at all. */
static void webgraph_label(const struct webgraph *graph, const struct browse_input *input, uint8_t *labels)
{
    const uint8_t far = HMM_STATES - 1;

    for (size_t i = 0; i < input->npages; i++)
        labels[i] = input->pages[i].useful ? 0 : far;
    for (uint8_t step = 1; step < far; step++)
        for (size_t i = 0; i < graph->count; i++)
            if (labels[graph->edges[i].to] == step - 1 && labels[graph->edges[i].from] > step)
                labels[graph->edges[i].from] = step;
}

/* ---- from pages and marks to a model ---- */

struct browse_options browse_options_default(void)
{
    return (struct browse_options){.keep = LSI_KEEP, .cluster = clustering_options_default()};
}

/* What is made on the way. */
struct draft {
    struct arena arena;
    const struct browse_input *input;
    struct text_vector *texts, *pages; /* the words of their texts, and with them all other features */
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

static scent_status read_words(struct draft *draft, const struct browse_features *features)
{
    const struct browse_input *input = draft->input;

    draft->texts = arena_array(&draft->arena, input->npages, sizeof *draft->texts);
    draft->pages = arena_array(&draft->arena, input->npages, sizeof *draft->pages);
    if (!draft->texts || !draft->pages)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < input->npages; i++) {
        const struct page *page = input->pages[i].page;

        SCENT_TRY(page_frequencies(page, &draft->arena, &draft->texts[i]));
        SCENT_TRY(browse_vector(features, page, &draft->texts[i], &draft->arena, &draft->pages[i]));
    }
    return SCENT_OK;
}

static scent_status place_pages(struct browse *browse, const struct draft *draft,
                                const struct clustering_options *options)
{
    uint32_t dims = lsi_dims(browse->lsi), n = browse->npages;
    struct clustering_points points = {.count = n, .dims = dims};

    browse->points = arena_array(&browse->arena, (size_t)n * dims, sizeof *browse->points);
    browse->of = arena_array(&browse->arena, n, sizeof *browse->of);
    browse->labels = arena_array(&browse->arena, n, sizeof *browse->labels);
    if (!browse->points || !browse->of || !browse->labels)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        lsi_project_unit(browse->lsi, &draft->pages[i], browse->points + (size_t)i * dims);
    points.values = browse->points;
    return clustering_find(&points, options, browse->of, &browse->nclusters);
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
static void measure_half(const struct draft *draft, size_t half, uint64_t *room, double *shares)
{
    size_t npages = draft->input->npages, count = 0;

    for (size_t i = 1 - half; i < npages; i += 2)
        for (size_t k = 0; k < draft->texts[i].count; k++)
            room[count++] = draft->texts[i].items[k].stem;
    qsort(room, count, sizeof *room, order_u64);
    for (size_t i = half; i < npages; i += 2)
        shares[i] = share_in(&draft->texts[i], room, count);
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
static scent_status find_familiar(struct browse *browse, struct draft *draft)
{
    double *shares = arena_zalloc(&draft->arena, browse->npages * sizeof *shares);
    double *sorted = arena_array(&draft->arena, browse->npages, sizeof *sorted);
    uint64_t *stems;
    size_t all = 0;

    for (size_t i = 0; i < browse->npages; i++)
        all += draft->texts[i].count;
    stems = arena_array(&draft->arena, all + 1, sizeof *stems);
    if (!shares || !sorted || !stems)
        return SCENT_E_NOMEM;
    measure_half(draft, 0, stems, shares);
    measure_half(draft, 1, stems, shares);
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

static void add_up(struct surplus *surplus)
{
    size_t kept = 0;

    qsort(surplus->words, surplus->count, sizeof *surplus->words, text_order_stems);
    for (size_t i = 0; i < surplus->count; i++) {
        if (kept && surplus->words[kept - 1].stem == surplus->words[i].stem)
            surplus->words[kept - 1].weight += surplus->words[i].weight;
        else
            surplus->words[kept++] = surplus->words[i];
    }
    surplus->count = kept;
}

static void weigh_cluster(const struct browse *browse, const struct draft *draft, uint32_t cluster,
                          struct surplus *surplus)
{
    uint32_t size = 0;

    surplus->count = 0;
    for (uint32_t i = 0; i < browse->npages; i++)
        size += browse->of[i] == cluster;
    for (uint32_t i = 0; i < browse->npages; i++) {
        double share = (browse->of[i] == cluster ? 1. / size : 0) - 1. / browse->npages;
        struct text_weight *words = surplus->words + surplus->count;
        size_t n = lsi_weigh(browse->lsi, &draft->texts[i], words);

        for (size_t k = 0; k < n; k++)
            words[k].weight *= share;
        surplus->count += n;
    }
    add_up(surplus);
}

static struct str text_of(const struct draft *draft, uint64_t stem)
{
    for (size_t i = 0; i < draft->input->npages; i++) {
        const struct page_term *term = page_find_term(draft->input->pages[i].page, stem);

        if (term)
            return term->text;
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

static scent_status find_telling(struct browse *browse, struct draft *draft)
{
    struct text_weight best[BROWSE_TELLING];
    struct surplus surplus = {0};
    size_t all = 0;

    for (size_t i = 0; i < draft->input->npages; i++)
        all += draft->texts[i].count;
    surplus.words = arena_array(&draft->arena, all + 1, sizeof *surplus.words);
    if (!surplus.words)
        return SCENT_E_NOMEM;
    for (uint32_t c = 0; c < browse->nclusters; c++) {
        size_t n;

        weigh_cluster(browse, draft, c, &surplus);
        n = choose_words(&surplus, best);
        for (size_t i = 0; i < n; i++)
            browse->telling[c][i] = arena_str(&browse->arena, text_of(draft, best[i].stem));
    }
    return SCENT_OK;
}

static bool has_direction(const struct browse *browse)
{
    uint32_t dims = lsi_dims(browse->lsi);

    for (uint32_t i = 0; i < browse->npages; i++) {
        const double *point = browse->points + (size_t)i * dims;

        if (browse->labels[i] == 0 && clustering_dot(point, point, dims) > 0)
            return true;
    }
    return false;
}

static scent_status learn_model(struct browse *browse, struct draft *draft, const struct browse_options *options,
                          struct errmsg *err)
{
    scent_status status = read_words(draft, &options->features);

    if (status == SCENT_OK)
        status = webgraph_init(&draft->graph, draft->input, &draft->arena);
    if (status == SCENT_OK)
        status = lsi_train(draft->pages, browse->npages, options->keep, &browse->lsi, err);
    if (status == SCENT_E_INVALID || status == SCENT_E_LIMIT)
        return status;
    if (status == SCENT_OK)
        status = place_pages(browse, draft, &options->cluster);
    if (status == SCENT_OK) {
        webgraph_label(&draft->graph, draft->input, browse->labels);
        draw_concepts(browse, &draft->graph);
        status = find_telling(browse, draft);
    }
    if (status == SCENT_OK)
        status = find_familiar(browse, draft);
    if (status == SCENT_OK && !has_direction(browse))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no useful page has words that tell it from other pages; mark pages with "
                           "text");
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory");
}

scent_status browse_train(const struct browse_input *input, const struct browse_options *options, struct browse **out,
                          struct errmsg *err)
{
    struct draft draft = {.input = input};
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
    browse->features = options->features;
    arena_init(&draft.arena, SIZE_MAX);
    status = learn_model(browse, &draft, options, err);
    arena_release(&draft.arena);
    if (status != SCENT_OK) {
        browse_free(browse);
        return status;
    }
    browse_finish(browse);
    *out = browse;
    return SCENT_OK;
}

/* ---- from sessions to the pages that a model is trained with ---- */

struct training {
    struct arena arena;
    struct browse_page *pages;
    struct browse_name *names;
    size_t npages;
    uint32_t *places; /* of each page of the sessions: its number here; BROWSING_NONE: it was not read */
    struct browse_way *ways;
    size_t nways;
};

/* Several URLs lead to one page: by the address at which the source has it. Pages are few, sessions are small. */
static size_t place_of(const struct training *training, const struct page *page)
{
    size_t i = 0;

    while (i < training->npages && !str_eq(training->pages[i].page->url.href, page->url.href))
        i++;
    return i;
}

static void take_page(struct training *training, const struct browsing *browsing, uint32_t number,
                      const struct page *page, size_t *nnames)
{
    size_t at = place_of(training, page);

    if (at == training->npages)
        training->pages[training->npages++] = (struct browse_page){.page = page};
    training->places[number] = (uint32_t)at;
    training->pages[at].useful |= browsing_is_useful(browsing, number);
    training->names[(*nnames)++] = (struct browse_name){browsing_url(browsing, number), (uint32_t)at};
}

static void note_unread(const struct browsing *browsing, uint32_t number, struct browse_met *met)
{
    if (!met->unread++)
        met->first_unread = browsing_url(browsing, number);
    met->useful_unread += browsing_is_useful(browsing, number);
}

static scent_status find_pages(struct training *training, const struct browsing *browsing,
                               const struct browse_source *source, struct browse_met *met, size_t *nnames)
{
    uint32_t all = browsing_size(browsing).pages;

    training->pages = arena_array(&training->arena, all + (size_t)1, sizeof *training->pages);
    training->names = arena_array(&training->arena, all + (size_t)1, sizeof *training->names);
    training->places = arena_array(&training->arena, all + (size_t)1, sizeof *training->places);
    if (!training->pages || !training->names || !training->places)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < all; i++)
        training->places[i] = BROWSING_NONE;
    for (uint32_t i = 0; i < all; i++) {
        const struct page *page = source->find(source->ctx, browsing_url(browsing, i));

        if (page)
            take_page(training, browsing, i, page, nnames);
        else
            note_unread(browsing, i, met);
    }
    for (size_t i = 0; i < training->npages; i++)
        met->useful += training->pages[i].useful;
    met->pages = (uint32_t)training->npages;
    return SCENT_OK;
}

/* Of every visit from another: which page led to which. */
static scent_status find_ways(struct training *training, const struct browsing *browsing)
{
    uint32_t visits = browsing_visits(browsing);

    training->ways = arena_array(&training->arena, visits + (size_t)1, sizeof *training->ways);
    if (!training->ways)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < visits; i++) {
        const struct browsing_visit *visit = browsing_at(browsing, i);
        uint32_t to = training->places[visit->page], from = BROWSING_NONE;

        if (visit->from != BROWSING_NONE)
            from = training->places[browsing_at(browsing, visit->from)->page];
        if (from != BROWSING_NONE && to != BROWSING_NONE)
            training->ways[training->nways++] = (struct browse_way){from, to};
    }
    return SCENT_OK;
}

static scent_status check_met(const struct browsing_size *size, const struct browse_met *met, struct errmsg *err)
{
    if (size->pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "the sessions are empty: no page was visited");
    if (size->useful == 0)
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "the sessions have no useful page, and the model learns what leads to useful "
            "pages; press Useful on some while recording, or give their URLs with 'scent browse import'");
    if (met->pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "none of the %u pages of the sessions could be read, %.*s for one",
                           size->pages, STR_ARG(met->first_unread));
    if (met->useful == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "none of the %u useful pages could be read, and the model learns what leads to "
                           "them",
                           size->useful);
    return SCENT_OK;
}

scent_status browse_learn(const struct browsing *browsing, const struct browse_source *source,
                          const struct browse_options *options, struct browse **out, struct browse_met *met,
                          struct errmsg *err)
{
    struct browsing_size size = browsing_size(browsing);
    struct training training = {0};
    size_t nnames = 0;
    scent_status status;

    *out = NULL;
    *met = (struct browse_met){0};
    if (size.pages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT,
                           "the sessions hold %u pages, more than the %d that a model is made of; take a "
                           "shorter time, or fewer hosts",
                           size.pages, LSI_PAGES_MAX);
    arena_init(&training.arena, SIZE_MAX);
    status = find_pages(&training, browsing, source, met, &nnames);
    if (status == SCENT_OK && !options->links_only)
        status = find_ways(&training, browsing);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    else
        status = check_met(&size, met, err);
    if (status == SCENT_OK) {
        struct browse_input input = {training.pages, training.npages, training.names, nnames,
                                     training.ways, training.nways};

        status = browse_train(&input, options, out, err);
    }
    arena_release(&training.arena);
    return status;
}
