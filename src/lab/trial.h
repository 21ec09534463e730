/* trial - one topic with one set of seeds: what every strategy is given, and what only the evaluation sees.
 *
 * The protocol of Pant and Srinivasan: seeds are drawn from the pages of the topic, the rest of them are targets; the
 * crawling models learn from the seeds and from negatives (pages of other topics), from nothing else. Drawn from the
 * experiment's seed, the topic's name and the numbers of repeat and draw, so that topics do not depend on each other.
 * Immutable after making; any thread. */
#ifndef SCENT_LAB_TRIAL_H
#define SCENT_LAB_TRIAL_H

#include "lab/experiment.h"
#include "lab/labels.h"

struct trial {
    struct arena arena;
    const struct school *school; /* what the labels taught; NULL: nothing */
    struct str name, category;
    const struct str *also; /* further categories of the topic */
    size_t nalso;
    struct str keyword; /* empty: none */
    struct str query;  /* empty: none */
    struct buf census; /* how often its terms stand in the collection, as census_write() puts it */
    uint32_t repeat, draw;
    uint32_t *seeds, *negatives; /* pages */
    size_t nseeds, nnegatives;
    uint32_t *starts; /* where crawls begin: the seeds, and what joined them */
    size_t nstarts;
    bool *relevant; /* by label (and keyword), by the query or by the browsing model, of every page */
    bool *target;   /* of the topic, no start, not taught, and not visited before */
    size_t nrelevant, ntargets;
    struct session *session; /* what somebody visited before, and the model of it; NULL: nobody did */
    struct browse *browse;
};

/* The draw of crawls before the crawl. */
#define TRIAL_EARLIER UINT32_MAX

/* The topics of an experiment: those that it names, or those that its rule finds. In `arena`. */
SCENT_NODISCARD scent_status trial_topics(const struct experiment *experiment, const struct collection *collection,
                                          const struct labels *labels, struct arena *arena,
                                          struct experiment_topic **out, size_t *count, struct errmsg *err);

/* `draw` 0 has the topic's own seeds, where the experiment names some; others are drawn, whatever the topic says.
 * SCENT_E_INVALID: the topic has too few pages, or names pages that are not there; `err` says which. */
SCENT_NODISCARD scent_status trial_make(const struct experiment *experiment, const struct collection *collection,
                                        const struct labels *labels, const struct experiment_topic *topic,
                                        uint32_t repeat, uint32_t draw, struct trial **out, struct errmsg *err);
void trial_free(struct trial *trial); /* NULL is fine */

/* A model of the two classes of a topic file, negative (TRIAL_OTHER) and positive (TRIAL_TOPIC), from these pages. */
enum { TRIAL_OTHER, TRIAL_TOPIC };
SCENT_NODISCARD scent_status trial_train(const struct collection *collection, const struct model_options *options,
                                         const uint32_t *positives, size_t npositives, const uint32_t *negatives,
                                         size_t nnegatives, struct model **out, struct errmsg *err);

/* The same from examples of these two classes. */
SCENT_NODISCARD scent_status trial_train_examples(const struct learn_example *examples, size_t count,
                                                  const struct model_options *options, struct model **out,
                                                  struct errmsg *err);

/* The page's raw frequencies, in `arena`. */
SCENT_NODISCARD scent_status trial_page_tf(const struct page *page, struct arena *arena, struct text_vector *out);

/* Marks what negatives are drawn from: pages of other categories; all that are not relevant where there are no labels. */
void trial_others(const struct trial *trial, const struct labels *labels, size_t npages, bool *others);
/* `count` of the pages that are marked in `from`, without order and repetition; returns how many there were to draw
 * from, if fewer. */
struct rng;
size_t trial_draw(const bool *from, size_t npages, size_t count, struct rng *rng, uint32_t *out);

#endif
