#include "engine/steer_parts.h"

#include "crawldir/crawldir.h"
#include "url/url_trap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

scent_status steer_new(const struct steer_options *options, struct steer **out, struct errmsg *err)
{
    const struct topic *topic = options->topic;
    struct strategy_context context = {.topic = topic, .knowledge = options->knowledge, .seed = options->seed};
    struct frontier_options politeness = {
        .delay_us = options->polite ? topic->politeness.delay_us : 0,
        .per_host = options->polite ? topic->politeness.per_host : UINT32_MAX,
        .per_domain = options->polite ? topic->politeness.per_domain : 0,
        .per_ip = options->polite ? topic->politeness.per_ip : 0,
        .text_bytes = options->text_bytes ? options->text_bytes : SIZE_MAX,
    };
    struct steer *steer = calloc(1, sizeof *steer);
    scent_status status;

    SCENT_BUG_IF(!steer);
    steer->context = context;
    status = options->strategy ? strategy_open_ops(options->strategy, &context, &steer->strategy, err)
                               : strategy_open(&context, &steer->strategy, err);
    if (status != SCENT_OK) {
        free(steer);
        return status;
    }
    steer->topic = topic;
    steer->key = options->key;
    steer->year = options->year;
    steer->keeps_texts = options->text_bytes == 0;
    steer->shares = options->shares;
    caps_init(&steer->caps);
    steer->frontier = frontier_new(&politeness);
    if (steer->strategy.threshold > -INFINITY)
        frontier_set_floor(steer->frontier, steer->strategy.threshold);
    else if (topic->requisites.of)
        frontier_set_floor(steer->frontier, STEER_LISTED_PRIORITY);
    steer->hosts = hosts_new(options->loopback_only);
    parts_names_init(&steer->names);
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
    steer_end_again(steer);
    parts_names_release(&steer->names);
    arena_release(&steer->scratch);
    for (size_t i = 0; i < steer->nblocked; i++)
        free(steer->blocked[i]);
    free(steer->blocked);
    free(steer->shared_hosts);
    free(steer->shared_urls);
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

void steer_restore_left_out(struct steer *steer, uint64_t count)
{
    steer->left_out = steer->left_out_noted = count;
}

uint64_t steer_left_out(const struct steer *steer)
{
    return steer->left_out;
}

void steer_note_left_out(struct steer *steer, struct rows *rows)
{
    struct rows_value value = {.name = CRAWLDIR_LEFT_OUT};

    if (steer->left_out == steer->left_out_noted)
        return;
    value.value = arena_printf(rows->arena, "%" PRIu64, steer->left_out);
    ROWS_ADD(rows, values, value);
    steer->left_out_noted = steer->left_out;
}

void steer_restore_parts(struct steer *steer, struct str names)
{
    parts_names_read(&steer->names, names);
}

uint64_t steer_reopened(const struct steer *steer)
{
    return steer->reopened;
}

void steer_spread(const struct steer *steer, struct frontier_spread *out)
{
    *out = (struct frontier_spread){.below = STEER_SITEMAP_PRIORITY, .above = STEER_SEED_PRIORITY};
    frontier_spread(steer->frontier, out);
}

/* ---- seeds ---- */

scent_status steer_seed(struct steer *steer, const struct url *url, struct rows *rows, const char **refused)
{
    struct candidate candidate = {.priority = STEER_SEED_PRIORITY, .flags = CANDIDATE_SEED};
    const char *why = NULL;
    uint32_t id, host;
    bool is_new;
    scent_status status;

    if (refused)
        *refused = NULL;
    if (steer->shares) {
        SCENT_TRY(admit_host(steer, url, rows, &host));
        hosts_mark_seed(steer->hosts, host);
        if (!steer->shares->live[steer_part(steer, host)])
            return SCENT_OK; /* its owner has the same seeds, or has had them */
    }
    status = admit_intern(steer, url, url_fingerprint(url->href, steer->key), false, rows, &id, &is_new);
    if (status == SCENT_OK && frontier_state(steer->frontier, id) == FRONTIER_SEEN)
        status = admit_enter(steer, id, is_new, url, STORE_NO_PARENT, NULL, &candidate, NULL, rows, &why);
    if (refused)
        *refused = why;
    return status;
}

/* ---- scores and candidates ---- */

/* What the priority of a candidate is made of, for its row. Scores drift, and what is not stored now is not known
 * later. Not all candidates are looked at after each page: a priority may be older than what the strategy knows by now,
 * and the difference is a part of its own. Empty: what its row has is still true, or nobody knows. */
static struct str explain_candidate(struct steer *steer, uint32_t id, const struct candidate *candidate,
                                    struct rows *rows)
{
    const struct strategy *strategy = &steer->strategy;
    struct strategy_score score;

    if (!strategy->ops->explain || candidate->flags || steer_is_listed(candidate))
        return STR_NONE;
    steer_score_of(candidate, &score);
    if (!strategy->ops->explain(strategy->state, id, &score))
        return STR_NONE;
    if (score.priority != candidate->priority && score.nparts && score.nparts < STRATEGY_PARTS) {
        score.parts[score.nparts] =
            (struct strategy_part){.name = "difference to when it was last looked at",
                                   .value = (double)candidate->priority - (double)score.priority,
                                   .weight = score.parts[0].weight != 0 ? 1 : 0};
        score.nparts++;
    }
    return admit_parts(steer, &score, rows);
}

static void note_change(struct steer *steer, uint32_t id, const struct candidate *candidate,
                        const struct strategy_score *score, struct rows *rows)
{
    struct store_url row = admit_row(id, 0, STR_NONE, candidate, STORE_NO_PARENT, NULL);

    if (!rows)
        return;
    row.parts = score->nparts ? admit_parts(steer, score, rows) : explain_candidate(steer, id, candidate, rows);
    ROWS_ADD(rows, changed, row);
}

static const char *dropped(const struct strategy_score *score)
{
    return score->drop ? "dropped by the strategy" : NULL;
}

/* Is this the first score that a URL is given since scoring again began? */
static bool replaces(struct steer *steer, uint32_t id)
{
    bool first = steer->again && id < steer->nagain && !(steer->again[id / 8] & 1u << id % 8);

    if (first)
        steer->again[id / 8] |= (uint8_t)(1u << id % 8);
    return first;
}

/* A queued URL is linked again, or its link is scored again. True: its priority is another one. */
static bool reinforce(struct steer *steer, uint32_t id, uint16_t depth, struct strategy_score *score, struct rows *rows)
{
    struct candidate candidate, before;
    struct strategy_score kept;

    if (!frontier_get(steer->frontier, id, &candidate) || candidate.flags)
        return false; /* a seed, a robots.txt, a sitemap */
    before = candidate;
    if (!steer_is_listed(&candidate) && (score->drop || !replaces(steer, id))) {
        steer_score_of(&candidate, &kept);
        strategy_merge(&steer->strategy, id, &kept, score);
    }
    steer_set_score(&candidate, score);
    if (depth < candidate.depth)
        candidate.depth = depth;
    if (before.priority == candidate.priority && before.depth == candidate.depth &&
        memcmp(before.own, candidate.own, sizeof before.own) == 0)
        return false;
    frontier_update(steer->frontier, id, &candidate);
    note_change(steer, id, &candidate, score, rows);
    return before.priority != candidate.priority;
}

/* ---- redirects ---- */

scent_status steer_redirect(struct steer *steer, const struct steer_visit *visit, const struct url *target,
                            struct rows *rows, const char **refused)
{
    struct candidate candidate = visit->candidate;
    struct strategy_score score;
    uint32_t id;
    bool is_new;
    scent_status status =
        admit_intern(steer, target, url_fingerprint(target->href, steer->key), false, rows, &id, &is_new);

    *refused = NULL;
    if (status != SCENT_OK)
        return status;
    candidate.redirects++;
    candidate.tries = 0;
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_SEEN:
        return admit_enter(steer, id, is_new, target, visit->id, NULL, &candidate, NULL, rows, refused);
    case FRONTIER_QUEUED:
        steer_score_of(&candidate, &score);
        reinforce(steer, id, candidate.depth, &score, rows);
        return SCENT_OK;
    default:
        return SCENT_OK;
    }
}

