/* crawl - the state of a running crawl, shared by the files of the engine. The engine thread's alone. */
#ifndef SCENT_ENGINE_CRAWL_H
#define SCENT_ENGINE_CRAWL_H

#include "base/queue.h"
#include "engine/analysts.h"
#include "engine/duplicates.h"
#include "engine/engine.h"
#include "engine/freshness.h"
#include "engine/job.h"
#include "engine/loader.h"
#include "engine/politeness.h"
#include "engine/numbering.h"
#include "engine/steer.h"
#include "engine/ways.h"
#include "engine/writer.h"
#include "frontier/caps.h"
#include "topic/vector.h"

struct crawl {
    const struct engine_options *options;
    const struct topic *topic;
    struct store *store;     /* the writer's while it runs */
    struct steer *steer;
    struct writer *writer;
    struct analysts *analysts;
    struct ways ways;        /* none for a web without a network */
    struct loader *loader;   /* NULL with a window: see texts.c */
    struct fetch *fetch;     /* NULL for a web without a network */
    struct politeness *politeness; /* NULL likewise: an archive has no host to be polite to */
    struct numbering ips;
    uint32_t ahead;          /* names that are being looked up for later */
    struct fetch_name *names; /* known from before; the fetch thread takes them */
    size_t nnames, next_name;
    struct arena names_arena;
    struct queue *to_analyse, *inbox;
    struct duplicates *duplicates; /* of the counted pages */
    struct caps copies;            /* by the number of the first: how many had their links followed */
    struct recrawl *recrawl;       /* NULL: no page is visited again */

    struct centroid centroid;  /* of the seeds' pages */
    struct judge *judge;       /* the current snapshot */
    uint32_t judge_version;
    uint64_t seed_pages;       /* in the centroid */
    uint64_t judge_seeds;      /* in the snapshot */
    struct census census; /* of the pages, where the topic has a query */
    uint64_t judge_documents;  /* in the snapshot */

    uint64_t key, seed;
    uint64_t pages, relevant, failed; /* in all runs */
    uint64_t rows;             /* page rows in the store */
    uint64_t first_page;       /* pages before this run */
    int64_t last_wall;         /* when the last page before this run was fetched */
    bool resumed;
    bool recalled;             /* in this run: what other crawls learned */

    uint64_t dispatched, applied;
    uint64_t batch_end;        /* dispatches allowed before all must be applied; UINT64_MAX: no batches */
    struct job **waiting;      /* results that came before their turn, by order % window; NULL: no window */
    uint32_t max_in_flight;
    bool stopping, aborted;
    int64_t fetch_cpu_ns;

    int64_t started, stop_by, next_progress, next_checkpoint;
    int64_t quiet_until; /* nothing is sent before: a restart must not make visits come nearer to each other */
};

/* Key and seed: as they were, or drawn for a new crawl. */
SCENT_NODISCARD scent_status crawl_restore_values(struct crawl *crawl, struct errmsg *err);
/* Hosts, URLs, the bytes and words of pages, and counters as they were. */
SCENT_NODISCARD scent_status crawl_restore_rows(struct crawl *crawl, struct errmsg *err);
/* What the seeds' pages and the strategy's checkpoint taught, and the pages after the checkpoint. */
SCENT_NODISCARD scent_status crawl_relearn(struct crawl *crawl, struct errmsg *err);

/* ---- guest.c: before and after a visit, what a host expects of a guest ---- */

enum crawl_greeting {
    CRAWL_GO,
    CRAWL_LATER,  /* something must be learned first; what was taken is back in the queue */
    CRAWL_REFUSED /* it will not be visited */
};
SCENT_NODISCARD scent_status crawl_greet(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows,
                                         enum crawl_greeting *out);
/* A name was looked up. */
SCENT_NODISCARD scent_status crawl_apply_name(struct crawl *crawl, struct job *job, struct errmsg *err);
/* A robots.txt came, or did not: the last of its redirects. */
SCENT_NODISCARD scent_status crawl_apply_robots(struct crawl *crawl, struct job *job, struct errmsg *err);
/* ---- sitemaps.c ---- */

/* Queues those that the robots.txt of `host` names, which this job has brought, where the topic wants them. */
SCENT_NODISCARD scent_status crawl_ask_sitemaps(struct crawl *crawl, struct job *job,
                                                struct politeness_origin origin);
/* Queues what it lists. */
SCENT_NODISCARD scent_status crawl_apply_sitemap(struct crawl *crawl, struct job *job, struct errmsg *err);

/* ---- guest.c ---- */

