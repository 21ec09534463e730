#include "engine/duplicates.h"

#include "base/hash.h"
#include "base/vec.h"
#include "frontier/caps.h"
#include "frontier/seen.h"
#include "page/simhash.h"

#include <stdlib.h>

enum {
    BANDS = 4,
    BAND_BITS = 16,
    BUCKETS = 1 << BAND_BITS,
    SCAN_MAX = 4096,
    BLOCK_BITS = 16,
    BLOCK = 1 << BLOCK_BITS, /* items */
    CHUNK = 7,
    COPIES_FOLLOWED = 4, /* docs/decisions/0008-links-of-copies.md */
};

/* An array that grows by blocks: nothing is ever copied, so that no page waits for it. */
struct pile {
    char **blocks;
    size_t nblocks, room;
    uint32_t size; /* of an item, in bytes */
};

/* Entries whose hashes share the bits of a band, newest chunk first. */
struct chunk {
    uint32_t next; /* in the pile */
    uint32_t entries[CHUNK];
};

struct bucket {
    uint32_t first; /* chunk, where count > 0 */
    uint32_t count; /* of entries; the first chunk holds what is left over when the others are full */
};

struct duplicates {
    struct seen digests;    /* digest -> index of first_pages */
    struct pile first_pages;

    struct pile hashes, pages; /* of entry i */
    struct pile chunks;
    uint32_t count, nchunks;
    struct bucket *buckets; /* band * BUCKETS + bits */

    uint64_t key;
    struct caps copies;     /* by the number of the first: how many had their links followed */
};

/* ---- piles ---- */

static inline void *pile_at(const struct pile *pile, uint32_t i)
{
    return pile->blocks[i >> BLOCK_BITS] + (size_t)(i & (BLOCK - 1)) * pile->size;
}

static bool pile_reserve(struct pile *pile, uint64_t count)
{
    while ((uint64_t)pile->nblocks << BLOCK_BITS < count) {
        char *block;

        if (!vec_reserve(&pile->blocks, &pile->room, pile->nblocks + 1, sizeof *pile->blocks))
            return false;
        block = malloc((size_t)pile->size << BLOCK_BITS);
        if (!block)
            return false;
        pile->blocks[pile->nblocks++] = block;
    }
    return true;
}

static void pile_release(struct pile *pile)
{
    for (size_t i = 0; i < pile->nblocks; i++)
        free(pile->blocks[i]);
    free(pile->blocks);
}

static size_t pile_bytes(const struct pile *pile)
{
    return ((size_t)pile->size << BLOCK_BITS) * pile->nblocks;
}

struct duplicates *duplicates_new(uint64_t key)
{
    struct duplicates *duplicates = calloc(1, sizeof *duplicates);

    SCENT_BUG_IF(!duplicates);
    duplicates->key = key;
    caps_init(&duplicates->copies);
    seen_init(&duplicates->digests);
    duplicates->first_pages.size = sizeof(uint32_t);
    duplicates->hashes.size = sizeof(uint64_t);
    duplicates->pages.size = sizeof(uint32_t);
    duplicates->chunks.size = sizeof(struct chunk);
    duplicates->buckets = calloc(BANDS * BUCKETS, sizeof *duplicates->buckets);
    SCENT_BUG_IF(!duplicates->buckets);
    return duplicates;
}

void duplicates_free(struct duplicates *duplicates)
{
    if (!duplicates)
        return;
    caps_release(&duplicates->copies);
    seen_release(&duplicates->digests);
    pile_release(&duplicates->first_pages);
    pile_release(&duplicates->hashes);
    pile_release(&duplicates->pages);
    pile_release(&duplicates->chunks);
    free(duplicates->buckets);
    free(duplicates);
}

/* ---- exact ---- */

bool duplicates_find_exact(const struct duplicates *duplicates, uint64_t digest, uint32_t *page)
{
    uint32_t id;

    if (!seen_find(&duplicates->digests, digest, &id))
        return false;
    *page = *(uint32_t *)pile_at(&duplicates->first_pages, id);
    return true;
}

scent_status duplicates_add_exact(struct duplicates *duplicates, uint64_t digest, uint32_t page)
{
    uint32_t id;
    bool is_new;
    scent_status status;

    if (!pile_reserve(&duplicates->first_pages, (uint64_t)duplicates->digests.count + 1))
        return SCENT_E_NOMEM;
    status = seen_add(&duplicates->digests, digest, &id, &is_new);
    if (status == SCENT_OK && is_new)
        *(uint32_t *)pile_at(&duplicates->first_pages, id) = page;
    return status;
}

/* ---- near ---- */

static struct bucket *bucket_of(const struct duplicates *duplicates, unsigned band, uint64_t simhash)
{
    return &duplicates->buckets[band * BUCKETS + (simhash >> band * BAND_BITS & (BUCKETS - 1))];
}

/* Cheaper than counting all bits, and nearly always false. */
static inline bool is_within(uint64_t difference, unsigned distance)
{
    for (; distance; distance--)
        difference &= difference - 1;
    return difference == 0;
}

