/* A robots.txt on its way: the lines of the file (or of its saved form) become rules, the rules a flat value, and the
 * value answers questions.
 *
 * Parsing takes two passes: is there a group for us, and then the rules of the groups that count. Each rule is kept in
 * two spellings (path_pattern.h), sorted by weight, so that the first that matches decides. */
#include "robots/robots.h"

#include "base/hash.h"
#include "page/charset.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROBOTS_MAX_SITEMAPS = 1000 };
#define ROBOTS_MAX_DELAY (24 * INT64_C(3600000000))

/* Ranges of robots->text. */
struct range {
    uint32_t at, len;
};

struct robots_rule {
    struct range written, rfc; /* the pattern in both readings: path_pattern.h */
    bool allow;
};

/* One allocation: this, the rules, the sitemaps, the text. */
struct robots {
    size_t bytes;
    int64_t delay;
    uint32_t nrules, nsitemaps;
    bool readings_differ; /* in some rule */
    struct robots_rule *rules; /* the one that decides before the others: longest first, allow first */
    struct range *sitemaps;
    char *text;
};

struct rules {
    struct buf rules, sitemaps, text;
    int64_t delay;
    bool nomem;
};

/* ---- putting rules together ---- */

enum { TEXT_MAX = 16 * 1024 * 1024 }; /* far more than both spellings of 500 KiB; it keeps offsets within 32 bits */

static void rules_init(struct rules *rules)
{
    *rules = (struct rules){.delay = -1};
    buf_init(&rules->rules, 0);
    buf_init(&rules->sitemaps, 0);
    buf_init(&rules->text, TEXT_MAX);
}

static void rules_release(struct rules *rules)
{
    buf_release(&rules->rules);
    buf_release(&rules->sitemaps);
    buf_release(&rules->text);
}

static struct str rule_text(const struct rules *rules, struct range range)
{
    return (struct str){rules->text.p + range.at, range.len};
}

static struct range range_from(const struct rules *rules, size_t at)
{
    return (struct range){(uint32_t)at, (uint32_t)(rules->text.len - at)};
}

/* The RFC's reading of rule->written; shares its text where they are the same. */
static void read_as_rfc(struct rules *rules, struct robots_rule *rule)
{
    size_t at = rules->text.len, len = rule->written.len;

    rule->rfc = rule->written;
    if (str_find(rule_text(rules, rule->written), '%') == len || !buf_reserve(&rules->text, len))
        return;
    /* Never longer: the text stays in place. */
    path_pattern_spell(rule_text(rules, rule->written), PATH_RFC, &rules->text);
    rule->rfc = range_from(rules, at);
    if (str_eq(rule_text(rules, rule->rfc), rule_text(rules, rule->written))) {
        rule->rfc = rule->written;
        rules->text.len = at;
    }
}

static void rules_add(struct rules *rules, bool allow, struct str pattern)
{
    struct robots_rule rule = {.allow = allow};
    size_t at = rules->text.len;

    if (!pattern.len || (pattern.p[0] != '/' && pattern.p[0] != '*'))
        return;
    path_pattern_spell(pattern, PATH_AS_WRITTEN, &rules->text);
    rule.written = range_from(rules, at);
    read_as_rfc(rules, &rule);
    buf_add(&rules->rules, (struct str){(const char *)&rule, sizeof rule});
    rules->nomem |= rules->text.failed || rules->rules.failed;
}

static void rules_add_sitemap(struct rules *rules, struct str url)
{
    size_t at = rules->text.len;
    struct range range;

    if (!url.len || url.len > SCENT_URL_MAX || rules->sitemaps.len >= ROBOTS_MAX_SITEMAPS * sizeof range)
        return;
    buf_add(&rules->text, url);
    range = range_from(rules, at);
    buf_add(&rules->sitemaps, (struct str){(const char *)&range, sizeof range});
    rules->nomem |= rules->text.failed || rules->sitemaps.failed;
}

static void rules_add_delay(struct rules *rules, int64_t usec)
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

static scent_status rules_finish(struct rules *rules, struct robots **out)
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
        .nsitemaps = (uint32_t)(rules->sitemaps.len / sizeof(struct range)),
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

/* ---- lines ---- */

