/* date - the dates of sitemaps and feeds: W3C's profile of ISO 8601, and RFC 822 with its successors. */
#ifndef SCENT_ROBOTS_DATE_H
#define SCENT_ROBOTS_DATE_H

#include "base/str.h"

/* Microseconds since 1970; 0 for what is no date, or is before. What is not told is taken as the earliest: "2005" is
 * its first midnight in Greenwich. */
int64_t date_parse(struct str s);

#endif
