/* What a host name says about who stands behind it. */
#include "url/host.h"
#include "url/ip.h"

#include <libpsl.h>

enum { NAME_MAX_LEN = 253 }; /* RFC 1035: no longer name can be looked up */

static struct str without_dot(struct str host)
{
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    return host;
}

static bool is_address(struct str host)
{
    return host.len && (host.p[0] == '[' || url_host_ends_in_number(host));
}

struct str url_registered_domain(struct str host)
{
    char copy[NAME_MAX_LEN + 1];
    struct str name = without_dot(host);
    const char *domain;

    if (is_address(host) || !name.len || name.len > NAME_MAX_LEN)
        return host;
    memcpy(copy, name.p, name.len);
    copy[name.len] = 0;
    /* The list that is compiled in: immutable, and no file is read. */
    domain = psl_registrable_domain(psl_builtin(), copy);
    return domain ? str_sub(name, (size_t)(domain - copy), name.len) : host;
}

bool url_host_is_loopback(struct str host)
{
    struct str name = without_dot(host);
    uint32_t address;

    if (str_eq(host, STR("[::1]")))
        return true;
    if (is_address(host))
        return url_ip4_parse(host, &address) && address >> 24 == 127;
    return str_eq_nocase(name, STR("localhost")) ||
           (name.len > 10 && str_eq_nocase(str_sub(name, name.len - 10, name.len), STR(".localhost")));
}

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

scent_status url_surt(struct arena *arena, const struct url *url, struct str *out)
{
    struct str host = url_host(url);
    struct str port = str_sub(url->href, url->host_end, url->path_start);
    struct str rest = str_sub(url->href, url->path_start, url->query_end);
    char *start = arena_alloc(arena, host.len + port.len + rest.len + 2), *to = start;

    if (!start)
        return SCENT_E_NOMEM;
    to = is_address(host) ? mempcpy(to, host.p, host.len) : put_reversed(to, without_dot(host));
    to = mempcpy(to, port.p, port.len);
    *to++ = ')';
    to = mempcpy(to, rest.p, rest.len);
    *to = 0;
    *out = (struct str){start, (size_t)(to - start)};
    return SCENT_OK;
}
