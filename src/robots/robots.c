#include "robots/robots.h"
#include "base/hash.h"
#include "robots/pattern.h"
#include "robots/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The saved form is text, for people who open the database: a line "scent-robots 1 CHECKSUM", then a line for each
 * thing: a letter and its value. */
#define SAVED_HEAD "scent-robots 1 "
enum { CHECKSUM_DIGITS = 16, SAVED_HEAD_LEN = sizeof SAVED_HEAD - 1 + CHECKSUM_DIGITS + 1 };

static struct str text_of(const struct robots *robots, struct rule_range range)
{
    return (struct str){robots->text + range.at, range.len};
}

struct str robots_agent(struct str user_agent)
{
    size_t n = 0;

    while (n < user_agent.len && (ascii_is_alpha(user_agent.p[n]) || user_agent.p[n] == '-' || user_agent.p[n] == '_'))
        n++;
    return str_sub(user_agent, 0, n);
}

struct robots *robots_allow_all(void)
{
    struct robots *robots;
    struct rules rules;
    scent_status status;

    rules_init(&rules);
    status = rules_finish(&rules, &robots);
    SCENT_BUG_IF(status != SCENT_OK);
    rules_release(&rules);
    return robots;
}

void robots_free(struct robots *robots)
{
    free(robots);
}

/* The rules are in the order of their weight: the first that matches decides. */
static bool allows_by(const struct robots *robots, enum pattern_reading reading, struct str target, struct str *rule)
{
    for (const struct robots_rule *r = robots->rules; r < robots->rules + robots->nrules; r++) {
        if (!pattern_matches(text_of(robots, reading == PATTERN_RFC ? r->rfc : r->written), target))
            continue;
        *rule = text_of(robots, r->written);
        return r->allow;
    }
    *rule = STR_NONE;
    return true;
}

static bool allows_spelled(const struct robots *robots, enum pattern_reading reading, struct str target,
                           struct str *rule)
{
    struct buf spelled;
    bool allowed;

    buf_init(&spelled, 0);
    pattern_spell_target(target, reading, &spelled);
    *rule = STR_NONE;
    allowed = !spelled.failed && allows_by(robots, reading, buf_str(&spelled), rule);
    buf_release(&spelled);
    return allowed;
}

/* Where the two readings disagree we keep out: nobody is visited against either. */
bool robots_allows(const struct robots *robots, struct str target, struct str *rule)
{
    struct str ignored;

    rule = rule ? rule : &ignored;
    *rule = STR_NONE;
    if (!robots->nrules || str_eq(target, STR("/robots.txt")))
        return true;
    if (!target.len)
        target = STR("/");
    if (!pattern_is_spelled(target))
        return allows_spelled(robots, PATTERN_AS_WRITTEN, target, rule) &&
               allows_spelled(robots, PATTERN_RFC, target, rule);
    return allows_by(robots, PATTERN_AS_WRITTEN, target, rule) &&
           (!robots->readings_differ || allows_by(robots, PATTERN_RFC, target, rule));
}

int64_t robots_crawl_delay(const struct robots *robots)
{
    return robots->delay;
}

struct str robots_sitemap(const struct robots *robots, size_t i)
{
    return i < robots->nsitemaps ? text_of(robots, robots->sitemaps[i]) : STR_NONE;
}

size_t robots_bytes(const struct robots *robots)
{
    return robots->bytes;
}

static void save_line(struct buf *out, char letter, struct str value)
{
    buf_addc(out, letter);
    buf_add(out, value);
    buf_addc(out, '\n');
}

scent_status robots_save(const struct robots *robots, struct buf *out)
{
    char checksum[CHECKSUM_DIGITS + 1];
    size_t start = out->len;

    buf_printf(out, SAVED_HEAD "%0*d\n", CHECKSUM_DIGITS, 0);
    for (uint32_t i = 0; i < robots->nrules; i++)
        save_line(out, robots->rules[i].allow ? 'A' : 'D', text_of(robots, robots->rules[i].written));
    for (uint32_t i = 0; i < robots->nsitemaps; i++)
        save_line(out, 'S', text_of(robots, robots->sitemaps[i]));
    if (robots->delay >= 0)
        buf_printf(out, "C%" PRId64 "\n", robots->delay);
    if (out->failed)
        return SCENT_E_NOMEM;
    struct str body = str_sub(buf_str(out), start + SAVED_HEAD_LEN, out->len);
    snprintf(checksum, sizeof checksum, "%016" PRIx64, hash_str(body, 0));
    memcpy(out->p + start + sizeof SAVED_HEAD - 1, checksum, CHECKSUM_DIGITS);
    return SCENT_OK;
}

static bool load_line(struct rules *rules, struct str line)
{
    struct str value = line.len ? str_sub(line, 1, line.len) : line;
    uint64_t usec;

    switch (line.len ? line.p[0] : 0) {
    case 'A':
    case 'D':
        rules_add(rules, line.p[0] == 'A', value);
        return true;
    case 'S':
        rules_add_sitemap(rules, value);
        return true;
    case 'C':
        if (!str_parse_u64(value, &usec) || usec > ROBOTS_MAX_DELAY)
            return false;
        rules_add_delay(rules, (int64_t)usec);
        return true;
    default:
        return false;
    }
}

static bool is_intact(struct str blob)
{
    char head[SAVED_HEAD_LEN + 1];

    if (blob.len < SAVED_HEAD_LEN || blob.p[blob.len - 1] != '\n')
        return false;
    snprintf(head, sizeof head, SAVED_HEAD "%016" PRIx64 "\n", hash_str(str_sub(blob, SAVED_HEAD_LEN, blob.len), 0));
    return memcmp(blob.p, head, SAVED_HEAD_LEN) == 0;
}

scent_status robots_load(struct str blob, struct robots **out)
{
    scent_status status = SCENT_OK;
    struct rules rules;
    struct str body, line;

    if (!is_intact(blob))
        return SCENT_E_FORMAT;
    body = str_sub(blob, SAVED_HEAD_LEN, blob.len);
    rules_init(&rules);
    while (status == SCENT_OK && body.len && str_split(&body, '\n', &line))
        status = load_line(&rules, line) ? SCENT_OK : SCENT_E_FORMAT;
    if (status == SCENT_OK)
        status = rules_finish(&rules, out);
    rules_release(&rules);
    return status;
}
