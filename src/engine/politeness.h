/* politeness - what is known of each host that is visited: its robots.txt, how long to wait, whether it is alive.
 *
 * 48 bytes a host, and the rules of the hosts that have any (at most POLITENESS_RULE_BYTES in all; beyond that the
 * rules that were read first are forgotten and asked for again). No network, no clock, no store: times come in,
 * decisions go out. Thread: the engine's. Times are wall-clock microseconds, because they must make sense after a
 * restart. */
#ifndef SCENT_ENGINE_POLITENESS_H
#define SCENT_ENGINE_POLITENESS_H

#include "base/rng.h"
#include "base/status.h"
#include "base/str.h"
#include "robots/robots.h"

enum { POLITENESS_RULE_BYTES = 64 * 1024 * 1024 };

/* Who has a robots.txt (RFC 9309, 2.3): a host by each of its two schemes. Politeness is for the host. */
struct politeness_origin {
    uint32_t host;
    bool secure; /* https */
};

struct politeness_options {
    struct str user_agent; /* its product token ("scent" of "scent/0.1 (+…)") is looked for in robots.txt */
    int64_t delay_us; /* between visits; 0: the user's own servers, nothing adapts and Crawl-delay does not count */
    uint32_t give_up_after; /* failures of a host in a row */
    uint64_t seed;         /* of jitter */
};

struct politeness;
struct politeness *politeness_new(const struct politeness_options *options); /* never NULL */
void politeness_free(struct politeness *politeness);
/* Hosts are numbered densely: there are `count` of them from now on. */
SCENT_NODISCARD scent_status politeness_reserve(struct politeness *politeness, uint32_t count);

uint32_t politeness_hosts(const struct politeness *politeness); /* as many as were reserved */

enum politeness_verdict {
    POLITENESS_ALLOWED,
    POLITENESS_FORBIDDEN, /* by robots.txt */
    POLITENESS_ASK,       /* robots.txt must be read first; the host is `asking` from now on */
    POLITENESS_ASKING,    /* it is being read */
    POLITENESS_DEAD       /* the host has failed too often in a row */
};
/* May `target` (path and query) be visited now? */
enum politeness_verdict politeness_ask(struct politeness *politeness, struct politeness_origin origin,
                                       struct str target, int64_t now);
/* Its robots.txt is on its way, as after POLITENESS_ASK: for one that was queued before a restart. */
void politeness_set_asking(struct politeness *politeness, struct politeness_origin origin);

/* What came of reading robots.txt (RFC 9309, 2.3.1): a file, "there is none" (4xx), or no answer (5xx, unreachable).
 * The wait in microseconds before the host may be visited, or asked, again: 0 at once. Failures of robots.txt in a row
 * count for themselves, whatever other answers the host gives in between: it is given up like one that is silent. */
int64_t politeness_robots_file(struct politeness *politeness, struct politeness_origin origin, struct str text,
                               int64_t now);
int64_t politeness_robots_none(struct politeness *politeness, struct politeness_origin origin, int64_t now);
int64_t politeness_robots_failed(struct politeness *politeness, struct politeness_origin origin, const char *trouble,
                                 int64_t now);

/* Its host waits for it; a note for the caller, so that a hold is taken and given back once. Returns what it was. */
bool politeness_set_held(struct politeness *politeness, uint32_t host, bool held);

/* Its address was looked up, whatever the answer. */
bool politeness_is_dead(const struct politeness *politeness, uint32_t host); /* failed too often in a row */
bool politeness_is_resolved(const struct politeness *politeness, uint32_t host);
void politeness_set_resolved(struct politeness *politeness, uint32_t host, bool resolved);
/* Should it be looked up ahead of its first visit? Yes once; not for one that was looked up, or is dead. */
bool politeness_look_ahead(struct politeness *politeness, uint32_t host);

/* A visit ended. How long the host wants to be left alone beyond its usual delay: after a failure twice as long each
 * time, with jitter; as Retry-After says (`retry_after` in microseconds, 0: none). `trouble`: what was wrong with the
 * host, a static word for politeness_trouble(); NULL: nothing. `took_us`: how long the answer took; -1: not known. */
int64_t politeness_visit_done(struct politeness *politeness, uint32_t host, const char *trouble, int64_t retry_after,
                           int64_t took_us);
/* How long to wait after so many failures in a row: twice as long each time, with jitter, at most an hour. */
int64_t politeness_back_off(struct politeness *politeness, uint32_t failures);
/* A host that failed too often in a row rests: how long, before it gets one more chance. Each time longer; 0: it had
 * its chances, and is given up. */
int64_t politeness_rest(struct politeness *politeness, uint32_t host);
/* It gets no more chances in this run. */
void politeness_give_up(struct politeness *politeness, uint32_t host);
const char *politeness_trouble(const struct politeness *politeness, uint32_t host); /* "" for none */
/* The delay between visits to this host: the topic's, its Crawl-delay, or what its response times ask for. */
int64_t politeness_delay(const struct politeness *politeness, uint32_t host);
/* Another delay of the topic from now on: above 0, as it was before. */
void politeness_set_delay(struct politeness *politeness, int64_t delay_us);
uint32_t politeness_failures(const struct politeness *politeness, uint32_t host);
void politeness_restore(struct politeness *politeness, uint32_t host, uint32_t failures, int64_t delay_us);
/* Rules that were saved, valid until `expires`. */
SCENT_NODISCARD scent_status politeness_restore_robots(struct politeness *politeness, struct politeness_origin origin,
                                                    struct str rules, int64_t expires);
/* To save them: NULL when there are none; *expires is when they must be read again. */
const struct robots *politeness_robots(const struct politeness *politeness, struct politeness_origin origin,
                                       int64_t *expires);

#endif
