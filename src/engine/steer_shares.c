/* The part of steer that divides hosts among workers: partitions that come and go. */
#include "engine/steer_parts.h"

#include "base/vec.h"
#include "url/url_trap.h"

#include <stdlib.h>

uint32_t steer_part(const struct steer *steer, uint32_t host)
{
    return steer->shared_hosts[host].part;
}

struct steer_place steer_place_of(const struct steer *steer, uint32_t id)
{
    const struct steer_url *url = &steer->shared_urls[id];

    return (struct steer_place){url->fingerprint, url->host, steer_part(steer, url->host)};
}

void steer_hold_shares(struct steer *steer)
{
    for (uint32_t host = 0; host < frontier_hosts(steer->frontier); host++) {
        struct steer_host *entry = &steer->shared_hosts[host];
        bool held = steer->shares->mine[entry->part] && !steer->shares->live[entry->part];

        if (held && !entry->held)
            frontier_hold(steer->frontier, host);
        if (!held && entry->held)
            frontier_release(steer->frontier, host);
        entry->held = held;
    }
}

void steer_give_up(struct steer *steer, uint32_t id)
{
    steer->shared_urls[id].sent = true;
}

void steer_send_back(struct steer *steer, const struct steer_visit *visit, const struct url *url, struct rows *rows)
{
    admit_send(steer, visit->id, visit->host, url, &visit->candidate, rows);
}

void steer_take_back(struct steer *steer, uint32_t id)
{
    struct steer_url *url = steer->shares ? &steer->shared_urls[id] : NULL;

    if (!url || !url->sent || !steer->shares->mine[steer_part(steer, url->host)])
        return;
    url->sent = false;
    if (frontier_state(steer->frontier, id) == FRONTIER_DONE)
        frontier_reopen(steer->frontier, id);
}

void steer_reclaim(struct steer *steer)
{
    for (uint32_t id = 0; id < frontier_known(steer->frontier); id++)
        steer_take_back(steer, id);
}

/* ---- leaving ---- */

struct leaving {
    struct steer *steer;
    uint32_t part;
    uint32_t *ids;
    size_t count, room;
    bool failed;
};

static void collect(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    struct leaving *leaving = ctx;

    (void)candidate;
    *changed = false;
    if (leaving->failed || steer_place_of(leaving->steer, id).part != leaving->part)
        return;
    if (vec_reserve(&leaving->ids, &leaving->room, leaving->count + 1, sizeof *leaving->ids))
        leaving->ids[leaving->count++] = id;
    else
        leaving->failed = true;
}

