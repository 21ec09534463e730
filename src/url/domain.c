/* What a host name says about who stands behind it. */
#include "url/host.h"
#include "url/ip.h"

#include <libpsl.h>

enum { NAME_MAX_LEN = 253 }; /* RFC 1035: no longer name can be looked up */

struct str url_registered_domain(struct str host)
{
    char copy[NAME_MAX_LEN + 1];
    struct str name = url_host_without_dot(host);
    const char *domain;

    if (url_host_is_address(host) || !name.len || name.len > NAME_MAX_LEN)
        return host;
    memcpy(copy, name.p, name.len);
    copy[name.len] = 0;
    /* The list that is compiled in: immutable, and no file is read. */
    domain = psl_registrable_domain(psl_builtin(), copy);
    return domain ? str_sub(name, (size_t)(domain - copy), name.len) : host;
}

struct str url_host_without_port(struct str server)
{
    size_t colon = server.len;

    while (colon > 0 && ascii_is_digit(server.p[colon - 1]))
        colon--;
    /* "[::1]" ends in a bracket, so that a colon before digits is always a port. */
    return colon > 0 && server.p[colon - 1] == ':' ? str_sub(server, 0, colon - 1) : server;
}

bool url_host_is_loopback(struct str host)
{
    struct str name = url_host_without_dot(host);
    uint32_t address;

    if (str_eq(host, STR("[::1]")))
        return true;
    if (url_host_is_address(host))
        return url_ip4_parse(host, &address) && address >> 24 == 127;
    return str_eq_nocase(name, STR("localhost")) ||
           (name.len > 10 && str_eq_nocase(str_sub(name, name.len - 10, name.len), STR(".localhost")));
}
