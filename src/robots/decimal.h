/* decimal - "0.5" as 500,000 millionths. */
#ifndef SCENT_ROBOTS_DECIMAL_H
#define SCENT_ROBOTS_DECIMAL_H

#include "base/str.h"

#define DECIMAL_MAX (INT64_C(1000000000) * 1000000) /* larger numbers count as this */

/* Digits with at most one point among, before or after them; -1 for anything else. Locales play no part. */
int64_t decimal_millionths(struct str s);

#endif
