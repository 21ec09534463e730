#include "frontier/hostheap.h"

#include <stdlib.h>

/* The key in two halves: 12 bytes instead of 16. */
struct hostheap_entry {
    uint32_t high, low, host;
};

void hostheap_init(struct hostheap *heap, struct hosttable *table, enum hosttable_place place)
{
    *heap = (struct hostheap){.table = table, .place = place};
}

void hostheap_release(struct hostheap *heap)
{
    free(heap->entries);
    *heap = (struct hostheap){0};
}

scent_status hostheap_reserve(struct hostheap *heap)
{
    uint32_t need = hosttable_count(heap->table);
    size_t room = heap->room + heap->room / 2 + 64;
    struct hostheap_entry *entries;

    if (need <= heap->room)
        return SCENT_OK;
    if (room < need)
        room = need;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    entries = realloc(heap->entries, room * sizeof *entries);
    if (!entries)
        return SCENT_E_NOMEM;
    heap->entries = entries;
    heap->room = (uint32_t)room;
    return SCENT_OK;
}

static bool before(const struct hostheap_entry *a, const struct hostheap_entry *b)
{
    if (a->high != b->high)
        return a->high < b->high;
    return a->low != b->low ? a->low < b->low : a->host < b->host;
}

static void put(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    heap->entries[i] = entry;
    hosttable_at(heap->table, entry.host)->position = i;
}

static void sift_up(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    while (i && before(&entry, &heap->entries[(i - 1) / 2])) {
        put(heap, i, heap->entries[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(heap, i, entry);
}

static void sift_down(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    for (;;) {
        size_t child = (size_t)i * 2 + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!before(&heap->entries[child], &entry))
            break;
        put(heap, i, heap->entries[child]);
        i = (uint32_t)child;
    }
    put(heap, i, entry);
}

static void settle(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    if (i && before(&entry, &heap->entries[(i - 1) / 2]))
        sift_up(heap, i, entry);
    else
        sift_down(heap, i, entry);
}

static struct hostheap_entry make_entry(uint32_t host, uint64_t key)
{
    return (struct hostheap_entry){(uint32_t)(key >> 32), (uint32_t)key, host};
}

void hostheap_set(struct hostheap *heap, uint32_t host, uint64_t key)
{
    struct hosttable_host *at = hosttable_at(heap->table, host);

    if (at->place == heap->place)
        settle(heap, at->position, make_entry(host, key));
    else {
        hostheap_append(heap, host, key);
        sift_up(heap, heap->count - 1, make_entry(host, key));
    }
}

void hostheap_remove(struct hostheap *heap, uint32_t host)
{
    struct hosttable_host *at = hosttable_at(heap->table, host);
    struct hostheap_entry last;

    if (at->place != heap->place)
        return;
    at->place = HOSTTABLE_NOWHERE;
    last = heap->entries[--heap->count];
    if (last.host != host)
        settle(heap, at->position, last);
}

bool hostheap_first(const struct hostheap *heap, uint32_t *host, uint64_t *key)
{
    if (heap->count == 0)
        return false;
    *host = heap->entries[0].host;
    *key = (uint64_t)heap->entries[0].high << 32 | heap->entries[0].low;
    return true;
}

void hostheap_clear(struct hostheap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++)
        hosttable_at(heap->table, heap->entries[i].host)->place = HOSTTABLE_NOWHERE;
    heap->count = 0;
}

void hostheap_append(struct hostheap *heap, uint32_t host, uint64_t key)
{
    struct hosttable_host *at = hosttable_at(heap->table, host);

    SCENT_BUG_IF(at->place != HOSTTABLE_NOWHERE || heap->count == heap->room);
    at->place = (uint16_t)heap->place & 3;
    put(heap, heap->count++, make_entry(host, key));
}

void hostheap_order(struct hostheap *heap)
{
    for (uint32_t i = heap->count / 2; i-- > 0;)
        sift_down(heap, i, heap->entries[i]);
}
