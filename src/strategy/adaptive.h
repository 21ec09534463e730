/* adaptive - what may be asked of an open `adaptive` strategy: what it knows of a URL, as features that it weighs. */
#ifndef SCENT_STRATEGY_ADAPTIVE_H
#define SCENT_STRATEGY_ADAPTIVE_H

#include "strategy/prior.h"

enum prior_mode adaptive_mode(const struct strategy *strategy);
/* False: it is not a candidate that links lead to. */
bool adaptive_weigh(const struct strategy *strategy, uint32_t id, float x[EVIDENCE_FEATURES]);

#endif
