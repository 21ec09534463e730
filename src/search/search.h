/* search - full-text search in one crawl directory, in several, or in all that a folder holds.
 *
 *   search_open(); search_update() until nothing is left; search_query() as often as wanted; search_close().
 *
 * The index (search.db in each crawl directory, store/fulltext.h) is brought up to date by whoever searches, never by
 * the crawl: no commit of a crawl waits for it. It follows the page rows by their number in bounded batches, each of
 * which is one transaction: a kill loses at most a batch. An index that was removed, is damaged, of another version or
 * of another crawl is made again, and the log says so. Where the directory cannot be written to, an index that is
 * there is used as it is, and otherwise a temporary one is made. Whatever a hit shows comes from crawl.db and the WARC
 * files as they are now: pages that were replaced, purged or judged again show as such at once.
 *
 * Thread: a handle belongs to one thread at a time. A server has one for the thread that updates, and others for
 * queries: they do not wait for each other, and a query sees what was committed. */
#ifndef SCENT_SEARCH_SEARCH_H
#define SCENT_SEARCH_SEARCH_H

#include "base/arena.h"
#include "base/log.h"
#include "search/excerpt.h"

struct search;
/* `log` outlives it. SCENT_E_NOTFOUND: neither a crawl directory nor a folder with some. */
SCENT_NODISCARD scent_status search_open(const char *path, const struct log *log, struct search **out,
                                         struct errmsg *err);
/* The same of several, which are one collection: a page that two of them have is one hit (crawldir/several.h). */
SCENT_NODISCARD scent_status search_open_all(const char *const *paths, size_t count, const struct log *log,
                                             struct search **out, struct errmsg *err);
void search_close(struct search *search); /* NULL is fine */
/* The crawl directories. */
size_t search_count(const struct search *search);
const char *search_dir(const struct search *search, size_t collection);

struct search_progress {
    uint64_t pages;   /* in the indexes now */
    uint64_t added;   /* by this call */
    bool up_to_date;  /* nothing was left to add */
};
/* Adds at most `most` page rows. 1 to 2 ms a page. SCENT_E_LOCKED: another process adds; try again. */
SCENT_NODISCARD scent_status search_update(struct search *search, uint64_t most, struct search_progress *out,
                                           struct errmsg *err);

struct search_query {
    struct str text;      /* the language of queries: request.h. Any bytes */
    size_t first, count;  /* hits first … first + count - 1; those behind RANKING_KEPT are not found */
    int64_t limit_us;     /* of time; 0: none. What was found until then is the answer */
    bool no_excerpts;
};

struct search_hit {
    size_t collection;
    uint64_t page;        /* number of its row */
    struct str url, title, lang;
    int64_t wall;         /* when it was fetched */
    bool relevant;
    double relevance;     /* its score by the judge */
    double score;         /* how well it fits the query; above 0 */
    struct excerpt excerpt;
};

struct search_results {
    struct search_hit *hits;
    size_t count;
    bool more;            /* there are hits behind these */
    uint64_t matches;     /* pages with the words, before host:, lang: and relevant:; an estimate where they are many */
    bool any;             /* no page has all of the words: the hits have some of them */
    bool cut;             /* the time was over: there may be better hits */
    bool empty;           /* the query has no word */
    bool again;           /* an index was lost or damaged and is new: update it, then ask again */
    struct arena arena;   /* of all texts */
};
/* search_results_release() is due either way. */
SCENT_NODISCARD scent_status search_query(struct search *search, const struct search_query *query,
                                          struct search_results *out, struct errmsg *err);
void search_results_release(struct search_results *results);

#endif
