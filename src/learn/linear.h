/* linear - linear SVM with Platt's sigmoid, and logistic regression; for this folder.
 *
 * Two classes: one set of weights, the second class against the first. More: each against the rest, probabilities
 * normalised to sum 1. */
#ifndef SCENT_LEARN_LINEAR_H
#define SCENT_LEARN_LINEAR_H

#include "learn/parts.h"

/* Fills the linear parts of `model`; leaves other weights in `data`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status linear_train(struct model *model, struct dataset *data,
                                          const struct model_options *options);

void linear_decide(const struct model *model, const struct text_vector *tf, double *scores);
void linear_predict(const struct model *model, const struct text_vector *tf, double *p);
/* The weight of a feature for `class`. */
double linear_weight(const struct model *model, uint32_t feature, uint32_t class);

#endif
