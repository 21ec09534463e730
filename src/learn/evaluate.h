/* evaluate - how good would a model of these examples be on pages that it has not seen?
 *
 * Stratified k-fold cross-validation: every page is judged once, by a model that was trained without it. Pages are what
 * counts: examples with the same words (a page with several labels) go to the same fold, are judged once, and any of
 * their classes is right.
 * With two classes the number of folds falls to the size of the smaller one, and one page in a class is refused. With
 * more classes the folds stay; a class all of whose pages are held out at once is unknown to that model and gets
 * probability 0: a miss. */
#ifndef SCENT_LEARN_EVALUATE_H
#define SCENT_LEARN_EVALUATE_H

#include "learn/model.h"

/* One class against the rest. What has no value (nothing was put into the class, all pages are of it) is 0; an AUC is
 * then 1/2. */
struct evaluate_class {
    uint32_t pages;
    double precision, recall, f1;
    double auc;
    double brier; /* mean (p - y)^2 */
    double ece;   /* expected calibration error, ten bins */
};

struct evaluate_result {
    uint32_t pages, folds, nclasses;
    double accuracy;                /* the best class (model_decision for bayes, the largest p otherwise) is right */
    struct evaluate_class mean;     /* over the classes (macro); .pages is the sum */
    struct evaluate_class *classes; /* nclasses */
    uint32_t *confusion;            /* [of the page * nclasses + given]; of several classes, the right one counts */
};

/* SCENT_E_INVALID as model_train(), and when the examples are too few. On failure there is nothing to release. */
SCENT_NODISCARD scent_status evaluate_model(const struct learn_set *set, const struct model_options *options,
                                            uint32_t nfolds, struct evaluate_result *out, struct errmsg *err);
void evaluate_release(struct evaluate_result *result);

/* Which of several sets makes the better model? The labelled examples of each are the first of those of the last (in
 * other words, perhaps); weak ones differ. Labelled pages and the weak ones of the last are judged, in the words that
 * they have there, by models that were trained without them. Fails as evaluate_model() does. */
struct evaluate_rival {
    const struct learn_set *set;
    const struct model_options *options;
    double auc;    /* of the second class */
    double right;  /* balanced accuracy: the mean over both classes of the share that is on its side of .5 */
    double *p;     /* takes the probability of each page; NULL: nobody asks */
};
SCENT_NODISCARD scent_status evaluate_rivals(struct evaluate_rival *rivals, size_t nrivals, uint32_t nfolds,
                                             struct errmsg *err);

/* The measures themselves, over n pages. Pure. */
/* The share of pairs (positive, negative) that are in the right order, ties half. 1/2 without any. May fail: -1 (no
 * memory). O(n log n). */
double evaluate_auc(const double *score, const bool *positive, size_t n);
double evaluate_brier(const double *p, const bool *positive, size_t n);
/* Pages in ten bins by p: the mean over the bins, weighted by their pages, of |mean p - share of positives|. */
double evaluate_ece(const double *p, const bool *positive, size_t n);

#endif
