/* The table of names, their order by use, and how long each answer holds. */
#include "fetch/dnscache.h"

#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000)

enum {
    TTL_MIN = 60,
    TTL_MAX = 24 * 3600,
    NOTHING_SECONDS = 5 * 60, /* no such name, no address */
    FAILED_SECONDS = 5,       /* the first time: RFC 9520, 3.2 */
    FAILED_DOUBLINGS = 10,    /* to 85 minutes: cut to an hour. So long an old address is used, too */
    FAILED_SECONDS_MAX = 3600
};

void dnscache_init(struct dnscache *cache, const struct clock *clock, size_t max)
{
    *cache = (struct dnscache){.clock = clock, .max = max, .seed = rng_entropy()};
}

static void free_name(struct dnsname *name)
{
    free(name->addresses);
    free(name);
}

void dnscache_release(struct dnscache *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        free_name(cache->names[i]);
    free(cache->names);
    map_release(&cache->map);
    *cache = (struct dnscache){0};
}

static void unlink_use(struct dnscache *cache, struct dnsname *name)
{
    *(name->newer ? &name->newer->older : &cache->newest) = name->older;
    *(name->older ? &name->older->newer : &cache->oldest) = name->newer;
}

static void link_newest(struct dnscache *cache, struct dnsname *name)
{
    name->newer = NULL;
    name->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = name;
    cache->newest = name;
}

/* The last name takes its number. */
static void forget(struct dnscache *cache, struct dnsname *name)
{
    struct dnsname *last = cache->names[--cache->count];

    map_remove(&cache->map, name->hash, name->number);
    if (last != name) {
        map_remove(&cache->map, last->hash, last->number);
        last->number = name->number;
        cache->names[last->number] = last;
        SCENT_BUG_IF(map_add(&cache->map, last->hash, last->number) != SCENT_OK); /* there is room for it */
    }
    unlink_use(cache, name);
    free_name(name);
}

/* Names that somebody waits for stay: there are as many as the rest of the program has asked for. */
static void make_room(struct dnscache *cache)
{
    struct dnsname *name = cache->oldest;

    while (cache->count >= cache->max && name) {
        struct dnsname *newer = name->newer;

        if (name->state == DNSNAME_IDLE)
            forget(cache, name);
        name = newer;
    }
}

static struct dnsname *add_name(struct dnscache *cache, struct str text, uint64_t hash)
{
    struct dnsname *name;

    make_room(cache);
    if (!vec_reserve(&cache->names, &cache->room, cache->count + 1, sizeof *cache->names))
        return NULL;
    name = calloc(1, sizeof *name + text.len + 1);
    if (!name || map_add(&cache->map, hash, (uint32_t)cache->count) != SCENT_OK) {
        free(name);
        return NULL;
    }
    memcpy(name->name, text.p, text.len);
    name->len = (uint8_t)text.len;
    name->hash = hash;
    name->number = (uint32_t)cache->count;
    cache->names[cache->count++] = name;
    link_newest(cache, name);
    return name;
}

struct dnsname *dnscache_get(struct dnscache *cache, struct str text)
{
    uint64_t hash = hash_str(text, cache->seed);
    struct map_walk walk = map_find(&cache->map, hash);

    SCENT_BUG_IF(text.len > DNSCACHE_NAME_MAX);
    while (map_next(&walk)) {
        struct dnsname *name = cache->names[walk.value];

        if (!str_eq((struct str){name->name, name->len}, text))
            continue;
        unlink_use(cache, name);
        link_newest(cache, name);
        return name;
    }
    return add_name(cache, text, hash);
}

bool dnscache_is_fresh(const struct dnscache *cache, const struct dnsname *name)
{
    return name->expires && clock_mono(cache->clock) < name->expires;
}

void dnsname_prefer(struct dnsname *name, const struct fetch_ip *ip)
{
    for (size_t i = 1; i < name->naddresses; i++) {
        struct fetch_ip found = name->addresses[i];

        if (!fetch_ip_eq(&found, ip))
            continue;
        memmove(name->addresses + 1, name->addresses, i * sizeof *name->addresses);
        name->addresses[0] = found;
        return;
    }
}

