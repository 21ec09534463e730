/* admit - every rule that keeps a URL out of the queue, with the word that the store keeps for it. */
#include "engine/steer_parts.h"

#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "url/url_trap.h"

#include <math.h>
#include <stdlib.h>

/* Is this the name of a blocked host, or of one below it? `name` may carry a port. */
static bool is_blocked(const struct steer *steer, struct str name)
{
    name = url_host_without_port(name);
    for (size_t i = 0; i < steer->nblocked; i++) {
        struct str blocked = str_of(steer->blocked[i]);

        if (str_ends(name, blocked) && (name.len == blocked.len || name.p[name.len - blocked.len - 1] == '.'))
            return true;
    }
    return false;
}

scent_status admit_add_host(struct steer *steer, uint32_t host, struct str name)
{
    SCENT_TRY(hosts_add(steer->hosts, host, name));
    hosts_set_blocked(steer->hosts, host, steer->nblocked && is_blocked(steer, name));
    if (steer->shares) {
        struct steer_host entry = {.part = shares_part(steer->shares, name)};

        if (!vec_reserve(&steer->shared_hosts, &steer->shared_hosts_room, host + 1u, sizeof entry))
            return SCENT_E_NOMEM;
        entry.held = steer->shares->mine[entry.part] && !steer->shares->live[entry.part];
        steer->shared_hosts[host] = entry;
        if (entry.held)
            frontier_hold(steer->frontier, host);
    }
    return frontier_set_domain(steer->frontier, host, hosts_get(steer->hosts, host)->domain);
}

scent_status admit_know(struct steer *steer, uint32_t id, uint64_t fingerprint, uint32_t host)
{
    if (!steer->shares)
        return SCENT_OK;
    if (!vec_reserve(&steer->shared_urls, &steer->shared_urls_room, id + 1u, sizeof *steer->shared_urls))
        return SCENT_E_NOMEM;
    steer->shared_urls[id] = (struct steer_url){fingerprint, host, false};
    return SCENT_OK;
}

bool admit_is_foreign(const struct steer *steer, uint32_t host)
{
    return steer->shares && !steer->shares->mine[steer->shared_hosts[host].part];
}

scent_status admit_host(struct steer *steer, const struct url *url, struct rows *rows, uint32_t *host)
{
    struct str name = url_server(url); /* politeness knows a server by name and port */
    bool is_new;
    scent_status status;

    if (hosts_any_purged(steer->hosts) && hosts_find_purged(steer->hosts, url_fingerprint(name, steer->key), host))
        return SCENT_OK;
    status = frontier_host(steer->frontier, name, host, &is_new);
    if (status != SCENT_OK || !is_new)
        return status;
    if (rows)
        ROWS_ADD(rows, hosts, ((struct rows_host){*host, name}));
    return admit_add_host(steer, *host, name);
}

/* What nobody knows costs nothing: the limit holds before a URL or a host gets an id. */
static bool has_room(const struct steer *steer, const struct url *url)
{
    uint64_t limit = steer->topic->limits.urls_per_domain;
    uint32_t host, domain;

    if (!limit)
        return true;
    if (frontier_find_host(steer->frontier, url_server(url), &host))
        domain = hosts_get(steer->hosts, host)->domain;
    else if (!hosts_find_domain(steer->hosts, url_server(url), &domain))
        return true;
    return hosts_domain_has_room(steer->hosts, domain, limit);
}

scent_status admit_intern(struct steer *steer, const struct url *url, uint64_t fingerprint, bool bounded,
                          struct rows *rows, uint32_t *id, bool *is_new)
{
    uint32_t host;

    *is_new = false;
    if (frontier_find(steer->frontier, fingerprint, id))
        return SCENT_OK;
    if (bounded && !has_room(steer, url)) {
        *id = STRATEGY_UNKNOWN;
        steer->left_out++;
        return SCENT_OK;
    }
    SCENT_TRY(admit_host(steer, url, rows, &host));
    SCENT_TRY(frontier_intern(steer->frontier, fingerprint, id, is_new));
    hosts_count_url(steer->hosts, host);
    return admit_know(steer, *id, fingerprint, host);
}

/* An endless part of a host: told by the URL itself, or by how many there are of its shape. The last thing that is
 * asked, since it counts. Nobody asks about seeds: they are what the user wants. */
