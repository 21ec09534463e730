/* listener - the clients of the control socket (crawldir/control.h): one thread that reads requests, hands them to the
 * engine through its inbox, and writes the answers.
 *
 * No client can make the crawl wait. There are at most LISTENER_CLIENTS of them; a line is at most CONTROL_LINE_MAX
 * long; a client has one request under way at a time; one that takes nothing of what it asked for, or asks nothing and
 * does not watch, is dropped after LISTENER_PATIENCE_S seconds. At most LISTENER_JOBS jobs are under way, and the inbox
 * has room for all of them. Marks of pages, which are synced to the disk, are written here. Whoever watches gets a
 * snapshot a second; the engine makes one for all.
 * docs/internals/control.md has the protocol. Threads: its own; listener_answer() is for any. */
#ifndef SCENT_ENGINE_LISTENER_H
#define SCENT_ENGINE_LISTENER_H

#include "base/clock.h"
#include "base/queue.h"
#include "engine/job.h"

enum { LISTENER_CLIENTS = 64, LISTENER_JOBS = 2 * LISTENER_CLIENTS, LISTENER_PATIENCE_S = 60 };

struct listener_options {
    const char *dir;
    struct queue *inbox; /* of the engine */
    const struct clock *clock;
};

struct listener;
SCENT_NODISCARD scent_status listener_start(const struct listener_options *options, struct listener **out,
                                            struct errmsg *err);
/* Takes back a job of the kind JOB_CONTROL, with its answer. */
void listener_answer(struct listener *listener, struct job *job);
/* The engine answers no more, but the crawl has not ended: whoever watches or asks for the status gets this line, an
 * object, until listener_stop(); all else is refused. No other thread answers jobs from now on. */
void listener_rest(struct listener *listener, struct str line);
/* When nobody answers any more: sends what can be sent at once, removes the socket, frees. NULL is fine. */
void listener_stop(struct listener *listener);

#endif
