/* output - what several commands print alike: JSON, the time span of a file, progress. */
#ifndef SCENT_APP_OUTPUT_H
#define SCENT_APP_OUTPUT_H

#include "json/json.h"

#include <stdio.h>

/* One JSON value a line. Between begin and end, write it with `json`. */
/* A stream into `out` that shows text of others and lets none of it command the terminal: control characters, escape
 * sequences with them, become "?". Close it before `out` is used again. Never NULL. */
FILE *output_plain(FILE *out);

struct json_output {
    struct buf text;
    struct json_writer json;
};

struct json_writer *json_output_begin(struct json_output *output);
void json_output_end(struct json_output *output, FILE *out); /* prints and releases */

/* "3 of 7 pages" on stderr, over itself; cleared at the end. For a terminal. */
void output_progress(const char *what, size_t done, size_t all);

struct timespan {
    bool known;          /* else there is nothing that has a time */
    int64_t first, last; /* microseconds since 1970 */
};

/* A line; none where nothing is known. */
void timespan_print(const struct timespan *span, FILE *out);
/* The keys "first" and "last"; null where nothing is known. */
void timespan_write(const struct timespan *span, struct json_writer *w);

#endif
