/* collection_build - makes the file of a collection in two passes over a web.
 *
 * The first finds the pages and their names. An archive lists its URLs; a generated web is walked from its seeds and
 * home pages, breadth first, up to a number of pages, and its traps are left out. Redirects, and "…/" for
 * "…/index.htm", become further names. The second pass analyses the pages, in parallel, and keeps of their links those
 * that stay inside. */
#include "lab/collection_file.h"

#include "base/machine.h"
#include "base/vec.h"
#include "frontier/seen.h"
#include "http/http.h"
#include "topic/topic.h"
#include "web/web.h"

#include <stdlib.h>

enum { REDIRECTS_MAX = 10, HOME_PAGES = 1000, ROUND = 256, PAGE_ARENA = 256 << 20 };
#define NOWHERE UINT32_MAX

struct name {
    struct str href;
    uint32_t page;  /* NOWHERE: it leads to none */
    uint32_t moved; /* the name that it redirects to; NOWHERE */
    uint8_t hops;   /* redirects that led to it, where that is how it was found */
};

struct worker {
    struct page_analyser *analyser;
    struct arena arena; /* for one page */
    struct buf body;
};

struct build {
    const struct collection_options *options;
    struct web *web;
    struct worker *workers; /* one a thread; the first makes the first pass */
    struct arena arena;     /* of the names */
    struct seen seen;       /* numbers of `names` */
    struct name *names;
    size_t count, room;
    uint32_t npages, max_pages;
    uint32_t *own;   /* of each page, its own name */
    uint32_t first;  /* page of this round */
    struct {
        struct buf block;
        scent_status status;
    } made[ROUND];
};

/* ---- names ---- */

static scent_status add_name(struct build *build, struct str href, uint32_t *name)
{
    bool is_new;

    SCENT_TRY(seen_add(&build->seen, url_fingerprint(href, COLLECTION_KEY), name, &is_new));
    if (!is_new)
        return SCENT_OK;
    if (!vec_reserve(&build->names, &build->room, build->count + 1, sizeof *build->names))
        return SCENT_E_NOMEM;
    href = arena_str(&build->arena, href);
    build->names[build->count++] = (struct name){href, NOWHERE, NOWHERE, 0};
    return href.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* A text that is not a URL has no name. */
static scent_status add_text(struct build *build, struct str text, const struct url *base, uint32_t *name)
{
    struct arena *arena = &build->workers[0].arena;
    struct url url;

    *name = NOWHERE;
    if (url_parse(arena, text, base, &url) != SCENT_OK ||
        url_normalise(arena, &url, COLLECTION_URL_FLAGS, &url) != SCENT_OK)
        return SCENT_OK;
    return add_name(build, url.href, name);
}

static bool is_excluded(const struct collection_options *options, struct str href)
{
    for (size_t i = 0; i < options->nexclude; i++)
        if (str_glob(options->exclude[i], href))
            return true;
    return false;
}

/* ---- the first pass ---- */

static scent_status note_redirect(struct build *build, uint32_t i, struct str location)
{
    struct url url;
    uint32_t moved;

    SCENT_TRY(url_parse(&build->workers[0].arena, build->names[i].href, NULL, &url));
    SCENT_TRY(add_text(build, location, &url, &moved));
    build->names[i].moved = moved;
    if (moved != NOWHERE && build->names[moved].hops == 0 && moved > i)
        build->names[moved].hops = (uint8_t)(build->names[i].hops + 1);
    return SCENT_OK;
}

/* Links of a generated web lead to further names; an archive has listed its own. */
static scent_status note_page(struct build *build, uint32_t i, const struct web_response *response)
{
    struct worker *worker = &build->workers[0];
    struct page page;
    uint32_t name;

    build->names[i].page = build->npages++;
    if (!web_hosts(build->web))
        return SCENT_OK;
    SCENT_TRY(page_analyse_stored(worker->analyser, build->names[i].href, response->head, response->body,
                                  &worker->arena, &page));
    for (uint32_t k = 0; k < page.nlinks; k++)
        if (!web_is_trap(build->web, page.links[k].url.href))
            SCENT_TRY(add_name(build, page.links[k].url.href, &name));
    return SCENT_OK;
}

/* A page of a collection is an answer with status 2xx of a type that a crawl takes. */
static scent_status visit(struct build *build, uint32_t i, struct errmsg *err)
{
    static const struct scope any = {0};
    struct str href = build->names[i].href, location;
    struct web_response response;
    scent_status status = SCENT_OK;

    if (build->names[i].hops > REDIRECTS_MAX)
        return SCENT_OK; /* a chain that leads to ever new URLs */
    SCENT_TRY(web_get(build->web, href, &build->workers[0].body, &response, err));
    arena_reset(&build->workers[0].arena);
    location = http_header(response.head, STR("location"));
    if (response.fault != WEB_FINE)
        return SCENT_OK;
    if (response.status / 100 == 3 && location.len)
        status = note_redirect(build, i, location);
    else if (response.status / 100 == 2 && scope_wants_type(&any, http_head_mime(response.head)) &&
             !is_excluded(build->options, href))
        status = note_page(build, i, &response);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory to survey %.*s", STR_ARG(href));
}

static scent_status add_beginnings(struct build *build)
{
    scent_status status = SCENT_OK;
    struct arena arena;
    struct str href;
    uint32_t name;

    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; status == SCENT_OK && (href = web_seed(build->web, i, &arena)).len; i++) {
        arena_reset(&build->workers[0].arena);
        status = add_text(build, href, NULL, &name);
        arena_reset(&arena);
    }
    for (uint64_t host = 0; status == SCENT_OK && host < web_hosts(build->web) && host < HOME_PAGES; host++) {
        arena_reset(&build->workers[0].arena);
        status = add_text(build, web_page_url(build->web, host, 0, &arena), NULL, &name);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return status;
}

/* "…/" is the same page as "…/index.htm", where the web has only the one. */
static scent_status add_index_names(struct build *build)
{
    static const struct str endings[] = {{"/index.htm", 10}, {"/index.html", 11}};
    size_t count = build->count;

    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2; k++) {
            struct str href = build->names[i].href;
            size_t before = build->count;
            uint32_t name;

            if (build->names[i].page == NOWHERE || !str_ends(href, endings[k]))
                continue;
            SCENT_TRY(add_name(build, str_sub(href, 0, href.len - endings[k].len + 1), &name));
            if (build->count > before)
                build->names[name].moved = i;
        }
    return SCENT_OK;
}

