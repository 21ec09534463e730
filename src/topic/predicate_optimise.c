/* Constants are folded, and the parts of and/or are ordered so that a cheap one can save the dear ones. Tests have
 * no effects and always have a value, so the order changes nothing but the time. */
#include "topic/predicate_tree.h"

#include <stdlib.h>

bool predicate_compare(enum predicate_token_kind op, double left, double right)
{
    switch (op) {
    case TOKEN_LT:
        return left < right;
    case TOKEN_LE:
        return left <= right;
    case TOKEN_GT:
        return left > right;
    case TOKEN_GE:
        return left >= right;
    case TOKEN_EQ:
        return left == right;
    default:
        return left != right;
    }
}

static void make_constant(struct predicate_node *node, bool truth)
{
    node->kind = PREDICATE_CONST;
    node->truth = truth;
    node->nkids = 0;
    node->cost = 0;
}

static struct predicate_node *fold_not(struct predicate_node *node)
{
    struct predicate_node *kid = node->kids[0];

    if (kid->kind == PREDICATE_NOT)
        return kid->kids[0];
    if (kid->kind == PREDICATE_CONST)
        make_constant(node, !kid->truth);
    else
        node->cost = kid->cost;
    return node;
}

/* true is neutral in `and` and decides `or`; false the other way round. Kids of the same kind are taken in. */
static struct predicate_node *fold_chain(struct arena *arena, struct predicate_node *node)
{
    bool neutral = node->kind == PREDICATE_AND;
    struct predicate_node **kids;
    size_t most = 0, n = 0;

    for (size_t i = 0; i < node->nkids; i++)
        most += node->kids[i]->kind == node->kind ? node->kids[i]->nkids : 1;
    if (!(kids = arena_array(arena, most, sizeof *kids)))
        return NULL;
    for (size_t i = 0; i < node->nkids; i++) {
        struct predicate_node *kid = node->kids[i];

        if (kid->kind == PREDICATE_CONST && kid->truth != neutral) {
            make_constant(node, kid->truth);
            return node;
        }
        if (kid->kind == node->kind) {
            memcpy(kids + n, kid->kids, kid->nkids * sizeof *kids);
            n += kid->nkids;
        } else if (kid->kind != PREDICATE_CONST) {
            kids[n++] = kid;
        }
    }
    if (n == 0)
        make_constant(node, neutral);
    node->kids = kids;
    node->nkids = (uint32_t)n;
    return n == 1 ? kids[0] : node;
}

/* By cost, then as written. */
static int by_cost(const void *a, const void *b)
{
    const struct predicate_node *x = *(struct predicate_node *const *)a, *y = *(struct predicate_node *const *)b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->source.p > y->source.p) - (x->source.p < y->source.p);
}

static bool order_kids(struct arena *arena, struct predicate_node *node)
{
    node->cheap = arena_array(arena, node->nkids, sizeof *node->cheap);
    if (!node->cheap)
        return false;
    memcpy(node->cheap, node->kids, node->nkids * sizeof *node->kids);
    qsort(node->cheap, node->nkids, sizeof *node->cheap, by_cost);
    node->cost = 0;
    for (size_t i = 0; i < node->nkids; i++)
        node->cost += node->kids[i]->cost;
    return true;
}

/* Recursion is as deep as the parser allowed. */
static struct predicate_node *fold(struct arena *arena, struct predicate_node *node)
{
    bool chain = node->kind == PREDICATE_AND || node->kind == PREDICATE_OR;

    for (size_t i = 0; i < node->nkids; i++) {
        node->kids[i] = fold(arena, node->kids[i]);
        if (!node->kids[i])
            return NULL;
    }
    if (node->kind == PREDICATE_NOT)
        return fold_not(node);
    if (node->kind == PREDICATE_COMPARE && node->compare.left.value == VALUE_NUMBER &&
        node->compare.right.value == VALUE_NUMBER)
        make_constant(node, predicate_compare(node->compare.op, node->compare.left.number, node->compare.right.number));
    if (!chain)
        return node;
    node = fold_chain(arena, node);
    if (node && (node->kind == PREDICATE_AND || node->kind == PREDICATE_OR) && !order_kids(arena, node))
        return NULL;
    return node;
}

scent_status predicate_optimise(struct predicate *predicate)
{
    predicate->root = fold(&predicate->arena, predicate->root);
    return predicate->root ? SCENT_OK : SCENT_E_NOMEM;
}
