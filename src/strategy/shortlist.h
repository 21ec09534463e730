/* shortlist - the best candidates that a strategy has met, best first, of equal ones the first: those that come next,
 * so that a bounded amount of work a page is spent where an error would matter. 8 bytes each. */
#ifndef SCENT_STRATEGY_SHORTLIST_H
#define SCENT_STRATEGY_SHORTLIST_H

#include "base/bytes.h"

enum { SHORTLIST = 64, SHORTLIST_BITS = 512 };

struct shortlist {
    struct shortlist_item {
        float priority; /* that it had when it was met */
        uint32_t id;
    } items[SHORTLIST];
    size_t count;
    uint64_t bits[SHORTLIST_BITS / 64]; /* of ids that may be on it, so that most others are not looked for */
};

void shortlist_clear(struct shortlist *list);

/* Of one that is not on it. */
void shortlist_keep(struct shortlist *list, float priority, uint32_t id);
/* Of one that may be on it. */
void shortlist_meet(struct shortlist *list, float priority, uint32_t id);

/* What stale() of a strategy returns and gives out: all candidates, once, where *all asks for it; else the next of the
 * `count` stale ones, of which *handed were given out. */
size_t shortlist_hand_out(const uint32_t *stale, size_t count, size_t *handed, bool *all, uint32_t *ids, size_t room);

/* As many bytes as there is room for. */
void shortlist_save(const struct shortlist *list, struct buf *out);
void shortlist_load(struct shortlist *list, struct bytes *in); /* what is wrong is noted in `in`; ids are not checked */

#endif