scent_status steer_leave(struct steer *steer, uint32_t part, struct rows *rows, void (*lose)(void *ctx, uint32_t id),
                         void *ctx)
{
    struct leaving leaving = {.steer = steer, .part = part};

    frontier_each(steer->frontier, collect, &leaving);
    for (size_t i = 0; i < leaving.count && !leaving.failed; i++) {
        uint32_t id = leaving.ids[i];
        struct candidate candidate;
        struct store_url row;

        SCENT_BUG_IF(!frontier_get(steer->frontier, id, &candidate));
        frontier_drop(steer->frontier, id);
        steer->shared_urls[id].sent = !(candidate.flags & CANDIDATE_AGAIN);
        if (candidate.flags & CANDIDATE_AGAIN) {
            lose(ctx, id);
            continue; /* its row says that it was fetched */
        }
        row = admit_row(id, steer_place_of(steer, id).host, STR_NONE, &candidate, STORE_NO_PARENT, STEER_FOREIGN);
        ROWS_ADD(rows, changed, row);
    }
    free(leaving.ids);
    return leaving.failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- coming ---- */

static struct store_url row_of(const struct batch_url *url, uint32_t id, uint32_t host)
{
    struct store_url row = {
        .id = id,
        .host = host,
        .url = url->url,
        .state = (enum store_url_state)url->state,
        .priority = url->seed                                 ? (float)INFINITY
                    : url->priority <= STEER_SITEMAP_PRIORITY ? (float)-INFINITY
                                                              : url->priority,
        .depth = url->depth,
        .off_domain = url->off_domain,
        .redirects = url->redirects,
        .tries = url->tries,
        .flags = url->seed ? CANDIDATE_SEED : 0,
        .parent = STORE_NO_PARENT,
        .error = url->error,
    };

    memcpy(row.own, url->own, sizeof row.own);
    return row;
}

/* The frontier gets into the state of the row; false: it cannot. */
static scent_status follow_state(struct steer *steer, const struct store_url *row, enum frontier_state now,
                                 struct str text, bool *followed)
{
    struct candidate candidate = steer_candidate_of_row(row);

    *followed = true;
    if (row->state == STORE_QUEUED) {
        if (now == FRONTIER_QUEUED) {
            frontier_update(steer->frontier, row->id, &candidate);
            return SCENT_OK;
        }
        *followed = text.len > 0;
        if (!*followed)
            return SCENT_OK;
        if (now == FRONTIER_DONE)
            frontier_reopen(steer->frontier, row->id);
        return frontier_queue(steer->frontier, row->id, text, row->host, &candidate);
    }
    if (now == FRONTIER_QUEUED)
        frontier_drop(steer->frontier, row->id);
    if (row->state == STORE_SEEN && now != FRONTIER_SEEN)
        frontier_reopen(steer->frontier, row->id);
    if (row->state != STORE_SEEN && now == FRONTIER_SEEN)
        frontier_mark_done(steer->frontier, row->id);
    return SCENT_OK;
}

/* The id of the URL of a record, and its text where it has one. STRATEGY_UNKNOWN: it is none of ours. */
static scent_status find_imported(struct steer *steer, const struct batch_url *url, struct rows *rows, uint32_t *id,
                                  bool *is_new, struct str *text)
{
    struct url parsed;
    uint32_t host;

    *is_new = false;
    *text = STR_NONE;
    if (!url->url.len) {
        if (!frontier_find(steer->frontier, url->fingerprint, id))
            *id = STRATEGY_UNKNOWN;
        return SCENT_OK;
    }
    *id = STRATEGY_UNKNOWN;
    if (url_parse(rows->arena, url->url, NULL, &parsed) != SCENT_OK ||
        url_fingerprint(parsed.href, steer->key) != url->fingerprint)
        return SCENT_OK;
    SCENT_TRY(admit_host(steer, &parsed, rows, &host));
    if (admit_is_foreign(steer, host))
        return SCENT_OK;
    *text = parsed.href;
    return admit_intern(steer, &parsed, url->fingerprint, false, rows, id, is_new);
}

scent_status steer_import(struct steer *steer, const struct batch_url *url, struct rows *rows)
{
    enum frontier_state now;
    struct store_url row;
    struct str text;
    uint32_t id;
    bool is_new, followed;

    SCENT_TRY(find_imported(steer, url, rows, &id, &is_new, &text));
    if (id == STRATEGY_UNKNOWN || url->state == STORE_PURGED)
        return SCENT_OK;
    steer_take_back(steer, id);
    now = frontier_state(steer->frontier, id);
    row = row_of(url, id, steer_place_of(steer, id).host);
    row.url = text;
    if (now == FRONTIER_IN_FLIGHT || admit_is_foreign(steer, row.host))
        return SCENT_OK;
    SCENT_TRY(follow_state(steer, &row, now, text, &followed));
    if (!followed)
        return SCENT_OK;
    if (url->seed)
        hosts_mark_seed(steer->hosts, row.host);
    if (row.state != STORE_SEEN && now == FRONTIER_SEEN && text.len) {
        struct url parsed;

        if (url_parse(rows->arena, text, NULL, &parsed) == SCENT_OK)
            caps_take(&steer->caps, url_pattern(&parsed, steer->key), 0);
    }
    if (row.state == STORE_FETCHED && now != FRONTIER_DONE)
        hosts_count_page(steer->hosts, row.host);
    /* Its page lies in the directory of who fetched it. */
    if (row.state == STORE_FETCHED || row.state == STORE_REDIRECTED)
        row.error = STR(STEER_VISITED);
    if (is_new)
        ROWS_ADD(rows, added, row);
    else
        ROWS_ADD(rows, changed, row);
    return SCENT_OK;
}

scent_status steer_import_host(struct steer *steer, struct str name, struct rows *rows, uint32_t *host)
{
    struct str text = arena_printf(rows->arena, "http://%.*s/", STR_ARG(name));
    struct url url;

    *host = FRONTIER_UNKNOWN;
    if (!text.p)
        return SCENT_E_NOMEM;
    if (url_parse(rows->arena, text, NULL, &url) != SCENT_OK || !str_eq(url_server(&url), name))
        return SCENT_OK;
    return admit_host(steer, &url, rows, host);
}
