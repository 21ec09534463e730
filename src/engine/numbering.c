#include "engine/numbering.h"

#include "base/vec.h"

#include <stdlib.h>

void numbering_init(struct numbering *numbering)
{
    *numbering = (struct numbering){0};
}

void numbering_release(struct numbering *numbering)
{
    free(numbering->keys);
    map_release(&numbering->map);
    numbering_init(numbering);
}

scent_status numbering_find(struct numbering *numbering, uint64_t key, uint32_t *number)
{
    struct map_walk walk = map_find(&numbering->map, key);
    uint32_t count = numbering->map.count;

    while (map_next(&walk))
        if (numbering->keys[walk.value] == key) {
            *number = walk.value;
            return SCENT_OK;
        }
    if (!vec_reserve(&numbering->keys, &numbering->room, (size_t)count + 1, sizeof *numbering->keys))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&numbering->map, key, count));
    numbering->keys[count] = key;
    *number = count;
    return SCENT_OK;
}
