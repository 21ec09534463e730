/* Two tables, the longest prefix first where ranges lie in one another: the first that matches decides.
 *
 * From the IANA special-purpose address registries for IPv4 and IPv6, as of RFC 9637 and RFC 9780, and the IPv6
 * address space registry (only 2000::/3 is handed out). An IPv6 address that stands for an IPv4 address is judged by
 * that, because some gateway will turn it into the IPv4 packet. */
#include "fetch/fetch.h"


#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ALLOWED NULL

struct range4 {
    uint32_t prefix;
    uint8_t bits;
    const char *name; /* ALLOWED: it may be visited */
};

#define IP4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static const struct range4 ranges4[] = {
    {IP4(0, 0, 0, 0), 8, "this network"},
    {IP4(10, 0, 0, 0), 8, "private"},
    {IP4(100, 64, 0, 0), 10, "shared by a provider's customers"},
    {IP4(127, 0, 0, 0), 8, "loopback"},
    {IP4(169, 254, 0, 0), 16, "link-local"},
    {IP4(172, 16, 0, 0), 12, "private"},
    {IP4(192, 0, 0, 9), 32, ALLOWED},  /* port control protocol, RFC 7723: the registry calls it global */
    {IP4(192, 0, 0, 10), 32, ALLOWED}, /* TURN, RFC 8155: likewise */
    {IP4(192, 0, 0, 0), 24, "for protocols"},
    {IP4(192, 0, 2, 0), 24, "for documentation"},
    {IP4(192, 88, 99, 0), 24, "6to4 relay"},
    {IP4(192, 168, 0, 0), 16, "private"},
    {IP4(198, 18, 0, 0), 15, "for benchmarks"},
    {IP4(198, 51, 100, 0), 24, "for documentation"},
    {IP4(203, 0, 113, 0), 24, "for documentation"},
    {IP4(224, 0, 0, 0), 4, "multicast"},
    {IP4(255, 255, 255, 255), 32, "broadcast"},
    {IP4(240, 0, 0, 0), 4, "reserved"},
};

enum embedding {
    PLAIN,
    LAST,   /* bytes 12 to 15 */
    SECOND, /* bytes 2 to 5 */
    TEREDO  /* the server in bytes 4 to 7, the client in 12 to 15 with every bit turned (RFC 4380 section 4) */
};

struct range6 {
    uint16_t prefix[8];
    uint8_t bits;
    const char *name;
    enum embedding embedding; /* PLAIN: `name` decides; else the address inside does and `name` is its form */
};

static const struct range6 ranges6[] = {
    {{0}, 128, "unspecified", PLAIN},
    {{[7] = 1}, 128, "loopback", PLAIN},
    {{[5] = 0xffff}, 96, "an IPv4-mapped address", LAST},
    {{0}, 96, "IPv4-compatible", PLAIN},
    {{[4] = 0xffff}, 96, "IPv4-translated", PLAIN},
    {{0x64, 0xff9b}, 96, "NAT64", LAST},
    {{0x64, 0xff9b, 1}, 48, "local NAT64", PLAIN},
    {{0x100}, 64, "discarded", PLAIN},
    {{0x100, 0, 0, 1}, 64, "dummy", PLAIN},
    {{0x2001}, 32, "Teredo", TEREDO},
    {{0x2001, 1, [7] = 1}, 128, ALLOWED, PLAIN}, /* the same as 192.0.0.9 and 192.0.0.10, and RFC 9665 */
    {{0x2001, 1, [7] = 2}, 128, ALLOWED, PLAIN},
    {{0x2001, 1, [7] = 3}, 128, ALLOWED, PLAIN},
    {{0x2001, 2}, 48, "for benchmarks", PLAIN},
    {{0x2001, 3}, 32, ALLOWED, PLAIN},        /* multicast relays, RFC 7450 */
    {{0x2001, 4, 0x112}, 48, ALLOWED, PLAIN}, /* AS112, RFC 7535 */
    /* ORCHIDs and drone tags are names in the shape of addresses: the registry calls the newer ones global, but no
     * packet finds its way to them. */
    {{0x2001, 0x10}, 28, "ORCHID", PLAIN},
    {{0x2001, 0x20}, 28, "ORCHID", PLAIN},
    {{0x2001, 0x30}, 28, "drone tag", PLAIN},
    {{0x2001}, 23, "for protocols", PLAIN},
    {{0x2001, 0xdb8}, 32, "for documentation", PLAIN},
    {{0x2002}, 16, "6to4", SECOND},
    {{0x3fff}, 20, "for documentation", PLAIN},
    {{0x2000}, 3, ALLOWED, PLAIN},
    {{0x5f00}, 16, "segment routing", PLAIN},
    {{0xfc00}, 7, "unique local", PLAIN},
    {{0xfe80}, 10, "link-local", PLAIN},
    {{0xfec0}, 10, "site-local", PLAIN},
    {{0xff00}, 8, "multicast", PLAIN},
    {{0}, 0, "not assigned", PLAIN},
};

