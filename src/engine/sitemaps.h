/* sitemaps - what a host lists of itself.
 *
 * Sitemaps come into a crawl through the robots.txt of a host, and are fetched like any URL of theirs. They have the
 * lowest priority, and so have the URLs they list: no link waits for them. See docs/decisions/0010-sitemaps.md. */
#ifndef SCENT_ENGINE_SITEMAPS_H
#define SCENT_ENGINE_SITEMAPS_H

#include "engine/job.h"
#include "engine/politeness.h"

struct crawl;

/* Of one file. The format allows 50,000; the engine takes them all at once, and nothing else meanwhile. */
enum { SITEMAPS_URLS = 10000 };

/* In an analyst: fills job->listed, parsed and normalised with `flags` (enum url_normal_flags). False where it is not a
 * sitemap: job->error says why. Any thread. */
bool sitemaps_read(struct job *job, struct str body, unsigned flags);

/* Queues those that the robots.txt of `origin` names, which this job has brought, where the topic wants them. */
SCENT_NODISCARD scent_status sitemaps_ask(struct crawl *crawl, struct job *job, struct politeness_origin origin);
/* Queues what it lists. */
SCENT_NODISCARD scent_status sitemaps_apply(struct crawl *crawl, struct job *job, struct errmsg *err);

#endif
