/* counts - how much was seen, as it is kept for other crawls: by names that mean the same there.
 *
 * A count is a number of pages, links or the like. It is whole in a crawl that began fresh; old evidence counts less, by
 * the weight that it is recalled with, and is never rounded: so it is a double, exact for whole numbers up to 2^53. */
#ifndef SCENT_STRATEGY_COUNTS_H
#define SCENT_STRATEGY_COUNTS_H

#include "base/bytes.h"

#define COUNTS_MAX 1e15

/* 1 to 8 bytes for a whole number, 9 for others. */
void counts_put(struct buf *out, double count);
/* 0 to COUNTS_MAX: anything else is wrong. */
double counts_get(struct bytes *in);

/* The beginning of what a strategy learned: its version, and options that change what the counts mean, as a text such as
 * "tokens: fine". counts_get_head() of another text fails with SCENT_E_INVALID, and tells both. */
void counts_put_head(struct buf *out, unsigned version, const char *meaning);
SCENT_NODISCARD scent_status counts_get_head(struct bytes *in, const char *strategy, unsigned version,
                                             const char *meaning, struct errmsg *err);
/* After all was read: SCENT_E_FORMAT where something was wrong, or more is left. */
SCENT_NODISCARD scent_status counts_end(struct bytes *in, const char *strategy, struct errmsg *err);

#endif
