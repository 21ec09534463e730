/* openlist - examined pages that are not expanded yet: their links are fetched together, once the page is expanded.
 *
 * The queue of Liu, Milios and Janssen holds downloaded pages, ours holds URLs. An open page is in it by its links: all
 * have its priority. When one of them has been fetched, the page is expanded, and its other links go before everything
 * else. On resume those of the last OPENLIST_RECENT expanded pages do again.
 * Bounds: 56 to 72 bytes a page, 4 a link of the pages that are open or were expanded last, OPENLIST_LINKS a page at
 * most. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_OPENLIST_H
#define SCENT_STRATEGY_OPENLIST_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "learn/hmm.h"

enum { OPENLIST_LINKS = 4096, OPENLIST_RECENT = 64 };

struct openlist_page {
    float delta[HMM_STATES];
    float worth;
    uint32_t id;
    uint32_t nlinks;
    uint32_t *links; /* URL ids; NULL: not needed any more */
    bool expanded;
};

struct openlist {
    struct openlist_page *pages;
    size_t npages, pages_room;
    struct map by_id; /* the numbers of pages */
    uint32_t recent[OPENLIST_RECENT]; /* expanded last, the oldest first */
    uint32_t nrecent, told_pages, told_links; /* of those, what stale() has told */
};

void openlist_release(struct openlist *list);
/* NULL: no such page was examined. Both until the next openlist_add(). */
const struct openlist_page *openlist_find(const struct openlist *list, uint32_t id);
/* A page that was examined, or examined again. `links` are copied; STRATEGY_UNKNOWN ones are passed over. */
void openlist_add(struct openlist *list, const struct openlist_page *page, const uint32_t *links, uint32_t nlinks);
/* One of its links was fetched. */
void openlist_expand(struct openlist *list, uint32_t id);
/* The expanded page, of the recent ones, that has this link; NULL: none. */
const struct openlist_page *openlist_expanded(const struct openlist *list, uint32_t link);

/* As a strategy's stale(): the links of expanded pages that were not told yet. */
size_t openlist_stale(struct openlist *list, uint32_t *ids, size_t room);

void openlist_save(const struct openlist *list, struct buf *out);
void openlist_load(struct openlist *list, struct bytes *in); /* what is wrong is noted in `in` */

#endif
