/* experiment_read - what the files experiment*.c share. */
#ifndef SCENT_LAB_EXPERIMENT_READ_H
#define SCENT_LAB_EXPERIMENT_READ_H

#include "conf/conf.h"
#include "lab/experiment.h"

scent_status experiment_no_memory(struct errmsg *err);
/* Copied to the arena; *out stays when `node` is NULL; an empty text is an error. */
SCENT_NODISCARD scent_status experiment_read_str(struct experiment *experiment, const struct conf_node *node,
                                                 struct str *out, struct errmsg *err);
SCENT_NODISCARD scent_status experiment_read_u32(const struct conf_node *node, uint32_t min, uint32_t max,
                                                 uint32_t *out, struct errmsg *err);
/* One of `words` (the last is NULL), by its place. */
SCENT_NODISCARD scent_status experiment_read_choice(const struct conf_node *node, const char *const *words,
                                                    unsigned *out, struct errmsg *err);
/* A path of the file is relative to its folder. */
SCENT_NODISCARD scent_status experiment_find_path(struct experiment *experiment, struct str path, struct str *out,
                                                  struct errmsg *err);
/* A list of texts, or one text; `what` they are, for messages. */
SCENT_NODISCARD scent_status experiment_read_strs(struct experiment *experiment, const struct conf_node *node,
                                                  const char *what, struct str **out, size_t *count,
                                                  struct errmsg *err);
/* *out comes in as what holds where `node` says nothing. */
SCENT_NODISCARD scent_status experiment_read_traces(struct experiment *experiment, const struct conf_node *node,
                                                    struct experiment_traces *out, struct errmsg *err);
SCENT_NODISCARD scent_status experiment_read_sessions(struct experiment *experiment, const struct conf_node *node,
                                                      struct errmsg *err);
/* The keys traces, best_of and reuse of a strategy. */
SCENT_NODISCARD scent_status experiment_read_arm(struct experiment *experiment, const struct conf_node *node,
                                                 struct experiment_strategy *out, struct errmsg *err);
SCENT_NODISCARD scent_status experiment_read_topics(struct experiment *experiment, const struct conf_node *node,
                                                    struct errmsg *err);
/* The keys model, strategies, baseline and fusions. */
SCENT_NODISCARD scent_status experiment_read_strategies(struct experiment *experiment, const struct conf_node *root,
                                                        struct errmsg *err);

#endif
