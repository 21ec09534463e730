#include "frontier/caps.h"

#include "base/hash.h"

#include <stdlib.h>

enum { LINE_BITS = 17, LINES = 1 << LINE_BITS, ROOM = 8 };

struct caps_slot {
    uint32_t tag, count; /* count 0: empty */
};

struct caps_line {
    struct caps_slot slots[ROOM];
};
_Static_assert(sizeof(struct caps_line) == 64, "a line is a cache line");

void caps_init(struct caps *caps)
{
    /* Zeros that calloc() gets from the kernel are in no memory yet; one line more is there to align the others. */
    caps->room = calloc(LINES + 1, sizeof *caps->lines);
    SCENT_BUG_IF(!caps->room);
    caps->lines = (struct caps_line *)(((uintptr_t)caps->room + sizeof *caps->lines - 1) & -sizeof *caps->lines);
}

void caps_release(struct caps *caps)
{
    free(caps->room);
    *caps = (struct caps){0};
}

/* Mixed once more, so that any caller's patterns are spread. */
static struct caps_line *line_of(const struct caps *caps, uint64_t pattern, uint32_t *tag)
{
    uint64_t mixed = hash_mix(pattern, 1);

    *tag = (uint32_t)mixed;
    return &caps->lines[mixed >> (64 - LINE_BITS)];
}

static struct caps_slot *find(struct caps_line *line, uint32_t tag)
{
    for (size_t i = 0; i < ROOM; i++)
        if (line->slots[i].count && line->slots[i].tag == tag)
            return &line->slots[i];
    return NULL;
}

static struct caps_slot *smallest(struct caps_line *line)
{
    struct caps_slot *found = &line->slots[0];

    for (size_t i = 1; i < ROOM; i++)
        if (line->slots[i].count < found->count)
            found = &line->slots[i];
    return found;
}

bool caps_take(struct caps *caps, uint64_t pattern, uint32_t limit)
{
    uint32_t tag;
    struct caps_line *line = line_of(caps, pattern, &tag);
    struct caps_slot *slot = find(line, tag);

    if (!slot) {
        slot = smallest(line);
        *slot = (struct caps_slot){.tag = tag};
    }
    if (limit && slot->count >= limit)
        return false;
    slot->count += slot->count < UINT32_MAX;
    return true;
}

void caps_expect(const struct caps *caps, uint64_t pattern)
{
    uint32_t tag;

    __builtin_prefetch(line_of(caps, pattern, &tag), 1);
}

uint32_t caps_count(const struct caps *caps, uint64_t pattern)
{
    uint32_t tag;
    struct caps_line *line = line_of(caps, pattern, &tag);
    const struct caps_slot *slot = find(line, tag);

    return slot ? slot->count : 0;
}
