/* What a predicate asks for, so that its topic can say whether there is an answer. */
#include "topic/caret.h"
#include "topic/predicate_tree.h"

static bool is_about(const struct predicate_operand *operand, enum predicate_value measure, uint32_t category)
{
    return operand->value == measure && (measure != VALUE_CATEGORY || operand->category == category);
}

/* The first test that asks; recursion is as deep as the parser allowed. */
static const struct predicate_node *find(const struct predicate_node *node, enum predicate_value measure,
                                         uint32_t category)
{
    const struct predicate_node *found = NULL;

    if (node->kind == PREDICATE_COMPARE &&
        (is_about(&node->compare.left, measure, category) || is_about(&node->compare.right, measure, category)))
        return node;
    for (uint32_t i = 0; i < node->nkids && !found; i++)
        found = find(node->kids[i], measure, category);
    return found;
}

static const struct predicate_node *find_any(const struct predicate *predicate, enum predicate_value measure)
{
    const struct predicate_node *found = NULL;

    if (measure != VALUE_CATEGORY)
        return find(predicate->root, measure, 0);
    for (uint32_t i = 0; i < predicate->ncategories && !found; i++)
        found = find(predicate->root, measure, i);
    return found;
}

bool predicate_asks(const struct predicate *predicate, enum predicate_value measure)
{
    return find_any(predicate, measure) != NULL;
}

size_t predicate_ncategories(const struct predicate *predicate)
{
    return predicate->ncategories;
}

struct str predicate_category(const struct predicate *predicate, size_t i)
{
    return predicate->categories[i];
}

scent_status predicate_refuse(const struct predicate *predicate, enum predicate_value measure, uint32_t category,
                              const char *what, struct errmsg *err)
{
    const struct predicate_node *node =
        measure == VALUE_CATEGORY && category != UINT32_MAX ? find(predicate->root, measure, category)
                                                            : find_any(predicate, measure);

    if (!node) /* folded away: it cannot matter */
        return SCENT_OK;
    caret_complain(predicate->source, (size_t)(node->source.p - predicate->source.p), what, err);
    return SCENT_E_INVALID;
}
