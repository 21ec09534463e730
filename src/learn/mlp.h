/* mlp - a neural network with one hidden layer; for this folder.
 *
 * x -> relu(W1 x + b1) -> softmax(W2 h + b2), cross entropy, mini-batches, Adam (Kingma, Ba 2015) with L2 on W1.
 * Floats throughout; the seed decides the first weights and the order of the rows. */
#ifndef SCENT_LEARN_MLP_H
#define SCENT_LEARN_MLP_H

#include "learn/parts.h"

/* All weights in one array: W1 (a row of `hidden` a feature), b1, W2 (a row of nclasses a hidden unit), b2. */
struct mlp_net {
    uint32_t nfeatures, hidden, nclasses;
    float *weights;
    double *p; /* nclasses, for mlp_loss to work in */
};
size_t mlp_nweights(const struct mlp_net *net);

/* The mean cross entropy over `n` rows. Adds its gradient to `gradient` unless that is NULL. */
double mlp_loss(const struct mlp_net *net, const struct dataset *data, const uint32_t *rows, size_t n, float *gradient);

/* Fills the network's parts of `model`; `data` holds weights. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status mlp_train(struct model *model, const struct dataset *data,
                                       const struct model_options *options);

void mlp_decide(const struct model *model, const struct text_vector *tf, double *scores);
void mlp_predict(const struct model *model, const struct text_vector *tf, double *p);
/* The sum over the paths from a feature to `class`, less the mean over all classes; through the units with active[unit]
 * alone, unless `active` is NULL. mlp_active() tells which those are for a page. */
double mlp_weight(const struct model *model, uint32_t feature, uint32_t class, const bool *active);
void mlp_active(const struct model *model, const struct text_vector *tf, bool active[MODEL_HIDDEN_MAX]);

#endif
