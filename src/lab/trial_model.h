/* trial_model - the classifiers of a trial: negative (TRIAL_OTHER) and positive (TRIAL_TOPIC), as in a topic file.
 *
 * The models that guide crawls learn from the seeds and negatives of the trial, or from the words around links to them
 * (Pant and Srinivasan, 10.4): at most 10 back-links of each example, found in the collection, the 40 words around
 * each; as many of them at random as there are examples, for the topic and for the others alike.
 *
 * The evaluation classifiers, which no crawler sees, are Naive Bayes, SVM and MLP, trained on all relevant pages of a
 * topic against twice as many others; the majority says what is relevant (Pant and Srinivasan, 4.2). */
#ifndef SCENT_LAB_TRIAL_MODEL_H
#define SCENT_LAB_TRIAL_MODEL_H

#include "lab/backlinks.h"
#include "lab/trial.h"

enum { TRIAL_OTHER, TRIAL_TOPIC };
enum { TRIAL_MODEL_LINKS = 10, TRIAL_MODEL_WORDS = 40 };

/* From the seeds and negatives. */
SCENT_NODISCARD scent_status trial_model_train(const struct collection *collection, const struct trial *trial,
                                               const struct model_options *options, struct model **out,
                                               struct errmsg *err);
/* From the words around links to them. The same trial and seed give the same model. SCENT_E_INVALID: nothing links to
 * the examples. */
SCENT_NODISCARD scent_status trial_model_train_backlinks(const struct collection *collection,
                                                         const struct backlinks *backlinks, const struct trial *trial,
                                                         uint64_t seed, const struct model_options *options,
                                                         struct model **out, struct errmsg *err);

/* The verdict and the mean probability of the evaluation classifiers for every page. */
SCENT_NODISCARD scent_status trial_model_evaluate(const struct collection *collection, const struct labels *labels,
                                                  const struct trial *trial, uint64_t seed, bool *relevant,
                                                  double *probability, struct errmsg *err);

#endif
