/* trial_model - the classifiers of a trial: negative (TRIAL_OTHER) and positive (TRIAL_TOPIC), as in a topic file.
 *
 * The models that guide crawls learn from the positives and negatives of the trial, or from the words around links to
 * them (training/backlink_examples.h).
 *
 * The evaluation classifiers, which no crawler sees, are Naive Bayes, SVM and MLP, trained on all relevant pages of a
 * topic against twice as many others; the majority says what is relevant (Pant and Srinivasan, 4.2). */
#ifndef SCENT_LAB_TRIAL_MODEL_H
#define SCENT_LAB_TRIAL_MODEL_H

#include "lab/collection.h"
#include "lab/experiment.h"
#include "lab/labels.h"
#include "lab/trial.h"
#include "learn/rulebook.h"
#include "training/trained.h"

enum { TRIAL_OTHER, TRIAL_TOPIC };
enum { TRIAL_RATIO = 2 }; /* negatives that a guide has for a positive, where the negatives of the trial are not used */

/* The examples of the model that guides a crawl, as its classes: the positives and negatives of the trial, and pages of
 * the background, as `model` asks for; or the words around links to them, for which `backlinks` must be there. The same
 * trial and seed give the same examples. SCENT_E_INVALID: nothing links to the examples. */
struct trial_examples {
    struct arena arena;
    struct learn_example *items;
    size_t count;
    struct learn_set set;
};
SCENT_NODISCARD scent_status trial_examples_read(const struct collection *collection,
                                                 const struct page_graph *backlinks, const struct trial *trial,
                                                 uint64_t seed, const struct experiment_model *model,
                                                 struct trial_examples *out, struct errmsg *err);
void trial_examples_release(struct trial_examples *examples);

/* The models of these. */
SCENT_NODISCARD scent_status trial_model_train(const struct collection *collection, const struct page_graph *backlinks,
                                               const struct trial *trial, uint64_t seed,
                                               const struct experiment_model *model, struct trained *out,
                                               struct errmsg *err);

/* The verdict and the mean probability of the evaluation classifiers for every page. */
SCENT_NODISCARD scent_status trial_model_evaluate(const struct collection *collection, const struct labels *labels,
                                                  const struct trial *trial, uint64_t seed, bool *relevant,
                                                  double *probability, struct errmsg *err);

/* category_model - what is learned from the labels of a collection: a model of all their categories, and the interclass
 * rules between them.
 *
 * The pages are divided by a hash of their URLs. The training pages are the examples of the model (train-0), and the
 * rules are counted from the links between them (train-1 is what training pages link to among the training pages). The
 * others are new to both, and only they are targets. Small leaves go into their parents (training/taxonomy.h).
 * Made before the crawls; then immutable, any thread. */
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
