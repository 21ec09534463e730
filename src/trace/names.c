/* The texts stand behind each other in one buffer; the common map finds them. */
#include "trace/names.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

void names_init(struct names *names, uint64_t seed)
{
    *names = (struct names){.seed = seed};
    buf_init(&names->text, NAMES_TEXT_MAX);
}

void names_release(struct names *names)
{
    buf_release(&names->text);
    free(names->ends);
    map_release(&names->map);
    names_init(names, names->seed);
}

struct str names_at(const struct names *names, uint32_t i)
{
    return str_sub(buf_str(&names->text), i ? names->ends[i - 1] : 0, names->ends[i]);
}

size_t names_memory(const struct names *names)
{
    return names->text.len + names->count * sizeof *names->ends + names->map.nslots * sizeof *names->map.slots;
}

scent_status names_append(struct names *names, struct str s)
{
    if (names->count == MAP_NUMBER_MAX || names->text.len + s.len > NAMES_TEXT_MAX)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&names->ends, &names->room, names->count + (size_t)1, sizeof *names->ends) ||
        !buf_add(&names->text, s))
        return SCENT_E_NOMEM;
    names->ends[names->count++] = (uint32_t)names->text.len;
    return SCENT_OK;
}

static bool find_hashed(const struct names *names, struct str s, uint64_t hash, uint32_t *out)
{
    struct map_walk walk = map_find(&names->map, hash);

    while (map_next(&walk))
        if (str_eq(names_at(names, walk.value), s)) {
            *out = walk.value;
            return true;
        }
    return false;
}

scent_status names_add(struct names *names, struct str s, uint32_t *out)
{
    uint64_t hash = hash_str(s, names->seed);

    if (find_hashed(names, s, hash, out))
        return SCENT_OK;
    SCENT_TRY(map_reserve(&names->map, names->count + (size_t)1));
    SCENT_TRY(names_append(names, s));
    *out = names->count - 1;
    return map_add(&names->map, hash, *out);
}

bool names_find(const struct names *names, struct str s, uint32_t *out)
{
    return find_hashed(names, s, hash_str(s, names->seed), out);
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
