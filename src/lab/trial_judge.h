/* trial_judge - what a strategy is told about the pages that it fetches, in one trial: the verdicts of a judge whose
 * model was trained on the seeds and negatives alone (or on the words around links to them), or the labels themselves.
 *
 * A page is judged once and the verdict kept, so that all strategies of a trial share the cost. One thread. */
#ifndef SCENT_LAB_TRIAL_JUDGE_H
#define SCENT_LAB_TRIAL_JUDGE_H

#include "lab/collection.h"
#include "lab/trial.h"
#include "lab/trial_model.h"
#include "topic/judge.h"

/* What all judges of an experiment share; it outlives them. */
struct trial_judge_basis {
    const struct experiment *experiment;
    const struct collection *collection;
    const struct page_graph *backlinks;       /* NULL: no model or strategy learns from them */
    const struct category_models *categories; /* NULL: the same */
    struct external *external; /* NULL: no program judges */
    const double *scores;      /* that it gave, by page; NAN: none */
};

struct trial_judge;
SCENT_NODISCARD scent_status trial_judge_new(const struct trial_judge_basis *basis, const struct trial *trial,
                                             const struct experiment_model *model, struct trial_judge **out,
                                             struct errmsg *err);
void trial_judge_free(struct trial_judge *judge); /* NULL is fine */
/* Is it of this trial and with this model? */
bool trial_judge_fits(const struct trial_judge *judge, const struct trial *trial, const struct experiment_model *model);
/* What the next strategy is opened with: the trial's topic with its name and options, and what was learned with
 * `trace`, which may be NULL and stays the caller's. Both hold until the next call. A strategy that learns from a link
 * graph before the crawl learns from the collection, with the seeds as examples. SCENT_E_INVALID: it cannot. */
SCENT_NODISCARD scent_status trial_judge_prepare(struct trial_judge *judge, const struct experiment_strategy *strategy,
                                                 const struct trace *trace, struct errmsg *err);
const struct topic *trial_judge_topic(const struct trial_judge *judge);
const struct knowledge *trial_judge_knowledge(const struct trial_judge *judge);
/* For struct replay_options; `ctx` is the judge. */
const struct judgement *trial_judge_page(void *ctx, uint32_t number, const struct page *page, bool seed);

#endif
