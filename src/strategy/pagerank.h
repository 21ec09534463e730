/* pagerank - the ranks of all URLs over the links of the pages seen so far, for strategies that order by them.
 *
 * Rank flows over the links of examined pages; a URL that is not fetched yet gets what flows into it, and hands nothing
 * on. The ranks are computed anew when the graph has grown by a tenth, so the work a page stays constant on average;
 * between two computations a new link adds what its page would hand it. Ranks are times the number of URLs: 1 is the
 * mean. State: 4 bytes a link, 8 a page, 12 a URL. A zeroed struct is an empty one. */
#ifndef SCENT_STRATEGY_PAGERANK_H
#define SCENT_STRATEGY_PAGERANK_H

#include "strategy/linkgraph.h"

#define PAGERANK_PART "rank (the mean is 1)" /* in a score */

struct pagerank {
    struct linkgraph graph;
    float *rank;      /* of the URLs known at the last computation; the mean is 1 */
    uint32_t nranked;
    size_t computed;  /* links at the last computation */
    double hands_on;  /* what each link of the page that is being scored gets */
    bool stale;       /* the ranks are new: all candidates must be seen, and then it is set back */
};

void pagerank_release(struct pagerank *pr);
void pagerank_observe(struct pagerank *pr, const struct strategy_visit *visit);
float pagerank_of(const struct pagerank *pr, uint32_t id);
/* Of a target of the page that was observed last. */
double pagerank_of_target(const struct pagerank *pr, uint32_t id);
/* Of a target that had `kept` and is found again with `found`. */
float pagerank_merge(const struct pagerank *pr, uint32_t id, float kept, float found);

void pagerank_save(const struct pagerank *pr, struct buf *out);
void pagerank_load(struct pagerank *pr, struct bytes *in); /* what is wrong is noted in `in` */

#endif
