/* learned - the folder `learned` of a crawl: what it began with, and what other crawls may begin with.
 *
 * A crawl keeps the model, rules and browsing model that it began with (learned/model, rules, browsing), so that its
 * judgements do not change when the files that the topic names do; of its traces it keeps what and where they are.
 *
 * For others it leaves learned/STRATEGY.learned, the counts of the strategy (base/bytes.h; docs/internals/formats.md),
 * and learned/query.census, those of the topic's query. Both are written at the end of each run, whole or not at all. A
 * crawl recalls once, before its first page; from then on what it recalled is part of its own checkpoint. */
#ifndef SCENT_CRAWLDIR_LEARNED_H
#define SCENT_CRAWLDIR_LEARNED_H

#include "base/log.h"
#include "crawldir/crawldir.h"
#include "strategy/strategy.h"
#include "topic/query.h"

/* ---- what a crawl begins with ---- */

#define LEARNED_MODEL "model"
#define LEARNED_RULES "rules"
#define LEARNED_BROWSING "browsing"
#define LEARNED_JUDGE "judge" /* the folder that the program of the topic's `judge` runs in */
#define LEARNED_TRACES "traces"
#define LEARNED_GRAPH "graph" /* STRATEGY.graph: what it made of the pages that were known before the crawl */

struct crawldir_path learned_path(const char *dir, const char *name);
/* Makes the folder, for a file of it that is about to be written. SCENT_E_INVALID: it is a symbolic link. */
SCENT_NODISCARD scent_status learned_make_folder(const char *dir, struct errmsg *err);

/* How one of them is read and written; `ctx` receives it. */
struct learned_ops {
    const char *name;
    scent_status (*load)(void *ctx, const char *path, struct errmsg *err); /* SCENT_E_NOTFOUND: there is none */
    scent_status (*find)(void *ctx, struct errmsg *err);                   /* where the topic says, or makes it */
    scent_status (*save)(void *ctx, const char *path, struct errmsg *err);
    void (*compare)(void *ctx, const char *path); /* what `load` gave with what the topic says now; may be NULL */
};
/* What the crawl in `dir` began with is loaded and compared; else it is found, and kept there. NULL: no crawl. Without
 * `keep` nothing is made or written: SCENT_E_NOTFOUND where the crawl has none. */
SCENT_NODISCARD scent_status learned_begin(const struct learned_ops *ops, void *ctx, const char *dir, bool keep,
                                           struct errmsg *err);

/* ---- what others may begin with ---- */

/* Whom a file of learned counts comes from. */
struct learned_origin {
    struct str strategy, topic;
    uint64_t pages, relevant;
};

/* Appends the file, or where it is no such file only its beginning, for learned_read(). */
SCENT_NODISCARD scent_status learned_load(const char *path, struct buf *out, struct errmsg *err);
/* As bytes, and back: *blob and the texts are views of `file`. `name` is the file, for messages. */
SCENT_NODISCARD scent_status learned_write(const struct learned_origin *origin, struct str blob, struct buf *out);
SCENT_NODISCARD scent_status learned_read(struct str file, const char *name, struct learned_origin *origin,
                                          struct str *blob, struct errmsg *err);

/* Writes what the strategy learned, and the counts of the terms (NULL: there are none), below `dir`, if there is
 * anything. */
SCENT_NODISCARD scent_status learned_keep(const struct strategy *strategy, const struct query_counts *term_counts,
                                          const char *dir, const struct learned_origin *origin, struct errmsg *err);
/* Removes what is kept for others: it speaks of pages that are to be forgotten. */
SCENT_NODISCARD scent_status learned_forget(const char *dir, struct errmsg *err);

/* Into a strategy that has observed nothing yet: all that the topic's key `reuse` names; tells the log.
 * SCENT_E_INVALID, SCENT_E_FORMAT, SCENT_E_VERSION: it cannot be used; the message names the file and the fix. */
SCENT_NODISCARD scent_status learned_recall(const struct strategy *strategy, const struct topic *topic,
                                            const struct log *log, struct errmsg *err);
/* Adds the counts of the same query. Whole numbers: old ones are rounded to the nearest. */
SCENT_NODISCARD scent_status learned_recall_counts(struct query_counts *term_counts, const struct topic *topic,
                                                   const struct log *log, struct errmsg *err);

#endif
