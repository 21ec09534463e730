/* cdxj - the index by which replay tools (pywb, OpenWayback, ReplayWeb.page) find a page in WARC files.
 *
 * A line is: SURT key, 14-digit time, JSON. Lines are sorted bytewise; a line depends on its record alone, so that an
 * index can be built as records are written and sorted later. */
#ifndef SCENT_WARC_CDXJ_H
#define SCENT_WARC_CDXJ_H

#include "base/buf.h"
#include "base/status.h"

struct cdxj_entry {
    struct str url;
    struct str date;   /* of the record: "2026-11-15T08:58:00Z" or "20261115085800" */
    struct str mime;   /* "text/html"; empty: "unk" */
    int status;        /* 0: left out */
    struct str digest; /* "sha1:…" */
    uint64_t offset, length;
    struct str file;   /* name of the WARC file, without its folder */
};

/* Appends the line with its newline. SCENT_E_NOMEM; SCENT_E_LIMIT: does not fit out->cap. `out` is then as it was. */
SCENT_NODISCARD scent_status cdxj_add(const struct cdxj_entry *entry, struct buf *out);

/* Sorts lines into the order of an index. SCENT_E_NOMEM: they are as they were. */
SCENT_NODISCARD scent_status cdxj_sort(struct buf *lines);

#endif
