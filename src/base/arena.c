/* Blocks that are bumped through; the newest first. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SCENT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCENT_ASAN 1
#endif
#endif
#ifdef SCENT_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 16, FIRST_BLOCK = 16 * 1024, LARGEST_STEP = 1024 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    _Alignas(ALIGN) char data[];
};

void arena_init(struct arena *arena, size_t cap)
{
    *arena = (struct arena){.cap = cap};
}

static void free_blocks(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;

        UNPOISON(block->data, block->size);
        free(block);
        block = next;
    }
}

void arena_release(struct arena *arena)
{
    free_blocks(arena->blocks);
    *arena = (struct arena){.cap = arena->cap};
}

void arena_reset(struct arena *arena)
{
    struct arena_block *keep = arena->blocks;

    if (!keep)
        return;
    free_blocks(keep->next);
    keep->next = NULL;
    arena->used = 0;
    arena->total = keep->size;
    POISON(keep->data, keep->size);
}

static bool add_block(struct arena *arena, size_t need)
{
    size_t size = arena->total ? arena->total : FIRST_BLOCK;
    struct arena_block *block;

    if (size > LARGEST_STEP)
        size = LARGEST_STEP;
    if (size < need)
        size = need;
    if (arena->total >= arena->cap || need > arena->cap - arena->total)
        return false;
    block = malloc(sizeof *block + size);
    if (!block)
        return false;
    *block = (struct arena_block){.next = arena->blocks, .size = size};
    POISON(block->data, size);
    arena->blocks = block;
    arena->total += size;
    arena->used = 0;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t need;
    char *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    need = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if ((!arena->blocks || arena->blocks->size - arena->used < need) && !add_block(arena, need))
        return NULL;
    p = arena->blocks->data + arena->used;
    arena->used += need;
    UNPOISON(p, size);
    return p;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
    void *p = arena_alloc(arena, size);

    if (p)
        memset(p, 0, size);
    return p;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_alloc(arena, bytes);
}

struct str arena_str(struct arena *arena, struct str s)
{
    char *p = arena_alloc(arena, s.len + 1);

    if (!p)
        return STR_NONE;
    if (s.len)
        memcpy(p, s.p, s.len);
    p[s.len] = 0;
    return (struct str){p, s.len};
}

struct str arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args;
    int len;
    char *p;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0 || !(p = arena_alloc(arena, (size_t)len + 1)))
        return STR_NONE;
    va_start(args, fmt);
    vsnprintf(p, (size_t)len + 1, fmt, args);
    va_end(args);
    return (struct str){p, (size_t)len};
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    size_t old_room = (old_size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct arena_block *block = arena->blocks;
    void *p;

    if (old && block && (char *)old + old_room == block->data + arena->used &&
        new_size >= old_size && new_size - old_room <= block->size - arena->used) {
        arena->used -= old_room;
        return arena_alloc(arena, new_size);
    }
    p = arena_alloc(arena, new_size);
    if (p && old)
        memcpy(p, old, old_size < new_size ? old_size : new_size);
    return p;
}
