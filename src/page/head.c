/* What the values of attributes and headers mean, and whether a canonical link may be believed. */
#include "page/outline.h"

#include "base/date.h"

bool head_has_token(struct str list, struct str word)
{
    size_t i = 0;

    while (i < list.len) {
        size_t start = i;

        while (i < list.len && !ascii_is_space(list.p[i]) && list.p[i] != ',')
            i++;
        if (str_eq_nocase(str_sub(list, start, i), word))
            return true;
        i++;
    }
    return false;
}

unsigned head_rel(struct str rel)
{
    if (!rel.len)
        return 0;
    return (head_has_token(rel, STR("nofollow")) ? PAGE_REL_NOFOLLOW : 0u) |
           (head_has_token(rel, STR("ugc")) ? PAGE_REL_UGC : 0u) |
           (head_has_token(rel, STR("sponsored")) ? PAGE_REL_SPONSORED : 0u);
}

static unsigned directive(struct str word)
{
    static const struct {
        const char *name;
        unsigned flags;
    } known[] = {
        {"noindex", PAGE_NOINDEX},
        {"nofollow", PAGE_NOFOLLOW},
        {"none", PAGE_NOINDEX | PAGE_NOFOLLOW},
        {"noarchive", PAGE_NOARCHIVE},
        {"nocache", PAGE_NOARCHIVE},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(word, str_of(known[i].name)))
            return known[i].flags;
    return 0;
}

/* Some directives have a colon of their own, and so have dates ("Sat, 25 Jun 2030 15:00:00 GMT" comes in two parts, at
 * its comma, the second with a space in it); any other word before a colon is the name of a crawler. */
static bool is_crawler(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (ascii_is_space(word.p[i]))
            return false;
    return word.len && !str_eq_nocase(word, STR("unavailable_after")) && !str_starts_nocase(word, STR("max-"));
}

/* A date may have a comma of its own, where `rest` begins. */
static int64_t take_date(struct str text, struct str *rest)
{
    struct str after = *rest, part;
    int64_t date = date_parse(str_trim(text));

    if (date || !str_split(&after, ',', &part))
        return date;
    text.len = (size_t)(part.p + part.len - text.p);
    date = date_parse(str_trim(text));
    if (date)
        *rest = after;
    return date;
}

unsigned head_robots(struct str value, struct str agent, int64_t *until)
{
    static const struct str until_word = {"unavailable_after:", 18};
    struct str part;
    int64_t date;
    unsigned flags = 0;
    bool ours = true;

    while (str_split(&value, ',', &part)) {
        size_t colon = str_find(part, ':');

        if (colon < part.len && is_crawler(str_trim(str_sub(part, 0, colon)))) {
            ours = str_eq_nocase(str_trim(str_sub(part, 0, colon)), agent);
            part = str_sub(part, colon + 1, part.len);
        }
        part = str_trim(part);
        if (ours)
            flags |= directive(part);
        if (!str_starts_nocase(part, until_word))
            continue;
        date = take_date(str_sub(part, until_word.len, part.len), &value);
        if (ours && date && (!*until || date < *until))
            *until = date;
    }
    return flags;
}

unsigned page_header_robots(struct str headers, struct str agent, int64_t *until)
{
    struct str line;
    unsigned flags = 0;

    while (str_split(&headers, '\n', &line))
        if (str_starts_nocase(line, STR("x-robots-tag:")))
            flags |= head_robots(str_sub(line, sizeof "x-robots-tag:" - 1, line.len), agent, until);
    return flags;
}

struct str head_refresh_target(struct str content)
{
    size_t i = 0, end;
    char quote;

    content = str_trim(content);
    while (i < content.len && (ascii_is_digit(content.p[i]) || content.p[i] == '.'))
        i++;
    if (i < content.len && content.p[i] != ';' && content.p[i] != ',' && !ascii_is_space(content.p[i]))
        return STR_NONE;
    while (i < content.len && (ascii_is_space(content.p[i]) || content.p[i] == ';' || content.p[i] == ','))
        i++;
    if (str_starts_nocase(str_sub(content, i, content.len), STR("url"))) {
        size_t equals = i + 3;

        while (equals < content.len && ascii_is_space(content.p[equals]))
            equals++;
        if (equals < content.len && content.p[equals] == '=')
            i = equals + 1;
        while (i < content.len && ascii_is_space(content.p[i]))
            i++;
    }
    quote = i < content.len && (content.p[i] == '"' || content.p[i] == '\'') ? content.p[i] : 0;
    i += quote != 0;
    for (end = i; end < content.len && content.p[end] != quote; end++)
        ;
    return str_sub(content, i, quote ? end : content.len);
}

