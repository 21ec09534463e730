/* crawl - the state of a running crawl, shared by the files of the engine. The engine thread's alone. */
#ifndef SCENT_ENGINE_CRAWL_H
#define SCENT_ENGINE_CRAWL_H

#include "base/queue.h"
#include "engine/analyst.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/steer.h"
#include "engine/writer.h"
#include "topic/vector.h"

struct crawl {
    const struct engine_options *options;
    const struct topic *topic;
    struct store *store;     /* the writer's while it runs */
    struct steer *steer;
    struct writer *writer;
    struct analysts *analysts;
    struct fetch *fetch;     /* NULL for a web without a network */
    struct queue *to_analyse, *inbox;

    struct centroid centroid;  /* of the seeds' pages */
    struct judge *judge;       /* the current snapshot */
    uint32_t judge_version;
    uint64_t seed_pages;       /* in the centroid */
    uint64_t judge_seeds;      /* in the snapshot */

    uint64_t key, seed;
    uint64_t pages, relevant, failed; /* in all runs */
    uint64_t rows;             /* page rows in the store */
    uint64_t first_page;       /* pages before this run */
    bool resumed;

    uint64_t dispatched, applied;
    uint64_t batch_end;        /* dispatches allowed before all must be applied; UINT64_MAX: no batches */
    struct job **waiting;      /* results that came before their turn, by order % window; NULL: no window */
    uint32_t max_in_flight;
    bool stopping, aborted;
    int64_t fetch_cpu_ns;

    int64_t started, stop_by, next_progress, next_checkpoint;
};

/* Key and seed: as they were, or drawn for a new crawl. */
SCENT_NODISCARD scent_status crawl_restore_values(struct crawl *crawl, struct errmsg *err);
/* Hosts, URLs and counters as they were. */
SCENT_NODISCARD scent_status crawl_restore_rows(struct crawl *crawl, struct errmsg *err);
/* What the seeds' pages and the strategy's checkpoint taught, and the pages after the checkpoint. */
SCENT_NODISCARD scent_status crawl_relearn(struct crawl *crawl, struct errmsg *err);

/* The result of a visit: counts, learns, queues links, hands the job to the writer. */
SCENT_NODISCARD scent_status crawl_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* A new snapshot of the judge, from the centroid. */
SCENT_NODISCARD scent_status crawl_renew_judge(struct crawl *crawl);
/* Attaches the strategy's state to a job where one is due (or `now`). */
SCENT_NODISCARD scent_status crawl_checkpoint(struct crawl *crawl, struct job *job, bool now, struct errmsg *err);

void crawl_progress(const struct crawl *crawl, struct engine_progress *out);

/* run.json, topic.yaml and index.cdxj. */
SCENT_NODISCARD scent_status crawl_note_start(struct crawl *crawl, struct errmsg *err);
SCENT_NODISCARD scent_status crawl_note_end(struct crawl *crawl, const struct engine_report *report, struct errmsg *err);

#endif
