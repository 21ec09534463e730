/* linkgraph - the links of examined pages, for strategies that compute over them: 4 bytes a link, 8 a page. */
#ifndef SCENT_STRATEGY_LINKGRAPH_H
#define SCENT_STRATEGY_LINKGRAPH_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

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
/* Adds a page; `targets` is sorted in place, what stands there twice and the page itself are left out. Returns how many
 * links were added. */
size_t linkgraph_add(struct linkgraph *graph, uint32_t id, uint32_t *targets, size_t count);
/* Where the links of a page begin. */
size_t linkgraph_first(const struct linkgraph *graph, size_t page);

void linkgraph_save(const struct linkgraph *graph, struct buf *out);
/* Takes it off the front of *rest; false: damaged. */
SCENT_NODISCARD bool linkgraph_load(struct linkgraph *graph, struct str *rest);

#endif
