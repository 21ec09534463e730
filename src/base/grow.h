/* grow - an array that takes one more, where how many there are comes from outside: it may fail, and has a room that
 * grows by half. */
#ifndef SCENT_BASE_GROW_H
#define SCENT_BASE_GROW_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* `items` is the address of the pointer to an array of `count` things of `size` bytes with room for *room; both change
 * where it is full. False: there is no memory, and nothing changed. The array is the caller's to free(). */
SCENT_NODISCARD bool grow_by_one(void *items, size_t count, size_t *room, size_t size);

#endif
