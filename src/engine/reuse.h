/* reuse - what a crawl learned is kept in its folder `learned`, and other crawls begin with it.
 *
 * DIR/learned/STRATEGY.learned holds the counts of the strategy (base/frame.h; docs/formats.md), DIR/learned/query.census
 * those of the topic's query. Both are written at the end of each run, whole or not at all. A crawl recalls once, before
 * its first page; from then on what it recalled is part of its own checkpoint. */
#ifndef SCENT_ENGINE_REUSE_H
#define SCENT_ENGINE_REUSE_H

#include "base/log.h"
#include "strategy/strategy.h"
#include "topic/census.h"

/* Whom a file of learned counts comes from. */
struct reuse_origin {
    struct str strategy, topic;
    uint64_t pages, relevant;
};

/* As bytes, and back: *blob and the texts are views of `file`. `name` is the file, for messages. */
SCENT_NODISCARD scent_status reuse_write(const struct reuse_origin *origin, struct str blob, struct buf *out);
SCENT_NODISCARD scent_status reuse_read(struct str file, const char *name, struct reuse_origin *origin,
                                        struct str *blob, struct errmsg *err);

/* Writes what the strategy learned, and the census (NULL: there is none), below `dir`. Nothing where there is nothing. */
SCENT_NODISCARD scent_status reuse_keep(const struct strategy *strategy, const struct census *census, const char *dir,
                                        const struct reuse_origin *origin, struct errmsg *err);
/* Removes what is kept: it speaks of pages that are to be forgotten. */
SCENT_NODISCARD scent_status reuse_forget(const char *dir, struct errmsg *err);

/* Into a strategy that has observed nothing yet: all that the topic's key `reuse` names; tells the log. SCENT_E_INVALID,
 * SCENT_E_FORMAT, SCENT_E_VERSION: it cannot be used; the message names the file and the fix. */
SCENT_NODISCARD scent_status reuse_recall(const struct strategy *strategy, const struct topic *topic,
                                          const struct log *log, struct errmsg *err);
/* Adds the counts of the same query. Whole numbers: old ones are rounded to the nearest. */
SCENT_NODISCARD scent_status reuse_recall_census(struct census *census, const struct topic *topic,
                                                 const struct log *log, struct errmsg *err);

#endif
