/* Reads hosts out of URLs and finds the way to them: direct, by the proxy, or by the proxy for .onion hosts. */
#include "fetch/route.h"

#include "fetch/transfer.h"
#include "url/url.h"

#include <netinet/in.h>

enum { TRIES_MAX = 3 };

/* ---- where a URL leads ---- */

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

/* ---- the way ---- */

static struct guard_verdict check(enum fetch_reach reach, const struct fetch_ip *ip, struct sockaddr_storage *storage)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    struct sockaddr_in in = {.sin_family = AF_INET};

    if (ip->len == 4) {
        memcpy(&in.sin_addr, ip->bytes, 4);
        memcpy(storage, &in, sizeof in);
    } else {
        memcpy(&in6.sin6_addr, ip->bytes, 16);
        memcpy(storage, &in6, sizeof in6);
    }
    return guard_check(reach, (const struct sockaddr *)storage);
}

/* The addresses that may be visited, in order. */
static size_t allowed_of(enum fetch_reach reach, const struct dnsname *name, const struct fetch_ip *out[])
{
    struct sockaddr_storage storage;
    size_t count = 0;

    for (size_t i = 0; i < name->naddresses; i++)
        if (!check(reach, &name->addresses[i], &storage).range)
            out[count++] = &name->addresses[i];
    return count;
}

static void refuse(enum fetch_reach reach, const struct dnsname *name, struct fetch_exchange *exchange)
{
    struct sockaddr_storage storage;
    struct guard_verdict verdict = check(reach, &name->addresses[0], &storage);
    char why[128];

    guard_explain(&verdict, (const struct sockaddr *)&storage, why, sizeof why);
    transfer_fail(exchange, FETCH_E_FORBIDDEN, why);
}

static enum route_result choose(enum fetch_reach reach, const struct dnsname *name, struct fetch_exchange *exchange,
                                struct route *out)
{
    const struct fetch_ip *allowed[FETCH_ADDRESSES_MAX];
    size_t count = allowed_of(reach, name, allowed);

    if (count > 0) {
        out->via = *allowed[exchange->unreachable % count];
        return ROUTE_OPEN;
    }
    if (name->naddresses)
        refuse(reach, name, exchange);
    else
        transfer_fail(exchange, FETCH_E_DNS, fetch_name_failure_text((enum fetch_name_failure)name->failure));
    return ROUTE_CLOSED;
}

static enum route_result forbid(struct fetch_exchange *exchange, const char *why)
{
    transfer_fail(exchange, FETCH_E_FORBIDDEN, why);
    return ROUTE_CLOSED;
}

/* The proxy may stand in a network that the crawl must not see: what is plainly meant for there does not go to it. */
static enum route_result find_by_proxy(enum fetch_reach reach, const struct target *target,
                                       struct fetch_exchange *exchange)
{
    struct sockaddr_storage storage;
    struct guard_verdict verdict;
    char why[128];

    if (reach != FETCH_REACH_PUBLIC)
        return ROUTE_OPEN;
    if (target->ip.len == 0)
        return url_host_is_loopback(target->host) ? forbid(exchange, "the host is loopback") : ROUTE_OPEN;
    verdict = check(reach, &target->ip, &storage);
    if (!verdict.range)
        return ROUTE_OPEN;
    guard_explain(&verdict, (const struct sockaddr *)&storage, why, sizeof why);
    return forbid(exchange, why);
}

static enum route_result find_by_name(const struct fetch_options *options, struct dns *dns, struct str host,
                                      struct fetch_exchange *exchange, struct route *out)
{
    struct dnsname *name;

    if (!dns_find(dns, host, &name)) {
        exchanges_append(&name->waiting, exchange);
        return ROUTE_ASKED;
    }
    if (name)
        return choose(options->reach, name, exchange, out);
    transfer_fail(exchange, FETCH_E_INTERNAL, "out of memory");
    return ROUTE_CLOSED;
}

enum route_result route_find(const struct fetch_options *options, struct dns *dns, struct fetch_exchange *exchange,
                             struct route *out)
{
    struct target target;

    target_parse(str_of(exchange->url), &target);
    *out = (struct route){.way = options->proxy ? ROUTE_BY_PROXY : ROUTE_DIRECT};
    if (target_is_onion(target.host)) {
        out->way = ROUTE_BY_ONION_PROXY;
        return options->onion_proxy ? ROUTE_OPEN : forbid(exchange, "no proxy for .onion");
    }
    if (options->proxy)
        return find_by_proxy(options->reach, &target, exchange);
    if (target.ip.len || target.host.len == 0)
        return ROUTE_OPEN;
    return find_by_name(options, dns, target.host, exchange, out);
}

bool route_is_direct(const struct fetch_options *options, struct str host)
{
    return !options->proxy && !target_is_onion(host);
}

bool route_has_another(const struct fetch_options *options, struct dns *dns, struct fetch_exchange *exchange)
{
    const struct fetch_ip *allowed[FETCH_ADDRESSES_MAX];
    struct target target;
    struct dnsname *name;

    target_parse(str_of(exchange->url), &target);
    if (!route_is_direct(options, target.host) || target.ip.len || ++exchange->unreachable >= TRIES_MAX)
        return false;
    if (!dns_find(dns, target.host, &name) || !name)
        return false;
    if (allowed_of(options->reach, name, allowed) > exchange->unreachable)
        return true;
    dnsname_doubt(name);
    return false;
}

void route_worked(struct dns *dns, const struct fetch_exchange *exchange)
{
    struct target target;
    struct dnsname *name;
    struct fetch_ip ip;

    target_parse(str_of(exchange->url), &target);
    if (fetch_ip_parse(str_of(exchange->ip), &ip) && dns_find(dns, target.host, &name) && name)
        dnsname_prefer(name, &ip);
}
