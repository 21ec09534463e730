/* sketch - a small graph as a picture: for Graphviz, or as SVG that is drawn here.
 *
 * Nodes stand in columns from left to right, edges carry a label. The SVG is self-contained, in light and dark; whatever
 * the names hold is escaped. */
#ifndef SCENT_APP_SKETCH_H
#define SCENT_APP_SKETCH_H

#include "base/buf.h"

struct sketch_node {
    struct str name;  /* also what is shown where the pointer rests */
    struct str shown; /* in the box */
    char below[24];   /* the second line */
    unsigned column, row;
    bool strong;
};

struct sketch_edge {
    uint32_t from, to; /* nodes */
    char label[16];
};

struct sketch {
    const char *title; /* static; plain text */
    const struct sketch_node *nodes;
    uint32_t nnodes;
    const struct sketch_edge *edges;
    size_t nedges;
};

void sketch_dot(const struct sketch *sketch, struct buf *out);
void sketch_svg(const struct sketch *sketch, struct buf *out);

#endif
