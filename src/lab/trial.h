/* trial - one topic with one set of seeds: what every strategy is given, and what only the evaluation sees.
 *
 * The protocol of Pant and Srinivasan: seeds are drawn from the pages of the topic, the rest of them are targets; the
 * crawling models learn from the seeds and from negatives (pages of other topics), from nothing else. Drawn from the
 * experiment's seed, the topic's name and the numbers of repeat and draw, so that topics do not depend on each other.
 * Immutable after making; any thread. */
#ifndef SCENT_LAB_TRIAL_H
#define SCENT_LAB_TRIAL_H

#include "lab/collection.h"
#include "lab/experiment.h"
#include "lab/labels.h"

struct query_counts;
struct query;

struct trial {
    struct arena arena;
    struct str name, category;
    const struct str *also; /* further categories of the topic */
    size_t nalso;
    struct str keyword; /* empty: none */
    struct str query;  /* empty: none */
    struct str predicate; /* of the judge; empty: by what the topic has */
    struct query *parsed;  /* the same; NULL: none */
    struct query_counts *term_counts; /* how often its terms stand in the collection; NULL: none */
    uint32_t repeat, draw;
    uint32_t *seeds, *negatives; /* pages */
    size_t nseeds, nnegatives;
    uint32_t *positives; /* that models learn from: the seeds, and with `training` further pages of the topic */
    size_t npositives;
    bool negatives_named; /* by the topic, and not drawn */
    uint32_t *starts; /* where crawls begin: the seeds, and what joined them */
    size_t nstarts;
    bool *relevant; /* by label (and keyword), by the query or by the browsing model, of every page */
    bool *target;   /* of the topic, no start, no training page, and not visited before */
    size_t nrelevant, ntargets;
    struct trial_session *session; /* what somebody visited before, and the model of it; NULL: nobody did */
    struct browse **browsing; /* the first is of the text alone, and decides what is relevant by browsing; then one for
                                 each set of features that strategies ask for */
    size_t nbrowsing;
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

/* At most `count` pages that link to two seeds or more, those to most seeds first, join the trial's starts (Pant and
 * Srinivasan, 10.4); they are no targets from then on. Models do not learn from them. */
struct page_graph;
SCENT_NODISCARD scent_status trial_add_hubs(struct trial *trial, const struct page_graph *backlinks, size_t count,
                                            struct errmsg *err);

/* With `training`: negatives anew, a share of them positives of the `others` (trials of the other topics), the rest
 * pages at random; none is relevant. Not where the topic names its negatives. SCENT_E_INVALID: the others have too
 * few. */
SCENT_NODISCARD scent_status trial_draw_negatives(struct trial *trial, const struct experiment *experiment,
                                                  size_t npages, struct trial *const *others, size_t nothers,
                                                  struct errmsg *err);


/* The keyword of a topic that is a category together with a word (Aggarwal's predicates). SCENT_E_INVALID: it has no
 * word, or a quote. */
SCENT_NODISCARD scent_status trial_keyword_check(struct str keyword);
/* Of the pages that are marked in `marks`, those stay that contain the word, or the words in a row, compared by stem as
 * in the predicate language; returns how many. It was checked. */
size_t trial_keyword_keep(const struct collection *collection, struct str keyword, bool *marks);
/* The same as a test of that language. */
void trial_keyword_write(struct str keyword, struct buf *out);

/* Counts the terms of a query in all pages of a collection and fills beliefs[collection_count()]: how much the query
 * believes in each of them, by this one index. NULL: they are counted only. SCENT_E_FORMAT: a page is damaged. */
SCENT_NODISCARD scent_status trial_believe(const struct collection *collection, const struct query *query,
                                           struct query_counts *counts, double *beliefs, struct errmsg *err);

/* Marks the pages that negatives are drawn from: of other categories; all that are not relevant where there are no
 * labels. */
void trial_others(const struct trial *trial, const struct labels *labels, size_t npages, bool *others);
/* `count` of the pages that are marked in `from`, without order and repetition; returns how many there were to draw
 * from, if fewer. */
struct rng;
size_t trial_draw(const bool *from, size_t npages, size_t count, struct rng *rng, uint32_t *out);

/* The core of a topic: the largest set of its pages that all lead to each other by links between pages of the topic (a
 * strongly connected component). Pages that are reached only through pages of other topics, behind a tunnel, lie
 * outside: an experiment that draws its seeds from the core looks for them. `topic` marks its pages among all; fills
 * `core` likewise. *count: how many pages it has. */
SCENT_NODISCARD scent_status trial_mark_core(const struct collection *collection, const bool *topic, bool *core,
                                             size_t *count);

#endif
