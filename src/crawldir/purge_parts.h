/* What the files of purge share. */
#ifndef SCENT_CRAWLDIR_PURGE_PARTS_H
#define SCENT_CRAWLDIR_PURGE_PARTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "crawldir/purge.h"
#include "warc/warc.h"

/* A set of hashes, sorted before it is asked. */
struct purge_set {
    uint64_t *hashes;
    size_t count, room;
};

SCENT_NODISCARD scent_status purge_set_add(struct purge_set *set, uint64_t hash);
void purge_set_close(struct purge_set *set);
void purge_set_release(struct purge_set *set);

struct purge {
    const struct purge_options *options;
    struct purge_report *report;
    struct store *store;
    uint64_t key;
    struct arena arena;
    struct purge_set urls, hosts; /* all that is purged, now or before */
};

/* Step 1: rewrites the WARC files and, inside the store's transaction, the rows that refer to what was moved. *end is
 * the synced end; its file name is empty where nothing was written. Names of files to be removed are appended to `old`,
 * a line each. */
SCENT_NODISCARD scent_status purge_records(struct purge *purge, struct warc_position *end, struct buf *old,
                                           struct errmsg *err);
/* Only counts and tells. */
SCENT_NODISCARD scent_status purge_count_records(struct purge *purge, struct errmsg *err);

/* `text` without the name: a URL becomes http://purged.invalid/, a host purged.invalid. Other names that only hold it
 * (http://a.test/x in http://a.test/xy) stay. *hits counts. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status purge_replace(struct str text, struct str name, bool is_host, struct buf *out,
                                           size_t *hits);

#endif
