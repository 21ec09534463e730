#include "strategy/shortlist.h"

#include "strategy/strategy.h"

#include <string.h>

static inline uint64_t *word_of(struct shortlist *list, uint32_t id)
{
    return &list->bits[id % SHORTLIST_BITS / 64];
}

void shortlist_clear(struct shortlist *list)
{
    list->count = 0;
    memset(list->bits, 0, sizeof list->bits);
}

void shortlist_keep(struct shortlist *list, float priority, uint32_t id)
{
    struct shortlist_item *items = list->items;
    size_t at = list->count;

    if (at == SHORTLIST && priority <= items[SHORTLIST - 1].priority)
        return;
    if (at == SHORTLIST)
        at--;
    else
        list->count++;
    for (; at && items[at - 1].priority < priority; at--) /* few steps, so that a search and memmove() cost more */
        items[at] = items[at - 1];
    items[at] = (struct shortlist_item){.priority = priority, .id = id};
    *word_of(list, id) |= (uint64_t)1 << id % 64;
}

void shortlist_meet(struct shortlist *list, float priority, uint32_t id)
{
    if (list->count == SHORTLIST && priority <= list->items[SHORTLIST - 1].priority)
        return;
    for (size_t i = 0; i < list->count && *word_of(list, id) >> id % 64 & 1; i++)
        if (list->items[i].id == id)
            return;
    shortlist_keep(list, priority, id);
}

size_t shortlist_hand_out(const uint32_t *stale, size_t count, size_t *handed, bool *all, uint32_t *ids, size_t room)
{
    count -= *handed;
    if (*all) {
        *all = false;
        return STRATEGY_ALL;
    }
    count = count < room ? count : room;
    if (count)
        memcpy(ids, stale + *handed, count * sizeof *ids);
    *handed += count;
    return count;
}

void shortlist_save(const struct shortlist *list, struct buf *out)
{
    bytes_put(out, list->count, 8);
    for (size_t i = 0; i < SHORTLIST; i++) {
        struct shortlist_item item = i < list->count ? list->items[i] : (struct shortlist_item){0};

        bytes_put_float(out, item.priority);
        bytes_put(out, item.id, 4);
    }
}

void shortlist_load(struct shortlist *list, struct bytes *in)
{
    shortlist_clear(list);
    list->count = bytes_get(in, 8);
    if (!bytes_check(in, list->count <= SHORTLIST, "too many candidates are the best"))
        list->count = 0;
    for (size_t i = 0; i < SHORTLIST; i++) {
        list->items[i].priority = bytes_get_float(in);
        list->items[i].id = (uint32_t)bytes_get(in, 4);
        *word_of(list, list->items[i].id) |= (uint64_t)1 << list->items[i].id % 64;
    }
}
