/* topic_walks - interclass rules from random walks, the topic citation matrix of Chakrabarti and others, which
 * Altingovde and Ulusoy leave to future work: instead of the links of the examples those along walks count, from a
 * random example on. Classes that walks pass often count more, and the pages between the examples tell, too.
 *
 * Each step takes one of the links to pages of a known class, with the same probability; a walk ends where there is
 * none, or after TOPIC_WALKS_STEPS links. The same seed gives the same walks. Pure but for what it counts. */
#ifndef SCENT_TRAINING_TOPIC_WALKS_H
#define SCENT_TRAINING_TOPIC_WALKS_H

#include "learn/model.h"
#include "learn/rulebook.h"
#include "page/page_graph.h"

enum { TOPIC_WALKS_STEPS = 20 };

struct topic_walks {
    const uint32_t *class; /* of every page; RULEBOOK_NONE: unknown, walks do not enter */
    const uint32_t *(*links)(const void *ctx, uint32_t page, size_t *count); /* pages that it links to */
    const void *ctx;
    const uint32_t *starts; /* pages */
    size_t nstarts;
    uint32_t walks;
    uint64_t seed;
};
/* Returns the number of links that were counted. */
uint64_t topic_walks_count(const struct topic_walks *walks, struct rulebook *rules);

/* class[page_graph_count()]: the best class of each page by the model; RULEBOOK_NONE for one without words, or that
 * cannot be read. `on_read` may be NULL. */
void topic_walks_classify(const struct page_graph *graph, const struct model *model,
                          void (*on_read)(void *ctx, size_t done, size_t all), void *ctx, uint32_t *class);

#endif
