/* export - the pages of a crawl in formats that other programs read. */
#ifndef SCENT_APP_EXPORT_H
#define SCENT_APP_EXPORT_H

#include "base/status.h"
#include "store/store.h"

#include <stdio.h>

struct export {
    FILE *file;
    bool only_relevant;
};

typedef scent_status export_fn(struct store *store, struct export *out, struct errmsg *err);
export_fn export_jsonl, export_csv, export_urls;
export_fn export_cdxj;    /* as index.cdxj */
export_fn export_graphml; /* pages as nodes, links between them as edges */

#endif
