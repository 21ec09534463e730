#include "conf/conf.h"
#include "topic/query_tree.h"

#include <inttypes.h>

struct explain {
    const struct query_stats *stats;
    const struct query_text *text;
    struct query_scratch scratch;
    struct buf *out;
};

static void explain_term(struct explain *explain, const struct query_node *node)
{
    double tf = explain->scratch.tf[node->term];

    if (tf > 0)
        buf_printf(explain->out, "  (%.4g on the page", tf);
    else
        buf_addz(explain->out, "  (not on the page");
    buf_printf(explain->out, ", in %" PRIu64 " of %" PRIu64 " pages)", explain->stats->df[node->term],
               explain->stats->documents);
}

/* Recursion is as deep as the parser allowed. */
static void explain_node(struct explain *explain, const struct query_node *node, int indent)
{
    double belief = query_node_belief(node, explain->stats, explain->text, &explain->scratch);

    buf_printf(explain->out, "%*s%.4f  %s", indent, "", belief, conf_show(node->source).text);
    if (node->kind == QUERY_TERM)
        explain_term(explain, node);
    buf_addc(explain->out, '\n');
    for (uint32_t i = 0; i < node->nkids; i++)
        explain_node(explain, node->kids[i], indent + 5);
}

void query_explain(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                   int indent, struct buf *out)
{
    struct explain explain = {.stats = stats, .text = text, .out = out};

    query_count(query, text, &explain.scratch);
    explain_node(&explain, query->root, indent);
}