int64_t robots_millionths(struct str s)
{
    int64_t value = 0, unit = 1000000;
    bool after_point = false;
    size_t digits = 0;

    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!ascii_is_digit(s.p[i]))
            return -1;
        digits++;
        if (after_point)
            value += (unit /= 10) * (s.p[i] - '0'); /* beyond the sixth place: nothing */
        else if ((value = value * 10 + (s.p[i] - '0') * unit) > ROBOTS_MILLIONTHS_MAX)
            value = ROBOTS_MILLIONTHS_MAX;
    }
    if (!digits)
        return -1;
    return value < ROBOTS_MILLIONTHS_MAX ? value : ROBOTS_MILLIONTHS_MAX;
}

enum {
    LINE_MAX_BYTES = 2083 * 8 - 1 /* what Google's parser keeps of a line */
};

enum record_kind { RECORD_OTHER, RECORD_AGENT, RECORD_ALLOW, RECORD_DISALLOW, RECORD_DELAY, RECORD_SITEMAP };

struct record {
    enum record_kind kind;
    struct str value;
};

static enum record_kind kind_of(struct str key)
{
    /* With the slips that are common and clear. */
    static const struct {
        const char *key;
        enum record_kind kind;
    } known[] = {
        {"user-agent", RECORD_AGENT},    {"useragent", RECORD_AGENT},    {"user agent", RECORD_AGENT},
        {"allow", RECORD_ALLOW},         {"disallow", RECORD_DISALLOW},  {"dissallow", RECORD_DISALLOW},
        {"dissalow", RECORD_DISALLOW},   {"disalow", RECORD_DISALLOW},   {"diasllow", RECORD_DISALLOW},
        {"disallaw", RECORD_DISALLOW},   {"crawl-delay", RECORD_DELAY},  {"crawldelay", RECORD_DELAY},
        {"crawl delay", RECORD_DELAY},   {"sitemap", RECORD_SITEMAP},    {"site-map", RECORD_SITEMAP},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(key, str_of(known[i].key)))
            return known[i].kind;
    return RECORD_OTHER;
}

static size_t find_blank(struct str s)
{
    size_t i = 0;

    while (i < s.len && s.p[i] != ' ' && s.p[i] != '\t')
        i++;
    return i;
}

static struct record read_line(struct str line)
{
    struct record record = {RECORD_OTHER, STR_NONE};
    size_t sep;

    if (line.len > LINE_MAX_BYTES)
        line.len = LINE_MAX_BYTES;
    line = str_trim(str_sub(line, 0, str_find(line, '#')));
    sep = str_find(line, ':');
    /* A forgotten colon is forgiven where two words leave no doubt. */
    if (sep == line.len)
        sep = find_blank(line);
    if (sep == line.len)
        return record;
    record.value = str_trim(str_sub(line, sep + 1, line.len));
    if (line.p[sep] != ':' && find_blank(record.value) < record.value.len)
        return record;
    record.kind = kind_of(str_trim(str_sub(line, 0, sep)));
    return record;
}

/* Lines end with CR, LF or both; the empty ones between them do no harm. */
static bool next_record(struct str *rest, struct record *record)
{
    size_t end = 0;

    if (!rest->len)
        return false;
    while (end < rest->len && rest->p[end] != '\n' && rest->p[end] != '\r')
        end++;
    *record = read_line(str_sub(*rest, 0, end));
    *rest = str_sub(*rest, end + (end < rest->len), rest->len);
    return true;
}

static bool is_token_char(char c)
{
    return ascii_is_alpha(c) || c == '-' || c == '_';
}

/* RFC 9309 2.2.1: the product token of a line is its letters, "-" and "_", so that "scent/1.0" names scent and "scenty"
 * does not. The word as it stands counts too: for a crawler whose name has a digit. */
static bool names(struct str value, struct str agent)
{
    size_t token = 0, word = 0;

    while (token < value.len && is_token_char(value.p[token]))
        token++;
    while (word < value.len && value.p[word] != '/' && !ascii_is_space(value.p[word]))
        word++;
    if (!agent.len)
        return false;
    return str_eq_nocase(str_sub(value, 0, token), agent) || str_eq_nocase(str_sub(value, 0, word), agent);
}

static bool has_group_for(struct str text, struct str agent)
{
    struct record record;

    while (next_record(&text, &record))
        if (record.kind == RECORD_AGENT && names(record.value, agent))
            return true;
    return false;
}

struct group {
    struct str agent; /* whom the groups must name */
    bool in_head;     /* among user-agent lines: the next one adds to them */
    bool applies;
};

