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

    if (!selection_has_page(walk->export->part->selection, page->number))
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
    scent_status status = SCENT_OK;

    buf_init(&walk.line, 0);
    while (status == SCENT_OK && export_next_part(export))
        status = store_each_page(export->part->store, 0, on_page, &walk, export->err);
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

/* The pages that are nodes, in the order of directories and of their numbers: 24 bytes each and 12 to 24 to find them
 * by their URL, whatever numbers a damaged database has. A link may lead to a page of another directory. */
struct node {
    uint64_t page, url_hash;
    uint32_t url, part;
};
struct graph {
    struct export *export;
    struct node *nodes;
    size_t count, room;
    struct map by_url;
    struct buf line;
};

static void put_id(struct buf *out, uint32_t part, uint32_t url)
{
    if (part) /* each directory has ids of its own */
        buf_printf(out, "w%u-", part + 1);
    buf_printf(out, "u%u", url);
}

/* It is noted and written. */
static scent_status add_node(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct graph *graph = ctx;
    struct export *export = graph->export;
    struct node node = {page->number, hash_str(url->url, 0), url->id, (uint32_t)export_part_number(export)};

    if (!selection_has_page(export->part->selection, page->number))
        return SCENT_OK;
    if (!vec_reserve(&graph->nodes, &graph->room, graph->count + 1, sizeof *graph->nodes))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&graph->by_url, node.url_hash, (uint32_t)graph->count));
    graph->nodes[graph->count++] = node;
    buf_clear(&graph->line);
    buf_addz(&graph->line, "<node id=\"");
    put_id(&graph->line, node.part, node.url);
    buf_addz(&graph->line, "\"><data key=\"url\">");
    escape_markup(&graph->line, url->url);
    buf_addz(&graph->line, "</data><data key=\"title\">");
    escape_markup(&graph->line, page->title);
    buf_printf(&graph->line, "</data><data key=\"relevant\">%s</data><data key=\"score\">%.6g</data></node>\n",
               page->relevant ? "true" : "false", page->score);
    export->report->written++;
    return export_put(export, buf_str(&graph->line));
}

static const struct node *find_target(const struct graph *graph, struct str url)
{
    uint64_t hash = hash_str(url, 0);
    struct map_walk walk = map_find(&graph->by_url, hash);

    while (map_next(&walk))
        if (graph->nodes[walk.value].url_hash == hash)
            return &graph->nodes[walk.value];
    return NULL;
}

static int by_page(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    if (x->part != y->part)
        return x->part > y->part ? 1 : -1;
    return (x->page > y->page) - (x->page < y->page);
}

static scent_status add_edge(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    struct graph *graph = ctx;
    struct node key = {.page = link->page, .part = (uint32_t)export_part_number(graph->export)};
    const struct node *source, *target;

    (void)from;
    /* A copy has links, too, but is not a node. */
    source = graph->count ? bsearch(&key, graph->nodes, graph->count, sizeof key, by_page) : NULL;
    target = source ? find_target(graph, to) : NULL;
    if (!target)
        return SCENT_OK;
    buf_clear(&graph->line);
    buf_addz(&graph->line, "<edge source=\"");
    put_id(&graph->line, source->part, source->url);
    buf_addz(&graph->line, "\" target=\"");
    put_id(&graph->line, target->part, target->url);
    buf_addz(&graph->line, "\"/>\n");
    return export_put(graph->export, buf_str(&graph->line));
}

scent_status export_graphml(struct export *export)
{
    struct graph graph = {.export = export};
    scent_status status = SCENT_OK;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "<key id=\"url\" for=\"node\" attr.name=\"url\" attr.type=\"string\"/>\n"
          "<key id=\"title\" for=\"node\" attr.name=\"title\" attr.type=\"string\"/>\n"
          "<key id=\"relevant\" for=\"node\" attr.name=\"relevant\" attr.type=\"boolean\"/>\n"
          "<key id=\"score\" for=\"node\" attr.name=\"score\" attr.type=\"double\"/>\n"
          "<graph edgedefault=\"directed\">\n",
          export->out.file);
    buf_init(&graph.line, 0);
    while (status == SCENT_OK && export_next_part(export))
        status = store_each_page(export->part->store, 0, add_node, &graph, export->err);
    while (status == SCENT_OK && export_next_part(export))
        status = store_each_link(export->part->store, add_edge, &graph, export->err);
    fputs("</graph>\n</graphml>\n", export->out.file);
    buf_release(&graph.line);
    free(graph.nodes);
    map_release(&graph.by_url);
    return status;
}
