/* vec - room for one more in an array that grows. The arrays of an analyser are kept from page to page. */
#ifndef SCENT_PAGE_VEC_H
#define SCENT_PAGE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* *array (of *room items of `size` bytes) gets room for `need` items; false when memory is short: unchanged. */
static inline bool vec_reserve(void *array, size_t *room, size_t need, size_t size)
{
    void **items = array;
    size_t more = *room + *room / 2;
    void *p;

    if (need <= *room)
        return true;
    if (more < need)
        more = need < 64 ? 64 : need;
    p = realloc(*items, more * size);
    if (!p)
        return false;
    *items = p;
    *room = more;
    return true;
}

#endif
