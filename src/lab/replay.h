/* replay - one crawl of a collection, in process, without sockets or a store.
 *
 * Frontier, strategy and the rules between them are those of a real crawl (engine/steer), one page at a time (or a
 * batch, where the strategy wants that), so the same input gives the same order. Thread: any; each run its own.
 *
 * With a division several workers crawl side by side, each with a frontier and a strategy of its own: in every round
 * each takes the best page that it owns. A link to a page of another worker travels, with the priority and the bytes
 * that its finder gave it, and arrives before the next round; it is sent again only with a larger priority. What they
 * learn stays theirs, or is summed every so many rounds: each worker forgets what it was told, says what it counted
 * itself, and recalls what the others said. */
#ifndef SCENT_LAB_REPLAY_H
#define SCENT_LAB_REPLAY_H

#include "frontier/frontier.h"
#include "lab/collection.h"
#include "lab/division.h"
#include "strategy/strategy.h"

struct replay_visit {
    uint32_t page;
    float priority; /* with which it was chosen; +Inf: a seed */
    bool relevant;  /* what the strategy was told */
    double score;
};

struct replay_options {
    const struct collection *collection;
    const struct topic *topic; /* with the strategy and its options */
    const struct knowledge *knowledge;
    const uint32_t *seeds;
    size_t nseeds;
    uint32_t budget; /* fetches */
    uint64_t seed;   /* of the strategy's randomness */
    const struct judgement *(*judge)(void *ctx, uint32_t page, const struct page *content, bool seed);
    void *judge_ctx;
    struct str recall;   /* what an earlier crawl of the same strategy learned; empty: nothing */
    double weight;       /* of that */
    const struct division *division; /* NULL: one worker */
    uint32_t exchange;   /* rounds after which counts are summed; 0: each worker has its own only */
    /* Before a page is examined, which is page `page` of the collection; NULL: nobody looks. */
    void (*watch)(void *ctx, const struct strategy *strategy, const struct frontier *frontier, uint32_t id,
                  uint32_t page);
    void *watch_ctx;
    struct buf *learned; /* gets what this one learned; NULL: nobody asks. Not with a division */
};

/* Fills `visits` (room for the budget); *count of them: fewer where the crawl ran out of links. */
SCENT_NODISCARD scent_status replay_run(const struct replay_options *options, struct replay_visit *visits,
                                        size_t *count, struct errmsg *err);

/* The crawl of an oracle that knows the label of every link that was seen, and nothing beyond: candidates that are
 * relevant come first, in the order in which they were found. The share of it that a strategy reaches is a measure.
 * `relevant` NULL: it knows no label, and goes breadth-first.
 * Fills `pages` (room for the budget); returns how many. */
size_t replay_oracle(const struct collection *collection, const uint32_t *seeds, size_t nseeds, const bool *relevant,
                     size_t budget, uint32_t *pages);

#endif
