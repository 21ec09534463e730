#include "engine/steer.h"

#include "frontier/caps.h"
#include "url/pattern.h"
#include "url/trap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

_Static_assert((int)STRATEGY_OWN_BYTES == (int)FRONTIER_OWN_BYTES, "a candidate keeps the strategy's bytes");

/* Seeds go before everything but a robots.txt, which has +Inf; people see theirs as +Inf too. */
#define SEED_PRIORITY FLT_MAX

struct steer {
    const struct topic *topic;
    struct strategy strategy;
    struct frontier *frontier;
    struct hosts *hosts;
    uint64_t key;
    unsigned year;
    struct caps caps;     /* URLs of each pattern */
    struct arena scratch; /* for one call */
};

scent_status steer_new(const struct steer_options *options, struct steer **out, struct errmsg *err)
{
    const struct topic *topic = options->topic;
    struct strategy_context context = {.topic = topic, .seed = options->seed};
    struct frontier_options politeness = {
        .delay_us = options->polite ? topic->politeness.delay_us : 0,
        .per_host = options->polite ? topic->politeness.per_host : UINT32_MAX,
        .per_domain = options->polite ? topic->politeness.per_domain : 0,
        .per_ip = options->polite ? topic->politeness.per_ip : 0,
    };
    struct steer *steer = calloc(1, sizeof *steer);
    scent_status status;

    SCENT_BUG_IF(!steer);
    status = options->strategy ? strategy_open_ops(options->strategy, &context, &steer->strategy, err)
                               : strategy_open(&context, &steer->strategy, err);
    if (status != SCENT_OK) {
        free(steer);
        return status;
    }
    steer->topic = topic;
    steer->key = options->key;
    steer->year = options->year;
    caps_init(&steer->caps);
    steer->frontier = frontier_new(&politeness);
    steer->hosts = hosts_new(options->loopback_only);
    arena_init(&steer->scratch, SIZE_MAX);
    *out = steer;
    return SCENT_OK;
}

void steer_free(struct steer *steer)
{
    if (!steer)
        return;
    strategy_close(&steer->strategy);
    frontier_free(steer->frontier);
    hosts_free(steer->hosts);
    caps_release(&steer->caps);
    arena_release(&steer->scratch);
    free(steer);
}

struct frontier *steer_frontier(struct steer *steer)
{
    return steer->frontier;
}

struct strategy *steer_strategy(struct steer *steer)
{
    return &steer->strategy;
}

void steer_count_page(struct steer *steer, uint32_t host)
{
    hosts_count_page(steer->hosts, host);
}

/* ---- queueing ---- */

/* Politeness knows a server by name and port. */
static struct str server_name(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->path_start);
}

static scent_status add_host(struct steer *steer, uint32_t host, struct str name)
{
    scent_status status = hosts_add(steer->hosts, host, name);

    if (status != SCENT_OK)
        return status;
    return frontier_set_domain(steer->frontier, host, hosts_get(steer->hosts, host)->domain);
}

static scent_status intern_host(struct steer *steer, const struct url *url, struct rows *rows, uint32_t *host)
{
    struct str name = server_name(url);
    bool is_new;
    scent_status status;

    if (hosts_any_purged(steer->hosts) && hosts_find_purged(steer->hosts, url_fingerprint(name, steer->key), host))
        return SCENT_OK;
    status = frontier_host(steer->frontier, name, host, &is_new);
    if (status != SCENT_OK || !is_new)
        return status;
    if (rows)
        rows_add_host(rows, *host, name);
    return add_host(steer, *host, name);
}

/* An endless part of a host: told by the URL itself, or by how many there are of its shape. The last thing that is asked,
 * since it counts. Nobody asks about seeds: they are what the user wants. */
static const char *find_trap(struct steer *steer, const struct url *url, const struct candidate *candidate)
{
    enum url_trap trap;

    if (!steer->year || candidate->flags)
        return NULL;
    trap = url_trap(url, steer->year);
    if (trap != URL_TRAP_NONE)
        return url_trap_text(trap);
    return caps_take(&steer->caps, url_pattern(url, steer->key), steer->topic->limits.per_pattern)
               ? NULL
               : "too many URLs of this shape";
}

