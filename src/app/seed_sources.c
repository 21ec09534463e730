#include "app/seed_sources.h"

#include "base/file.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "json/json.h"
#include "store/store.h"
#include "trace/logline.h"
#include "trace/places.h"
#include "url/url.h"
#include "warc/archive.h"
#include "warc/pagefile.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINES_MAX = 10 * 1000 * 1000,
    PAGE_ARENA = 256 << 20
};

struct seed_sources {
    struct seed_pool *pool;
    struct arena arena; /* of names */
    struct page_analyser *analyser;
    struct arena page_arena;
    struct seed_names names;
    uint64_t offers; /* addresses that were found */
};

struct seed_sources *seed_sources_new(struct seed_pool *pool)
{
    struct seed_sources *sources = calloc(1, sizeof *sources);

    SCENT_BUG_IF(!sources);
    sources->pool = pool;
    sources->analyser = page_analyser_new(&(struct page_options){.max_bytes = PAGEFILE_MAX_BYTES});
    arena_init(&sources->arena, 256 << 20);
    arena_init(&sources->page_arena, PAGE_ARENA);
    return sources;
}

void seed_sources_free(struct seed_sources *sources)
{
    page_analyser_free(sources->analyser);
    arena_release(&sources->arena);
    arena_release(&sources->page_arena);
    free(sources);
}

const struct seed_names *seed_sources_names(const struct seed_sources *sources)
{
    return &sources->names;
}

static scent_status offer(struct seed_sources *sources, const struct seed_offer *what, struct errmsg *err)
{
    sources->offers++;
    return seed_pool_add(sources->pool, what, err);
}

/* ---- browsers ---- */

static scent_status take_place(void *ctx, const struct place *place, struct errmsg *err)
{
    struct seed_offer what = {.url = place->url, .title = place->title,
                              .source = place->visits ? SEED_VISITED : SEED_BOOKMARK,
                              .weight = place->visits ? log2(1 + (double)place->visits) : 8};

    return offer(ctx, &what, err);
}

/* ---- crawls: relevant pages, those first that link to many others ---- */

struct crawl_pages {
    struct seed_sources *sources;
    uint32_t *links; /* by page row: how many relevant pages it links to */
    size_t nlinks, links_room;
    uint8_t *relevant; /* by URL id */
    size_t nrelevant, relevant_room;
    struct errmsg *err;
};

static scent_status note_relevant(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct crawl_pages *pages = ctx;

    (void)url;
    if (!page->relevant || !store_page_is_shown(page))
        return SCENT_OK;
    if (!vec_reserve(&pages->relevant, &pages->relevant_room, page->url + (size_t)1, 1) ||
        !vec_reserve(&pages->links, &pages->links_room, page->number + (size_t)1, sizeof *pages->links))
        return SCENT_E_NOMEM;
    for (; pages->nrelevant <= page->url; pages->nrelevant++)
        pages->relevant[pages->nrelevant] = 0;
    for (; pages->nlinks <= page->number; pages->nlinks++)
        pages->links[pages->nlinks] = 0;
    pages->relevant[page->url] = 1;
    return SCENT_OK;
}

static scent_status count_link(void *ctx, uint64_t row, const struct store_link *link)
{
    struct crawl_pages *pages = ctx;

    (void)row;
    if (link->page < pages->nlinks && link->target < pages->nrelevant && pages->relevant[link->target])
        pages->links[link->page]++;
    return SCENT_OK;
}

static scent_status take_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct crawl_pages *pages = ctx;

    if (!page->relevant || !store_page_is_shown(page))
        return SCENT_OK;
    return offer(pages->sources,
                 &(struct seed_offer){.url = url->url, .title = page->title, .source = SEED_CRAWLED,
                                      .weight = page->score + log2(1 + (double)pages->links[page->number])},
                 pages->err);
}

static scent_status read_crawl(struct seed_sources *sources, const char *dir, struct errmsg *err)
{
    struct crawl_pages pages = {.sources = sources, .err = err};
    struct store *store;
    scent_status status;

    SCENT_TRY(crawldir_open(dir, STORE_READ, &store, err));
    status = store_each_page(store, 0, note_relevant, &pages, err);
    if (status == SCENT_OK)
        status = store_each_link_from(store, 0, count_link, &pages, err);
    if (status == SCENT_OK)
        status = store_each_page(store, 0, take_page, &pages, err);
    store_close(store);
    free(pages.links);
    free(pages.relevant);
    return status;
}

/* ---- pages: of archives, and what saved pages and exported bookmarks link to ---- */

