/* output - what several commands print alike: JSON, the time span of a file, progress, small graphs. */
#ifndef SCENT_APP_OUTPUT_H
#define SCENT_APP_OUTPUT_H

#include "base/buf.h"
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

/* diagram - a small graph as a picture: for Graphviz, or as SVG that is drawn here.
 *
 * Nodes stand in columns from left to right, edges carry a label. The SVG is self-contained, in light and dark;
 * whatever the names hold is escaped. */
struct diagram_node {
    struct str name;  /* also what is shown where the pointer rests */
    struct str shown; /* in the box */
    char below[24];   /* the second line */
    unsigned column, row;
    bool strong;
};

struct diagram_edge {
    uint32_t from, to; /* nodes */
    char label[16];
};

struct diagram {
    const char *title; /* static; plain text */
    const struct diagram_node *nodes;
    uint32_t nnodes;
    const struct diagram_edge *edges;
    size_t nedges;
};

void diagram_dot(const struct diagram *diagram, struct buf *out);
void diagram_svg(const struct diagram *diagram, struct buf *out);

#endif
