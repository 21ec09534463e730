/* targets - where the links of a page lead: ids, for strategies that keep a graph. */
#ifndef SCENT_STRATEGY_TARGETS_H
#define SCENT_STRATEGY_TARGETS_H

#include "strategy/strategy.h"

struct targets {
    uint32_t *ids;
    size_t count, room;
};

/* Those that are known, and for which `takes` (NULL: all) says yes; until the next call. */
void targets_collect(struct targets *targets, const struct strategy_visit *visit,
                     bool (*takes)(const struct page *page, const struct page_link *link));
void targets_release(struct targets *targets);

#endif
