/* purge - removes URLs and hosts from a crawl directory: database, WARC files, index, topic.yaml.
 *
 * The rows stay as marks: a salted hash stands for the text, so that a crawl that goes on knows what it must not fetch
 * again, and ids have no gaps. What other pages say remains theirs, a link to the purged URL in their HTML included.
 *
 * ORDER, so that a crash at any moment leaves the directory as before or as after:
 *   1. The records that remain of each WARC file with purged ones are appended to a new file of the series. Nothing
 *      refers to it yet: whoever opens the directory next removes it as younger than the committed end.
 *   2. One transaction: rows emptied, other rows pointed to the new places, the new end, and the list of files to go.
 *   3. purge_finish(): those files and the full-text index are unlinked (whoever searches next makes it again), the
 *      index of records is written anew, the database too; then the list is dropped.
 *      A crawl that goes on, a check that repairs and the next purge all do this first. */
#ifndef SCENT_CRAWLDIR_PURGE_H
#define SCENT_CRAWLDIR_PURGE_H

#include "base/buf.h"
#include "base/log.h"
#include "base/status.h"
#include "store/store.h"

struct purge_options {
    const char *dir;
    char *const *names; /* URLs ("…://…") and hosts ("example.org": on all ports; "example.org:8080") */
    size_t count;
    bool dry_run;       /* only tells */
    void (*item)(void *ctx, const char *kind, struct str text); /* what goes: kind is "url", "host" or "record" */
    void (*unknown)(void *ctx, const char *name);               /* neither known now nor purged before */
    void *ctx;
    const struct log *log;
};

struct purge_report {
    uint64_t urls, hosts;   /* newly purged */
    uint64_t records;       /* removed from WARC files */
    uint64_t files;         /* WARC files written anew */
    uint64_t unknown;       /* names */
};

/* SCENT_E_INVALID: a name that is neither. SCENT_E_LOCKED: a crawl runs. */
SCENT_NODISCARD scent_status purge_run(const struct purge_options *options, struct purge_report *out,
                                       struct errmsg *err);

/* Was one cut off after its transaction? */
SCENT_NODISCARD scent_status purge_is_pending(struct store *store, bool *out, struct errmsg *err);
/* Does what it left to do; nothing where there is none. */
SCENT_NODISCARD scent_status purge_finish(struct store *store, const char *dir, struct errmsg *err);

/* `text` without the name: a URL becomes http://purged.invalid/, a host purged.invalid. Other names that only hold it
 * (http://a.test/x in http://a.test/xy) stay. *hits counts. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status purge_replace(struct str text, struct str name, bool is_host, struct buf *out,
                                           size_t *hits);

#endif
