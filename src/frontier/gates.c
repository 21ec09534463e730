#include "frontier/gates.h"

#include "base/vec.h"
#include "frontier/hostqueue.h"

#include <stdlib.h>

enum { BLOCK_GATES = 4096 };

void gates_init(struct gates *gates, uint32_t limit, int64_t delay_us)
{
    *gates = (struct gates){.limit = limit < UINT16_MAX ? limit : UINT16_MAX};
    gates_set_delay(gates, delay_us);
}

void gates_set_delay(struct gates *gates, int64_t delay_us)
{
    if (gates->limit)
        gates->gap_us = delay_us / gates->limit + (delay_us % gates->limit != 0);
}

void gates_release(struct gates *gates)
{
    for (size_t i = 0; i < gates->nblocks; i++)
        free(gates->blocks[i]);
    free(gates->blocks);
    *gates = (struct gates){0};
}

static struct gates_gate *new_block(void)
{
    struct gates_gate *block = malloc(BLOCK_GATES * sizeof *block);

    for (uint32_t i = 0; block && i < BLOCK_GATES; i++)
        block[i] = (struct gates_gate){.next_us = INT64_MIN, .parked = GATES_NO_HOST, .first = GATES_NO_HOST};
    return block;
}

scent_status gates_reach(struct gates *gates, uint32_t gate)
{
    uint32_t block = gate / BLOCK_GATES;

    if (!vec_reserve(&gates->blocks, &gates->room, (size_t)block + 1, sizeof *gates->blocks))
        return SCENT_E_NOMEM;
    while (gates->nblocks <= block)
        gates->blocks[gates->nblocks++] = NULL;
    if (!gates->blocks[block])
        gates->blocks[block] = new_block();
    return gates->blocks[block] ? SCENT_OK : SCENT_E_NOMEM;
}

struct gates_gate *gates_at(const struct gates *gates, uint32_t gate)
{
    return &gates->blocks[gate / BLOCK_GATES][gate % BLOCK_GATES];
}

void gates_clear(struct gates *gates)
{
    for (size_t i = 0; i < gates->nblocks; i++)
        for (uint32_t j = 0; gates->blocks[i] && j < BLOCK_GATES; j++) {
            struct gates_gate *gate = &gates->blocks[i][j];

            gate->parked = gate->first = GATES_NO_HOST;
            gate->starved = gate->sent = 0;
        }
}

/* ---- parked hosts ----
 *
 * They form a pairing heap through their records: `position` is the first child, `next` the next sibling, `prev` the
 * previous sibling or, of a first child, the parent. A root has neither next nor prev. A plain pairing heap would leave
 * the work of n inserts to the next removal; here equal ranks are melded as they come, so that a removal finds about
 * log n children. Reference: Fredman, Sedgewick, Sleator, Tarjan, The pairing heap, Algorithmica 1 (1986).
 * The order is that of the time of parking: a queue may have changed since, but then the host is about to be removed,
 * and only the keys of others are compared before. */

/* Two roots become one. */
static uint32_t meld_trees(const struct hosttable *hosts, uint32_t a, uint32_t b)
{
    struct hosttable_host *above, *below;
    uint32_t winner, loser;

    if (a == GATES_NO_HOST || b == GATES_NO_HOST)
        return a == GATES_NO_HOST ? b : a;
    winner = hostqueue_best(hosttable_at(hosts, a)) < hostqueue_best(hosttable_at(hosts, b)) ? a : b;
    loser = winner == a ? b : a;
    above = hosttable_at(hosts, winner);
    below = hosttable_at(hosts, loser);
    below->prev = winner;
    below->next = above->position;
    if (above->position != GATES_NO_HOST)
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

    if (first != GATES_NO_HOST) {
        struct hosttable_host *host = hosttable_at(hosts, first);

        *list = host->next;
        host->next = host->prev = GATES_NO_HOST;
    }
    return first;
}

/* The two passes: pairs from left to right, then all of them from right to left. */
static uint32_t combine_trees(const struct hosttable *hosts, uint32_t list)
{
    uint32_t pairs = GATES_NO_HOST, root = GATES_NO_HOST;

    while (list != GATES_NO_HOST) {
        uint32_t first = detach_first(hosts, &list), second = detach_first(hosts, &list);
        uint32_t pair = meld_trees(hosts, first, second);

        hosttable_at(hosts, pair)->next = pairs;
        pairs = pair;
    }
    while (pairs != GATES_NO_HOST)
        root = meld_trees(hosts, root, detach_first(hosts, &pairs));
    return root;
}

static void cut_tree(const struct hosttable *hosts, struct hosttable_host *host, uint32_t id)
{
    struct hosttable_host *before = hosttable_at(hosts, host->prev);

    if (before->position == id)
        before->position = host->next;
    else
        before->next = host->next;
    if (host->next != GATES_NO_HOST)
        hosttable_at(hosts, host->next)->prev = host->prev;
    host->next = host->prev = GATES_NO_HOST;
}

/* A tree comes under the top: first it takes up the children of its own rank, as a binary counter carries. */
static uint32_t add_tree(const struct hosttable *hosts, uint32_t top, uint32_t tree)
{
    struct hosttable_host *root;

    if (top == GATES_NO_HOST || hostqueue_best(hosttable_at(hosts, tree)) < hostqueue_best(hosttable_at(hosts, top)))
        return meld_trees(hosts, top, tree);
    root = hosttable_at(hosts, top);
    while (root->position != GATES_NO_HOST &&
           hosttable_at(hosts, root->position)->rank == hosttable_at(hosts, tree)->rank) {
        uint32_t list = root->position, first = detach_first(hosts, &list);

        root->position = list;
        if (list != GATES_NO_HOST)
            hosttable_at(hosts, list)->prev = top;
        tree = meld_trees(hosts, tree, first);
    }
    return meld_trees(hosts, top, tree);
}

void gates_park(struct gates_gate *gate, const struct hosttable *hosts, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(hosts, id);

    host->position = host->next = host->prev = GATES_NO_HOST;
    host->rank = 0;
    gate->parked = add_tree(hosts, gate->parked, id);
}

void gates_unpark(struct gates_gate *gate, const struct hosttable *hosts, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(hosts, id);
    uint32_t children = host->position, top = gate->parked, rest;

    host->position = GATES_NO_HOST;
    if (id != top)
        cut_tree(hosts, host, id);
    rest = combine_trees(hosts, children);
    if (id == top)
        gate->parked = rest;
    else if (rest != GATES_NO_HOST)
        gate->parked = add_tree(hosts, top, rest);
}
