/* tally - how many pages had something in common, and how many of them were relevant? Keys are hashes of hosts,
 * directories, anchors, words and the like. What the counts of a key say (its log odds beyond those of the crawl) is
 * kept with them, so that asking is a probe.
 *
 * A table of fixed size, 8 MiB that are used as keys come: a key has one of two places. Where both are taken, a key
 * that was counted once gives way and others stay, so that a large crawl forgets what it met once. Counts are floats:
 * those of other crawls come in fractions. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_TALLY_H
#define SCENT_STRATEGY_TALLY_H

#include "base/bytes.h"

enum { TALLY_SLOTS = 1 << 19 };

struct tally {
    struct tally_slot {
        uint32_t key; /* 0: empty */
        float pages, relevant;
        float odds;
    } *slots;
};

/* What counts are drawn to, and compared with: shares of relevant pages. */
struct tally_base {
    float pull;   /* pages that draw a share to `share` */
    float share;
    float odds;   /* ln(p/(1-p)) of the crawl */
};
/* ln(s/(1-s)) - base->odds, s the share of so many pages drawn to that of `base`. */
float tally_odds(float pages, float relevant, const struct tally_base *base);

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);
/* NULL: nothing was counted. Of key 0 nothing ever is. */
const struct tally_slot *tally_find(const struct tally *tally, uint32_t key);
static inline float tally_say(const struct tally *tally, uint32_t key)
{
    const struct tally_slot *slot = tally_find(tally, key);

    return slot ? slot->odds : 0;
}
/* One page more that has it. */
void tally_count(struct tally *tally, uint32_t key, float relevant, const struct tally_base *base);

/* All counts, for the same crawl (with what they say) or for others. */
void tally_save(const struct tally *tally, bool odds, struct buf *out);
void tally_load(struct tally *tally, struct bytes *in); /* with what they say; what is wrong is noted in `in` */
/* Adds `weight` times the counts of another crawl; 0 only looks whether they are sound. */
void tally_recall(struct tally *tally, struct bytes *in, float weight, const struct tally_base *base);

#endif
