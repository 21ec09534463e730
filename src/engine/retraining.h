/* retraining - the judge of a topic with examples is trained again with pages of the crawl.
 *
 * Pages that nobody has looked at are weak negatives (learn/model.h): they tell what the web around the topic is like
 * better than what the crawl began with. A sample of at most 300 pages, those whose URLs have the smallest hashes, is
 * kept in memory (some 3 MB) and in the store (values "weak N"), so that it is the same after a restart. Many pages of
 * a good crawl are relevant: a first model, of all of them, tells which ones are like positive examples that it has not
 * seen, and these are left out (spies: Liu, Lee, Yu and Li 2002).
 *
 * With 100, 200, 400, … pages two models are compared by cross-validation: that of the examples with what the judge has
 * learned from so far, and that with the sample; marked pages (crawldir/marks.h) are examples, too. The new one judges
 * from then on if it orders the pages that were held out better and divides them as well; it is kept as the value
 * "retrained", in the transaction of the page that it was trained at.
 * Marks also teach the guide, the model of link contexts (topic/knowledge.h): with it queued links are scored again
 * (rescoring.h).
 * Training takes a second or two in a thread of its own. With a `window` the engine waits for it, so that a run can be
 * repeated. Thread: the engine's. */
#ifndef SCENT_ENGINE_RETRAINING_H
#define SCENT_ENGINE_RETRAINING_H

#include "engine/judging.h"
#include "training/trained.h"

#define RETRAINING_VALUE "retrained"
enum { RETRAINING_FIRST = 100, RETRAINING_SAMPLE = 300, RETRAINING_FEWEST = 50 };

struct retraining;
/* NULL: the topic's judge is not trained again. `dir` and what `knowledge` points at outlive it. */
struct retraining *retraining_new(const struct topic *topic, const struct knowledge *knowledge, const char *dir,
                                  uint64_t seed, const struct log *log);
/* Waits for a training that is under way. Judges that use its models must be gone. NULL is fine. */
void retraining_free(struct retraining *retraining);

/* The sample and the judge as they were; *changed: `knowledge` has another model now. */
SCENT_NODISCARD scent_status retraining_restore(struct retraining *retraining, struct store *store,
                                                struct knowledge *knowledge, bool *changed, struct errmsg *err);
/* What a crawl has trained, for whoever reads its directory: judge and examples. *marks: the sum of those that it
 * learned from. SCENT_E_NOTFOUND: nothing, or from other examples than `whole`, those of the topic. */
SCENT_NODISCARD scent_status retraining_load(struct store *store, const struct learn_set *whole, struct trained *out,
                                             uint64_t *marks, struct errmsg *err);
/* A mark has changed: it is trained as soon as no other training is under way, whatever the number of pages; of very
 * many marks not after each. */
void retraining_note_marks(struct retraining *retraining);
/* Is there something for retraining_step() to do though no page was counted? */
bool retraining_is_due(const struct retraining *retraining);
/* A page of the crawl that is not a seed and may be archived. */
SCENT_NODISCARD scent_status retraining_see(struct retraining *retraining, const struct page *page, struct rows *rows);
/* After a page was counted: trains where that is due, with so many pages. At the end, with 0 pages: waits for what is
 * under way, a second or two. *adopted: `knowledge` has a new model, whose rows are added. */
SCENT_NODISCARD scent_status retraining_step(struct retraining *retraining, uint64_t pages, struct knowledge *knowledge,
                                             struct rows *rows, bool *adopted);

#endif
