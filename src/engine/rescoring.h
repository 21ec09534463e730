/* rescoring - queued links are scored again after people have marked pages.
 *
 * A mark trains judge and guide (retraining.h). The strategy gets both, and a pass goes over the pages of the crawl:
 * each is read back and judged by a thread of its own, and its links that are queued are scored in the engine as if the
 * page came now. The first score of a link in a pass replaces what it had, later ones are merged with that; so a
 * priority may fall, too. Rows with the new priorities and their parts go to the writer, so that the store, the queue
 * and `scent why` agree.
 *
 * Bounded: the RESCORING_PAGES newest pages, one under way at a time, and the thread rests three times as long as it
 * works. Links that only older pages have keep their priorities. A model that is adopted during a pass begins it anew.
 * A crawl that ends in between has the value "rescoring" in its store, and the next run begins the pass again: it comes
 * to the same priorities, however often it is begun.
 * Memory: a bit a known URL during a pass. Thread: the engine's. */
#ifndef SCENT_ENGINE_RESCORING_H
#define SCENT_ENGINE_RESCORING_H

#include "engine/job.h"

enum { RESCORING_PAGES = 10000 };

struct crawl;
struct rescoring;

/* People have taught the models of the crawl's knowledge: the strategy adopts them, and a pass begins where it can. */
SCENT_NODISCARD scent_status rescoring_begin(struct crawl *crawl, struct rows *rows);
/* After a restart: a pass that had begun begins again. */
SCENT_NODISCARD scent_status rescoring_restore(struct crawl *crawl, struct errmsg *err);
/* Asks for the next page where one is wanted. Cheap: to be called again and again. */
void rescoring_want(struct crawl *crawl);
/* The page that was asked for has come: a job of the kind JOB_REREAD. Takes the job. */
SCENT_NODISCARD scent_status rescoring_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* Ends the thread. A pass that is under way waits for the next run. */
void rescoring_stop(struct crawl *crawl);
void rescoring_free(struct rescoring *rescoring); /* NULL is fine */

#endif
