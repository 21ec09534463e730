/* aim - how much do some words of a page speak of the topic, where it has no classifier? From 0, nothing matches, to 1.
 *
 * The aim is the first of these that the topic has: its query, by (belief - .4)/.6; the words that its predicate asks
 * for, read as a query with the document frequencies of the background, where the strategy wants that; the centroid of
 * the seed pages, by the cosine, which grows while seeds come in: before anything else.
 * State: the words of the seeds where they are the aim, 50 to 100 bytes a distinct stem. Thread: the engine's. */
#ifndef SCENT_STRATEGY_AIM_H
#define SCENT_STRATEGY_AIM_H

#include "base/bytes.h"
#include "page/context.h"
#include "strategy/strategy.h"
#include "topic/centroid.h"

struct aim {
    const struct query *query; /* NULL: by the seeds */
    struct query *of_predicate; /* the same, made here; NULL: it is the topic's */
    struct query_stats *stats; /* of that */
    struct query_scratch *scratch;
    struct centroid seeds;
    struct likeness likeness; /* to the seeds so far */
    struct text_weight *items;
    size_t room;
};

void aim_init(struct aim *aim, const struct topic *topic, bool reads_predicate);
void aim_release(struct aim *aim);
/* A seed's page, where seeds are the aim. */
void aim_observe(struct aim *aim, const struct strategy_visit *visit);
double aim_page(struct aim *aim, const struct strategy_visit *visit);
double aim_context(struct aim *aim, const struct strategy_visit *visit, struct context context);

/* The words of the seeds, behind the caller's version. */
void aim_save(const struct aim *aim, struct buf *out);
SCENT_NODISCARD scent_status aim_load(struct aim *aim, struct bytes *in, struct errmsg *err);

#endif
