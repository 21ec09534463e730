/* advice - what a topic knows from before its crawl, as evidence for a strategy that learns: interclass rules, a model
 * of somebody's browsing, and what people looked at. Each is there or not, and is asked for only where it is.
 *
 * Rules and browsing say something of a page that holds for all its links: how near the wanted classes are behind a
 * page of its class (strategy `rules`), and how near a useful page is behind one of its cluster (strategy `hmm`, from
 * the page alone: the way that led to it is not kept). People say something of a URL: their names and sessions are
 * keys of counts, like hosts and words (tally.h), so that URLs are compared by who looked at them, and with what.
 * State: that of the two strategies; 4 bytes a user and a session. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_ADVICE_H
#define SCENT_STRATEGY_ADVICE_H

#include "strategy/strategy.h"
#include "strategy/tally.h"

enum advice_kind { ADVICE_RULES, ADVICE_BROWSING, ADVICE_KINDS };
enum advice_people { ADVICE_USERS, ADVICE_SESSIONS, ADVICE_PEOPLE };
enum { ADVICE_ACCESSES = 16 /* of a page at most so many are asked */, ADVICE_NOBODY = UINT32_MAX };

struct advice {
    struct strategy advisers[ADVICE_KINDS]; /* .ops NULL: there is none */
    struct topic topic;                     /* theirs: with options of their own */
    const struct trace *trace;              /* NULL: nobody looked at anything */
    uint32_t *user_keys, *session_keys;     /* of counts */
};

SCENT_NODISCARD scent_status advice_init(struct advice *advice, const struct strategy_context *context,
                                         struct errmsg *err);
void advice_release(struct advice *advice);

static inline bool advice_has(const struct advice *advice, enum advice_kind kind)
{
    return advice->advisers[kind].ops;
}
static inline bool advice_is_given(const struct advice *advice)
{
    return advice->trace || advice_has(advice, ADVICE_RULES) || advice_has(advice, ADVICE_BROWSING);
}
/* A third of the log odds of a target behind the links of the page, from -2.3 to 2.3. It has links, and there is such
 * an adviser. */
float advice_of_page(const struct advice *advice, enum advice_kind kind, const struct strategy_visit *visit);

/* The page of the trace that this URL is; ADVICE_NOBODY. */
uint32_t advice_find(const struct advice *advice, const struct url *url);
/* What else the users of a page of the trace looked at, and what in the same sessions: the mean of what their counts
 * say. */
void advice_ask_people(const struct advice *advice, uint32_t page, const struct tally *tally,
                       float out[ADVICE_PEOPLE]);
/* The page was examined, and counts so much. */
void advice_count_people(const struct advice *advice, uint32_t page, float counts, struct tally *tally,
                         const struct tally_base *base);

#endif
