/* posterior - what is believed of the weights of a linear model, and how sure it is: a normal distribution that every
 * example moves (Bayesian linear and logistic regression, one step an example).
 *
 * It begins as a prior with independent weights. What the examples have told is also kept by itself, as precision and
 * shift, which add up: so that it can be handed to another crawl, added to what that one believes, and taken away
 * again. A step costs POSTERIOR_DIMS squared. 46 KB. Pure; owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_POSTERIOR_H
#define SCENT_STRATEGY_POSTERIOR_H

#include "base/bytes.h"

enum { POSTERIOR_DIMS = 39, POSTERIOR_PAIRS = POSTERIOR_DIMS * (POSTERIOR_DIMS + 1) / 2 };

struct posterior_weight {
    double mean, variance;
};

struct posterior {
    struct posterior_weight prior[POSTERIOR_DIMS];
    double mean[POSTERIOR_DIMS];
    double spread[POSTERIOR_DIMS][POSTERIOR_DIMS]; /* covariances */
    struct posterior_told {
        double precision[POSTERIOR_PAIRS], shift[POSTERIOR_DIMS];
    } learned, recalled; /* by its own examples; by other crawls */
};

void posterior_init(struct posterior *posterior, const struct posterior_weight prior[POSTERIOR_DIMS]);
/* The prior has these means from now on, as if it always had. */
void posterior_move(struct posterior *posterior, const double means[POSTERIOR_DIMS]);
/* What the means make of x. */
double posterior_mean(const struct posterior *posterior, const float x[POSTERIOR_DIMS]);
/* One step: x is seen with y, a probability, or a number with this precision. */
void posterior_learn_probability(struct posterior *posterior, const float x[POSTERIOR_DIMS], double y);
void posterior_learn_number(struct posterior *posterior, const float x[POSTERIOR_DIMS], double y, double precision);

void posterior_save(const struct posterior *posterior, struct buf *out);
void posterior_load(struct posterior *posterior, struct bytes *in); /* what is wrong is noted in `in` */

/* What was learned, for other crawls. */
void posterior_learned(const struct posterior *posterior, struct buf *out);
/* Adds `weight` times that of another crawl, 0 only looks, -1 takes it away. What is wrong is noted in `in`, and
 * nothing was added. */
void posterior_recall(struct posterior *posterior, struct bytes *in, double weight);

#endif
