/* diagram - a small graph as a picture: for Graphviz, or as SVG that is drawn here.
 *
 * Nodes stand in columns from left to right, edges carry a label. The SVG is self-contained, in light and dark;
 * whatever the names hold is escaped. */
#ifndef SCENT_APP_DIAGRAM_H
#define SCENT_APP_DIAGRAM_H

#include "base/buf.h"

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
