#include "frontier/candidates.h"

#include <stdlib.h>

enum { CHUNK_IDS = 64, BLOCK_CHUNKS = 1024, BLOCK_IDS = CHUNK_IDS * BLOCK_CHUNKS, STEP = 8 };

/* Two bits an id:        !there     there
 *               !late    seen       QUEUED
 *                late    DONE       IN_FLIGHT
 * `records` holds one node and one rest for each bit of `there`, in order: first all nodes, then all rests, each
 * with room for the count rounded up to STEP. */
struct candidates_chunk {
    uint64_t there, late;
    char *records;
};

struct view {
    struct candidates_node *nodes;
    struct candidates_rest *rests;
};

static unsigned count_of(const struct candidates_chunk *chunk)
{
    return (unsigned)__builtin_popcountll(chunk->there);
}

static unsigned round_up(unsigned count)
{
    return (count + STEP - 1) / STEP * STEP;
}

static struct view view_of(char *records, unsigned room)
{
    struct candidates_node *nodes = (struct candidates_node *)(void *)records;

    return (struct view){nodes, (struct candidates_rest *)(void *)(nodes + room)};
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
    unsigned count = count_of(chunk);
    struct view from = view_of(chunk->records, round_up(count)), to;
    char *records = malloc(room * (sizeof(struct candidates_node) + sizeof(struct candidates_rest)));

    if (!records)
        return false;
    to = view_of(records, room);
    if (count) {
        memcpy(to.nodes, from.nodes, count * sizeof *to.nodes);
        memcpy(to.rests, from.rests, count * sizeof *to.rests);
    }
    free(chunk->records);
    chunk->records = records;
    return true;
}

scent_status candidates_add(struct candidates *all, uint32_t id, uint32_t host)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);
    struct view view;

    SCENT_BUG_IF(candidates_state(all, id) != FRONTIER_SEEN);
    if (count % STEP == 0 && !resize(chunk, count + STEP))
        return SCENT_E_NOMEM;
    view = view_of(chunk->records, round_up(count + 1));
    memmove(view.nodes + rank + 1, view.nodes + rank, (count - rank) * sizeof *view.nodes);
    memmove(view.rests + rank + 1, view.rests + rank, (count - rank) * sizeof *view.rests);
    chunk->there |= bit_of(id);
    view.nodes[rank] = (struct candidates_node){
        .host = host, .child = CANDIDATES_NONE, .next = CANDIDATES_NONE, .prev = CANDIDATES_NONE};
    view.rests[rank] = (struct candidates_rest){0};
    return SCENT_OK;
}

void candidates_set_in_flight(struct candidates *all, uint32_t id, bool in_flight)
{
    struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(candidates_state(all, id) != (in_flight ? FRONTIER_QUEUED : FRONTIER_IN_FLIGHT));
    chunk->late ^= bit_of(id);
}

/* Gives unused records back. `room` is what the chunk has; without memory for a smaller copy the records move
 * inside the old one, since their place follows from their count. */
static void shrink(struct candidates_chunk *chunk, unsigned room)
{
    unsigned count = count_of(chunk);
    struct view from = view_of(chunk->records, room), to = view_of(chunk->records, count);
    char *smaller;

    if (count == 0) {
        free(chunk->records);
        chunk->records = NULL;
        return;
    }
    memmove(to.rests, from.rests, count * sizeof *to.rests);
    smaller = realloc(chunk->records, count * (sizeof *to.nodes + sizeof *to.rests));
    if (smaller)
        chunk->records = smaller;
}

void candidates_remove(struct candidates *all, uint32_t id)
{
    struct candidates_chunk *chunk = chunk_of(all, id);
    unsigned count = count_of(chunk), rank = rank_of(chunk, id);
    struct view view = view_of(chunk->records, round_up(count));

    chunk->late |= bit_of(id);
    if (!(chunk->there & bit_of(id)))
        return;
    memmove(view.nodes + rank, view.nodes + rank + 1, (count - rank - 1) * sizeof *view.nodes);
    memmove(view.rests + rank, view.rests + rank + 1, (count - rank - 1) * sizeof *view.rests);
    chunk->there &= ~bit_of(id);
    if ((count - 1) % STEP == 0)
        shrink(chunk, round_up(count));
}

static struct view record_of(const struct candidates *all, uint32_t id)
{
    const struct candidates_chunk *chunk = chunk_of(all, id);
    struct view view = view_of(chunk->records, round_up(count_of(chunk)));
    unsigned rank = rank_of(chunk, id);

    SCENT_BUG_IF(!(chunk->there & bit_of(id)));
    return (struct view){view.nodes + rank, view.rests + rank};
}

struct candidates_node *candidates_node(const struct candidates *all, uint32_t id)
{
    const struct candidates_chunk *chunk = chunk_of(all, id);

    SCENT_BUG_IF(!(chunk->there & bit_of(id)));
    return view_of(chunk->records, 0).nodes + rank_of(chunk, id);
}

void candidates_read(const struct candidates *all, uint32_t id, struct candidate *out)
{
    struct view record = record_of(all, id);
    const struct candidates_rest *rest = record.rests;

    *out = (struct candidate){.priority = record.nodes->priority,
                              .depth = rest->depth,
                              .off_domain = rest->off_domain,
                              .redirects = rest->redirects,
                              .tries = rest->tries,
                              .flags = rest->flags};
    memcpy(out->own, rest->own, sizeof out->own);
}

void candidates_write(struct candidates *all, uint32_t id, const struct candidate *in)
{
    struct view record = record_of(all, id);
    struct candidates_rest *rest = record.rests;

    record.nodes->priority = in->priority;
    *rest = (struct candidates_rest){.depth = in->depth,
                                     .off_domain = in->off_domain,
                                     .redirects = in->redirects,
                                     .tries = in->tries,
                                     .flags = in->flags};
    memcpy(rest->own, in->own, sizeof rest->own);
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
