#include "strategy/turns.h"

#include "base/status.h"
#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void turns_init(struct turns *turns, size_t count)
{
    SCENT_BUG_IF(count > TURNS_MAX);
    *turns = (struct turns){.count = count};
}

void turns_release(struct turns *turns)
{
    for (size_t i = 0; i < turns->count; i++) {
        free(turns->queues[i].heap);
        free(turns->queues[i].best);
    }
    free(turns->gone);
}

/* ---- ids ---- */

static void know(struct turns *turns, uint32_t id)
{
    size_t before = turns->ids, ids = ((size_t)id + 64) * 3 / 2 & ~(size_t)7, room;

    if (id < before)
        return;
    for (size_t i = 0; i < turns->count; i++) {
        struct turns_queue *queue = &turns->queues[i];

        room = before;
        SCENT_BUG_IF(!vec_reserve(&queue->best, &room, ids, sizeof *queue->best));
        for (size_t k = before; k < ids; k++)
            queue->best[k] = -INFINITY;
    }
    room = before / 8;
    SCENT_BUG_IF(!vec_reserve(&turns->gone, &room, ids / 8, 1));
    memset(turns->gone + before / 8, 0, (ids - before) / 8);
    turns->ids = ids;
}

static bool is_gone(const struct turns *turns, uint32_t id)
{
    return id < turns->ids && turns->gone[id / 8] >> (id % 8) & 1;
}

void turns_remove(struct turns *turns, uint32_t id)
{
    know(turns, id);
    turns->gone[id / 8] |= (uint8_t)(1u << (id % 8));
}

/* ---- heaps: the highest priority on top, the smaller id among equals ---- */

static bool comes_before(const struct turns_entry *a, const struct turns_entry *b)
{
    return a->priority > b->priority || (a->priority == b->priority && a->id < b->id);
}

static void push_entry(struct turns_queue *queue, struct turns_entry entry)
{
    size_t at = queue->n++;

    SCENT_BUG_IF(!vec_reserve(&queue->heap, &queue->room, queue->n, sizeof *queue->heap));
    while (at > 0 && comes_before(&entry, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = entry;
}

static struct turns_entry pop_entry(struct turns_queue *queue)
{
    struct turns_entry top = queue->heap[0], last = queue->heap[--queue->n];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < queue->n && comes_before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (child >= queue->n || !comes_before(&queue->heap[child], &last))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return top;
}

void turns_put(struct turns *turns, size_t number, uint32_t id, float priority)
{
    struct turns_queue *queue = &turns->queues[number];

    know(turns, id);
    if (!(priority > queue->best[id]) || is_gone(turns, id))
        return;
    queue->best[id] = priority;
    push_entry(queue, (struct turns_entry){priority, id});
}

/* ---- whose turn it is ---- */

/* The best entry that still counts; false: the queue is empty. */
static bool take_best(struct turns *turns, size_t number, struct turns_entry *out)
{
    struct turns_queue *queue = &turns->queues[number];

    while (queue->n) {
        *out = pop_entry(queue);
        if (!is_gone(turns, out->id) && out->priority == queue->best[out->id])
            return true;
    }
    return false;
}

static bool is_among(uint32_t id, const uint32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

size_t turns_next(struct turns *turns, size_t turn, uint32_t *ids, size_t room)
{
    struct taken {
        struct turns_entry entry;
        size_t queue;
    } *taken = malloc((room + 1) * turns->count * sizeof *taken);
    size_t n = 0, ntaken = 0, idle = 0;

    SCENT_BUG_IF(!taken);
    for (size_t number = turn % turns->count; n < room && idle < turns->count; number = (number + 1) % turns->count) {
        struct turns_entry entry;
        bool found = false;

        while (!found && take_best(turns, number, &entry)) {
            taken[ntaken++] = (struct taken){entry, number};
            found = !is_among(entry.id, ids, n);
        }
        idle = found ? 0 : idle + 1;
        if (found)
            ids[n++] = entry.id;
    }
    for (size_t i = 0; i < ntaken; i++)
        push_entry(&turns->queues[taken[i].queue], taken[i].entry);
    free(taken);
    return n;
}

void turns_visited(struct turns *turns, uint32_t id, bool seed)
{
    turns_remove(turns, id);
    turns->turn += !seed;
    turns->renew = true;
}

/* Who was chosen and not asked for was not in the queue any more: it is fetched already, or was refused. */
static void forget_lost(struct turns *turns)
{
    for (size_t i = 0; i < turns->nchosen; i++)
        if (!turns->confirmed[i])
            turns_remove(turns, turns->chosen[i]);
}

static void choose(struct turns *turns)
{
    memcpy(turns->former, turns->chosen, sizeof turns->former);
    turns->nformer = turns->nchosen;
    turns->nchosen = turns_next(turns, turns->turn, turns->chosen, TURNS_AHEAD);
    memset(turns->confirmed, 0, sizeof turns->confirmed);
}

/* What was chosen sinks back, what is chosen rises: first those, then these. */
size_t turns_stale(struct turns *turns, uint32_t *ids, size_t room)
{
    size_t n = 0;

    if (turns->renew) {
        turns->renew = false;
        turns->told = 0;
        forget_lost(turns);
        choose(turns);
    }
    for (; n < room && turns->told < turns->nformer + turns->nchosen; turns->told++)
        ids[n++] = turns->told < turns->nformer ? turns->former[turns->told]
                                                : turns->chosen[turns->told - turns->nformer];
    return n;
}

bool turns_find(struct turns *turns, uint32_t id, float *priority)
{
    for (size_t i = 0; i < turns->nchosen; i++)
        if (turns->chosen[i] == id) {
            turns->confirmed[i] = true;
            *priority = (float)(2 + TURNS_AHEAD - i);
            return true;
        }
    return false;
}

/* ---- keeping ---- */

void turns_save_choice(const struct turns *turns, struct buf *out)
{
    saved_put_array(out, turns->chosen, TURNS_AHEAD, sizeof *turns->chosen);
    for (size_t i = 0; i < TURNS_AHEAD; i++)
        bytes_put(out, turns->confirmed[i], 1);
    saved_put_array(out, turns->gone, turns->ids / 8, 1);
}

void turns_load_choice(struct turns *turns, uint64_t gone, struct bytes *in)
{
    saved_get_array(in, turns->chosen, TURNS_AHEAD, sizeof *turns->chosen);
    for (size_t i = 0; i < TURNS_AHEAD; i++)
        turns->confirmed[i] = bytes_get(in, 1) != 0;
    bytes_check(in, turns->nchosen <= TURNS_AHEAD, "too many candidates were chosen");
    if (!bytes_has(in, gone, 1))
        return;
    for (uint64_t i = 0; i < gone * 8; i++)
        if (in->p[i / 8] >> (i % 8) & 1)
            turns_remove(turns, (uint32_t)i);
    in->p += gone;
}

void turns_save_queues(const struct turns *turns, struct buf *out)
{
    for (size_t i = 0; i < turns->count; i++)
        saved_put_array(out, turns->queues[i].best, turns->ids, sizeof *turns->queues[i].best);
}

void turns_load_queues(struct turns *turns, uint64_t ids, struct bytes *in)
{
    for (size_t i = 0; i < turns->count && bytes_left(in) && bytes_has(in, ids, sizeof(float)); i++)
        for (uint64_t id = 0; id < ids; id++) {
            float best;

            saved_get_array(in, &best, 1, sizeof best);
            if (!isnan(best) && best > -INFINITY)
                turns_put(turns, i, (uint32_t)id, best);
        }
}
