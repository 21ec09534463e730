/* archive_graph - the pages of an archive and the links between them: back-links of a topic's examples, and the pages
 * around them, without asking the web.
 *
 * The archive is a collection (WARC files) or the directory of an earlier crawl. Pages are numbered as the archive has
 * them; redirects are other names of a page, and their own number is a page without words and links. Opening reads and
 * analyses every page once; memory as page_graph.h says, and 16 to 28 bytes a URL. Owner: the caller. Thread: one at a
 * time. */
#ifndef SCENT_TRAINING_ARCHIVE_GRAPH_H
#define SCENT_TRAINING_ARCHIVE_GRAPH_H

#include "base/log.h"
#include "page/page_graph.h"

enum { ARCHIVE_GRAPH_PAGES = 1 << 21 }; /* of an archive; the rest is left out with a warning */

struct archive_graph;
/* `whole_page` as in struct page_options. `on_read` (may be NULL) is told now and then how many pages are read.
 * SCENT_E_NOTFOUND, SCENT_E_NOMEM; `err` names the archive. */
SCENT_NODISCARD scent_status archive_graph_open(const char *path, bool whole_page, const struct log *log,
                                                void (*on_read)(void *ctx, size_t done, size_t all), void *ctx,
                                                struct archive_graph **out, struct errmsg *err);
void archive_graph_close(struct archive_graph *graph); /* NULL is fine */

const struct page_graph *archive_graph_pages(const struct archive_graph *graph);
/* The page of this URL, whatever its spelling, redirects followed. */
bool archive_graph_find(const struct archive_graph *graph, struct str href, uint32_t *page);

#endif
