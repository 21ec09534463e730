/* fardate - does a URL name a month that nobody has written about? For url/trap.c.
 *
 * A calendar links to the next month for ever. A month later than two years from now is taken for such a page wherever
 * it is plainly a month: /2093/04/, /2093-04/, ?year=2093&month=4, ?date=2093-04-01. The past is different: newspapers
 * put their archives online back to the 17th century, so a month before 1980 counts only where the URL speaks of a
 * calendar, and otherwise only in parameters and before 1600. */
#ifndef SCENT_URL_FARDATE_H
#define SCENT_URL_FARDATE_H

#include "base/str.h"

/* `segments` are those of the path, `query` is without "?". */
bool fardate_in(const struct str *segments, size_t count, struct str path, struct str query, unsigned now);

#endif
