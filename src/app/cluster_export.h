/* cluster_export - `scent export --join`: the pages of a crawl of many workers, as they stand in its log. */
#ifndef SCENT_APP_CLUSTER_EXPORT_H
#define SCENT_APP_CLUSTER_EXPORT_H

#include "export/export.h"

struct cluster_export {
    const char *uri, *crawl;
    const char *output;    /* NULL: standard output */
    enum export_form form; /* EXPORT_JSONL, EXPORT_URLS or EXPORT_CDXJ */
    bool relevant;
    double min_score;
};
/* The exit status. */
int cluster_export(const struct cluster_export *options);

#endif
