/* experience - what a crawl taught about its predicate, for other crawls: how many pages satisfy it, which links lead from
 * where to where, which words of linking pages and which tokens of URLs go with it (Aggarwal). */
#ifndef SCENT_STRATEGY_EXPERIENCE_H
#define SCENT_STRATEGY_EXPERIENCE_H

#include "strategy/evidence.h"
#include "strategy/interest.h"

/* What a strategy counts, and under which options: a text for counts_put_head(). */
struct experience {
    const char *strategy, *meaning;
    struct interest *known;
    struct evidence *words, *tokens;
};

/* As strategy_ops.learned and recall. */
SCENT_NODISCARD scent_status experience_learned(const struct experience *experience, struct buf *out);
SCENT_NODISCARD scent_status experience_recall(const struct experience *experience, struct str blob, double weight,
                                               struct errmsg *err);

#endif
