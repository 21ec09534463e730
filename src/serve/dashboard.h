/* dashboard - crawls in a browser and for programs: what they found, why, and what they wait for (`scent serve`).
 *
 *   /               the page: plain files of ours (page_files.h), which ask for everything else
 *   /api/v1/…       JSON, as docs/openapi.json describes it; /api/v1/events as server-sent events
 *   /metrics        Prometheus
 *   /replay         leads to the archived page, on a port of its own (viewer.h)
 *
 * It is a process of its own: it reads crawl.db as any reader does and talks to a running crawl through its control
 * socket, so that nothing that happens here can delay or end a crawl.
 *
 * Whoever can reach the port may read. Whatever changes something needs the token (Authorization: Bearer), which is
 * drawn for each run and printed with the address; on an address that is not loopback everything needs it. Requests
 * under a foreign name (Host), from other sites (Origin, Sec-Fetch-Site), that are too large or too many are refused.
 * docs/internals/security.md tells the threats.
 *
 * Threads: two of libmicrohttpd, a clock that tells news once a second, one for each crawl (survey.h), and at most
 * SLOW_MAX that wait for others. */
#ifndef SCENT_SERVE_DASHBOARD_H
#define SCENT_SERVE_DASHBOARD_H

#include "base/log.h"
#include "base/status.h"

#include <stddef.h>

enum { DASHBOARD_DIRS_MAX = 64 };

struct dashboard_options {
    const char *address; /* NULL: 127.0.0.1; other than loopback only with allow_public */
    uint16_t port;       /* 0: any */
    bool allow_public;
    const char *const *dirs; /* crawl directories and results of the lab */
    size_t ndirs;
    bool wait;           /* a directory that is not there yet is that of a crawl which is about to begin */
    const struct log *log;
};
struct dashboard;
SCENT_NODISCARD scent_status dashboard_start(const struct dashboard_options *options, struct dashboard **out,
                                             struct errmsg *err);
uint16_t dashboard_port(const struct dashboard *dashboard);
const char *dashboard_token(const struct dashboard *dashboard);
void dashboard_stop(struct dashboard *dashboard); /* NULL is fine */

#endif