/* A page's own name is the one that does not redirect. */
static void follow_redirects(struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        uint32_t at = (uint32_t)i;

        for (int hops = 0; hops < REDIRECTS_MAX && at != NOWHERE && build->names[at].page == NOWHERE; hops++)
            at = build->names[at].moved;
        build->names[i].page = at != NOWHERE ? build->names[at].page : NOWHERE;
        if (build->names[i].page != NOWHERE && build->names[i].moved == NOWHERE)
            build->own[build->names[i].page] = (uint32_t)i;
    }
}

static scent_status find_pages(struct build *build, struct errmsg *err)
{
    scent_status status = add_beginnings(build);

    for (uint32_t i = 0; status == SCENT_OK && i < build->count && build->npages < build->max_pages; i++)
        SCENT_TRY(visit(build, i, err));
    if (status == SCENT_OK)
        status = add_index_names(build);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the names of the pages");
    if (build->npages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: there is no HTML page in it", build->options->path);
    build->own = calloc(build->npages + (size_t)1, sizeof *build->own);
    SCENT_BUG_IF(!build->own);
    follow_redirects(build);
    return SCENT_OK;
}

/* ---- the second pass ---- */

/* Only links that stay inside are left, and they carry the page's own name. */
static scent_status close_links(const struct build *build, struct arena *arena, struct page *page, uint32_t **targets)
{
    uint32_t kept = 0;

    *targets = arena_array(arena, page->nlinks + 1, sizeof **targets);
    if (!*targets)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        struct page_link link = page->links[i];
        uint32_t name, target;
        struct str own;

        if (!seen_find(&build->seen, link.fingerprint, &name) || (target = build->names[name].page) == NOWHERE)
            continue;
        own = build->names[build->own[target]].href;
        if (!str_eq(own, link.url.href)) {
            if (url_parse(arena, own, NULL, &link.url) != SCENT_OK)
                return SCENT_E_NOMEM;
            link.fingerprint = url_fingerprint(own, COLLECTION_KEY);
        }
        (*targets)[kept] = target;
        page->links[kept++] = link;
    }
    page->nlinks = kept;
    return SCENT_OK;
}

static scent_status analyse(struct build *build, struct worker *worker, uint32_t number, struct buf *block)
{
    struct str href = build->names[build->own[number]].href;
    struct web_response response;
    struct errmsg err;
    struct page page;
    uint32_t *targets;

    SCENT_TRY(web_get(build->web, href, &worker->body, &response, &err));
    SCENT_TRY(page_analyse_stored(worker->analyser, href, response.head, response.body, &worker->arena, &page));
    SCENT_TRY(close_links(build, &worker->arena, &page, &targets));
    return collection_file_pack(&page, targets, block);
}

static void analyse_one(void *ctx, uint32_t thread, size_t i)
{
    struct build *build = ctx;
    struct worker *worker = &build->workers[thread];

    arena_reset(&worker->arena);
    buf_clear(&build->made[i].block);
    build->made[i].status = analyse(build, worker, build->first + (uint32_t)i, &build->made[i].block);
}

