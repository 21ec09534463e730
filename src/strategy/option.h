/* option - the options of a strategy: one table says what each is called, which values it takes and where they go.
 *
 * Values come from the topic file. What the user did not give is the default, or with `preset: paper` the value that
 * the paper prints. Errors name strategy, option and what is expected. */
#ifndef SCENT_STRATEGY_OPTION_H
#define SCENT_STRATEGY_OPTION_H

#include "strategy/strategy.h"

/* The rest of a row in a table of options: the member of the strategy's state that gets the value, and what it may
 * be. */
#define OPTION_NUMBER(state, member, least, most) \
    .kind = STRATEGY_NUMBER, .offset = offsetof(state, member), .min = (least), .max = (most)
#define OPTION_WHOLE(state, member, least, most) /* uint32_t */ \
    .kind = STRATEGY_WHOLE, .offset = offsetof(state, member), .min = (least), .max = (most)
#define OPTION_CHOICE(state, member, ...) /* unsigned: the place among the words */ \
    .kind = STRATEGY_CHOICE, .offset = offsetof(state, member), .words = (const char *const[]){__VA_ARGS__, NULL}
#define OPTION_EITHER(state, member, no, yes) /* bool */ \
    .kind = STRATEGY_EITHER, .offset = offsetof(state, member), .words = (const char *const[]){no, yes, NULL}
#define OPTION_TEXT .kind = STRATEGY_TEXT /* the strategy reads it: option_text() */
#define OPTION_PRESET .kind = STRATEGY_PRESET, .words = (const char *const[]){"ours", "paper", NULL}

/* Reads all options of a table into `state`; `strategy` is the name for messages. */
SCENT_NODISCARD scent_status option_read(const char *strategy, const struct strategy_option *options,
                                         const struct topic *topic, void *state, struct errmsg *err);
/* A zeroed state of `size` bytes with the options read: the open() of a strategy, or its beginning. NULL on error. */
SCENT_NODISCARD scent_status option_new_state(const struct strategy_context *context, size_t size, void **state,
                                              struct errmsg *err);

/* The value as it is written; it is an option of the table. */
struct str option_text(const struct strategy_option *options, const struct topic *topic, const char *name);
/* Did the user say something about it, or is it the default? */
bool option_is_given(const struct topic *topic, const char *name);

#endif
