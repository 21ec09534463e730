#include "engine/politeness.h"

#include "base/clock.h"
#include "base/vec.h"

#include <stdlib.h>

#define SECOND ((int64_t)1000000)
#define DAY (24 * 3600 * SECOND)

enum {
    SLOWNESS = 2, /* a host that takes t to answer is left alone for at least 2t */
    RESTS_MAX = 3 /* 5 minutes, 20 minutes, 80 minutes */
};
static const int64_t least_back_off = SECOND / 4, longest_back_off = 3600 * SECOND, longest_delay = 60 * SECOND,
                     first_rest = 300 * SECOND;

/* What is known of the robots.txt of one origin. */
struct rules {
    struct robots *robots; /* NULL: not known */
    int64_t expires;
};

struct entry {
    struct rules rules[2]; /* of http and of https */
    const char *trouble;   /* the last; static */
    uint32_t delay_ms;     /* adapted; 0: the usual */
    uint8_t failures;      /* of visits, in a row */
    uint8_t robots_failures; /* of robots.txt, in a row: visits that succeed in between do not count */
    bool asking[2];
    bool resolved, held;
    bool ahead;            /* its name was asked for before its first visit */
    uint8_t rests;         /* how often it was left alone for long */
};

struct politeness {
    struct politeness_options options;
    char agent[64];
    struct entry *entries;
    uint32_t count;
    size_t room;
    uint32_t hand;     /* the next entry that may lose its rules */
    size_t rule_bytes;
    struct robots *open; /* allows everything: most hosts share it */
    struct rng rng;
};

/* ---- life ---- */

static void set_agent(struct politeness *politeness, struct str user_agent)
{
    struct str agent = robots_agent(user_agent);

    if (agent.len)
        memcpy(politeness->agent, agent.p,
               agent.len < sizeof politeness->agent ? agent.len : sizeof politeness->agent - 1);
}

struct politeness *politeness_new(const struct politeness_options *options)
{
    struct politeness *politeness = calloc(1, sizeof *politeness);

    SCENT_BUG_IF(!politeness);
    politeness->options = *options;
    set_agent(politeness, options->user_agent);
    rng_seed(&politeness->rng, options->seed);
    politeness->open = robots_allow_all();
    return politeness;
}

void politeness_free(struct politeness *politeness)
{
    if (!politeness)
        return;
    for (uint32_t i = 0; i < politeness->count; i++)
        for (size_t scheme = 0; scheme < 2; scheme++)
            if (politeness->entries[i].rules[scheme].robots != politeness->open)
                robots_free(politeness->entries[i].rules[scheme].robots);
    robots_free(politeness->open);
    free(politeness->entries);
    free(politeness);
}

scent_status politeness_reserve(struct politeness *politeness, uint32_t count)
{
    if (!vec_reserve(&politeness->entries, &politeness->room, count, sizeof *politeness->entries))
        return SCENT_E_NOMEM;
    while (politeness->count < count)
        politeness->entries[politeness->count++] = (struct entry){0};
    return SCENT_OK;
}

uint32_t politeness_hosts(const struct politeness *politeness)
{
    return politeness->count;
}

static struct entry *entry_of(const struct politeness *politeness, uint32_t host)
{
    SCENT_BUG_IF(host >= politeness->count);
    return &politeness->entries[host];
}

/* ---- rules ---- */

static void forget_rules(struct politeness *politeness, struct rules *rules)
{
    if (rules->robots && rules->robots != politeness->open) {
        politeness->rule_bytes -= robots_bytes(rules->robots);
        robots_free(rules->robots);
    }
    rules->robots = NULL;
}

/* Nothing smaller exists than what says nothing. */
static bool says_nothing(const struct politeness *politeness, const struct robots *robots)
{
    return robots_bytes(robots) == robots_bytes(politeness->open) &&
           robots_crawl_delay(robots) == robots_crawl_delay(politeness->open);
}

