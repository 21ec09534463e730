#include "lab/collection_build.h"

#include "http/http.h"
#include "lab/pagefile.h"
#include "lab/pool.h"
#include "lab/survey.h"
#include "url/url.h"

#include <stdlib.h>

enum { ROUND = 256, PAGE_ARENA = 256 << 20 };

struct worker {
    struct page_analyser *analyser;
    struct arena arena;
    struct buf body;
};

struct build {
    const struct collection_options *options;
    struct web *web;
    struct survey survey;
    uint32_t *names; /* of each page, its own */
    struct worker *workers;
    uint32_t first;  /* page of this round */
    struct {
        struct buf block;
        scent_status status;
    } made[ROUND];
};

/* ---- one page ---- */

/* Only links that stay inside are left, and they carry the page's own name. */
static scent_status close_links(const struct build *build, struct arena *arena, struct page *page, uint32_t **targets)
{
    uint32_t kept = 0;

    *targets = arena_array(arena, page->nlinks + 1, sizeof **targets);
    if (!*targets)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        struct page_link link = page->links[i];
        struct str own;
        uint32_t target;

        if (!survey_find(&build->survey, link.fingerprint, &target))
            continue;
        own = build->survey.names[build->names[target]].href;
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
    struct str href = build->survey.names[build->names[number]].href;
    struct web_response response;
    struct errmsg err;
    struct page page;
    uint32_t *targets;

    SCENT_TRY(web_get(build->web, href, &worker->body, &response, &err));
    SCENT_TRY(page_analyse_stored(worker->analyser, href, response.head, response.body, &worker->arena, &page));
    SCENT_TRY(close_links(build, &worker->arena, &page, &targets));
    return pagefile_pack(&page, targets, block);
}

static void analyse_one(void *ctx, uint32_t thread, size_t i)
{
    struct build *build = ctx;
    struct worker *worker = &build->workers[thread];

    arena_reset(&worker->arena);
    buf_clear(&build->made[i].block);
    build->made[i].status = analyse(build, worker, build->first + (uint32_t)i, &build->made[i].block);
}

/* ---- all pages ---- */

static scent_status write_round(struct build *build, size_t count, struct pagefile_writer *writer, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        status = build->made[i].status;
        if (status == SCENT_OK)
            status = pagefile_add(writer, buf_str(&build->made[i].block), err);
        else
            errmsg_fail(err, status, "page %zu of the collection cannot be analysed: %s", build->first + i,
                        scent_status_text(status));
    }
    return status;
}

static scent_status write_pages(struct build *build, struct pagefile_writer *writer, struct errmsg *err)
{
    uint32_t npages = build->survey.npages;
    scent_status status = SCENT_OK;

    for (build->first = 0; build->first < npages && status == SCENT_OK; build->first += ROUND) {
        size_t left = npages - build->first, count = left < ROUND ? left : ROUND;

        pool_run(build->options->threads, count, analyse_one, build);
        status = write_round(build, count, writer, err);
        if (status == SCENT_OK && build->options->stop && atomic_load(build->options->stop))
            status = errmsg_fail(err, SCENT_E_END, "interrupted while pages were analysed; run it again");
        if (build->options->progress)
            build->options->progress(build->options->progress_ctx, build->first + count, npages);
    }
    return status;
}

static void put_name(struct build *build, size_t i, struct buf *extra)
{
    const struct survey_name *name = &build->survey.names[i];
    struct collection_name row;
    struct arena *arena = &build->workers[0].arena;
    struct str label;

    arena_reset(arena);
    label = web_label(build->web, name->href, arena);
    memset(&row, 0, sizeof row);
    row.page = name->page;
    row.main = build->names[name->page] == i;
    row.len = (uint16_t)name->href.len; /* a URL has at most SCENT_URL_MAX bytes */
    row.label_len = (uint16_t)(label.len < 256 ? label.len : 255);
    buf_add(extra, (struct str){(const char *)&row, sizeof row});
    buf_add(extra, name->href);
    buf_add(extra, str_sub(label, 0, row.label_len));
}

static scent_status write_file(struct build *build, const char *file, uint64_t sources, struct errmsg *err)
{
    struct pagefile_writer *writer;
    scent_status status = pagefile_create(file, sources, &writer, err);
    struct buf extra;

    if (status != SCENT_OK)
        return status;
    status = write_pages(build, writer, err);
    buf_init(&extra, 0);
    for (size_t i = 0; i < build->survey.count; i++)
        if (build->survey.names[i].page != SURVEY_NONE)
            put_name(build, i, &extra);
    if (status == SCENT_OK && extra.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the names of the pages");
    if (status == SCENT_OK)
        status = pagefile_finish(writer, buf_str(&extra), err);
    else
        pagefile_abandon(writer);
    buf_release(&extra);
    return status;
}

/* ---- the pass ---- */

static void hire(struct build *build)
{
    const struct page_options options = {.key = COLLECTION_KEY, .url_flags = SURVEY_URL_FLAGS};

    build->workers = calloc(build->options->threads, sizeof *build->workers);
    SCENT_BUG_IF(!build->workers);
    for (uint32_t i = 0; i < build->options->threads; i++) {
        build->workers[i].analyser = page_analyser_new(&options);
        arena_init(&build->workers[i].arena, PAGE_ARENA);
        buf_init(&build->workers[i].body, 0);
    }
    for (size_t i = 0; i < ROUND; i++)
        buf_init(&build->made[i].block, 0);
}

static void fire(struct build *build)
{
    for (uint32_t i = 0; i < build->options->threads; i++) {
        page_analyser_free(build->workers[i].analyser);
        arena_release(&build->workers[i].arena);
        buf_release(&build->workers[i].body);
    }
    for (size_t i = 0; i < ROUND; i++)
        buf_release(&build->made[i].block);
    free(build->workers);
}

/* The first name that has the page's number and was not moved there. */
static void find_own_names(struct build *build)
{
    build->names = calloc(build->survey.npages + 1, sizeof *build->names);
    SCENT_BUG_IF(!build->names);
    for (size_t i = 0; i < build->survey.count; i++)
        if (build->survey.names[i].page != SURVEY_NONE && build->survey.names[i].moved == SURVEY_NONE)
            build->names[build->survey.names[i].page] = (uint32_t)i;
}

static uint32_t page_limit(const struct collection_options *options, const struct web *web)
{
    if (options->max_pages)
        return options->max_pages;
    return web_hosts(web) ? COLLECTION_GENERATED : COLLECTION_PAGES_MAX;
}

static scent_status build_from(struct build *build, const char *file, uint64_t sources, struct errmsg *err)
{
    const struct collection_options *options = build->options;
    struct survey_limits limits = {page_limit(options, build->web), options->exclude, options->nexclude};
    scent_status status = survey_web(build->web, &limits, &build->survey, err);

    if (status != SCENT_OK)
        return status;
    if (build->survey.npages == 0) {
        status = errmsg_fail(err, SCENT_E_INVALID, "%s: there is no HTML page in it", build->options->path);
    } else {
        find_own_names(build);
        hire(build);
        status = write_file(build, file, sources, err);
        fire(build);
        free(build->names);
    }
    survey_release(&build->survey);
    return status;
}

scent_status collection_build(const struct collection_options *options, const char *file, uint64_t sources,
                              struct errmsg *err)
{
    struct build *build = calloc(1, sizeof *build);
    scent_status status;

    SCENT_BUG_IF(!build);
    build->options = options;
    status = web_open(options->path, options->log, &build->web, err);
    if (status == SCENT_OK)
        status = build_from(build, file, sources, err);
    web_free(build->web);
    free(build);
    return status;
}
