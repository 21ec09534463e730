/* Every special range by its first and last address and their neighbours, plain and in every form that can hold it. */
#include "test.h"

#include "fetch/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define ALLOWED NULL

struct range {
    const char *first, *last, *name;
    const char *before, *after; /* what the neighbours are */
};

static const struct range ranges4[] = {
    {"0.0.0.0", "0.255.255.255", "this network", "broadcast", ALLOWED},
    {"10.0.0.0", "10.255.255.255", "private", ALLOWED, ALLOWED},
    {"100.64.0.0", "100.127.255.255", "shared by a provider's customers", ALLOWED, ALLOWED},
    {"127.0.0.0", "127.255.255.255", "loopback", ALLOWED, ALLOWED},
    {"169.254.0.0", "169.254.255.255", "link-local", ALLOWED, ALLOWED},
    {"172.16.0.0", "172.31.255.255", "private", ALLOWED, ALLOWED},
    {"192.0.0.0", "192.0.0.8", "for protocols", ALLOWED, ALLOWED},
    {"192.0.0.9", "192.0.0.10", ALLOWED, "for protocols", "for protocols"},
    {"192.0.0.11", "192.0.0.255", "for protocols", ALLOWED, ALLOWED},
    {"192.0.2.0", "192.0.2.255", "for documentation", ALLOWED, ALLOWED},
    {"192.88.99.0", "192.88.99.255", "6to4 relay", ALLOWED, ALLOWED},
    {"192.168.0.0", "192.168.255.255", "private", ALLOWED, ALLOWED},
    {"198.18.0.0", "198.19.255.255", "for benchmarks", ALLOWED, ALLOWED},
    {"198.51.100.0", "198.51.100.255", "for documentation", ALLOWED, ALLOWED},
    {"203.0.113.0", "203.0.113.255", "for documentation", ALLOWED, ALLOWED},
    {"224.0.0.0", "239.255.255.255", "multicast", ALLOWED, "reserved"},
    {"240.0.0.0", "255.255.255.254", "reserved", "multicast", "broadcast"},
    {"255.255.255.255", "255.255.255.255", "broadcast", "reserved", "this network"},
    /* Special, but global as the registry says: AS112 and multicast relays. */
    {"192.31.196.0", "192.31.196.255", ALLOWED, ALLOWED, ALLOWED},
    {"192.52.193.0", "192.52.193.255", ALLOWED, ALLOWED, ALLOWED},
    {"192.175.48.0", "192.175.48.255", ALLOWED, ALLOWED, ALLOWED},
    {"8.8.8.8", "8.8.8.8", ALLOWED, ALLOWED, ALLOWED},
};

#define ONES4 "ffff:ffff:ffff:ffff"
#define ONES5 "ffff:" ONES4
#define ONES6 "ffff:" ONES5
#define ONES7 "ffff:" ONES6

static const struct range ranges6[] = {
    {"::", "::", "unspecified", "multicast", "loopback"},
    {"::1", "::1", "loopback", "unspecified", "IPv4-compatible"},
    {"::2", "::255.255.255.255", "IPv4-compatible", "loopback", "not assigned"},
    {"::ffff:0:0:0", "::ffff:0:255.255.255.255", "IPv4-translated", "not assigned", "not assigned"},
    {"64:ff9b:1::", "64:ff9b:1:ffff:" ONES4, "local NAT64", "not assigned", "not assigned"},
    {"100::", "100::" ONES4, "discarded", "not assigned", "dummy"},
    {"100:0:0:1::", "100:0:0:1:" ONES4, "dummy", "discarded", "not assigned"},
    {"2001:1::", "2001:1::", "for protocols", "broadcast", ALLOWED}, /* before it is Teredo of 255.255.255.255 */
    {"2001:1::1", "2001:1::3", ALLOWED, "for protocols", "for protocols"},
    {"2001:1::4", "2001:1:" ONES6, "for protocols", ALLOWED, "for benchmarks"},
    {"2001:2::", "2001:2:0:" ONES5, "for benchmarks", "for protocols", "for protocols"},
    {"2001:3::", "2001:3:" ONES6, ALLOWED, "for protocols", "for protocols"},
    {"2001:4:112::", "2001:4:112:" ONES5, ALLOWED, "for protocols", "for protocols"},
    {"2001:10::", "2001:1f:" ONES6, "ORCHID", "for protocols", "ORCHID"},
    {"2001:20::", "2001:2f:" ONES6, "ORCHID", "ORCHID", "drone tag"},
    {"2001:30::", "2001:3f:" ONES6, "drone tag", "ORCHID", "for protocols"},
    {"2001:40::", "2001:1ff:" ONES6, "for protocols", "drone tag", ALLOWED},
    {"2001:db8::", "2001:db8:" ONES6, "for documentation", ALLOWED, ALLOWED},
    {"3fff::", "3fff:fff:" ONES6, "for documentation", ALLOWED, ALLOWED},
    {"2003::", "3ffe:" ONES7, ALLOWED, "broadcast", "for documentation"}, /* before it is 6to4 of 255.255.255.255 */
    {"3fff:1000::", "3fff:" ONES7, ALLOWED, "for documentation", "not assigned"},
    {"5f00::", "5f00:" ONES7, "segment routing", "not assigned", "not assigned"},
    {"fc00::", "fdff:" ONES7, "unique local", "not assigned", "not assigned"},
    {"fe80::", "febf:" ONES7, "link-local", "not assigned", "site-local"},
    {"fec0::", "feff:" ONES7, "site-local", "link-local", "multicast"},
    {"ff00::", "ffff:" ONES7, "multicast", "site-local", "unspecified"},
    {"2000::", "2000:" ONES7, ALLOWED, "not assigned", "this network"}, /* after it is Teredo of 0.0.0.0 */
    {"4000::", "4000::", "not assigned", ALLOWED, "not assigned"},
    {"2620:4f:8000::", "2620:4f:8000:" ONES5, ALLOWED, ALLOWED, ALLOWED}, /* AS112 */
    {"2606:4700::1111", "2606:4700::1111", ALLOWED, ALLOWED, ALLOWED},
};