static const char *find_trap(struct steer *steer, const struct url *url, uint64_t pattern)
{
    enum url_trap trap = url_trap(url, steer->year);

    if (trap != URL_TRAP_NONE)
        return url_trap_text(trap);
    return caps_take(&steer->caps, pattern, steer->topic->limits.per_pattern) ? NULL : "too many URLs of this shape";
}

/* Why a URL stays out of the queue; NULL when it may enter. Sets candidate->off_domain. Of a host of another worker
 * only that one knows whether a seed led to its domain. */
static const char *keep_out(const struct steer *steer, const struct url *url, uint32_t host, bool foreign,
                            struct candidate *candidate)
{
    const struct topic *topic = steer->topic;
    enum scope_verdict verdict = scope_check(&topic->scope, url);

    if (hosts_on_seed_domain(steer->hosts, host))
        candidate->off_domain = 0;
    else if (candidate->off_domain < UINT8_MAX)
        candidate->off_domain++;

    if (hosts_get(steer->hosts, host)->purged)
        return "purged";
    if (!hosts_get(steer->hosts, host)->allowed)
        return "not on loopback";
    if (hosts_get(steer->hosts, host)->blocked)
        return STEER_BLOCKED;
    if (verdict != SCOPE_IN)
        return scope_verdict_text(verdict);
    if (candidate->depth > topic->limits.depth)
        return "too deep";
    if (candidate->off_domain > topic->scope.hops_off_domain && !foreign)
        return "too far off the seeds' domains";
    if (candidate->redirects > STEER_MAX_REDIRECTS)
        return "too many redirects";
    return NULL;
}

float steer_shown_priority(const struct candidate *candidate)
{
    if (candidate->flags & CANDIDATE_SEED)
        return (float)INFINITY;
    if (candidate_is_requisite(candidate))
        return (float)-INFINITY;
    return candidate->priority <= STEER_SITEMAP_PRIORITY ? (float)-INFINITY : candidate->priority;
}

struct store_url admit_row(uint32_t id, uint32_t host, struct str href, const struct candidate *candidate,
                           uint32_t parent, const char *refused)
{
    struct store_url row = {
        .id = id,
        .host = host,
        .url = href,
        .state = refused ? STORE_SEEN : STORE_QUEUED,
        .priority = steer_shown_priority(candidate),
        .depth = candidate->depth,
        .off_domain = candidate->off_domain,
        .redirects = candidate->redirects,
        .tries = candidate->tries,
        .flags = candidate->flags,
        .parent = parent,
        .error = str_of(refused),
    };

    memcpy(row.own, candidate->own, sizeof row.own);
    return row;
}

/* A new URL on a purged host leaves its fingerprint alone. */
static void row_hide(struct store_url *row, uint64_t key)
{
    row->state = STORE_PURGED;
    row->purged = frontier_identity(url_fingerprint(row->url, key), row->flags, row->own, key);
    row->url = row->error = STR_NONE;
}

/* Names that are new are written with the first row that has them. */
struct str admit_parts(struct steer *steer, const struct strategy_score *score, struct rows *rows)
{
    size_t known = steer->names.count;
    struct rows_value value = {.name = CRAWLDIR_PARTS};
    struct buf names;
    struct str parts;

    if (!score || !score->nparts)
        return STR_NONE;
    parts = arena_str(rows->arena, parts_write(&steer->names, score));
    if (steer->names.count > known) {
        buf_init(&names, 0);
        parts_names_write(&steer->names, &names);
        value.value = arena_str(rows->arena, buf_str(&names));
        buf_release(&names);
        ROWS_ADD(rows, values, value);
    }
    rows->failed |= !parts.p || (steer->names.count > known && !value.value.p);
    return parts;
}

void admit_note(struct steer *steer, uint32_t id, bool is_new, uint32_t host, const struct url *url, uint32_t parent,
                const struct candidate *candidate, const struct strategy_score *score, const char *refused,
                struct rows *rows)
{
    struct store_url row = admit_row(id, host, url->href, candidate, parent, refused);

    if (!rows || (refused && !is_new))
        return;
    row.parts = admit_parts(steer, refused && !(score && score->drop) ? NULL : score, rows);
    if (hosts_get(steer->hosts, host)->purged)
        row_hide(&row, steer->key);
    if (is_new)
        ROWS_ADD(rows, added, row);
    else
        ROWS_ADD(rows, changed, row);
}

