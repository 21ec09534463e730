/* catalogue - the pages of a collection as a list: what is in it, by title, address, host, date and score.
 *
 * Crawl directories tell of their pages by themselves (crawl.db): titles, scores, and the page that led to each. Of
 * other archives every record is read for its title, a thousand or more a second; a thread of the catalogue's does
 * that, and the list is complete once catalogue_is_ready(). Then it is immutable: any thread.
 * Memory: about 60 bytes a page, its title twice, and a number for each URL. */
#ifndef SCENT_SERVE_CATALOGUE_H
#define SCENT_SERVE_CATALOGUE_H

#include "base/log.h"
#include "warc/archive.h"

struct catalogue;
/* `path` is what `archive` was opened from; the archive outlives the catalogue. */
struct catalogue *catalogue_start(const struct archive *archive, const char *path, const struct log *log);
void catalogue_stop(struct catalogue *catalogue); /* NULL is fine */
/* *done of *total records have been looked at. */
bool catalogue_is_ready(const struct catalogue *catalogue, size_t *done, size_t *total);

/* ---- once it is ready ---- */

struct catalogue_page {
    struct str url, title, host; /* the title may be empty */
    uint64_t date;               /* 17 digits */
    size_t collection;
    bool judged;                 /* the rest is known: the page is of a crawl */
    bool relevant, is_seed;
    double score, priority;      /* of relevance; with which it was chosen */
    uint16_t depth;
    struct str parent;           /* the URL of the page on which it was found; empty: none that the archive has */
};
struct catalogue_page catalogue_page(const struct catalogue *catalogue, size_t number);
bool catalogue_find_url(const struct catalogue *catalogue, struct str url, size_t *number);

enum catalogue_order { CATALOGUE_BY_SCORE, CATALOGUE_BY_DATE, CATALOGUE_BY_URL, CATALOGUE_ORDERS };
struct catalogue_query {
    struct str words;  /* each must stand in the title or in the URL; case is ignored */
    struct str host;   /* empty: any */
    size_t collection; /* SIZE_MAX: any */
    bool relevant;     /* only these */
    enum catalogue_order order;
    size_t first;      /* of the pages found */
};
/* The numbers of at most `max` pages from the first on; *total counts all that were found. Looks at every page, for
 * half a microsecond each. */
size_t catalogue_find(const struct catalogue *catalogue, const struct catalogue_query *query, size_t *numbers,
                      size_t max, size_t *total);

/* Most pages first. */
struct catalogue_host {
    struct str name;
    size_t pages, relevant;
};
size_t catalogue_find_hosts(const struct catalogue *catalogue, struct str words, size_t first,
                            struct catalogue_host *hosts, size_t max, size_t *total);

struct catalogue_counts {
    size_t pages, relevant, judged, hosts, collections;
    uint64_t oldest, newest; /* dates */
};
struct catalogue_counts catalogue_counts(const struct catalogue *catalogue);
struct catalogue_collection {
    const char *name, *dir; /* the folder's own name; its path */
    size_t pages, relevant;
};
struct catalogue_collection catalogue_collection(const struct catalogue *catalogue, size_t i);

#endif
