#include "engine/hosts.h"

#include "base/hash.h"
#include "url/url.h"

#include <stdlib.h>

struct domain {
    uint64_t hash;
    uint32_t pages;
    bool seed;
};

struct purged {
    uint64_t hash;
    uint32_t id;
};

struct hosts {
    struct hosts_entry *entries;
    struct domain *domains;
    uint32_t *slots; /* domain index + 1, by hash; 0 is empty */
    uint32_t nentries, entry_room, ndomains, domain_room, nslots;
    struct purged *purged; /* in order of id; few */
    uint32_t npurged, purged_room;
    bool loopback_only;
};

struct hosts *hosts_new(bool loopback_only)
{
    struct hosts *hosts = calloc(1, sizeof *hosts);

    SCENT_BUG_IF(!hosts);
    hosts->loopback_only = loopback_only;
    return hosts;
}

void hosts_free(struct hosts *hosts)
{
    if (!hosts)
        return;
    free(hosts->entries);
    free(hosts->domains);
    free(hosts->slots);
    free(hosts->purged);
    free(hosts);
}

static struct str without_port(struct str name)
{
    size_t end = name.len;

    while (end && ascii_is_digit(name.p[end - 1]))
        end--;
    /* "[::1]" ends in a bracket, so that a colon before digits is always a port. */
    return end && end < name.len && name.p[end - 1] == ':' ? str_sub(name, 0, end - 1) : name;
}

static void insert_slot(struct hosts *hosts, uint32_t index)
{
    uint32_t mask = hosts->nslots - 1, i = (uint32_t)hosts->domains[index].hash & mask;

    while (hosts->slots[i])
        i = (i + 1) & mask;
    hosts->slots[i] = index + 1;
}

static bool grow_slots(struct hosts *hosts)
{
    uint32_t nslots = hosts->nslots ? hosts->nslots * 2 : 64;
    uint32_t *slots = calloc(nslots, sizeof *slots);

    if (!slots)
        return false;
    free(hosts->slots);
    hosts->slots = slots;
    hosts->nslots = nslots;
    for (uint32_t i = 0; i < hosts->ndomains; i++)
        insert_slot(hosts, i);
    return true;
}

/* Doubles an array that is full. */
static bool make_room(void *items, uint32_t count, uint32_t *room, size_t size)
{
    uint32_t more = *room ? *room * 2 : 64;
    void *grown;

    if (count < *room)
        return true;
    grown = realloc(*(void **)items, more * size);
    if (!grown)
        return false;
    *(void **)items = grown;
    *room = more;
    return true;
}

static bool find_domain(const struct hosts *hosts, uint64_t hash, uint32_t *index)
{
    uint32_t mask = hosts->nslots - 1;

    for (uint32_t i = (uint32_t)hash & mask; hosts->nslots && hosts->slots[i]; i = (i + 1) & mask) {
        *index = hosts->slots[i] - 1;
        if (hosts->domains[*index].hash == hash)
            return true;
    }
    return false;
}

static scent_status intern_domain(struct hosts *hosts, struct str domain, uint32_t *index)
{
    uint64_t hash = hash_str(domain, 0);

    if (find_domain(hosts, hash, index))
        return SCENT_OK;
    if ((hosts->ndomains + 1) * 2 > hosts->nslots && !grow_slots(hosts))
        return SCENT_E_NOMEM;
    if (!make_room(&hosts->domains, hosts->ndomains, &hosts->domain_room, sizeof *hosts->domains))
        return SCENT_E_NOMEM;
    *index = hosts->ndomains++;
    hosts->domains[*index] = (struct domain){.hash = hash};
    insert_slot(hosts, *index);
    return SCENT_OK;
}

scent_status hosts_add(struct hosts *hosts, uint32_t id, struct str name)
{
    struct str host = without_port(name);
    uint32_t domain;
    scent_status status;

    SCENT_BUG_IF(id != hosts->nentries);
    if (!make_room(&hosts->entries, hosts->nentries, &hosts->entry_room, sizeof *hosts->entries))
        return SCENT_E_NOMEM;
    status = intern_domain(hosts, url_registered_domain(host), &domain);
    if (status != SCENT_OK)
        return status;
    hosts->entries[hosts->nentries++] = (struct hosts_entry){
        .domain = domain,
        .allowed = !hosts->loopback_only || url_host_is_loopback(host),
    };
    return SCENT_OK;
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

scent_status hosts_mark_purged(struct hosts *hosts, uint32_t id, uint64_t hash)
{
    SCENT_BUG_IF(id >= hosts->nentries || hash == 0);
    if (!make_room(&hosts->purged, hosts->npurged, &hosts->purged_room, sizeof *hosts->purged))
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
