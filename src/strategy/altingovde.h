/* altingovde - interclass rules: which classes of pages lead to the targets. */
#ifndef SCENT_STRATEGY_ALTINGOVDE_H
#define SCENT_STRATEGY_ALTINGOVDE_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_rules;

#endif