/* Why a URL stays out of the queue; NULL when it may enter. Sets candidate->off_domain. */
static const char *admit(const struct steer *steer, const struct url *url, uint32_t host, struct candidate *candidate)
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
    if (verdict != SCOPE_IN)
        return scope_verdict_text(verdict);
    if (candidate->depth > topic->limits.depth)
        return "too deep";
    if (candidate->off_domain > topic->scope.hops_off_domain)
        return "too far off the seeds' domains";
    if (candidate->redirects > STEER_MAX_REDIRECTS)
        return "too many redirects";
    return NULL;
}

float steer_shown_priority(const struct candidate *candidate)
{
    return candidate->flags & CANDIDATE_SEED ? (float)INFINITY : candidate->priority;
}

static struct store_url url_row(uint32_t id, uint32_t host, struct str href, const struct candidate *candidate,
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

static void note_queued(uint32_t id, bool is_new, uint32_t host, const struct url *url, const struct candidate *candidate,
                        struct rows *rows)
{
    struct store_url row = url_row(id, host, url->href, candidate, STORE_NO_PARENT, NULL);

    if (is_new)
        rows_add_url(rows, &row);
    else
        rows_change_url(rows, &row);
}

/* A new URL on a purged host leaves its fingerprint alone. */
static void row_hide(struct store_url *row, uint64_t key)
{
    row->state = STORE_PURGED;
    row->purged = url_fingerprint(row->url, key);
    row->url = row->error = STR_NONE;
}

/* A URL that is `seen` and not yet queued: queue it unless a rule or the strategy is against it. */
static scent_status enter(struct steer *steer, uint32_t id, bool is_new, const struct url *url, uint32_t parent,
                          bool drop, struct candidate *candidate, struct rows *rows, const char **refused)
{
    uint32_t host;
    scent_status status = intern_host(steer, url, rows, &host);

    if (status != SCENT_OK)
        return status;
    if (candidate->flags & CANDIDATE_SEED)
        hosts_mark_seed(steer->hosts, host);
    *refused = admit(steer, url, host, candidate);
    if (!*refused && drop)
        *refused = "dropped by the strategy";
    if (!*refused)
        *refused = find_trap(steer, url, candidate);
    if (!*refused)
        status = frontier_queue(steer->frontier, id, url->href, host, candidate);
    if (status == SCENT_OK && rows && (is_new || !*refused)) {
        struct store_url row = url_row(id, host, url->href, candidate, parent, *refused);

        if (hosts_get(steer->hosts, host)->purged)
            row_hide(&row, steer->key);
        if (is_new)
            rows_add_url(rows, &row);
        else
            rows_change_url(rows, &row);
    }
    return status;
}

scent_status steer_seed(struct steer *steer, const struct url *url, struct rows *rows, const char **refused)
{
    struct candidate candidate = {.priority = SEED_PRIORITY, .flags = CANDIDATE_SEED};
    const char *why = NULL;
    uint32_t id;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, url_fingerprint(url->href, steer->key), &id, &is_new);

    if (status == SCENT_OK && frontier_state(steer->frontier, id) == FRONTIER_SEEN)
        status = enter(steer, id, is_new, url, STORE_NO_PARENT, false, &candidate, rows, &why);
    if (refused)
        *refused = why;
    return status;
}

/* ---- scores and candidates ---- */

static void candidate_set_score(struct candidate *candidate, const struct strategy_score *score)
{
    candidate->priority = score->priority;
    memcpy(candidate->own, score->own, sizeof candidate->own);
}

static void score_of_candidate(const struct candidate *candidate, struct strategy_score *score)
{
    *score = (struct strategy_score){.priority = candidate->priority};
    memcpy(score->own, candidate->own, sizeof score->own);
}

static void note_change(uint32_t id, const struct candidate *candidate, struct rows *rows)
{
    struct store_url row = url_row(id, 0, STR_NONE, candidate, STORE_NO_PARENT, NULL);

    if (rows)
        rows_change_url(rows, &row);
}

/* A queued URL is linked again. */
static void reinforce(struct steer *steer, uint32_t id, uint16_t depth, struct strategy_score *score, struct rows *rows)
{
    struct candidate candidate, before;
    struct strategy_score kept;

    if (!frontier_get(steer->frontier, id, &candidate) || candidate.flags)
        return; /* a seed, or a robots.txt */
    before = candidate;
    score_of_candidate(&candidate, &kept);
    strategy_merge(&steer->strategy, id, &kept, score);
    candidate_set_score(&candidate, score);
    if (depth < candidate.depth)
        candidate.depth = depth;
    if (before.priority == candidate.priority && before.depth == candidate.depth &&
        memcmp(before.own, candidate.own, sizeof before.own) == 0)
        return;
    frontier_update(steer->frontier, id, &candidate);
    note_change(id, &candidate, rows);
}

