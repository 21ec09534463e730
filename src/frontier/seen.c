/* The fingerprints are dealt to 2048 segments. A segment is an array of slots in ascending order of key,
 * with gaps: a key's home is proportional to its value, and it lies at its home or to the right of it, after
 * all smaller keys. So a search ends at the first larger key, found or not, after about five slots; and a
 * segment grows by one pass from left to right that never looks back.
 *
 * Only one segment grows at a time, by an eighth: at 10^8 ids that copies 49,000 slots, 0.1 to 0.2 ms, and the
 * segments start with different sizes so that their turns do not coincide.
 *
 * Why it is not base/map.h: memory, and the longest pause. Measured at 10^7 ids, in one run: 12.4 bytes an id against
 * 21.5 (the map, and the fingerprints that it compares), the slowest 16 adds 2 ms against 160 (the map doubles as a
 * whole, ten times longer at 10^8). What that costs: an add takes 470 ns against 200, a find 165 to 185 against 95 to
 * 140. */
#include "frontier/seen.h"

#include "base/hash.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    SEGMENT_BITS = 11,
    SEGMENTS = 1 << SEGMENT_BITS,
    KEY_BITS = 48,
    KEY_BYTES = KEY_BITS / 8,
    SLOT_BYTES = KEY_BYTES + 4,
    FIRST_SLOTS = 64,
    MAP_BYTES = 16384,
};

struct seen_segment {
    unsigned char *slots; /* key (0: empty), id; NULL before the first */
    uint32_t homes;       /* keys have their home in [0, homes); some slots follow, the last is always empty */
    uint32_t count;
};

static uint32_t slots_of(uint32_t homes)
{
    return homes + homes / 32 + 16;
}

static size_t bytes_of(uint32_t homes)
{
    return (size_t)slots_of(homes) * SLOT_BYTES;
}

/* Large arrays come from the system and go back to it: in the heap, each that grew would leave a hole that the next,
 * larger one does not fit. */
static unsigned char *new_slots(uint32_t homes)
{
    size_t bytes = bytes_of(homes);
    void *slots;

    if (bytes < MAP_BYTES)
        return calloc(1, bytes);
    slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return slots == MAP_FAILED ? NULL : slots;
}

static void free_slots(unsigned char *slots, uint32_t homes)
{
    if (bytes_of(homes) < MAP_BYTES)
        free(slots);
    else
        munmap(slots, bytes_of(homes));
}

/* Reads past the key into the id, never past the slot. */
static uint64_t key_at(const struct seen_segment *segment, uint32_t i)
{
    uint64_t key;

    memcpy(&key, segment->slots + (size_t)i * SLOT_BYTES, sizeof key);
    return key & (((uint64_t)1 << KEY_BITS) - 1);
}

static uint32_t id_at(const struct seen_segment *segment, uint32_t i)
{
    uint32_t id;

    memcpy(&id, segment->slots + (size_t)i * SLOT_BYTES + KEY_BYTES, sizeof id);
    return id;
}

static uint32_t home_of(const struct seen_segment *segment, uint64_t key)
{
    return (uint32_t)(((key >> (KEY_BITS - 32)) * segment->homes) >> 32);
}

/* Mixed once more, so that any caller's fingerprints are spread; the mixture is a bijection. */
static struct seen_segment *segment_of(const struct seen *seen, uint64_t fingerprint, uint64_t *key)
{
    uint64_t mixed = hash_mix(fingerprint, 1);

    *key = mixed >> (64 - SEGMENT_BITS - KEY_BITS) & (((uint64_t)1 << KEY_BITS) - 1);
    *key += *key == 0;
    return &seen->segments[mixed >> (64 - SEGMENT_BITS)];
}

/* The slot where the key is, or before which it belongs. */
static uint32_t find_slot(const struct seen_segment *segment, uint64_t key)
{
    uint32_t i = home_of(segment, key);
    uint64_t at;

    while ((at = key_at(segment, i)) != 0 && at < key)
        i++;
    return i;
}

void seen_init(struct seen *seen)
{
    *seen = (struct seen){.segments = calloc(SEGMENTS, sizeof *seen->segments)};
    SCENT_BUG_IF(!seen->segments);
}

