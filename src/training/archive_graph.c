#include "training/archive_graph.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "warc/pagefile.h"

#include <stdlib.h>

enum { PAGE_ARENA = 512 << 20, TOLD_EVERY = 256 };

struct archive_graph {
    struct archive *archive;
    struct map by_url; /* numbers of the archive */
    uint64_t seed;     /* of their hashes */
    uint32_t *names;   /* of each number, the page that it is: itself, where its redirects lead, or PAGE_NONE */
    uint32_t count;
    struct page_graph *pages;
    /* of the page that was asked for last */
    struct page_analyser *analyser;
    struct arena arena;
    struct buf lookup;
    struct page page;
    uint32_t *targets;
    size_t target_room;
    /* while opening */
    void (*on_read)(void *ctx, size_t done, size_t all);
    void *ctx;
};

/* ---- names ---- */

static bool look_up(const struct archive_graph *graph, struct str normal, uint32_t *number)
{
    struct map_walk walk = map_find(&graph->by_url, hash_str(normal, graph->seed));

    while (map_next(&walk))
        if (str_eq(archive_url(graph->archive, walk.value), normal)) {
            *number = walk.value;
            return true;
        }
    return false;
}

struct naming {
    const struct archive_graph *graph;
    uint32_t page;
};

static scent_status note_name(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct naming *naming = ctx;

    (void)err;
    (void)look_up(naming->graph, from->url, &naming->page);
    return SCENT_OK;
}

static scent_status name_pages(struct archive_graph *graph)
{
    graph->names = malloc(((size_t)graph->count + 1) * sizeof *graph->names);
    if (!graph->names)
        return SCENT_E_NOMEM;
    SCENT_TRY(map_reserve(&graph->by_url, graph->count));
    for (uint32_t i = 0; i < graph->count; i++)
        SCENT_TRY(map_add(&graph->by_url, hash_str(archive_url(graph->archive, i), graph->seed), i));
    for (uint32_t i = 0; i < graph->count; i++) {
        struct naming naming = {graph, PAGE_NONE}; /* so it stays for an error, or a redirect that leads nowhere */
        struct errmsg why = {{0}};

        if (pagefile_find(graph->archive, archive_url(graph->archive, i), &graph->lookup, note_name, &naming, &why) ==
            SCENT_E_NOMEM)
            return SCENT_E_NOMEM;
        graph->names[i] = naming.page;
    }
    return SCENT_OK;
}

/* ---- pages ---- */

static scent_status analyse(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct archive_graph *graph = ctx;
    scent_status status =
        page_analyse_stored(graph->analyser, from->url, from->headers, from->body, &graph->arena, &graph->page);

    return status == SCENT_OK ? status : errmsg_fail(err, status, "%.*s cannot be read", STR_ARG(from->name));
}

static const struct page *read_page(void *ctx, uint32_t number, const uint32_t **targets)
{
    struct archive_graph *graph = ctx;
    struct page *page = &graph->page;
    struct errmsg why = {{0}};

    arena_reset(&graph->arena);
    *page = (struct page){0};
    if (graph->on_read && (number % TOLD_EVERY == 0 || number + 1 == graph->count))
        graph->on_read(graph->ctx, number + 1, graph->count);
    if (graph->names[number] == number &&
        pagefile_find(graph->archive, archive_url(graph->archive, number), &graph->lookup, analyse, graph, &why) !=
            SCENT_OK)
        *page = (struct page){0}; /* a page that cannot be read says nothing */
    if (!vec_reserve(&graph->targets, &graph->target_room, page->nlinks + (size_t)1, sizeof *graph->targets))
        return NULL;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        uint32_t target;

        graph->targets[i] = look_up(graph, page->links[i].url.href, &target) ? graph->names[target] : PAGE_NONE;
    }
    if (targets)
        *targets = graph->targets;
    return page;
}

/* ---- opening ---- */

static scent_status read_all(struct archive_graph *graph, const char *path, const struct log *log, struct errmsg *err)
{
    struct page_graph_source source = {.page = read_page, .ctx = graph};
    size_t all = archive_count(graph->archive);

    graph->count = all < ARCHIVE_GRAPH_PAGES ? (uint32_t)all : ARCHIVE_GRAPH_PAGES;
    if (graph->count < all)
        log_line(log, LOG_WARN, "%s: the links of the first %u of its %zu pages are read", path, graph->count, all);
    if (name_pages(graph) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages of %s", path);
    source.count = graph->count;
    return page_graph_new(&source, &graph->pages, err);
}

scent_status archive_graph_open(const char *path, bool whole_page, const struct log *log,
                                void (*on_read)(void *ctx, size_t done, size_t all), void *ctx,
                                struct archive_graph **out, struct errmsg *err)
{
    struct archive_graph *graph;
    struct archive *archive;
    scent_status status;

    SCENT_TRY(archive_open(path, log, &archive, err));
    graph = calloc(1, sizeof *graph);
    SCENT_BUG_IF(!graph);
    *graph = (struct archive_graph){.archive = archive, .seed = rng_entropy(), .on_read = on_read, .ctx = ctx};
    graph->analyser = page_analyser_new(
        &(struct page_options){.max_bytes = PAGEFILE_MAX_BYTES, .whole_page = whole_page});
    arena_init(&graph->arena, PAGE_ARENA);
    buf_init(&graph->lookup, 0);
    status = read_all(graph, path, log, err);
    graph->on_read = NULL;
    if (status == SCENT_OK)
        *out = graph;
    else
        archive_graph_close(graph);
    return status;
}

void archive_graph_close(struct archive_graph *graph)
{
    if (!graph)
        return;
    page_graph_free(graph->pages);
    page_analyser_free(graph->analyser);
    arena_release(&graph->arena);
    buf_release(&graph->lookup);
    map_release(&graph->by_url);
    archive_free(graph->archive);
    free(graph->names);
    free(graph->targets);
    free(graph);
}

const struct page_graph *archive_graph_pages(const struct archive_graph *graph)
{
    return graph->pages;
}

bool archive_graph_find(const struct archive_graph *graph, struct str href, uint32_t *page)
{
    struct arena arena;
    struct url url;
    bool found;

    arena_init(&arena, 1 << 20);
    found = url_parse(&arena, href, NULL, &url) == SCENT_OK && url_normalise(&arena, &url, 0, &url) == SCENT_OK &&
            look_up(graph, url.href, page) && graph->names[*page] != PAGE_NONE;
    if (found)
        *page = graph->names[*page];
    arena_release(&arena);
    return found;
}
