/* cluster_report - what a server knows of crawls and their workers, for `scent cluster list` and `scent status`. */
#ifndef SCENT_APP_CLUSTER_REPORT_H
#define SCENT_APP_CLUSTER_REPORT_H

#include <stdbool.h>

/* Of one crawl, or of all (NULL), on standard output; the exit status. */
int cluster_report(const char *uri, const char *name, bool json);

#endif
