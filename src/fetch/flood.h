/* flood - connections that bring bytes and nothing of use.
 *
 * libcurl reads a connection until it is dry, so a server that sends HTTP/2 frames without content as fast as they are
 * read would keep the whole thread busy: its connection is shut. libcurl also reads connections other than the one it
 * was told of, and some when a timer ends, so only the transfer knows which one it is reading: by the addresses of its
 * two ends, the one thing that libcurl tells of a connection in use. Transfers that share a connection read for each
 * other, so what was of no use is counted by connection. Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_FLOOD_H
#define SCENT_FETCH_FLOOD_H

#include "fetch/poller.h"

#include <curl/curl.h>

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
