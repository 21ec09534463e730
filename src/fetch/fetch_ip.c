#include "fetch/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>

bool fetch_ip_parse(struct str text, struct fetch_ip *out)
{
    char z[INET6_ADDRSTRLEN];

    *out = (struct fetch_ip){0};
    if (text.len > 2 && text.p[0] == '[' && text.p[text.len - 1] == ']')
        text = str_sub(text, 1, text.len - 1);
    if (text.len == 0 || text.len >= sizeof z)
        return false;
    memcpy(z, text.p, text.len);
    z[text.len] = 0;
    if (inet_pton(AF_INET, z, out->bytes) == 1)
        out->len = 4;
    else if (inet_pton(AF_INET6, z, out->bytes) == 1)
        out->len = 16;
    return out->len > 0;
}

struct fetch_ip fetch_ip_of(const struct sockaddr *address)
{
    struct fetch_ip ip = {0};
    struct sockaddr_in6 in6;
    struct sockaddr_in in;

    if (address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        memcpy(ip.bytes, &in.sin_addr, ip.len = 4);
    } else if (address->sa_family == AF_INET6) {
        memcpy(&in6, address, sizeof in6);
        memcpy(ip.bytes, &in6.sin6_addr, ip.len = 16);
    }
    return ip;
}

void fetch_ip_print(const struct fetch_ip *ip, char out[FETCH_IP_TEXT])
{
    out[0] = 0;
    inet_ntop(ip->len == 4 ? AF_INET : AF_INET6, ip->bytes, out, FETCH_IP_TEXT);
}

bool fetch_ip_eq(const struct fetch_ip *a, const struct fetch_ip *b)
{
    return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}
