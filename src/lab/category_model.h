/* category_model - what is learned from the labels of a collection: a model of all their categories, and the interclass
 * rules between them.
 *
 * The pages are divided by a hash of their URLs. The training pages are the examples of the model (train-0), and the
 * rules are counted from the links between them (train-1 is what training pages link to among the training pages). The
 * others are new to both, and only they are targets. Small leaves go into their parents (training/taxonomy.h).
 * Made before the crawls; then immutable, any thread. */
#ifndef SCENT_LAB_CATEGORY_MODEL_H
#define SCENT_LAB_CATEGORY_MODEL_H

#include "lab/experiment.h"
#include "lab/labels.h"
#include "learn/rulebook.h"

struct category_model {
    const struct model *model;
    const struct rulebook *rules;
};

struct category_models;
/* One for each kind of model of the experiment that learns from the labels; *out is NULL where there is none.
 * SCENT_E_INVALID: nothing can be learned from the labels. */
SCENT_NODISCARD scent_status category_models_new(const struct experiment *experiment,
                                                 const struct collection *collection, const struct labels *labels,
                                                 struct category_models **out, struct errmsg *err);
void category_models_free(struct category_models *models); /* NULL is fine */
/* NULL: there is none of this kind. */
const struct category_model *category_models_find(const struct category_models *models,
                                                  const struct experiment_model *kind);

#endif
