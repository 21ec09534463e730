/* Tables and the graph: what the rows of the database say of pages. */
#include "export/export_parts.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

/* Calls `fn` for the pages that were chosen. */
struct walk {
    struct export *export;
    struct buf line;
    void (*fn)(struct buf *line, const struct store_page *page, const struct store_url *url);
};

static scent_status on_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct walk *walk = ctx;

    if (!selection_has_page(walk->export->selection, page->number))
        return SCENT_OK;
    buf_clear(&walk->line);
    walk->fn(&walk->line, page, url);
    walk->export->report->written++;
    return export_put(walk->export, buf_str(&walk->line));
}

static scent_status each_page(struct export *export,
                              void (*fn)(struct buf *, const struct store_page *, const struct store_url *))
{
    struct walk walk = {.export = export, .fn = fn};
    scent_status status;

    buf_init(&walk.line, 0);
    status = store_each_page(export->store, 0, on_page, &walk, export->err);
    buf_release(&walk.line);
    return status;
}

/* ---- urls ---- */

static void write_url(struct buf *line, const struct store_page *page, const struct store_url *url)
{
    (void)page;
    buf_add(line, url->url);
    buf_addc(line, '\n');
}

scent_status export_urls(struct export *export)
{
    return each_page(export, write_url);
}

/* ---- jsonl ---- */

scent_status export_jsonl(struct export *export)
{
    return each_page(export, crawldir_add_page_line);
}

/* ---- csv ---- */

static void add_field(struct buf *line, struct str s)
{
    buf_addc(line, ',');
    escape_csv(line, s);
}

static void write_csv(struct buf *line, const struct store_page *page, const struct store_url *url)
{
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    buf_printf(line, "%" PRIu64, page->number);
    add_field(line, url->url);
    add_field(line, str_of(when));
    buf_printf(line, ",%d,%d,%.6g,%u", page->status, page->relevant, page->score, url->depth);
    add_field(line, page->mime);
    add_field(line, page->lang);
    add_field(line, page->title);
    buf_printf(line, ",%" PRIu64 ",%u,%u\r\n", page->bytes, page->words, page->links);
}

scent_status export_csv(struct export *export)
{
    fputs("n,url,time,status,relevant,score,depth,mime,lang,title,bytes,words,links\r\n", export->out.file);
    return each_page(export, write_csv);
}

/* ---- graphml ---- */

/* The pages that are nodes, in the order of their numbers: 16 bytes each and 12 to 24 to find them by their URL,
 * whatever numbers a damaged database has. */
struct node {
    uint64_t page;
    uint32_t url;
};
struct graph {
    struct export *export;
    struct node *nodes;
    size_t count, room;
    struct map by_url;
};

static uint64_t hash_url(uint32_t url)
{
    return hash_mix(url, 0);
}

static scent_status note_node(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct graph *graph = ctx;

    if (!selection_has_page(graph->export->selection, page->number))
        return SCENT_OK;
    if (!vec_reserve(&graph->nodes, &graph->room, graph->count + 1, sizeof *graph->nodes))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&graph->by_url, hash_url(url->id), (uint32_t)graph->count));
    graph->nodes[graph->count++] = (struct node){page->number, url->id};
    return SCENT_OK;
}

static bool is_node(const struct graph *graph, uint32_t url)
{
    struct map_walk walk = map_find(&graph->by_url, hash_url(url));

    while (map_next(&walk))
        if (graph->nodes[walk.value].url == url)
            return true;
    return false;
}

static int by_page(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    return (x->page > y->page) - (x->page < y->page);
}

static void write_node(struct buf *line, const struct store_page *page, const struct store_url *url)
{
    buf_printf(line, "<node id=\"u%u\"><data key=\"url\">", url->id);
    escape_markup(line, url->url);
    buf_addz(line, "</data><data key=\"title\">");
    escape_markup(line, page->title);
    buf_printf(line, "</data><data key=\"relevant\">%s</data><data key=\"score\">%.6g</data></node>\n",
               page->relevant ? "true" : "false", page->score);
}

static scent_status write_edge(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    const struct graph *graph = ctx;
    struct node key = {.page = link->page}, *source;

    (void)from;
    (void)to;
    /* A copy has links, too, but is not a node. */
    source = graph->count ? bsearch(&key, graph->nodes, graph->count, sizeof key, by_page) : NULL;
    if (source && is_node(graph, link->target))
        fprintf(graph->export->out.file, "<edge source=\"u%u\" target=\"u%u\"/>\n", source->url, link->target);
    return SCENT_OK;
}

scent_status export_graphml(struct export *export)
{
    struct graph graph = {.export = export};
    scent_status status = store_each_page(export->store, 0, note_node, &graph, export->err);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "<key id=\"url\" for=\"node\" attr.name=\"url\" attr.type=\"string\"/>\n"
          "<key id=\"title\" for=\"node\" attr.name=\"title\" attr.type=\"string\"/>\n"
          "<key id=\"relevant\" for=\"node\" attr.name=\"relevant\" attr.type=\"boolean\"/>\n"
          "<key id=\"score\" for=\"node\" attr.name=\"score\" attr.type=\"double\"/>\n"
          "<graph edgedefault=\"directed\">\n",
          export->out.file);
    if (status == SCENT_OK)
        status = each_page(export, write_node);
    if (status == SCENT_OK)
        status = store_each_link(export->store, write_edge, &graph, export->err);
    fputs("</graph>\n</graphml>\n", export->out.file);
    free(graph.nodes);
    map_release(&graph.by_url);
    return status;
}

