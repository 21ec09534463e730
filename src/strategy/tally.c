#include "strategy/tally.h"

#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

/* fmaxf() would be a call. */
static inline float at_least(float number, float least)
{
    return number > least ? number : least;
}

static inline float odds_of(float pages, float relevant, const struct tally_base *base)
{
    float good = relevant + base->pull * base->share;
    float bad = pages - relevant + base->pull * (1 - base->share);

    return logf(at_least(good, 1e-4f) / at_least(bad, 1e-4f)) - base->odds;
}

float tally_odds(float pages, float relevant, const struct tally_base *base)
{
    return odds_of(pages, relevant, base);
}

static struct tally_slot *make_slots(void)
{
    struct tally_slot *slots = calloc(TALLY_SLOTS, sizeof *slots);

    SCENT_BUG_IF(!slots);
    return slots;
}

void tally_init(struct tally *tally)
{
    *tally = (struct tally){.slots = make_slots()};
}

void tally_release(struct tally *tally)
{
    free(tally->slots);
    free(tally->own);
    free(tally->recalled);
    map_release(&tally->by_key);
}

/* Its place, where it has or gets one: an empty one, or that of a key that was counted once. Which of two such keys
 * gives way does not depend on where they are. */
static struct tally_slot *claim(struct tally_slot *table, uint32_t key)
{
    struct tally_slot *a = &table[key % TALLY_SLOTS], *b = &table[(key ^ 1) % TALLY_SLOTS], *place;

    if (a->key == key || b->key == key)
        return a->key == key ? a : b;
    if (!a->key || !b->key)
        place = !a->key ? a : b;
    else if (a->pages != b->pages)
        place = a->pages < b->pages ? a : b;
    else
        place = a->key < b->key ? a : b;
    if (place->pages > 1)
        return NULL;
    *place = (struct tally_slot){.key = key};
    return place;
}

static void mark_used(struct tally *tally, uint32_t key)
{
    uint32_t pair = key % TALLY_SLOTS / 2;

    tally->used[pair / 64] |= (uint64_t)1 << pair % 64;
}

/* once: what a page says that is the first of its key. */
static inline void count_in(struct tally_slot *table, uint32_t key, float relevant, const struct tally_base *base,
                            float once)
{
    struct tally_slot *slot = key ? claim(table, key) : NULL;

    if (!slot)
        return;
    slot->pages++;
    slot->relevant += relevant;
    slot->odds = slot->pages == 1 ? once : odds_of(slot->pages, slot->relevant, base);
}

void tally_count_all(struct tally *tally, const uint32_t *keys, size_t count, float relevant,
                     const struct tally_base *base)
{
    float once = odds_of(1, relevant, base);

    for (size_t i = 0; i < count; i++) {
        mark_used(tally, keys[i]);
        count_in(tally->slots, keys[i], relevant, base, once);
        if (tally->own)
            count_in(tally->own, keys[i], relevant, base, once);
    }
}

void tally_count(struct tally *tally, uint32_t key, float relevant, const struct tally_base *base)
{
    tally_count_all(tally, &key, 1, relevant, base);
}

/* ---- other crawls ---- */

static struct tally_recalled *recalled_of(struct tally *tally, uint32_t key)
{
    struct map_walk walk = map_find(&tally->by_key, key);

    while (map_next(&walk))
        if (tally->recalled[walk.value].key == key)
            return &tally->recalled[walk.value];
    SCENT_BUG_IF(!vec_reserve(&tally->recalled, &tally->recalled_room, tally->nrecalled + 1,
                              sizeof *tally->recalled) ||
                 map_add(&tally->by_key, key, (uint32_t)tally->nrecalled) != SCENT_OK);
    tally->recalled[tally->nrecalled] = (struct tally_recalled){.key = key};
    return &tally->recalled[tally->nrecalled++];
}

static void forget_recalled(struct tally *tally)
{
    free(tally->slots);
    tally->slots = tally->own;
    tally->own = NULL;
    tally->nrecalled = 0;
    map_clear(&tally->by_key);
}

/* With nothing left of others the table is the crawl's own again, to the bit. */
void tally_settle(struct tally *tally, const struct tally_base *base)
{
    bool any = false;

    if (!tally->is_late)
        return;
    tally->is_late = false;
    for (size_t i = 0; i < tally->nrecalled && !any; i++)
        any = tally->recalled[i].pages > 0;
    if (!any) {
        if (tally->own)
            forget_recalled(tally);
        return;
    }
    if (!tally->own) {
        tally->own = tally->slots;
        tally->slots = make_slots();
    }
    memcpy(tally->slots, tally->own, TALLY_SLOTS * sizeof *tally->slots);
    for (size_t i = 0; i < tally->nrecalled; i++) {
        const struct tally_recalled *more = &tally->recalled[i];
        struct tally_slot *slot = more->pages > 0 ? claim(tally->slots, more->key) : NULL;

        if (!slot)
            continue;
        mark_used(tally, more->key);
        slot->pages += (float)more->pages;
        slot->relevant += (float)more->relevant;
        slot->odds = tally_odds(slot->pages, slot->relevant, base);
    }
}

/* ---- as bytes: keys by their pair of places, and in ascending order there ---- */

