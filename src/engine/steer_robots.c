/* The part of steer that queues robots.txt files, sitemaps and what they list, and requisites. */
#include "engine/steer_parts.h"

#include "base/hash.h"

#include <math.h>

/* In a candidate's own bytes: the host that it speaks for, then these. */
enum { OWN_LEVEL = sizeof(uint32_t), OWN_SECURE };

static scent_status intern_url(struct steer *steer, const struct url *url, const struct candidate *candidate,
                               struct rows *rows, uint32_t *id, bool *is_new)
{
    uint64_t fingerprint = url_fingerprint(url->href, steer->key);

    return admit_intern(steer, url, frontier_identity(fingerprint, candidate->flags, candidate->own, steer->key), false,
                        rows, id, is_new);
}

/* ---- robots.txt ---- */

static uint32_t speaks_for(const struct candidate *candidate)
{
    uint32_t host;

    memcpy(&host, candidate->own, sizeof host);
    return host;
}

struct politeness_origin steer_robots_origin(const struct candidate *candidate)
{
    return (struct politeness_origin){.host = speaks_for(candidate), .secure = candidate->own[OWN_SECURE]};
}

scent_status steer_ask_robots(struct steer *steer, const struct url *url, struct politeness_origin origin,
                              const struct candidate *visitor, uint8_t redirects, struct rows *rows, bool *queued)
{
    struct candidate candidate = {
        .priority = (float)INFINITY,
        .depth = visitor->depth,
        .off_domain = visitor->off_domain,
        .redirects = redirects,
        .flags = (uint8_t)(CANDIDATE_ROBOTS | (visitor->flags & CANDIDATE_REQUISITE)),
    };
    uint32_t id, host;
    bool is_new;

    memcpy(candidate.own, &origin.host, sizeof origin.host);
    candidate.own[OWN_SECURE] = origin.secure;
    SCENT_TRY(intern_url(steer, url, &candidate, rows, &id, &is_new));
    *queued = frontier_state(steer->frontier, id) != FRONTIER_IN_FLIGHT;
    if (!*queued || frontier_state(steer->frontier, id) == FRONTIER_QUEUED)
        return SCENT_OK;
    if (frontier_state(steer->frontier, id) == FRONTIER_DONE) { /* of yesterday, or of a redirect that came before */
        frontier_reopen(steer->frontier, id);
        steer->reopened++;
    }
    SCENT_TRY(admit_host(steer, url, rows, &host));
    SCENT_TRY(frontier_queue(steer->frontier, id, url->href, host, &candidate));
    admit_note(steer, id, is_new, host, url, STORE_NO_PARENT, &candidate, NULL, NULL, rows);
    return SCENT_OK;
}

/* ---- sitemaps ---- */

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
    else if (row->priority == (float)-INFINITY && !(row->flags & CANDIDATE_REQUISITE))
        count_listed(steer, frontier_host_name(steer->frontier, row->host), 0);
}

/* Why it is not asked for; NULL: it is. */
static const char *keep_out(struct steer *steer, uint32_t id, uint32_t host, uint32_t for_host)
{
    const struct hosts_entry *entry = hosts_get(steer->hosts, host);
    enum frontier_state state = frontier_state(steer->frontier, id);

    if (entry->purged)
        return "purged";
    if (!entry->allowed)
        return "not on loopback";
    if (state != FRONTIER_SEEN)
        return "it is known";
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

    memcpy(candidate.own, &sitemap->host, sizeof sitemap->host);
    candidate.own[OWN_LEVEL] = sitemap->level;
    SCENT_TRY(intern_url(steer, url, &candidate, rows, &id, &is_new));
    SCENT_TRY(admit_host(steer, url, rows, &host));
    refused = keep_out(steer, id, host, sitemap->host);
    if (!refused)
        SCENT_TRY(frontier_queue(steer->frontier, id, url->href, host, &candidate));
    admit_note(steer, id, is_new, host, url, sitemap->found_on, &candidate, NULL, refused, rows);
    return SCENT_OK;
}

struct steer_sitemap steer_sitemap_of(const struct steer_visit *visit)
{
    return (struct steer_sitemap){
        .host = speaks_for(&visit->candidate),
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
    status = admit_intern(steer, url, url_fingerprint(url->href, steer->key), true, rows, &id, &is_new);
    if (status != SCENT_OK || id == STRATEGY_UNKNOWN || frontier_state(steer->frontier, id) != FRONTIER_SEEN)
        return status;
    return admit_enter(steer, id, is_new, url, visit->id, NULL, &candidate, NULL, rows, &refused);
}

/* ---- requisites ---- */

enum { OWN_KIND }; /* in the own bytes of a requisite */

scent_status steer_ask_requisite(struct steer *steer, const struct url *url, const struct steer_requisite *requisite,
                                 struct rows *rows, uint32_t *id, bool *is_new, bool *queued)
{
    struct candidate candidate = {
        .priority = requisite->first ? STEER_RAISED_PRIORITY : STEER_REQUISITE_PRIORITY,
        .depth = requisite->level,
        .redirects = requisite->redirects,
        .flags = CANDIDATE_REQUISITE,
    };
    uint64_t fingerprint = url_fingerprint(url->href, steer->key);
    const struct hosts_entry *entry;
    const char *refused;
    uint32_t host;

    candidate.own[OWN_KIND] = requisite->kind;
    *queued = *is_new = false;
    fingerprint = frontier_identity(fingerprint, candidate.flags, candidate.own, steer->key);
    if (frontier_find(steer->frontier, fingerprint, id) && frontier_state(steer->frontier, *id) != FRONTIER_SEEN)
        return SCENT_OK;
    SCENT_TRY(admit_host(steer, url, rows, &host));
    SCENT_TRY(frontier_intern(steer->frontier, fingerprint, id, is_new));
    entry = hosts_get(steer->hosts, host);
    refused = entry->purged ? "purged" : entry->allowed ? NULL : "not on loopback";
    if (!refused)
        SCENT_TRY(frontier_queue(steer->frontier, *id, url->href, host, &candidate));
    *queued = !refused;
    admit_note(steer, *id, *is_new, host, url, requisite->found_on, &candidate, NULL, refused, rows);
    return SCENT_OK;
}

struct steer_requisite steer_requisite_of(const struct steer_visit *visit)
{
    return (struct steer_requisite){
        .found_on = visit->id,
        .level = (uint8_t)visit->candidate.depth,
        .redirects = visit->candidate.redirects,
        .kind = visit->candidate.own[OWN_KIND],
        .first = visit->candidate.priority > 0,
    };
}

static void raise_candidate(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    (void)ctx;
    (void)id;
    *changed = candidate_is_requisite(candidate) && candidate->priority < 0;
    if (*changed)
        candidate->priority = STEER_RAISED_PRIORITY;
}

void steer_raise_requisites(struct steer *steer)
{
    frontier_each(steer->frontier, raise_candidate, NULL);
}