static scent_status take_archived(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct seed_sources *sources = ctx;
    struct page page;

    arena_reset(&sources->page_arena);
    if (page_analyse_stored(sources->analyser, from->url, from->headers, from->body, &sources->page_arena, &page) !=
            SCENT_OK ||
        page.not_text)
        return SCENT_OK;
    return offer(sources, &(struct seed_offer){.url = from->url, .title = page.title, .page = &page,
                                               .source = SEED_ARCHIVED, .weight = 1}, err);
}

static scent_status take_links(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct seed_sources *sources = ctx;
    bool is_bookmarks = str_starts_nocase(str_trim(from->body), STR("<!DOCTYPE NETSCAPE-Bookmark-file-1"));
    struct page page;

    arena_reset(&sources->page_arena);
    if (page_analyse_stored(sources->analyser, from->url, from->headers, from->body, &sources->page_arena, &page) !=
        SCENT_OK)
        return SCENT_OK;
    for (uint32_t i = 0; i < page.nlinks; i++)
        SCENT_TRY(offer(sources, &(struct seed_offer){.url = page.links[i].url.href, .title = page.links[i].anchor,
                                                      .source = is_bookmarks ? SEED_BOOKMARK : SEED_LINKED,
                                                      .weight = is_bookmarks ? 8 : 1}, err));
    return SCENT_OK;
}

static scent_status read_archives(struct seed_sources *sources, const char *path, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct file_list files;
    scent_status status = archive_files(path, &files, err);

    if (status != SCENT_OK)
        return status;
    if (!files.count)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s is neither a crawl directory, nor the profile of a browser, nor a folder of WARC "
                             "files", path);
    for (size_t i = 0; i < files.count && status == SCENT_OK; i++)
        status = pagefile_read(files.names[i], PAGEFILE_WARC, take_archived, sources, &counts, err);
    file_list_release(&files);
    return status;
}

/* ---- indexes of archives: CDX and CDXJ ---- */

enum { CDX_FIELDS_MAX = 16 };

/* What stands where in a CDX line, by the letters of its first line: a the URL, m the type, s the status. */
struct cdx_order {
    int url, mime, status;
};

static struct cdx_order read_order(struct str header)
{
    struct cdx_order order = {2, 3, 4}; /* of " CDX N b a m s k r M S V g" */
    struct str word;
    int place = 0;

    header = str_sub(header, sizeof " CDX " - 1, header.len);
    header = str_trim(header);
    while (str_split(&header, ' ', &word)) {
        if (word.len == 1 && word.p[0] == 'a')
            order.url = place;
        else if (word.len == 1 && word.p[0] == 'm')
            order.mime = place;
        else if (word.len == 1 && word.p[0] == 's')
            order.status = place;
        place++;
    }
    return order;
}

/* A page that was there; an index without types or states has "-" in their place. */
static bool is_page(struct str mime, struct str status)
{
    return (!mime.len || str_eq(mime, STR("-")) || str_eq(mime, STR("unk")) || str_starts(mime, STR("text/html")) ||
            str_starts(mime, STR("application/xhtml"))) &&
           (!status.len || str_eq(status, STR("-")) || str_starts(status, STR("2")));
}

static bool is_cdxj(struct str line, struct str *json)
{
    size_t key = str_find(line, ' '), date = key + 1;

    for (; date < line.len && ascii_is_digit(line.p[date]); date++)
        ;
    *json = str_trim(str_sub(line, date, line.len));
    return key < line.len && date - key - 1 >= 4 && date - key - 1 <= 17 && json->len && json->p[0] == '{';
}

static scent_status take_index_line(struct seed_sources *sources, struct str line, struct cdx_order order,
                                    struct errmsg *err)
{
    struct str fields[CDX_FIELDS_MAX] = {{0}}, rest = line, json, mime, state;
    struct seed_offer what = {.source = SEED_ARCHIVED, .weight = 1};
    struct json *root = NULL;
    scent_status status = SCENT_OK;
    struct errmsg why;
    int n = 0;

    if (is_cdxj(line, &json)) {
        if (json_parse(json, &root, &why) != SCENT_OK)
            return SCENT_OK;
        what.url = json_as_str(json_get(root, "url"));
        mime = json_as_str(json_get(root, "mime"));
        state = json_as_str(json_get(root, "status"));
    } else {
        while (n < CDX_FIELDS_MAX && str_split(&rest, ' ', &fields[n]))
            n++;
        what.url = order.url < n ? fields[order.url] : STR_NONE;
        mime = order.mime < n ? fields[order.mime] : STR_NONE;
        state = order.status < n ? fields[order.status] : STR_NONE;
    }
    if (what.url.len && is_page(mime, state))
        status = offer(sources, &what, err);
    json_free(root);
    return status;
}

