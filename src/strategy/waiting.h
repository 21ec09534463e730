/* waiting - examined pages whose turn has not come: their links are fetched together, once the page is chosen.
 *
 * The queue of Liu, Milios and Janssen holds downloaded pages, ours holds URLs. A waiting page is in it by its links: all
 * have its priority. When one of them has been fetched, the page was chosen, and its other links go before everything
 * else. On resume those of the last WAITING_RECENT chosen pages do again.
 * Bounds: 56 to 64 bytes a page, 4 a link of the pages that wait or were chosen last, WAITING_LINKS a page at most.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_WAITING_H
#define SCENT_STRATEGY_WAITING_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/status.h"
#include "learn/hmm.h"

enum { WAITING_LINKS = 4096, WAITING_RECENT = 64 };

struct waiting_page {
    float delta[HMM_STATES];
    float worth;
    uint32_t id;
    uint32_t nlinks;
    uint32_t *links; /* URL ids; NULL: not needed any more */
    bool chosen;
};

struct waiting {
    struct waiting_page *pages;
    uint32_t *slots; /* open addressing by URL id: the number of its page + 1; 0: empty */
    size_t npages, nslots, pages_room;
    uint32_t recent[WAITING_RECENT]; /* chosen last, the oldest first */
    uint32_t nrecent, told_pages, told_links; /* of those, what stale() has told */
};

void waiting_release(struct waiting *waiting);
/* NULL: no such page was examined. Both until the next waiting_add(). */
const struct waiting_page *waiting_find(const struct waiting *waiting, uint32_t id);
/* A page that was examined, or examined again. `links` are copied; STRATEGY_UNKNOWN ones are passed over. */
void waiting_add(struct waiting *waiting, const struct waiting_page *page, const uint32_t *links, uint32_t nlinks);
/* One of its links was fetched. */
void waiting_choose(struct waiting *waiting, uint32_t id);
/* The chosen page, of the recent ones, that has this link; NULL: none. */
const struct waiting_page *waiting_chosen(const struct waiting *waiting, uint32_t link);

/* As a strategy's stale(): the links of chosen pages that were not told yet. */
size_t waiting_stale(struct waiting *waiting, uint32_t *ids, size_t room);

void waiting_save(const struct waiting *waiting, struct buf *out);
void waiting_load(struct waiting *waiting, struct bytes *in); /* what is wrong is noted in `in` */

#endif
