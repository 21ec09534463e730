/* counts - what the workers of a crawl have learned, each its own: in its row of `worker`, replaced and never a log.
 *
 * A connection of its own, for a moment: counts are exchanged once in many turns, and are large. */
#ifndef SCENT_CLUSTER_COUNTS_H
#define SCENT_CLUSTER_COUNTS_H

#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

enum { COUNTS_MAX = 16 << 20, COUNTS_ALL_MAX = 256 << 20 }; /* bytes of a worker; of all others */

struct counts_of {
    const char *uri, *crawl; /* its name */
    uint64_t worker;
};
/* Tells what this worker counted (empty: nothing new), and calls back with what each of the others told last; what is
 * larger than COUNTS_MAX is left out. SCENT_E_IO: the server cannot be reached; that can wait. */
SCENT_NODISCARD scent_status counts_exchange(const struct counts_of *of, struct str own,
                                             void (*fn)(void *ctx, uint64_t worker, struct str counts), void *ctx,
                                             struct errmsg *err);

#endif
