/* cdxindex - index.cdxj from the store: the page rows know where each response lies, so no WARC file is read. */
#ifndef SCENT_CRAWLDIR_CDXINDEX_H
#define SCENT_CRAWLDIR_CDXINDEX_H

#include "base/buf.h"
#include "store/store.h"

#define CDXINDEX_FILE "index.cdxj"

/* Appends the line of a page, or nothing where it has no record. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status cdxindex_add(const struct store_page *page, const struct store_url *url, struct buf *out);
/* The sorted lines, appended to `out`; about 300 bytes a response in memory. */
SCENT_NODISCARD scent_status cdxindex_build(struct store *store, struct buf *out, struct errmsg *err);
/* Replaces the index of the crawl directory as a whole. */
SCENT_NODISCARD scent_status cdxindex_write(struct store *store, const char *dir, struct errmsg *err);

#endif
