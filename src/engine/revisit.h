/* revisit - the record of a page whose bytes are stored already: it names the first page that had them.
 *
 * Built by the writer, which alone can ask the store for that page's URL and date, committed or not; so the crawl needs
 * no memory for them. Only copies pay for it: a look-up and two small gzip members.
 * Thread: the writer's. */
#ifndef SCENT_ENGINE_REVISIT_H
#define SCENT_ENGINE_REVISIT_H

#include "engine/job.h"

/* Replaces the job's records. Where the first page turns out to have other bytes they stay, and so does the job's row,
 * but for its duplicate_of. */
SCENT_NODISCARD scent_status revisit_build(struct job *job, struct store *store, struct rng *rng,
                                           struct http_deflater *deflater, struct errmsg *err);

#endif
