/* dnscache - what the name servers said, for as long as it holds.
 *
 * An answer holds for its time to live, at least a minute and at most a day. A name that does not exist, or has no
 * address, holds for five minutes; a name server that fails, or is silent, is left alone for 5 seconds, then twice as
 * long each time, up to an hour; meanwhile an answer from before still holds, for about as long. At most `max` names,
 * the one used longest ago goes first; some 200 bytes a name.
 * Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_DNSCACHE_H
#define SCENT_FETCH_DNSCACHE_H

#include "base/map.h"
#include "fetch/fetch.h"

enum { DNSCACHE_NAMES = 100000, DNSCACHE_NAME_MAX = 253 };

/* ---- exchanges that wait ---- */

/* A list of exchanges that wait for something; an exchange is in one list at most. */

struct exchanges {
    struct fetch_exchange *first, *last;
};

static inline void exchanges_append(struct exchanges *list, struct fetch_exchange *exchange)
{
    exchange->next = NULL;
    if (list->last)
        list->last->next = exchange;
    else
        list->first = exchange;
    list->last = exchange;
}

static inline void exchanges_prepend(struct exchanges *list, struct fetch_exchange *exchange)
{
    exchange->next = list->first;
    list->first = exchange;
    if (!list->last)
        list->last = exchange;
}

static inline struct fetch_exchange *exchanges_take(struct exchanges *list)
{
    struct fetch_exchange *exchange = list->first;

    if (!exchange)
        return NULL;
    list->first = exchange->next;
    if (!list->first)
        list->last = NULL;
    exchange->next = NULL;
    return exchange;
}

/* `more` is empty after this. */
static inline void exchanges_append_all(struct exchanges *list, struct exchanges *more)
{
    if (!more->first)
        return;
    if (list->last)
        list->last->next = more->first;
    else
        list->first = more->first;
    list->last = more->last;
    *more = (struct exchanges){0};
}

/* Somebody outside wants to know. */
struct dnsname_request {
    struct dnsname_request *next;
    void *owner;
    size_t len;
    char host[];
};

enum dnsname_state { DNSNAME_IDLE, DNSNAME_QUEUED, DNSNAME_ASKED, DNSNAME_ANSWERED };

struct dnsname {
    struct dnsname *newer, *older; /* by use */
    struct dnsname *queue;         /* the resolver's, while it is not idle */
    uint64_t hash;
    uint32_t number;               /* in the cache's array */
    int64_t expires;               /* on the monotonic clock; 0: never answered */
    struct fetch_ip *addresses;    /* the one to try first is the first */
    struct exchanges waiting;
    struct dnsname_request *requests;
    uint8_t naddresses;
    uint8_t failure;               /* enum fetch_name_failure */
    uint8_t failures;              /* in a row, of the kind that waits longer each time */
    uint8_t state;                 /* enum dnsname_state: only an idle name may be forgotten */
    uint8_t len;
    char name[];                   /* lower case, without a dot at its end, terminated */
};

struct dnscache {
    const struct clock *clock;
    struct dnsname **names;
    size_t count, room, max;
    struct map map; /* from a name to its number */
    struct dnsname *newest, *oldest;
    uint64_t seed;
};

void dnscache_init(struct dnscache *cache, const struct clock *clock, size_t max);
void dnscache_release(struct dnscache *cache);

/* The name, found or added, and now the newest. `name` is at most DNSCACHE_NAME_MAX long. NULL: no memory. */
struct dnsname *dnscache_get(struct dnscache *cache, struct str name);
bool dnscache_is_fresh(const struct dnscache *cache, const struct dnsname *name);

/* The address that came first before stays first if it is still there: its connections are open. */
SCENT_NODISCARD bool dnscache_answer(const struct dnscache *cache, struct dnsname *name,
                                     const struct fetch_ip *addresses, size_t count, int64_t ttl_seconds);
void dnscache_fail(const struct dnscache *cache, struct dnsname *name, enum fetch_name_failure failure);
/* Connecting to `ip` worked where others did not: it comes first from now on. */
void dnsname_prefer(struct dnsname *name, const struct fetch_ip *ip);
/* None of its addresses could be reached: they may be wrong by now, and are asked for when they are needed again. */
void dnsname_doubt(struct dnsname *name);

/* To keep elsewhere and get back; `out` points into the cache. What has expired is not taken. */
void dnscache_describe(const struct dnscache *cache, const struct dnsname *name, struct fetch_name *out);
void dnscache_load(struct dnscache *cache, const struct fetch_name *known);

#endif
