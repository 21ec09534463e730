/* asked - a topic that is a query: which pages of a collection does it believe in? One index for all crawls, as Pirkola and
 * Talvensaari rank theirs. */
#ifndef SCENT_LAB_ASKED_H
#define SCENT_LAB_ASKED_H

#include "base/buf.h"
#include "lab/collection.h"

/* Counts the terms of `query` in the whole collection; the counts go to `census` (topic/census.h), as census_write() puts
 * them. With `relevant` (may be NULL) marks the pages whose belief is above `threshold`; *count of them. */
SCENT_NODISCARD scent_status asked_mark(const struct collection *collection, struct str query, double threshold,
                                        struct buf *census, bool *relevant, size_t *count, struct errmsg *err);

#endif
