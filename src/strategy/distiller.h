/* distiller - hubs of the topic: pages that link to many relevant pages on other hosts (Chakrabarti's distiller).
 *
 * HITS over the crawled pages with weights: a(v) = sum over u -> v of rel(v) h(u), h(u) = sum over u -> v of rel(u)
 * a(v), only between different hosts. The links of the best hubs that are not fetched yet are raised: their priority is
 * 1 + h/(the best h). Computed anew when the crawl has grown by a tenth.
 * State: 4 bytes a link between hosts, 16 a page, 8 a URL. */
#ifndef SCENT_STRATEGY_DISTILLER_H
#define SCENT_STRATEGY_DISTILLER_H

#include "strategy/linkgraph.h"

struct distiller {
    uint32_t hubs; /* whose links are raised; 0: the distiller is off */
    struct linkgraph graph;
    float *relevance; /* of each page, in the order of the graph */
    float *hub;       /* after a computation */
    size_t pages_room, computed;
    float *raised;    /* of each URL: 0, or the priority that a hub gives it */
    uint32_t nraised; /* URLs that `raised` knows */
    uint32_t told;    /* of which stale() has spoken */
};

void distiller_release(struct distiller *distiller);
void distiller_observe(struct distiller *distiller, const struct strategy_visit *visit, double relevance);
/* As the calls of a strategy. */
size_t distiller_stale(struct distiller *distiller, uint32_t *ids, size_t room);
bool distiller_rescore(const struct distiller *distiller, uint32_t id, struct strategy_score *score);
SCENT_NODISCARD scent_status distiller_save(const struct distiller *distiller, struct buf *out);
SCENT_NODISCARD scent_status distiller_load(struct distiller *distiller, struct str blob, struct errmsg *err);

#endif
