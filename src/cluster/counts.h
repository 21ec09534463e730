/* counts - what the workers of a crawl have learned, each its own: in its row of `worker`, replaced and never a log.
 *
 * By the connection of the turns, between two of them, or after the last. */
#ifndef SCENT_CLUSTER_COUNTS_H
#define SCENT_CLUSTER_COUNTS_H

#include "cluster/cluster.h"

enum { COUNTS_MAX = 16 << 20, COUNTS_ALL_MAX = 256 << 20 }; /* bytes of a worker, of each kind; of all others */

/* What a worker has counted by itself. What is empty has not changed. */
struct counts {
    struct str learned; /* by its strategy */
    struct str census;  /* the statistics of the query */
    struct str seeds;   /* the sum of its seeds' pages */
};
typedef void counts_fn(void *ctx, const struct counts *counts);

/* Tells what this worker counted, and calls back with what each of the others told last; what is larger than COUNTS_MAX
 * is left out. SCENT_E_IO: the server cannot be reached; as for a turn. */
SCENT_NODISCARD scent_status counts_exchange(struct cluster *cluster, const struct counts *own, counts_fn *fn,
                                             void *ctx, struct errmsg *err);

/* ---- the end of a crawl: all pages of all workers are judged by one judge ---- */

/* The counts of this worker are its last. */
SCENT_NODISCARD scent_status counts_settle(struct cluster *cluster, const struct counts *own, struct errmsg *err);
/* How many others live that have not settled theirs, while the crawl has ended; one of them is `name`, whose buffer has
 * room for COUNTS_NAME bytes. The lease of this worker is renewed meanwhile. */
enum { COUNTS_NAME = 256 };
SCENT_NODISCARD scent_status counts_await(struct cluster *cluster, uint64_t *count, char name[COUNTS_NAME],
                                          struct errmsg *err);
/* Tells by which judge its pages were judged; *count others have another one, `name` among them. */
SCENT_NODISCARD scent_status counts_compare_judge(struct cluster *cluster, uint64_t digest, uint64_t *count,
                                                  char name[COUNTS_NAME], struct errmsg *err);

#endif
