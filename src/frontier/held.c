#include "frontier/held.h"

#include "base/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

void held_init(struct held *held)
{
    *held = (struct held){0};
}

void held_release(struct held *held)
{
    for (uint32_t i = 0; i < held->nslots; i++)
        free(held->slots[i]);
    free(held->slots);
    held_init(held);
}

static uint32_t home_of(const struct held *held, uint32_t id)
{
    return (uint32_t)hash_mix(id, 7) & (held->nslots - 1);
}

/* The slot of the id, or the empty one where it belongs. */
static uint32_t slot_of(const struct held *held, uint32_t id)
{
    uint32_t i = home_of(held, id);

    while (held->slots[i] && held->slots[i]->id != id)
        i = (i + 1) & (held->nslots - 1);
    return i;
}

static bool grow(struct held *held)
{
    struct held larger = *held;

    larger.nslots = held->nslots ? held->nslots * 2 : FIRST_SLOTS;
    larger.slots = calloc(larger.nslots, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < held->nslots; i++)
        if (held->slots[i])
            larger.slots[slot_of(&larger, held->slots[i]->id)] = held->slots[i];
    free(held->slots);
    *held = larger;
    return true;
}

struct held_url *held_find(const struct held *held, uint32_t id)
{
    return held->nslots ? held->slots[slot_of(held, id)] : NULL;
}

static size_t size_of(size_t text_len)
{
    return sizeof(struct held_url) + text_len + 1;
}

static void set_text(struct held_url *url, struct str text)
{
    url->len = (uint16_t)text.len;
    if (text.len)
        memcpy(url->text, text.p, text.len);
    url->text[text.len] = '\0';
}

struct held_url *held_add(struct held *held, uint32_t id, enum held_state state, struct str text)
{
    struct held_url *url;

    if ((held->count + 1) * 2 > held->nslots && !grow(held))
        return NULL;
    url = malloc(size_of(text.len));
    if (!url)
        return NULL;
    url->id = id;
    url->state = (uint8_t)state;
    set_text(url, text);
    held->slots[slot_of(held, id)] = url;
    held->count++;
    held->bytes += size_of(text.len);
    return url;
}

bool held_load(struct held *held, uint32_t id, struct str text)
{
    uint32_t slot = slot_of(held, id);
    struct held_url *url = realloc(held->slots[slot], size_of(text.len));

    if (!url)
        return false;
    held->bytes += text.len;
    held->slots[slot] = url;
    set_text(url, text);
    url->state = HELD_LOADED;
    return true;
}

struct held_url *held_next(struct held *held)
{
    if (held->nslots == 0)
        return NULL;
    held->hand = (held->hand + 1) & (held->nslots - 1);
    return held->slots[held->hand];
}

/* Those behind the gap move up when that brings them nearer to their home. */
void held_remove(struct held *held, uint32_t id)
{
    uint32_t mask = held->nslots - 1, gap = slot_of(held, id);

    SCENT_BUG_IF(!held->slots[gap]);
    held->bytes -= size_of(held->slots[gap]->len);
    free(held->slots[gap]);
    held->count--;
    for (uint32_t i = (gap + 1) & mask; held->slots[i]; i = (i + 1) & mask)
        if (((i - home_of(held, held->slots[i]->id)) & mask) >= ((i - gap) & mask)) {
            held->slots[gap] = held->slots[i];
            gap = i;
        }
    held->slots[gap] = NULL;
}
