#include "strategy/tally.h"

#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

float tally_odds(float pages, float relevant, const struct tally_base *base)
{
    float good = relevant + base->pull * base->share;
    float bad = pages - relevant + base->pull * (1 - base->share);

    return logf(fmaxf(good, 1e-4f) / fmaxf(bad, 1e-4f)) - base->odds;
}

void tally_init(struct tally *tally)
{
    tally->slots = calloc(TALLY_SLOTS, sizeof *tally->slots);
    SCENT_BUG_IF(!tally->slots);
}

void tally_release(struct tally *tally)
{
    free(tally->slots);
}

const struct tally_slot *tally_find(const struct tally *tally, uint32_t key)
{
    const struct tally_slot *slot = &tally->slots[key % TALLY_SLOTS];

    if (slot->key != key)
        slot = &tally->slots[(key ^ 1) % TALLY_SLOTS];
    return key && slot->key == key ? slot : NULL;
}

/* Its place, where it has or gets one. */
static struct tally_slot *claim(struct tally *tally, uint32_t key)
{
    struct tally_slot *slots[2] = {&tally->slots[key % TALLY_SLOTS], &tally->slots[(key ^ 1) % TALLY_SLOTS]};

    for (int i = 0; i < 2; i++)
        if (slots[i]->key == key)
            return slots[i];
    for (int i = 0; i < 2; i++)
        if (slots[i]->pages <= 1) {
            *slots[i] = (struct tally_slot){.key = key};
            return slots[i];
        }
    return NULL;
}

void tally_count(struct tally *tally, uint32_t key, float relevant, const struct tally_base *base)
{
    struct tally_slot *slot = key ? claim(tally, key) : NULL;

    if (!slot)
        return;
    slot->pages++;
    slot->relevant += relevant;
    slot->odds = tally_odds(slot->pages, slot->relevant, base);
}

/* ---- keeping: the two keys of a pair of places in ascending order ---- */

static bool precedes(uint32_t a, uint32_t b)
{
    uint32_t x = a % TALLY_SLOTS / 2, y = b % TALLY_SLOTS / 2;

    return x != y ? x < y : a < b;
}

static void put_slot(const struct tally_slot *slot, bool odds, struct buf *out)
{
    if (!slot->key)
        return;
    bytes_put(out, slot->key, 4);
    saved_put_count(out, (double)slot->pages);
    saved_put_count(out, (double)slot->relevant);
    if (odds)
        bytes_put_float(out, slot->odds);
}

void tally_save(const struct tally *tally, bool odds, struct buf *out)
{
    uint32_t count = 0;

    for (size_t i = 0; i < TALLY_SLOTS; i++)
        count += tally->slots[i].key != 0;
    bytes_put(out, count, 4);
    for (size_t i = 0; i < TALLY_SLOTS; i += 2) {
        const struct tally_slot *a = &tally->slots[i], *b = a + 1;
        bool turned = a->key > b->key;

        put_slot(turned ? b : a, odds, out);
        put_slot(turned ? a : b, odds, out);
    }
}

static struct tally_slot get_slot(struct bytes *in, uint32_t before, bool odds)
{
    struct tally_slot slot = {.key = (uint32_t)bytes_get(in, 4)};

    slot.pages = (float)saved_get_count(in);
    slot.relevant = (float)saved_get_count(in);
    slot.odds = odds ? bytes_get_float(in) : 0;
    bytes_check(in, slot.key && (!before || precedes(before, slot.key)), "keys are not in order");
    bytes_check(in, slot.pages > 0 && slot.relevant <= slot.pages * 1.0001f, "a count is out of range");
    return slot;
}

void tally_load(struct tally *tally, struct bytes *in)
{
    uint32_t count = (uint32_t)bytes_get(in, 4), before = 0;

    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct tally_slot slot = get_slot(in, before, true), *place = in->wrong ? NULL : claim(tally, slot.key);

        if (place)
            *place = slot;
        before = slot.key;
    }
}

void tally_recall(struct tally *tally, struct bytes *in, float weight, const struct tally_base *base)
{
    uint32_t count = (uint32_t)bytes_get(in, 4), before = 0;

    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct tally_slot slot = get_slot(in, before, false), *place;

        before = slot.key;
        if (in->wrong || weight == 0 || !(place = claim(tally, slot.key)))
            continue;
        place->pages += weight * slot.pages;
        place->relevant += weight * slot.relevant;
        place->odds = tally_odds(place->pages, place->relevant, base);
    }
}
