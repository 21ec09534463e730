/* What the reader (survey.c) and the answers (survey_answers.c) share: the tables. */
#ifndef SCENT_SERVE_SURVEY_PARTS_H
#define SCENT_SERVE_SURVEY_PARTS_H

#include "base/map.h"
#include "base/rng.h"
#include "serve/survey.h"

#include <pthread.h>
#include <time.h>

enum { SURVEY_SAMPLE = 4096 };

enum page_flag { PAGE_SHOWN = 1, PAGE_RELEVANT = 2, PAGE_ARCHIVED = 4, PAGE_COUNTED = 8 };

struct survey_entry {
    uint32_t number, url, host, seconds;
    float score;
    uint8_t lang, flags;
};

struct survey_totals_of_host {
    uint32_t name, name_len; /* in `names`; no name: no page */
    uint32_t pages, relevant;
};

/* Names with a count each. */
struct survey_tally {
    struct map map;
    struct survey_count *items; /* their names are offsets into `names`, as pointers do not last */
    size_t *places;
    size_t count, room, places_room, max;
    struct buf names;
};

struct survey_pages {
    struct survey_entry *entries; /* by number */
    size_t count, room;
    struct survey_totals_of_host *hosts; /* by id */
    size_t nhosts, hosts_room;
    struct buf names;
    struct survey_tally langs;
    struct map by_text; /* ids of URLs that have a page */
    struct map by_url;  /* places in `entries` by the id of the URL */
    uint64_t relevant, counted;
    bool ready;
};

struct survey_urls {
    uint32_t *hosts; /* by id */
    size_t count, room;
    struct map by_text;
    uint64_t states[STORE_URL_STATES], sampled; /* queued URLs that could have come into the sample */
    float sample[SURVEY_SAMPLE];
    struct survey_tally errors;
    bool ready;
};

struct survey_pair {
    uint32_t from, to;
    uint64_t links;
};

struct survey_links {
    struct survey_pair *edges;
    size_t count, room;
    struct map map;
    uint64_t next; /* row */
    bool ready;
};

struct survey {
    char *dir;
    const struct log *log;
    pthread_t thread;
    pthread_mutex_t wake_lock;
    pthread_cond_t wake;
    bool closed, running, again; /* under wake_lock */
    unsigned wanted;
    pthread_rwlock_t lock; /* of all below; only the thread writes */
    struct survey_pages pages, fresh_pages; /* fresh: while everything is read again */
    struct survey_urls urls, fresh_urls;
    struct survey_links links;
    bool begun, pages_stale, urls_stale;
    char problem[256];
    /* The thread's own: */
    struct store *store;
    struct timespec changed;
    int64_t read_at;
    struct rng rng;
};

/* The entry of a page; NULL: there is none. */
const struct survey_entry *survey_entry(const struct survey_pages *pages, uint64_t number);

#endif
