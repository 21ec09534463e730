/* liu - crawling along a model of somebody's browsing (Liu, Milios and Janssen). */
#ifndef SCENT_STRATEGY_LIU_H
#define SCENT_STRATEGY_LIU_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_hmm;

#endif
