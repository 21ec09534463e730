/* `child` is the first child, `next` the next sibling, `prev` the previous sibling or, of a first child, the
 * parent. A root has neither next nor prev. */
#include "frontier/pairing.h"

#define NONE CANDIDATES_NONE

uint64_t pairing_key(float priority, uint32_t id)
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

static uint64_t key_of(struct candidates *all, uint32_t id)
{
    return pairing_key(candidates_node(all, id)->priority, id);
}

/* Two roots become one. */
static uint32_t meld(struct candidates *all, uint32_t a, uint32_t b)
{
    struct candidates_node *above, *below;
    uint32_t winner, loser;

    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    winner = key_of(all, a) < key_of(all, b) ? a : b;
    loser = winner == a ? b : a;
    above = candidates_node(all, winner);
    below = candidates_node(all, loser);
    below->prev = winner;
    below->next = above->child;
    if (above->child != NONE)
        candidates_node(all, above->child)->prev = loser;
    above->child = loser;
    return winner;
}

/* Takes a first sibling off its list; it becomes a root. */
static uint32_t detach_first(struct candidates *all, uint32_t *list)
{
    uint32_t first = *list;

    if (first != NONE) {
        struct candidates_node *node = candidates_node(all, first);

        *list = node->next;
        node->next = node->prev = NONE;
    }
    return first;
}

/* The two passes: pairs from left to right, then all of them from right to left. */
static uint32_t combine(struct candidates *all, uint32_t list)
{
    uint32_t pairs = NONE, root = NONE;

    while (list != NONE) {
        uint32_t first = detach_first(all, &list), second = detach_first(all, &list);
        uint32_t pair = meld(all, first, second);

        candidates_node(all, pair)->next = pairs;
        pairs = pair;
    }
    while (pairs != NONE)
        root = meld(all, root, detach_first(all, &pairs));
    return root;
}

static void cut(struct candidates *all, uint32_t id)
{
    struct candidates_node *node = candidates_node(all, id);
    struct candidates_node *before = candidates_node(all, node->prev);

    if (before->child == id)
        before->child = node->next;
    else
        before->next = node->next;
    if (node->next != NONE)
        candidates_node(all, node->next)->prev = node->prev;
    node->next = node->prev = NONE;
}

uint32_t pairing_insert(struct candidates *all, uint32_t root, uint32_t id)
{
    struct candidates_node *node = candidates_node(all, id);

    node->child = node->next = node->prev = NONE;
    return meld(all, root, id);
}

uint32_t pairing_raise(struct candidates *all, uint32_t root, uint32_t id)
{
    if (id == root)
        return root;
    cut(all, id);
    return meld(all, root, id);
}

uint32_t pairing_remove(struct candidates *all, uint32_t root, uint32_t id)
{
    struct candidates_node *node = candidates_node(all, id);
    uint32_t children = node->child;

    node->child = NONE;
    if (id == root)
        return combine(all, children);
    cut(all, id);
    return meld(all, root, combine(all, children));
}
