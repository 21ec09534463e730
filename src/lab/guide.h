/* guide - what a strategy is told about the pages that it fetches, in one trial: the verdicts of a judge whose model was
 * trained on the seeds and negatives alone (or on the words around links to them), or the labels themselves.
 *
 * A page is judged once and the verdict kept, so that all strategies of a trial share the cost. One thread. */
#ifndef SCENT_LAB_GUIDE_H
#define SCENT_LAB_GUIDE_H

#include "lab/backlinks.h"
#include "lab/trial.h"
#include "topic/judge.h"

struct guide;
/* `backlinks` may be NULL where the model does not learn from them. */
SCENT_NODISCARD scent_status guide_new(const struct experiment *experiment, const struct collection *collection,
                                       const struct backlinks *backlinks, const struct trial *trial,
                                       const struct experiment_model *model, struct guide **out, struct errmsg *err);
void guide_free(struct guide *guide); /* NULL is fine */
/* The topic that a strategy is opened with: this one, until the next call. `trace` may be NULL; it stays the caller's. */
const struct topic *guide_topic(struct guide *guide, const struct experiment_strategy *strategy,
                                const struct trace *trace);
/* Whose topic it knows. */
const struct trial *guide_trial(const struct guide *guide);
/* Is its model this one? */
bool guide_fits(const struct guide *guide, const struct experiment_model *model);
/* For struct replay_options; `ctx` is the guide. */
const struct judgement *guide_judge(void *ctx, uint32_t number, const struct page *page, bool seed);

#endif
