/* dataset - the examples of a learn_set as rows of numbered features; for this folder.
 *
 * Checks them (what cannot teach is refused with a message, what is doubtful is told to the log), numbers the stems and
 * counts in how many examples each occurs. One arena holds it all. */
#ifndef SCENT_LEARN_DATASET_H
#define SCENT_LEARN_DATASET_H

#include "base/arena.h"
#include "learn/model.h"

/* ---- vocabulary: from a stem's hash to the number of a feature ----
 *
 * Features are numbered in the order of their hashes. A hash is uniform, so its first bits say where in that order it
 * must lie: a probe reads one entry of `first` and about one stem. The stems of a page come sorted too, so that the
 * probes of a page walk through memory in one direction. 12 to 16 bytes a feature. Immutable; any thread. */
enum { VOCABULARY_NONE = UINT32_MAX, VOCABULARY_MAX = 1 << 26 };

struct vocabulary {
    const uint64_t *stems; /* sorted, distinct */
    uint32_t *first;       /* of the stems that begin with these bits: where they start; one more at the end */
    uint32_t count, shift;
};

/* `stems` stays the caller's and must outlive it; `first` is made in `arena`. */
SCENT_NODISCARD scent_status vocabulary_init(struct vocabulary *vocabulary, const uint64_t *stems, uint32_t count,
                                             struct arena *arena);

static inline uint32_t vocabulary_find(const struct vocabulary *vocabulary, uint64_t stem)
{
    const uint32_t *first = vocabulary->first + (stem >> vocabulary->shift);

    for (uint32_t i = first[0]; i < first[1]; i++)
        if (vocabulary->stems[i] == stem)
            return i;
    return VOCABULARY_NONE;
}

/* ---- rows ---- */

/* What is larger is not a frequency, and sums of its squares could leave the range of numbers. */
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
    uint32_t first_weak; /* rows from here on are weak */
    uint32_t copies;     /* rows before count as often as that beside weak ones; 1 where there are none */
};

/* On failure there is nothing to release. */
SCENT_NODISCARD scent_status dataset_init(struct dataset *data, const struct learn_set *set,
                                          const struct model_options *options, struct errmsg *err);
void dataset_release(struct dataset *data);

static inline uint32_t dataset_copies(const struct dataset *data, uint32_t row)
{
    return row < data->first_weak ? data->copies : 1;
}

/* Turns frequencies into weights: text_weigh_tf times text_weigh_df, of length 1 for ltc and lsc. D and df are counted
 * over the rows with keep[row] (NULL: all); words that stand in none of them get weight 0, as unknown words do.
 * SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status dataset_weigh(struct dataset *data, enum text_weighting weighting, const bool *keep);

/* ---- folds: rows in parts of like composition ---- */

/* fold[i] < nfolds for each of n rows: the rows of each class are shuffled and dealt out in turn, so that the folds
 * differ by at most one row of any class. A class with fewer rows than folds is absent from some of them. The dealing
 * goes on where the class before stopped, so that small classes do not all lie in the first fold. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status folds_split(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t nfolds,
                                         uint64_t seed, uint32_t *fold);

#endif
