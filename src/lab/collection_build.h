/* collection_build - makes the file of a collection in two passes over a web.
 *
 * The first finds the pages and their names. An archive lists its URLs; a generated web is walked from its seeds and
 * home pages, breadth first, up to a number of pages, and its traps are left out. Redirects, and "…/" for
 * "…/index.htm", become further names. The second pass analyses the pages, in parallel, and keeps of their links those
 * that stay inside. */
#ifndef SCENT_LAB_COLLECTION_BUILD_H
#define SCENT_LAB_COLLECTION_BUILD_H

#include "lab/collection.h"
#include "url/url.h"

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
