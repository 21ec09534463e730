/* option - the values of a strategy's options, checked; errors name strategy, option and what is expected. */
#ifndef SCENT_STRATEGY_OPTION_H
#define SCENT_STRATEGY_OPTION_H

#include "strategy/strategy.h"

SCENT_NODISCARD scent_status option_double(const struct strategy_ops *ops, const struct topic *topic, const char *name,
                                           double min, double max, double *out, struct errmsg *err);
SCENT_NODISCARD scent_status option_u32(const struct strategy_ops *ops, const struct topic *topic, const char *name,
                                        uint32_t min, uint32_t max, uint32_t *out, struct errmsg *err);
/* The place of the value in `words` (NULL-terminated). */
SCENT_NODISCARD scent_status option_choice(const struct strategy_ops *ops, const struct topic *topic, const char *name,
                                           const char *const *words, unsigned *out, struct errmsg *err);

#endif
