#include "page/canonical.h"

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
        if (str_eq(segment, STR("404")) || str_eq_nocase(segment, STR("error")) || str_eq_nocase(segment, STR("notfound")))
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