void dnsname_doubt(struct dnsname *name)
{
    if (name->naddresses && name->expires)
        name->expires = 1; /* long ago */
}

static void set_expiry(const struct dnscache *cache, struct dnsname *name, int64_t seconds)
{
    name->expires = clock_mono(cache->clock) + seconds * SECOND;
}

/* Replaces the addresses; on failure nothing changes. */
static bool set_addresses(struct dnsname *name, const struct fetch_ip *addresses, size_t count)
{
    struct fetch_ip *own = NULL, first = {0};

    count = count < FETCH_ADDRESSES_MAX ? count : FETCH_ADDRESSES_MAX;
    if (count && !(own = malloc(count * sizeof *own)))
        return false;
    if (count)
        memcpy(own, addresses, count * sizeof *own);
    if (name->naddresses)
        first = name->addresses[0];
    free(name->addresses);
    name->addresses = own;
    name->naddresses = (uint8_t)count;
    dnsname_prefer(name, &first);
    return true;
}

bool dnscache_answer(const struct dnscache *cache, struct dnsname *name, const struct fetch_ip *addresses, size_t count,
                     int64_t ttl_seconds)
{
    if (!set_addresses(name, addresses, count))
        return false;
    name->failure = FETCH_NAME_OK;
    name->failures = 0;
    set_expiry(cache, name, ttl_seconds < TTL_MIN ? TTL_MIN : ttl_seconds > TTL_MAX ? TTL_MAX : ttl_seconds);
    return true;
}

void dnscache_fail(const struct dnscache *cache, struct dnsname *name, enum fetch_name_failure failure)
{
    bool certain = failure == FETCH_NAME_UNKNOWN || failure == FETCH_NAME_EMPTY;
    int64_t seconds = (int64_t)FAILED_SECONDS << name->failures;

    /* Where nobody can tell, what was right before is better than nothing (RFC 8767). */
    if (certain || name->failures >= FAILED_DOUBLINGS)
        name->naddresses = 0;
    if (name->naddresses == 0)
        name->failure = (uint8_t)failure;
    if (certain) {
        name->failures = 0;
        set_expiry(cache, name, NOTHING_SECONDS);
        return;
    }
    set_expiry(cache, name, seconds < FAILED_SECONDS_MAX ? seconds : FAILED_SECONDS_MAX);
    if (name->failures < FAILED_DOUBLINGS)
        name->failures++;
}

void dnscache_describe(const struct dnscache *cache, const struct dnsname *name, struct fetch_name *out)
{
    int64_t left = name->expires - clock_mono(cache->clock);

    *out = (struct fetch_name){.name = {name->name, name->len},
                               .naddresses = name->naddresses,
                               .failure = (enum fetch_name_failure)name->failure,
                               .failures = name->failures};
    if (name->naddresses)
        memcpy(out->addresses, name->addresses, name->naddresses * sizeof *name->addresses);
    out->expires_wall = name->expires ? clock_wall(cache->clock) + left : INT64_MAX;
}

void dnscache_load(struct dnscache *cache, const struct fetch_name *known)
{
    int64_t left = known->expires_wall - clock_wall(cache->clock);
    struct dnsname *name;

    if (left <= 0 || known->name.len == 0 || known->name.len > DNSCACHE_NAME_MAX ||
        known->naddresses > FETCH_ADDRESSES_MAX || (known->failure == FETCH_NAME_OK) != (known->naddresses > 0))
        return;
    name = dnscache_get(cache, known->name);
    if (!name || !set_addresses(name, known->addresses, known->naddresses))
        return;
    name->failure = (uint8_t)known->failure;
    name->failures = (uint8_t)(known->failures < FAILED_DOUBLINGS ? known->failures : FAILED_DOUBLINGS);
    name->expires = clock_mono(cache->clock) + (left < TTL_MAX * SECOND ? left : TTL_MAX * SECOND);
}
