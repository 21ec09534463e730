/* topic_parts - what the topic and the reading of its file share. */
#ifndef SCENT_TOPIC_TOPIC_PARTS_H
#define SCENT_TOPIC_TOPIC_PARTS_H

#include "conf/conf_fields.h"
#include "topic/topic.h"

/* "0.1": major and minor of this program. */
struct str topic_version(void);

/* What is relevant when the file does not say: by what the topic has been given. */
struct str topic_default_predicate(const struct topic *topic);
/* Can all that the predicate asks for be answered? The message says what to add. */
SCENT_NODISCARD scent_status topic_check_measures(const struct topic *topic, struct errmsg *err);

/* The defaults of the file's keys. */
void topic_set_defaults(struct topic *topic);
/* Reads the file `name`. */
SCENT_NODISCARD scent_status topic_read(struct topic *topic, const struct conf_node *root, const char *name,
                                        struct errmsg *err);
/* The keys `seeds` and `seeds_file`. */
SCENT_NODISCARD scent_status topic_read_seeds(const struct conf_reader *reader, const struct conf_node *root,
                                              struct errmsg *err);
conf_read_fn topic_read_strategy;
/* Where the strategy is "default". */
SCENT_NODISCARD scent_status topic_settle_strategy(struct topic *topic, struct errmsg *err);

/* The keys `examples`, `taxonomy` and `model`. */
extern const struct conf_table topic_examples_table, topic_taxonomy_table;
struct model_options topic_default_model(const struct topic *topic);
SCENT_NODISCARD scent_status topic_read_model(struct topic *topic, const struct conf_reader *reader,
                                              const struct conf_node *node, struct errmsg *err);

#endif
