/* topic_read - what the files topic*.c share. */
#ifndef SCENT_TOPIC_TOPIC_READ_H
#define SCENT_TOPIC_TOPIC_READ_H

#include "conf/conf.h"
#include "topic/topic.h"

#define TOPIC_DAY_US ((int64_t)86400 * 1000000)

/* "0.1": major and minor of this program. */
struct str topic_version(void);

/* A text, copied to the topic's arena; *out stays when `node` is NULL. */
SCENT_NODISCARD scent_status topic_read_str(struct topic *topic, const struct conf_node *node, struct str *out,
                                            struct errmsg *err);
/* A list of texts, or one text. */
SCENT_NODISCARD scent_status topic_read_strs(struct topic *topic, const struct conf_node *node, const struct str **out,
                                             size_t *count, struct errmsg *err);
/* The path of a file, relative to the folder of the topic file, which is `name`. What is no path is refused with the
 * message `expected`. *out stays when `node` is NULL. */
SCENT_NODISCARD scent_status topic_read_path(struct topic *topic, const struct conf_node *node, const char *name,
                                             const char *expected, struct str *out, struct errmsg *err);
/* The same for a text that was read: *path comes in as it is written. */
SCENT_NODISCARD scent_status topic_find_path(struct topic *topic, const struct conf_node *node, const char *name,
                                             const char *expected, struct str *path, struct errmsg *err);

/* What is relevant when the file does not say: by what the topic has been given. */
struct str topic_default_predicate(const struct topic *topic);
/* In which order, when the file does not say: best-first by the score, where that is more than the likeness to the seeds. */
void topic_choose_strategy(struct topic *topic);
/* Can all that the predicate asks for be answered? The message says what to add. */
SCENT_NODISCARD scent_status topic_check_measures(const struct topic *topic, struct errmsg *err);

SCENT_NODISCARD scent_status topic_read_scope(struct topic *topic, const struct conf_node *node, struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_limits(struct topic *topic, const struct conf_node *node, struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_politeness(struct topic *topic, const struct conf_node *node,
                                                   struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_recrawl(struct topic *topic, const struct conf_node *node, struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_strategy(struct topic *topic, const struct conf_node *node, struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_ways(struct topic *topic, const struct conf_node *node, const char *name,
                                             struct errmsg *err);
/* examples, model and taxonomy; `name` is the topic file: paths are relative to its folder. */
SCENT_NODISCARD scent_status topic_read_examples(struct topic *topic, const struct conf_node *root, const char *name,
                                                 struct errmsg *err);
/* `name` is the topic file: the files are relative to its folder. */
SCENT_NODISCARD scent_status topic_read_traces(struct topic *topic, const struct conf_node *node, const char *name,
                                               struct errmsg *err);
/* The same for one file. */
SCENT_NODISCARD scent_status topic_read_browsing(struct topic *topic, const struct conf_node *node, const char *name,
                                                 struct errmsg *err);
SCENT_NODISCARD scent_status topic_read_reuse(struct topic *topic, const struct conf_node *node, const char *name,
                                              struct errmsg *err);
/* `name` is the topic file: seeds_file is relative to its folder. */
SCENT_NODISCARD scent_status topic_read_seeds(struct topic *topic, const struct conf_node *root, const char *name,
                                              struct errmsg *err);

#endif