/* How long the host of this visit is to be left alone; notes what changed. */
int64_t crawl_part(struct crawl *crawl, struct job *job);
/* Asks for the names of hosts that will soon be visited. They take no place among the visits, and at most CRAWL_AHEAD of
 * them are out at once. Not with a window: when an answer comes must not change the order. */
enum { CRAWL_AHEAD = 64 };
void crawl_look_ahead(struct crawl *crawl);
void crawl_name_resolved(void *ctx, void *owner, const struct fetch_name *name);
bool crawl_next_known_name(void *ctx, struct fetch_name *out);
/* Hosts, robots.txt files and names as the store has them. */
SCENT_NODISCARD scent_status crawl_restore_access(struct crawl *crawl, struct errmsg *err);
/* A page row for this visit. */
void crawl_fill_row(struct crawl *crawl, struct job *job);
/* Pages that say the same as this counted one will be known as its copies. */
SCENT_NODISCARD scent_status crawl_know_page(struct crawl *crawl, const struct store_page *row);
void crawl_note_state(struct job *job, enum store_url_state state, struct str error);

/* To who listens to the crawl. */
void crawl_tell_page(const struct crawl *crawl, const struct job *job);
/* Like a redirect, but the target is no seed: nobody asked for it. */
SCENT_NODISCARD scent_status crawl_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err);
/* A copy of this page was kept. */
void crawl_count_copy(struct crawl *crawl, uint64_t original);

/* ---- again.c: pages that are visited again ---- */

SCENT_NODISCARD scent_status crawl_start_recrawl(struct crawl *crawl, struct errmsg *err);
void crawl_end_recrawl(struct crawl *crawl); /* when all threads are gone */
/* A page was counted: it will be visited again. */
void crawl_note_fetched(struct crawl *crawl, struct job *job);
/* Queues what is due, as far as it is known; asks for more. Again and again. */
SCENT_NODISCARD scent_status crawl_queue_due(struct crawl *crawl, struct errmsg *err);
bool crawl_nothing_is_due(const struct crawl *crawl);
/* A job for a page that was taken from the queue. */
void crawl_begin_again(struct crawl *crawl, struct job *job);
/* It may not be visited now: another time. */
void crawl_refuse_again(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows);
/* Its text cannot be found. */
void crawl_lose_again(struct crawl *crawl, uint32_t id);
SCENT_NODISCARD scent_status crawl_apply_again(struct crawl *crawl, struct job *job, struct errmsg *err);

/* The result of a visit: counts, learns, queues links, hands the job to the writer. */
SCENT_NODISCARD scent_status crawl_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* A new snapshot of the judge, from the centroid. */
SCENT_NODISCARD scent_status crawl_renew_judge(struct crawl *crawl);
/* Attaches the strategy's state to a job where one is due (or `now`). */
SCENT_NODISCARD scent_status crawl_checkpoint(struct crawl *crawl, struct job *job, bool now, struct errmsg *err);

/* ---- fetching.c: how visits go out ---- */

SCENT_NODISCARD scent_status crawl_start_fetch(struct crawl *crawl, struct errmsg *err);
void crawl_submit(struct crawl *crawl, struct job *job);
/* What is in flight comes back as closed. */
void crawl_end_fetch(struct crawl *crawl);

/* ---- texts.c: where the texts of queued URLs are ---- */

SCENT_NODISCARD scent_status crawl_start_loader(struct crawl *crawl, struct errmsg *err);
/* Asks for what will soon be needed, and is on disk. Cheap: to be called again and again. */
void crawl_want_texts(struct crawl *crawl);
/* What was asked for has come. Takes the job. */
SCENT_NODISCARD scent_status crawl_apply_texts(struct crawl *crawl, struct job *job, struct errmsg *err);

/* ---- ending.c: is it over, and how far has it come? ---- */

uint64_t crawl_in_flight(const struct crawl *crawl);
/* Notes that it is to stop; breaks off what takes too long after that. */
void crawl_check_stop(struct crawl *crawl);
bool crawl_is_over(struct crawl *crawl);
enum engine_end crawl_how_it_ended(const struct crawl *crawl);
void crawl_progress(const struct crawl *crawl, struct engine_progress *out);
void crawl_tell_progress(struct crawl *crawl);
/* The strategy's state and a word on the end, as the last thing that is written. */
SCENT_NODISCARD scent_status crawl_put_last_words(struct crawl *crawl, struct errmsg *err);

/* run.json and index.cdxj. */
SCENT_NODISCARD scent_status crawl_note_end(struct crawl *crawl, const struct engine_report *report,
                                            struct errmsg *err);

#endif
