/* cmd_export - `scent export`: the pages of a crawl in formats that other programs read. */
#include "app/command.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "json/json.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdlib.h>

struct export {
    FILE *file;
    bool only_relevant;
};

/* Calls `fn` for the examined pages, or the relevant ones among them. */
struct walk {
    struct export *out;
    struct buf line;
    void (*fn)(struct walk *walk, const struct store_page *page, const struct store_url *url);
};

static scent_status on_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct walk *walk = ctx;

    if (!store_page_is_shown(page) || (walk->out->only_relevant && !page->relevant))
        return SCENT_OK;
    buf_clear(&walk->line);
    walk->fn(walk, page, url);
    fwrite(walk->line.p, 1, walk->line.len, walk->out->file);
    return ferror(walk->out->file) ? SCENT_E_IO : SCENT_OK;
}

static scent_status each_page(struct store *store, struct export *out, struct errmsg *err,
                              void (*fn)(struct walk *, const struct store_page *, const struct store_url *))
{
    struct walk walk = {.out = out, .fn = fn};
    scent_status status;

    buf_init(&walk.line, 0);
    status = store_each_page(store, 0, on_page, &walk, err);
    buf_release(&walk.line);
    if (ferror(out->file))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to standard output");
    return status;
}

/* ---- urls ---- */

static void write_url(struct walk *walk, const struct store_page *page, const struct store_url *url)
{
    (void)page;
    buf_add(&walk->line, url->url);
    buf_addc(&walk->line, '\n');
}

static scent_status export_urls(struct store *store, struct export *out, struct errmsg *err)
{
    return each_page(store, out, err, write_url);
}

/* ---- jsonl ---- */

static void write_json(struct walk *walk, const struct store_page *page, const struct store_url *url)
{
    struct json_writer w;
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_writer_init(&w, &walk->line);
    json_object_begin(&w);
    json_put_int(&w, "n", (int64_t)page->number);
    json_put_str(&w, "url", url->url);
    json_put_str(&w, "time", str_of(when));
    json_put_int(&w, "status", page->status);
    json_put_bool(&w, "relevant", page->relevant);
    json_put_double(&w, "score", page->score);
    json_put_double(&w, "priority", (double)page->priority);
    json_put_int(&w, "depth", url->depth);
    json_put_str(&w, "mime", page->mime);
    json_put_str(&w, "lang", page->lang);
    json_put_str(&w, "title", page->title);
    json_put_int(&w, "bytes", (int64_t)page->bytes);
    json_put_int(&w, "words", page->words);
    json_put_int(&w, "links", page->links);
    json_put_str(&w, "digest", page->digest);
    json_put_str(&w, "warc", page->warc_file);
    json_put_int(&w, "offset", (int64_t)page->warc_offset);
    json_put_int(&w, "length", (int64_t)page->warc_length);
    json_object_end(&w);
    buf_addc(&walk->line, '\n');
}

static scent_status export_jsonl(struct store *store, struct export *out, struct errmsg *err)
{
    return each_page(store, out, err, write_json);
}

/* ---- csv ---- */

static void add_field(struct buf *line, struct str s)
{
    buf_addc(line, ',');
    escape_csv(line, s);
}

static void write_csv(struct walk *walk, const struct store_page *page, const struct store_url *url)
{
    struct buf *line = &walk->line;
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

static scent_status export_csv(struct store *store, struct export *out, struct errmsg *err)
{
    fputs("n,url,time,status,relevant,score,depth,mime,lang,title,bytes,words,links\r\n", out->file);
    return each_page(store, out, err, write_csv);
}

/* ---- graphml ---- */

/* The pages that are nodes, in the order of their numbers: 16 bytes each and 12 to 24 to find them by their URL,
 * whatever numbers a damaged database has. */
struct node {
    uint64_t page;
    uint32_t url;
};
struct graph {
    struct export *out;
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

    if (!store_page_is_shown(page) || (graph->out->only_relevant && !page->relevant))
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

static void write_node(struct walk *walk, const struct store_page *page, const struct store_url *url)
{
    struct buf *line = &walk->line;

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
        fprintf(graph->out->file, "<edge source=\"u%u\" target=\"u%u\"/>\n", source->url, link->target);
    return SCENT_OK;
}

static scent_status export_graphml(struct store *store, struct export *out, struct errmsg *err)
{
    struct graph graph = {.out = out};
    /* Before the nodes are written: a running crawl adds nodes in between, but no edge to one that is missing. */
    scent_status status = store_each_page(store, 0, note_node, &graph, err);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "<key id=\"url\" for=\"node\" attr.name=\"url\" attr.type=\"string\"/>\n"
          "<key id=\"title\" for=\"node\" attr.name=\"title\" attr.type=\"string\"/>\n"
          "<key id=\"relevant\" for=\"node\" attr.name=\"relevant\" attr.type=\"boolean\"/>\n"
          "<key id=\"score\" for=\"node\" attr.name=\"score\" attr.type=\"double\"/>\n"
          "<graph edgedefault=\"directed\">\n",
          out->file);
    if (status == SCENT_OK)
        status = each_page(store, out, err, write_node);
    if (status == SCENT_OK)
        status = store_each_link(store, write_edge, &graph, err);
    fputs("</graph>\n</graphml>\n", out->file);
    free(graph.nodes);
    map_release(&graph.by_url);
    return status;
}

/* ---- cdxj ---- */

static scent_status export_cdxj(struct store *store, struct export *out, struct errmsg *err)
{
    struct buf index;
    scent_status status;

    buf_init(&index, 0);
    status = crawldir_build_index(store, &index, err);
    if (status == SCENT_OK)
        fwrite(index.p, 1, index.len, out->file);
    buf_release(&index);
    return status;
}

/* ---- the command ---- */

static const char *const format_names[] = {"jsonl", "csv", "urls", "cdxj", "graphml", NULL};
static scent_status (*const format_writers[])(struct store *store, struct export *out, struct errmsg *err) = {
    export_jsonl, export_csv, export_urls, export_cdxj, export_graphml,
};

struct export_options {
    int format;
    bool relevant;
};

static int run_export(const struct command_line *line)
{
    const struct export_options *options = line->options;
    struct export out = {.file = stdout, .only_relevant = options->relevant};
    struct errmsg err = {0};
    struct store *store;
    scent_status status = store_open(line->arguments[0], STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = format_writers[options->format](store, &out, &err);
    store_close(store);
    if (status == SCENT_OK && (fflush(stdout) || ferror(stdout)))
        status = errmsg_fail(&err, SCENT_E_IO, "cannot write to standard output");
    return command_exit(status, &err);
}

static const struct command_option export_options[] = {
    COMMAND_OPTION(OPTION_CHOICE, struct export_options, format, "format", 'f', "FORMAT",
                   "jsonl, csv, urls, cdxj or graphml", .choices = format_names),
    COMMAND_OPTION(OPTION_FLAG, struct export_options, relevant, "relevant", 0, NULL, "only the relevant pages"),
    {0},
};

const struct command command_export = {
    .name = "export",
    .summary = "Writes the pages of a crawl to standard output",
    .arguments = "DIR",
    .example = "scent export hockey.crawl --relevant -f csv > hockey.csv",
    .options = export_options,
    .size = sizeof(struct export_options),
    .run = run_export,
};
