/* route - the way to a URL's host: an address that the guard allows, or the reason why there is none.
 *
 * A host with several addresses gets several tries, each with the next address that is allowed, until one can be
 * connected to. Thread: the fetch thread. */
#ifndef SCENT_FETCH_ROUTE_H
#define SCENT_FETCH_ROUTE_H

#include "fetch/dns.h"

/* Where a URL leads, as much as the way there needs to know. Reads what url_parse() has written; of anything else it
 * may find no host, or another than libcurl does. That is harmless: libcurl connects to the address that was found for
 * this host, and to no other. Pure. */
struct target {
    struct str host;    /* IPv6 with its brackets; empty: none was found */
    struct str place;   /* host, and ":port" where it is written */
    struct str path;    /* begins with "/" */
    bool secure;        /* https */
    struct fetch_ip ip; /* of a host that is an address; .len 0: it is a name */
};
bool target_is_onion(struct str host); /* RFC 7686: never a question for a name server */
void target_parse(struct str url, struct target *out);

enum route_way { ROUTE_DIRECT, ROUTE_BY_PROXY, ROUTE_BY_ONION_PROXY };

struct route {
    enum route_way way;
    struct fetch_ip via; /* where to connect; .len 0: libcurl finds it in the URL, or the proxy does */
};

enum route_result {
    ROUTE_OPEN,
    ROUTE_ASKED, /* the exchange waits with its name, which dns_next_answered() will give */
    ROUTE_CLOSED /* the exchange says why */
};
enum route_result route_find(const struct fetch_options *options, struct dns *dns, struct fetch_exchange *exchange,
                             struct route *out);

/* Whether a look-up of `host` would make sense, or a proxy is the way to it. */
bool route_is_direct(const struct fetch_options *options, struct str host);

/* Connecting failed, as the exchange says: whether the host has an address that was not tried yet. If not, it will be
 * looked up again. */
bool route_has_another(const struct fetch_options *options, struct dns *dns, struct fetch_exchange *exchange);
/* An address that was not the first one worked: others shall begin with it. */
void route_worked(struct dns *dns, const struct fetch_exchange *exchange);

#endif
