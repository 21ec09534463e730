/* webspec - what a generated web shall be like: its YAML specification as numbers.
 *
 * Every key is optional. The same table gives defaults, limits, parser and the commented example
 * (webspec_write_default), so that they cannot disagree. docs/guide/generated-web.md explains the keys. */
#ifndef SCENT_WEB_WEBSPEC_H
#define SCENT_WEB_WEBSPEC_H

#include "base/buf.h"
#include "base/status.h"

struct conf;

enum { WEBSPEC_LANGUAGES_MAX = 9, WEBSPEC_SUFFIX_MAX = 64 };

struct webspec_language {
    char code[8];
    double share; /* they sum to 1 */
};

struct webspec {
    /* size */
    uint64_t seed, hosts, pages_per_host, hosts_per_domain;
    char suffix[WEBSPEC_SUFFIX_MAX];
    /* topics and links */
    uint64_t topics, wanted, seeds;
    double site_focus, topic_skew, links, locality, cohesion, affinity, external, hubs, hub_locality;
    double tunnel_share, tunnel_entrances, tunnel_lead, tunnel_along;
    uint64_t tunnel_length, tunnel_ways;
    double boilerplate, nofollow, tracking;
    /* text */
    double words;
    uint64_t vocabulary, topic_vocabulary;
    double topic_words, overlap, context, anchor_noise, url_evidence;
    struct webspec_language languages[WEBSPEC_LANGUAGES_MAX];
    size_t language_count;
    /* copies, redirects, errors */
    double duplicates, near_duplicates, redirects, redirect_loops, errors, other_types;
    double large_share;
    uint64_t large_factor;
    /* hosts that behave, and hosts that do not */
    double slow_share;
    uint64_t slow_delay_ms;
    double dead_hosts, traps;
    double robots_share, robots_delay;
    double sitemaps, gzip, charsets;
};

void webspec_defaults(struct webspec *spec);
/* Unknown keys, wrong types, values out of range and contradictions fail with file, line and fix. */
SCENT_NODISCARD scent_status webspec_read(const struct conf *conf, struct webspec *out, struct errmsg *err);
/* A commented YAML document that webspec_read turns into the defaults. */
void webspec_write_default(struct buf *out);

#endif
