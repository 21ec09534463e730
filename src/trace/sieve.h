/* sieve - is a line of a log the look of a person at a page? Pure; any thread. */
#ifndef SCENT_TRACE_SIEVE_H
#define SCENT_TRACE_SIEVE_H

#include "trace/logline.h"
#include "url/url.h"

bool sieve_method(struct str method); /* GET, or not told */
/* By user agent, status and content type, or suffix where that is not told; false: *why it is not. */
bool sieve_line(const struct logline *line, const struct url *url, enum trace_left *why);

#endif
