/* logtime - the dates of logs, in microseconds since 1970. What is no date between 1970 and 2100 gives false. */
#ifndef SCENT_TRACE_LOGTIME_H
#define SCENT_TRACE_LOGTIME_H

#include "base/str.h"

bool logtime_epoch(struct str s, int64_t *out); /* 1297054935.000: seconds */
bool logtime_ncsa(struct str s, int64_t *out);  /* 10/Oct/2000:13:55:36 -0700 */
bool logtime_iso(struct str s, int64_t *out);   /* 2000-10-10T13:55:36.5+02:00; without a zone: UTC */

#endif
