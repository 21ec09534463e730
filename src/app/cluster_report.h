/* cluster_report - what a server knows of crawls, their workers and pages: `scent cluster list`, `scent status` and
 * `scent export`, with --join. */
#ifndef SCENT_APP_CLUSTER_REPORT_H
#define SCENT_APP_CLUSTER_REPORT_H

#include "export/export.h"

#include <stdbool.h>

/* Of one crawl, or of all (NULL), on standard output; the exit status. */
int cluster_report(const char *uri, const char *name, bool json);

struct cluster_export {
    const char *uri, *crawl;
    const char *output;    /* NULL: standard output */
    enum export_form form; /* EXPORT_JSONL, EXPORT_URLS or EXPORT_CDXJ */
    bool relevant;
    double min_score;
};
/* The pages that stand in the log of a crawl; the exit status. */
int cluster_export(const struct cluster_export *options);

#endif
