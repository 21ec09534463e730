/* The slow path: growing by half. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1024 };

bool vec_fit(void *items, size_t need, size_t size)
{
    void *array;

    if (need > SIZE_MAX / 2 / size)
        return false;
    memcpy(&array, items, sizeof array); /* whatever type it points to */
    array = realloc(array, need * size);
    if (!array)
        return false;
    memcpy(items, &array, sizeof array);
    return true;
}

bool vec_grow(void *items, size_t *room, size_t need, size_t size)
{
    size_t first = size < FIRST_BYTES / 8 ? FIRST_BYTES / size : 8;
    size_t more = *room ? *room + *room / 2 : first;

    if (more < need)
        more = need;
    if (!vec_fit(items, more, size))
        return false;
    *room = more;
    return true;
}

/* ---- comparisons ---- */

int order_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

int order_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int order_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
