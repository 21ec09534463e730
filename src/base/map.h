/* map - the one hash table: from the hash of a key to numbers (of items, in an array of the caller's).
 *
 * The map knows no keys. It stores 32 bits of each hash beside the number, and the caller compares the few numbers that
 * a look-up yields with the key:
 *
 *     struct map_walk walk = map_find(&map, hash);
 *
 *     while (map_next(&walk))
 *         if (str_eq(names[walk.value], key))
 *             return walk.value;
 *     return map_add(&map, hash, count);
 *
 * Open addressing with linear probing, at most two thirds full: 12 to 24 bytes an entry, one cache line for most
 * look-ups. Hashes come from base/hash.h, with a seed where keys come from outside. A zeroed struct is an empty map.
 * Thread: the owner's. */
#ifndef SCENT_BASE_MAP_H
#define SCENT_BASE_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NUMBER_MAX (UINT32_MAX - 1)

struct map_slot {
    uint32_t hash;
    uint32_t number; /* of the item, plus one; 0: empty */
};

struct map {
    struct map_slot *slots;
    uint32_t nslots; /* 0, or a power of two */
    uint32_t count;
};

void map_release(struct map *map); /* empty afterwards, and usable */
void map_clear(struct map *map);   /* forgets the entries, keeps the memory */

/* Room for `count` entries in all, so that adding them cannot fail. */
SCENT_NODISCARD scent_status map_reserve(struct map *map, size_t count);
/* Adds an entry; the caller has looked, and the key is not there. On error nothing changes. */
SCENT_NODISCARD scent_status map_add(struct map *map, uint64_t hash, uint32_t number);
/* Removes the entry with this hash and number, if there is one. */
void map_remove(struct map *map, uint64_t hash, uint32_t number);

struct map_walk {
    const struct map *map;
    uint32_t hash, at;
    uint32_t value; /* of map_next */
};

static inline struct map_walk map_find(const struct map *map, uint64_t hash)
{
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);

    return (struct map_walk){.map = map, .hash = folded, .at = folded & (map->nslots - 1)};
}

/* The next number that was added under this hash: walk->value. False: there are no more. */
static inline bool map_next(struct map_walk *walk)
{
    const struct map *map = walk->map;

    if (map->nslots == 0)
        return false;
    for (;;) {
        const struct map_slot *slot = &map->slots[walk->at];

        if (slot->number == 0)
            return false;
        walk->at = (walk->at + 1) & (map->nslots - 1);
        if (slot->hash == walk->hash) {
            walk->value = slot->number - 1;
            return true;
        }
    }
}

#endif
