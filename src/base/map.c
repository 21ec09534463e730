/* Linear probing over 8 bytes a slot. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };
#define MOST_SLOTS (UINT32_C(1) << 31)

void map_release(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

void map_clear(struct map *map)
{
    if (map->count)
        memset(map->slots, 0, map->nslots * sizeof *map->slots);
    map->count = 0;
}

static void insert(struct map *map, struct map_slot entry)
{
    uint32_t mask = map->nslots - 1, at = entry.hash & mask;

    while (map->slots[at].number)
        at = (at + 1) & mask;
    map->slots[at] = entry;
}

scent_status map_reserve(struct map *map, size_t count)
{
    struct map bigger = {.nslots = map->nslots ? map->nslots : FIRST_SLOTS, .count = map->count};

    if (count <= map->nslots / 3 * 2)
        return SCENT_OK;
    while (count > bigger.nslots / 3 * 2) {
        if (bigger.nslots == MOST_SLOTS)
            return SCENT_E_LIMIT;
        bigger.nslots *= 2;
    }
    bigger.slots = calloc(bigger.nslots, sizeof *bigger.slots);
    if (!bigger.slots)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < map->nslots; i++)
        if (map->slots[i].number)
            insert(&bigger, map->slots[i]);
    free(map->slots);
    *map = bigger;
    return SCENT_OK;
}

scent_status map_add(struct map *map, uint64_t hash, uint32_t number)
{
    SCENT_BUG_IF(number > MAP_NUMBER_MAX);
    SCENT_TRY(map_reserve(map, (size_t)map->count + 1));
    insert(map, (struct map_slot){.hash = map_find(map, hash).hash, .number = number + 1});
    map->count++;
    return SCENT_OK;
}

/* No tombstones: entries behind the gap move up unless they would then stand before their own place (Knuth 6.4, R). */
static void close_gap(struct map *map, uint32_t gap)
{
    uint32_t mask = map->nslots - 1;

    for (uint32_t at = (gap + 1) & mask; map->slots[at].number; at = (at + 1) & mask) {
        uint32_t home = map->slots[at].hash & mask;

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            map->slots[gap] = map->slots[at];
            gap = at;
        }
    }
    map->slots[gap] = (struct map_slot){0};
    map->count--;
}

void map_remove(struct map *map, uint64_t hash, uint32_t number)
{
    struct map_walk walk = map_find(map, hash);

    while (map_next(&walk))
        if (walk.value == number) {
            close_gap(map, (walk.at - 1) & (map->nslots - 1));
            return;
        }
}
