/* Addresses as texts, from URLs and from the store: what is read is written so that it reads back, the guard has a verdict
 * about it, and where a URL leads lies inside of it. */
#include "fetch/dnscache.h"
#include "fetch/route.h"

#include <netinet/in.h>

static void check_guard(const struct fetch_ip *ip)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};
    const struct sockaddr *address = ip->len == 4 ? (const void *)&four : (const void *)&six;
    struct guard_verdict verdict;
    char why[128];

    memcpy(ip->len == 4 ? (void *)&four.sin_addr : (void *)&six.sin6_addr, ip->bytes, ip->len);
    SCENT_BUG_IF(guard_check(FETCH_REACH_ANY, address).range);
    verdict = guard_check(FETCH_REACH_PUBLIC, address);
    /* Loopback is not public. */
    SCENT_BUG_IF(!verdict.range && !guard_check(FETCH_REACH_LOOPBACK, address).range);
    if (verdict.range)
        guard_explain(&verdict, address, why, sizeof why);
}

static void check_ip(struct str text)
{
    struct fetch_ip ip, again;
    char printed[FETCH_IP_TEXT];

    if (!fetch_ip_parse(text, &ip))
        return;
    SCENT_BUG_IF(ip.len != 4 && ip.len != 16);
    fetch_ip_print(&ip, printed);
    SCENT_BUG_IF(!fetch_ip_parse(str_of(printed), &again) || !fetch_ip_eq(&ip, &again));
    check_guard(&ip);
}

static bool lies_in(struct str part, struct str whole)
{
    return part.len == 0 || (part.p >= whole.p && part.p + part.len <= whole.p + whole.len);
}

static void check_target(struct str url)
{
    struct target target;

    target_parse(url, &target);
    SCENT_BUG_IF(!lies_in(target.host, url) || !lies_in(target.place, url));
    SCENT_BUG_IF(!str_starts(target.path, STR("/")) || target.place.len < target.host.len);
    SCENT_BUG_IF(target.ip.len && target_is_onion(target.host));
}

/* As the store gives it back: a name with any addresses, failure and expiry. */
static void check_known(const uint8_t *data, size_t len)
{
    struct fetch_name known = {.name = {(const char *)data, len}}, out;
    struct dnscache cache;

    if (len < 20)
        return;
    known.naddresses = data[0] % 16; /* more than there is room for */
    known.failure = data[1] % (FETCH_NAME_STOPPED + 1);
    known.failures = data[2];
    known.expires_wall = clock_wall(&clock_system) + ((int64_t)data[3] - 100) * 1000000000;
    for (size_t i = 0; i < FETCH_ADDRESSES_MAX; i++)
        known.addresses[i] = (struct fetch_ip){.len = 4, .bytes = {data[4 + i]}};
    dnscache_init(&cache, &clock_system, 2);
    dnscache_load(&cache, &known);
    SCENT_BUG_IF(cache.count > 1);
    if (cache.count) {
        dnscache_describe(&cache, cache.newest, &out);
        SCENT_BUG_IF(!str_eq(out.name, known.name) || out.naddresses != known.naddresses);
    }
    dnscache_release(&cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str text = {(const char *)data, len};

    if (memchr(data, 0, len)) {
        check_known(data, len);
        return 0;
    }
    check_ip(text);
    check_target(text);
    return 0;
}
