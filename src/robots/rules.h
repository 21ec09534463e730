/* rules - the inside of struct robots, and how it is put together. */
#ifndef SCENT_ROBOTS_RULES_H
#define SCENT_ROBOTS_RULES_H

#include "base/buf.h"
#include "robots/robots.h"

enum { ROBOTS_MAX_SITEMAPS = 1000 };
#define ROBOTS_MAX_DELAY (24 * INT64_C(3600000000))

/* Ranges of robots->text. */
struct rule_range {
    uint32_t at, len;
};

struct robots_rule {
    struct rule_range written, rfc; /* the pattern in both readings: pattern.h */
    bool allow;
};

/* One allocation: this, the rules, the sitemaps, the text. */
struct robots {
    size_t bytes;
    int64_t delay;
    uint32_t nrules, nsitemaps;
    bool readings_differ; /* in some rule */
    struct robots_rule *rules; /* the one that decides before the others: longest first, allow first */
    struct rule_range *sitemaps;
    char *text;
};

struct rules {
    struct buf rules, sitemaps, text;
    int64_t delay;
    bool nomem;
};

void rules_init(struct rules *rules);
void rules_release(struct rules *rules);
/* What is no pattern (does not begin with "/" or "*") is passed over: an empty Disallow forbids nothing. */
void rules_add(struct rules *rules, bool allow, struct str pattern);
void rules_add_sitemap(struct rules *rules, struct str url);
void rules_add_delay(struct rules *rules, int64_t usec); /* the longest of several counts */
SCENT_NODISCARD scent_status rules_finish(struct rules *rules, struct robots **out);

#endif
