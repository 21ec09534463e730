#include "page/tag.h"

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

uint64_t page_tag_hash(struct str name)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < name.len; i++)
        hash = page_tag_hash_add(hash, (unsigned char)ascii_lower(name.p[i]), i);
    return hash;
}

static int compare(struct str name, struct str known)
{
    size_t n = name.len < known.len ? name.len : known.len;

    for (size_t i = 0; i < n; i++)
        if (ascii_lower(name.p[i]) != known.p[i])
            return (unsigned char)ascii_lower(name.p[i]) < (unsigned char)known.p[i] ? -1 : 1;
    return (name.len > known.len) - (name.len < known.len);
}

enum page_tag page_tag_find(struct str name)
{
    unsigned low = 1, high = PAGE_TAG_COUNT;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = compare(name, names[middle]);

        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PAGE_TAG_OTHER;
}
