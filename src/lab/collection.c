#include "lab/collection.h"

#include "base/file.h"
#include "base/hash.h"
#include "lab/collection_build.h"
#include "lab/collection_sources.h"
#include "lab/pagefile.h"
#include "lab/survey.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct collection {
    struct pagefile *file;
    uint64_t digest;
    struct seen names;  /* fingerprints of all names */
    uint32_t *pages;    /* of each name */
    struct str *urls;   /* of each page */
    struct str *labels;
};

/* ---- the cache ---- */

static scent_status cache_folder(const struct collection_options *options, char *out, size_t room, struct errmsg *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (options->cache)
        snprintf(out, room, "%s", options->cache);
    else if (cache && *cache)
        snprintf(out, room, "%s/scent", cache);
    else if (home && *home)
        snprintf(out, room, "%s/.cache/scent", home);
    else
        return errmsg_fail(err, SCENT_E_INVALID, "no folder for analysed pages: set HOME, or name one with 'cache:'");
    return file_make_dir(out, err);
}

static scent_status cache_file(const struct collection_options *options, uint64_t sources, char *out, size_t room,
                               struct errmsg *err)
{
    char folder[3072];
    scent_status status = cache_folder(options, folder, sizeof folder, err);

    snprintf(out, room, "%s/%016" PRIx64 ".pages", folder, sources);
    return status;
}

static scent_status open_pages(const struct collection_options *options, uint64_t sources, struct pagefile **out,
                               struct errmsg *err)
{
    char file[4096];
    scent_status status = cache_file(options, sources, file, sizeof file, err);

    if (status != SCENT_OK)
        return status;
    status = pagefile_open(file, sources, out, err);
    if (status == SCENT_OK)
        return SCENT_OK;
    if (status == SCENT_E_FORMAT && options->log)
        log_line(options->log, LOG_WARN, "%s; the collection is analysed anew", err->text);
    status = collection_build(options, file, sources, err);
    return status == SCENT_OK ? pagefile_open(file, sources, out, err) : status;
}

/* ---- names ---- */

static scent_status take_name(struct collection *collection, const struct collection_name *row, struct str href,
                              struct str label)
{
    uint32_t name;
    bool is_new;
    scent_status status = seen_add(&collection->names, url_fingerprint(href, COLLECTION_KEY), &name, &is_new);

    if (status != SCENT_OK || !is_new)
        return status == SCENT_OK ? SCENT_E_FORMAT : status;
    collection->pages[name] = row->page;
    if (row->main) {
        collection->urls[row->page] = href;
        collection->labels[row->page] = label;
    }
    return SCENT_OK;
}

/* The sizes were checked with the file's checksum; a row that does not fit is a damaged file all the same. */
static bool next_name(struct str *rest, struct collection_name *row, struct str *href, struct str *label)
{
    if (rest->len < sizeof *row)
        return false;
    memcpy(row, rest->p, sizeof *row);
    if (rest->len < sizeof *row + row->len + row->label_len)
        return false;
    *href = (struct str){rest->p + sizeof *row, row->len};
    *label = (struct str){href->p + href->len, row->label_len};
    *rest = str_sub(*rest, sizeof *row + row->len + row->label_len, rest->len);
    return true;
}

static scent_status read_names(struct collection *collection, struct errmsg *err)
{
    struct str rest = pagefile_extra(collection->file), href, label;
    uint32_t npages = pagefile_count(collection->file);
    size_t most = rest.len / sizeof(struct collection_name) + 1;
    struct collection_name row;
    scent_status status = SCENT_OK;

    collection->pages = calloc(most, sizeof *collection->pages);
    collection->urls = calloc(npages + 1, sizeof *collection->urls);
    collection->labels = calloc(npages + 1, sizeof *collection->labels);
    if (!collection->pages || !collection->urls || !collection->labels)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the names of %u pages", npages);
    while (status == SCENT_OK && next_name(&rest, &row, &href, &label))
        status = row.page < npages ? take_name(collection, &row, href, label) : SCENT_E_FORMAT;
    if (status == SCENT_OK && rest.len)
        status = SCENT_E_FORMAT;
    return status == SCENT_OK ? SCENT_OK
                              : errmsg_fail(err, status, "the names in the file of analysed pages are damaged");
}

/* ---- the interface ---- */

scent_status collection_open(const struct collection_options *options, struct collection **out, struct errmsg *err)
{
    struct collection *collection = calloc(1, sizeof *collection);
    scent_status status;

    SCENT_BUG_IF(!collection);
    seen_init(&collection->names);
    status = collection_sources_digest(options->path, &collection->digest, err);
    collection->digest = hash_mix(collection->digest, options->max_pages);
    for (size_t i = 0; i < options->nexclude; i++)
        collection->digest = hash_str(options->exclude[i], collection->digest);
    if (status == SCENT_OK)
        status = open_pages(options, collection->digest, &collection->file, err);
    if (status == SCENT_OK)
        status = read_names(collection, err);
    if (status == SCENT_OK)
        *out = collection;
    else
        collection_close(collection);
    return status;
}

void collection_close(struct collection *collection)
{
    if (!collection)
        return;
    pagefile_close(collection->file);
    seen_release(&collection->names);
    free(collection->pages);
    free(collection->urls);
    free(collection->labels);
    free(collection);
}

uint32_t collection_count(const struct collection *collection)
{
    return pagefile_count(collection->file);
}

struct str collection_url(const struct collection *collection, uint32_t page)
{
    return collection->urls[page];
}

struct str collection_label(const struct collection *collection, uint32_t page)
{
    return collection->labels[page];
}

uint64_t collection_digest(const struct collection *collection)
{
    return collection->digest;
}

bool collection_find_print(const struct collection *collection, uint64_t fingerprint, uint32_t *page)
{
    uint32_t name;

    if (!seen_find(&collection->names, fingerprint, &name))
        return false;
    *page = collection->pages[name];
    return true;
}

bool collection_find(const struct collection *collection, struct str href, uint32_t *page)
{
    struct arena arena;
    struct url url;
    bool found;

    arena_init(&arena, SIZE_MAX);
    found = url_parse(&arena, href, NULL, &url) == SCENT_OK &&
            url_normalise(&arena, &url, SURVEY_URL_FLAGS, &url) == SCENT_OK &&
            collection_find_print(collection, url_fingerprint(url.href, COLLECTION_KEY), page);
    arena_release(&arena);
    return found;
}

const struct page *collection_page(const struct collection *collection, uint32_t page, const uint32_t **targets)
{
    return pagefile_page(collection->file, page, targets);
}
