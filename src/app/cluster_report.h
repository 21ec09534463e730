/* cluster_report - what a server knows of crawls and their workers: `scent cluster list` and `scent status --join`. */
#ifndef SCENT_APP_CLUSTER_REPORT_H
#define SCENT_APP_CLUSTER_REPORT_H

#include <stdbool.h>

/* Of one crawl, or of all (NULL), on standard output; the exit status. */
int cluster_report(const char *uri, const char *name, bool json);

#endif
