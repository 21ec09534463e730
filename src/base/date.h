/* date - the one reader of dates: HTTP, sitemaps, feeds, access logs.
 *
 * Times are microseconds since 1970, in Greenwich. What a date does not tell is taken as the earliest: "2005" is its
 * first midnight, and a date without a zone is of Greenwich. Pure; any thread. */
#ifndef SCENT_BASE_DATE_H
#define SCENT_BASE_DATE_H

#include "base/str.h"

/* All forms of HTTP (RFC 9110 5.6.7: IMF-fixdate, RFC 850, asctime), RFC 822 and its successors, W3C's profile of
 * ISO 8601. 0 for what is not a date, or is before 1970. */
int64_t date_parse(struct str s);

/* One form each; false for what is not a date between 1970 and 2100. */
bool date_parse_iso(struct str s, int64_t *out);   /* 2000-10-10, 2000-10-10T13:55:36.5+02:00 */
bool date_parse_log(struct str s, int64_t *out);   /* 10/Oct/2000:13:55:36 -0700, as servers log */
bool date_parse_epoch(struct str s, int64_t *out); /* 1297054935.000: seconds, as proxies log */

#endif
