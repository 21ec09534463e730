/* trained - the models of a topic: what they learn from which examples, and their file.
 *
 * Two, because pages and link contexts differ (docs/decisions/0012-models.md): the judge of pages gains by weak
 * examples and by weights (lsc) that keep words of all examples; a model that is asked about forty words around a link
 * loses by both. Where there is neither, one model is both. Owner: the caller. Thread: any number of them may read. */
#ifndef SCENT_TRAINING_TRAINED_H
#define SCENT_TRAINING_TRAINED_H

#include "base/arena.h"
#include "learn/evaluate.h"

struct trained {
    struct model *judge; /* of pages */
    struct model *guide; /* of link contexts; NULL: the judge is both */
    struct trained_examples *examples; /* NULL: they are not kept */
    double auc; /* of the judge, on held-out pages; 0: it was not measured */
};

/* What the judge learned from: kept with it where a crawl may train it again with pages of its own. */
struct trained_examples {
    struct learn_set set;   /* without the texts of stems */
    struct learn_set whole; /* the same pages with all their words, general ones left out (general_pages.h) */
    struct arena arena;
};
/* Copies; `whole` may be `set`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status trained_keep(struct trained *trained, const struct learn_set *set,
                                          const struct learn_set *whole);
void trained_examples_free(struct trained_examples *examples); /* NULL is fine */
/* A copy of a vector in `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status trained_copy(const struct text_vector *tf, struct arena *arena, struct text_vector *out);
void trained_release(struct trained *trained); /* a zeroed one is fine */

/* The examples of a set that somebody has looked at. Where these have one class alone the first weak ones become
 * ordinary examples of the other, `ratio` to one. A view of `set`. */
struct learn_set trained_labelled(const struct learn_set *set, double ratio);
/* Those that a judge with these options learns from: weak ones only where they have a weight. */
struct learn_set trained_by_judge(const struct learn_set *set, const struct model_options *options, double ratio);
/* Fails as model_train() does; nothing is to be released then. */
SCENT_NODISCARD scent_status trained_learn(const struct learn_set *set, const struct model_options *options,
                                           double ratio, struct trained *out, struct errmsg *err);

/* Measures the judge: fills *result, which the caller releases, and trained->auc. Fails as evaluate_model() does. */
enum { TRAINED_FOLDS = 10 };
SCENT_NODISCARD scent_status trained_measure(const struct learn_set *set, const struct model_options *options,
                                             double ratio, struct trained *trained, struct evaluate_result *result,
                                             struct errmsg *err);

/* As bytes (docs/internals/formats.md), and back; `name` is for messages. */
SCENT_NODISCARD scent_status trained_write(const struct trained *trained, struct buf *out);
SCENT_NODISCARD scent_status trained_read(struct str bytes, const char *name, struct trained *out, struct errmsg *err);

/* ---- NAME.model beside the topic, learned/model in a crawl ----
 *
 * One line, "scent-trained 4 FINGERPRINT", that says what they were trained with, then the bytes. */

/* Atomic: after a crash the old file or the new one is there. */
SCENT_NODISCARD scent_status trained_save(const struct trained *trained, uint64_t fingerprint, const char *path,
                                          struct errmsg *err);
/* SCENT_E_NOTFOUND; SCENT_E_FORMAT and SCENT_E_VERSION: damaged, foreign or of another version, `err` says what to
 * do. */
SCENT_NODISCARD scent_status trained_load(const char *path, struct trained *out, uint64_t *fingerprint,
                                          struct errmsg *err);

#endif
