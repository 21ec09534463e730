/* survey - a crawl in numbers, for whoever looks at it: pages by host, language, time and verdict, the harvest curve,
 * URLs by state, why some were not fetched, and how hosts link.
 *
 * crawl.db has no index but row ids, so that the crawl writes fast. A thread of the survey's reads its tables in
 * slices, first all and then what is new, and keeps 50 to 70 bytes a page, 24 a host, and, once somebody asks for what
 * needs them, 12 to 28 bytes a URL. Whatever is asked is answered from these by one pass: 15 to 60 ms for 10^6 pages.
 * While a crawl runs, the thread sleeps between slices, so that it uses 2% of a core at most beside new rows.
 * The crawl may not have begun: then the survey is empty until it has. Any thread. */
#ifndef SCENT_SERVE_SURVEY_H
#define SCENT_SERVE_SURVEY_H

#include "base/buf.h"
#include "base/log.h"
#include "store/store.h"

struct survey;
struct survey *survey_start(const char *dir, const struct log *log);
void survey_stop(struct survey *survey); /* NULL is fine */

/* Does a crawl run in the directory now? Slices are small then; when it ends everything is read again, since pages may
 * have been judged again. */
void survey_set_running(struct survey *survey, bool running);
/* What is read only for whoever asks: URLs, and links too. */
enum survey_part { SURVEY_URLS = 1, SURVEY_LINKS = 2 };
void survey_want(struct survey *survey, unsigned parts);

struct survey_totals {
    uint64_t pages, relevant, responses, hosts; /* hosts: that gave a page */
    uint64_t first_wall, last_wall;             /* seconds since 1970; 0: there is no page */
    bool begun;                                 /* there is a crawl.db */
    bool pages_ready, urls_ready, links_ready;  /* all rows have been read once */
    uint64_t urls[STORE_URL_STATES], links;     /* of those that were read */
    char problem[256];                          /* why it cannot be read; empty: it can */
};
struct survey_totals survey_totals(struct survey *survey);

/* ---- pages ---- */

enum survey_verdict { SURVEY_ANY, SURVEY_RELEVANT, SURVEY_OTHER };
struct survey_query {
    struct str host;      /* its whole name; empty: any */
    struct str lang;      /* empty: any */
    enum survey_verdict verdict;
    int64_t from, to;     /* seconds since 1970; 0: any */
    bool best;            /* by score, then by number; else the newest first */
    uint64_t after;       /* the page behind which the list continues; 0: from its beginning */
};
/* Numbers of at most `max` pages of the collection, in order. */
size_t survey_find(struct survey *survey, const struct survey_query *query, uint64_t *numbers, size_t max);

/* The curve has at most `max` points, in the order of pages. */
struct survey_point {
    uint64_t pages, relevant; /* so far */
    int64_t wall;             /* seconds since 1970 */
    double moving;            /* the share that is relevant of the pages of the window that ends here */
};
size_t survey_curve(struct survey *survey, struct survey_point *points, size_t max, uint64_t *window);

struct survey_count {
    struct str name; /* valid until survey_counts_free() */
    uint64_t count;
};
struct survey_counts {
    struct survey_count *items; /* most frequent first */
    size_t count;
    struct buf names;
};
void survey_counts_free(struct survey_counts *counts);
/* Languages of pages; reasons for which URLs were not fetched. */
void survey_languages(struct survey *survey, struct survey_counts *out);
void survey_errors(struct survey *survey, struct survey_counts *out);

/* Queued URLs by priority: `bins` equal parts from *low to *high, from a sample of 4,096. False: none is queued. */
bool survey_priorities(struct survey *survey, uint64_t *bins, size_t count, double *low, double *high);

/* The most informative pages: those nearest to the score that divides relevant pages from the others, spread over hosts
 * (crawldir/informative.h). `skip` says which are not wanted. */
size_t survey_informative(struct survey *survey, bool (*skip)(void *ctx, uint64_t number), void *ctx,
                          uint64_t *numbers, size_t max);

/* ---- URLs ---- */

/* Ids that may be of this URL, by its hash: the caller compares. URLs that have a page are known with their page, the
 * others once the URLs have been read. */
size_t survey_find_url(struct survey *survey, struct str url, uint32_t *ids, size_t max);
/* Number of the page of a URL; 0: it has none. */
uint64_t survey_page_of(struct survey *survey, uint32_t url);

/* ---- hosts ---- */

struct survey_host {
    struct str name;
    uint32_t id;
    uint64_t pages, relevant;
};
struct survey_edge {
    uint32_t from, to; /* places in `hosts` */
    uint64_t links;
};
struct survey_map {
    struct survey_host *hosts; /* most relevant pages first, then most pages */
    size_t nhosts, all_hosts;
    struct survey_edge *edges; /* between these, most links first */
    size_t nedges, all_edges;
    struct buf names;
};
void survey_map(struct survey *survey, size_t hosts, size_t edges, struct survey_map *out);
void survey_map_free(struct survey_map *map);

#endif
