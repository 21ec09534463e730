/* pagefile - the pages inside a file: one of an HTML or text file (also gzipped), many of a WARC or ARC file.
 *
 * Of an archive the responses with status 2xx and a readable type come; what is damaged gives what could be read of it.
 * PAGEFILE_MAX_BYTES of a page should be enough for everybody: page_options.max_bytes. */
#ifndef SCENT_WARC_PAGEFILE_H
#define SCENT_WARC_PAGEFILE_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"
#include "warc/archive.h"

enum { PAGEFILE_MAX_BYTES = 8 << 20 };

enum pagefile_kind { PAGEFILE_HTML, PAGEFILE_TEXT, PAGEFILE_WARC, PAGEFILE_URLS, PAGEFILE_OTHER };
/* Names decide where they tell: pages (html, htm, xhtml, shtml, php, asp, txt, md; also with .gz), archives (warc, arc;
 * also with .gz), files that come along with pages (styles, scripts, pictures: PAGEFILE_OTHER). The beginning of a file
 * decides for all other names: HTML, text, or anything else (PAGEFILE_OTHER). A text whose first lines are URLs is a
 * list of them. */
enum pagefile_kind pagefile_kind_of(const char *path);
/* The next URL of a list: blank lines, "#" comments and what follows a tab or space are skipped. False at the end. */
bool pagefile_next_url(struct str *rest, struct str *url);

/* Valid during the call. */
struct pagefile_page {
    struct str name;    /* for people: the path, or the URL inside an archive */
    struct str url;     /* absolute; http://file.invalid/… for a file */
    struct str headers; /* HTTP header lines; may be empty */
    struct str body;    /* as the headers say: for page_analyse_stored() */
};

struct pagefile_counts {
    uint64_t pages, damaged; /* damaged: records that could be read in part, or not at all */
};

/* What it returns ends the reading where it is not SCENT_OK. */
typedef scent_status pagefile_fn(void *ctx, const struct pagefile_page *page, struct errmsg *err);

/* SCENT_E_IO, SCENT_E_NOTFOUND, SCENT_E_FORMAT (an archive without a record, a file that is not text): the
 * file cannot be read. Zeros and other control characters in a text become blanks; where they are many it is none. */
SCENT_NODISCARD scent_status pagefile_read(const char *path, enum pagefile_kind kind, pagefile_fn *fn, void *ctx,
                                           struct pagefile_counts *counts, struct errmsg *err);
/* The same for bytes in memory, as one page; `name` stands for the path. */
SCENT_NODISCARD scent_status pagefile_read_bytes(struct str bytes, const char *name, bool plain_text, pagefile_fn *fn,
                                                 void *ctx, struct errmsg *err);

/* The page of a URL in an archive, its redirects followed. `room` holds it during the call, and can be used again.
 * SCENT_E_NOTFOUND: there is none (no response, redirects that lead nowhere, an error of the server); what `fn`
 * returns. */
SCENT_NODISCARD scent_status pagefile_find(const struct archive *archive, struct str href, struct buf *room,
                                           pagefile_fn *fn, void *ctx, struct errmsg *err);

#endif