/* ---- links from elsewhere ---- */

/* A strategy that merges by what it knows of an id, and keeps nothing with a candidate, does not know what the sender
 * knew: there the larger priority wins. */
static bool merges_by_id(const struct strategy_ops *ops)
{
    return ops->merge && !ops->own_bytes;
}

scent_status steer_arrive(struct steer *steer, const struct url *url, struct candidate candidate, struct rows *rows,
                          const char **refused)
{
    struct strategy_score score;
    struct candidate kept;
    bool is_new, is_seed = candidate.flags & CANDIDATE_SEED;
    uint32_t id;

    *refused = NULL;
    SCENT_TRY(admit_intern(steer, url, url_fingerprint(url->href, steer->key), !is_seed, rows, &id, &is_new));
    if (id == STRATEGY_UNKNOWN)
        return SCENT_OK;
    steer_score_of(&candidate, &score);
    steer_take_back(steer, id);
    if (frontier_state(steer->frontier, id) == FRONTIER_SEEN)
        return admit_arrived(steer, id, is_new, url, &candidate, &score, rows, refused);
    if (frontier_get(steer->frontier, id, &kept) &&
        !(merges_by_id(steer->strategy.ops) && kept.priority >= candidate.priority))
        reinforce(steer, id, candidate.depth, &score, rows);
    return SCENT_OK;
}

