/* check - does a crawl directory fit together: database, WARC files and index? And what can be mended, is.
 *
 * Reads every row and every record once. Memory: 12 bytes a known URL, and one record; only where index.cdxj is wrong,
 * a line for each page. No crawl may run in the directory meanwhile (SCENT_E_LOCKED).
 * Repair never removes a row: it rebuilds the index, cuts WARC files back to what was committed, ends a purge that was
 * cut off. */
#ifndef SCENT_CRAWLDIR_CHECK_H
#define SCENT_CRAWLDIR_CHECK_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct check_options {
    const char *dir;
    bool repair;
    void (*problem)(void *ctx, const char *line);  /* where it lies, and what is wrong */
    void (*repaired)(void *ctx, const char *line); /* what was done about it */
    void *ctx;
};

struct check_report {
    uint64_t urls, pages, records, files; /* looked at */
    uint64_t problems, repaired;
    uint64_t passing; /* problems that an interrupted run has left and the next run mends */
};

SCENT_NODISCARD scent_status check_run(const struct check_options *options, struct check_report *out,
                                       struct errmsg *err);

#endif
