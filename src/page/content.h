/* content - which blocks of a page are its content, and which are boilerplate: navigation, sidebars, footers?
 *
 * A pure function of the page, then of the page and the blocks that are known to repeat on its host:
 *
 *   1. Elements and roles are believed: nav, aside, footer and the header of a page are boilerplate; main, or articles
 *      with most of the text, are all of the content.
 *   2. Classes and ids are hints ("sidebar", "breadcrumbs", "content"), believed while enough text is left.
 *   3. Where no element says so, the content is the run of blocks in which the words that are not links exceed those
 *      that are by most (a maximum subsequence: Pasternack and Roth 2009).
 *   4. Blocks that repeat on the host are boilerplate; headings are not asked.
 *
 * Each step is left out where it would leave next to nothing, so every page with words has content. Links, words and
 * terms of the page are marked accordingly. Linear in blocks and in words of boilerplate. Pure; any thread. */
#ifndef SCENT_PAGE_CONTENT_H
#define SCENT_PAGE_CONTENT_H

#include "page/page.h"
#include "page/tag.h"

enum content_zone {
    CONTENT_NAV = 1,     /* nav, or the role of one */
    CONTENT_ASIDE = 2,
    CONTENT_FOOTER = 4,
    CONTENT_HEADER = 8,  /* of the page, not of an article */
    CONTENT_MAIN = 16,
    CONTENT_ARTICLE = 32,
    CONTENT_UNLIKELY = 64, /* a class says boilerplate … */
    CONTENT_LIKELY = 128   /* … or content */
};

/* The zone that an element begins, inside of `zones`; 0: none. */
unsigned content_tag_zone(enum page_tag tag, unsigned zones);
unsigned content_role_zone(struct str role, unsigned zones);
unsigned content_class_zone(struct str names); /* of a class or an id */

/* Sets is_boilerplate of all blocks (steps 1 to 3). */
void content_choose(struct page_block *blocks, size_t count);
/* Sets is_boilerplate of the links by that of the blocks. */
void content_mark_links(struct page *page);

/* Step 4, once a page whose blocks have fingerprints: `repeated` are those of blocks of its host, sorted. */
void content_drop_repeated(struct page *page, const uint64_t *repeated, size_t count);
/* Of the words of a block, a multiple of 4; 0: it says too little, or is a heading, and cannot repeat. */
uint64_t content_fingerprint(const struct page *page, const struct page_block *block);

#endif
