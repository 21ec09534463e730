/* snapshot - a crawl in numbers, at one moment: what `scent status`, the control socket and the live page show.
 *
 * Of a crawl that runs the engine fills it in, from what it counts anyway; of any other snapshot_load() does, from the
 * database. Both are written by snapshot_write(), so that the same number has the same name everywhere;
 * docs/internals/control.md lists the names. The text for Prometheus is made from that JSON. */
#ifndef SCENT_CRAWLDIR_SNAPSHOT_H
#define SCENT_CRAWLDIR_SNAPSHOT_H

#include "base/arena.h"
#include "json/json.h"
#include "store/store.h"
#include "topic/topic.h"

enum { SNAPSHOT_REASONS = 50, SNAPSHOT_BANDS = 10, SNAPSHOT_RECENT = 1000 };

struct snapshot_reason {
    struct str text;
    uint64_t count;
};

/* Candidates with a priority from `from` up to that of the next band. */
struct snapshot_band {
    double from, to;
    uint64_t count;
};

/* What only a crawl that runs knows. */
struct snapshot_live {
    const char *state; /* "crawling", "paused", "stopping", "ending" */
    struct str topic, strategy;
    int64_t started;   /* this run; wall clock */
    int64_t elapsed_us;
    int64_t left_us;   /* until a limit ends it, at the present speed; -1: nobody knows */
    uint64_t new_pages, revisits, changes; /* of this run */
    double pages_per_s;                    /* over the last ten seconds */
    uint64_t recent, recent_relevant;      /* of the last SNAPSHOT_RECENT pages */
    uint64_t known, queued, in_flight;
    uint64_t first, last; /* queued before all others (seeds, robots.txt, revisits), and after them (sitemaps) */
    struct snapshot_band bands[SNAPSHOT_BANDS];
    size_t nbands;
    uint64_t hosts_ready, hosts_waiting, hosts_resting;
    uint64_t failed;      /* visits that ended in an error, in all runs */
    uint64_t robots_refused, back_offs; /* of this run */
    struct topic_limits limits;
    int64_t delay_us;
    const struct str *blocked;
    size_t nblocked;
    uint64_t hooks_dropped; /* pages that a command of the topic was not told of, in this run */
    struct str waits_for; /* for a person; empty: for nothing */
};

struct snapshot {
    struct store_counts counts;
    uint64_t left_out;
    struct store_revisit_counts revisits;
    struct str warnings; /* a line each, with its kind before it */
    struct snapshot_reason *reasons; /* why URLs were not fetched, the most frequent first */
    size_t nreasons;
    uint64_t disk_bytes, disk_free; /* snapshot_measure_disk() */
    bool running;
    struct snapshot_live live;
};

/* Of a directory. What it points at lies in the arena. */
SCENT_NODISCARD scent_status snapshot_load(struct store *store, int64_t now, struct arena *arena, struct snapshot *out,
                                           struct errmsg *err);
/* Adds the counts of another directory of the same crawl, for `scent status DIR…`: pages, URLs, links, hosts, revisits
 * and bytes, not reasons and warnings. */
void snapshot_sum(struct snapshot *sum, const struct snapshot *more);
double snapshot_harvest(const struct snapshot *snapshot);
/* Calls back with the text of each warning. */
void snapshot_each_warning(const struct snapshot *snapshot, void (*fn)(void *ctx, struct str text), void *ctx);

/* One object. */
void snapshot_write(const struct snapshot *snapshot, struct json_writer *w);

/* The bytes of the database and the WARC files, and what is free beside them: the rest of a snapshot. */
void snapshot_measure_disk(const char *dir, uint64_t *bytes, uint64_t *free_bytes);

#endif
