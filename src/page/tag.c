#include "page/tag.h"

#include <pthread.h>

enum { PAGE_TAG_N = 0 };

static const struct {
    struct str name;
    unsigned flags;
} tags[PAGE_TAG_COUNT] = {
    {{"", 0}, 0},
#define PAGE_TAG_ROW(id, name, flag) {{name, sizeof(name) - 1}, PAGE_TAG_##flag},
    PAGE_TAGS(PAGE_TAG_ROW)
#undef PAGE_TAG_ROW
};

const char *page_tag_name(enum page_tag tag)
{
    return tags[tag].name.p;
}

unsigned page_tag_flags(enum page_tag tag)
{
    return tags[tag].flags;
}

/* Names by hash; built once, immutable from then on. */
enum { SLOTS = 512 };

static uint8_t slots[SLOTS];
static pthread_once_t built = PTHREAD_ONCE_INIT;

static void build(void)
{
    _Static_assert(PAGE_TAG_COUNT < 256, "a tag fits a byte");
    for (unsigned tag = 1; tag < PAGE_TAG_COUNT; tag++) {
        uint32_t i = page_tag_hash(tags[tag].name) % SLOTS;

        while (slots[i])
            i = (i + 1) % SLOTS;
        slots[i] = (uint8_t)tag;
    }
}

static bool is_name(unsigned tag, struct str name) /* names are too short for memcmp to pay */
{
    struct str known = tags[tag].name;

    if (known.len != name.len)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (known.p[i] != name.p[i])
            return false;
    return true;
}

enum page_tag page_tag_of_hash(struct str name, uint32_t hash)
{
    pthread_once(&built, build);
    for (uint32_t i = hash % SLOTS; slots[i]; i = (i + 1) % SLOTS)
        if (is_name(slots[i], name))
            return slots[i];
    return PAGE_TAG_OTHER;
}

enum page_tag page_tag_find(struct str name)
{
    return page_tag_of_hash(name, page_tag_hash(name));
}
