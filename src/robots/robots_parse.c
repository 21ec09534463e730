/* The lines of a robots.txt. Two passes: is there a group for us, and then the rules of the groups that count. */
#include "robots/decimal.h"
#include "robots/rules.h"

#include "base/buf.h"

#include <iconv.h>

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
            rules_add_delay(rules, decimal_millionths(record->value));
        return;
    case RECORD_SITEMAP:
        rules_add_sitemap(rules, record->value);
        return;
    default:
        return;
    }
}

/* What counts of the file. A line that the cap cuts is no line: half a path would be another rule. */
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

/* A file in UTF-16, which its byte order mark tells, would else be read as one that has no rules: editors write such
 * files. What cannot be converted ends it. */
static scent_status from_utf16(struct str text, struct buf *out)
{
    char *in = (char *)text.p, *to; /* iconv's type; it does not write there */
    size_t left = text.len, room = text.len / 2 * 3 + 4; /* two bytes become three at most */
    iconv_t converter = iconv_open("UTF-8", "UTF-16");

    if (converter == (iconv_t)-1)
        return SCENT_E_NOMEM;
    if (buf_reserve(out, room)) {
        to = out->p;
        iconv(converter, &in, &left, &to, &room);
        out->len = (size_t)(to - out->p);
    }
    iconv_close(converter);
    return out->p ? SCENT_OK : SCENT_E_NOMEM;
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

scent_status robots_parse(struct str text, struct str agent, struct robots **out)
{
    struct buf converted;
    scent_status status;

    if (!str_starts(text, STR("\xFF\xFE")) && !str_starts(text, STR("\xFE\xFF")))
        return parse_utf8(text, agent, out);
    buf_init(&converted, 0);
    status = from_utf16(text, &converted);
    if (status == SCENT_OK)
        status = parse_utf8(buf_str(&converted), agent, out);
    buf_release(&converted);
    return status;
}