void seen_release(struct seen *seen)
{
    for (size_t i = 0; seen->segments && i < SEGMENTS; i++)
        free_slots(seen->segments[i].slots, seen->segments[i].homes);
    free(seen->segments);
    *seen = (struct seen){0};
}

bool seen_find(const struct seen *seen, uint64_t fingerprint, uint32_t *id)
{
    uint64_t key;
    const struct seen_segment *segment = segment_of(seen, fingerprint, &key);
    uint32_t i;

    if (!segment->slots)
        return false;
    i = find_slot(segment, key);
    if (key_at(segment, i) != key)
        return false;
    *id = id_at(segment, i);
    return true;
}

void seen_prefetch(const struct seen *seen, uint64_t fingerprint)
{
    uint64_t key;
    const struct seen_segment *segment = segment_of(seen, fingerprint, &key);

    if (segment->slots)
        __builtin_prefetch(segment->slots + (size_t)home_of(segment, key) * SLOT_BYTES);
}

/* Lays the slots of `from` out in `to`; false when they run off its end. */
static bool spread(const struct seen_segment *from, struct seen_segment *to)
{
    uint32_t end = slots_of(to->homes) - 1, next = 0;

    for (uint32_t i = 0, n = slots_of(from->homes); i < n; i++) {
        uint64_t key = key_at(from, i);
        uint32_t home;

        if (!key)
            continue;
        home = home_of(to, key);
        next = home > next ? home : next;
        if (next == end)
            return false;
        memcpy(to->slots + (size_t)next * SLOT_BYTES, from->slots + (size_t)i * SLOT_BYTES, SLOT_BYTES);
        next++;
    }
    return true;
}

static bool grow(struct seen_segment *segment)
{
    struct seen_segment larger = {.count = segment->count, .homes = segment->homes};
    bool fits = false;

    do {
        larger.homes += larger.homes / 8;
        larger.slots = new_slots(larger.homes);
        if (!larger.slots)
            return false;
        fits = spread(segment, &larger);
        if (!fits)
            free_slots(larger.slots, larger.homes);
    } while (!fits);
    free_slots(segment->slots, segment->homes);
    *segment = larger;
    return true;
}

static bool start(const struct seen *seen, struct seen_segment *segment)
{
    segment->homes = FIRST_SLOTS + (uint32_t)(segment - seen->segments) % (FIRST_SLOTS / 8);
    segment->slots = new_slots(segment->homes);
    return segment->slots != NULL;
}

/* Moves the run that begins at slot i one to the right; false when that would fill the last slot. */
static bool make_gap(struct seen_segment *segment, uint32_t i)
{
    uint32_t end = i, last = slots_of(segment->homes) - 1;
    unsigned char *at = segment->slots + (size_t)i * SLOT_BYTES;

    while (key_at(segment, end) != 0)
        end++;
    if (end == last)
        return false;
    memmove(at + SLOT_BYTES, at, (size_t)(end - i) * SLOT_BYTES);
    return true;
}

static bool insert(struct seen_segment *segment, uint64_t key, uint32_t i, uint32_t id)
{
    unsigned char *at;

    while ((uint64_t)(segment->count + 1) * 10 > (uint64_t)segment->homes * 9 || !make_gap(segment, i)) {
        if (!grow(segment))
            return false;
        i = find_slot(segment, key);
    }
    at = segment->slots + (size_t)i * SLOT_BYTES;
    memcpy(at, &key, KEY_BYTES);
    memcpy(at + KEY_BYTES, &id, sizeof id);
    segment->count++;
    return true;
}

scent_status seen_add(struct seen *seen, uint64_t fingerprint, uint32_t *id, bool *is_new)
{
    uint64_t key;
    struct seen_segment *segment = segment_of(seen, fingerprint, &key);
    uint32_t i;

    if (!segment->slots && !start(seen, segment))
        return SCENT_E_NOMEM;
    i = find_slot(segment, key);
    *is_new = key_at(segment, i) != key;
    if (!*is_new) {
        *id = id_at(segment, i);
        return SCENT_OK;
    }
    if (seen->count == SEEN_MAX)
        return SCENT_E_LIMIT;
    if (!insert(segment, key, i, seen->count))
        return SCENT_E_NOMEM;
    *id = seen->count++;
    return SCENT_OK;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a key is the first six bytes of a 64-bit word");
