/* session - one crawl as a command runs it: signals, progress line, summary. Used by `crawl` and `demo`. */
#ifndef SCENT_APP_SESSION_H
#define SCENT_APP_SESSION_H

#include "engine/engine.h"

struct session {
    struct engine_options engine;
    bool json;  /* one object a page on stdout */
    bool quiet; /* no progress, no summary */
    /* Beside --json; may be NULL. */
    void (*on_page)(void *ctx, const struct engine_page *page);
    void *ctx;
    atomic_int *stop; /* session_run's */
};

/* Runs it; *exit_status is the process's. The report is filled in either way. */
int session_run(struct session *session, struct engine_report *report);

#endif
