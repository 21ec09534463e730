/* fused - strategies that are made of others. */
#ifndef SCENT_STRATEGY_FUSED_H
#define SCENT_STRATEGY_FUSED_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_fusion;

#endif
