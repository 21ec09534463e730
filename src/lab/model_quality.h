/* model_quality - how good are the models that guide the crawls of an experiment, and what does their training cost?
 *
 * Every kind of model that a strategy of the experiment has is trained for each topic (first repeat) with exactly the
 * examples that its crawls would get, and cross-validated on them. Accuracy and AUC are means over topics, as is the
 * CPU time of the training, which differs from run to run and therefore stands in no file of results. */
#ifndef SCENT_LAB_MODEL_QUALITY_H
#define SCENT_LAB_MODEL_QUALITY_H

#include "base/buf.h"
#include "lab/lab.h"

struct model_quality_row {
    struct str name;                   /* "svm", "svm, atn, hinge, back-links" */
    double examples;                   /* mean number */
    double accuracy, accuracy_error;   /* of cross-validation: mean and standard error over topics */
    double auc, auc_error;
    double seconds, seconds_error;     /* CPU, of one training */
};

struct model_quality_table {
    struct arena arena;
    struct model_quality_row *rows;
    size_t nrows, ntopics;
    uint32_t folds;
};

/* SCENT_E_INVALID: a topic's examples cannot be learned from. On failure there is nothing to release. */
SCENT_NODISCARD scent_status model_quality_measure(const struct lab *lab, uint32_t folds,
                                                   struct model_quality_table *out, struct errmsg *err);
void model_quality_release(struct model_quality_table *table);
/* A table for people; the same as JSON. out->failed: no memory. */
void model_quality_print(const struct model_quality_table *table, struct buf *out);
void model_quality_write_json(const struct model_quality_table *table, struct buf *out);

#endif
