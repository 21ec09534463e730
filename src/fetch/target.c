#include "fetch/target.h"

/* Where the path, the query or the fragment begins. */
static size_t authority_end(struct str s)
{
    size_t i = 0;

    while (i < s.len && s.p[i] != '/' && s.p[i] != '?' && s.p[i] != '#' && s.p[i] != '\\')
        i++;
    return i;
}

static struct str authority_of(struct str url)
{
    size_t colon = str_find(url, ':'), at;

    if (!str_starts(str_sub(url, colon, url.len), STR("://")))
        return STR_NONE;
    url = str_sub(url, colon + 3, url.len);
    url.len = authority_end(url);
    while ((at = str_find(url, '@')) < url.len)
        url = str_sub(url, at + 1, url.len);
    return url;
}

void target_parse(struct str url, struct target *out)
{
    struct str authority = authority_of(url);
    size_t bracket = str_find(authority, ']');

    *out = (struct target){.secure = str_starts_nocase(url, STR("https:"))};
    if (bracket < authority.len && authority.p[0] == '[')
        out->host = str_sub(authority, 0, bracket + 1);
    else
        out->host = str_sub(authority, 0, str_find(authority, ':'));
    /* Most names begin with a letter; an address does only inside of brackets. */
    if (out->host.len && !ascii_is_alpha(out->host.p[0]))
        fetch_ip_parse(out->host, &out->ip);
}
