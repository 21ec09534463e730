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

/* Did the user say something about it, or is it the default? */
bool option_is_given(const struct topic *topic, const char *name);

/* Choices of a strategy with two presets: chosen[i] is the place of the i-th value in its words. The first is "preset"; where
 * that is the second of its words, the paper, what the user has not given is as printed. */
struct option_preset {
    const char *name, *const words[4]; /* ends with NULL */
    unsigned printed;
};
SCENT_NODISCARD scent_status option_choices(const struct strategy_ops *ops, const struct topic *topic,
                                            const struct option_preset *choices, size_t count, unsigned *chosen,
                                            struct errmsg *err);

#endif
