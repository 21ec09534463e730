/* seed_search - asks a search engine for seeds: a SearXNG (or what speaks its JSON), or a program of the user's.
 *
 * One question at a time, a second apart; an answer has at most 4 MiB and a program a minute. No redirect is followed,
 * and the program is started without a shell: the query is its one argument. The results go into the pool. */
#ifndef SCENT_APP_SEED_SEARCH_H
#define SCENT_APP_SEED_SEARCH_H

#include "app/seed_pool.h"

struct seed_search {
    const char *engine;        /* "http://127.0.0.1:8888/"; NULL: … */
    const char *command;       /* … the program */
    uint64_t pages;            /* of results, of a query */
    const char *ca_file, *dns; /* as in struct fetch_options */
};
/* SCENT_E_IO, SCENT_E_INVALID, SCENT_E_LIMIT: there is no answer, or it is none. */
SCENT_NODISCARD scent_status seed_search(const struct seed_search *search, const struct str *queries, size_t count,
                                         struct seed_pool *pool, struct errmsg *err);

#endif