/* ---- examining ---- */

static struct strategy_visit strategy_view(const struct steer_visit *visit, const uint32_t *targets)
{
    return (struct strategy_visit){
        .number = visit->number,
        .id = visit->id,
        .page = visit->page,
        .judgement = visit->judgement,
        .targets = targets,
        .depth = visit->candidate.depth,
        .seed = visit->candidate.flags & CANDIDATE_SEED,
        .priority = steer_is_listed(&visit->candidate) ? 0 : visit->candidate.priority,
        .own = visit->candidate.own,
    };
}

/* The ids of all links, and which of them stand here for the first time ever. */
static scent_status intern_links(struct steer *steer, const struct page *page, struct rows *rows, uint32_t **targets,
                                 bool **is_new)
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
        status = admit_intern(steer, &page->links[i].url, page->links[i].fingerprint, true, rows, &(*targets)[i],
                              &(*is_new)[i]);
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
        ROWS_ADD(rows, links, row);
}

/* What the page's author said against this link; NULL: nothing. It was not said of the URL: where it stands elsewhere
 * without it, it is followed from there. */
static const char *disowned(const struct topic_politeness *polite, const struct page *page,
                            const struct page_link *link)
{
    if (page->robots & PAGE_NOFOLLOW && !polite->ignore_page_robots)
        return "its page says nofollow";
    if (!link->rel || polite->ignore_rel_nofollow)
        return NULL;
    return link->rel & PAGE_REL_NOFOLLOW ? "its link says nofollow"
           : link->rel & PAGE_REL_UGC    ? "its link says ugc"
                                         : "its link says sponsored";
}

