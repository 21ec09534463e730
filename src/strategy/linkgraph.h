/* linkgraph - the links of examined pages, for strategies that compute over all of them: 4 bytes a link, 8 a page.
 * (linkmap.h keeps less of each page, and what parents and siblings tell of a URL.) */
#ifndef SCENT_STRATEGY_LINKGRAPH_H
#define SCENT_STRATEGY_LINKGRAPH_H

#include "base/bytes.h"
#include "strategy/strategy.h"

struct linkgraph {
    uint32_t *links; /* targets, page by page, each once a page, sorted */
    size_t nlinks, links_room;
    struct linkgraph_page {
        uint32_t id, end; /* its links end at links[end]; they begin where those of the page before end */
    } *pages;
    size_t npages, pages_room;
    uint32_t nurls; /* the largest id + 1 */
};

void linkgraph_release(struct linkgraph *graph);
/* Adds a page with those of its links whose targets are known and for which `takes` (NULL: all) says yes; links to one
 * target count once, those to the page itself not at all. Returns how many links were added. */
size_t linkgraph_add(struct linkgraph *graph, const struct strategy_visit *visit,
                     bool (*takes)(const struct page *page, const struct page_link *link));

/* The authorities by HITS with weights (see the distiller), one a URL, the largest 1; `relevance` likewise. To be
 * freed. */
float *linkgraph_authorities(const struct linkgraph *graph, const float *relevance);

void linkgraph_save(const struct linkgraph *graph, struct buf *out);
void linkgraph_load(struct linkgraph *graph, struct bytes *in); /* what is wrong is noted in `in` */

/* distiller - hubs of the topic: pages that link to many relevant pages on other hosts (Chakrabarti's distiller).
 *
 * HITS over the crawled pages with weights: a(v) = sum over u -> v of rel(v) h(u), h(u) = sum over u -> v of rel(u)
 * a(v), only between different hosts. The links of the best hubs that are not fetched yet are raised: their priority is
 * 1 + h/(the best h). Computed anew when the crawl has grown by a tenth.
 * State: 4 bytes a link between hosts, 16 a page, 8 a URL. */
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
bool distiller_explain(const struct distiller *distiller, uint32_t id, struct strategy_score *score);
SCENT_NODISCARD scent_status distiller_save(const struct distiller *distiller, struct buf *out);
SCENT_NODISCARD scent_status distiller_load(struct distiller *distiller, struct str blob, struct errmsg *err);

#endif
