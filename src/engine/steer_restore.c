#include "engine/steer_parts.h"

#include "url/url_pattern.h"

#include <math.h>

scent_status steer_restore_host(struct steer *steer, const struct store_host *row)
{
    uint32_t host;
    bool is_new;
    scent_status status = frontier_host(steer->frontier, row->name, &host, &is_new);

    if (status != SCENT_OK)
        return status;
    if (host != row->id || !is_new)
        return SCENT_E_FORMAT;
    status = admit_add_host(steer, row->id, row->name);
    return status == SCENT_OK && row->purged ? hosts_mark_purged(steer->hosts, row->id, row->purged) : status;
}

struct candidate steer_candidate_of_row(const struct store_url *row)
{
    struct candidate candidate = {
        .priority = row->priority,
        .depth = row->depth,
        .off_domain = row->off_domain,
        .redirects = row->redirects,
        .tries = row->tries,
        .flags = row->flags,
    };

    if (row->flags & CANDIDATE_SEED)
        candidate.priority = STEER_SEED_PRIORITY;
    else if (row->priority == (float)-INFINITY)
        candidate.priority = row->flags & CANDIDATE_SITEMAP ? STEER_SITEMAP_PRIORITY : STEER_LISTED_PRIORITY;
    memcpy(candidate.own, row->own, sizeof candidate.own);
    return candidate;
}

static uint64_t known_by(const struct store_url *row, uint64_t key)
{
    return frontier_identity(url_fingerprint(row->url, key), row->flags, row->own, key);
}

static scent_status find_pattern(struct steer *steer, struct str href, uint64_t *pattern)
{
    struct url url;
    scent_status status;

    arena_reset(&steer->scratch);
    status = url_parse(&steer->scratch, href, NULL, &url);
    if (status != SCENT_OK)
        return status;
    *pattern = url_pattern(&url, steer->key);
    caps_expect(&steer->caps, *pattern);
    return SCENT_OK;
}

scent_status steer_restore_url(struct steer *steer, const struct store_url *row, struct errmsg *err)
{
    struct candidate candidate = steer_candidate_of_row(row);
    uint64_t fingerprint = row->state == STORE_PURGED ? row->purged : known_by(row, steer->key);
    bool counts = row->state != STORE_SEEN && row->state != STORE_PURGED, is_new;
    scent_status status = SCENT_OK;
    uint64_t pattern = 0;
    uint32_t id;

    /* What is far away in memory comes while we work on the next thing: ten million rows wait for it else. */
    frontier_expect(steer->frontier, fingerprint);
    if (counts)
        status = find_pattern(steer, row->url, &pattern);
    if (status == SCENT_OK)
        status = frontier_intern(steer->frontier, fingerprint, &id, &is_new);
    if (status != SCENT_OK)
        return status;
    if (id != row->id || !is_new)
        return errmsg_fail(err, SCENT_E_FORMAT, "url row %u of crawl.db does not fit the rows before it", row->id + 1);
    if (row->flags & CANDIDATE_SEED)
        hosts_mark_seed(steer->hosts, row->host);
    steer_recount_sitemaps(steer, row);
    if (counts)
        caps_take(&steer->caps, pattern, 0);
    if (row->state == STORE_QUEUED)
        return frontier_queue(steer->frontier, id, steer->keeps_texts ? row->url : STR_NONE, row->host, &candidate);
    if (row->state != STORE_SEEN)
        frontier_mark_done(steer->frontier, id);
    return SCENT_OK;
}

/* ---- pages that are visited again ---- */

uint32_t steer_host_pages(const struct steer *steer, uint32_t host)
{
    return hosts_get(steer->hosts, host)->pages;
}

static bool is_wanted(struct steer *steer, const struct store_url *row)
{
    const struct hosts_entry *host = hosts_get(steer->hosts, row->host);
    struct url url;

    arena_reset(&steer->scratch);
    return row->state == STORE_FETCHED && host->allowed && !host->purged &&
           url_parse(&steer->scratch, row->url, NULL, &url) == SCENT_OK &&
           scope_check(&steer->topic->scope, &url) == SCOPE_IN;
}

scent_status steer_again(struct steer *steer, const struct store_url *row, double relevance, bool *queued)
{
    struct candidate candidate = steer_candidate_of_row(row);
    float share = relevance > 0 ? (float)(relevance < 1 ? relevance : 1) : 0;
    scent_status status;

    *queued = frontier_state(steer->frontier, row->id) == FRONTIER_DONE && is_wanted(steer, row);
    if (!*queued)
        return SCENT_OK;
    candidate.flags |= CANDIDATE_AGAIN;
    candidate.tries = 0;
    candidate.priority = STEER_AGAIN_PRIORITY / 2 * (1 + share);
    frontier_reopen(steer->frontier, row->id);
    status = frontier_queue(steer->frontier, row->id, row->url, row->host, &candidate);
    if (status != SCENT_OK)
        frontier_mark_done(steer->frontier, row->id);
    return status;
}
