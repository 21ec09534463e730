/* parts - what a model is made of; for this folder. Everything lies in its arena and never changes once it is whole. */
#ifndef SCENT_LEARN_PARTS_H
#define SCENT_LEARN_PARTS_H

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

void *parts_array(struct model *model, size_t count, size_t size, bool *failed); /* zeroed; sets *failed for NULL */

#endif
