/* seed_sources - finds addresses in what a user has: a browser's bookmarks and history, lists, pages, earlier crawls,
 * archives and their indexes.
 *
 * All of it comes from outside: it is capped, and nothing is followed or fetched. Addresses go into the pool; lines of
 * lists that are not addresses are names, which a search engine may be asked for. One thread. */
#ifndef SCENT_APP_SEED_SOURCES_H
#define SCENT_APP_SEED_SOURCES_H

#include "app/seed_pool.h"

enum { SEED_NAMES_MAX = 1000 };
struct seed_names {
    struct str items[SEED_NAMES_MAX]; /* terminated */
    size_t count;
    uint64_t seen; /* with those that had no room */
};

struct seed_sources;
struct seed_sources *seed_sources_new(struct seed_pool *pool); /* never NULL; the pool outlives it */
void seed_sources_free(struct seed_sources *sources);

/* `path` is "-" for standard input. SCENT_E_INVALID, SCENT_E_NOTFOUND, SCENT_E_IO, SCENT_E_LIMIT: the message says why;
 * what was found before is in the pool. */
SCENT_NODISCARD scent_status seed_sources_read(struct seed_sources *sources, const char *path, struct errmsg *err);
/* Valid as long as `sources`. */
const struct seed_names *seed_sources_names(const struct seed_sources *sources);

#endif
