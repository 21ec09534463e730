/* poller - which sockets libcurl waits for, told to epoll with as few system calls as possible.
 *
 * libcurl forgets a connection at the end of a transfer and asks for it again at the start of the next: with keep-alive
 * that would be two epoll_ctl calls a page that cancel each other. So changes are collected and applied just before
 * waiting, and a connection that nobody waits for stays registered until it speaks up (the server closed it).
 * Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_POLLER_H
#define SCENT_FETCH_POLLER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum poller_events { POLLER_IN = 1, POLLER_OUT = 2 };
enum { POLLER_BATCH = 256 };

struct poller_event {
    int fd;
    bool in, out, error;
};

struct poller_socket {
    uint8_t wanted, registered; /* enum poller_events */
    bool ours;                  /* we hear of its end: a late change cannot hit another socket of the same number */
    bool dirty;
};

struct poller {
    int epoll, wake;
    struct poller_socket *sockets; /* by descriptor */
    size_t nsockets;
    int *dirty;
    size_t ndirty, dirty_room;
    size_t open; /* how many of ours */
};

SCENT_NODISCARD scent_status poller_init(struct poller *poller, struct errmsg *err);
void poller_release(struct poller *poller); /* twice is fine */

/* A socket of ours begins and ends. */
void poller_opened(struct poller *poller, int fd);
void poller_closed(struct poller *poller, int fd);
void poller_want(struct poller *poller, int fd, unsigned events);

/* Waits at most `timeout_us` (negative: for ever) and fills `events`; a wake-up just ends the wait. */
size_t poller_wait(struct poller *poller, int64_t timeout_us, struct poller_event events[POLLER_BATCH]);
void poller_wake(const struct poller *poller); /* any thread */

#endif
