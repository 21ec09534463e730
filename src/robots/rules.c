#include "robots/rules.h"
#include "robots/pattern.h"
#include "url/url.h"

#include <stdlib.h>

enum { TEXT_MAX = 16 * 1024 * 1024 }; /* far more than both spellings of 500 KiB; it keeps offsets within 32 bits */

void rules_init(struct rules *rules)
{
    *rules = (struct rules){.delay = -1};
    buf_init(&rules->rules, 0);
    buf_init(&rules->sitemaps, 0);
    buf_init(&rules->text, TEXT_MAX);
}

void rules_release(struct rules *rules)
{
    buf_release(&rules->rules);
    buf_release(&rules->sitemaps);
    buf_release(&rules->text);
}

static struct str text_of(const struct rules *rules, struct rule_range range)
{
    return (struct str){rules->text.p + range.at, range.len};
}

static struct rule_range range_from(const struct rules *rules, size_t at)
{
    return (struct rule_range){(uint32_t)at, (uint32_t)(rules->text.len - at)};
}

/* The RFC's reading of rule->written; shares its text where they are the same. */
static void read_as_rfc(struct rules *rules, struct robots_rule *rule)
{
    size_t at = rules->text.len, len = rule->written.len;

    rule->rfc = rule->written;
    if (str_find(text_of(rules, rule->written), '%') == len || !buf_reserve(&rules->text, len))
        return;
    pattern_spell(text_of(rules, rule->written), PATTERN_RFC, &rules->text); /* never longer: the text stays in place */
    rule->rfc = range_from(rules, at);
    if (str_eq(text_of(rules, rule->rfc), text_of(rules, rule->written))) {
        rule->rfc = rule->written;
        rules->text.len = at;
    }
}

void rules_add(struct rules *rules, bool allow, struct str pattern)
{
    struct robots_rule rule = {.allow = allow};
    size_t at = rules->text.len;

    if (!pattern.len || (pattern.p[0] != '/' && pattern.p[0] != '*'))
        return;
    pattern_spell(pattern, PATTERN_AS_WRITTEN, &rules->text);
    rule.written = range_from(rules, at);
    read_as_rfc(rules, &rule);
    buf_add(&rules->rules, (struct str){(const char *)&rule, sizeof rule});
    rules->nomem |= rules->text.failed || rules->rules.failed;
}

void rules_add_sitemap(struct rules *rules, struct str url)
{
    size_t at = rules->text.len;
    struct rule_range range;

    if (!url.len || url.len > SCENT_URL_MAX || rules->sitemaps.len >= ROBOTS_MAX_SITEMAPS * sizeof range)
        return;
    buf_add(&rules->text, url);
    range = range_from(rules, at);
    buf_add(&rules->sitemaps, (struct str){(const char *)&range, sizeof range});
    rules->nomem |= rules->text.failed || rules->sitemaps.failed;
}

void rules_add_delay(struct rules *rules, int64_t usec)
{
    if (usec > ROBOTS_MAX_DELAY)
        usec = ROBOTS_MAX_DELAY;
    if (usec > rules->delay)
        rules->delay = usec;
}

/* RFC 9309 2.2.2: the match with the most octets, allow where they are as many. The order in the file breaks the last
 * ties, so that the rule that is shown is the first. */
static int compare_rules(const void *a, const void *b)
{
    const struct robots_rule *x = a, *y = b;

    if (x->written.len != y->written.len)
        return x->written.len > y->written.len ? -1 : 1;
    if (x->allow != y->allow)
        return x->allow ? -1 : 1;
    return (x->written.at > y->written.at) - (x->written.at < y->written.at);
}

static void *place(char **at, const struct buf *part)
{
    void *p = *at;

    if (part->len)
        memcpy(p, part->p, part->len);
    *at += part->len;
    return p;
}

scent_status rules_finish(struct rules *rules, struct robots **out)
{
    size_t bytes = sizeof(struct robots) + rules->rules.len + rules->sitemaps.len + rules->text.len;
    struct robots *robots = rules->nomem ? NULL : malloc(bytes);

    if (!robots)
        return SCENT_E_NOMEM;
    char *at = (char *)(robots + 1);
    *robots = (struct robots){
        .bytes = bytes,
        .delay = rules->delay,
        .nrules = (uint32_t)(rules->rules.len / sizeof(struct robots_rule)),
        .nsitemaps = (uint32_t)(rules->sitemaps.len / sizeof(struct rule_range)),
        .rules = place(&at, &rules->rules),
        .sitemaps = place(&at, &rules->sitemaps),
        .text = place(&at, &rules->text),
    };
    qsort(robots->rules, robots->nrules, sizeof *robots->rules, compare_rules);
    for (uint32_t i = 0; i < robots->nrules; i++)
        robots->readings_differ |= robots->rules[i].rfc.at != robots->rules[i].written.at;
    *out = robots;
    return SCENT_OK;
}
