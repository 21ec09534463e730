/* counts - what the workers of a crawl have learned, each its own: in its row of `worker`, replaced and never a log.
 *
 * By the connection of the turns, between two of them. */
#ifndef SCENT_CLUSTER_COUNTS_H
#define SCENT_CLUSTER_COUNTS_H

#include "cluster/cluster.h"

enum { COUNTS_MAX = 16 << 20, COUNTS_ALL_MAX = 256 << 20 }; /* bytes of a worker; of all others */

/* Tells what this worker counted (empty: nothing new), and calls back with what each of the others told last; what is
 * larger than COUNTS_MAX is left out. SCENT_E_IO: the server cannot be reached; as for a turn. */
SCENT_NODISCARD scent_status counts_exchange(struct cluster *cluster, struct str own,
                                             void (*fn)(void *ctx, uint64_t worker, struct str counts), void *ctx,
                                             struct errmsg *err);

#endif
