/* model - learns classes from examples and gives every page its probabilities.
 *
 * Four kinds behind one interface: multinomial Naive Bayes, linear SVM with Platt's sigmoid, logistic regression, a
 * small neural network. Document frequencies come from the training set and stay with the model. Stems that the model
 * has not seen are ignored: they count neither in the cosine norm nor in a length, as if the page did not have them
 * (what scikit-learn's vectorisers do).
 *
 * A model never changes after model_train or model_read: any number of threads may ask it at once. Asking allocates
 * nothing and costs a table probe and a few multiplications a distinct stem, some microseconds a page.
 * The same set, options and seed give the same model, byte for byte on one machine. Training does no I/O, and any
 * number of threads may train at once. */
#ifndef SCENT_LEARN_MODEL_H
#define SCENT_LEARN_MODEL_H

#include "base/buf.h"
#include "base/log.h"
#include "text/text.h"

/* ---- the labelled examples that a model is trained on ----
 *
 * Plain data of the caller: nothing here is copied or owned. An example is a vector of raw term frequencies (sorted by
 * stem, no stem twice, finite and not negative; fractions are welcome) with one class. A page with several labels
 * appears once for each of them. Classes are dotted categories: "Sports.Hockey" lies below "Sports". */

struct learn_example {
    struct text_vector tf;
    uint32_t class; /* index into classes */
};

/* The text of a stem, for explanations. */
struct learn_word {
    uint64_t stem;
    struct str text;
};

enum { LEARN_CLASS_MAX = 4096 }; /* bytes of the name of a class */

struct learn_set {
    const struct learn_example *examples;
    size_t nexamples;
    size_t nweak; /* the last so many are weak: pages that nobody has looked at, and that are of their class (0, the
                     rest of the web) but for a few. They weigh less, and are no pages to be measured by */
    const struct str *classes;
    uint32_t nclasses;
    const struct learn_word *words; /* optional; sorted by stem */
    size_t nwords;
};

/* ---- models ---- */

enum model_kind { MODEL_BAYES, MODEL_SVM, MODEL_LOGISTIC, MODEL_MLP };

const char *model_kind_name(enum model_kind kind); /* "bayes", "svm", "logistic", "mlp" */
bool model_kind_parse(struct str name, enum model_kind *out);

/* The price of an example on the wrong side of an SVM's margin: (1 - y w x)^2, or 1 - y w x (SMO's). */
enum model_loss { MODEL_SQUARED_HINGE, MODEL_HINGE };
extern const char *const model_loss_names[]; /* as users write them; NULL after the last */

/* Which stems a model takes, where it may not take all: those in most examples, or those that tell most of the class
 * (the highest mutual information). */
enum model_selection { MODEL_BY_FREQUENCY, MODEL_BY_INFORMATION };

struct model_options {
    enum model_kind kind;
    enum text_weighting weighting; /* svm, logistic, mlp; Naive Bayes counts raw frequencies */
    double C;                      /* svm, logistic: the price of an error */
    enum model_loss loss;          /* svm */
    double weak;                   /* all weak examples together, beside all others; 0: they are not for it */
    double prior;                  /* of two classes: the share of the second among the pages that will be judged; 0: as
                                      among the examples, whose number is the user's choice */
    double alpha;                  /* bayes: Lidstone's pseudo count; 0: 1 for two classes, .01 for more */
    double flatten;                /* bayes: the log likelihood is divided by length / flatten; 0: it is left alone */
    uint32_t folds;                /* svm: Platt's sigmoid is fitted on the held-out parts of so many folds */
    uint32_t hidden;               /* mlp: units, at most MODEL_HIDDEN_MAX */
    uint32_t epochs;               /* mlp: at most so many passes */
    double l2;                     /* mlp: weight decay */
    uint32_t max_features;         /* at most so many stems, chosen by `selection`; 0: all */
    enum model_selection selection;
    uint64_t seed;
    const struct log *log; /* warnings about doubtful examples; NULL: none */
};
enum { MODEL_HIDDEN_MAX = 256 };
struct model_options model_options_default(enum model_kind kind);

struct model;
/* SCENT_E_INVALID: the examples cannot teach anything (an empty class, no words, NaN, the same examples in all
 * classes); `err` names the class or example and the fix. Copies what it needs from `set`. */
SCENT_NODISCARD scent_status model_train(const struct learn_set *set, const struct model_options *options,
                                         struct model **out, struct errmsg *err);
void model_free(struct model *model); /* NULL is fine */

enum model_kind model_kind_of(const struct model *model);
uint32_t model_nclasses(const struct model *model);
struct str model_class(const struct model *model, uint32_t class);
uint32_t model_nfeatures(const struct model *model);

/* Fills p[nclasses] with probabilities that sum to 1. Frequencies that are not above 0, or not finite, are skipped. */
void model_predict(const struct model *model, const struct text_vector *tf, double *p);
/* The scores before calibration and flattening, one a class: log prior + log likelihood (bayes), w x + b (svm,
 * logistic; with two classes the first is minus the second), the outputs before softmax (mlp). The best class of a
 * page is the one with the largest; for flattened Naive Bayes it can differ from the one with the largest p. */
void model_decision(const struct model *model, const struct text_vector *tf, double *scores);
uint32_t model_best(const double *scores, uint32_t nclasses); /* the first of the largest */

/* ---- many texts that overlap, such as the words around the links of a page ----
 *
 * With two classes (but for a neural network) the log odds of a text are a function of sums over its words: those of a
 * range of words are the difference of two sums from the beginning of a page. A word that stands in a text twice counts
 * twice, where model_predict() counts 1 + ln 2: near to it, and not equal. */
struct model_sums {
    double gain, square, words;
};
bool model_has_sums(const struct model *model);
/* Adds a word to the sums; one that the model does not know adds nothing. */
void model_add_word(const struct model *model, uint64_t stem, struct model_sums *sums);
/* ln(p / (1 - p)) of the second class. */
double model_sums_odds(const struct model *model, const struct model_sums *sums);

/* A node of the taxonomy is as probable as the classes together that are `category` or lie below it: members[nclasses]
 * says which ones those are; returns their number (0: the model does not know `category`). */
uint32_t model_class_members(const struct model *model, struct str category, bool *members);

/* A word and what it adds to a class. */
struct model_term {
    uint64_t stem;
    struct str text; /* the model's; empty when the training set had no dictionary */
    double weight;
};
/* The stems that speak most for `class`, best first; returns how many were written (at most `room`). The weight is
 * the coefficient times ln(D/df) (linear), the log of the ratio to the mean of the other classes (bayes), the sum over
 * the paths through the hidden layer (mlp). One pass over the model. */
size_t model_telling(const struct model *model, uint32_t class, struct model_term *out, size_t room);
/* The stems of this page that moved its score for `class` most, in either direction, largest first. */
size_t model_explain(const struct model *model, const struct text_vector *tf, uint32_t class, struct model_term *out,
                     size_t room);

/* A model is bytes with a version and a checksum (docs/internals/formats.md). What is damaged, cut, foreign or newer is
 * refused: SCENT_E_FORMAT or SCENT_E_VERSION, and `err` says what and what to do; `name` is the file's.
 * (training/trained.h keeps it with what it was trained with.) */
SCENT_NODISCARD scent_status model_write(const struct model *model, struct buf *out);
SCENT_NODISCARD scent_status model_read(struct str bytes, const char *name, struct model **out, struct errmsg *err);

#endif