/* ---- redirects ---- */

scent_status steer_redirect(struct steer *steer, const struct steer_visit *visit, const struct url *target,
                            struct rows *rows, const char **refused)
{
    struct candidate candidate = visit->candidate;
    struct strategy_score score;
    uint32_t id;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, url_fingerprint(target->href, steer->key), &id, &is_new);

    *refused = NULL;
    if (status != SCENT_OK)
        return status;
    candidate.redirects++;
    candidate.tries = 0;
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_SEEN:
        return enter(steer, id, is_new, target, visit->id, false, &candidate, rows, refused);
    case FRONTIER_QUEUED:
        score_of_candidate(&candidate, &score);
        reinforce(steer, id, candidate.depth, &score, rows);
        return SCENT_OK;
    default:
        return SCENT_OK;
    }
}

/* ---- examining ---- */

static struct strategy_visit strategy_view(const struct steer_visit *visit, uint64_t number, const struct page *page,
                                           const struct judgement *judgement, const uint32_t *targets)
{
    return (struct strategy_visit){
        .number = number,
        .id = visit->id,
        .page = page,
        .judgement = judgement,
        .targets = targets,
        .depth = visit->candidate.depth,
        .seed = visit->candidate.flags & CANDIDATE_SEED,
        .priority = visit->candidate.priority,
        .own = visit->candidate.own,
    };
}

/* The ids of all links, and which of them stand here for the first time ever. */
static scent_status intern_links(struct steer *steer, const struct page *page, uint32_t **targets, bool **is_new)
{
    scent_status status = SCENT_OK;

    arena_reset(&steer->scratch);
    *targets = arena_array(&steer->scratch, page->nlinks + 1, sizeof **targets);
    *is_new = arena_array(&steer->scratch, page->nlinks + 1, sizeof **is_new);
    if (!*targets || !*is_new)
        return SCENT_E_NOMEM;
    /* Asked for together, the cache misses of a page's links overlap. */
    for (uint32_t i = 0; i < page->nlinks; i++)
        frontier_expect(steer->frontier, page->links[i].fingerprint);
    for (uint32_t i = 0; i < page->nlinks && status == SCENT_OK; i++)
        status = frontier_intern(steer->frontier, page->links[i].fingerprint, &(*targets)[i], &(*is_new)[i]);
    return status;
}

static void note_link(const struct strategy_visit *visit, uint64_t row_number, uint32_t i,
                      const struct strategy_score *score, struct rows *rows)
{
    const struct page_link *link = &visit->page->links[i];
    struct store_link row = {
        .page = row_number,
        .target = visit->targets[i],
        .priority = score->priority,
        .rel = link->rel,
        .anchor = link->anchor,
    };

    if (rows)
        rows_add_link(rows, &row);
}

static scent_status follow(struct steer *steer, const struct steer_visit *from, const struct strategy_visit *visit,
                           uint32_t i, bool is_new, struct rows *rows)
{
    struct candidate candidate = {
        .depth = (uint16_t)(visit->depth + 1),
        .off_domain = from->candidate.off_domain,
    };
    const struct strategy_ops *ops = steer->strategy.ops;
    uint32_t id = visit->targets[i];
    struct strategy_score score = {0};
    const char *refused;

    ops->score(steer->strategy.state, visit, i, &score);
    note_link(visit, from->row, i, &score, rows);
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_SEEN:
        candidate_set_score(&candidate, &score);
        return enter(steer, id, is_new, &visit->page->links[i].url, visit->id, score.drop, &candidate, rows, &refused);
    case FRONTIER_QUEUED:
        reinforce(steer, id, candidate.depth, &score, rows);
        return SCENT_OK;
    default:
        return SCENT_OK;
    }
}

struct rescore_pass {
    const struct strategy *strategy;
};

