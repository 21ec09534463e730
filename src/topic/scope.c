#include "topic/scope.h"

static const struct str default_types[] = {{"text/html", 9}, {"application/xhtml+xml", 21}};

static bool matches(struct str pattern, const struct url *url)
{
    size_t start = url->scheme_end + 3u;

    if (str_find(pattern, '/') == pattern.len)
        return str_glob(pattern, url_host(url));
    return str_glob(pattern, str_sub(url->href, start, url->query_end));
}

const struct str *scope_find(const struct str *patterns, size_t count, const struct url *url)
{
    for (size_t i = 0; i < count; i++)
        if (matches(patterns[i], url))
            return &patterns[i];
    return NULL;
}

enum scope_verdict scope_check(const struct scope *scope, const struct url *url)
{
    if (scope_find(scope->exclude, scope->nexclude, url))
        return SCOPE_EXCLUDED;
    if (scope->ninclude && !scope_find(scope->include, scope->ninclude, url))
        return SCOPE_NOT_INCLUDED;
    return SCOPE_IN;
}

const char *scope_verdict_text(enum scope_verdict verdict)
{
    switch (verdict) {
    case SCOPE_IN:
        return "in scope";
    case SCOPE_NOT_INCLUDED:
        return "no pattern of scope.include matches";
    case SCOPE_EXCLUDED:
        return "a pattern of scope.exclude matches";
    }
    return "unknown";
}

bool scope_wants_type(const struct scope *scope, struct str mime)
{
    const struct str *types = scope->ntypes ? scope->types : default_types;
    size_t ntypes = scope->ntypes ? scope->ntypes : sizeof default_types / sizeof *default_types;

    if (mime.len)
        mime = str_trim(str_sub(mime, 0, str_find(mime, ';')));
    if (mime.len == 0)
        return true;
    for (size_t i = 0; i < ntypes; i++)
        if (str_glob(types[i], mime))
            return true;
    return false;
}
