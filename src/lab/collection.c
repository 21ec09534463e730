#include "lab/collection.h"

#include "base/file.h"
#include "base/hash.h"
#include "conf/conf.h"
#include "frontier/seen.h"
#include "lab/collection_file.h"
#include "url/url.h"
#include "warc/archive.h"
#include "web/web.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct collection {
    struct collection_file *file;
    uint64_t digest;
    struct seen names;  /* fingerprints of all names */
    uint32_t *pages;    /* of each name */
    struct str *urls;   /* of each page */
    struct str *labels;
};

/* ---- sources ---- */

static scent_status digest_file(const char *path, uint64_t *digest, struct errmsg *err)
{
    struct hash_stream *hash;
    char piece[64 << 10];
    scent_status status;
    size_t got;
    int fd;

    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err));
    hash = hash_stream_new(0);
    while ((status = file_take(fd, path, piece, sizeof piece, &got, err)) == SCENT_OK && got)
        hash_stream_add(hash, (struct str){piece, got});
    *digest = hash_mix(*digest, hash_stream_end(hash));
    close(fd);
    return status;
}

/* It is refused here where it is too large for one, before all of it is read. */
static scent_status digest_specification(const char *path, uint64_t *digest, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, CONF_MAX_BYTES);
    status = file_read(path, &text, err);
    *digest = hash_mix(*digest, hash_str(buf_str(&text), 0));
    buf_release(&text);
    return status;
}

/* Nothing but the archives counts: labels, logs and results may lie beside them and change. */
static scent_status digest_files(const char *folder, const struct file_list *files, uint64_t *digest,
                                 struct errmsg *err)
{
    size_t skip = strlen(folder);
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < files->count && status == SCENT_OK; i++) {
        *digest = hash_mix(*digest, hash_str(str_of(files->names[i] + skip), 0));
        status = digest_file(files->names[i], digest, err);
    }
    return status;
}

/* Of a file, or of the archives in a folder and the folders directly below it, with their names. It reads them all:
 * about a second for a gigabyte that the system has in memory. */
static scent_status digest_sources(const char *path, uint64_t *out, struct errmsg *err)
{
    struct file_list files;
    scent_status status;
    bool is_archive;

    *out = 1;
    SCENT_TRY(web_sniff(path, &is_archive, err));
    if (!file_is_dir(path))
        return is_archive ? digest_file(path, out, err) : digest_specification(path, out, err);
    status = archive_files(path, &files, err);
    if (status == SCENT_OK)
        status = digest_files(path, &files, out, err);
    file_list_release(&files);
    return status;
}

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

static scent_status open_pages(const struct collection_options *options, uint64_t sources, struct collection_file **out,
                               struct errmsg *err)
{
    char file[4096];
    scent_status status = cache_file(options, sources, file, sizeof file, err);

    if (status != SCENT_OK)
        return status;
    status = collection_file_open(file, sources, out, err);
    if (status == SCENT_OK)
        return SCENT_OK;
    if (status == SCENT_E_FORMAT && options->log)
        log_line(options->log, LOG_WARN, "%s; the collection is analysed anew", err->text);
    status = collection_build(options, file, sources, err);
    return status == SCENT_OK ? collection_file_open(file, sources, out, err) : status;
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
    struct str rest = collection_file_extra(collection->file), href, label;
    uint32_t npages = collection_file_count(collection->file);
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
    status = digest_sources(options->path, &collection->digest, err);
    collection->digest = hash_mix(collection->digest, options->max_pages);
    for (size_t i = 0; i < options->nexclude; i++)
        collection->digest = hash_str(options->exclude[i], collection->digest);
    if (options->page_bytes || options->page_links) /* whole pages keep the name of their file in the cache */
        collection->digest = hash_mix(hash_mix(collection->digest, options->page_bytes), options->page_links);
    if (options->main_content)
        collection->digest = hash_mix(collection->digest, 1);
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
    collection_file_close(collection->file);
    seen_release(&collection->names);
    free(collection->pages);
    free(collection->urls);
    free(collection->labels);
    free(collection);
}

uint32_t collection_count(const struct collection *collection)
{
    return collection_file_count(collection->file);
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
            url_normalise(&arena, &url, COLLECTION_URL_FLAGS, &url) == SCENT_OK &&
            collection_find_print(collection, url_fingerprint(url.href, COLLECTION_KEY), page);
    arena_release(&arena);
    return found;
}

const struct page *collection_page(const struct collection *collection, uint32_t page, const uint32_t **targets)
{
    return collection_file_page(collection->file, page, targets);
}

/* ---- links ---- */

static const struct page *page_of(void *ctx, uint32_t page, const uint32_t **targets)
{
    return collection_page(ctx, page, targets);
}

scent_status collection_graph(const struct collection *collection, struct page_graph **out, struct errmsg *err)
{
    struct page_graph_source source = {collection_count(collection), page_of, (void *)collection};

    return page_graph_new(&source, out, err);
}