static void rescore_candidate(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    const struct strategy *strategy = ((struct rescore_pass *)ctx)->strategy;
    struct strategy_score score;

    if (candidate->flags)
        return;
    score_of_candidate(candidate, &score);
    *changed = strategy->ops->rescore(strategy->state, id, &score);
    if (*changed)
        candidate_set_score(candidate, &score);
}

/* Scores drift as a strategy learns. They are not written to the store: on resume the strategy scores again. */
static void rescore_stale(struct steer *steer)
{
    struct rescore_pass pass = {.strategy = &steer->strategy};
    uint32_t ids[256];
    size_t count;

    if (!steer->strategy.ops->stale)
        return;
    do {
        count = steer->strategy.ops->stale(steer->strategy.state, ids, 256);
        if (count == STRATEGY_ALL) {
            frontier_each(steer->frontier, rescore_candidate, &pass);
            return;
        }
        for (size_t i = 0; i < count; i++) {
            struct candidate candidate;
            bool changed = false;

            if (!frontier_get(steer->frontier, ids[i], &candidate))
                continue;
            rescore_candidate(&pass, ids[i], &candidate, &changed);
            if (changed)
                frontier_update(steer->frontier, ids[i], &candidate);
        }
    } while (count == 256);
}

static scent_status take_proposal(struct steer *steer, const struct strategy_proposal *proposal, struct rows *rows)
{
    struct candidate candidate = {0};
    struct strategy_score score = proposal->score;
    struct arena *arena = rows ? rows->arena : &steer->scratch;
    struct url parsed, url;
    const char *refused;
    uint32_t id;
    bool is_new;
    scent_status status;

    /* What a trace names may be anything; what is no URL is no candidate. */
    if (url_parse(arena, proposal->url, NULL, &parsed) != SCENT_OK ||
        url_normalise(arena, &parsed, topic_url_flags(steer->topic), &url) != SCENT_OK)
        return SCENT_OK;
    status = frontier_intern(steer->frontier, url_fingerprint(url.href, steer->key), &id, &is_new);
    if (status != SCENT_OK)
        return status;
    candidate_set_score(&candidate, &score);
    if (frontier_state(steer->frontier, id) == FRONTIER_SEEN)
        return enter(steer, id, is_new, &url, STORE_NO_PARENT, score.drop, &candidate, rows, &refused);
    reinforce(steer, id, UINT16_MAX, &score, rows);
    return SCENT_OK;
}

static scent_status take_proposals(struct steer *steer, struct rows *rows)
{
    const struct strategy_ops *ops = steer->strategy.ops;
    struct strategy_proposal proposal;
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && ops->propose && ops->propose(steer->strategy.state, &proposal))
        status = take_proposal(steer, &proposal, rows);
    return status;
}

scent_status steer_examine(struct steer *steer, const struct steer_visit *visit, uint64_t number,
                           const struct page *page, const struct judgement *judgement, struct rows *rows,
                           struct errmsg *err)
{
    uint32_t *targets;
    bool *is_new;
    scent_status status = intern_links(steer, page, &targets, &is_new);
    struct strategy_visit view = strategy_view(visit, number, page, judgement, targets);

