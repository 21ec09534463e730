/* crawl_run - one run of the engine as commands do it: signals, progress line, JSON a page, summary, exit status. */
#ifndef SCENT_APP_CRAWL_RUN_H
#define SCENT_APP_CRAWL_RUN_H

#include "engine/engine.h"

struct crawl_run {
    struct engine_options engine;
    bool json;  /* one object a page on stdout */
    bool quiet; /* no progress, no summary */
    /* Beside --json; may be NULL. */
    void (*on_page)(void *ctx, const struct engine_page *page);
    void *ctx;
    atomic_int *stop; /* session_run's */
};

/* Returns the exit status; failures are printed. The report is filled in either way. */
int crawl_run_engine(struct crawl_run *crawl, struct engine_report *report);

#endif
