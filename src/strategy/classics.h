/* classics - the baselines that everything else is measured against. */
#ifndef SCENT_STRATEGY_CLASSICS_H
#define SCENT_STRATEGY_CLASSICS_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_breadth_first;
extern const struct strategy_ops strategy_random;
extern const struct strategy_ops strategy_best_first;
extern const struct strategy_ops strategy_best_n_first;
extern const struct strategy_ops strategy_fish;
extern const struct strategy_ops strategy_shark;
extern const struct strategy_ops strategy_in_degree;
extern const struct strategy_ops strategy_pagerank;

#endif
