/* recrawl - pages that are due are queued again, visited, and compared with what is known of them.
 *
 * The store knows when each page is due, by an index; the writer reads the next batch of them, because it alone sees
 * what is not committed yet. Only what is queued or in flight is in memory, at most RECRAWL_ROOM pages of about 400
 * bytes, however many there are. The store does not learn that a page is queued again: its URL stays `fetched` and due
 * until the visit is over, so that a crash at any moment loses nothing. Thread: the engine's.
 * docs/decisions/0007-recrawl.md has the reasons. */
#ifndef SCENT_ENGINE_RECRAWL_H
#define SCENT_ENGINE_RECRAWL_H

#include "base/queue.h"
#include "engine/rows.h"
#include "frontier/frontier.h"

struct crawl;
struct job;

enum {
    RECRAWL_ROOM = 4096,
    RECRAWL_PER_HOST = 256, /* more of one host are put off, or a slow host with many pages would stop all others */
};

/* A page that is due, until its visit is over. */
struct recrawl_page {
    struct recrawl_page *next;   /* in its bucket */
    struct store_revisit known;  /* its strings end with a zero; they are ours */
    struct candidate candidate;  /* as it was chosen for the first time */
    uint32_t host;
};

struct recrawl {
    struct queue *answers;      /* of the writer, jobs of the kind JOB_DUE; never more than one is under way */
    bool asked;
    struct store_revisit last;  /* of the batches so far */
    int64_t next;               /* nothing is due before; wall clock */
    int64_t ahead;              /* of the wall clock before the monotonic one; less than before: it was set back */
    int64_t turns_until;        /* pages of hosts with too many wait for their turn till then */
    struct recrawl_page *buckets[256]; /* by host */
    size_t queued, in_flight;   /* pages in the buckets */
    uint64_t visits, changes;   /* of this run */
};
struct recrawl *recrawl_new(void); /* never NULL */
void recrawl_free(struct recrawl *recrawl);

/* SCENT_E_NOMEM; on error nothing changes. */
SCENT_NODISCARD scent_status recrawl_add(struct recrawl *recrawl, const struct store_revisit *known,
                                         const struct candidate *candidate, uint32_t host);
struct recrawl_page *recrawl_find(const struct recrawl *recrawl, uint32_t host, uint32_t id); /* NULL: none */
size_t recrawl_count(const struct recrawl *recrawl, uint32_t host);
/* It was in flight, or was refused or lost while it was queued. */
void recrawl_drop(struct recrawl *recrawl, struct recrawl_page *page, bool was_in_flight);

/* ---- in a crawl (crawl->recrawl) ---- */

SCENT_NODISCARD scent_status recrawl_start(struct crawl *crawl, struct errmsg *err);
void recrawl_end(struct crawl *crawl); /* when all threads are gone */
/* A page was counted: it will be visited again. */
void recrawl_note_fetched(struct crawl *crawl, struct job *job);
/* Queues what is due, as far as it is known; asks for more. Again and again. */
SCENT_NODISCARD scent_status recrawl_queue_due(struct crawl *crawl, struct errmsg *err);
bool recrawl_nothing_is_due(const struct crawl *crawl);
/* What was taken from the queue goes out; never NULL. */
struct recrawl_page *recrawl_begin(struct recrawl *recrawl, const struct frontier_taken *taken);
/* It may not be visited now: another time. */
void recrawl_refuse(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows);
/* Its text cannot be found. */
void recrawl_lose(struct recrawl *recrawl, uint32_t id);
/* Steps 6 and 7 of the way of a page, for the visit of a known one. */
SCENT_NODISCARD scent_status recrawl_apply(struct crawl *crawl, struct job *job, struct errmsg *err);

#endif