static void set_rules(struct politeness *politeness, struct politeness_origin origin, struct robots *robots,
                      int64_t expires)
{
    struct entry *entry = entry_of(politeness, origin.host);
    struct rules *rules = &entry->rules[origin.secure];

    forget_rules(politeness, rules);
    entry->asking[origin.secure] = false;
    rules->expires = expires;
    rules->robots = robots;
    if (robots != politeness->open && says_nothing(politeness, robots)) {
        robots_free(robots);
        rules->robots = politeness->open;
    }
    if (rules->robots == politeness->open)
        return;
    politeness->rule_bytes += robots_bytes(robots);
    while (politeness->rule_bytes > POLITENESS_RULE_BYTES) {
        struct entry *oldest = &politeness->entries[politeness->hand++ % politeness->count];

        for (size_t scheme = 0; scheme < 2; scheme++)
            if (&oldest->rules[scheme] != rules && oldest->rules[scheme].robots != politeness->open)
                forget_rules(politeness, &oldest->rules[scheme]);
    }
}

enum politeness_verdict politeness_ask(struct politeness *politeness, struct politeness_origin origin,
                                       struct str target, int64_t now)
{
    struct entry *entry = entry_of(politeness, origin.host);
    const struct rules *rules = &entry->rules[origin.secure];

    if (politeness_is_dead(politeness, origin.host))
        return POLITENESS_DEAD;
    if (entry->asking[origin.secure])
        return POLITENESS_ASKING;
    if (!rules->robots || !clock_until(rules->expires, now, DAY)) {
        entry->asking[origin.secure] = true;
        return POLITENESS_ASK;
    }
    return robots_allows(rules->robots, target, NULL) ? POLITENESS_ALLOWED : POLITENESS_FORBIDDEN;
}

void politeness_set_asking(struct politeness *politeness, struct politeness_origin origin)
{
    entry_of(politeness, origin.host)->asking[origin.secure] = true;
}

static void end_failures(struct politeness *politeness, uint32_t host)
{
    struct entry *entry = entry_of(politeness, host);

    entry->failures = entry->robots_failures = 0;
}

int64_t politeness_robots_file(struct politeness *politeness, struct politeness_origin origin, struct str text,
                               int64_t now)
{
    struct robots *robots;

    if (robots_parse(text, str_of(politeness->agent), &robots) != SCENT_OK)
        return politeness_robots_failed(politeness, origin, "out of memory", now);
    end_failures(politeness, origin.host);
    set_rules(politeness, origin, robots, now + DAY);
    return 0;
}

int64_t politeness_robots_none(struct politeness *politeness, struct politeness_origin origin, int64_t now)
{
    end_failures(politeness, origin.host);
    set_rules(politeness, origin, politeness->open, now + DAY);
    return 0;
}

/* Between half and all of it, so that hosts that failed together do not return together. */
int64_t politeness_back_off(struct politeness *politeness, uint32_t failures)
{
    int64_t wait = politeness->options.delay_us > least_back_off ? politeness->options.delay_us : least_back_off;

    wait <<= failures < 16 ? failures : 16;
    if (wait > longest_back_off)
        wait = longest_back_off;
    return wait / 2 + (int64_t)(rng_unit(&politeness->rng) * (double)(wait / 2));
}

static int64_t count_failure(struct politeness *politeness, uint8_t *failures)
{
    if (*failures < UINT8_MAX)
        ++*failures;
    return politeness_back_off(politeness, *failures);
}

int64_t politeness_robots_failed(struct politeness *politeness, struct politeness_origin origin, const char *trouble,
                                 int64_t now)
{
    struct entry *entry = entry_of(politeness, origin.host);
    struct rules *rules = &entry->rules[origin.secure];

    entry->asking[origin.secure] = false;
    /* Rules that were valid yesterday are better than none: RFC 9309, 2.3.1.4. */
    if (rules->robots && now < rules->expires + 30 * DAY) {
        rules->expires = now + DAY / 24;
        return 0;
    }
    entry->trouble = trouble;
    return count_failure(politeness, &entry->robots_failures);
}

const struct robots *politeness_robots(const struct politeness *politeness, struct politeness_origin origin,
                                       int64_t *expires)
{
    const struct rules *rules = &entry_of(politeness, origin.host)->rules[origin.secure];

    *expires = rules->expires;
    return rules->robots;
}

scent_status politeness_restore_robots(struct politeness *politeness, struct politeness_origin origin, struct str rules,
                                    int64_t expires)
{
    struct robots *robots;

    SCENT_TRY(robots_load(rules, &robots));
    set_rules(politeness, origin, robots, expires);
    return SCENT_OK;
}

/* ---- visits ---- */

