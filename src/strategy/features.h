/* features - for how many crawled pages did a feature hold, and how many of them were relevant? Features are 64-bit
 * hashes of stems, URL tokens, users or signatures; each gets a number. What a feature says now (its interest ratio) is
 * computed when it is first asked for, and kept until the counts have changed. 44 to 72 bytes a feature, 16 to 24 more
 * where it is recalled from another crawl. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_FEATURES_H
#define SCENT_STRATEGY_FEATURES_H

#include "base/bytes.h"
#include "base/map.h"
#include "page/page.h"
#include "strategy/ratios.h"

#define FEATURES_NONE UINT32_MAX

struct features {
    struct features_count {
        uint64_t key;
        uint32_t pages, relevant;
    } *counts;
    /* What other crawls taught of the first `nrecalled`, beside what this one counts: whole numbers stay exact. */
    struct features_seen {
        double pages, relevant;
    } *recalled;
    size_t nrecalled, recalled_room;
    /* Of each feature: the moment in which its value was last computed, and one more where it says something. Apart
     * from the values, since most features say nothing most of the time. */
    uint32_t *at;
    struct features_mark {
        double value;
        uint32_t round; /* the last one in which the feature was met */
    } *marks;
    size_t count, room;
    struct map by_key;
    uint32_t round, moment; /* moments are even */
};

void features_release(struct features *features);
uint32_t features_find(const struct features *features, uint64_t key); /* FEATURES_NONE: never met */
uint32_t features_number(struct features *features, uint64_t key);     /* met for the first time: it is added */

/* What it says of a page (ratios_now_if_significant), since the last features_renew(): to be called when counts, or
 * what they are compared with, have changed. */
void features_renew(struct features *features);
double features_value(struct features *features, const struct ratios_now *now, uint32_t feature);
/* The sum of what items say, each of which is given once. */
double features_add_up(struct features *features, const struct ratios_now *now, const uint32_t *items, size_t count);
/* The same of several lists that have some in common. */
struct features_list {
    const uint32_t *items;
    size_t count;
};
struct features_totals {
    double all;      /* the sum of what they say, */
    double distinct; /* and with each of them once */
};
struct features_totals features_total(struct features *features, const struct ratios_now *now,
                                      const struct features_list *lists, size_t nlists);

/* A set of items at a time: after features_begin() features_first() is true once for each. */
void features_begin(struct features *features);
bool features_first(struct features *features, uint32_t feature);

/* Of this crawl and of those that it recalls. */
static inline struct features_seen features_sum(const struct features *features, uint32_t feature)
{
    struct features_seen sum = {features->counts[feature].pages, features->counts[feature].relevant};

    if (feature < features->nrecalled) {
        sum.pages += features->recalled[feature].pages;
        sum.relevant += features->recalled[feature].relevant;
    }
    return sum;
}

/* The sums, for other crawls: in the order of keys, so that equal sums are equal bytes. */
void features_learned(const struct features *features, struct buf *out);
/* Adds `weight` times what was learned; a weight of 0 only looks whether it is sound. */
void features_recall(struct features *features, struct bytes *in, double weight);

void features_save(const struct features *features, struct buf *out);
void features_load(struct features *features, struct bytes *in); /* what is wrong is noted in `in` */

/* ---- features of a page that may be known before it is seen; pure functions ---- */

/* The `room` (at most) most frequent stems of a page that links to it; of equally frequent ones those that come first
 * in the bag. Two walks over the bag. */
size_t features_stems(const struct page *page, uint64_t *stems, size_t room);

/* The part of a URL that has tokens: all but the scheme, which says nothing of a page, and the fragment. */
struct str features_url_text(const struct url *url);
/* Takes the next token off the front of *rest, which is split at . and /, or (fine) at all but letters and digits.
 * Large and small letters are the same. False: there is none left. */
bool features_token(struct str *rest, bool fine, uint64_t *key);

#endif
