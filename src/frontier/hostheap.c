#include "frontier/hostheap.h"

#include "base/vec.h"

#include <stdlib.h>

/* The key in two halves: 12 bytes instead of 16. */
struct hostheap_entry {
    uint32_t high, low, host;
};

enum { BLOCK_BITS = 10, BLOCK_HOSTS = 1 << BLOCK_BITS };

void hostheap_init(struct hostheap *heap, struct hostheap_pool *pool, struct hosttable *table,
                   enum hosttable_place place)
{
    *heap = (struct hostheap){.pool = pool, .table = table, .place = place};
    pool->heaps++;
}

static uint32_t blocks_for(uint32_t hosts)
{
    return (hosts + BLOCK_HOSTS - 1) >> BLOCK_BITS;
}

void hostheap_release(struct hostheap *heap)
{
    for (uint32_t i = 0, n = blocks_for(heap->count); i < n; i++)
        free(heap->blocks[i]);
    free(heap->blocks);
    *heap = (struct hostheap){0};
}

void hostheap_release_pool(struct hostheap_pool *pool)
{
    for (size_t i = 0; i < pool->nfree; i++)
        free(pool->free[i]);
    free(pool->free);
    *pool = (struct hostheap_pool){0};
}

/* Each heap may have begun a block that the others cannot use. */
scent_status hostheap_reserve(struct hostheap *heap)
{
    struct hostheap_pool *pool = heap->pool;
    size_t need = blocks_for(hosttable_count(heap->table)) + (size_t)pool->heaps;

    if (!vec_reserve(&heap->blocks, &heap->room, need, sizeof *heap->blocks) ||
        !vec_reserve(&pool->free, &pool->room, need, sizeof *pool->free))
        return SCENT_E_NOMEM;
    while (pool->blocks < need) {
        struct hostheap_entry *block = malloc(BLOCK_HOSTS * sizeof *block);

        if (!block)
            return SCENT_E_NOMEM;
        pool->free[pool->nfree++] = block;
        pool->blocks++;
    }
    return SCENT_OK;
}

static struct hostheap_entry *at(const struct hostheap *heap, uint32_t i)
{
    return &heap->blocks[i >> BLOCK_BITS][i & (BLOCK_HOSTS - 1)];
}

/* One entry more, or one less. */
static void lengthen(struct hostheap *heap)
{
    if (heap->count % BLOCK_HOSTS == 0) {
        SCENT_BUG_IF(heap->pool->nfree == 0);
        heap->blocks[heap->count >> BLOCK_BITS] = heap->pool->free[--heap->pool->nfree];
    }
    heap->count++;
}

static void shorten(struct hostheap *heap)
{
    heap->count--;
    if (heap->count % BLOCK_HOSTS == 0)
        heap->pool->free[heap->pool->nfree++] = heap->blocks[heap->count >> BLOCK_BITS];
}

static bool before(const struct hostheap_entry *a, const struct hostheap_entry *b)
{
    if (a->high != b->high)
        return a->high < b->high;
    return a->low != b->low ? a->low < b->low : a->host < b->host;
}

static void put(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    *at(heap, i) = entry;
    hosttable_at(heap->table, entry.host)->position = i;
}

static void sift_up(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    while (i && before(&entry, at(heap, (i - 1) / 2))) {
        put(heap, i, *at(heap, (i - 1) / 2));
        i = (i - 1) / 2;
    }
    put(heap, i, entry);
}

static void sift_down(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    for (;;) {
        uint32_t child = i * 2 + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && before(at(heap, child + 1), at(heap, child)))
            child++;
        if (!before(at(heap, child), &entry))
            break;
        put(heap, i, *at(heap, child));
        i = child;
    }
    put(heap, i, entry);
}

static void settle(struct hostheap *heap, uint32_t i, struct hostheap_entry entry)
{
    if (i && before(&entry, at(heap, (i - 1) / 2)))
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
    struct hosttable_host *record = hosttable_at(heap->table, host);

    if (record->place == heap->place)
        settle(heap, record->position, make_entry(host, key));
    else {
        hostheap_append(heap, host, key);
        sift_up(heap, heap->count - 1, make_entry(host, key));
    }
}

void hostheap_remove(struct hostheap *heap, uint32_t host)
{
    struct hosttable_host *record = hosttable_at(heap->table, host);
    struct hostheap_entry last;

    if (record->place != heap->place)
        return;
    record->place = HOSTTABLE_NOWHERE;
    last = *at(heap, heap->count - 1);
    shorten(heap);
    if (last.host != host)
        settle(heap, record->position, last);
}

bool hostheap_first(const struct hostheap *heap, uint32_t *host, uint64_t *key)
{
    const struct hostheap_entry *first;

    if (heap->count == 0)
        return false;
    first = at(heap, 0);
    *host = first->host;
    *key = (uint64_t)first->high << 32 | first->low;
    return true;
}

uint32_t hostheap_peek(const struct hostheap *heap, uint32_t i)
{
    return at(heap, i)->host;
}

void hostheap_clear(struct hostheap *heap)
{
    while (heap->count) {
        hosttable_at(heap->table, at(heap, heap->count - 1)->host)->place = HOSTTABLE_NOWHERE;
        shorten(heap);
    }
}

void hostheap_append(struct hostheap *heap, uint32_t host, uint64_t key)
{
    struct hosttable_host *record = hosttable_at(heap->table, host);

    SCENT_BUG_IF(record->place != HOSTTABLE_NOWHERE);
    record->place = (uint16_t)heap->place & 7;
    lengthen(heap);
    put(heap, heap->count - 1, make_entry(host, key));
}

void hostheap_order(struct hostheap *heap)
{
    for (uint32_t i = heap->count / 2; i-- > 0;)
        sift_down(heap, i, *at(heap, i));
}