static scent_status follow_link(struct steer *steer, const struct steer_visit *from, const struct strategy_visit *visit,
                           uint32_t i, bool is_new, struct rows *rows)
{
    struct candidate candidate = {
        .depth = (uint16_t)(visit->depth + 1),
        .off_domain = from->candidate.off_domain,
    };
    const struct strategy_ops *ops = steer->strategy.ops;
    uint32_t id = visit->targets[i];
    struct strategy_score score = {0};
    const char *refused, *against = disowned(&steer->topic->politeness, visit->page, &visit->page->links[i]);

    ops->score(steer->strategy.state, visit, i, &score);
    note_link(visit, from->row, i, &score, rows);
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_SEEN:
        steer_set_score(&candidate, &score);
        return admit_enter(steer, id, is_new, &visit->page->links[i].url, visit->id,
                           against ? against : dropped(&score), &candidate, &score, rows, &refused);
    case FRONTIER_QUEUED:
        if (!against)
            reinforce(steer, id, candidate.depth, &score, rows);
        return SCENT_OK;
    default:
        return SCENT_OK;
    }
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

    /* What a trace names may be anything; what is no URL is no candidate. */
    if (url_parse(arena, proposal->url, NULL, &parsed) != SCENT_OK ||
        url_normalise(arena, &parsed, topic_url_flags(steer->topic), &url) != SCENT_OK)
        return SCENT_OK;
    SCENT_TRY(admit_intern(steer, &url, url_fingerprint(url.href, steer->key), false, rows, &id, &is_new));
    if (frontier_state(steer->frontier, id) == FRONTIER_SEEN) {
        if (!is_new) /* links named it, and under this id the strategy may know what they tell */
            strategy_merge(&steer->strategy, id, &proposal->score, &score);
        steer_set_score(&candidate, &score);
        SCENT_TRY(
            admit_enter(steer, id, is_new, &url, STORE_NO_PARENT, dropped(&score), &candidate, &score, rows, &refused));
    } else {
        reinforce(steer, id, UINT16_MAX, &score, rows);
    }
    if (steer->strategy.ops->proposed)
        steer->strategy.ops->proposed(steer->strategy.state, id,
                                      frontier_state(steer->frontier, id) == FRONTIER_QUEUED);
    return SCENT_OK;
}

static scent_status take_proposals(struct steer *steer, bool nothing_left, struct rows *rows, bool *any)
{
    const struct strategy_ops *ops = steer->strategy.ops;
    struct strategy_proposal proposal;
    scent_status status = SCENT_OK;

    *any = false;
    while (status == SCENT_OK && ops->propose && ops->propose(steer->strategy.state, nothing_left, &proposal)) {
        status = take_proposal(steer, &proposal, rows);
        *any = true;
    }
    return status;
}

scent_status steer_propose(struct steer *steer, struct rows *rows, bool *any)
{
    scent_status status;

    arena_reset(&steer->scratch);
    status = take_proposals(steer, true, rows, any);
    return status == SCENT_OK && rows && rows->failed ? SCENT_E_NOMEM : status;
}

scent_status steer_examine(struct steer *steer, const struct steer_visit *visit, bool learn, struct rows *rows,
                           struct errmsg *err)
{
    uint32_t *targets;
    bool *is_new, any;
    scent_status status = intern_links(steer, visit->page, rows, &targets, &is_new);
    struct strategy_visit view = strategy_view(visit, targets);

    if (status == SCENT_OK && learn && steer->strategy.ops->observe)
        steer->strategy.ops->observe(steer->strategy.state, &view);
    for (uint32_t i = 0; i < visit->page->nlinks && status == SCENT_OK; i++)
        if (targets[i] != STRATEGY_UNKNOWN)
            status = follow_link(steer, visit, &view, i, is_new[i], rows);
    if (status == SCENT_OK) {
        status = take_proposals(steer, false, rows, &any);
        steer_rescore(steer, false);
    }
    if (status == SCENT_OK && rows && rows->failed)
        status = SCENT_E_NOMEM;
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

/* The ids of its links. Only finds: an id that were made here would have no row in the store. */
static uint32_t *find_links(struct steer *steer, const struct page *page)
{
    uint32_t *targets;

    arena_reset(&steer->scratch);
    targets = arena_array(&steer->scratch, page->nlinks + 1, sizeof *targets);
    for (uint32_t i = 0; i < page->nlinks && targets; i++)
        if (!frontier_find(steer->frontier, page->links[i].fingerprint, &targets[i]))
            targets[i] = STRATEGY_UNKNOWN;
    return targets;
}

scent_status steer_relearn(struct steer *steer, const struct steer_visit *visit)
{
    struct strategy_visit view;
    uint32_t *targets;

    if (!steer->strategy.ops->observe)
        return SCENT_OK;
    targets = find_links(steer, visit->page);
    if (!targets)
        return SCENT_E_NOMEM;
    view = strategy_view(visit, targets);
    steer->strategy.ops->observe(steer->strategy.state, &view);
    return SCENT_OK;
}

/* ---- again ---- */

scent_status steer_begin_again(struct steer *steer)
{
    steer_end_again(steer);
    steer->nagain = frontier_known(steer->frontier);
    steer->again = calloc(steer->nagain / 8 + 1, 1);
    return steer->again ? SCENT_OK : SCENT_E_NOMEM;
}

void steer_end_again(struct steer *steer)
{
    free(steer->again);
    steer->again = NULL;
}

scent_status steer_score_again(struct steer *steer, const struct steer_visit *visit, struct rows *rows,
                               uint64_t *changed)
{
    const struct strategy *strategy = &steer->strategy;
    const struct page *page = visit->page;
    uint32_t *targets = find_links(steer, page);
    struct strategy_visit view = strategy_view(visit, targets);

    if (!targets)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        struct strategy_score score = {0};

        if (targets[i] == STRATEGY_UNKNOWN || frontier_state(steer->frontier, targets[i]) != FRONTIER_QUEUED ||
            disowned(&steer->topic->politeness, page, &page->links[i]))
            continue;
        strategy->ops->score(strategy->state, &view, i, &score);
        *changed += reinforce(steer, targets[i], (uint16_t)(view.depth + 1), &score, rows);
    }
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
        unsigned other = CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_AGAIN | CANDIDATE_REQUISITE;
        bool is_page = status == SCENT_OK && !(out->candidate.flags & other);
        const char *why = is_page ? used_up(steer, out->host) : NULL;

