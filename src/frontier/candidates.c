#include "frontier/candidates.h"

#include <stdlib.h>

enum { CHUNK_IDS = 64, BLOCK_CHUNKS = 1024, BLOCK_IDS = CHUNK_IDS * BLOCK_CHUNKS, STEP = 8 };

/* Two bits an id:        !there     there
 *               !late    seen       QUEUED
 *                late    DONE       IN_FLIGHT
 * `records` holds one for each bit of `there`, in order, with room for the count rounded up to STEP. */
struct candidates_chunk {
    uint64_t there, late;
    struct candidates_record *records;
};

static unsigned count_of(const struct candidates_chunk *chunk)
{
    return (unsigned)__builtin_popcountll(chunk->there);
}

static uint64_t bit_of(uint32_t id)
{
    return (uint64_t)1 << id % CHUNK_IDS;
}

static unsigned rank_of(const struct candidates_chunk *chunk, uint32_t id)
{
    return (unsigned)__builtin_popcountll(chunk->there & (bit_of(id) - 1));
}

static struct candidates_chunk *chunk_of(const struct candidates *all, uint32_t id)
{
    SCENT_BUG_IF(id >= all->ids);
    return &all->blocks[id / BLOCK_IDS][id % BLOCK_IDS / CHUNK_IDS];
}

void candidates_init(struct candidates *all)
{
    *all = (struct candidates){0};
}

void candidates_release(struct candidates *all)
{
    for (uint32_t i = 0; i < all->nblocks; i++) {
        for (uint32_t j = 0; j < BLOCK_CHUNKS; j++)
            free(all->blocks[i][j].records);
        free(all->blocks[i]);
    }
    free(all->blocks);
    candidates_init(all);
}

static bool add_block(struct candidates *all)
{
    if (all->nblocks == all->room) {
        uint32_t room = all->room ? all->room * 2 : 16;
        struct candidates_chunk **blocks = realloc(all->blocks, room * sizeof *blocks);

        if (!blocks)
            return false;
        all->blocks = blocks;
        all->room = room;
    }
    all->blocks[all->nblocks] = calloc(BLOCK_CHUNKS, sizeof **all->blocks);
    if (!all->blocks[all->nblocks])
        return false;
    all->nblocks++;
    return true;
}

scent_status candidates_extend(struct candidates *all)
{
    if (all->ids / BLOCK_IDS == all->nblocks && !add_block(all))
        return SCENT_E_NOMEM;
    all->ids++;
    return SCENT_OK;
}

enum frontier_state candidates_state(const struct candidates *all, uint32_t id)
{
    const struct candidates_chunk *chunk = chunk_of(all, id);
    bool there = chunk->there & bit_of(id), late = chunk->late & bit_of(id);

    if (there)
        return late ? FRONTIER_IN_FLIGHT : FRONTIER_QUEUED;
    return late ? FRONTIER_DONE : FRONTIER_SEEN;
}

/* Gives the chunk room for `room` records; what it holds is kept. */
static bool resize(struct candidates_chunk *chunk, unsigned room)
{
    struct candidates_record *records = realloc(chunk->records, room * sizeof *records);

    if (records)
        chunk->records = records;
    return records != NULL;
}

scent_status candidates_add(struct candidates *all, uint32_t id, uint32_t host)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);

    SCENT_BUG_IF(candidates_state(all, id) != FRONTIER_SEEN);
    if (count % STEP == 0 && !resize(chunk, count + STEP))
        return SCENT_E_NOMEM;
    memmove(chunk->records + rank + 1, chunk->records + rank, (count - rank) * sizeof *chunk->records);
    chunk->there |= bit_of(id);
    chunk->records[rank] = (struct candidates_record){.host = host};
    return SCENT_OK;
}

void candidates_set_in_flight(struct candidates *all, uint32_t id, bool in_flight)
{
    struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(candidates_state(all, id) != (in_flight ? FRONTIER_QUEUED : FRONTIER_IN_FLIGHT));
    chunk->late ^= bit_of(id);
}

void candidates_remove(struct candidates *all, uint32_t id)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);

    chunk->late |= bit_of(id);
    if (!(chunk->there & bit_of(id)))
        return;
    count--;
    memmove(chunk->records + rank, chunk->records + rank + 1, (count - rank) * sizeof *chunk->records);
    chunk->there &= ~bit_of(id);
    if (count == 0) {
        free(chunk->records);
        chunk->records = NULL;
    } else if (count % STEP == 0)
        (void)resize(chunk, count); /* a failure to shrink is none */
}

void candidates_reopen(struct candidates *all, uint32_t id)
{
    struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(candidates_state(all, id) != FRONTIER_DONE);
    chunk->late &= ~bit_of(id);
}

struct candidates_record *candidates_at(const struct candidates *all, uint32_t id)
{
    const struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(!(chunk->there & bit_of(id)));
    return chunk->records + rank_of(chunk, id);
}

void candidates_prefetch(const struct candidates *all, uint32_t id)
{
    __builtin_prefetch(chunk_of(all, id));
}

void candidates_read(const struct candidates *all, uint32_t id, struct candidate *out)
{
    const struct candidates_record *record = candidates_at(all, id);

    *out = (struct candidate){.depth = record->depth,
                              .off_domain = record->off_domain,
                              .redirects = record->redirects,
                              .tries = record->tries,
                              .flags = record->flags};
    memcpy(out->own, record->own, sizeof out->own);
}

static unsigned at_most(unsigned value, unsigned largest)
{
    return value < largest ? value : largest;
}

void candidates_write(struct candidates *all, uint32_t id, const struct candidate *in)
{
    struct candidates_record *record = candidates_at(all, id);

    record->depth = at_most(in->depth, FRONTIER_DEPTH_MAX) & 0xFFF;
    record->off_domain = in->off_domain;
    record->redirects = at_most(in->redirects, FRONTIER_SMALL_MAX) & 15;
    record->tries = at_most(in->tries, FRONTIER_SMALL_MAX) & 15;
    record->flags = in->flags & 15;
    memcpy(record->own, in->own, sizeof record->own);
}

uint32_t candidates_next(const struct candidates *all, uint32_t from)
{
    uint64_t mask = ~(uint64_t)0 << from % CHUNK_IDS;

    for (uint64_t id = from - from % CHUNK_IDS; id < all->ids; id += CHUNK_IDS) {
        const struct candidates_chunk *chunk = chunk_of(all, (uint32_t)id);
        uint64_t queued = chunk->there & ~chunk->late & mask;

        if (queued)
            return (uint32_t)id + (uint32_t)__builtin_ctzll(queued);
        mask = ~(uint64_t)0;
    }
    return CANDIDATES_NONE;
}
