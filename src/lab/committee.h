/* committee - evaluation classifiers, which no crawler sees: Naive Bayes, SVM and MLP, trained on all relevant pages of a
 * topic against twice as many others; relevant is what the majority says (Pant and Srinivasan, 4.2). */
#ifndef SCENT_LAB_COMMITTEE_H
#define SCENT_LAB_COMMITTEE_H

#include "lab/trial.h"

/* Fills verdict and mean probability of every page. */
SCENT_NODISCARD scent_status committee_judge(const struct collection *collection, const struct labels *labels,
                                             const struct trial *trial, uint64_t seed, bool *verdict,
                                             double *probability, struct errmsg *err);

#endif
