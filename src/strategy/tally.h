/* tally - how many pages had something in common, and how many of them were relevant? Keys are hashes of hosts,
 * directories, anchors, words and the like. What the counts of a key say (its log odds beyond those of the crawl) is
 * kept with them, so that asking is a probe.
 *
 * A table of fixed size, 8 MiB that are used as keys come: a key has one of two places. Where both are taken, a key
 * that was counted once gives way and others stay, so that a large crawl forgets what it met once. Most keys that are
 * asked for were never counted: 32 KiB of bits, which stay in a cache near the processor, tell most of these. What
 * other crawls counted is kept by itself, 32 to 48 bytes a key, and the crawl's own counts beside the sums (8 MiB
 * more): so it can be taken away again, whatever gave way to it. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_TALLY_H
#define SCENT_STRATEGY_TALLY_H

#include "base/bytes.h"
#include "base/map.h"

enum { TALLY_SLOTS = 1 << 19 };

struct tally {
    struct tally_slot {
        uint32_t key; /* 0: empty */
        float pages, relevant;
        float odds;
    } *slots, *own; /* own: those of this crawl; NULL: all are */
    uint64_t used[TALLY_SLOTS / 2 / 64]; /* a bit for each pair of places: it may hold something */
    struct tally_recalled {
        uint32_t key;
        double pages, relevant;
    } *recalled; /* of other crawls; of some nothing may be left */
    size_t nrecalled, recalled_room;
    struct map by_key;
    bool is_late; /* the sums are not yet what they should be */
};

/* Of a hash; never 0. */
static inline uint32_t tally_key(uint64_t hash)
{
    uint32_t key = (uint32_t)hash;

    return key ? key : 1;
}

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
static inline const struct tally_slot *tally_find(const struct tally *tally, uint32_t key)
{
    const struct tally_slot *slot;

    /* The bit of its pair of places, in fewer steps. */
    if (!(tally->used[key / 128 % (TALLY_SLOTS / 128)] >> key / 2 % 64 & 1))
        return NULL;
    slot = &tally->slots[key % TALLY_SLOTS];
    if (slot->key != key)
        slot = &tally->slots[(key ^ 1) % TALLY_SLOTS];
    return key && slot->key == key ? slot : NULL;
}
static inline float tally_say(const struct tally *tally, uint32_t key)
{
    const struct tally_slot *slot = tally_find(tally, key);

    return slot ? slot->odds : 0;
}
/* One page more that has it. */
void tally_count(struct tally *tally, uint32_t key, float relevant, const struct tally_base *base);
/* One page more that has these, one after the other. */
void tally_count_all(struct tally *tally, const uint32_t *keys, size_t count, float relevant,
                     const struct tally_base *base);

/* All counts, for the same crawl. */
void tally_save(const struct tally *tally, struct buf *out); /* it is settled */
void tally_load(struct tally *tally, struct bytes *in); /* what is wrong is noted in `in` */
/* The sums for other crawls, in a fixed order: equal sums are equal bytes. */
void tally_learned(const struct tally *tally, struct buf *out);
/* Adds `weight` times the counts of another crawl; 0 only looks whether they are sound, -1 takes them away. They count
 * after tally_settle(), which takes a pass over the table. */
void tally_recall(struct tally *tally, struct bytes *in, double weight);
void tally_settle(struct tally *tally, const struct tally_base *base);

#endif
