#include "page/tag.h"

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

enum page_tag page_tag_find(struct str name)
{
    size_t low = 1, high = PAGE_TAG_COUNT;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_cmp(name, tags[middle].name);

        if (order == 0)
            return (enum page_tag)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PAGE_TAG_OTHER;
}
