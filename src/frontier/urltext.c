#include "frontier/urltext.h"

#include <stdlib.h>

enum { CHUNK_IDS = URLTEXT_STEP, FIRST_MAX = 1024 };

struct urltext_chunk {
    uint32_t used, room;
    uint16_t lengths[CHUNK_IDS]; /* 0: no text */
    char text[];
};

void urltext_init(struct urltext *texts)
{
    *texts = (struct urltext){0};
}

void urltext_release(struct urltext *texts)
{
    for (uint32_t i = texts->first; i < texts->nchunks; i++)
        free(texts->chunks[i]);
    free(texts->chunks);
    urltext_init(texts);
}

uint32_t urltext_low(const struct urltext *texts)
{
    return (texts->base + texts->first) * CHUNK_IDS;
}

/* Where the chunk of this id is kept; NULL when it is outside of the window. */
static struct urltext_chunk **place_of(const struct urltext *texts, uint32_t id)
{
    uint32_t i = id / CHUNK_IDS - texts->base;

    return id < urltext_low(texts) || i >= texts->nchunks ? NULL : &texts->chunks[i];
}

static size_t offset_of(const struct urltext_chunk *chunk, uint32_t id)
{
    size_t offset = 0;

    for (uint32_t i = 0; i < id % CHUNK_IDS; i++)
        offset += chunk->lengths[i];
    return offset;
}

/* Makes chunks[index] a place that can be written. */
static bool reach(struct urltext *texts, uint32_t index)
{
    if (index >= texts->room) {
        uint32_t room = index + index / 2 + 64;
        struct urltext_chunk **chunks = realloc(texts->chunks, room * sizeof *chunks);

        if (!chunks)
            return false;
        texts->chunks = chunks;
        texts->room = room;
    }
    while (texts->nchunks <= index)
        texts->chunks[texts->nchunks++] = NULL;
    return true;
}

static void free_chunk(struct urltext *texts, struct urltext_chunk **at)
{
    texts->bytes -= *at ? sizeof **at + (*at)->room : 0;
    free(*at);
    *at = NULL;
}

void urltext_shift(struct urltext *texts)
{
    if (texts->first == texts->nchunks) {
        texts->base++;
        return;
    }
    free_chunk(texts, &texts->chunks[texts->first++]);
    if (texts->first < FIRST_MAX || texts->first * 2 < texts->nchunks)
        return;
    texts->nchunks -= texts->first;
    memmove(texts->chunks, texts->chunks + texts->first, texts->nchunks * sizeof *texts->chunks);
    texts->base += texts->first;
    texts->first = 0;
}

void urltext_skip(struct urltext *texts, uint32_t id)
{
    uint32_t base = id / CHUNK_IDS;

    if (texts->first != texts->nchunks || base <= texts->base + texts->first)
        return;
    texts->base = base;
    texts->first = texts->nchunks = 0;
}

static bool resize(struct urltext *texts, struct urltext_chunk **at, size_t room)
{
    size_t before = *at ? sizeof **at + (*at)->room : 0;
    struct urltext_chunk *chunk = realloc(*at, sizeof *chunk + room);

    if (!chunk)
        return false;
    if (!*at)
        memset(chunk, 0, sizeof *chunk);
    chunk->room = (uint32_t)room;
    texts->bytes += sizeof *chunk + room - before;
    *at = chunk;
    return true;
}

scent_status urltext_add(struct urltext *texts, uint32_t id, struct str text)
{
    struct urltext_chunk **at, *chunk;
    size_t need, offset;

    SCENT_BUG_IF(id < urltext_low(texts));
    if (text.len > URLTEXT_MAX)
        return SCENT_E_LIMIT;
    if (!reach(texts, id / CHUNK_IDS - texts->base))
        return SCENT_E_NOMEM;
    at = place_of(texts, id);
    need = (*at ? (*at)->used : 0) + text.len;
    if ((!*at || need > (*at)->room) && !resize(texts, at, need + need / 8 + 128))
        return SCENT_E_NOMEM;
    chunk = *at;
    SCENT_BUG_IF(chunk->lengths[id % CHUNK_IDS]);
    offset = offset_of(chunk, id);
    memmove(chunk->text + offset + text.len, chunk->text + offset, chunk->used - offset);
    if (text.len)
        memcpy(chunk->text + offset, text.p, text.len);
    chunk->used += (uint32_t)text.len;
    chunk->lengths[id % CHUNK_IDS] = (uint16_t)text.len;
    return SCENT_OK;
}

void urltext_remove(struct urltext *texts, uint32_t id)
{
    struct urltext_chunk **at = place_of(texts, id), *chunk = at ? *at : NULL;
    size_t offset, len;

    if (!chunk)
        return;
    offset = offset_of(chunk, id);
    len = chunk->lengths[id % CHUNK_IDS];
    memmove(chunk->text + offset, chunk->text + offset + len, chunk->used - offset - len);
    chunk->used -= (uint32_t)len;
    chunk->lengths[id % CHUNK_IDS] = 0;
    if (chunk->used == 0)
        free_chunk(texts, at);
    else if (chunk->room > chunk->used + chunk->used / 4 + 256)
        (void)resize(texts, at, chunk->used + chunk->used / 8); /* a failure to shrink is none */
}

struct str urltext_get(const struct urltext *texts, uint32_t id)
{
    struct urltext_chunk **at = place_of(texts, id), *chunk = at ? *at : NULL;

    if (!chunk || !chunk->lengths[id % CHUNK_IDS])
        return (struct str){"", 0};
    return (struct str){chunk->text + offset_of(chunk, id), chunk->lengths[id % CHUNK_IDS]};
}

size_t urltext_bytes(const struct urltext *texts)
{
    return texts->bytes + texts->room * sizeof *texts->chunks;
}
