#include "engine/hosts.h"

#include "base/hash.h"
#include "base/vec.h"
#include "url/url.h"

#include <stdlib.h>

/* ---- numbers ---- */

void numbering_init(struct numbering *numbering)
{
    *numbering = (struct numbering){0};
}

void numbering_release(struct numbering *numbering)
{
    free(numbering->keys);
    map_release(&numbering->map);
    numbering_init(numbering);
}

/* false: nobody has asked for it */
static bool numbering_get(const struct numbering *numbering, uint64_t key, uint32_t *number)
{
    struct map_walk walk = map_find(&numbering->map, key);

    while (map_next(&walk))
        if (numbering->keys[walk.value] == key) {
            *number = walk.value;
            return true;
        }
    return false;
}

scent_status numbering_find(struct numbering *numbering, uint64_t key, uint32_t *number)
{
    uint32_t count = numbering->map.count;

    if (numbering_get(numbering, key, number))
        return SCENT_OK;
    if (!vec_reserve(&numbering->keys, &numbering->room, (size_t)count + 1, sizeof *numbering->keys))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&numbering->map, key, count));
    numbering->keys[count] = key;
    *number = count;
    return SCENT_OK;
}

/* ---- hosts ---- */

struct domain {
    uint32_t pages, urls;
    bool seed;
};

struct purged {
    uint64_t hash;
    uint32_t id;
};

struct hosts {
    struct hosts_entry *entries;
    struct domain *domains; /* by number */
    struct numbering numbers;
    uint32_t nentries, ndomains;
    size_t entry_room, domain_room;
    struct purged *purged; /* in order of id; few */
    uint32_t npurged;
    size_t purged_room;
    bool loopback_only;
    uint64_t last_host, last_domain; /* hashes: a host that is looked up is often added next, and the list is long */
};

struct hosts *hosts_new(bool loopback_only)
{
    struct hosts *hosts = calloc(1, sizeof *hosts);

    SCENT_BUG_IF(!hosts);
    numbering_init(&hosts->numbers);
    hosts->loopback_only = loopback_only;
    return hosts;
}

void hosts_free(struct hosts *hosts)
{
    if (!hosts)
        return;
    numbering_release(&hosts->numbers);
    free(hosts->entries);
    free(hosts->domains);
    free(hosts->purged);
    free(hosts);
}

static uint64_t domain_key(struct hosts *hosts, struct str host)
{
    uint64_t hash = hash_str(host, 0);

    if (hash != hosts->last_host) {
        hosts->last_host = hash;
        hosts->last_domain = hash_str(url_registered_domain(host), 0);
    }
    return hosts->last_domain;
}

static scent_status intern_domain(struct hosts *hosts, struct str host, uint32_t *number)
{
    scent_status status;

    if (!vec_reserve(&hosts->domains, &hosts->domain_room, hosts->ndomains + 1, sizeof *hosts->domains))
        return SCENT_E_NOMEM;
    status = numbering_find(&hosts->numbers, domain_key(hosts, host), number);
    if (status == SCENT_OK && *number == hosts->ndomains)
        hosts->domains[hosts->ndomains++] = (struct domain){0};
    return status;
}

scent_status hosts_add(struct hosts *hosts, uint32_t id, struct str name)
{
    struct str host = url_host_without_port(name);
    uint32_t domain;

    SCENT_BUG_IF(id != hosts->nentries);
    if (!vec_reserve(&hosts->entries, &hosts->entry_room, hosts->nentries + 1, sizeof *hosts->entries))
        return SCENT_E_NOMEM;
    SCENT_TRY(intern_domain(hosts, host, &domain));
    hosts->entries[hosts->nentries++] = (struct hosts_entry){
        .domain = domain,
        .allowed = !hosts->loopback_only || url_host_is_loopback(host),
    };
    return SCENT_OK;
}

void hosts_set_blocked(struct hosts *hosts, uint32_t id, bool blocked)
{
    hosts->entries[id].blocked = blocked;
}

const struct hosts_entry *hosts_get(const struct hosts *hosts, uint32_t id)
{
    SCENT_BUG_IF(id >= hosts->nentries);
    return &hosts->entries[id];
}

void hosts_mark_seed(struct hosts *hosts, uint32_t id)
{
    hosts->domains[hosts_get(hosts, id)->domain].seed = true;
}

bool hosts_on_seed_domain(const struct hosts *hosts, uint32_t id)
{
    return hosts->domains[hosts_get(hosts, id)->domain].seed;
}

void hosts_count_page(struct hosts *hosts, uint32_t id)
{
    SCENT_BUG_IF(id >= hosts->nentries);
    hosts->entries[id].pages++;
    hosts->domains[hosts->entries[id].domain].pages++;
}

uint32_t hosts_domain_pages(const struct hosts *hosts, uint32_t id)
{
    return hosts->domains[hosts_get(hosts, id)->domain].pages;
}

void hosts_count_url(struct hosts *hosts, uint32_t id)
{
    hosts->domains[hosts_get(hosts, id)->domain].urls++;
}

bool hosts_find_domain(struct hosts *hosts, struct str name, uint32_t *domain)
{
    return numbering_get(&hosts->numbers, domain_key(hosts, url_host_without_port(name)), domain);
}

bool hosts_domain_has_room(const struct hosts *hosts, uint32_t domain, uint64_t base)
{
    const struct domain *known = &hosts->domains[domain];

    return known->urls < base + (uint64_t)HOSTS_URLS_PER_PAGE * known->pages;
}

scent_status hosts_mark_purged(struct hosts *hosts, uint32_t id, uint64_t hash)
{
    SCENT_BUG_IF(id >= hosts->nentries || hash == 0);
    if (!vec_reserve(&hosts->purged, &hosts->purged_room, hosts->npurged + 1, sizeof *hosts->purged))
        return SCENT_E_NOMEM;
    hosts->purged[hosts->npurged++] = (struct purged){hash, id};
    hosts->entries[id].purged = true;
    return SCENT_OK;
}

bool hosts_any_purged(const struct hosts *hosts)
{
    return hosts->npurged != 0;
}

bool hosts_find_purged(const struct hosts *hosts, uint64_t hash, uint32_t *id)
{
    for (uint32_t i = 0; i < hosts->npurged; i++)
        if (hosts->purged[i].hash == hash) {
            *id = hosts->purged[i].id;
            return true;
        }
    return false;
}