/* ---- may the canonical link be believed? ---- */

/* The number of a page in a list: each holds other links, so none is a copy of the first. */
static bool is_page_number(struct str param)
{
    static const char *const names[] = {"page", "p", "pg", "paged", "start", "offset", "seite", "pagina", "from"};
    size_t equals = str_find(param, '=');
    uint64_t n;

    if (equals == param.len || !str_parse_u64(str_sub(param, equals + 1, param.len), &n))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(str_sub(param, 0, equals), str_of(names[i])))
            return true;
    return false;
}

static bool has_param(struct str query, struct str param)
{
    struct str part;

    while (str_split(&query, '&', &part))
        if (str_eq(part, param))
            return true;
    return false;
}

static bool loses_query_page(const struct url *from, const struct url *to)
{
    struct str query = url_query(from), part;

    while (str_split(&query, '&', &part))
        if (is_page_number(part) && !has_param(url_query(to), part))
            return true;
    return false;
}

/* "/list" for "/list/page/7/" */
static bool loses_path_page(struct str from, struct str to)
{
    struct str rest = from, segment;
    bool after_page = false;
    uint64_t n;

    while (str_split(&rest, '/', &segment)) {
        if (after_page && str_parse_u64(segment, &n) && n > 1)
            return (size_t)(segment.p - from.p) >= to.len;
        after_page = str_eq_nocase(segment, STR("page")) || str_eq_nocase(segment, STR("seite"));
    }
    return false;
}

static bool is_root(const struct url *url)
{
    struct str path = url_path(url);

    return path.len == 1 && url_query(url).len == 0;
}

static bool is_error_page(struct str path)
{
    struct str segment;

    while (str_split(&path, '/', &segment)) {
        segment = str_sub(segment, 0, str_find(segment, '.'));
        if (str_eq(segment, STR("404")) || str_eq_nocase(segment, STR("error")) ||
            str_eq_nocase(segment, STR("notfound")))
            return true;
    }
    return false;
}

/* "/index.html" and the like are the start page too. */
static bool is_start_page(const struct url *url)
{
    struct str path = url_path(url);

    return is_root(url) || (url_query(url).len == 0 && path.len < 20 &&
                            str_find(str_sub(path, 1, path.len), '/') == path.len - 1 &&
                            (str_starts_nocase(path, STR("/index.")) || str_starts_nocase(path, STR("/default.")) ||
                             str_starts_nocase(path, STR("/home."))));
}

static bool is_downgrade(const struct url *from, const struct url *to)
{
    return url_scheme(from).len == 5 && url_scheme(to).len == 4;
}

static bool is_mistake(const struct page *page)
{
    const struct url *from = &page->url, *to = &page->canonical;

    return (is_root(to) && !is_start_page(from)) || is_downgrade(from, to) || loses_query_page(from, to) ||
           loses_path_page(url_path(from), url_path(to)) || is_error_page(url_path(to)) ||
           page->robots & PAGE_NOINDEX; /* "show me nowhere" and "show that instead": one of them is wrong */
}

enum page_canonical page_canonical_target(const struct page *page)
{
    const struct url *from = &page->url, *to = &page->canonical;

    if (!to->href.p)
        return PAGE_CANONICAL_NONE;
    if (str_eq(str_sub(from->href, 0, from->query_end), str_sub(to->href, 0, to->query_end)))
        return PAGE_CANONICAL_SELF;
    if (is_mistake(page))
        return PAGE_CANONICAL_MISTAKE;
    if (!str_eq(url_registered_domain(url_host(from)), url_registered_domain(url_host(to))))
        return PAGE_CANONICAL_ELSEWHERE;
    return PAGE_CANONICAL_COPY;
}
