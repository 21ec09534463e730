/* learner - what a crawl has learned of the predicate, and what that says of a URL: the four factors of Aggarwal et al.
 *
 * A feature of a page is what was known of it when it was chosen: pages that were examined before and link to it are
 * its parents. Links and siblings are up to date whenever they are asked for; what the words of parents and the tokens
 * of a URL say is kept with it, as it was when learner_consider() last looked at them: for the links of a page that is
 * when the page is examined. So asking again costs a few dozen instructions, and considering up to 8 * 32 steps.
 *
 * Seeds were chosen, not found. If each of them counted as a page, P(C) would begin near 1: whatever the seeds link to
 * would then be worse than expected after the first failure, and the crawl would turn to the links of the page that
 * failed. So all seeds together count as one page, of which their relevant share is relevant, and words and tokens do
 * not count them; as siblings and as linking pages they are pages like others. `each_seed` is the paper's way.
 *
 * State, with its bounds: linkmap.h and features.h tell it. At most 4.2 KB a page (of 256 links, and 32 stems that no
 * other has) and 1,400 bytes a URL whose 16 tokens are all its own; 100 to 200 as a rule. And 12 KB.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_LEARNER_H
#define SCENT_STRATEGY_LEARNER_H

#include "strategy/features.h"
#include "strategy/ratios.h"
#include "strategy/linkmap.h"
#include "strategy/strategy.h"

enum { LEARNER_COUNTS = 512 };
enum { LEARNER_CONTENT, LEARNER_TOKENS, LEARNER_LINKS, LEARNER_SIBLINGS, LEARNER_FACTORS };

struct learner {
    struct ratios known;    /* its options are the caller's */
    struct ratios_now now;  /* the same at this moment */
    struct learner_log {
        double value; /* log(i + P(C)), */
        uint32_t at;  /* at this moment */
    } relevant_logs[LEARNER_COUNTS]; /* of the relevant among few siblings */
    double sibling_logs[LEARNER_COUNTS]; /* log(i + 1), of few siblings */
    struct features words, tokens;
    struct linkmap map;
    double pages, relevant;       /* but for the seeds */
    double seeds, relevant_seeds; /* so far; unless each counts */
    bool each_seed;
    bool fine;                /* tokens are split at all but letters and digits */
    struct learner_family {
        uint32_t moment, parents[LINKMAP_PARENTS];
        uint16_t nparents;
        uint32_t more;
        struct features_totals totals;
    } family; /* the last one with several parents: links of a menu have the same */
    struct features_list *lists; /* the words of its parents */
    size_t lists_room;
    uint64_t next; /* page to be refreshed */
    uint64_t read; /* pages whose words were gone through, to see what considering costs */
};

void learner_release(struct learner *learner);

/* Learns from the page and considers its links. The candidates that have it as a sibling are listed, `room` at most.
 * False: it was learned from before. */
bool learner_observe(struct learner *learner, const struct strategy_visit *visit, uint32_t *siblings, size_t room,
                     size_t *count);

/* NULL: nothing is known of it. */
static inline struct linkmap_url *learner_url(const struct learner *learner, uint32_t id)
{
    return linkmap_url(&learner->map, id);
}
/* Some examined page links to it, and it is none itself. */
static inline bool learner_is_candidate(const struct linkmap_url *url)
{
    return url->linking && !url->page;
}

/* Exactly: what its parents' words and its tokens say now. */
void learner_consider(struct learner *learner, struct linkmap_url *url);
/* What the words of the next pages, in turn, say now. */
void learner_refresh(struct learner *learner, size_t pages);
/* Nearly: of several parents the words may have been said twice. What its pages said when they were last refreshed. */
void learner_glance(struct learner *learner, struct linkmap_url *url);
/* The logs of the four ratios; all 0 while nothing can be learned. */
void learner_logs(struct learner *learner, const struct linkmap_url *url, double logs[LEARNER_FACTORS]);
/* Their weighted sum. */
double learner_rank(struct learner *learner, const struct linkmap_url *url, const double weight[LEARNER_FACTORS]);
/* What the tokens say of a URL that only copies of pages name: they are not observed, so that nothing else is known. */
double learner_tokens_alone(struct learner *learner, const struct url *url);
/* The parts of such a score, without weights; the counts are those that cost nothing to know. NULL: of a URL of which
 * the tokens alone are known. */
void learner_parts(const struct learner *learner, const struct linkmap_url *url, const double logs[LEARNER_FACTORS],
                   struct strategy_part parts[LEARNER_FACTORS]);
/* The same with all counts, after it was considered. */
void learner_explain(struct learner *learner, struct linkmap_url *url, struct strategy_part parts[LEARNER_FACTORS]);

void learner_save(const struct learner *learner, struct buf *out);
/* Into a fresh one; what is wrong is noted in `in`. `older`: as it was written when each seed counted. */
void learner_load(struct learner *learner, struct bytes *in, bool older);

/* For other crawls, as strategy_ops.learned and recall: how many pages satisfy the predicate, which links lead from
 * where to where, which words of linking pages and which tokens of URLs go with it. */
SCENT_NODISCARD scent_status learner_learned(const struct learner *learner, struct buf *out);
SCENT_NODISCARD scent_status learner_recall(struct learner *learner, struct str blob, double weight,
                                            struct errmsg *err);

#endif
