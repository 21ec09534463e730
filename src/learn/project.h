/* project - a page's weights times the model's rows; for this folder. The hot path of all but Naive Bayes. */
#ifndef SCENT_LEARN_PROJECT_H
#define SCENT_LEARN_PROJECT_H

#include "learn/parts.h"

/* sums[k] = sum of weight(stem) * rows[stem][k] over the stems that the model knows, k < model->nrow. */
void project(const struct model *model, const struct text_vector *tf, double *sums);
/* What every weight of this page is multiplied with in the end: 1/norm for ltc. */
double project_scale(const struct model *model, const struct text_vector *tf);

/* The weight of `tf` occurrences of a feature, before the cosine norm. */
double project_weight(const struct model *model, uint32_t feature, double tf, double max_tf);
double project_max_tf(const struct model *model, const struct text_vector *tf); /* 0 where no weight needs it */

#endif
