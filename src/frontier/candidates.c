#include "frontier/candidates.h"

#include "base/vec.h"

#include <stdlib.h>

enum { CHUNK_IDS = 64, BLOCK_CHUNKS = 1024, BLOCK_IDS = CHUNK_IDS * BLOCK_CHUNKS, STEP = 8 };

/* Two bits an id:        !there     there
 *               !late    seen       QUEUED
 *                late    DONE       IN_FLIGHT
 * `part` holds a record for each bit of `there`, in order, with room for the count rounded up to STEP. */
struct candidates_part;
struct candidates_chunk {
    uint64_t there, late;
    struct candidates_part *part;
};

/* First all records, then the strategy's bytes of each. */
struct candidates_part {
    uint32_t width; /* of these, in bytes */
    struct candidates_record records[];
};

static unsigned round_up(unsigned count)
{
    return (count + STEP - 1) / STEP * STEP;
}

static uint8_t *own_of(struct candidates_part *part, unsigned room)
{
    return (uint8_t *)(part->records + room);
}

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
    for (size_t i = 0; i < all->nblocks; i++) {
        for (uint32_t j = 0; j < BLOCK_CHUNKS; j++)
            free(all->blocks[i][j].part);
        free(all->blocks[i]);
    }
    free(all->blocks);
    candidates_init(all);
}

static bool add_block(struct candidates *all)
{
    if (!vec_reserve(&all->blocks, &all->room, all->nblocks + 1, sizeof *all->blocks))
        return false;
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

/* Gives the chunk room for `room` records, each with `width` bytes of the strategy's, not fewer than before. */
static bool resize(struct candidates_chunk *chunk, unsigned room, uint32_t width)
{
    unsigned count = count_of(chunk), old_room = round_up(count);
    struct candidates_part *old = chunk->part, *part;

    part = calloc(1, sizeof *part + room * (sizeof *part->records + width));
    if (!part)
        return false;
    part->width = width;
    if (count) {
        memcpy(part->records, old->records, count * sizeof *part->records);
        for (unsigned i = 0; i < count && old->width; i++)
            memcpy(own_of(part, room) + (size_t)i * width, own_of(old, old_room) + (size_t)i * old->width, old->width);
    }
    free(old);
    chunk->part = part;
    return true;
}

/* Moves what follows the record `from` so that it follows `to`. `room` is what the chunk has, `count` what it holds. */
static void move(struct candidates_part *part, unsigned room, unsigned count, unsigned from, unsigned to)
{
    uint8_t *own = own_of(part, room);

    memmove(part->records + to, part->records + from, (count - from) * sizeof *part->records);
    memmove(own + (size_t)to * part->width, own + (size_t)from * part->width, (size_t)(count - from) * part->width);
}

scent_status candidates_add(struct candidates *all, uint32_t id, uint32_t host)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);

    SCENT_BUG_IF(candidates_state(all, id) != FRONTIER_SEEN);
    if (count % STEP == 0 && !resize(chunk, count + STEP, chunk->part ? chunk->part->width : 0))
        return SCENT_E_NOMEM;
    move(chunk->part, round_up(count + 1), count, rank, rank + 1);
    chunk->there |= bit_of(id);
    chunk->part->records[rank] = (struct candidates_record){.host = host};
    memset(own_of(chunk->part, round_up(count + 1)) + (size_t)rank * chunk->part->width, 0, chunk->part->width);
    return SCENT_OK;
}

void candidates_set_in_flight(struct candidates *all, uint32_t id, bool in_flight)
{
    struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(candidates_state(all, id) != (in_flight ? FRONTIER_QUEUED : FRONTIER_IN_FLIGHT));
    chunk->late ^= bit_of(id);
}

/* Gives STEP unused records back; without memory for a smaller copy they move inside the old one, since their place
 * follows from their count. */
static void shrink(struct candidates_chunk *chunk, unsigned room)
{
    unsigned count = count_of(chunk);
    struct candidates_part *part = chunk->part;

    if (count == 0) {
        free(part);
        chunk->part = NULL;
        return;
    }
    memmove(own_of(part, count), own_of(part, room), (size_t)count * part->width);
    (void)!vec_fit(&chunk->part, sizeof *part + count * (sizeof *part->records + part->width), 1);
}

void candidates_remove(struct candidates *all, uint32_t id)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);

    chunk->late |= bit_of(id);
    if (!(chunk->there & bit_of(id)))
        return;
    move(chunk->part, round_up(count), count, rank + 1, rank);
    chunk->there &= ~bit_of(id);
    if ((count - 1) % STEP == 0)
        shrink(chunk, round_up(count));
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
    return chunk->part->records + rank_of(chunk, id);
}

static uint8_t *own_at(const struct candidates_chunk *chunk, size_t rank)
{
    return own_of(chunk->part, round_up(count_of(chunk))) + rank * chunk->part->width;
}

void candidates_prefetch(const struct candidates *all, uint32_t id)
{
    __builtin_prefetch(chunk_of(all, id));
}

void candidates_read(const struct candidates *all, uint32_t id, struct candidate *out)
{
    const struct candidates_record *record = candidates_at(all, id);
    const struct candidates_chunk *chunk = chunk_of(all, id);

    *out = (struct candidate){.depth = record->depth,
                              .off_domain = record->off_domain,
                              .redirects = record->redirects,
                              .tries = record->tries,
                              .flags = record->flags};
    if (chunk->part->width)
        memcpy(out->own, own_at(chunk, (size_t)(record - chunk->part->records)), chunk->part->width);
}

static unsigned at_most(unsigned value, unsigned largest)
{
    return value < largest ? value : largest;
}

/* How many of the strategy's bytes are worth keeping. */
static uint32_t width_of(const uint8_t own[FRONTIER_OWN_BYTES])
{
    uint32_t width = FRONTIER_OWN_BYTES;

    while (width && own[width - 1] == 0)
        width--;
    return (width + 3) / 4 * 4;
}

static void write_own(struct candidates_chunk *chunk, size_t rank, const uint8_t own[FRONTIER_OWN_BYTES])
{
    uint32_t width = width_of(own);

    if (width > chunk->part->width)
        SCENT_BUG_IF(!resize(chunk, round_up(count_of(chunk)), width)); /* never more than 2 KB */
    if (chunk->part->width)
        memcpy(own_at(chunk, rank), own, chunk->part->width);
}

void candidates_write(struct candidates *all, uint32_t id, const struct candidate *in)
{
    struct candidates_record *record = candidates_at(all, id);

    record->depth = at_most(in->depth, FRONTIER_DEPTH_MAX) & 0xFFF;
    record->off_domain = at_most(in->off_domain, FRONTIER_OFF_DOMAIN_MAX) & 0x7F;
    record->redirects = at_most(in->redirects, FRONTIER_SMALL_MAX) & 15;
    record->tries = at_most(in->tries, FRONTIER_SMALL_MAX) & 15;
    record->flags = in->flags & 31;
    write_own(chunk_of(all, id), (size_t)(record - chunk_of(all, id)->part->records), in->own);
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
