/* aim - sim(q, text) for any words of a page: 0 where nothing matches, 1 at best.
 *
 * q is the topic's query, if it has one: (belief - .4)/.6. Else it is the centroid of the seed pages, and sim the cosine;
 * it grows while seeds come in, which is before anything else. State: 50 to 100 bytes a distinct stem of the seeds. */
#ifndef SCENT_STRATEGY_AIM_H
#define SCENT_STRATEGY_AIM_H

#include "context/context.h"
#include "strategy/strategy.h"
#include "topic/query.h"
#include "topic/vector.h"

struct aim {
    const struct query *query; /* NULL: by the seeds */
    struct query_scratch *scratch;
    struct centroid seeds;
    struct likeness likeness; /* to the seeds so far */
    struct text_weight *items;
    size_t room;
};

void aim_init(struct aim *aim, const struct topic *topic);
void aim_release(struct aim *aim);
void aim_observe(struct aim *aim, const struct strategy_visit *visit);
double aim_page(struct aim *aim, const struct strategy_visit *visit);
double aim_context(struct aim *aim, const struct strategy_visit *visit, struct context context);

/* The seeds' words, for a strategy's save and load. */
SCENT_NODISCARD scent_status aim_save(const struct aim *aim, struct buf *out);
SCENT_NODISCARD scent_status aim_load(struct aim *aim, struct str blob, struct errmsg *err);

#endif
