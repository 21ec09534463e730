/* saved - how the state of a strategy begins, and what is said of one that cannot be read: the same for all.
 *
 * A state is a version in one byte and what the strategy puts behind it (array.h, base/bytes.h). It is read by the
 * program that wrote it, on the same machine; another version's is refused, not converted. */
#ifndef SCENT_STRATEGY_SAVED_H
#define SCENT_STRATEGY_SAVED_H

#include "base/buf.h"

/* Takes the version off the front of *blob. SCENT_E_VERSION: it is another one. `of` names whose state it is. */
SCENT_NODISCARD scent_status saved_open(const char *of, unsigned version, struct str *blob, struct errmsg *err);
/* SCENT_E_FORMAT, for what does not fit behind the version; `wrong` tells more, NULL: there is no more to tell. */
scent_status saved_fail(const char *of, const char *wrong, struct errmsg *err);

/* For a strategy that is made of others: what one of them writes (save, learned), behind its length in 8 bytes, for
 * bytes_get_str(). NULL: it writes nothing. */
typedef scent_status saved_write(void *state, struct buf *out);
SCENT_NODISCARD scent_status saved_put_part(saved_write *write, void *state, struct buf *out);

#endif