static int by_place(const void *a, const void *b)
{
    uint32_t x = ((const struct tally_recalled *)a)->key, y = ((const struct tally_recalled *)b)->key;
    uint32_t first = x % TALLY_SLOTS / 2, second = y % TALLY_SLOTS / 2;

    return first != second ? (first > second) - (first < second) : (x > y) - (x < y);
}

void tally_learned(const struct tally *tally, struct buf *out)
{
    const struct tally_slot *own = tally->own ? tally->own : tally->slots;
    struct tally_recalled *sums = malloc((TALLY_SLOTS + tally->nrecalled) * sizeof *sums);
    size_t count = 0, kept = 0;

    SCENT_BUG_IF(!sums);
    for (size_t i = 0; i < TALLY_SLOTS; i++)
        if (own[i].key)
            sums[count++] = (struct tally_recalled){own[i].key, saved_round((double)own[i].pages),
                                                    saved_round((double)own[i].relevant)};
    for (size_t i = 0; i < tally->nrecalled; i++)
        if (tally->recalled[i].pages > 0)
            sums[count++] = tally->recalled[i];
    qsort(sums, count, sizeof *sums, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept && sums[kept - 1].key == sums[i].key) {
            sums[kept - 1].pages += sums[i].pages;
            sums[kept - 1].relevant += sums[i].relevant;
        } else {
            sums[kept++] = sums[i];
        }
    bytes_put(out, kept, 4);
    for (size_t i = 0; i < kept; i++) {
        bytes_put(out, sums[i].key, 4);
        saved_put_count(out, sums[i].pages);
        saved_put_count(out, sums[i].relevant);
    }
    free(sums);
}

void tally_recall(struct tally *tally, struct bytes *in, double weight)
{
    uint32_t count = (uint32_t)bytes_get(in, 4);
    struct tally_recalled before = {0};

    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct tally_recalled more = {.key = (uint32_t)bytes_get(in, 4)}, *sum;

        more.pages = saved_get_count(in);
        more.relevant = saved_get_count(in);
        bytes_check(in, more.key && (!before.key || by_place(&before, &more) < 0), "keys are not in order");
        bytes_check(in, more.pages > 0 && more.relevant <= more.pages * 1.0001, "a count is out of range");
        before = more;
        if (in->wrong || weight == 0)
            continue;
        sum = recalled_of(tally, more.key);
        sum->pages += saved_weigh(more.pages, weight);
        sum->relevant += saved_weigh(more.relevant, weight);
    }
    tally->is_late |= weight != 0;
}

/* ---- the same crawl ---- */

static void save_slots(const struct tally_slot *slots, struct buf *out)
{
    uint32_t count = 0;

    for (size_t i = 0; i < TALLY_SLOTS; i++)
        count += slots[i].key != 0;
    bytes_put(out, count, 4);
    for (uint32_t i = 0; i < TALLY_SLOTS; i++)
        if (slots[i].key) {
            bytes_put(out, i, 4);
            bytes_put(out, slots[i].key, 4);
            bytes_put_float(out, slots[i].pages);
            bytes_put_float(out, slots[i].relevant);
            bytes_put_float(out, slots[i].odds);
        }
}

static void load_slots(struct tally *tally, struct tally_slot *slots, struct bytes *in)
{
    uint64_t count = bytes_get(in, 4), least = 0;

    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        uint64_t at = bytes_get(in, 4);
        struct tally_slot slot = {.key = (uint32_t)bytes_get(in, 4)};

        slot.pages = bytes_get_float(in);
        slot.relevant = bytes_get_float(in);
        slot.odds = bytes_get_float(in);
        bytes_check(in, at >= least && at < TALLY_SLOTS && slot.key && slot.key % TALLY_SLOTS / 2 == at / 2,
                    "a key is out of place");
        bytes_check(in, slot.pages > 0 && slot.relevant >= 0 && slot.relevant <= slot.pages * 1.0001f &&
                        isfinite(slot.pages) && isfinite(slot.odds), "a count is out of range");
        if (!in->wrong) {
            slots[at] = slot;
            mark_used(tally, slot.key);
        }
        least = at + 1;
    }
}

void tally_save(const struct tally *tally, struct buf *out)
{
    SCENT_BUG_IF(tally->is_late);
    save_slots(tally->slots, out);
    bytes_put(out, tally->own != NULL, 1);
    if (!tally->own)
        return;
    save_slots(tally->own, out);
    bytes_put(out, tally->nrecalled, 4);
    for (size_t i = 0; i < tally->nrecalled; i++) {
        bytes_put(out, tally->recalled[i].key, 4);
        bytes_put_double(out, tally->recalled[i].pages);
        bytes_put_double(out, tally->recalled[i].relevant);
    }
}

void tally_load(struct tally *tally, struct bytes *in)
{
    uint64_t count;

    load_slots(tally, tally->slots, in);
    if (!bytes_get(in, 1))
        return;
    tally->own = make_slots();
    load_slots(tally, tally->own, in);
    count = bytes_get(in, 4);
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        uint32_t key = (uint32_t)bytes_get(in, 4);
        double pages = bytes_get_double(in), relevant = bytes_get_double(in);

        if (bytes_check(in, key && saved_is_count(pages) && relevant >= 0 && relevant <= pages * 1.0001,
                        "a count is out of range"))
            *recalled_of(tally, key) = (struct tally_recalled){key, pages, relevant};
    }
}
