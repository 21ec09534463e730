#include "frontier/urltext.h"

#include <stdlib.h>

enum { CHUNK_IDS = 64, FIRST_LOANS = 64 };

struct urltext_chunk {
    uint32_t used, room;
    uint16_t lengths[CHUNK_IDS]; /* 0: no text */
    char text[];
};

struct urltext_loan {
    char *text; /* NULL: not lent */
    uint32_t next_free;
};

void urltext_init(struct urltext *texts)
{
    *texts = (struct urltext){0};
}

void urltext_release(struct urltext *texts)
{
    for (uint32_t i = 0; i < texts->nchunks; i++)
        free(texts->chunks[i]);
    for (uint32_t i = 0; i < texts->nloans; i++)
        free(texts->loans[i].text);
    free(texts->chunks);
    free(texts->loans);
    urltext_init(texts);
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

    if (text.len > URLTEXT_MAX)
        return SCENT_E_LIMIT;
    if (!reach(texts, id / CHUNK_IDS))
        return SCENT_E_NOMEM;
    at = &texts->chunks[id / CHUNK_IDS];
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
    struct urltext_chunk **at = &texts->chunks[id / CHUNK_IDS], *chunk = *at;
    size_t offset, len;

    if (!chunk)
        return;
    offset = offset_of(chunk, id);
    len = chunk->lengths[id % CHUNK_IDS];
    memmove(chunk->text + offset, chunk->text + offset + len, chunk->used - offset - len);
    chunk->used -= (uint32_t)len;
    chunk->lengths[id % CHUNK_IDS] = 0;
    if (chunk->used == 0) {
        texts->bytes -= sizeof *chunk + chunk->room;
        free(chunk);
        *at = NULL;
    } else if (chunk->room > chunk->used + chunk->used / 4 + 256)
        (void)resize(texts, at, chunk->used + chunk->used / 8); /* a failure to shrink is none */
}

struct str urltext_get(const struct urltext *texts, uint32_t id)
{
    const struct urltext_chunk *chunk = texts->chunks[id / CHUNK_IDS];

    if (!chunk)
        return (struct str){"", 0};
    return (struct str){chunk->text + offset_of(chunk, id), chunk->lengths[id % CHUNK_IDS]};
}

static bool more_loans(struct urltext *texts)
{
    uint32_t count = texts->nloans ? texts->nloans * 2 : FIRST_LOANS;
    struct urltext_loan *loans = realloc(texts->loans, count * sizeof *loans);

    if (!loans)
        return false;
    for (uint32_t i = texts->nloans; i < count; i++)
        loans[i] = (struct urltext_loan){.next_free = i + 1};
    texts->loans = loans;
    texts->nloans = count;
    return true;
}

scent_status urltext_lend(struct urltext *texts, uint32_t id, uint32_t *loan, struct str *text)
{
    struct str now = urltext_get(texts, id);
    char *copy;

    if (texts->free_loan == texts->nloans && !more_loans(texts))
        return SCENT_E_NOMEM;
    copy = malloc(now.len + 1);
    if (!copy)
        return SCENT_E_NOMEM;
    memcpy(copy, now.p, now.len);
    copy[now.len] = '\0';
    *loan = texts->free_loan;
    texts->loans[*loan].text = copy;
    texts->free_loan = texts->loans[*loan].next_free;
    *text = (struct str){copy, now.len};
    return SCENT_OK;
}

void urltext_return(struct urltext *texts, uint32_t loan)
{
    SCENT_BUG_IF(loan >= texts->nloans || !texts->loans[loan].text);
    free(texts->loans[loan].text);
    texts->loans[loan] = (struct urltext_loan){.next_free = texts->free_loan};
    texts->free_loan = loan;
}

size_t urltext_bytes(const struct urltext *texts)
{
    return texts->bytes + texts->room * sizeof *texts->chunks;
}