static scent_status write_pages(struct build *build, struct collection_file_writer *writer, struct errmsg *err)
{
    const struct collection_options *options = build->options;

    for (build->first = 0; build->first < build->npages; build->first += ROUND) {
        size_t left = build->npages - build->first, count = left < ROUND ? left : ROUND;

        cores_run(options->threads, count, analyse_one, build);
        for (size_t i = 0; i < count; i++) {
            if (build->made[i].status != SCENT_OK)
                return errmsg_fail(err, build->made[i].status, "page %zu of the collection cannot be analysed: %s",
                                   build->first + i, scent_status_text(build->made[i].status));
            SCENT_TRY(collection_file_add(writer, buf_str(&build->made[i].block), err));
        }
        if (options->stop && atomic_load(options->stop))
            return errmsg_fail(err, SCENT_E_END, "interrupted while pages were analysed; run it again");
        if (options->progress)
            options->progress(options->progress_ctx, build->first + count, build->npages);
    }
    return SCENT_OK;
}

static void put_name(struct build *build, size_t i, struct buf *extra)
{
    const struct name *name = &build->names[i];
    struct collection_name row;
    struct arena *arena = &build->workers[0].arena;
    struct str label;

    arena_reset(arena);
    label = web_label(build->web, name->href, arena);
    memset(&row, 0, sizeof row);
    row.page = name->page;
    row.main = build->own[name->page] == i;
    row.len = (uint16_t)name->href.len; /* a URL has at most SCENT_URL_MAX bytes */
    row.label_len = (uint16_t)(label.len < 256 ? label.len : 255);
    buf_add(extra, (struct str){(const char *)&row, sizeof row});
    buf_add(extra, name->href);
    buf_add(extra, str_sub(label, 0, row.label_len));
}

static scent_status write_file(struct build *build, const char *file, uint64_t sources, struct errmsg *err)
{
    struct collection_file_writer *writer;
    scent_status status = collection_file_create(file, sources, &writer, err);
    struct buf extra;

    if (status != SCENT_OK)
        return status;
    status = write_pages(build, writer, err);
    buf_init(&extra, 0);
    for (size_t i = 0; i < build->count; i++)
        if (build->names[i].page != NOWHERE)
            put_name(build, i, &extra);
    if (status == SCENT_OK && extra.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the names of the pages");
    if (status == SCENT_OK)
        status = collection_file_finish(writer, buf_str(&extra), err);
    else
        collection_file_abandon(writer);
    buf_release(&extra);
    return status;
}

/* ---- both ---- */

static struct build *build_new(const struct collection_options *options)
{
    const struct page_options pages = {
        .key = COLLECTION_KEY,
        .url_flags = COLLECTION_URL_FLAGS,
        .max_bytes = options->page_bytes,
        .max_links = options->page_links,
        .whole_page = !options->main_content,
    };
    struct build *build = calloc(1, sizeof *build);

    SCENT_BUG_IF(!build);
    build->options = options;
    arena_init(&build->arena, SIZE_MAX);
    seen_init(&build->seen);
    build->workers = calloc(options->threads, sizeof *build->workers);
    SCENT_BUG_IF(!build->workers);
    for (uint32_t i = 0; i < options->threads; i++) {
        build->workers[i].analyser = page_analyser_new(&pages);
        arena_init(&build->workers[i].arena, PAGE_ARENA);
        buf_init(&build->workers[i].body, 0);
    }
    for (size_t i = 0; i < ROUND; i++)
        buf_init(&build->made[i].block, 0);
    return build;
}

static void build_free(struct build *build)
{
    for (uint32_t i = 0; i < build->options->threads; i++) {
        page_analyser_free(build->workers[i].analyser);
        arena_release(&build->workers[i].arena);
        buf_release(&build->workers[i].body);
    }
    for (size_t i = 0; i < ROUND; i++)
        buf_release(&build->made[i].block);
    free(build->workers);
    free(build->names);
    free(build->own);
    seen_release(&build->seen);
    arena_release(&build->arena);
    web_free(build->web);
    free(build);
}

scent_status collection_build(const struct collection_options *options, const char *file, uint64_t sources,
                              struct errmsg *err)
{
    struct build *build = build_new(options);
    scent_status status = web_open(options->path, options->log, &build->web, err);

    if (status == SCENT_OK) {
        build->max_pages = options->max_pages        ? options->max_pages
                           : web_hosts(build->web) ? COLLECTION_GENERATED
                                                   : COLLECTION_PAGES_MAX;
        status = find_pages(build, err);
    }
    if (status == SCENT_OK)
        status = write_file(build, file, sources, err);
    build_free(build);
    return status;
}
