/* logsource - the lines of a file, plain or gzip (of several members too), in constant memory.
 * Owner: whoever opened it. One thread. */
#ifndef SCENT_TRACE_LOGSOURCE_H
#define SCENT_TRACE_LOGSOURCE_H

#include "base/status.h"
#include "base/str.h"

enum { LOGSOURCE_LINE_MAX = 64 << 10 };

struct logsource;
SCENT_NODISCARD scent_status logsource_open(const char *path, struct logsource **out, struct errmsg *err);
void logsource_close(struct logsource *source); /* NULL is fine */

/* The beginning of what has not been read yet: whole lines where it has any, at most LOGSOURCE_LINE_MAX bytes. */
SCENT_NODISCARD scent_status logsource_head(struct logsource *source, struct str *out, struct errmsg *err);
/* The next line without its end, valid until the next call. SCENT_E_LIMIT: one that is too long has been passed over.
 * SCENT_E_END: no more. */
SCENT_NODISCARD scent_status logsource_line(struct logsource *source, struct str *out, struct errmsg *err);
/* Compressed data ended early or was damaged; known at the end. */
bool logsource_damaged(const struct logsource *source);

#endif
