/* vec - the one array that grows, where the number of items comes from outside: growing may fail.
 *
 * An array is a pointer, a count and a room in the struct that owns it; the owner frees it with free(). The room
 * grows by half, so that adding an item costs a constant on average. */
#ifndef SCENT_BASE_VEC_H
#define SCENT_BASE_VEC_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The slow path of vec_reserve(). */
SCENT_NODISCARD bool vec_grow(void *items, size_t *room, size_t need, size_t size);

/* `items` is the address of a pointer to an array with room for *room items of `size` bytes; afterwards there is room
 * for `need`. False: out of memory, and nothing changed. */
SCENT_NODISCARD static inline bool vec_reserve(void *items, size_t *room, size_t need, size_t size)
{
    return need <= *room || vec_grow(items, room, need, size);
}

/* Exactly `need` items, more or fewer than before, for arrays whose room follows from their count. `need` is not 0.
 * False: out of memory, and nothing changed. */
SCENT_NODISCARD bool vec_fit(void *items, size_t need, size_t size);

/* ---- sorted arrays: numbers in ascending order, for qsort() and bsearch() ---- */

int order_u32(const void *a, const void *b);
int order_u64(const void *a, const void *b);
int order_double(const void *a, const void *b); /* none of them a NaN */

/* The place of the first of `count` items of `size` bytes that is not below `key`; `count` if there is none. They are
 * in ascending order of the uint64_t that stands `offset` bytes into each. */
static inline size_t vec_place(const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (*(const uint64_t *)(const void *)((const char *)items + middle * size + offset) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
