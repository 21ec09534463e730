/* poller - which sockets libcurl waits for, told to epoll with as few system calls as possible.
 *
 * libcurl forgets a connection at the end of a transfer and asks for it again at the start of the next: with keep-alive
 * that would be two epoll_ctl calls a page that cancel each other. So changes are collected and applied just before
 * waiting, and a connection that nobody waits for stays registered until it speaks up (the server closed it).
 * Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_POLLER_H
#define SCENT_FETCH_POLLER_H

#include "base/status.h"

#include <curl/curl.h>
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

/* ---- floods ---- */

/* Connections that bring bytes and nothing of use.
 *
 * libcurl reads a connection until it is dry, so a server that sends HTTP/2 frames without content as fast as they are
 * read would keep the whole thread busy: its connection is shut. libcurl also reads connections other than the one it
 * was told of, and some when a timer ends, so only the transfer knows which one it is reading: by the addresses of its
 * two ends, the one thing that libcurl tells of a connection in use. Transfers that share a connection read for each
 * other, so what was of no use is counted by connection. Owner and thread: the fetch thread. */

struct transfer;

struct flood {
    uint32_t *barren;         /* by the port of our end: bytes inside TLS since the last that were of use to anybody */
    struct transfer *flooded; /* to be ended; NULL: none */
};

SCENT_NODISCARD scent_status flood_init(struct flood *flood, struct errmsg *err);
void flood_release(struct flood *flood); /* twice is fine */

/* The connection of `easy` brought part of a head or body. */
void flood_useful(struct flood *flood, CURL *easy);
/* It brought `bytes` inside TLS; shuts it if that is too much at a stretch. */
void flood_barren(struct flood *flood, const struct poller *poller, CURL *easy, size_t bytes);

#endif
