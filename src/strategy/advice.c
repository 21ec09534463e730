#include "strategy/advice.h"

#include "base/hash.h"
#include "strategy/strategies.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>

/* All chains of rules: where those that are followed are shorter than a tunnel, its entrance looks worse than pages
 * that are a little like the topic. */
static const struct topic_option all_chains[] = {{{"depth", 5}, {"3", 1}}};

static const struct {
    const struct strategy_ops *ops;
    const struct topic_option *options;
    size_t noptions;
} kinds[ADVICE_KINDS] = {
    [ADVICE_RULES] = {&strategy_rules, all_chains, 1},
    [ADVICE_BROWSING] = {&strategy_hmm, NULL, 0},
};

/* No other kind of keys begins with such a seed. */
#define BY_USER 0x7573657273ull

/* The same for the same person and time in every crawl, whatever else its logs hold. */
static void make_keys(struct advice *advice)
{
    struct trace_size size = trace_size(advice->trace);

    advice->user_keys = calloc((size_t)size.users + 1, sizeof *advice->user_keys);
    advice->session_keys = calloc((size_t)size.sessions + 1, sizeof *advice->session_keys);
    SCENT_BUG_IF(!advice->user_keys || !advice->session_keys);
    for (uint32_t i = 0; i < size.users; i++)
        advice->user_keys[i] = tally_key(hash_str(trace_user_name(advice->trace, i), BY_USER));
    for (uint32_t i = size.accesses; i-- > 0;) { /* the first access of a session is the last one here */
        const struct trace_access *access = trace_at(advice->trace, i);

        advice->session_keys[access->session] =
            tally_key(hash_mix(advice->user_keys[access->user], (uint64_t)access->time));
    }
}

scent_status advice_init(struct advice *advice, const struct strategy_context *context, struct errmsg *err)
{
    const struct knowledge *knowledge = context->knowledge;
    const bool has[ADVICE_KINDS] = {[ADVICE_RULES] = knowledge->rules && knowledge->model,
                                    [ADVICE_BROWSING] = knowledge->browsing};
    struct strategy_context own = *context;

    *advice = (struct advice){.topic = *context->topic, .trace = knowledge->trace};
    own.topic = &advice->topic;
    if (advice->trace)
        make_keys(advice);
    for (int i = 0; i < ADVICE_KINDS; i++) {
        advice->topic.options = kinds[i].options;
        advice->topic.noptions = kinds[i].noptions;
        if (has[i])
            SCENT_TRY(strategy_open_ops(kinds[i].ops, &own, &advice->advisers[i], err));
    }
    return SCENT_OK;
}

void advice_release(struct advice *advice)
{
    for (int i = 0; i < ADVICE_KINDS; i++)
        if (advice->advisers[i].ops)
            strategy_close(&advice->advisers[i]);
    free(advice->user_keys);
    free(advice->session_keys);
}

float advice_of_page(const struct advice *advice, enum advice_kind kind, const struct strategy_visit *visit)
{
    static const uint8_t nothing[STRATEGY_OWN_BYTES];
    const struct strategy *adviser = &advice->advisers[kind];
    struct strategy_visit view = *visit;
    struct strategy_score score;
    double p;

    view.own = nothing;
    adviser->ops->score(adviser->state, &view, 0, &score);
    p = fmin(fmax((double)score.priority, 1e-3), 1 - 1e-3);
    return (float)(log(p / (1 - p)) / 3);
}

uint32_t advice_find(const struct advice *advice, const struct url *url)
{
    uint32_t page;

    return advice->trace && trace_find_page(advice->trace, url->href, &page) ? page : ADVICE_NOBODY;
}

/* Some of its accesses, spread over all of them. Returns how many. */
static size_t take_accesses(const struct advice *advice, uint32_t page, const struct trace_access *out[ADVICE_ACCESSES])
{
    uint32_t all;
    const uint32_t *positions = trace_of_page(advice->trace, page, &all);
    size_t count = all < ADVICE_ACCESSES ? all : ADVICE_ACCESSES;

    for (size_t i = 0; i < count; i++)
        out[i] = trace_at(advice->trace, positions[i * all / count]);
    return count;
}

void advice_ask_people(const struct advice *advice, uint32_t page, const struct tally *tally, float out[ADVICE_PEOPLE])
{
    const struct trace_access *accesses[ADVICE_ACCESSES];
    size_t count = take_accesses(advice, page, accesses);

    out[ADVICE_USERS] = out[ADVICE_SESSIONS] = 0;
    for (size_t i = 0; i < count; i++) {
        out[ADVICE_USERS] += tally_say(tally, advice->user_keys[accesses[i]->user]) / (float)count;
        out[ADVICE_SESSIONS] += tally_say(tally, advice->session_keys[accesses[i]->session]) / (float)count;
    }
}

void advice_count_people(const struct advice *advice, uint32_t page, float counts, struct tally *tally,
                         const struct tally_base *base)
{
    const struct trace_access *accesses[ADVICE_ACCESSES];
    size_t count = take_accesses(advice, page, accesses);

    for (size_t i = 0; i < count; i++) {
        tally_count(tally, advice->user_keys[accesses[i]->user], counts, base);
        tally_count(tally, advice->session_keys[accesses[i]->session], counts, base);
    }
}
