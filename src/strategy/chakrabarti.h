/* chakrabarti - soft and hard focus: a classifier over a taxonomy. */
#ifndef SCENT_STRATEGY_CHAKRABARTI_H
#define SCENT_STRATEGY_CHAKRABARTI_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_soft_focus;
extern const struct strategy_ops strategy_hard_focus;

#endif
