/* choice - the strategy of a topic that names none: one table, from what a topic has to a strategy with its options. */
#ifndef SCENT_TOPIC_CHOICE_H
#define SCENT_TOPIC_CHOICE_H

#include "topic/topic.h"

struct topic_choice {
    struct str strategy;
    const struct topic_option *options;
    size_t noptions;
    const char *why; /* "the topic has examples" */
};

/* The whole table, for `scent strategies`; NULL after the last row. */
const struct topic_choice *topic_choice_at(size_t i);
const struct topic_choice *topic_choice(const struct topic *topic);
/* The topic's strategy as a command line gives it: "fusion:of=a + b,by=ranks". */
void topic_write_strategy(const struct topic *topic, struct buf *out);
/* Gives the topic that strategy, and says why in topic->chosen. */
void topic_choose_strategy(struct topic *topic);

#endif
