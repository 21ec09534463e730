/* webgraph - the links between the pages of a browsing model, and how far each page is from a useful one; for this
 * folder. */
#ifndef SCENT_BROWSE_WEBGRAPH_H
#define SCENT_BROWSE_WEBGRAPH_H

#include "browse/browse.h"

struct webgraph_edge {
    uint32_t from, to;
};
struct webgraph {
    struct webgraph_edge *edges; /* each once, sorted; no page links to itself */
    size_t count;
};

/* In `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status webgraph_init(struct webgraph *graph, const struct browse_input *input,
                                           struct arena *arena);
/* labels[page]: links to the nearest useful page, by a breadth-first search against the links; 3 stands for three,
 * more, and no way at all. */
void webgraph_label(const struct webgraph *graph, const struct browse_input *input, uint8_t *labels);

#endif
