/* webserver - a struct web behind a loopback port: many virtual hosts on one port, by the Host header, and as an
 * HTTP proxy (absolute request targets). Under its own address it shows an archive to people (viewer.h). Clients that
 * do not accept the content encoding of an answer get it decoded. Own threads (libmicrohttpd). */
#ifndef SCENT_SERVE_WEBSERVER_H
#define SCENT_SERVE_WEBSERVER_H

#include "base/log.h"
#include "base/status.h"
#include "serve/viewer.h"
#include "web/web.h"

struct webserver_options {
    const char *address;     /* NULL: 127.0.0.1; other than loopback only with allow_public */
    uint16_t port;           /* 0: any */
    bool allow_public;
    uint32_t threads;        /* 0: 1 */
    const char *default_host; /* what a Host of the listening address itself stands for; NULL: none */
    struct viewer *viewer;   /* answers for that address where there is no default host; NULL: nobody does */
    const struct log *log;
};
struct webserver;
/* Delays of slow hosts are kept without holding up others; a host that hangs does so for a minute at most. At most
 * 4,096 connections. `web` must outlive the server. */
SCENT_NODISCARD scent_status webserver_start(struct web *web, const struct webserver_options *options,
                                             struct webserver **out, struct errmsg *err);
uint16_t webserver_port(const struct webserver *server);
void webserver_stop(struct webserver *server); /* waits for nobody; NULL is fine */

#endif
