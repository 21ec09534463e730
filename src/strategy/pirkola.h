/* pirkola - the three strategies of Pirkola and Talvensaari. */
#ifndef SCENT_STRATEGY_PIRKOLA_H
#define SCENT_STRATEGY_PIRKOLA_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_classifier;
extern const struct strategy_ops strategy_query_context;
extern const struct strategy_ops strategy_query_context_weighted;

#endif
