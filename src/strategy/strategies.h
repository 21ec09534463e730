/* strategies - all that there are, for the list in strategy.c and for strategies that are made of others. */
#ifndef SCENT_STRATEGY_STRATEGIES_H
#define SCENT_STRATEGY_STRATEGIES_H

#include "base/hash.h"
#include "strategy/strategy.h"

/* baselines.c, fish.c, pagerank.c: what everything else is measured against */
extern const struct strategy_ops strategy_breadth_first, strategy_random, strategy_best_first, strategy_best_n_first,
    strategy_fish, strategy_shark, strategy_in_degree, strategy_pagerank;
/* anchor_text.c: the topic's own words read anchors */
extern const struct strategy_ops strategy_anchor_text;
/* guided.c: a classifier reads pages and link contexts (Pant and Srinivasan; Pirkola and Talvensaari, 1) */
extern const struct strategy_ops strategy_full_page, strategy_text_window, strategy_text_window_combo,
    strategy_tag_tree_combo, strategy_classifier;
/* focus.c: classes of a taxonomy (Chakrabarti, van den Berg and Dom) */
extern const struct strategy_ops strategy_soft_focus, strategy_hard_focus;
/* query_context.c: a query reads link contexts (Pirkola and Talvensaari, 2 and 3) */
extern const struct strategy_ops strategy_query_context, strategy_query_context_weighted;
/* fusion.c: several strategies in one crawl */
extern const struct strategy_ops strategy_fusion;
/* intelligent.c, collaborative.c, combined.c: learning during the crawl (Aggarwal) */
extern const struct strategy_ops strategy_intelligent, strategy_collaborative, strategy_combined;
/* adaptive.c: weighs what the others go by, and learns the weights during the crawl */
extern const struct strategy_ops strategy_adaptive;
/* interclass_rules.c (Altingovde and Ulusoy), browsing_hmm.c (Liu, Milios and Janssen) */
extern const struct strategy_ops strategy_rules, strategy_hmm;
/* context_graph.c, cora.c: the pages around the examples of a topic, learned before the crawl (Diligenti and others;
 * Rennie and McCallum) */
extern const struct strategy_ops strategy_context_graph, strategy_cora;
/* apprentice.c: a second classifier that learns from links that were followed (Chakrabarti, Punera and Subramanyam) */
extern const struct strategy_ops strategy_apprentice;
/* infospiders.c: a population of agents (Menczer and Belew) */
extern const struct strategy_ops strategy_infospiders;
extern const struct strategy_ops strategy_plugin; /* found by its name, but not in the list: it is what users bring */

/* hot_queue.c, opic.c, larger_sites.c, tunnel.c, wtms.c, bingo.c: systems that the papers name as their rivals */
extern const struct strategy_ops strategy_hot_queue, strategy_opic, strategy_larger_sites_first, strategy_tunnel,
    strategy_wtms, strategy_bingo;

/* A page for other workers of the crawl, which have other ids: 32 bits of a hash of its URL. */
static inline uint32_t strategy_page_name(const struct strategy_visit *visit)
{
    return (uint32_t)hash_str(visit->page->url.href, 0);
}

/* When is what a crawl has counted worth counting with? Strategies that refine what they were taught put their counts
 * to use when these have grown by a tenth, and then score all candidates again: at any time all are ranked alike, and
 * the work a page stays constant on average. `counted` so far, of which `used` are in use. */
enum { STRATEGY_REFINE_LEAST = 50 };
static inline bool strategy_refine_is_due(double counted, double used)
{
    return counted - used >= STRATEGY_REFINE_LEAST && (counted - used) * 10 >= used;
}

#endif
