/* `position` is the first child, `next` the next sibling, `prev` the previous sibling or, of a first child, the
 * parent. A root has neither next nor prev.
 *
 * The order is that of hostpile_insert's time: a queue may have changed since, but then the host is about to be
 * removed, and only the keys of others are compared before. */
#include "frontier/hostpile.h"

#include "frontier/hostqueue.h"

#define NONE HOSTPILE_NONE

/* Two roots become one. */
static uint32_t meld(const struct hosttable *hosts, uint32_t a, uint32_t b)
{
    struct hosttable_host *above, *below;
    uint32_t winner, loser;

    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    winner = hostqueue_best(hosttable_at(hosts, a)) < hostqueue_best(hosttable_at(hosts, b)) ? a : b;
    loser = winner == a ? b : a;
    above = hosttable_at(hosts, winner);
    below = hosttable_at(hosts, loser);
    below->prev = winner;
    below->next = above->position;
    if (above->position != NONE)
        hosttable_at(hosts, above->position)->prev = loser;
    above->position = loser;
    if (above->rank <= below->rank && below->rank < UINT8_MAX)
        above->rank = (below->rank + 1u) & UINT8_MAX;
    return winner;
}

/* Takes the first sibling off its list; it becomes a root. */
static uint32_t detach_first(const struct hosttable *hosts, uint32_t *list)
{
    uint32_t first = *list;

    if (first != NONE) {
        struct hosttable_host *host = hosttable_at(hosts, first);

        *list = host->next;
        host->next = host->prev = NONE;
    }
    return first;
}

/* The two passes: pairs from left to right, then all of them from right to left. */
static uint32_t combine(const struct hosttable *hosts, uint32_t list)
{
    uint32_t pairs = NONE, root = NONE;

    while (list != NONE) {
        uint32_t first = detach_first(hosts, &list), second = detach_first(hosts, &list);
        uint32_t pair = meld(hosts, first, second);

        hosttable_at(hosts, pair)->next = pairs;
        pairs = pair;
    }
    while (pairs != NONE)
        root = meld(hosts, root, detach_first(hosts, &pairs));
    return root;
}

static void cut(const struct hosttable *hosts, struct hosttable_host *host, uint32_t id)
{
    struct hosttable_host *before = hosttable_at(hosts, host->prev);

    if (before->position == id)
        before->position = host->next;
    else
        before->next = host->next;
    if (host->next != NONE)
        hosttable_at(hosts, host->next)->prev = host->prev;
    host->next = host->prev = NONE;
}

/* A tree comes under the top: first it takes up the children of its own rank, as a binary counter carries. */
static uint32_t add_tree(const struct hosttable *hosts, uint32_t top, uint32_t tree)
{
    struct hosttable_host *root;

    if (top == NONE || hostqueue_best(hosttable_at(hosts, tree)) < hostqueue_best(hosttable_at(hosts, top)))
        return meld(hosts, top, tree);
    root = hosttable_at(hosts, top);
    while (root->position != NONE &&
           hosttable_at(hosts, root->position)->rank == hosttable_at(hosts, tree)->rank) {
        uint32_t list = root->position, first = detach_first(hosts, &list);

        root->position = list;
        if (list != NONE)
            hosttable_at(hosts, list)->prev = top;
        tree = meld(hosts, tree, first);
    }
    return meld(hosts, top, tree);
}

uint32_t hostpile_insert(const struct hosttable *hosts, uint32_t top, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(hosts, id);

    host->position = host->next = host->prev = NONE;
    host->rank = 0;
    return add_tree(hosts, top, id);
}

uint32_t hostpile_remove(const struct hosttable *hosts, uint32_t top, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(hosts, id);
    uint32_t children = host->position, rest;

    host->position = NONE;
    if (id != top)
        cut(hosts, host, id);
    rest = combine(hosts, children);
    if (id == top)
        return rest;
    return rest == NONE ? top : add_tree(hosts, top, rest);
}
