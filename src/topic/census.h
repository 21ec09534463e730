/* census - what the pages at large are like: how many, how long, and in how many each term of a query stands.
 *
 * Counts come from a background sample (the negative examples; a file that `scent train` writes) and from the pages of
 * the crawl. Bounded: 8 bytes a term of the query. One thread counts; judges and strategies use the snapshots that
 * census_stats() makes, which never change. */
#ifndef SCENT_TOPIC_CENSUS_H
#define SCENT_TOPIC_CENSUS_H

#include "topic/query.h"

struct census {
    const struct query *query; /* outlives it */
    uint64_t documents;
    uint64_t words; /* in all of them, stop words included */
    uint64_t *df;   /* by term */
    size_t nterms;
};

void census_init(struct census *census, const struct query *query);
void census_release(struct census *census);
/* The same on the heap. */
struct census *census_new(const struct query *query); /* never NULL */
void census_free(struct census *census);              /* NULL is fine */
void census_add(struct census *census, const struct page *page);

/* Is it time for a new snapshot, when the last one was made of `before` documents? At 16, 32, … of them, and from 1,000
 * on after each 1,000 (Pirkola): the first pages teach most. */
bool census_is_due(const struct census *census, uint64_t before);
/* Of both together, each of which may be NULL; `query` is theirs. One block of memory: free() it. Never NULL. */
struct query_stats *census_stats(const struct query *query, const struct census *census, const struct census *sample);

/* The counts as text, with a checksum. Reading adds them to what is counted already.
 * SCENT_E_FORMAT: damaged; SCENT_E_VERSION: of a newer version; SCENT_E_INVALID: counted for another query. Nothing is
 * added then, and `err` says which file (`name`) and what to do. */
SCENT_NODISCARD scent_status census_write(const struct census *census, struct buf *out);
SCENT_NODISCARD scent_status census_read(struct census *census, struct str bytes, const char *name,
                                             struct errmsg *err);

#endif
