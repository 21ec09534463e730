/* arena - memory that is freed whole.
 *
 * Allocation is a pointer bump; nothing is freed singly. One arena a page: everything that analysis
 * makes of a page lives and dies together. Growth beyond `cap` bytes fails, so that what the network
 * sends cannot take all memory.
 * Owner: whoever initialised it; moves with the page from thread to thread, one at a time. */
#ifndef SCENT_BASE_ARENA_H
#define SCENT_BASE_ARENA_H

#include "base/status.h"
#include "base/str.h"

struct arena_block;
struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used, total, cap;
};

void arena_init(struct arena *arena, size_t cap);
void arena_release(struct arena *arena); /* leaves an empty arena */
void arena_reset(struct arena *arena);   /* forgets everything, keeps one block for reuse */

/* 16-byte aligned, not cleared. NULL when the cap or memory is exhausted. */
void *arena_alloc(struct arena *arena, size_t size) SCENT_NODISCARD;
void *arena_zalloc(struct arena *arena, size_t size) SCENT_NODISCARD;
/* `count` things of `size` bytes; NULL on overflow too. */
void *arena_array(struct arena *arena, size_t count, size_t size) SCENT_NODISCARD;
/* A copy with a terminator after its end; .p is NULL on failure. */
struct str arena_str(struct arena *arena, struct str s) SCENT_NODISCARD;
struct str arena_printf(struct arena *arena, const char *fmt, ...) SCENT_PRINTF(2, 3) SCENT_NODISCARD;

/* Makes the newest allocation larger in place where it can, else copies it. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size) SCENT_NODISCARD;

#endif
