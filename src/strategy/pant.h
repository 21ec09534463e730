/* pant - the crawlers of Pant and Srinivasan: a classifier reads link contexts. */
#ifndef SCENT_STRATEGY_PANT_H
#define SCENT_STRATEGY_PANT_H

#include "strategy/strategy.h"

extern const struct strategy_ops strategy_full_page;
extern const struct strategy_ops strategy_text_window;
extern const struct strategy_ops strategy_text_window_combo;
extern const struct strategy_ops strategy_tag_tree_combo;

#endif
