#include "frontier/hostqueue.h"

#include "base/vec.h"

#include <stdlib.h>

enum { CHILDREN = 4, SMALL = 32 };

uint64_t hostqueue_key(float priority, uint32_t id)
{
    uint32_t bits, rank;

    priority += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &priority, sizeof bits);
    /* Ordered as the floats are: positive ones above the middle, negative ones mirrored below it. */
    rank = bits >> 31 ? ~bits : bits | 0x80000000u;
    if (priority != priority)
        rank = 0;
    return (uint64_t)~rank << 32 | id;
}

static uint64_t key_of(const struct hostqueue_entry *entry)
{
    return hostqueue_key(entry->priority, entry->id);
}

uint64_t hostqueue_best(const struct hosttable_host *host)
{
    return key_of(&host->queue[0]);
}

/* The room of an array follows from what it must hold. Odd numbers fit malloc's sizes; later steps are an eighth. */
static uint32_t room_for(uint32_t count)
{
    uint32_t step;

    if (count == 0)
        return 0;
    if (count < SMALL)
        return count < 3 ? 3 : count | 1;
    step = 1u << (31 - __builtin_clz(count) - 3);
    return (count + step - 1) / step * step;
}

/* Queued, or in flight and about to come back. */
static uint32_t count_held(const struct hosttable_host *host)
{
    return host->queued + host->in_flight;
}

scent_status hostqueue_reserve(struct hosttable_host *host)
{
    uint32_t count = count_held(host), room = room_for(count + 1);

    return room == room_for(count) || vec_fit(&host->queue, room, sizeof *host->queue) ? SCENT_OK : SCENT_E_NOMEM;
}

void hostqueue_trim(struct hosttable_host *host)
{
    uint32_t count = count_held(host), room = room_for(count);

    if (room == room_for(count + 1))
        return;
    if (room == 0) {
        free(host->queue);
        host->queue = NULL;
        return;
    }
    (void)!vec_fit(&host->queue, room, sizeof *host->queue); /* a failure to shrink is none */
}

static void put(struct hosttable_host *host, struct candidates *all, uint32_t i, struct hostqueue_entry entry)
{
    host->queue[i] = entry;
    candidates_at(all, entry.id)->position = i;
}

static void sift_up(struct hosttable_host *host, struct candidates *all, uint32_t i, struct hostqueue_entry entry)
{
    uint64_t key = key_of(&entry);

    while (i) {
        uint32_t parent = (i - 1) / CHILDREN;

        if (key_of(&host->queue[parent]) < key)
            break;
        put(host, all, i, host->queue[parent]);
        i = parent;
    }
    put(host, all, i, entry);
}

/* The best child of i, or `queued` when it has none. */
static uint32_t best_child(const struct hosttable_host *host, uint32_t i, uint64_t *key)
{
    size_t first = (size_t)i * CHILDREN + 1, end = first + CHILDREN;
    uint32_t best = host->queued;

    if (end > host->queued)
        end = host->queued;
    *key = UINT64_MAX;
    for (size_t child = first; child < end; child++) {
        uint64_t at = key_of(&host->queue[child]);

        if (at < *key) {
            *key = at;
            best = (uint32_t)child;
        }
    }
    return best;
}

static void sift_down(struct hosttable_host *host, struct candidates *all, uint32_t i, struct hostqueue_entry entry)
{
    uint64_t key = key_of(&entry), below;

    for (;;) {
        uint32_t child = best_child(host, i, &below);

        if (child == host->queued || key < below)
            break;
        candidates_prefetch(all, host->queue[child].id);
        put(host, all, i, host->queue[child]);
        i = child;
    }
    put(host, all, i, entry);
}

static void settle(struct hosttable_host *host, struct candidates *all, uint32_t i, struct hostqueue_entry entry)
{
    if (i && key_of(&entry) < key_of(&host->queue[(i - 1) / CHILDREN]))
        sift_up(host, all, i, entry);
    else
        sift_down(host, all, i, entry);
}

void hostqueue_insert(struct hosttable_host *host, struct candidates *all, uint32_t id, float priority)
{
    sift_up(host, all, host->queued++, (struct hostqueue_entry){priority, id});
}

void hostqueue_remove(struct hosttable_host *host, struct candidates *all, uint32_t position)
{
    struct hostqueue_entry last = host->queue[--host->queued];

    if (position != host->queued)
        settle(host, all, position, last);
}

void hostqueue_change(struct hosttable_host *host, struct candidates *all, uint32_t position, float priority)
{
    settle(host, all, position, (struct hostqueue_entry){priority, host->queue[position].id});
}

void hostqueue_order(struct hosttable_host *host, struct candidates *all)
{
    if (host->queued < 2)
        return;
    for (uint32_t i = (host->queued - 2) / CHILDREN + 1; i-- > 0;) {
        uint64_t below;

        (void)best_child(host, i, &below);
        if (below < key_of(&host->queue[i]))
            sift_down(host, all, i, host->queue[i]);
    }
}

/* The places that may come next are kept in a small heap of their own: each one taken adds its children. */
struct listing {
    const struct hostqueue_entry *queue;
    uint32_t count, places[HOSTQUEUE_LIST * (CHILDREN - 1) + CHILDREN + 1];
};

static bool comes_before(const struct listing *list, uint32_t a, uint32_t b)
{
    return key_of(&list->queue[list->places[a]]) < key_of(&list->queue[list->places[b]]);
}

static void swap_places(struct listing *list, uint32_t a, uint32_t b)
{
    uint32_t place = list->places[a];

    list->places[a] = list->places[b];
    list->places[b] = place;
}

static void listing_push(struct listing *list, uint32_t place)
{
    uint32_t i = list->count++;

    list->places[i] = place;
    for (; i && comes_before(list, i, (i - 1) / 2); i = (i - 1) / 2)
        swap_places(list, i, (i - 1) / 2);
}

static uint32_t listing_pop(struct listing *list)
{
    uint32_t first = list->places[0];

    list->places[0] = list->places[--list->count];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < list->count; i = child) {
        if (child + 1 < list->count && comes_before(list, child + 1, child))
            child++;
        if (!comes_before(list, child, i))
            break;
        swap_places(list, child, i);
    }
    return first;
}

size_t hostqueue_list(const struct hosttable_host *host, uint32_t *ids, size_t room)
{
    struct listing list = {.queue = host->queue};
    size_t n = 0;

    if (room > HOSTQUEUE_LIST)
        room = HOSTQUEUE_LIST;
    if (host->queued)
        listing_push(&list, 0);
    while (list.count && n < room) {
        uint32_t place = listing_pop(&list);
        size_t child = (size_t)place * CHILDREN + 1;

        ids[n++] = host->queue[place].id;
        for (int i = 0; i < CHILDREN && child < host->queued; i++, child++)
            listing_push(&list, (uint32_t)child);
    }
    return n;
}
