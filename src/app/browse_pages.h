/* browse_pages - the pages of browsing sessions, from the archive into which they were fetched. */
#ifndef SCENT_APP_BROWSE_PAGES_H
#define SCENT_APP_BROWSE_PAGES_H

#include "browse/browse.h"
#include "page/page.h"
#include "training/lookup.h"

/* Keeps of each page what a model needs: its words and the addresses of its links. */
struct browse_pages {
    struct archive *archive; /* NULL: nothing was fetched */
    struct lookup lookup;
    struct page_analyser *analyser;
    struct arena arena, scratch;
    bool full; /* memory was short */
};

/* `dir`: a crawl directory, or any archive. */
void browse_pages_init(struct browse_pages *pages, const char *dir, const struct log *log);
void browse_pages_release(struct browse_pages *pages);
/* For browse_learn(). */
struct browse_source browse_pages_source(struct browse_pages *pages);

#endif
