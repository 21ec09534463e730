/* page_graph - pages that are known before a crawl, and the links between them in both directions.
 *
 * Back-links say who speaks about a page before the page is read: models learn from the words around them, hubs are
 * found by them, and strategies learn from the pages around the examples of a topic. The pages lie elsewhere (a
 * collection of the lab, an archive: training/archive_graph.h) and are asked for by their numbers.
 * A page that links to another several times counts once, by its first link; links to itself do not count.
 * 12 bytes a link and 16 a page. Made by one pass over the pages, read-only from then on; the numbers from any thread,
 * pages as their source allows. */
#ifndef SCENT_PAGE_PAGE_GRAPH_H
#define SCENT_PAGE_PAGE_GRAPH_H

#include "base/rng.h"
#include "base/status.h"
#include "page/page.h"

#define PAGE_GRAPH_FAR UINT32_MAX /* a distance: there is no way */

struct page_graph_source {
    uint32_t count; /* of pages: 0, 1, … */
    /* A page, valid until the next call, and the page that each of its links leads to (PAGE_NONE: none that is known).
     * NULL: it cannot be read. */
    const struct page *(*page)(void *ctx, uint32_t number, const uint32_t **targets);
    void *ctx;
};

struct page_backlink {
    uint32_t page, link; /* link of page->links */
};

struct page_graph;
/* The source outlives the graph. SCENT_E_NOMEM; SCENT_E_FORMAT: a page cannot be read. */
SCENT_NODISCARD scent_status page_graph_new(const struct page_graph_source *source, struct page_graph **out,
                                            struct errmsg *err);
void page_graph_free(struct page_graph *graph); /* NULL is fine */

uint32_t page_graph_count(const struct page_graph *graph);
/* As the source gives it. */
const struct page *page_graph_page(const struct page_graph *graph, uint32_t page, const uint32_t **targets);

/* The pages that `page` links to, in the order of its links. */
const uint32_t *page_graph_links(const struct page_graph *graph, uint32_t page, size_t *count);
/* Who links to `page`, in the order of the pages. */
const struct page_backlink *page_graph_backlinks(const struct page_graph *graph, uint32_t page, size_t *count);
/* At most `count` of them at random, each as likely as the others; returns how many. */
size_t page_graph_draw(const struct page_graph *graph, uint32_t page, size_t count, struct rng *rng,
                       struct page_backlink *out);

/* distances[page_graph_count()]: the links that lead from each page to the nearest of the goals, at least; ways of more
 * than `most` links are not looked for. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status page_graph_distances(const struct page_graph *graph, const uint32_t *goals, size_t ngoals,
                                                  uint32_t most, uint32_t *distances);

#endif
