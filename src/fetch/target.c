#include "fetch/target.h"

/* Where the path, the query or the fragment begins. */
static size_t authority_end(struct str s)
{
    size_t i = 0;

    while (i < s.len && s.p[i] != '/' && s.p[i] != '?' && s.p[i] != '#' && s.p[i] != '\\')
        i++;
    return i;
}

/* Behind "://". */
static struct str without_scheme(struct str url)
{
    size_t colon = str_find(url, ':');

    return str_starts(str_sub(url, colon, url.len), STR("://")) ? str_sub(url, colon + 3, url.len) : STR_NONE;
}

static struct str path_of(struct str rest)
{
    size_t end = 0;

    while (end < rest.len && rest.p[end] != '?' && rest.p[end] != '#')
        end++;
    return end > 0 && rest.p[0] == '/' ? str_sub(rest, 0, end) : STR("/");
}

static struct str host_of(struct str place)
{
    size_t bracket = str_find(place, ']');

    if (bracket < place.len && place.p[0] == '[')
        return str_sub(place, 0, bracket + 1);
    return str_sub(place, 0, str_find(place, ':'));
}

void target_parse(struct str url, struct target *out)
{
    struct str rest = without_scheme(url);
    size_t end = authority_end(rest), at;

    *out = (struct target){.secure = str_starts_nocase(url, STR("https:")), .place = str_sub(rest, 0, end)};
    out->path = path_of(str_sub(rest, end, rest.len));
    while ((at = str_find(out->place, '@')) < out->place.len)
        out->place = str_sub(out->place, at + 1, out->place.len);
    out->host = host_of(out->place);
    /* Most names begin with a letter; an address does only inside of brackets. */
    if (out->host.len && !ascii_is_alpha(out->host.p[0]))
        fetch_ip_parse(out->host, &out->ip);
}

bool target_is_onion(struct str host)
{
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    return host.len >= 5 && str_eq_nocase(str_sub(host, host.len - 5, host.len), STR("onion")) &&
           (host.len == 5 || host.p[host.len - 6] == '.');
}
