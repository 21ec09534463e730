/* span - the first and the last moment of what a file holds, for people and for programs. */
#ifndef SCENT_APP_SPAN_H
#define SCENT_APP_SPAN_H

#include "json/json.h"

#include <stdio.h>

struct span {
    bool known;          /* else there is nothing that has a time */
    int64_t first, last; /* microseconds since 1970 */
};

/* A line; none where nothing is known. */
void span_print(const struct span *span, FILE *out);
/* The keys "first" and "last"; null where nothing is known. */
void span_write(const struct span *span, struct json_writer *w);

#endif
