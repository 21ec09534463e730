/* collection - a closed web for experiments: analysed pages that link to each other.
 *
 * Made from a folder of WARC files, or from a generated web (whose pages are those that can be reached, up to a
 * limit). Pages are the 2xx responses of a type that a crawl would take; redirects inside the collection, and "…/" for
 * "…/index.htm", are other names of a page. Links that leave the collection are left out, so the links of a page are
 * candidates, all of them. Pages are numbered from 0 in the order of the archive.
 * Analysis is done once: it is kept in a cache file, which is made anew when the sources or the analysis change.
 * Thread: all but opening may be called from many threads at once. */
#ifndef SCENT_LAB_COLLECTION_H
#define SCENT_LAB_COLLECTION_H

#include "base/log.h"
#include "base/status.h"
#include "page/page_graph.h"

#include <stdatomic.h>

struct web;

/* Links carry fingerprints with this key: nobody can prepare collisions in a collection that is closed. */
enum { COLLECTION_KEY = 0, COLLECTION_PAGES_MAX = 1 << 24, COLLECTION_GENERATED = 20000 };

struct collection_options {
    const char *path;  /* a folder, a WARC file, or the specification of a generated web */
    const char *cache; /* a folder; NULL: scent's folder in the user's cache ($XDG_CACHE_HOME, ~/.cache) */
    uint32_t max_pages; /* 0: all of an archive, COLLECTION_GENERATED of a generated web */
    const struct str *exclude; /* globs: what has such a URL is left out, as if it were not there */
    size_t nexclude;
    /* Of a page only so many bytes (content encoding undone) and links are read, the first ones. 0: as the analyser
     * does it by default. */
    uint64_t page_bytes;
    uint32_t page_links;
    bool main_content; /* boilerplate is left out */
    uint32_t threads;  /* for the analysis */
    const struct log *log;
    const atomic_int *stop; /* above 0: the analysis ends; SCENT_E_END. May be NULL */
    void (*progress)(void *ctx, size_t done, size_t all); /* of the analysis; may be NULL */
    void *progress_ctx;
};

struct collection;
SCENT_NODISCARD scent_status collection_open(const struct collection_options *options, struct collection **out,
                                             struct errmsg *err);
void collection_close(struct collection *collection); /* NULL is fine */

uint32_t collection_count(const struct collection *collection);
struct str collection_url(const struct collection *collection, uint32_t page);
/* The page with this URL, whatever its spelling. */
bool collection_find(const struct collection *collection, struct str href, uint32_t *page);
/* The same by its fingerprint with COLLECTION_KEY, for a URL that is normalised. */
bool collection_find_print(const struct collection *collection, uint64_t fingerprint, uint32_t *page);
/* `targets` (may be NULL): the page that each link leads to. NULL: the cache file was damaged after it was opened. */
const struct page *collection_page(const struct collection *collection, uint32_t page, const uint32_t **targets);
/* What a label file is to an archive; empty where the web knows none. */
struct str collection_label(const struct collection *collection, uint32_t page);
/* Of what it was made: for reports, and to tell whether a result belongs to it. */
uint64_t collection_digest(const struct collection *collection);

/* The links between its pages; the collection outlives them. Any thread. */
SCENT_NODISCARD scent_status collection_graph(const struct collection *collection, struct page_graph **out,
                                              struct errmsg *err);

#endif
