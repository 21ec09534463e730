#include "strategy/array.h"

#include <stdlib.h>

void *array_grow(void *items, size_t *room, size_t want, size_t size)
{
    if (want <= *room)
        return items;
    *room = want + want / 2 + 64;
    items = realloc(items, *room * size);
    SCENT_BUG_IF(!items);
    return items;
}

void array_put(struct buf *out, const void *p, size_t size)
{
    if (size)
        buf_add(out, (struct str){p, size});
}

void *array_take(struct str *rest, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);

    SCENT_BUG_IF(!copy);
    memcpy(copy, rest->p, count * size);
    *rest = str_sub(*rest, count * size, rest->len);
    return copy;
}

bool array_get(struct str *rest, void *out, size_t size)
{
    if (rest->len < size)
        return false;
    if (size)
        memcpy(out, rest->p, size);
    *rest = str_sub(*rest, size, rest->len);
    return true;
}
