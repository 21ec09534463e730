/* shares - which hosts does this worker visit, where several crawl together? A registered domain belongs to a
 * partition, and a partition to one worker, so that limits and politeness of a domain are one worker's business.
 * Thread: the engine's. */
#ifndef SCENT_ENGINE_SHARES_H
#define SCENT_ENGINE_SHARES_H

#include "base/hash.h"
#include "url/url.h"

struct shares {
    uint32_t parts;
    uint64_t key;  /* of the crawl: the same for all workers */
    bool *mine;    /* by partition */
    bool *live;    /* by partition: ours, and all that its former owners wrote has been read */
};

/* `server` may carry a port. */
static inline uint32_t shares_part(const struct shares *shares, struct str server)
{
    return (uint32_t)(hash_str(url_registered_domain(url_host_without_port(server)), shares->key) % shares->parts);
}

#endif
