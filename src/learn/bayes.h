/* bayes - multinomial Naive Bayes with Lidstone smoothing; for this folder. Pure. */
#ifndef SCENT_LEARN_BAYES_H
#define SCENT_LEARN_BAYES_H

#include "learn/parts.h"

/* Fills the Naive Bayes parts of `model`, whose vocabulary is there. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status bayes_train(struct model *model, const struct dataset *data, double alpha);

/* scores[c] = ln prior + ln likelihood. */
void bayes_decide(const struct model *model, const struct text_vector *tf, double *scores);
void bayes_predict(const struct model *model, const struct text_vector *tf, double *p);
/* ln P(w|class) less the mean of it over the other classes. */
double bayes_weight(const struct model *model, uint32_t feature, uint32_t class);

#endif
