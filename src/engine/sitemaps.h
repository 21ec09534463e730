/* sitemaps - what a host lists of itself, read by an analyst. What the crawl does with it: crawl.h. */
#ifndef SCENT_ENGINE_SITEMAPS_H
#define SCENT_ENGINE_SITEMAPS_H

#include "engine/job.h"

/* Of one file. The format allows 50,000; the engine takes them all at once, and nothing else meanwhile. */
enum { SITEMAPS_URLS = 10000 };

/* Fills job->listed, parsed and normalised with `flags` (enum url_normal_flags). False where it is no sitemap: job->error
 * says why. Any thread. */
bool sitemaps_read(struct job *job, struct str body, unsigned flags);

#endif