/* ---- lists of addresses and names ---- */

static scent_status add_name(struct seed_sources *sources, struct str text)
{
    struct seed_names *names = &sources->names;

    names->seen++;
    if (names->count == SEED_NAMES_MAX)
        return SCENT_OK;
    names->items[names->count] = arena_str(&sources->arena, text);
    return names->items[names->count++].p ? SCENT_OK : SCENT_E_NOMEM;
}

/* "example.org", "www.example.org/players" */
static bool is_host(struct str line)
{
    struct str host = str_sub(line, 0, str_find(line, '/'));
    size_t dot = str_find(host, '.');

    for (size_t i = 0; i < host.len; i++)
        if (!ascii_is_alpha(host.p[i]) && !ascii_is_digit(host.p[i]) && host.p[i] != '.' && host.p[i] != '-' &&
            (unsigned char)host.p[i] < 0x80)
            return false;
    return dot > 0 && dot + 2 < host.len && str_find(line, ' ') == line.len && url_registered_domain(host).len;
}

static scent_status take_list_line(struct seed_sources *sources, struct str line, struct errmsg *err)
{
    struct seed_offer what = {.source = SEED_LISTED, .weight = 4};
    struct str rest = str_trim(line), url;

    if (!rest.len || rest.p[0] == '#')
        return SCENT_OK;
    if (url_is_absolute(rest)) {
        size_t end = 0;

        while (end < rest.len && !ascii_is_space(rest.p[end]))
            end++;
        what.url = str_sub(rest, 0, end);
        what.title = str_trim(str_sub(rest, end, rest.len));
        return offer(sources, &what, err);
    }
    if (is_host(rest)) {
        url = arena_printf(&sources->arena, "https://%.*s", STR_ARG(rest));
        what.url = url;
        return url.p ? offer(sources, &what, err) : SCENT_E_NOMEM;
    }
    return add_name(sources, rest);
}

/* An index of archives, or a list; plain or gzip. A line that is too long is passed over. */
static scent_status take_lines(struct seed_sources *sources, struct logsource *source, struct errmsg *err)
{
    struct cdx_order order = {2, 3, 4};
    bool is_index = false, is_first = true;
    uint64_t lines = 0, named = sources->offers + sources->names.count;
    scent_status status;
    struct str line, json;

    while ((status = logsource_line(source, &line, err)) == SCENT_OK || status == SCENT_E_LIMIT) {
        if (status == SCENT_E_LIMIT)
            continue;
        if (is_first && str_starts(line, STR(" CDX "))) {
            is_index = true;
            order = read_order(line);
        } else {
            is_index = is_index || (is_first && is_cdxj(line, &json));
            status = is_index ? take_index_line(sources, line, order, err) : take_list_line(sources, line, err);
        }
        is_first = false;
        if (sources->offers + sources->names.count > named) {
            named = sources->offers + sources->names.count;
            logsource_used(source);
        }
        if (status == SCENT_OK && ++lines > LINES_MAX)
            status = errmsg_fail(err, SCENT_E_LIMIT, "more than %d lines: give a part of them", LINES_MAX);
        if (status != SCENT_OK)
            break;
    }
    return status == SCENT_E_END ? SCENT_OK : status;
}

static scent_status read_text(struct seed_sources *sources, const char *path, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct logsource *source;
    bool is_markup = false;
    struct str head;
    scent_status status;

    SCENT_TRY(logsource_open(path, &source, err));
    status = logsource_head(source, &head, err);
    if (status == SCENT_OK) {
        is_markup = str_starts(str_trim(head), STR("<"));
        status = is_markup ? SCENT_OK : take_lines(sources, source, err);
    }
    logsource_close(source);
    return is_markup ? pagefile_read(path, PAGEFILE_HTML, take_links, sources, &counts, err) : status;
}

/* ---- what a source is ---- */

static bool holds(const char *dir, const char *name)
{
    return file_exists(crawldir_path(dir, name).text);
}

scent_status seed_sources_read(struct seed_sources *sources, const char *path, struct errmsg *err)
{
    if (strcmp(path, "-") == 0)
        return read_text(sources, "/dev/stdin", err);
    if (!file_exists(path))
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s does not exist", path);
    if (places_is_source(path))
        return places_read(path, take_place, sources, err);
    if (file_is_dir(path))
        return holds(path, "crawl.db") ? read_crawl(sources, path, err) : read_archives(sources, path, err);
    return pagefile_kind_of(path) == PAGEFILE_WARC ? read_archives(sources, path, err) : read_text(sources, path, err);
}
