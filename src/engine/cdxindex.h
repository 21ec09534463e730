/* cdxindex - index.cdxj from the store: the page rows know where each response lies, so no WARC file is read. */
#ifndef SCENT_ENGINE_CDXINDEX_H
#define SCENT_ENGINE_CDXINDEX_H

#include "base/buf.h"
#include "store/store.h"

/* The sorted lines, appended to `out`; about 300 bytes a response in memory. */
SCENT_NODISCARD scent_status cdxindex_build(struct store *store, struct buf *out, struct errmsg *err);

#endif