static const char *check4(uint32_t address)
{
    for (size_t i = 0; i < sizeof ranges4 / sizeof *ranges4; i++)
        if ((address ^ ranges4[i].prefix) >> (32 - ranges4[i].bits) == 0)
            return ranges4[i].name;
    return ALLOWED;
}

static bool matches6(const struct range6 *range, const uint8_t bytes[16])
{
    unsigned bits = range->bits;

    for (size_t i = 0; bits; i++) {
        unsigned take = bits < 16 ? bits : 16;
        unsigned piece = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];

        if ((piece ^ range->prefix[i]) >> (16 - take))
            return false;
        bits -= take;
    }
    return true;
}

static uint32_t ip4_at(const uint8_t *bytes)
{
    return IP4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

static const char *check_embedded(enum embedding embedding, const uint8_t bytes[16])
{
    const char *server;

    switch (embedding) {
    case LAST:
        return check4(ip4_at(bytes + 12));
    case SECOND:
        return check4(ip4_at(bytes + 2));
    default:
        server = check4(ip4_at(bytes + 4));
        return server ? server : check4(~ip4_at(bytes + 12));
    }
}

static struct guard_verdict check6(const uint8_t bytes[16])
{
    const struct range6 *range = ranges6;
    struct guard_verdict verdict = {0};

    while (!matches6(range, bytes)) /* the last one matches everything */
        range++;
    if (range->embedding == PLAIN)
        return (struct guard_verdict){.range = range->name};
    verdict.range = check_embedded(range->embedding, bytes);
    verdict.inside = verdict.range ? range->name : NULL;
    return verdict;
}

static struct guard_verdict check_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, address, sizeof in);
        return (struct guard_verdict){.range = check4(ntohl(in.sin_addr.s_addr))};
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, address, sizeof in6);
        return check6(in6.sin6_addr.s6_addr);
    }
    return (struct guard_verdict){.range = "not of the Internet"};
}

struct guard_verdict guard_check(enum fetch_reach reach, const struct sockaddr *address)
{
    struct guard_verdict verdict = check_public(address);

    if (reach == FETCH_REACH_PUBLIC)
        return verdict;
    /* A loopback address inside of an IPv6 form is not loopback: the packet may leave this machine. */
    if (reach == FETCH_REACH_ANY || (verdict.range && !verdict.inside && strcmp(verdict.range, "loopback") == 0))
        return (struct guard_verdict){0};
    return (struct guard_verdict){.range = "not loopback"};
}

void guard_explain(const struct guard_verdict *verdict, const struct sockaddr *address, char *out, size_t room)
{
    char text[FETCH_IP_TEXT] = "the address";
    struct fetch_ip ip = fetch_ip_of(address);

    if (ip.len)
        fetch_ip_print(&ip, text);
    snprintf(out, room, "%s is %s%s%s", text, verdict->range, verdict->inside ? " in " : "",
             verdict->inside ? verdict->inside : "");
}
