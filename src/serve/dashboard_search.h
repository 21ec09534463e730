/* dashboard_search - full-text search in one crawl for the dashboard.
 *
 * The first search starts a thread that brings the index up to date and keeps it so; beside a crawl that runs it rests
 * most of the time, so that the crawl keeps its speed. Whatever is in the index is found meanwhile. */
#ifndef SCENT_SERVE_DASHBOARD_SEARCH_H
#define SCENT_SERVE_DASHBOARD_SEARCH_H

#include "serve/dashboard_parts.h"

struct indexer;
void indexer_stop(struct indexer *indexer); /* NULL is fine */
void answer_search(struct call *call);

#endif