static void take_record(struct rules *rules, struct group *group, const struct record *record)
{
    switch (record->kind) {
    case RECORD_AGENT:
        group->applies = (group->in_head && group->applies) || names(record->value, group->agent);
        group->in_head = true;
        return;
    case RECORD_ALLOW:
    case RECORD_DISALLOW:
        if (group->applies)
            rules_add(rules, record->kind == RECORD_ALLOW, record->value);
        group->in_head = false;
        return;
    case RECORD_DELAY: /* does not end the head: RFC 9309 2.2.4 */
        if (group->applies)
            rules_add_delay(rules, robots_millionths(record->value));
        return;
    case RECORD_SITEMAP:
        rules_add_sitemap(rules, record->value);
        return;
    default:
        return;
    }
}

/* What counts of the file. A line that the cap cuts is not a line: half a path would be another rule. */
static struct str cap_text(struct str text)
{
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        text = str_sub(text, 3, text.len);
    if (text.len <= ROBOTS_MAX_BYTES)
        return text;
    text.len = ROBOTS_MAX_BYTES;
    while (text.len && text.p[text.len - 1] != '\n' && text.p[text.len - 1] != '\r')
        text.len--;
    return text;
}

static scent_status parse_utf8(struct str text, struct str agent, struct robots **out)
{
    struct rules rules;
    struct record record;
    scent_status status;

    text = cap_text(text);
    struct group group = {.agent = has_group_for(text, agent) ? agent : STR("*")};
    rules_init(&rules);
    while (next_record(&text, &record))
        take_record(&rules, &group, &record);
    status = rules_finish(&rules, out);
    rules_release(&rules);
    return status;
}

/* A file in UTF-16, which its byte order mark tells, would else be read as one that has no rules: editors write such
 * files. */
scent_status robots_parse(struct str text, struct str agent, struct robots **out)
{
    struct charset *charset;
    struct charset_choice choice;
    struct buf converted;
    scent_status status;

    if (!str_starts(text, STR("\xFF\xFE")) && !str_starts(text, STR("\xFE\xFF")))
        return parse_utf8(text, agent, out);
    charset = charset_new();
    buf_init(&converted, 0);
    choice = charset_choose(charset, STR_NONE, text);
    text = str_sub(text, choice.bom, text.len);
    status = charset_decode(charset, choice.name, text, &converted, &text);
    if (status == SCENT_OK)
        status = parse_utf8(text, agent, out);
    buf_release(&converted);
    charset_free(charset);
    return status;
}

/* ---- answers ---- */

struct str robots_agent(struct str user_agent)
{
    size_t n = 0;

    while (n < user_agent.len && (ascii_is_alpha(user_agent.p[n]) || user_agent.p[n] == '-' || user_agent.p[n] == '_'))
        n++;
    return str_sub(user_agent, 0, n);
}

static struct str text_of(const struct robots *robots, struct range range)
{
    return (struct str){robots->text + range.at, range.len};
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
static bool allows_by(const struct robots *robots, enum path_pattern_reading reading, struct str target,
                      struct str *rule)
{
    for (const struct robots_rule *r = robots->rules; r < robots->rules + robots->nrules; r++) {
        if (!path_pattern_matches(text_of(robots, reading == PATH_RFC ? r->rfc : r->written), target))
            continue;
        *rule = text_of(robots, r->written);
        return r->allow;
    }
    *rule = STR_NONE;
    return true;
}

static bool allows_spelled(const struct robots *robots, enum path_pattern_reading reading, struct str target,
                           struct str *rule)
{
    struct buf spelled;
    bool allowed;

    buf_init(&spelled, 0);
    path_pattern_spell_target(target, reading, &spelled);
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
    if (!path_pattern_is_spelled(target))
        return allows_spelled(robots, PATH_AS_WRITTEN, target, rule) &&
               allows_spelled(robots, PATH_RFC, target, rule);
    return allows_by(robots, PATH_AS_WRITTEN, target, rule) &&
           (!robots->readings_differ || allows_by(robots, PATH_RFC, target, rule));
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

/* ---- the saved form ---- */

/* The saved form is text, for people who open the database: a line "scent-robots 1 CHECKSUM", then a line for each
 * thing: a letter and its value. */
#define SAVED_HEAD "scent-robots 1 "
enum { CHECKSUM_DIGITS = 16, SAVED_HEAD_LEN = sizeof SAVED_HEAD - 1 + CHECKSUM_DIGITS + 1 };

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
