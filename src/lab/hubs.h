/* hubs - pages that link to several seeds: a crawl that starts there too finds more of the topic (Pant and Srinivasan,
 * 10.4, and their earlier work). Models do not learn from them. */
#ifndef SCENT_LAB_HUBS_H
#define SCENT_LAB_HUBS_H

#include "lab/backlinks.h"
#include "lab/trial.h"

/* At most `count` pages that link to two seeds or more, those to most seeds first, join the trial's starts; they are no
 * targets from then on. */
SCENT_NODISCARD scent_status hubs_join(struct trial *trial, const struct backlinks *backlinks, uint32_t npages,
                                       size_t count, struct errmsg *err);

#endif
