#include "strategy/option.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 60 }; /* bytes of a wrong value in a message */

static const struct topic_option *find_given(const struct topic *topic, const char *name)
{
    for (size_t i = 0; i < topic->noptions; i++)
        if (str_eq(topic->options[i].key, str_of(name)))
            return &topic->options[i];
    return NULL;
}

bool option_is_given(const struct topic *topic, const char *name)
{
    return find_given(topic, name) != NULL;
}

static struct str value_of(const struct strategy_option *option, const struct topic *topic)
{
    const struct topic_option *given = find_given(topic, option->name), *preset = find_given(topic, "preset");

    if (given)
        return given->value;
    if (option->printed && preset && str_eq(preset->value, STR("paper")))
        return str_of(option->printed);
    return str_of(option->fallback);
}

struct str option_text(const struct strategy_option *options, const struct topic *topic, const char *name)
{
    while (options->name && !str_eq(str_of(options->name), str_of(name)))
        options++;
    SCENT_BUG_IF(!options->name);
    return value_of(options, topic);
}

/* ---- values ---- */

static bool read_number(struct str value, double min, double max, double *out)
{
    char text[64], *end = text;

    snprintf(text, sizeof text, "%.*s", (int)(value.len < 63 ? value.len : 63), value.p);
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out) && *out >= min && *out <= max;
}

static bool read_word(struct str value, const char *const *words, unsigned *out)
{
    for (*out = 0; words[*out]; ++*out)
        if (str_eq(value, str_of(words[*out])))
            return true;
    return false;
}

/* False: the value is none of those that the option takes. */
static bool read_value(const struct strategy_option *option, struct str value, void *state)
{
    unsigned char *at = (unsigned char *)state + option->offset;
    uint64_t whole;
    uint32_t narrow;
    double number;
    unsigned word;
    bool yes;

    switch (option->kind) {
    case STRATEGY_NUMBER:
        if (!read_number(value, option->min, option->max, &number))
            return false;
        memcpy(at, &number, sizeof number);
        return true;
    case STRATEGY_WHOLE:
        if (!str_parse_u64(value, &whole) || (double)whole < option->min || (double)whole > option->max)
            return false;
        narrow = (uint32_t)whole;
        memcpy(at, &narrow, sizeof narrow);
        return true;
    case STRATEGY_CHOICE:
    case STRATEGY_EITHER:
    case STRATEGY_PRESET:
        if (!read_word(value, option->words, &word))
            return false;
        yes = word == 1;
        if (option->kind == STRATEGY_CHOICE)
            memcpy(at, &word, sizeof word);
        else if (option->kind == STRATEGY_EITHER)
            memcpy(at, &yes, sizeof yes);
        return true;
    case STRATEGY_TEXT:
        break;
    }
    return true;
}

static scent_status fail(const char *strategy, const struct strategy_option *option, struct str value,
                         struct errmsg *err)
{
    char expected[256] = "";
    size_t n = 0;

    if (option->kind == STRATEGY_NUMBER)
        snprintf(expected, sizeof expected, "a number from %g to %g", option->min, option->max);
    else if (option->kind == STRATEGY_WHOLE)
        snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", option->min, option->max);
    for (unsigned i = 0; option->words && option->words[i] && n < sizeof expected; i++)
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%s", i ? " or " : "", option->words[i]);
    return errmsg_fail(err, SCENT_E_INVALID, "%s: %s must be %s, got '%.*s'", strategy, option->name, expected,
                       (int)(value.len < SHOWN ? value.len : SHOWN), value.p);
}

scent_status option_read(const char *strategy, const struct strategy_option *options, const struct topic *topic,
                         void *state, struct errmsg *err)
{
    for (const struct strategy_option *option = options; option && option->name; option++) {
        struct str value = value_of(option, topic);

        if (!read_value(option, value, state))
            return fail(strategy, option, value, err);
    }
    return SCENT_OK;
}

scent_status option_new_state(const struct strategy_context *context, size_t size, void **state, struct errmsg *err)
{
    scent_status status;

    *state = calloc(1, size);
    SCENT_BUG_IF(!*state);
    status = option_read(context->ops->name, context->ops->options, context->topic, *state, err);
    if (status != SCENT_OK) {
        free(*state);
        *state = NULL;
    }
    return status;
}
