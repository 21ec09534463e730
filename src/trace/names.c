#include "trace/names.h"

#include "base/hash.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

void names_init(struct names *names, uint64_t seed)
{
    *names = (struct names){.seed = seed};
    buf_init(&names->text, NAMES_TEXT_MAX);
}

void names_release(struct names *names)
{
    buf_release(&names->text);
    free(names->ends);
    free(names->slots);
    names_init(names, names->seed);
}

struct str names_at(const struct names *names, uint32_t i)
{
    return str_sub(buf_str(&names->text), i ? names->ends[i - 1] : 0, names->ends[i]);
}

/* The slot that holds `s`, or the empty one where it belongs. */
static uint32_t *find_slot(const struct names *names, struct str s)
{
    uint32_t i = (uint32_t)hash_str(s, names->seed) & (names->nslots - 1);

    while (names->slots[i] && !str_eq(names_at(names, names->slots[i] - 1), s))
        i = (i + 1) & (names->nslots - 1);
    return &names->slots[i];
}

static scent_status grow_slots(struct names *names)
{
    uint32_t nslots = names->nslots ? names->nslots * 2 : 2 * FIRST_ROOM;
    uint32_t *slots = calloc(nslots, sizeof *slots);

    if (!slots)
        return SCENT_E_NOMEM;
    free(names->slots);
    names->slots = slots;
    names->nslots = nslots;
    for (uint32_t i = 0; i < names->count; i++)
        *find_slot(names, names_at(names, i)) = i + 1;
    return SCENT_OK;
}

scent_status names_append(struct names *names, struct str s)
{
    if (names->count == names->room) {
        uint32_t room = names->room ? names->room * 2 : FIRST_ROOM;
        uint32_t *ends = room > UINT32_MAX / 4 ? NULL : realloc(names->ends, room * sizeof *ends);

        if (!ends)
            return SCENT_E_NOMEM;
        names->ends = ends;
        names->room = room;
    }
    if (names->text.len + s.len > NAMES_TEXT_MAX)
        return SCENT_E_LIMIT;
    if (!buf_add(&names->text, s))
        return SCENT_E_NOMEM;
    names->ends[names->count++] = (uint32_t)names->text.len;
    return SCENT_OK;
}

scent_status names_add(struct names *names, struct str s, uint32_t *out)
{
    scent_status status = SCENT_OK;
    uint32_t *slot;

    if (names->count >= names->nslots / 2)
        status = grow_slots(names);
    if (status != SCENT_OK)
        return status;
    slot = find_slot(names, s);
    if (!*slot) {
        status = names_append(names, s);
        if (status != SCENT_OK)
            return status;
        *slot = names->count;
    }
    *out = *slot - 1;
    return SCENT_OK;
}

bool names_find(const struct names *names, struct str s, uint32_t *out)
{
    uint32_t slot = names->nslots ? *find_slot(names, s) : 0;

    *out = slot ? slot - 1 : *out;
    return slot != 0;
}

bool names_search(const struct names *names, struct str s, uint32_t *out)
{
    uint32_t low = 0, high = names->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_cmp(names_at(names, middle), s);

        if (order == 0) {
            *out = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
