#include "serve/address.h"

#include "base/rng.h"
#include "url/url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

scent_status address_parse(const char *text, uint16_t port, bool allow_public, union socket_address *out,
                           struct errmsg *err)
{
    bool loopback;

    text = text ? text : "127.0.0.1";
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        loopback = ntohl(out->v4.sin_addr.s_addr) >> 24 == 127;
    } else if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons(port);
        loopback = IN6_IS_ADDR_LOOPBACK(&out->v6.sin6_addr);
    } else {
        return errmsg_fail(err, SCENT_E_INVALID, "'%s' is not an address to listen on; try 127.0.0.1", text);
    }
    if (!loopback && !allow_public)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s is not a loopback address: other machines could reach this server; listen on 127.0.0.1, "
                           "or give --allow-public", text);
    return SCENT_OK;
}

scent_status address_fail_listen(const char *address, uint16_t port, struct errmsg *err)
{
    int code = errno;
    const char *fix = code == EADDRINUSE      ? "; choose another port, or name none: a free one is taken"
                      : code == EACCES        ? "; choose a port above 1023"
                      : code == EADDRNOTAVAIL ? "; choose an address of this machine"
                                              : "";

    return errmsg_fail(err, SCENT_E_IO, "cannot listen on %s port %u: %s%s", address ? address : "127.0.0.1", port,
                       strerror(code), fix);
}

bool address_is_ours(struct str value, uint16_t own_port, bool is_public)
{
    struct str host = url_host_without_port(value), port = str_sub(value, host.len, value.len);
    struct in_addr address;
    char text[64];
    uint64_t number;

    for (size_t i = 0; i < value.len; i++)
        if (!ascii_is_alpha(value.p[i]) && !ascii_is_digit(value.p[i]) && !memchr("-.:[]", value.p[i], 5))
            return false;
    if (port.len && (!str_parse_u64(str_sub(port, 1, port.len), &number) || number != own_port))
        return false;
    if (url_host_is_loopback(host))
        return true;
    snprintf(text, sizeof text, "%.*s", STR_ARG(host));
    return is_public && host.len < sizeof text && (text[0] == '[' || inet_pton(AF_INET, text, &address) == 1);
}

struct address_token address_new_token(void)
{
    struct address_token token;

    snprintf(token.text, sizeof token.text, "%016llx%016llx", (unsigned long long)rng_entropy(),
             (unsigned long long)rng_entropy());
    return token;
}

bool address_same_token(const struct address_token *token, struct str given)
{
    unsigned char differ = 0;

    if (given.len != ADDRESS_TOKEN)
        return false;
    for (size_t i = 0; i < ADDRESS_TOKEN; i++)
        differ |= (unsigned char)(token->text[i] ^ given.p[i]);
    return differ == 0;
}

struct str address_parameter(struct str query, const char *name, char *out, size_t room)
{
    struct str part, value = {"", 0};
    size_t len = 0;

    while (str_split(&query, '&', &part)) {
        size_t equals = str_find(part, '=');

        if (str_eq(str_sub(part, 0, equals), str_of(name)) && equals < part.len)
            value = str_sub(part, equals + 1, part.len);
    }
    for (size_t i = 0; i < value.len && len < room; i++) {
        bool escaped = value.p[i] == '%' && i + 2 < value.len && ascii_hex(value.p[i + 1]) >= 0 &&
                       ascii_hex(value.p[i + 2]) >= 0;

        out[len++] = escaped ? (char)(ascii_hex(value.p[i + 1]) * 16 + ascii_hex(value.p[i + 2]))
                     : value.p[i] == '+' ? ' '
                                         : value.p[i];
        i += escaped ? 2 : 0;
    }
    return (struct str){out, len};
}

size_t address_keep_escapes(void *cls, struct MHD_Connection *connection, char *s)
{
    (void)cls;
    (void)connection;
    return strlen(s);
}
