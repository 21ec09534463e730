/* judged - which judges a crawl has had: their rows in the store, and the values that verdicts depend on.
 *
 * Thread: that of the store. */
#ifndef SCENT_CRAWLDIR_JUDGED_H
#define SCENT_CRAWLDIR_JUDGED_H

#include "base/log.h"
#include "store/store.h"
#include "topic/judge.h"

/* Names of values: the strategy's checkpoint; the query's statistics of a crawl, those that it recalled from others,
 * and its background sample. */
#define JUDGED_STRATEGY "strategy_state"
#define JUDGED_STRATEGY_OF "strategy_of" /* the name of the strategy whose state it is */
#define JUDGED_COUNTS "census"
#define JUDGED_COUNTS_AT "census_at"
#define JUDGED_LIVE "census_live"       /* as the pages came; JUDGED_COUNTS is of the content that they have now */
#define JUDGED_SNAPSHOT "census_judged" /* as the last judge of the crawl knew them */
#define JUDGED_RECALLED "census_recalled"
#define JUDGED_SAMPLE "census_sample"
/* Where several workers crawl together: the sums of the others' statistics, and of their seeds (centroid_write()). */
#define JUDGED_OTHERS "census_others"
#define JUDGED_OTHER_SEEDS "seeds_others"
/* The digest of topic and knowledge by which pages are judged, 16 hex digits. */
#define JUDGED_KNOWLEDGE "judged knowledge"

/* What is written of a new judge; the texts and counts are in `arena`. `counts` may be NULL. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status judged_describe(const struct judge *judge, const struct topic *topic,
                                              const struct knowledge *knowledge, const struct query_counts *counts,
                                              struct arena *arena, struct store_judge *out);

/* SCENT_E_NOTFOUND: the value is not there, or of another query or version. */
SCENT_NODISCARD scent_status judged_load_counts(struct store *store, const char *name, struct query_counts *out,
                                                 struct errmsg *err);
/* The background sample that the crawl began with: a file beside the topic may be gone. NULL: there is none; the caller
 * frees it. */
SCENT_NODISCARD scent_status judged_load_sample(struct store *store, const struct query *query,
                                                struct query_counts **out, struct errmsg *err);
/* Adds what is known of the other workers of the crawl, if there are any; each may be NULL. */
SCENT_NODISCARD scent_status judged_add_others(struct store *store, struct query_counts *counts, struct centroid *seeds,
                                               struct errmsg *err);
/* The same after the others were asked: `share` (NULL: they are not) is told what this crawl has counted by itself,
 * without what it recalled of earlier ones, and sets both values. */
typedef scent_status judged_share_fn(void *ctx, const struct query_counts *counts, const struct centroid *seeds,
                                     struct errmsg *err);
SCENT_NODISCARD scent_status judged_sum_all(struct store *store, struct query_counts *counts, struct centroid *seeds,
                                            judged_share_fn *share, void *ctx, struct errmsg *err);
/* A judge of a crawl as it was, for who explains its verdicts; 0: the last. The crawl may be running. A judge that is
 * not in the store knows no statistics of the crawl: *found is false. It knows all seeds, which the judges of the first
 * pages did not. The caller frees it. */
SCENT_NODISCARD scent_status judged_load(struct store *store, const struct topic *topic,
                                          const struct knowledge *knowledge, const struct centroid *seeds,
                                          unsigned wants, uint32_t id, bool *found, struct judge **out,
                                          struct errmsg *err);

/* What verdicts depend on before the first page is compared with what the crawl was judged by, noted for the next time,
 * and every change is told as a warning. */
SCENT_NODISCARD scent_status judged_compare(struct store *store, const struct topic *topic,
                                             const struct knowledge *knowledge, const struct log *log, bool *changed,
                                             struct errmsg *err);

#endif
