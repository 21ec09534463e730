/* counting - what became of URLs, counted as it happens: for people who watch a crawl.
 *
 * The database has the same numbers, but to count its rows takes seconds where there are many. States and reasons are
 * counted where rows go to the writer (counting_rows()), so that no rule of the crawl needs to know of it. After a
 * restart counting_url() is shown every row. At most COUNTING_REASONS reasons are told apart, the rest count together:
 * servers word some of them. Memory: 40 KB. Thread: the engine's. */
#ifndef SCENT_ENGINE_COUNTING_H
#define SCENT_ENGINE_COUNTING_H

#include "base/arena.h"
#include "crawldir/snapshot.h"
#include "engine/rows.h"

enum { COUNTING_REASONS = 200, COUNTING_REASON_BYTES = 160, COUNTING_SECONDS = 10 };

struct counting_reason {
    uint64_t hash, count;
    char text[COUNTING_REASON_BYTES];
};

struct counting {
    uint64_t requisites[STORE_URL_STATES]; /* likewise; their reasons are not counted */
    uint64_t urls[STORE_URL_STATES]; /* ends alone: what is seen or queued the frontier knows */
    struct counting_reason reasons[COUNTING_REASONS];
    size_t nreasons;
    uint64_t links;
    uint64_t robots_refused, back_offs; /* of this run */
    uint32_t judge;      /* the last judge that gave a verdict … */
    uint64_t judged;     /* … and the pages that have one of it */
    bool recent[SNAPSHOT_RECENT]; /* a ring: was the page relevant? */
    uint64_t nrecent, recent_relevant;
    int64_t second;      /* pages of the last seconds, a ring: its newest */
    uint32_t by_second[COUNTING_SECONDS + 1];
};

/* A row of an earlier run. */
void counting_url(struct counting *counting, const struct store_url *row);
/* Rows that go to the store; `again`: of a page that was visited again, which stays what it was. */
void counting_rows(struct counting *counting, const struct rows *rows, bool again);
/* A page that counts, judged by that version. */
void counting_page(struct counting *counting, uint32_t judge, bool relevant);
/* It came now, in this run. */
void counting_speed(struct counting *counting, int64_t now);
double counting_pages_per_s(const struct counting *counting, int64_t now, int64_t since);
/* The most frequent reasons, at most SNAPSHOT_REASONS, in the arena. */
SCENT_NODISCARD scent_status counting_reasons(const struct counting *counting, struct arena *arena,
                                           struct snapshot_reason **out, size_t *count);

#endif