void admit_send(struct steer *steer, uint32_t id, uint32_t host, const struct url *url,
                const struct candidate *candidate, struct rows *rows)
{
    struct rows_sent sent = {
        .part = steer->shared_hosts[host].part,
        .link = {.priority = candidate->priority,
                 .depth = candidate->depth,
                 .off_domain = candidate->off_domain,
                 .redirects = candidate->redirects,
                 .seed = candidate->flags & CANDIDATE_SEED,
                 .url = url->href},
    };

    memcpy(sent.link.own, candidate->own, sizeof sent.link.own);
    ROWS_ADD(rows, sent, sent);
    steer->shared_urls[id].sent = true;
}

static scent_status enter(struct steer *steer, uint32_t id, bool is_new, const struct url *url, uint32_t parent,
                          const char *against, struct candidate *candidate, const struct strategy_score *score,
                          bool from_log, struct rows *rows, const char **refused)
{
    bool may_be_trap = steer->year && !candidate->flags;
    uint64_t pattern = may_be_trap ? url_pattern(url, steer->key) : 0;
    const struct candidate before = *candidate;
    uint32_t host;
    bool foreign;

    /* Its count is far away in memory: it comes while we look for the host. */
    if (may_be_trap)
        caps_expect(&steer->caps, pattern);
    SCENT_TRY(admit_host(steer, url, rows, &host));
    if (candidate->flags & CANDIDATE_SEED)
        hosts_mark_seed(steer->hosts, host);
    /* Until a partition is live nobody knows what its log says of the URL, and what is found is not written to it. */
    foreign = admit_is_foreign(steer, host) || (!from_log && steer->shared_hosts && steer->shared_hosts[host].held);
    *refused = keep_out(steer, url, host, foreign, candidate);
    if (!*refused)
        *refused = against;
    if (!*refused && foreign) {
        admit_send(steer, id, host, url, &before, rows);
        frontier_mark_done(steer->frontier, id);
        admit_note(steer, id, is_new, host, url, parent, candidate, score, STEER_FOREIGN, rows);
        return SCENT_OK;
    }
    if (!*refused && may_be_trap)
        *refused = find_trap(steer, url, pattern);
    if (!*refused)
        SCENT_TRY(frontier_queue(steer->frontier, id, url->href, host, candidate));
    admit_note(steer, id, is_new, host, url, parent, candidate, score, *refused, rows);
    return SCENT_OK;
}

scent_status admit_enter(struct steer *steer, uint32_t id, bool is_new, const struct url *url, uint32_t parent,
                         const char *against, struct candidate *candidate, const struct strategy_score *score,
                         struct rows *rows, const char **refused)
{
    return enter(steer, id, is_new, url, parent, against, candidate, score, false, rows, refused);
}

scent_status admit_arrived(struct steer *steer, uint32_t id, bool is_new, const struct url *url,
                           struct candidate *candidate, const struct strategy_score *score, struct rows *rows,
                           const char **refused)
{
    return enter(steer, id, is_new, url, STORE_NO_PARENT, NULL, candidate, score, true, rows, refused);
}

/* ---- blocked hosts ---- */

static void mark_blocked(struct steer *steer)
{
    for (uint32_t host = 0; host < frontier_hosts(steer->frontier); host++)
        hosts_set_blocked(steer->hosts, host, is_blocked(steer, frontier_host_name(steer->frontier, host)));
}

const char *steer_blocked(const struct steer *steer, size_t i)
{
    return i < steer->nblocked ? steer->blocked[i] : NULL;
}

bool steer_is_blocked(const struct steer *steer, uint32_t host)
{
    return hosts_get(steer->hosts, host)->blocked;
}

scent_status steer_block(struct steer *steer, struct str name)
{
    for (size_t i = 0; i < steer->nblocked; i++)
        if (str_eq(str_of(steer->blocked[i]), name))
            return SCENT_OK;
    if (steer->nblocked == STEER_BLOCKED_MAX)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&steer->blocked, &steer->blocked_room, steer->nblocked + 1, sizeof *steer->blocked) ||
        !(steer->blocked[steer->nblocked] = str_dup(name)))
        return SCENT_E_NOMEM;
    steer->nblocked++;
    mark_blocked(steer);
    return SCENT_OK;
}

bool steer_unblock(struct steer *steer, struct str name)
{
    for (size_t i = 0; i < steer->nblocked; i++)
        if (str_eq(str_of(steer->blocked[i]), name)) {
            free(steer->blocked[i]);
            steer->blocked[i] = steer->blocked[--steer->nblocked];
            mark_blocked(steer);
            return true;
        }
    return false;
}
