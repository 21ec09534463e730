/* The keys of replay tools: they look a URL up under the spelling that most people would call the same page.
 * The rules are those of the Internet Archive's canonicaliser as pywb applies it, session ids left as they are. */
#include "url/host.h"

#include <stdlib.h>

/* Writes the labels from last to first with commas between them; as long as the name itself. */
static char *put_reversed(char *to, struct str name)
{
    size_t end = name.len;

    for (size_t i = name.len; i-- > 0;) {
        if (name.p[i] != '.')
            continue;
        to = mempcpy(to, name.p + i + 1, end - i - 1);
        *to++ = ',';
        end = i;
    }
    return mempcpy(to, name.p, end);
}

/* "www.", "www2." */
static struct str without_www(struct str host)
{
    size_t i = 3;

    if (!str_starts(host, STR("www")))
        return host;
    while (i < host.len && ascii_is_digit(host.p[i]))
        i++;
    return i < host.len && host.p[i] == '.' && i + 1 < host.len ? str_sub(host, i + 1, host.len) : host;
}

static char *put_lower(char *to, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        *to++ = ascii_lower(s.p[i]);
    return to;
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Parameters in the order of their bytes; `query` is in lower case already. */
static scent_status sort_query(struct arena *arena, char *query, size_t len)
{
    struct str rest = {query, len}, copy = arena_str(arena, rest), part;
    size_t count = 1, n = 0;
    struct str *parts;

    for (size_t i = 0; i < len; i++)
        count += query[i] == '&';
    parts = arena_array(arena, count, sizeof *parts);
    if (!parts || !copy.p)
        return SCENT_E_NOMEM;
    while (str_split(&copy, '&', &part))
        parts[n++] = part;
    qsort(parts, n, sizeof *parts, by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (i)
            *query++ = '&';
        query = mempcpy(query, parts[i].p, parts[i].len);
    }
    return SCENT_OK;
}

scent_status url_surt(struct arena *arena, const struct url *url, struct str *out)
{
    struct str host = url_host_without_dot(url_host(url)), path = url_path(url), query = url_query(url);
    struct str port = str_sub(url->href, url->host_end, url->path_start);
    char *start = arena_alloc(arena, url->href.len + 2), *to = start, *from;
    scent_status status = SCENT_OK;

    if (!start)
        return SCENT_E_NOMEM;
    to = url_host_is_address(host) ? mempcpy(to, host.p, host.len) : put_reversed(to, without_www(host));
    to = mempcpy(to, port.p, port.len);
    *to++ = ')';
    if (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    to = put_lower(to, path);
    if (query.len) {
        *to++ = '?';
        from = to;
        to = put_lower(to, query);
        status = sort_query(arena, from, query.len);
    }
    *to = 0;
    *out = (struct str){start, (size_t)(to - start)};
    return status;
}
