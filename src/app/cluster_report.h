/* cluster_report - what a server knows of crawls and their workers: `scent cluster list` and `scent status --join`, and
 * for all commands that ask a server. */
#ifndef SCENT_APP_CLUSTER_REPORT_H
#define SCENT_APP_CLUSTER_REPORT_H

#include "cluster/overseer.h"

/* What is done with the server that --join names. `make`: as overseer_open(). The exit status. */
typedef scent_status cluster_oversee_fn(struct overseer *overseer, const void *ctx, struct errmsg *err);
int cluster_oversee(const char *uri, bool make, cluster_oversee_fn *fn, const void *ctx);

/* Of one crawl, or of all (NULL), on standard output; the exit status. */
int cluster_report(const char *uri, const char *name, bool json);

#endif
