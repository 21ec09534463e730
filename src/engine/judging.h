/* judging - the judge of a crawl: what it knows grows with the pages, and analysts use immutable snapshots of it.
 *
 * The pages of the seeds are the examples that similar() compares with, and the pages of the crawl give the statistics
 * of the query's terms and the blocks that repeat on a host. After a restart the seeds' pages are read back from the
 * WARC files; one that asks not to be archived keeps its stems (as hashes, with frequencies) as the value
 * "example N" of the store, N the number of its url row: 16 bytes a distinct stem.
 * Thread: the engine's; a snapshot is anybody's who has a reference. */
#ifndef SCENT_ENGINE_JUDGING_H
#define SCENT_ENGINE_JUDGING_H

#include "base/clock.h"
#include "engine/rows.h"
#include "engine/steer.h"
#include "page/repeats.h"
#include "topic/query.h"
#include "topic/judge.h"
#include "topic/centroid.h"

struct judging {
    const struct topic *topic;
    const struct clock *clock;
    struct knowledge knowledge;   /* its parts are the caller's, … */
    struct query_counts *sample;  /* … but for a background sample that the crawl has kept; NULL: none */
    uint64_t digest;         /* of topic and knowledge */
    unsigned wants;          /* what the strategy wants of a judgement */
    struct judge *judge;     /* the current snapshot */
    uint32_t version;        /* of it: the row of `judge` */
    uint64_t judge_digest;   /* of it */
    bool is_new;             /* its row is still to be written */
    struct centroid centroid; /* of the seeds' pages */
    uint64_t seeds;          /* in the centroid */
    uint64_t judged_seeds;   /* in the snapshot */
    struct query_counts term_counts;    /* of the pages, as they came, where the topic has a query */
    struct query_counts settled_counts; /* the same, as all pages were judged at the end of an earlier run, */
    bool is_settled;                    /* where that differs */
    struct query_counts judged_counts;  /* in the snapshot, with those of others */
    struct query_counts recalled;       /* among term_counts: of other crawls */
    struct query_counts others;         /* of the pages of other workers, and of their seeds: as they told them */
    struct centroid other_seeds;
    struct repeats *repeats;   /* blocks of the pages, by host; NULL: the topic reads whole pages */
};

void judging_init(struct judging *judging, const struct topic *topic, const struct knowledge *knowledge,
                  const struct clock *clock);
void judging_release(struct judging *judging);
/* Other knowledge from now on: all pages are judged by it at the end of the crawl. Its parts outlive the crawl, as do
 * those of what was known before: snapshots are under way. */
void judging_replace(struct judging *judging, const struct knowledge *knowledge);
/* A new snapshot of what is known. */
void judging_renew(struct judging *judging);
/* After a restart: a snapshot of the counts that the last one had, and a page that came behind them. */
void judging_restore(struct judging *judging);
void judging_recount(struct judging *judging, const struct page *page);
/* What this worker has counted by itself, as bytes for others; empty where the topic has no query, or nothing needs the
 * seeds. */
SCENT_NODISCARD scent_status judging_write_own(const struct judging *judging, struct buf *counts, struct buf *seeds);
/* What other workers have, instead of what they had: one after the other, then a new snapshot. SCENT_E_FORMAT: it is
 * damaged, and left out. */
void judging_forget_others(struct judging *judging);
SCENT_NODISCARD scent_status judging_add_other(struct judging *judging, struct str counts, struct str seeds,
                                               struct errmsg *err);
bool judging_needs_seeds(const struct judging *judging); /* of others, too */
/* The row of a judge that is new, before it judges anything. */
void judging_note(struct judging *judging, struct rows *rows);

/* A page of a seed, and whether it may be archived. The snapshot is renewed where that is due. */
SCENT_NODISCARD scent_status judging_learn_seed(struct judging *judging, const struct page *page, uint32_t url,
                                                bool archived, struct rows *rows);
/* Any page: for the statistics of the query's terms, where they were counted (.p NULL: they were not), and the blocks
 * that repeat on its host. */
void judging_count_page(struct judging *judging, const struct page *page, struct str counted);
#endif
