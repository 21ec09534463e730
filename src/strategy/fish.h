/* fish - the rule by which fish and shark spend their depth: a relevant page feeds its children for D more links, an
 * irrelevant one for one fewer than it had itself. */
#ifndef SCENT_STRATEGY_FISH_H
#define SCENT_STRATEGY_FISH_H

#include "strategy/strategy.h"

/* The depth that a page was given when it was found; seeds have the whole. */
uint8_t fish_depth_of_page(const struct strategy_visit *visit, uint8_t whole, uint8_t kept);
/* What its children get; false: none is followed. */
bool fish_depth_of_children(bool relevant, uint8_t own, uint8_t whole, uint8_t *out);

#endif
