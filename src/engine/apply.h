/* apply - steps 6 and 7 of the way of a page: what a finished visit does to the crawl.
 *
 * It is counted, the judge and the strategy learn from it, its links are queued, and its job goes to the writer. What
 * it tells about its host is access.h's, what a page that was known does is recrawl.h's. */
#ifndef SCENT_ENGINE_APPLY_H
#define SCENT_ENGINE_APPLY_H

#include "engine/job.h"

struct crawl;

/* Anything that came to the inbox. Takes the job. */
SCENT_NODISCARD scent_status apply_result(struct crawl *crawl, struct job *job, struct errmsg *err);
/* Attaches what was learned to a job where that is due (or `now`). */
SCENT_NODISCARD scent_status apply_checkpoint(struct crawl *crawl, struct job *job, bool now, struct errmsg *err);

#endif
