#include "engine/manners.h"

#include "base/clock.h"

#include <stdlib.h>

#define SECOND ((int64_t)1000000)
#define DAY (24 * 3600 * SECOND)

enum { SLOWNESS = 2 }; /* a host that takes t to answer is left alone for at least 2t */
static const int64_t least_back_off = SECOND / 4, longest_back_off = 3600 * SECOND, longest_delay = 60 * SECOND;

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
};

struct manners {
    struct manners_options options;
    char agent[64];
    struct entry *entries;
    uint32_t count, room;
    uint32_t hand;     /* the next entry that may lose its rules */
    size_t rule_bytes;
    struct robots *open; /* allows everything: most hosts share it */
    struct rng rng;
};

/* ---- life ---- */

static void set_agent(struct manners *manners, struct str user_agent)
{
    struct str agent = robots_agent(user_agent);

    if (agent.len)
        memcpy(manners->agent, agent.p, agent.len < sizeof manners->agent ? agent.len : sizeof manners->agent - 1);
}

struct manners *manners_new(const struct manners_options *options)
{
    struct manners *manners = calloc(1, sizeof *manners);

    SCENT_BUG_IF(!manners);
    manners->options = *options;
    set_agent(manners, options->user_agent);
    rng_seed(&manners->rng, options->seed);
    manners->open = robots_allow_all();
    return manners;
}

void manners_free(struct manners *manners)
{
    if (!manners)
        return;
    for (uint32_t i = 0; i < manners->count; i++)
        for (size_t scheme = 0; scheme < 2; scheme++)
            if (manners->entries[i].rules[scheme].robots != manners->open)
                robots_free(manners->entries[i].rules[scheme].robots);
    robots_free(manners->open);
    free(manners->entries);
    free(manners);
}

scent_status manners_reserve(struct manners *manners, uint32_t count)
{
    uint32_t room = manners->room ? manners->room : 64;
    struct entry *grown;

    while (room < count)
        room *= 2;
    if (room != manners->room) {
        grown = realloc(manners->entries, room * sizeof *grown);
        if (!grown)
            return SCENT_E_NOMEM;
        manners->entries = grown;
        manners->room = room;
    }
    while (manners->count < count)
        manners->entries[manners->count++] = (struct entry){0};
    return SCENT_OK;
}

static struct entry *entry_of(const struct manners *manners, uint32_t host)
{
    SCENT_BUG_IF(host >= manners->count);
    return &manners->entries[host];
}

/* ---- rules ---- */

static void forget_rules(struct manners *manners, struct rules *rules)
{
    if (rules->robots && rules->robots != manners->open) {
        manners->rule_bytes -= robots_bytes(rules->robots);
        robots_free(rules->robots);
    }
    rules->robots = NULL;
}

/* Nothing smaller exists than what says nothing. */
static bool says_nothing(const struct manners *manners, const struct robots *robots)
{
    return robots_bytes(robots) == robots_bytes(manners->open) &&
           robots_crawl_delay(robots) == robots_crawl_delay(manners->open);
}

static void set_rules(struct manners *manners, struct manners_origin origin, struct robots *robots, int64_t expires)
{
    struct entry *entry = entry_of(manners, origin.host);
    struct rules *rules = &entry->rules[origin.secure];

    forget_rules(manners, rules);
    entry->asking[origin.secure] = false;
    rules->expires = expires;
    rules->robots = robots;
    if (robots != manners->open && says_nothing(manners, robots)) {
        robots_free(robots);
        rules->robots = manners->open;
    }
    if (rules->robots == manners->open)
        return;
    manners->rule_bytes += robots_bytes(robots);
    while (manners->rule_bytes > MANNERS_RULE_BYTES) {
        struct entry *oldest = &manners->entries[manners->hand++ % manners->count];

        for (size_t scheme = 0; scheme < 2; scheme++)
            if (&oldest->rules[scheme] != rules && oldest->rules[scheme].robots != manners->open)
                forget_rules(manners, &oldest->rules[scheme]);
    }
}

enum manners_verdict manners_ask(struct manners *manners, struct manners_origin origin, struct str target, int64_t now)
{
    struct entry *entry = entry_of(manners, origin.host);
    const struct rules *rules = &entry->rules[origin.secure];

    if (manners_is_dead(manners, origin.host))
        return MANNERS_DEAD;
    if (entry->asking[origin.secure])
        return MANNERS_ASKING;
    if (!rules->robots || !clock_until(rules->expires, now, DAY)) {
        entry->asking[origin.secure] = true;
        return MANNERS_ASK;
    }
    return robots_allows(rules->robots, target, NULL) ? MANNERS_WELCOME : MANNERS_FORBIDDEN;
}

void manners_set_asking(struct manners *manners, struct manners_origin origin)
{
    entry_of(manners, origin.host)->asking[origin.secure] = true;
}

static void end_failures(struct manners *manners, uint32_t host)
{
    struct entry *entry = entry_of(manners, host);

    entry->failures = entry->robots_failures = 0;
}

