/* outcome - what became of a visit, for the store and for who listens: shared by pages, robots.txt files, sitemaps and
 * pages that are visited again. */
#ifndef SCENT_ENGINE_OUTCOME_H
#define SCENT_ENGINE_OUTCOME_H

#include "engine/job.h"

struct crawl;

/* Counters of a crawl. */
struct outcome_counts {
    uint64_t pages, relevant, failed; /* in all runs */
    uint64_t rows;                    /* page rows in the store */
    uint64_t first_page;              /* pages before this run */
};

/* A page row for this visit. */
void outcome_fill_row(struct crawl *crawl, struct job *job);
/* The new state of its URL row. */
void outcome_note_state(struct job *job, enum store_url_state state, struct str error);
/* To who listens to the crawl. */
void outcome_tell_page(const struct crawl *crawl, const struct job *job);
/* The URL that the page names as its canonical one is queued, like the target of a redirect; but it is no seed: nobody
 * asked for it. */
SCENT_NODISCARD scent_status outcome_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err);

#endif
