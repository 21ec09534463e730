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
/* Where the links of a page begin. */
size_t linkgraph_first(const struct linkgraph *graph, size_t page);

void linkgraph_save(const struct linkgraph *graph, struct buf *out);
void linkgraph_load(struct linkgraph *graph, struct bytes *in); /* what is wrong is noted in `in` */

#endif
