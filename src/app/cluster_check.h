/* cluster_check - `scent check --join`: a worker's directory against the log of its crawl on the server.
 *
 * The log of a partition, replayed up to where the directory has read it, with what the directory has not sent yet,
 * must be what its crawl.db says: of every URL of the hosts that it owns, and of every page that it fetched. Some 50
 * bytes of memory a URL, page or link. */
#ifndef SCENT_APP_CLUSTER_CHECK_H
#define SCENT_APP_CLUSTER_CHECK_H

#include "base/status.h"
#include "cluster/overseer.h"

struct cluster_check {
    const char *dir;
    void (*problem)(void *ctx, const char *line);
    void *ctx;
    uint64_t urls, links, pages; /* out: that were compared */
    uint64_t unsent;             /* out: rows that wait in the directory for the next run */
    uint64_t problems;           /* out */
};
/* The worker must not be running. SCENT_E_NOTFOUND: the directory is of no worker that the server knows. */
SCENT_NODISCARD scent_status cluster_check(struct overseer *overseer, struct cluster_check *check, struct errmsg *err);

#endif
