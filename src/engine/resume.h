/* resume - the hot state of a crawl, rebuilt from what the store and the WARC files hold. */
#ifndef SCENT_ENGINE_RESUME_H
#define SCENT_ENGINE_RESUME_H

#include "base/status.h"

struct crawl;

/* Key and seed: as they were, or drawn for a new crawl. */
SCENT_NODISCARD scent_status resume_values(struct crawl *crawl, struct errmsg *err);
/* Hosts, URLs, the bytes and words of pages, and counters as they were. */
SCENT_NODISCARD scent_status resume_rows(struct crawl *crawl, struct errmsg *err);
/* What the seeds' pages and the strategy's checkpoint taught, and the pages after the checkpoint. */
SCENT_NODISCARD scent_status resume_learning(struct crawl *crawl, struct errmsg *err);

#endif
