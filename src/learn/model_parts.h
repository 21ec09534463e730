/* model_parts - what a model is made of, and its four kinds; for this folder. Everything lies in its arena and never
 * changes once it is whole. */
#ifndef SCENT_LEARN_MODEL_PARTS_H
#define SCENT_LEARN_MODEL_PARTS_H

#include "learn/dataset.h"
#include "learn/model.h"

/* Naive Bayes keeps only what differs from a word that a class has never seen: ln P(w|c) = floor[c] + delta, where
 * delta = ln((n + alpha) / alpha) is 0 for most pairs of word and class. */
struct bayes_cell {
    uint32_t class;
    float delta;
};

/* p = 1 / (1 + exp(a f + b)) */
struct sigmoid {
    double a, b;
};

enum { MODEL_LOGS = 128 };

struct model {
    struct arena arena;
    enum model_kind kind;
    enum text_weighting weighting;
    uint32_t nclasses, nfeatures, ndocs;
    struct str *classes;
    struct vocabulary vocabulary;
    uint64_t *stems;
    uint32_t *df;
    float *idf;
    float log_tf[MODEL_LOGS]; /* 1 + ln tf */
    struct str *words; /* of each feature; NULL: no dictionary */

    /* bayes */
    double flatten;
    double *prior, *floor;    /* of each class, logarithms */
    uint32_t *first;          /* the cells of feature i begin at first[i] */
    struct bayes_cell *cells;

    /* svm, logistic: nrow is 1 for two classes (the second against the first), nclasses otherwise; mlp: hidden units */
    uint32_t nrow;
    float *rows; /* nrow weights a feature */
    double *bias;
    struct sigmoid *sigmoids; /* svm */

    /* mlp: the second layer, nclasses weights a hidden unit */
    float *out_rows;
    double *out_bias;
};

/* The feature that an item of a page counts for, or VOCABULARY_NONE: an unknown stem, or a frequency that is none. */
static inline uint32_t model_feature(const struct model *model, const struct text_weight *item)
{
    if (!(item->weight > 0 && item->weight <= DATASET_TF_MAX))
        return VOCABULARY_NONE;
    return vocabulary_find(&model->vocabulary, item->stem);
}

/* The same for items[0 .. n), n at most MODEL_CHUNK. What the next step reads is fetched ahead: a vocabulary is larger
 * than a cache, and one miss after the other would be most of the cost of asking. */
enum { MODEL_CHUNK = 32 };
void model_features(const struct model *model, const struct text_weight *items, size_t n, uint32_t *features);

struct model *model_new(void); /* never NULL; free with model_free() */
void *model_array(struct model *model, size_t count, size_t size, bool *failed); /* zeroed; sets *failed for NULL */
/* Computes idf, log_tf and the vocabulary from ndocs, df and stems. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status model_finish(struct model *model);

/* ---- projection: a page's weights times the model's rows. The hot path of all but Naive Bayes. ---- */

/* sums[k] = sum of weight(stem) * rows[stem][k] over the stems that the model knows, k < model->nrow. */
void project(const struct model *model, const struct text_vector *tf, double *sums);

/* ---- multinomial Naive Bayes with Lidstone smoothing ---- */

/* Fills the Naive Bayes parts of `model`, whose vocabulary is there. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status bayes_train(struct model *model, const struct dataset *data, double alpha);

/* scores[c] = ln prior + ln likelihood. */
void bayes_decide(const struct model *model, const struct text_vector *tf, double *scores);
void bayes_predict(const struct model *model, const struct text_vector *tf, double *p);
/* ln P(w|class) less the mean of it over the other classes. */
double bayes_weight(const struct model *model, uint32_t feature, uint32_t class);

/* ---- linear SVM with Platt's sigmoid, and logistic regression ----
 *
 * Two classes: one set of weights, the second class against the first. More: each against the rest, probabilities
 * normalised to sum 1. */

/* Fills the linear parts of `model`; leaves other weights in `data`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status linear_train(struct model *model, struct dataset *data,
                                          const struct model_options *options);

void linear_decide(const struct model *model, const struct text_vector *tf, double *scores);
void linear_predict(const struct model *model, const struct text_vector *tf, double *p);
/* The weight of a feature for `class`. */
double linear_weight(const struct model *model, uint32_t feature, uint32_t class);

/* ---- a sigmoid from decision values to probabilities (Platt 1999) ---- */

struct platt_values {
    const double *f; /* decision values */
    const bool *positive;
    const double *weight; /* NULL: 1 each */
    size_t count;
};
/* Fits p = 1 / (1 + exp(a f + b)) to decision values by maximum likelihood, with the targets (N+ + 1)/(N+ + 2) and
 * 1/(N- + 2), N+ and N- the sums of weights: Newton's method with backtracking (Lin, Lin,
 * Weng 2007). Both kinds of examples must be there. */
struct sigmoid platt_fit(const struct platt_values *values);
double platt_probability(struct sigmoid sigmoid, double f);

/* ---- a neural network with one hidden layer ----
 *
 * x -> relu(W1 x + b1) -> softmax(W2 h + b2), cross entropy, mini-batches, Adam (Kingma, Ba 2015) with L2 on W1.
 * Floats throughout; the seed decides the first weights and the order of the rows. */

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
