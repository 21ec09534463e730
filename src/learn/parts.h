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

enum { PARTS_LOGS = 128 };

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
    float log_tf[PARTS_LOGS]; /* 1 + ln tf */
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
static inline uint32_t parts_feature(const struct model *model, const struct text_weight *item)
{
    if (!(item->weight > 0 && item->weight <= DATASET_TF_MAX))
        return VOCABULARY_NONE;
    return vocabulary_find(&model->vocabulary, item->stem);
}

/* The same for items[0 .. n), n at most PARTS_CHUNK. What the next step reads is fetched ahead: a vocabulary is larger
 * than a cache, and one miss after the other would be most of the cost of asking. */
enum { PARTS_CHUNK = 32 };
void parts_features(const struct model *model, const struct text_weight *items, size_t n, uint32_t *features);

struct model *parts_new(void); /* never NULL; free with model_free() */
void *parts_array(struct model *model, size_t count, size_t size, bool *failed); /* zeroed; sets *failed for NULL */
/* Computes idf, log_tf and the vocabulary from ndocs, df and stems. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status parts_finish(struct model *model);

#endif
