/* browse_tell - what a browsing model has learned: for people, for programs, and as a picture. */
#ifndef SCENT_APP_BROWSE_TELL_H
#define SCENT_APP_BROWSE_TELL_H

#include "browse/browse.h"

#include <stdio.h>

void browse_tell_people(const struct browse *browse, FILE *out);
void browse_tell_json(const struct browse *browse, const char *path, const struct browse_met *met, struct buf *out);
/* The concept graph: for Graphviz, or as SVG. */
void browse_tell_graph(const struct browse *browse, bool svg, struct buf *out);

#endif
