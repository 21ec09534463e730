#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

bool grow_by_one(void *items, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? *room + *room / 2 : FIRST;
    void *array;

    if (count < *room)
        return true;
    if (more > SIZE_MAX / size)
        return false;
    memcpy(&array, items, sizeof array); /* whatever it points to */
    array = realloc(array, more * size);
    if (!array)
        return false;
    memcpy(items, &array, sizeof array);
    *room = more;
    return true;
}
