#include "strategy/option.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static scent_status fail(const struct strategy_ops *ops, const char *name, struct str value, const char *expected,
                         struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID, "%s: %s must be %s, got '%.*s'", ops->name, name, expected,
                       value.len < 60 ? (int)value.len : 60, value.p);
}

scent_status option_double(const struct strategy_ops *ops, const struct topic *topic, const char *name, double min,
                           double max, double *out, struct errmsg *err)
{
    struct str value = strategy_option_value(ops, topic, name);
    char text[64], expected[96], *end = text;

    snprintf(text, sizeof text, "%.*s", (int)(value.len < 63 ? value.len : 63), value.p);
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*out) && *out >= min && *out <= max)
        return SCENT_OK;
    snprintf(expected, sizeof expected, "a number from %g to %g", min, max);
    return fail(ops, name, value, expected, err);
}

scent_status option_u32(const struct strategy_ops *ops, const struct topic *topic, const char *name, uint32_t min,
                        uint32_t max, uint32_t *out, struct errmsg *err)
{
    struct str value = strategy_option_value(ops, topic, name);
    char expected[96];
    uint64_t number;

    if (str_parse_u64(value, &number) && number >= min && number <= max) {
        *out = (uint32_t)number;
        return SCENT_OK;
    }
    snprintf(expected, sizeof expected, "a whole number from %u to %u", min, max);
    return fail(ops, name, value, expected, err);
}

scent_status option_choice(const struct strategy_ops *ops, const struct topic *topic, const char *name,
                           const char *const *words, unsigned *out, struct errmsg *err)
{
    struct str value = strategy_option_value(ops, topic, name);
    char expected[256];
    size_t n = 0;

    for (unsigned i = 0; words[i]; i++) {
        if (str_eq(value, str_of(words[i]))) {
            *out = i;
            return SCENT_OK;
        }
        if (n < sizeof expected)
            n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%s", i ? " or " : "", words[i]);
    }
    return fail(ops, name, value, expected, err);
}

bool option_is_given(const struct topic *topic, const char *name)
{
    for (size_t i = 0; i < topic->noptions; i++)
        if (str_eq(topic->options[i].key, str_of(name)))
            return true;
    return false;
}

scent_status option_choices(const struct strategy_ops *ops, const struct topic *topic,
                            const struct option_preset *choices, size_t count, unsigned *chosen, struct errmsg *err)
{
    for (size_t i = 0; i < count; i++) {
        scent_status status = option_choice(ops, topic, choices[i].name, choices[i].words, &chosen[i], err);

        if (status != SCENT_OK)
            return status;
        if (chosen[0] && !option_is_given(topic, choices[i].name))
            chosen[i] = choices[i].printed;
    }
    return SCENT_OK;
}
