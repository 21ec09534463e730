/* hosts - what a crawl knows of each host beyond its queue: its registered domain, whether it may be visited, how many
 * pages it has given, how many URLs of its domain are known. 12 bytes a host, 36 a domain. Indexed by the frontier's
 * host ids. */
#ifndef SCENT_ENGINE_HOSTS_H
#define SCENT_ENGINE_HOSTS_H

#include "base/map.h"
#include "base/str.h"

/* Dense numbers for things that are known by a 64-bit hash: registered domains, IP addresses. 20 to 36 bytes each. */
struct numbering {
    uint64_t *keys; /* by number */
    size_t room;
    struct map map;
};
void numbering_init(struct numbering *numbering);
void numbering_release(struct numbering *numbering);
/* The number of `key`: 0, 1, … in the order in which they were first asked for. On error nothing changes. */
SCENT_NODISCARD scent_status numbering_find(struct numbering *numbering, uint64_t key, uint32_t *number);

struct hosts_entry {
    uint32_t pages;
    uint32_t domain;
    bool allowed;
    bool purged;
    bool blocked; /* the user does not want it any more */
};

struct hosts;
/* With `loopback_only` no other host is allowed: it is not even looked up. */
struct hosts *hosts_new(bool loopback_only); /* never NULL */
void hosts_free(struct hosts *hosts);

/* `id` is the next unused one; `name` may carry a port. */
SCENT_NODISCARD scent_status hosts_add(struct hosts *hosts, uint32_t id, struct str name);
/* The host was purged: `hash` (not 0) is all that is left of its name, and it is never visited again. */
SCENT_NODISCARD scent_status hosts_mark_purged(struct hosts *hosts, uint32_t id, uint64_t hash);
/* The purged host whose name had this hash; false: none. Cheap where nothing was purged. */
bool hosts_find_purged(const struct hosts *hosts, uint64_t hash, uint32_t *id);
bool hosts_any_purged(const struct hosts *hosts);
/* The domain of this host is a seed's from now on, for all hosts on it. Said before links are followed. */
void hosts_mark_seed(struct hosts *hosts, uint32_t id);
void hosts_set_blocked(struct hosts *hosts, uint32_t id, bool blocked);
const struct hosts_entry *hosts_get(const struct hosts *hosts, uint32_t id);
void hosts_count_page(struct hosts *hosts, uint32_t id);
uint32_t hosts_domain_pages(const struct hosts *hosts, uint32_t id);
/* A URL of this host has become known. */
void hosts_count_url(struct hosts *hosts, uint32_t id);
/* The domain of a host that need not be known; false: no host of the domain is. */
bool hosts_find_domain(struct hosts *hosts, struct str name, uint32_t *domain);
/* Whether one more URL of it may become known: `base` may, and more with each page that it gave. A site with pages is
 * not cut short, and who makes up URLs without end has to give a page for every few of them. */
enum { HOSTS_URLS_PER_PAGE = 500 };
bool hosts_domain_has_room(const struct hosts *hosts, uint32_t domain, uint64_t base);
bool hosts_on_seed_domain(const struct hosts *hosts, uint32_t id);

#endif
