/* why_explain - what a crawl knows of one URL, for `scent why`. Owner of all texts: the arena. */
#ifndef SCENT_APP_WHY_EXPLAIN_H
#define SCENT_APP_WHY_EXPLAIN_H

#include "base/arena.h"
#include "base/log.h"
#include "store/store.h"
#include "strategy/strategy.h"

#include <stdio.h>

enum { WHY_LINKS = 5 };

struct why {
    struct arena arena;
    struct store_url url;
    struct str found_on;     /* empty: a seed, or nothing is known */
    struct store_page page;  /* the last visit, where visits is not 0 */
    uint64_t visits, first_visit; /* how many, and the row of the first */
    struct why_link {
        struct store_link link;
        struct str from;
        struct store_page page;  /* that has it; its warc_file is the arena's, other texts are not kept */
        struct store_url parent; /* of that page, without texts */
        uint64_t number;         /* of that page among those that were examined */
    } links[WHY_LINKS];      /* the best ones first, of those that it had when it was fetched */
    size_t nlinks;
    uint64_t linking;        /* links to it, of all pages */
    struct str nearest;      /* where it is not known: a URL that looks like it */

    const char *strategy;    /* its name; NULL: the topic or the strategy cannot be opened, `unexplained` says why */
    const char *chosen;      /* why this strategy, where the topic file names none; NULL: it was named */
    bool explained;          /* `score` has its parts, */
    enum why_source {
        WHY_KEPT,            /* as they were kept when it got its priority, */
        WHY_LEARNED,         /* from all that was learned until now, */
        WHY_LINK             /* or from its best link */
    } source;
    struct strategy_score score;
    float stored;            /* what the store has for it: its priority, or (WHY_LINK) that of the best link */
    bool drifted;            /* the score differs from that: parts were not kept, and it has learned since */
    bool changed;            /* parts were kept, and from all that was learned until now the strategy would say: */
    struct strategy_score now;
    bool judged;             /* the page was judged again by its judge: */
    bool judged_relevant;
    double judged_score;
    struct str reasons;      /* of the verdict, a line each */
    struct str unexplained;
};

/* Topic, strategy and judges as the crawl in `dir` had them; `strategy` (may be NULL) instead of the topic's. */
struct explainer;
struct explainer *why_open(struct store *store, const char *dir, const char *strategy, bool allow_programs,
                           const struct log *log);
void why_close(struct explainer *explainer);
/* Parts that cannot be explained are named in `unexplained`; that is not a failure. */
void why_explain(struct explainer *explainer, struct why *why);

#endif
