/* rulegraph - the paths of interclass rules that lead to targets, as a picture (sketch.h): for Graphviz, or as SVG.
 *
 * In the SVG a column holds the classes that are equally many rules away from a target; targets stand at the right. */
#ifndef SCENT_APP_RULEGRAPH_H
#define SCENT_APP_RULEGRAPH_H

#include "base/buf.h"
#include "learn/rulebook.h"

struct rulegraph {
    const struct rulebook *rules;
    const double *x;      /* their shares */
    const bool *wanted;   /* the targets */
    const double *scores; /* of each class */
    const struct rulebook_path *paths; /* that are shown */
    size_t npaths;
};

void rulegraph_dot(const struct rulegraph *graph, struct buf *out);
void rulegraph_svg(const struct rulegraph *graph, struct buf *out);

#endif
