/* collection_file - the analysed pages of a collection in one file, so that they are analysed once.
 *
 * A page lies in the file as it lies in memory, with offsets where pointers were; it is mapped and its pointers are
 * set when it is first asked for. The file is a cache for this build on this machine: another layout, another analysis,
 * other sources or a wrong checksum make it stale, and it is made anew.
 * Memory: what is mapped; of the pages in use the terms and links become private.
 * Thread: collection_file_page may be called from many threads at once. */
#ifndef SCENT_LAB_COLLECTION_FILE_H
#define SCENT_LAB_COLLECTION_FILE_H

#include "base/buf.h"
#include "base/status.h"
#include "lab/collection.h"
#include "page/page.h"
#include "url/url.h"

/* ---- making it ---- */

/* Appends the page, and `targets` (a number for each link), as one block. page->text is left out. */
SCENT_NODISCARD scent_status collection_file_pack(const struct page *page, const uint32_t *targets, struct buf *out);

struct collection_file_writer;
SCENT_NODISCARD scent_status collection_file_create(const char *path, uint64_t sources,
                                                    struct collection_file_writer **out, struct errmsg *err);
/* The next page. */
SCENT_NODISCARD scent_status collection_file_add(struct collection_file_writer *writer, struct str block,
                                                 struct errmsg *err);
/* `extra` is kept for the caller. After this the file is there under its name; the writer is gone in any case. */
SCENT_NODISCARD scent_status collection_file_finish(struct collection_file_writer *writer, struct str extra,
                                                    struct errmsg *err);
void collection_file_abandon(struct collection_file_writer *writer); /* NULL is fine */

/* ---- reading it ---- */

struct collection_file;
/* SCENT_E_NOTFOUND: there is none. SCENT_E_VERSION: stale. SCENT_E_FORMAT: damaged. */
SCENT_NODISCARD scent_status collection_file_open(const char *path, uint64_t sources, struct collection_file **out,
                                           struct errmsg *err);
void collection_file_close(struct collection_file *file); /* NULL is fine */
uint32_t collection_file_count(const struct collection_file *file);
struct str collection_file_extra(const struct collection_file *file);
/* NULL: this page is damaged. */
const struct page *collection_file_page(struct collection_file *file, uint32_t number, const uint32_t **targets);

/* ---- making it from a web (collection_build.c) ---- */

/* How the URLs of a collection are normalised: as a crawl's, by default. */
enum { COLLECTION_URL_FLAGS = URL_STRIP_TRACKING | URL_STRIP_SESSION };

/* Bytes in the collection file's `extra`: the names of the pages, one struct after the other, each followed by its text
 * and its label, both without terminators. */
struct collection_name {
    uint32_t page;
    bool main; /* the page's own URL; others are further names */
    uint16_t len, label_len;
};

SCENT_NODISCARD scent_status collection_build(const struct collection_options *options, const char *file,
                                              uint64_t sources, struct errmsg *err);

#endif
