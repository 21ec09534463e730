/* school - what the labels of a collection teach: a model of all their categories, and the interclass rules between them.
 *
 * The pages are divided by a hash of their URLs. The taught ones are the examples of the model (train-0), and the rules
 * are counted from the links between them (train-1 is what taught pages link to among the taught ones). The others are
 * new to both, and only they are targets. Small leaves go into their parents (examples/taxonomy.h).
 * Made before the crawls; then immutable, any thread. */
#ifndef SCENT_LAB_SCHOOL_H
#define SCENT_LAB_SCHOOL_H

#include "lab/experiment.h"
#include "lab/labels.h"
#include "learn/rulebook.h"

/* Is this page one to learn from? The same for all topics of an experiment. */
bool school_teaches(const struct experiment *experiment, struct str url);

struct school_lesson {
    const struct model *model;
    const struct rulebook *rules;
};

struct school;
/* A lesson for each model of the experiment that learns from the labels; *out is NULL where there is none. SCENT_E_INVALID:
 * the labels teach nothing. */
SCENT_NODISCARD scent_status school_new(const struct experiment *experiment, const struct collection *collection,
                                        const struct labels *labels, struct school **out, struct errmsg *err);
void school_free(struct school *school); /* NULL is fine */
/* The lesson of a model that learns from the labels. */
const struct school_lesson *school_lesson(const struct school *school, const struct experiment_model *model);

#endif
