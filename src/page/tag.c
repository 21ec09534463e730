#include "page/tag.h"

#include <pthread.h>

enum { PAGE_TAG_N = 0 };

static const struct str names[PAGE_TAG_COUNT] = {
    {"", 0},
#define PAGE_TAG_ROW(id, name, flag) {name, sizeof(name) - 1},
    PAGE_TAGS(PAGE_TAG_ROW)
#undef PAGE_TAG_ROW
};

const uint8_t page_tag_flag_table[PAGE_TAG_COUNT] = {
#define PAGE_TAG_ROW(id, name, flag) [PAGE_TAG_##id] = PAGE_TAG_##flag,
    PAGE_TAGS(PAGE_TAG_ROW)
#undef PAGE_TAG_ROW
};

const char *page_tag_name(enum page_tag tag)
{
    return names[tag].p;
}

/* Tags by hash; built once, immutable from then on. */
enum { SLOT_BITS = 9, SLOTS = 1 << SLOT_BITS };

static struct {
    uint64_t hash; /* 0: empty */
    unsigned tag;
} slots[SLOTS];
static pthread_once_t built = PTHREAD_ONCE_INIT;

uint64_t page_tag_hash(struct str name)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < name.len; i++)
        hash = page_tag_hash_add(hash, (unsigned char)ascii_lower(name.p[i]), i);
    return hash;
}

static size_t slot_of(uint64_t hash)
{
    size_t i = hash * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS);

    while (slots[i].hash && slots[i].hash != hash)
        i = (i + 1) % SLOTS;
    return i;
}

static void build(void)
{
    _Static_assert(PAGE_TAG_COUNT < 256, "a tag fits a byte, and half of the slots stay empty");
    for (unsigned tag = 1; tag < PAGE_TAG_COUNT; tag++) {
        uint64_t hash = page_tag_hash(names[tag]);
        size_t i = slot_of(hash);

        slots[i].hash = hash;
        slots[i].tag = tag;
    }
}

enum page_tag page_tag_of_hash(struct str name, uint64_t hash)
{
    unsigned tag;

    pthread_once(&built, build);
    tag = slots[slot_of(hash)].tag;
    return name.len <= 8 || str_eq_nocase(name, names[tag]) ? tag : PAGE_TAG_OTHER;
}

enum page_tag page_tag_find(struct str name)
{
    return page_tag_of_hash(name, page_tag_hash(name));
}
