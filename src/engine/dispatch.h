/* dispatch - steps 1 and 2 of the way of a page: the best candidate is taken and sent out.
 *
 * To servers, or to a web that answers in process. At most `max_in_flight` visits and look-ups of names are on their
 * way; all of them come back to the inbox. */
#ifndef SCENT_ENGINE_DISPATCH_H
#define SCENT_ENGINE_DISPATCH_H

#include "base/queue.h"
#include "engine/job.h"

struct crawl;

struct dispatch {
    struct fetch *fetch; /* NULL for a web without a network */
    struct queue *to_analyse, *inbox;
    uint32_t max_in_flight;
    uint64_t sent, applied;
    uint64_t batch_end;   /* may be sent before all must be applied */
    struct job **waiting; /* results that came before their turn, by order % window; NULL: no window */
    uint32_t ahead;       /* names that are being looked up for later; they are not counted as sent */
    int64_t quiet_until;  /* nothing is sent before: a restart must not make visits come nearer to each other */
    bool idle;            /* the last time nothing was in flight, and no host will be free by itself */
    int64_t fetch_cpu_ns;
};

/* The queues, with room for all that may be on its way. */
void dispatch_open(struct crawl *crawl, uint32_t threads);
void dispatch_release(struct crawl *crawl);
SCENT_NODISCARD scent_status dispatch_start_fetch(struct crawl *crawl, struct errmsg *err);
/* What is in flight comes back as closed. */
void dispatch_end_fetch(struct crawl *crawl);

static inline uint64_t dispatch_in_flight(const struct dispatch *dispatch)
{
    return dispatch->sent - dispatch->applied;
}

/* Sends out as much as may be out. *wait_us: how long nothing more may be sent. */
SCENT_NODISCARD scent_status dispatch_visits(struct crawl *crawl, int64_t *wait_us, struct errmsg *err);
/* Looks up the names of hosts that will soon be visited. They take no place among the visits. Not with a window: when
 * an answer comes must not change the order. */
void dispatch_look_ahead(struct crawl *crawl);

/* The next result that may be applied, waiting at most `wait_us` for it; NULL: there is none yet. With a window they
 * come in the order in which they were sent, so that a run can be repeated. */
struct job *dispatch_next_result(struct crawl *crawl, int64_t wait_us);

/* Rows that no visit carries go to the writer in a job of their own; an empty one is freed. */
void dispatch_put_rows(struct crawl *crawl, struct job *job);

#endif
