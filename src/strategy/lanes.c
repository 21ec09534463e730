#include "strategy/lanes.h"

#include "base/status.h"
#include "strategy/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lanes_init(struct lanes *lanes, size_t count)
{
    SCENT_BUG_IF(count > LANES_MAX);
    *lanes = (struct lanes){.count = count};
}

void lanes_release(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++) {
        free(lanes->lanes[i].heap);
        free(lanes->lanes[i].best);
    }
    free(lanes->gone);
}

/* ---- ids ---- */

static void know(struct lanes *lanes, uint32_t id)
{
    size_t before = lanes->ids, ids = ((size_t)id + 64) * 3 / 2 & ~(size_t)7;

    if (id < before)
        return;
    for (size_t i = 0; i < lanes->count; i++) {
        struct lane *lane = &lanes->lanes[i];

        lane->best = realloc(lane->best, ids * sizeof *lane->best);
        SCENT_BUG_IF(!lane->best);
        for (size_t k = before; k < ids; k++)
            lane->best[k] = -INFINITY;
    }
    lanes->gone = realloc(lanes->gone, ids / 8);
    SCENT_BUG_IF(!lanes->gone);
    memset(lanes->gone + before / 8, 0, (ids - before) / 8);
    lanes->ids = ids;
}

static bool is_gone(const struct lanes *lanes, uint32_t id)
{
    return id < lanes->ids && lanes->gone[id / 8] >> (id % 8) & 1;
}

void lanes_remove(struct lanes *lanes, uint32_t id)
{
    know(lanes, id);
    lanes->gone[id / 8] |= (uint8_t)(1u << (id % 8));
}

/* ---- heaps: the highest priority on top, the smaller id among equals ---- */

static bool before(const struct lane_entry *a, const struct lane_entry *b)
{
    return a->priority > b->priority || (a->priority == b->priority && a->id < b->id);
}

static void push(struct lane *lane, struct lane_entry entry)
{
    size_t at = lane->n++;

    lane->heap = array_grow(lane->heap, &lane->room, lane->n, sizeof *lane->heap);
    while (at > 0 && before(&entry, &lane->heap[(at - 1) / 2])) {
        lane->heap[at] = lane->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    lane->heap[at] = entry;
}

static struct lane_entry pop(struct lane *lane)
{
    struct lane_entry top = lane->heap[0], last = lane->heap[--lane->n];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < lane->n && before(&lane->heap[child + 1], &lane->heap[child]))
            child++;
        if (child >= lane->n || !before(&lane->heap[child], &last))
            break;
        lane->heap[at] = lane->heap[child];
        at = child;
    }
    lane->heap[at] = last;
    return top;
}

void lanes_put(struct lanes *lanes, size_t number, uint32_t id, float priority)
{
    struct lane *lane = &lanes->lanes[number];

    know(lanes, id);
    if (!(priority > lane->best[id]) || is_gone(lanes, id))
        return;
    lane->best[id] = priority;
    push(lane, (struct lane_entry){priority, id});
}

/* ---- turns ---- */

/* The best entry that still counts; false: the lane is empty. */
static bool take(struct lanes *lanes, size_t number, struct lane_entry *out)
{
    struct lane *lane = &lanes->lanes[number];

    while (lane->n) {
        *out = pop(lane);
        if (!is_gone(lanes, out->id) && out->priority == lane->best[out->id])
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

size_t lanes_next(struct lanes *lanes, size_t turn, uint32_t *ids, size_t room)
{
    struct taken {
        struct lane_entry entry;
        size_t lane;
    } *taken = malloc((room + 1) * lanes->count * sizeof *taken);
    size_t n = 0, ntaken = 0, idle = 0;

    SCENT_BUG_IF(!taken);
    for (size_t number = turn % lanes->count; n < room && idle < lanes->count; number = (number + 1) % lanes->count) {
        struct lane_entry entry;
        bool found = false;

        while (!found && take(lanes, number, &entry)) {
            taken[ntaken++] = (struct taken){entry, number};
            found = !is_among(entry.id, ids, n);
        }
        idle = found ? 0 : idle + 1;
        if (found)
            ids[n++] = entry.id;
    }
    for (size_t i = 0; i < ntaken; i++)
        push(&lanes->lanes[taken[i].lane], taken[i].entry);
    free(taken);
    return n;
}