        if (!why)
            return status;
        steer_refuse(steer, out, STORE_DROPPED, str_of(why), rows);
    }
}

struct str steer_explain(struct steer *steer, const struct frontier_taken *taken, struct rows *rows)
{
    return explain_candidate(steer, taken->id, &taken->candidate, rows);
}

void steer_refuse(struct steer *steer, const struct frontier_taken *taken, enum store_url_state state, struct str why,
                  struct rows *rows)
{
    struct store_url row = admit_row(taken->id, taken->host, STR_NONE, &taken->candidate, STORE_NO_PARENT, NULL);

    row.state = state;
    row.error = why;
    if (rows)
        ROWS_ADD(rows, changed, row);
    /* No visit began: the next one need not wait for it. */
    frontier_untake(steer->frontier, taken->id, &taken->candidate);
    frontier_drop(steer->frontier, taken->id);
}

/* ---- from rows of the store ---- */

scent_status steer_restore_host(struct steer *steer, const struct store_host *row)
{
    uint32_t host;
    bool is_new;
    scent_status status;

    SCENT_TRY(frontier_host(steer->frontier, row->name, &host, &is_new));
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
    else if (row->flags & CANDIDATE_REQUISITE)
        candidate.priority = row->flags & CANDIDATE_ROBOTS ? (float)INFINITY : STEER_REQUISITE_PRIORITY;
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

    arena_reset(&steer->scratch);
    SCENT_TRY(url_parse(&steer->scratch, href, NULL, &url));
    *pattern = url_pattern(&url, steer->key);
    caps_expect(&steer->caps, *pattern);
    return SCENT_OK;
}

scent_status steer_restore_url(struct steer *steer, const struct store_url *row, struct errmsg *err)
{
    struct candidate candidate = steer_candidate_of_row(row);
    uint64_t fingerprint = row->state == STORE_PURGED ? row->purged : known_by(row, steer->key);
    bool is_requisite = candidate_is_requisite(&candidate), is_new;
    bool counts = row->state != STORE_SEEN && row->state != STORE_PURGED && !is_requisite;
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
    SCENT_TRY(admit_know(steer, id, fingerprint, row->host));
    if (!is_requisite)
        hosts_count_url(steer->hosts, row->host);
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

bool steer_on_seed_domain(const struct steer *steer, uint32_t host)
{
    return hosts_on_seed_domain(steer->hosts, host);
}

uint32_t steer_host_pages(const struct steer *steer, uint32_t host)
{
    return hosts_get(steer->hosts, host)->pages;
}

static bool is_wanted(struct steer *steer, const struct store_url *row)
{
    const struct hosts_entry *host = hosts_get(steer->hosts, row->host);
    struct url url;

    arena_reset(&steer->scratch);
    return !admit_is_foreign(steer, row->host) && row->state == STORE_FETCHED && host->allowed &&
           !host->purged && !host->blocked &&
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
