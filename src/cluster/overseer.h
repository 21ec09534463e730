/* overseer - the crawls on a server, seen and steered by somebody who takes part in none of them.
 *
 * Everything is one statement or one transaction on the tables of cluster.h; workers see a change in their next turn.
 * Numbers of pages are those that workers told last. Thread: one at a time. */
#ifndef SCENT_CLUSTER_OVERSEER_H
#define SCENT_CLUSTER_OVERSEER_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "cluster/batch.h"

struct overseer;
/* The server that --join names (pq_check()). `make`: the tables are made where there are none; else SCENT_E_NOTFOUND.
 * Otherwise as cluster_open(). */
SCENT_NODISCARD scent_status overseer_open(const char *uri, bool make, const struct log *log, struct overseer **out,
                                           struct errmsg *err);
void overseer_close(struct overseer *overseer); /* NULL is fine */

struct overseer_crawl {
    struct str name, state; /* "running", "stopping" or "ended" */
    uint32_t parts, owned;
    uint32_t workers, live;
    uint64_t pages, relevant, failed, queued, known;
    uint64_t waiting;       /* rows with links that their owners have not applied */
    uint64_t page_limit;    /* 0: none */
    int64_t made;           /* wall clock */
};
struct overseer_worker {
    struct str name;
    uint64_t id;
    bool live, idle;
    int64_t lease_us; /* that is left; below 0: it ended so long ago */
    uint32_t parts;
    uint64_t pages, relevant, failed, queued, known;
    uint64_t waiting; /* rows for its partitions */
};
/* In `arena`, by name. Without a name all crawls; SCENT_E_NOTFOUND: there is none of this name. */
SCENT_NODISCARD scent_status overseer_crawls(struct overseer *overseer, const char *name, struct arena *arena,
                                             struct overseer_crawl **out, size_t *count, struct errmsg *err);
SCENT_NODISCARD scent_status overseer_workers(struct overseer *overseer, const char *crawl, struct arena *arena,
                                              struct overseer_worker **out, size_t *count, struct errmsg *err);

/* The pages of a crawl as they stand in its log, partition by partition, without those of workers that were forgotten
 * and whose pages are fetched again. Verdicts are those that their workers wrote last: at the end of a crawl all pages
 * are judged again. Of a page that was visited again it is the last version. Copies, redirects and errors are among
 * them (counted). A callback that returns other than SCENT_OK ends it with that status. */
struct overseer_page {
    struct str worker; /* whose directory has it */
    struct batch_page page;
};
typedef scent_status overseer_page_fn(void *ctx, const struct overseer_page *page);
SCENT_NODISCARD scent_status overseer_pages(struct overseer *overseer, const char *crawl, overseer_page_fn *fn,
                                            void *ctx, struct errmsg *err);

/* A worker as the server has it, by the number of its directory. SCENT_E_NOTFOUND: it has none, or it was given up. */
struct overseer_member {
    uint64_t worker, crawl; /* numbers */
    struct str name;        /* of the crawl */
    uint64_t key;           /* of fingerprints */
    uint64_t mark;          /* the last of its outgoing rows that stands in the log */
    uint32_t parts;
    uint64_t *epochs;       /* by partition; 0: it is not this worker's */
};
SCENT_NODISCARD scent_status overseer_member(struct overseer *overseer, uint64_t worker, struct arena *arena,
                                             struct overseer_member *out, struct errmsg *err);
/* What it wrote, and all that stands in the log of its partitions: by partition, in the order of the log. */
struct overseer_row {
    uint32_t part;
    uint64_t xid, row, epoch, writer;
    struct str worker;  /* the name of the writer */
    bool is_state;      /* else links */
    bool damaged;       /* its body cannot be unpacked; there are no records */
    struct str records; /* for batch_get_state() or batch_get_link(); valid during the call */
};
typedef scent_status overseer_row_fn(void *ctx, const struct overseer_row *row);
SCENT_NODISCARD scent_status overseer_log(struct overseer *overseer, const struct overseer_member *member,
                                          overseer_row_fn *fn, void *ctx, struct errmsg *err);

/* All workers end, and keep what they own: a later start moves nothing. */
SCENT_NODISCARD scent_status overseer_stop(struct overseer *overseer, const char *crawl, struct errmsg *err);
/* A worker that will not come back, by its name or number: its partitions are nobody's, and others take them. Refused
 * with SCENT_E_LOCKED while it lives. With `refetch` its pages are fetched again by others, in the same crawl or when
 * it continues, and do not count towards its limit any more; the worker cannot join again. */
struct overseer_forgotten {
    uint64_t parts; /* that are nobody's now */
    uint64_t pages; /* that are queued again */
};
SCENT_NODISCARD scent_status overseer_forget(struct overseer *overseer, const char *crawl, const char *worker,
                                             bool refetch, struct overseer_forgotten *out, struct errmsg *err);
/* Removes the crawl with all that the server has of it, URLs included (docs/decisions/0005-purging.md); directories of
 * workers stay. SCENT_E_LOCKED while somebody takes part. */
SCENT_NODISCARD scent_status overseer_purge(struct overseer *overseer, const char *crawl, struct errmsg *err);

#endif
