#include "topic/query_tree.h"

#include <math.h>

/* Belief of a term that is not there (Pirkola; InQuery's default). */
#define NOT_THERE .4

double query_idf(uint64_t documents, uint64_t df)
{
    double d = documents ? (double)documents : 1, n = df ? (double)df : 1;

    return log((d + .5) / (n < d ? n : d)) / log(d + 1);
}

static double term_belief(const struct query_stats *stats, const struct query_text *text, double tf, size_t term)
{
    double avglen = text->avglen > 0 ? text->avglen : stats->avglen;
    double ratio = avglen > 0 ? text->length / avglen : 1;

    if (tf <= 0)
        return NOT_THERE;
    return NOT_THERE + (1 - NOT_THERE) * tf / (tf + .5 + 1.5 * ratio) * stats->idf[term];
}

double query_node_belief(const struct query_node *node, const struct query_stats *stats, const struct query_text *text,
                         const struct query_scratch *scratch)
{
    double all = node->kind == QUERY_AND || node->kind == QUERY_OR ? 1 : 0;

    if (node->kind == QUERY_TERM)
        return term_belief(stats, text, scratch->tf[node->term], node->term);
    for (uint32_t i = 0; i < node->nkids; i++) {
        double one = query_node_belief(node->kids[i], stats, text, scratch);

        if (node->kind == QUERY_SUM)
            all += one / node->nkids;
        else if (node->kind == QUERY_WSUM)
            all += one * node->weights[i];
        else if (node->kind == QUERY_AND)
            all *= one;
        else if (node->kind == QUERY_OR)
            all *= 1 - one;
        else if (node->kind == QUERY_MAX)
            all = one > all ? one : all;
        else
            all = 1 - one;
    }
    return node->kind == QUERY_OR ? 1 - all : all;
}

double query_belief(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                    struct query_scratch *scratch)
{
    query_count(query, text, scratch);
    return query_node_belief(query->root, stats, text, scratch);
}