static uint32_t ip4(const char *text)
{
    struct in_addr address;

    assert_int_equal(inet_pton(AF_INET, text, &address), 1);
    return ntohl(address.s_addr);
}

static struct in6_addr ip6(const char *text)
{
    struct in6_addr address;

    assert_int_equal(inet_pton(AF_INET6, text, &address), 1);
    return address;
}

/* The next address (`step` 1) or the one before (-1), around the ends. */
static struct in6_addr moved(struct in6_addr address, int step)
{
    for (int i = 15; i >= 0; i--) {
        address.s6_addr[i] = (uint8_t)(address.s6_addr[i] + step);
        if (address.s6_addr[i] != (step > 0 ? 0 : 0xff))
            break;
    }
    return address;
}

static struct guard_verdict check6(enum fetch_reach reach, struct in6_addr address)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = address};

    return guard_check(reach, (struct sockaddr *)&in6);
}

static struct guard_verdict check4(enum fetch_reach reach, uint32_t address)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

    return guard_check(reach, (struct sockaddr *)&in);
}

static void expect(const char *what, struct guard_verdict got, const char *range, const char *inside)
{
    bool same = range ? got.range && strcmp(got.range, range) == 0 : !got.range;

    if (!same)
        print_error("%s: %s, not %s\n", what, got.range ? got.range : "allowed", range ? range : "allowed");
    assert_true(same);
    if (range && inside)
        assert_string_equal(got.inside, inside);
    else
        assert_null(got.inside);
}

static struct in6_addr with_ip4(const char *prefix, size_t at, uint32_t address)
{
    struct in6_addr out = ip6(prefix);

    for (size_t i = 0; i < 4; i++)
        out.s6_addr[at + i] = (uint8_t)(address >> (24 - 8 * i));
    return out;
}

/* One IPv4 address in every form; in Teredo as the server beside a harmless client, and the other way around. */
static void expect_in_all_forms(uint32_t address, const char *range)
{
    static const struct {
        const char *prefix, *form;
        size_t at;
        bool turned;
    } forms[] = {
        {"::ffff:0:0", "an IPv4-mapped address", 12, false},
        {"64:ff9b::", "NAT64", 12, false},
        {"2002::1", "6to4", 2, false},
        {"2002:0:0:" ONES5, "6to4", 2, false},
        {"2001::f7f7:f7f7", "Teredo", 4, false}, /* the client is 8.8.8.8 */
        {"2001:0:808:808::", "Teredo", 12, true},
    };
    char text[INET6_ADDRSTRLEN];

    expect("IPv4", check4(FETCH_REACH_PUBLIC, address), range, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct in6_addr embedded = with_ip4(forms[i].prefix, forms[i].at, forms[i].turned ? ~address : address);

        inet_ntop(AF_INET6, &embedded, text, sizeof text);
        expect(text, check6(FETCH_REACH_PUBLIC, embedded), range, forms[i].form);
    }
}

static void test_ipv4(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges4 / sizeof *ranges4; i++) {
        const struct range *range = &ranges4[i];
        uint32_t first = ip4(range->first), last = ip4(range->last);

        print_message("%s to %s\n", range->first, range->last);
        expect_in_all_forms(first, range->name);
        expect_in_all_forms(first + (last - first) / 2, range->name);
        expect_in_all_forms(last, range->name);
        expect_in_all_forms(first - 1, range->before);
        expect_in_all_forms(last + 1, range->after);
    }
}

