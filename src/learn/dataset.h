/* dataset - the examples of a learn_set as rows of numbered features; for this folder.
 *
 * Checks them (what cannot teach is refused with a message, what is doubtful is told to the log), numbers the stems and
 * counts in how many examples each occurs. One arena holds it all. */
#ifndef SCENT_LEARN_DATASET_H
#define SCENT_LEARN_DATASET_H

#include "learn/model.h"
#include "learn/vocabulary.h"

/* What is larger is no frequency, and sums of its squares could leave the range of numbers. */
#define DATASET_TF_MAX 1e9

struct dataset_cell {
    uint32_t feature;
    float tf;
    float value; /* its weight, after dataset_weigh() */
};

struct dataset {
    struct arena arena;
    struct vocabulary vocabulary;
    uint64_t *stems;
    uint32_t *df;
    struct dataset_cell *cells;
    size_t *start;    /* row i is cells[start[i]] up to cells[start[i + 1]] */
    uint32_t *class;  /* of each row */
    double *max_tf;   /* of each row, over all its stems */
    uint32_t *sizes;  /* rows of each class */
    uint32_t nrows, nfeatures, nclasses;
};

/* On failure there is nothing to release. */
SCENT_NODISCARD scent_status dataset_init(struct dataset *data, const struct learn_set *set,
                                          const struct model_options *options, struct errmsg *err);
void dataset_release(struct dataset *data);

/* Turns frequencies into weights: text_weigh_tf times ln(D/df), of length 1 for ltc. D and df are counted over the rows
 * with keep[row] (NULL: all); words that stand in none of them get weight 0, as unknown words do. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status dataset_weigh(struct dataset *data, enum text_weighting weighting, const bool *keep);

#endif
