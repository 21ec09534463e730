/* metrics - snapshots of crawls as text for Prometheus (text format 0.0.4).
 *
 * From the JSON of a snapshot, so that it is the same for a crawl that runs and one that has ended. Names of crawls and
 * reasons are text of others: they are escaped. docs/internals/control.md names the metrics. */
#ifndef SCENT_CRAWLDIR_METRICS_H
#define SCENT_CRAWLDIR_METRICS_H

#include "base/buf.h"
#include "json/json.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct metrics_crawl {
    struct str name;              /* the label `crawl` */
    const struct json *snapshot;  /* snapshot_write() made it */
};
/* A failed append shows in out->failed. */
void metrics_write(const struct metrics_crawl *crawls, size_t count, struct buf *out);

#endif