static void adapt_delay(struct politeness *politeness, struct entry *entry, int64_t took_us)
{
    int64_t asked = SLOWNESS * took_us, delay;

    if (politeness->options.delay_us == 0)
        return;
    /* A mean that follows within a few visits: one slow answer is not yet a slow host. */
    delay = ((int64_t)entry->delay_ms * 1000 * 3 + asked) / 4;
    if (delay > longest_delay)
        delay = longest_delay;
    entry->delay_ms = (uint32_t)(delay / 1000);
}

bool politeness_set_held(struct politeness *politeness, uint32_t host, bool held)
{
    struct entry *entry = entry_of(politeness, host);
    bool before = entry->held;

    entry->held = held;
    return before;
}

bool politeness_is_dead(const struct politeness *politeness, uint32_t host)
{
    return politeness_failures(politeness, host) >= politeness->options.give_up_after;
}

bool politeness_is_resolved(const struct politeness *politeness, uint32_t host)
{
    return entry_of(politeness, host)->resolved;
}

void politeness_set_resolved(struct politeness *politeness, uint32_t host, bool resolved)
{
    entry_of(politeness, host)->resolved = resolved;
}

bool politeness_look_ahead(struct politeness *politeness, uint32_t host)
{
    struct entry *entry = entry_of(politeness, host);
    bool first = !entry->ahead && !entry->resolved && !politeness_is_dead(politeness, host);

    entry->ahead = true;
    return first;
}

int64_t politeness_rest(struct politeness *politeness, uint32_t host)
{
    struct entry *entry = entry_of(politeness, host);
    int64_t rest = first_rest << 2 * entry->rests;

    if (entry->rests == RESTS_MAX)
        return 0;
    entry->rests++;
    /* One more failure, and it is given up again. */
    if (entry->failures >= politeness->options.give_up_after)
        entry->failures = (uint8_t)(politeness->options.give_up_after - 1);
    if (entry->robots_failures >= politeness->options.give_up_after)
        entry->robots_failures = (uint8_t)(politeness->options.give_up_after - 1);
    return rest - (int64_t)(rng_unit(&politeness->rng) * (double)(rest / 4));
}

void politeness_give_up(struct politeness *politeness, uint32_t host)
{
    entry_of(politeness, host)->failures = UINT8_MAX;
    entry_of(politeness, host)->rests = RESTS_MAX;
}

const char *politeness_trouble(const struct politeness *politeness, uint32_t host)
{
    const struct entry *entry = entry_of(politeness, host);

    return entry->trouble ? entry->trouble : "";
}

int64_t politeness_visit_done(struct politeness *politeness, uint32_t host, const char *trouble, int64_t retry_after,
                           int64_t took_us)
{
    struct entry *entry = entry_of(politeness, host);
    int64_t wait;

    if (!trouble) {
        entry->failures = 0;
        entry->rests = 0;
        if (took_us >= 0)
            adapt_delay(politeness, entry, took_us);
        return retry_after;
    }
    entry->trouble = trouble;
    wait = count_failure(politeness, &entry->failures);
    return retry_after > wait ? retry_after : wait;
}

int64_t politeness_delay(const struct politeness *politeness, uint32_t host)
{
    const struct entry *entry = entry_of(politeness, host);
    int64_t delay = politeness->options.delay_us;

    if (delay == 0)
        return 0;
    for (size_t scheme = 0; scheme < 2; scheme++) {
        const struct robots *robots = entry->rules[scheme].robots;

        if (robots && robots_crawl_delay(robots) > delay)
            delay = robots_crawl_delay(robots);
    }
    if ((int64_t)entry->delay_ms * 1000 > delay)
        delay = (int64_t)entry->delay_ms * 1000;
    return delay;
}

void politeness_set_delay(struct politeness *politeness, int64_t delay_us)
{
    politeness->options.delay_us = delay_us;
}

uint32_t politeness_failures(const struct politeness *politeness, uint32_t host)
{
    const struct entry *entry = entry_of(politeness, host);

    return entry->failures > entry->robots_failures ? entry->failures : entry->robots_failures;
}

void politeness_restore(struct politeness *politeness, uint32_t host, uint32_t failures, int64_t delay_us)
{
    struct entry *entry = entry_of(politeness, host);

    /* One below the limit: a host that was dead yesterday gets one more chance. */
    if (failures >= politeness->options.give_up_after)
        failures = politeness->options.give_up_after - 1;
    entry->failures = failures < UINT8_MAX ? (uint8_t)failures : UINT8_MAX;
    entry->delay_ms = (uint32_t)(delay_us / 1000);
}
