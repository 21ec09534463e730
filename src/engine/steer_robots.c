#include "engine/steer_parts.h"

#include "base/hash.h"

#include <math.h>

/* ---- robots.txt ---- */

uint32_t steer_robots_host(const struct candidate *candidate)
{
    uint32_t host;

    memcpy(&host, candidate->own, sizeof host);
    return host;
}

scent_status steer_ask_robots(struct steer *steer, const struct url *url, uint32_t for_host,
                              const struct candidate *visitor, uint8_t redirects, struct rows *rows,
                              const char **refused)
{
    struct candidate candidate = {
        .priority = (float)INFINITY,
        .depth = visitor->depth,
        .off_domain = visitor->off_domain,
        .redirects = redirects,
        .flags = CANDIDATE_ROBOTS,
    };
    uint32_t id, host;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, url_fingerprint(url->href, steer->key), &id, &is_new);

    *refused = redirects > STEER_MAX_REDIRECTS ? "too many redirects" : NULL;
    if (status != SCENT_OK || *refused)
        return status;
    memcpy(candidate.own, &for_host, sizeof for_host);
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_IN_FLIGHT:
        *refused = "it is being fetched already";
        return SCENT_OK;
    case FRONTIER_QUEUED: /* somebody linked to it */
        frontier_drop(steer->frontier, id);
        /* fall through */
    case FRONTIER_DONE:
        frontier_reopen(steer->frontier, id);
        break;
    case FRONTIER_SEEN:
        break;
    }
    status = admit_host(steer, url, rows, &host);
    if (status == SCENT_OK)
        status = frontier_queue(steer->frontier, id, url->href, host, &candidate);
    if (status == SCENT_OK)
        admit_note(steer, id, is_new, host, url, STORE_NO_PARENT, &candidate, NULL, rows);
    return status;
}

/* ---- sitemaps ---- */

enum { OWN_LEVEL = sizeof(uint32_t) }; /* behind the host, in the candidate's own bytes */

/* Sitemaps of a host, and what they list, are counted beside the shapes of its URLs. */
static uint64_t count_key(const struct steer *steer, struct str server, const char *what)
{
    return hash_str(server, steer->key ^ hash_str(str_of(what), 0));
}

static bool count_sitemap(struct steer *steer, uint32_t for_host, uint32_t limit)
{
    return caps_take(&steer->caps, count_key(steer, frontier_host_name(steer->frontier, for_host), "sitemaps"), limit);
}

static bool count_listed(struct steer *steer, struct str server, uint32_t limit)
{
    return caps_take(&steer->caps, count_key(steer, server, "listed"), limit);
}

void steer_recount_sitemaps(struct steer *steer, const struct store_url *row)
{
    uint32_t for_host;

    memcpy(&for_host, row->own, sizeof for_host);
    if (row->flags & CANDIDATE_SITEMAP && for_host < frontier_hosts(steer->frontier))
        count_sitemap(steer, for_host, 0);
    else if (row->priority == (float)-INFINITY)
        count_listed(steer, frontier_host_name(steer->frontier, row->host), 0);
}

/* Why it is not asked for; NULL: it is. */
static const char *keep_out(struct steer *steer, uint32_t id, uint32_t host, uint32_t for_host)
{
    const struct hosts_entry *entry = hosts_get(steer->hosts, host);
    enum frontier_state state = frontier_state(steer->frontier, id);
    struct candidate candidate;

    if (entry->purged)
        return "purged";
    if (!entry->allowed)
        return "not on loopback";
    if (state == FRONTIER_IN_FLIGHT || state == FRONTIER_DONE)
        return "it was visited";
    if (state == FRONTIER_QUEUED && frontier_get(steer->frontier, id, &candidate) && candidate.flags)
        return "it is asked for already";
    return count_sitemap(steer, for_host, STEER_SITEMAPS_PER_HOST) ? NULL : "too many sitemaps of the host";
}

scent_status steer_ask_sitemap(struct steer *steer, const struct url *url, const struct steer_sitemap *sitemap,
                               struct rows *rows)
{
    struct candidate candidate = {
        .priority = STEER_SITEMAP_PRIORITY,
        .depth = sitemap->depth,
        .off_domain = sitemap->off_domain,
        .redirects = sitemap->redirects,
        .flags = CANDIDATE_SITEMAP,
    };
    const char *refused;
    uint32_t id, host;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, url_fingerprint(url->href, steer->key), &id, &is_new);

    if (status == SCENT_OK)
        status = admit_host(steer, url, rows, &host);
    if (status != SCENT_OK)
        return status;
    memcpy(candidate.own, &sitemap->host, sizeof sitemap->host);
    candidate.own[OWN_LEVEL] = sitemap->level;
    refused = keep_out(steer, id, host, sitemap->host);
    if (!refused && frontier_state(steer->frontier, id) == FRONTIER_QUEUED) { /* a page links to it */
        frontier_drop(steer->frontier, id);
        frontier_reopen(steer->frontier, id);
    }
    if (!refused)
        status = frontier_queue(steer->frontier, id, url->href, host, &candidate);
    if (status == SCENT_OK)
        admit_note(steer, id, is_new, host, url, sitemap->found_on, &candidate, refused, rows);
    return status;
}

struct steer_sitemap steer_sitemap_of(const struct steer_visit *visit)
{
    return (struct steer_sitemap){
        .host = steer_robots_host(&visit->candidate),
        .found_on = visit->id,
        .depth = visit->candidate.depth,
        .off_domain = visit->candidate.off_domain,
        .redirects = visit->candidate.redirects,
        .level = visit->candidate.own[OWN_LEVEL],
    };
}

scent_status steer_list(struct steer *steer, const struct steer_visit *visit, const struct url *url, struct rows *rows)
{
    struct candidate candidate = {
        .priority = STEER_LISTED_PRIORITY,
        .depth = (uint16_t)(visit->candidate.depth + 1),
        .off_domain = visit->candidate.off_domain,
    };
    const char *refused;
    uint32_t id;
    bool is_new;
    scent_status status;

    if (!count_listed(steer, url_server(url), STEER_LISTED_PER_HOST))
        return SCENT_OK;
    status = frontier_intern(steer->frontier, url_fingerprint(url->href, steer->key), &id, &is_new);
    if (status != SCENT_OK || frontier_state(steer->frontier, id) != FRONTIER_SEEN)
        return status;
    return admit_enter(steer, id, is_new, url, visit->id, NULL, &candidate, rows, &refused);
}
