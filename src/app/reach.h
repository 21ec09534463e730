/* reach - over which network a command visits pages, and who may be visited: for all commands that fetch. */
#ifndef SCENT_APP_REACH_H
#define SCENT_APP_REACH_H

#include "app/session.h"

struct reach {
    const char *from;    /* a collection or a generated web instead of the network; NULL */
    const char *proxy;   /* HOST:PORT on loopback; NULL */
    const char *ca_file; /* NULL */
    const char *dns;     /* NULL */
    bool allow_private;
    struct web *web;     /* `from`, opened */
};

/* What a proxy reaches we cannot guard; one on this machine is the user's own. */
bool reach_proxy_is_loopback(const char *proxy);
/* Opens `from`, where there is one. */
SCENT_NODISCARD scent_status reach_open(struct reach *reach, const struct log *log, struct errmsg *err);
void reach_close(struct reach *reach);
/* Fills in what the engine needs to go to the seeds of `topic`, whose file is `path`. SCENT_E_INVALID: it may not. */
SCENT_NODISCARD scent_status reach_prepare(const struct reach *reach, const char *path, const struct topic *topic,
                                           struct engine_options *engine, struct errmsg *err);

#endif
