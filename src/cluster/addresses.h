/* addresses - the IP addresses that the workers of a crawl visit: a Bloom filter of each, in its row of `worker`.
 *
 * Hosts of several workers may lie on one address, whose server must not be visited more often for that. So each worker
 * tells which addresses it visits, in 10 bits each, and counts for each of its own how many others have it. A filter
 * that says "yes" to an address that its worker does not visit (1 in 100) makes visits rarer, never more frequent.
 * Addresses are known by hashes under the key of the crawl, which are the same everywhere.
 * A filter comes from another machine: one that has not the size for the number of addresses that it claims, more bits
 * than these can set, or another checksum is refused. Pure, but for addresses_exchange(). */
#ifndef SCENT_CLUSTER_ADDRESSES_H
#define SCENT_CLUSTER_ADDRESSES_H

#include "cluster/cluster.h"

enum {
    ADDRESSES_MAX = 4 << 20,      /* bytes of a filter: 3.3 million addresses; with more it says "yes" more often */
    ADDRESSES_ALL_MAX = 64 << 20, /* of all others */
};

/* *out is cleared first. */
void addresses_make(const uint64_t *hashes, size_t count, struct buf *out);
bool addresses_is_filter(struct str filter);
uint64_t addresses_stamp(struct str filter); /* two with the same one are the same; of what is a filter */
bool addresses_have(struct str filter, uint64_t hash);

struct addresses_peer {
    uint64_t worker, stamp;
};
typedef void addresses_fn(void *ctx, struct addresses_peer peer, struct str filter);
/* Tells the filter of this worker (empty: as before), and calls back for each other one that lives and has told its
 * own; `filter` is empty where it is that of `known`. What is not a filter is left out. By the connection of the turns,
 * between two of them; SCENT_E_IO as for a turn. */
SCENT_NODISCARD scent_status addresses_exchange(struct cluster *cluster, struct str own,
                                                const struct addresses_peer *known, size_t nknown, addresses_fn *fn,
                                                void *ctx, struct errmsg *err);

#endif
