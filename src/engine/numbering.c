#include "engine/numbering.h"

#include "base/grow.h"

#include <stdbool.h>
#include <stdlib.h>

void numbering_init(struct numbering *numbering)
{
    *numbering = (struct numbering){0};
}

void numbering_release(struct numbering *numbering)
{
    free(numbering->keys);
    free(numbering->slots);
    numbering_init(numbering);
}

static void insert_slot(struct numbering *n, uint32_t number)
{
    uint32_t mask = n->nslots - 1, i = (uint32_t)n->keys[number] & mask;

    while (n->slots[i])
        i = (i + 1) & mask;
    n->slots[i] = number + 1;
}

static bool grow_slots(struct numbering *n)
{
    uint32_t nslots = n->nslots ? n->nslots * 2 : 64;
    uint32_t *slots = calloc(nslots, sizeof *slots);

    if (!slots)
        return false;
    free(n->slots);
    n->slots = slots;
    n->nslots = nslots;
    for (uint32_t i = 0; i < n->count; i++)
        insert_slot(n, i);
    return true;
}

scent_status numbering_find(struct numbering *n, uint64_t key, uint32_t *number)
{
    uint32_t mask = n->nslots - 1;

    for (uint32_t i = (uint32_t)key & mask; n->nslots && n->slots[i]; i = (i + 1) & mask) {
        *number = n->slots[i] - 1;
        if (n->keys[*number] == key)
            return SCENT_OK;
    }
    if ((n->count + 1) * 2 > n->nslots && !grow_slots(n))
        return SCENT_E_NOMEM;
    if (!grow_by_one(&n->keys, n->count, &n->room, sizeof *n->keys))
        return SCENT_E_NOMEM;
    n->keys[n->count] = key;
    insert_slot(n, n->count);
    *number = n->count++;
    return SCENT_OK;
}
