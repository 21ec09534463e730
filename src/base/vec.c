#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1024 };

bool vec_grow(void *items, size_t *room, size_t need, size_t size)
{
    size_t first = size < FIRST_BYTES / 8 ? FIRST_BYTES / size : 8;
    size_t more = *room ? *room + *room / 2 : first;
    void *array;

    if (more < need)
        more = need;
    if (more > SIZE_MAX / 2 / size)
        return false;
    memcpy(&array, items, sizeof array); /* whatever type it points to */
    array = realloc(array, more * size);
    if (!array)
        return false;
    memcpy(items, &array, sizeof array);
    *room = more;
    return true;
}