struct nearest {
    uint32_t entry;
    unsigned distance; /* beyond the limit: none yet */
};

static void compare_entry(const struct duplicates *duplicates, uint32_t entry, uint64_t simhash, unsigned limit,
                    struct nearest *nearest)
{
    uint64_t difference = *(uint64_t *)pile_at(&duplicates->hashes, entry) ^ simhash;
    unsigned distance;

    if (!is_within(difference, limit))
        return;
    distance = (unsigned)__builtin_popcountll(difference);
    if (distance < nearest->distance || (distance == nearest->distance && entry < nearest->entry))
        *nearest = (struct nearest){entry, distance};
}

static uint32_t in_first_chunk(uint32_t count)
{
    return (count - 1) % CHUNK + 1;
}

static void search_bucket(const struct duplicates *duplicates, const struct bucket *bucket, uint64_t simhash,
                          unsigned limit, struct nearest *nearest)
{
    uint32_t left = bucket->count, at = bucket->first, least = left > SCAN_MAX ? left - SCAN_MAX : 0;

    while (left > least) {
        const struct chunk *chunk = pile_at(&duplicates->chunks, at);
        uint32_t here = in_first_chunk(left);

        for (uint32_t i = 0; i < here; i++)
            compare_entry(duplicates, chunk->entries[i], simhash, limit, nearest);
        left -= here;
        at = chunk->next;
    }
}

bool duplicates_find_near(const struct duplicates *duplicates, uint64_t simhash, unsigned distance, uint32_t *page,
                          unsigned *found)
{
    struct nearest nearest = {.distance = distance + 1};

    SCENT_BUG_IF(distance > DUPLICATES_MAX_DISTANCE);
    for (unsigned band = 0; band < BANDS; band++)
        search_bucket(duplicates, bucket_of(duplicates, band, simhash), simhash, distance, &nearest);
    if (nearest.distance > distance)
        return false;
    *page = *(uint32_t *)pile_at(&duplicates->pages, nearest.entry);
    if (found)
        *found = nearest.distance;
    return true;
}

/* The chunks have room for it. */
static void bucket_add(struct duplicates *duplicates, struct bucket *bucket, uint32_t entry)
{
    struct chunk *chunk;

    if (bucket->count % CHUNK == 0) {
        chunk = pile_at(&duplicates->chunks, duplicates->nchunks);
        chunk->next = bucket->first;
        bucket->first = duplicates->nchunks++;
    }
    chunk = pile_at(&duplicates->chunks, bucket->first);
    chunk->entries[bucket->count++ % CHUNK] = entry;
}

scent_status duplicates_add_near(struct duplicates *duplicates, uint64_t simhash, uint32_t page)
{
    uint32_t entry = duplicates->count;

    if (duplicates->nchunks > UINT32_MAX - BANDS)
        return SCENT_E_LIMIT;
    if (!pile_reserve(&duplicates->hashes, (uint64_t)entry + 1) ||
        !pile_reserve(&duplicates->pages, (uint64_t)entry + 1) ||
        !pile_reserve(&duplicates->chunks, (uint64_t)duplicates->nchunks + BANDS))
        return SCENT_E_NOMEM;
    for (unsigned band = 0; band < BANDS; band++)
        bucket_add(duplicates, bucket_of(duplicates, band, simhash), entry);
    *(uint64_t *)pile_at(&duplicates->hashes, entry) = simhash;
    *(uint32_t *)pile_at(&duplicates->pages, entry) = page;
    duplicates->count++;
    return SCENT_OK;
}

size_t duplicates_bytes(const struct duplicates *duplicates)
{
    return pile_bytes(&duplicates->first_pages) + pile_bytes(&duplicates->hashes) + pile_bytes(&duplicates->pages) +
           pile_bytes(&duplicates->chunks) + BANDS * BUCKETS * sizeof *duplicates->buckets;
}

/* ---- pages of a crawl ---- */

static uint64_t digest_hash(const struct duplicates *duplicates, struct str digest, uint8_t robots)
{
    return hash_str(digest, duplicates->key + robots);
}

/* A near copy is not added: what is near it, but not near the first, would make a chain that leads anywhere. Nor is a
 * newer version: it is mostly near its own first. */
scent_status duplicates_know(struct duplicates *duplicates, const struct store_page *row)
{
    uint32_t number = (uint32_t)row->number; /* no more pages than URLs, whose ids have 32 bits */

    if (row->bytes)
        SCENT_TRY(duplicates_add_exact(duplicates, digest_hash(duplicates, row->digest, row->robots), number));
    if (row->simhash == SIMHASH_NONE || row->duplicate_of || row->previous)
        return SCENT_OK;
    return duplicates_add_near(duplicates, row->simhash, number);
}

bool duplicates_find_copy(const struct duplicates *duplicates, struct str digest, uint8_t robots, uint32_t *page)
{
    return duplicates_find_exact(duplicates, digest_hash(duplicates, digest, robots), page);
}

bool duplicates_count_copy(struct duplicates *duplicates, uint64_t page)
{
    return caps_take(&duplicates->copies, hash_mix(page, duplicates->key), COPIES_FOLLOWED);
}
