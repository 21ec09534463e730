/* checkpoint - what a crawl has learned up to a page: the state of its strategy and the statistics of its query.
 *
 * One is made every ten seconds and at the end, carried to the writer by a job, and committed with its rows; after a
 * restart the pages behind it are learned again (resume.c). */
#ifndef SCENT_ENGINE_CHECKPOINT_H
#define SCENT_ENGINE_CHECKPOINT_H

#include "base/buf.h"
#include "store/store.h"
#include "strategy/strategy.h"
#include "topic/query.h"

struct checkpoint {
    struct buf blob;   /* the strategy's state; empty: it keeps none */
    struct buf term_counts; /* the statistics of the query; empty: the topic has none */
    uint64_t row, pages;
};
/* `term_counts` may be NULL. *out is NULL where there is nothing to keep. */
SCENT_NODISCARD scent_status checkpoint_new(const struct strategy *strategy, const struct query_counts *term_counts,
                                            uint64_t row, uint64_t pages, struct checkpoint **out, struct errmsg *err);
void checkpoint_free(struct checkpoint *checkpoint); /* NULL is fine */
/* In the writer's thread, inside a transaction. */
SCENT_NODISCARD scent_status checkpoint_write(const struct checkpoint *checkpoint, struct store *store,
                                              struct errmsg *err);

/* The last one; *row is the last page row that it has seen. SCENT_E_NOTFOUND: there is none. */
SCENT_NODISCARD scent_status checkpoint_load_strategy(struct store *store, const struct strategy *strategy,
                                                      uint64_t *row, uint64_t *pages, struct errmsg *err);
/* SCENT_E_INVALID, SCENT_E_VERSION: of another query, or of another version. */
SCENT_NODISCARD scent_status checkpoint_load_counts(struct store *store, struct query_counts *term_counts,
                                                    uint64_t *row, struct errmsg *err);

#endif
