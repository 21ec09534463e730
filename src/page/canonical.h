/* canonical - may the page's canonical link be believed?
 *
 * A canonical link says "the page that you hold is a copy of that one" (RFC 6596). Many are wrong: every page of a site
 * names the start page, page 7 of a list names page 1, https names http. A link that is believed costs nothing when it
 * is right (the target is fetched anyway) and the page when it is wrong, so what looks like such a mistake is not.
 * Pure; any thread. */
#ifndef SCENT_PAGE_CANONICAL_H
#define SCENT_PAGE_CANONICAL_H

#include "page/page.h"

enum page_canonical {
    PAGE_CANONICAL_NONE,      /* the page has no canonical link */
    PAGE_CANONICAL_SELF,      /* it is the page's own URL */
    PAGE_CANONICAL_COPY,      /* the page is a copy of the target: queue that */
    PAGE_CANONICAL_ELSEWHERE, /* another registered domain: a link like others, but no reason to doubt the page */
    PAGE_CANONICAL_MISTAKE    /* to be ignored */
};

/* The target is page->canonical. The page's own URL must be normalised as its links are. */
enum page_canonical page_canonical_target(const struct page *page);

#endif