int64_t manners_robots_file(struct manners *manners, struct manners_origin origin, struct str text, int64_t now)
{
    struct robots *robots;

    if (robots_parse(text, str_of(manners->agent), &robots) != SCENT_OK)
        return manners_robots_failed(manners, origin, "out of memory", now);
    end_failures(manners, origin.host);
    set_rules(manners, origin, robots, now + DAY);
    return 0;
}

int64_t manners_robots_none(struct manners *manners, struct manners_origin origin, int64_t now)
{
    end_failures(manners, origin.host);
    set_rules(manners, origin, manners->open, now + DAY);
    return 0;
}

/* Between half and all of it, so that hosts that failed together do not return together. */
int64_t manners_back_off(struct manners *manners, uint32_t failures)
{
    int64_t wait = manners->options.delay_us > least_back_off ? manners->options.delay_us : least_back_off;

    wait <<= failures < 16 ? failures : 16;
    if (wait > longest_back_off)
        wait = longest_back_off;
    return wait / 2 + (int64_t)(rng_unit(&manners->rng) * (double)(wait / 2));
}

static int64_t count_failure(struct manners *manners, uint8_t *failures)
{
    if (*failures < UINT8_MAX)
        ++*failures;
    return manners_back_off(manners, *failures);
}

int64_t manners_robots_failed(struct manners *manners, struct manners_origin origin, const char *trouble, int64_t now)
{
    struct entry *entry = entry_of(manners, origin.host);
    struct rules *rules = &entry->rules[origin.secure];

    entry->asking[origin.secure] = false;
    /* Rules that were valid yesterday are better than none: RFC 9309, 2.3.1.4. */
    if (rules->robots && now < rules->expires + 30 * DAY) {
        rules->expires = now + DAY / 24;
        return 0;
    }
    entry->trouble = trouble;
    return count_failure(manners, &entry->robots_failures);
}

const struct robots *manners_robots(const struct manners *manners, struct manners_origin origin, int64_t *expires)
{
    const struct rules *rules = &entry_of(manners, origin.host)->rules[origin.secure];

    *expires = rules->expires;
    return rules->robots;
}

scent_status manners_restore_robots(struct manners *manners, struct manners_origin origin, struct str rules,
                                    int64_t expires)
{
    struct robots *robots;

    SCENT_TRY(robots_load(rules, &robots));
    set_rules(manners, origin, robots, expires);
    return SCENT_OK;
}

/* ---- visits ---- */

static void adapt_delay(struct manners *manners, struct entry *entry, int64_t took_us)
{
    int64_t asked = SLOWNESS * took_us, delay;

    if (manners->options.delay_us == 0)
        return;
    /* A mean that follows within a few visits: one slow answer is not yet a slow host. */
    delay = ((int64_t)entry->delay_ms * 1000 * 3 + asked) / 4;
    if (delay > longest_delay)
        delay = longest_delay;
    entry->delay_ms = (uint32_t)(delay / 1000);
}

bool manners_set_held(struct manners *manners, uint32_t host, bool held)
{
    struct entry *entry = entry_of(manners, host);
    bool before = entry->held;

    entry->held = held;
    return before;
}

bool manners_is_dead(const struct manners *manners, uint32_t host)
{
    return manners_failures(manners, host) >= manners->options.give_up_after;
}

bool manners_is_resolved(const struct manners *manners, uint32_t host)
{
    return entry_of(manners, host)->resolved;
}

void manners_set_resolved(struct manners *manners, uint32_t host, bool resolved)
{
    entry_of(manners, host)->resolved = resolved;
}

bool manners_look_ahead(struct manners *manners, uint32_t host)
{
    struct entry *entry = entry_of(manners, host);
    bool first = !entry->ahead && !entry->resolved && !manners_is_dead(manners, host);

    entry->ahead = true;
    return first;
}

const char *manners_trouble(const struct manners *manners, uint32_t host)
{
    const struct entry *entry = entry_of(manners, host);

    return entry->trouble ? entry->trouble : "";
}

int64_t manners_visit_done(struct manners *manners, uint32_t host, const char *trouble, int64_t retry_after,
                           int64_t took_us)
{
    struct entry *entry = entry_of(manners, host);
    int64_t wait;

    if (!trouble) {
        entry->failures = 0;
        adapt_delay(manners, entry, took_us);
        return retry_after;
    }
    entry->trouble = trouble;
    wait = count_failure(manners, &entry->failures);
    return retry_after > wait ? retry_after : wait;
}

int64_t manners_delay(const struct manners *manners, uint32_t host)
{
    const struct entry *entry = entry_of(manners, host);
    int64_t delay = manners->options.delay_us;

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

uint32_t manners_failures(const struct manners *manners, uint32_t host)
{
    const struct entry *entry = entry_of(manners, host);

    return entry->failures > entry->robots_failures ? entry->failures : entry->robots_failures;
}

void manners_restore(struct manners *manners, uint32_t host, uint32_t failures, int64_t delay_us)
{
    struct entry *entry = entry_of(manners, host);

    /* One below the limit: a host that was dead yesterday gets one more chance. */
    if (failures >= manners->options.give_up_after)
        failures = manners->options.give_up_after - 1;
    entry->failures = failures < UINT8_MAX ? (uint8_t)failures : UINT8_MAX;
    entry->delay_ms = (uint32_t)(delay_us / 1000);
}
