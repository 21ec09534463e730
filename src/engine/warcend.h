/* warcend - the end of the WARC files as the store has it: what lies behind was never committed. */
#ifndef SCENT_ENGINE_WARCEND_H
#define SCENT_ENGINE_WARCEND_H

#include "store/store.h"
#include "warc/warc.h"

/* An empty file name: nothing was committed yet. */
SCENT_NODISCARD scent_status warcend_load(struct store *store, struct warc_position *out, struct errmsg *err);
/* Inside a transaction. */
SCENT_NODISCARD scent_status warcend_save(struct store *store, const struct warc_position *end, struct errmsg *err);

#define WARCEND_PREFIX "scent" /* of the files' names */
/* Goes on writing where the store says that it ended: cuts off what lies behind, removes younger files. */
SCENT_NODISCARD scent_status warcend_open_writer(struct store *store, const char *dir, struct str info, struct rng *rng,
                                                 struct warc_writer **out, struct errmsg *err);

#endif
