/* aggarwal - crawlers that learn while they crawl what leads to the predicate (Aggarwal et al.). */
#ifndef SCENT_STRATEGY_AGGARWAL_H
#define SCENT_STRATEGY_AGGARWAL_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_intelligent, strategy_collaborative, strategy_combined;

#endif