    if (status == SCENT_OK && steer->strategy.ops->observe)
        steer->strategy.ops->observe(steer->strategy.state, &view);
    for (uint32_t i = 0; i < page->nlinks && status == SCENT_OK; i++)
        status = follow(steer, visit, &view, i, is_new[i], rows);
    if (status == SCENT_OK) {
        rescore_stale(steer);
        status = take_proposals(steer, rows);
    }
    if (status == SCENT_OK && rows && rows->failed)
        status = SCENT_E_NOMEM;
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

scent_status steer_relearn(struct steer *steer, const struct steer_visit *visit, uint64_t number,
                           const struct page *page, const struct judgement *judgement)
{
    struct strategy_visit view;
    uint32_t *targets;

    if (!steer->strategy.ops->observe)
        return SCENT_OK;
    arena_reset(&steer->scratch);
    targets = arena_array(&steer->scratch, page->nlinks + 1, sizeof *targets);
    if (!targets)
        return SCENT_E_NOMEM;
    /* Only finds: an id that were made here would have no row in the store. */
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (!frontier_find(steer->frontier, page->links[i].fingerprint, &targets[i]))
            targets[i] = STRATEGY_UNKNOWN;
    view = strategy_view(visit, number, page, judgement, targets);
    steer->strategy.ops->observe(steer->strategy.state, &view);
    return SCENT_OK;
}

/* ---- taking ---- */

static const char *used_up(const struct steer *steer, uint32_t host)
{
    const struct topic_limits *limits = &steer->topic->limits;

    if (limits->per_host && hosts_get(steer->hosts, host)->pages >= limits->per_host)
        return "the host's limit of pages is reached";
    if (limits->per_domain && hosts_domain_pages(steer->hosts, host) >= limits->per_domain)
        return "the domain's limit of pages is reached";
    return NULL;
}

scent_status steer_take(struct steer *steer, int64_t now, struct rows *rows, struct frontier_taken *out,
                        int64_t *wait_us)
{
    for (;;) {
        scent_status status = frontier_take(steer->frontier, now, out, wait_us);
        bool is_page = status == SCENT_OK && !(out->candidate.flags & CANDIDATE_ROBOTS);
        const char *why = is_page ? used_up(steer, out->host) : NULL;

        if (!why)
            return status;
        steer_refuse(steer, out, STORE_DROPPED, str_of(why), now, rows);
    }
}

void steer_refuse(struct steer *steer, const struct frontier_taken *taken, enum store_url_state state, struct str why,
                  int64_t now, struct rows *rows)
{
    struct store_url row = url_row(taken->id, taken->host, STR_NONE, &taken->candidate, STORE_NO_PARENT, NULL);

    row.state = state;
    row.error = why;
    if (rows)
        rows_change_url(rows, &row);
    frontier_finish(steer->frontier, taken->id, now);
}

/* ---- robots.txt ---- */

uint32_t steer_robots_host(const struct candidate *candidate)
{
    uint32_t host;

    memcpy(&host, candidate->own, sizeof host);
    return host;
}

scent_status steer_ask_robots(struct steer *steer, const struct url *url, uint32_t for_host, uint8_t redirects,
                              struct rows *rows, const char **refused)
{
    struct candidate candidate = {.priority = (float)INFINITY, .redirects = redirects, .flags = CANDIDATE_ROBOTS};
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
    status = intern_host(steer, url, rows, &host);
    if (status == SCENT_OK)
        status = frontier_queue(steer->frontier, id, url->href, host, &candidate);
    if (status == SCENT_OK && rows)
        note_queued(id, is_new, host, url, &candidate, rows);
    return status;
}

/* ---- resume ---- */

scent_status steer_restore_host(struct steer *steer, const struct store_host *row)
{
    uint32_t host;
    bool is_new;
    scent_status status = frontier_host(steer->frontier, row->name, &host, &is_new);

    if (status != SCENT_OK)
        return status;
    if (host != row->id || !is_new)
        return SCENT_E_FORMAT;
    status = add_host(steer, row->id, row->name);
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
        candidate.priority = SEED_PRIORITY;
    memcpy(candidate.own, row->own, sizeof candidate.own);
    return candidate;
}

static scent_status count_pattern(struct steer *steer, struct str href)
{
    struct url url;
    scent_status status;

    arena_reset(&steer->scratch);
    status = url_parse(&steer->scratch, href, NULL, &url);
    if (status == SCENT_OK)
        caps_take(&steer->caps, url_pattern(&url, steer->key), 0);
    return status;
}

scent_status steer_restore_url(struct steer *steer, const struct store_url *row, struct errmsg *err)
{
    struct candidate candidate = steer_candidate_of_row(row);
    uint64_t fingerprint = row->state == STORE_PURGED ? row->purged : url_fingerprint(row->url, steer->key);
    uint32_t id;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, fingerprint, &id, &is_new);

    if (status != SCENT_OK)
        return status;
    if (id != row->id || !is_new)
        return errmsg_fail(err, SCENT_E_FORMAT, "url row %u of crawl.db does not fit the rows before it", row->id + 1);
    if (row->flags & CANDIDATE_SEED)
        hosts_mark_seed(steer->hosts, row->host);
    if (row->state != STORE_SEEN && row->state != STORE_PURGED)
        status = count_pattern(steer, row->url);
    if (status != SCENT_OK)
        return status;
    if (row->state == STORE_QUEUED)
        return frontier_queue(steer->frontier, id, row->url, row->host, &candidate);
    if (row->state != STORE_SEEN)
        frontier_mark_done(steer->frontier, id);
    return SCENT_OK;
}