static void test_ipv6(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges6 / sizeof *ranges6; i++) {
        const struct range *range = &ranges6[i];
        struct guard_verdict before = check6(FETCH_REACH_PUBLIC, moved(ip6(range->first), -1));
        struct guard_verdict after = check6(FETCH_REACH_PUBLIC, moved(ip6(range->last), 1));

        print_message("%s to %s\n", range->first, range->last);
        expect("first", check6(FETCH_REACH_PUBLIC, ip6(range->first)), range->name, NULL);
        expect("last", check6(FETCH_REACH_PUBLIC, ip6(range->last)), range->name, NULL);
        expect("before", (struct guard_verdict){before.range, NULL}, range->before, NULL);
        expect("after", (struct guard_verdict){after.range, NULL}, range->after, NULL);
    }
}

/* Where the forms end that hold an IPv4 address. */
static void test_edges_of_forms(void **state)
{
    static const struct {
        const char *address, *range, *inside;
    } cases[] = {
        {"::fffe:ffff:ffff", "not assigned", NULL}, {"::ffff:8.8.8.8", ALLOWED, NULL},
        {"::1:0:0:0", "not assigned", NULL},        {"64:ff9a:" ONES6, "not assigned", NULL},
        {"64:ff9b::1:0:0", "not assigned", NULL},   {"2000:" ONES7, ALLOWED, NULL},
        {"2001::", "this network", "Teredo"},       {"2001:0:" ONES6, "broadcast", "Teredo"},
        {"2002::", "this network", "6to4"},         {"2002:" ONES7, "broadcast", "6to4"},
        {"2001:ffff:" ONES6, ALLOWED, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].address, check6(FETCH_REACH_PUBLIC, ip6(cases[i].address)), cases[i].range, cases[i].inside);
}

static void test_loopback_alone(void **state)
{
    static const char *const others4[] = {"126.255.255.255", "128.0.0.0", "0.0.0.0", "10.0.0.127", "8.8.8.8"};
    static const char *const others6[] = {
        "::",
        "::2",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::1",
        "2606:4700::1111",
    };

    (void)state;
    expect("first", check4(FETCH_REACH_LOOPBACK, ip4("127.0.0.0")), ALLOWED, NULL);
    expect("last", check4(FETCH_REACH_LOOPBACK, ip4("127.255.255.255")), ALLOWED, NULL);
    expect("::1", check6(FETCH_REACH_LOOPBACK, ip6("::1")), ALLOWED, NULL);
    for (size_t i = 0; i < sizeof others4 / sizeof *others4; i++)
        expect(others4[i], check4(FETCH_REACH_LOOPBACK, ip4(others4[i])), "not loopback", NULL);
    for (size_t i = 0; i < sizeof others6 / sizeof *others6; i++)
        expect(others6[i], check6(FETCH_REACH_LOOPBACK, ip6(others6[i])), "not loopback", NULL);
}

static void test_any(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges4 / sizeof *ranges4; i++)
        expect(ranges4[i].first, check4(FETCH_REACH_ANY, ip4(ranges4[i].first)), ALLOWED, NULL);
    for (size_t i = 0; i < sizeof ranges6 / sizeof *ranges6; i++)
        expect(ranges6[i].first, check6(FETCH_REACH_ANY, ip6(ranges6[i].first)), ALLOWED, NULL);
}

static void test_other_families(void **state)
{
    const struct sockaddr local = {.sa_family = AF_UNIX};

    (void)state;
    assert_non_null(guard_check(FETCH_REACH_LOOPBACK, &local).range);
    assert_non_null(guard_check(FETCH_REACH_PUBLIC, &local).range);
}

static void test_explanation(void **state)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = ip6("64:ff9b::a00:1")};
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(ip4("10.0.0.1"))};
    struct guard_verdict verdict = guard_check(FETCH_REACH_PUBLIC, (struct sockaddr *)&in6);
    char text[128];

    (void)state;
    guard_explain(&verdict, (struct sockaddr *)&in6, text, sizeof text);
    assert_string_equal(text, "64:ff9b::a00:1 is private in NAT64");
    verdict = guard_check(FETCH_REACH_PUBLIC, (struct sockaddr *)&in);
    guard_explain(&verdict, (struct sockaddr *)&in, text, sizeof text);
    assert_string_equal(text, "10.0.0.1 is private");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ipv4),           cmocka_unit_test(test_ipv6), cmocka_unit_test(test_edges_of_forms),
        cmocka_unit_test(test_loopback_alone), cmocka_unit_test(test_any),  cmocka_unit_test(test_other_families),
        cmocka_unit_test(test_explanation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
