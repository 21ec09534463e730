/* guest - what happens around a visit because somebody else's server is visited: its name is looked up, its robots.txt is
 * read before anything else, it is left alone when it is in trouble, and all of that survives a restart.
 *
 * A robots.txt is an ordinary URL with the highest priority of its host, so that every gate of the frontier applies to it.
 * While it is fetched its host is held. */
#include "engine/crawl.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

#define LONGEST_SILENCE INT64_C(3600000000) /* how long name servers in trouble are left alone, in microseconds */

enum {
    NAMES_MAX = 100000,       /* known from before; no more fit into the cache of names */
    MOST_ROBOTS_REDIRECTS = 5 /* RFC 9309, 2.3.1.2 */
};

static bool is_robots(const struct candidate *candidate)
{
    return candidate->flags & CANDIDATE_ROBOTS;
}

static struct politeness_origin origin_of(uint32_t host, const struct url *url)
{
    return (struct politeness_origin){.host = host, .secure = str_eq(url_scheme(url), STR("https"))};
}

static struct str target_of(const struct url *url)
{
    return str_sub(url->href, url->path_start, url->query_end);
}

/* No page of the host while its robots.txt is not known; through all its redirects. */
static void hold_host(struct crawl *crawl, uint32_t host)
{
    if (!politeness_set_held(crawl->politeness, host, true))
        frontier_hold(steer_frontier(crawl->steer), host);
}

static void release_host(struct crawl *crawl, uint32_t host)
{
    if (politeness_set_held(crawl->politeness, host, false))
        frontier_release(steer_frontier(crawl->steer), host);
}

/* ---- names ---- */

/* The answer comes to the inbox. */
static void resolve(struct crawl *crawl, uint32_t host)
{
    struct job *job = job_new();

    job->result = JOB_NAME;
    job->visit.host = host;
    job->order = crawl->dispatched++;
    fetch_resolve(crawl->fetch, url_host_without_port(frontier_host_name(steer_frontier(crawl->steer), host)), job);
}

void crawl_look_ahead(struct crawl *crawl)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    uint32_t hosts[CRAWL_AHEAD];
    size_t count;

    if (!crawl->politeness || crawl->ways.proxy || crawl->waiting || crawl->stopping || crawl->ahead == CRAWL_AHEAD ||
        politeness_reserve(crawl->politeness, frontier_hosts(frontier)) != SCENT_OK)
        return;
    count = frontier_near(frontier, hosts, CRAWL_AHEAD);
    for (size_t i = 0; i < count && crawl->ahead < CRAWL_AHEAD; i++) {
        struct job *job;

        if (!politeness_look_ahead(crawl->politeness, hosts[i]))
            continue;
        job = job_new();
        job->result = JOB_NAME;
        job->ahead = true;
        job->visit.host = hosts[i];
        crawl->ahead++;
        fetch_resolve(crawl->fetch, url_host_without_port(frontier_host_name(frontier, hosts[i])), job);
    }
}

/* In the fetch thread. */
void crawl_name_resolved(void *ctx, void *owner, const struct fetch_name *name)
{
    struct crawl *crawl = ctx;
    struct job *job = owner;

    job->name = arena_alloc(&job->arena, sizeof *job->name);
    if (job->name) {
        *job->name = *name;
        job->name->name = arena_str(&job->arena, name->name);
    }
    SCENT_BUG_IF(!queue_push(crawl->inbox, job));
}

static void note_name(struct job *job)
{
    const struct fetch_name *name = job->name;
    struct store_dns row = {.name = name->name, .expires = name->expires_wall};
    struct buf text;

    if (name->failure)
        row.failure = str_of(fetch_name_failure_text(name->failure));
    buf_init(&text, 0);
    for (size_t i = 0; i < name->naddresses; i++) {
        char address[FETCH_IP_TEXT];

        fetch_ip_print(&name->addresses[i], address);
        buf_printf(&text, "%s%s", i ? " " : "", address);
    }
    row.addresses = arena_str(&job->arena, buf_str(&text));
    buf_release(&text);
    if (name->failure != FETCH_NAME_STOPPED && name->expires_wall != INT64_MAX)
        rows_put_name(&job->rows, &row);
}

/* Politeness by address counts for the first of them: that is where libcurl goes. */
static scent_status set_ip(struct crawl *crawl, uint32_t host, const struct fetch_ip *ip)
{
    uint32_t number;
    scent_status status = numbering_find(&crawl->ips, hash_bytes(ip->bytes, ip->len, crawl->key), &number);

    return status == SCENT_OK ? frontier_set_ip(steer_frontier(crawl->steer), host, number) : status;
}

static void note_host(struct crawl *crawl, struct job *job, uint32_t host, int64_t wait_us)
{
    struct store_host row = {
        .id = host,
        .delay_us = politeness_delay(crawl->politeness, host),
        .failures = politeness_failures(crawl->politeness, host),
        .ip = arena_str(&job->arena, str_of(job->ip)),
    };
    int64_t gap = wait_us > row.delay_us ? wait_us : row.delay_us;

    row.not_before = clock_wall(crawl->options->clock) + gap;
    rows_change_host(&job->rows, &row);
}

/* The name servers may be in trouble themselves. Until they are asked again the answer stays the same, and must not count
 * as one more failure. */
static int64_t until_asked_again(const struct crawl *crawl, const struct fetch_name *name)
{
    bool doubtful = name->failure == FETCH_NAME_FAILED || name->failure == FETCH_NAME_SILENT;

    return doubtful ? clock_until(name->expires_wall, clock_wall(crawl->options->clock), LONGEST_SILENCE) : 0;
}

scent_status crawl_apply_name(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    const struct fetch_name *name = job->name;
    int64_t now = clock_mono(crawl->options->clock), wait;
    uint32_t host = job->visit.host;
    scent_status status = SCENT_OK;

    if (job->ahead)
        crawl->ahead--;
    else
        frontier_release(frontier, host);
    if (!name)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for a name");
    if (name->failure == FETCH_NAME_STOPPED)
        return SCENT_OK;
    note_name(job);
    if (job->ahead && name->failure != FETCH_NAME_OK) /* it counts when somebody wants to go there */
        return SCENT_OK;
    if (name->naddresses == 0 && name->failure == FETCH_NAME_OK) { /* a proxy finds it: .onion */
        politeness_set_resolved(crawl->politeness, host, true);
        return SCENT_OK;
    }
    if (name->naddresses == 0) {
        wait = until_asked_again(crawl, name);
        wait = politeness_visit_done(crawl->politeness, host, fetch_name_failure_text(name->failure), wait, 0);
        frontier_wait_until(frontier, host, now + wait, now);
        note_host(crawl, job, host, wait);
        return SCENT_OK;
    }
    politeness_set_resolved(crawl->politeness, host, true);
    status = set_ip(crawl, host, &name->addresses[0]);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory for an address");
}

/* ---- before a visit ---- */

static scent_status ask_robots(struct crawl *crawl, const struct url *url, const struct frontier_taken *taken,
                               struct rows *rows)
{
    struct arena arena;
    struct url robots;
    bool queued;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = url_parse(&arena, STR("/robots.txt"), url, &robots);
    if (status == SCENT_OK) {
        robots.href = arena_str(rows->arena, robots.href); /* the row needs it longer than we do */
        status = robots.href.p
                     ? steer_ask_robots(crawl->steer, &robots, origin_of(taken->host, url), &taken->candidate, 0, rows,
                                        &queued)
                     : SCENT_E_NOMEM;
    }
    arena_release(&arena);
    return status;
}

static void refuse(struct crawl *crawl, const struct frontier_taken *taken, enum store_url_state state, const char *why,
                   struct rows *rows)
{
    int64_t now = clock_mono(crawl->options->clock);

    if (taken->candidate.flags & CANDIDATE_AGAIN) {
        crawl_refuse_again(crawl, taken, rows);
        return;
    }
    crawl->failed++;
    steer_refuse(crawl->steer, taken, state, arena_str(rows->arena, str_of(why)), now, rows);
}

static void refuse_dead(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows)
{
    char why[128];

    snprintf(why, sizeof why, "the host does not answer (%s)", politeness_trouble(crawl->politeness, taken->host));
    refuse(crawl, taken, STORE_FAILED, why, rows);
}

/* Puts it back: something must be learned first. */
static enum crawl_greeting later(struct crawl *crawl, const struct frontier_taken *taken)
{
    frontier_untake(steer_frontier(crawl->steer), taken->id, &taken->candidate);
    return CRAWL_LATER;
}

static scent_status greet_by_robots(struct crawl *crawl, const struct frontier_taken *taken, const struct url *url,
                                    struct rows *rows, enum crawl_greeting *out)
{
    int64_t now = clock_wall(crawl->options->clock);

    switch (politeness_ask(crawl->politeness, origin_of(taken->host, url), target_of(url), now)) {
    case POLITENESS_ALLOWED:
        *out = CRAWL_GO;
        return SCENT_OK;
    case POLITENESS_ASKING: /* its robots.txt stands in the queue of another host, after a redirect */
        *out = later(crawl, taken);
        hold_host(crawl, taken->host);
        return SCENT_OK;
    case POLITENESS_FORBIDDEN:
        refuse(crawl, taken, STORE_DROPPED, "robots.txt forbids it", rows);
        *out = CRAWL_REFUSED;
        return SCENT_OK;
    case POLITENESS_DEAD:
        refuse_dead(crawl, taken, rows);
        *out = CRAWL_REFUSED;
        return SCENT_OK;
    case POLITENESS_ASK:
        *out = later(crawl, taken);
        return ask_robots(crawl, url, taken, rows);
    }
    return SCENT_OK;
}

scent_status crawl_greet(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows,
                         enum crawl_greeting *out)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct arena arena;
    struct url url;
    scent_status status;

    *out = CRAWL_GO;
    if (!crawl->politeness)
        return SCENT_OK;
    status = politeness_reserve(crawl->politeness, frontier_hosts(frontier));
    if (status != SCENT_OK)
        return status;
    if (!crawl->ways.proxy && !politeness_is_resolved(crawl->politeness, taken->host) &&
        !politeness_is_dead(crawl->politeness, taken->host)) {
        *out = later(crawl, taken);
        frontier_hold(frontier, taken->host);
        resolve(crawl, taken->host);
        return SCENT_OK;
    }
    if (is_robots(&taken->candidate)) {
        politeness_set_asking(crawl->politeness, steer_robots_origin(&taken->candidate)); /* queued before a restart */
        hold_host(crawl, steer_robots_origin(&taken->candidate).host);
        return SCENT_OK;
    }
    arena_init(&arena, SIZE_MAX);
    status = url_parse(&arena, taken->href, NULL, &url);
    if (status == SCENT_OK)
        status = greet_by_robots(crawl, taken, &url, rows, out);
    arena_release(&arena);
    return status;
}

/* ---- after a visit ---- */

int64_t crawl_part(struct crawl *crawl, struct job *job)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    uint32_t host = job->visit.host;
    int64_t delay, wait, now = clock_mono(crawl->options->clock);
    uint32_t failures;

    if (!crawl->politeness)
        return 0;
    failures = politeness_failures(crawl->politeness, host);
    delay = politeness_delay(crawl->politeness, host);
    wait = politeness_visit_done(crawl->politeness, host, job->trouble, job->retry_after, job->took_us);
    if (job->trouble)
        politeness_set_resolved(crawl->politeness, host, false); /* its address may have changed */
    if (wait)
        frontier_wait_until(frontier, host, now + wait, now);
    if (politeness_delay(crawl->politeness, host) != delay)
        frontier_set_delay(frontier, host, politeness_delay(crawl->politeness, host));
    if (wait || failures != politeness_failures(crawl->politeness, host) ||
        politeness_delay(crawl->politeness, host) > delay * 5 / 4)
        note_host(crawl, job, host, wait);
    return wait;
}

static void note_robots(struct crawl *crawl, struct job *job, struct politeness_origin origin)
{
    struct store_robots row = {
        .host = origin.host, .secure = origin.secure, .fetched = job->wall, .status = job->status};
    const struct robots *robots = politeness_robots(crawl->politeness, origin, &row.expires);
    struct buf blob;

    buf_init(&blob, 0);
    if (robots && robots_save(robots, &blob) == SCENT_OK) {
        row.rules = arena_str(&job->arena, buf_str(&blob));
        rows_put_robots(&job->rows, &row);
    }
    buf_release(&blob);
}

/* What the answer means for the origin that was asked about (RFC 9309, 2.3.1). */
static int64_t learn_robots(struct crawl *crawl, struct job *job, struct politeness_origin origin)
{
    int64_t now = clock_wall(crawl->options->clock);

    if (job->result == JOB_ROBOTS)
        return politeness_robots_file(crawl->politeness, origin, job->robots, now);
    if (job->result == JOB_STATUS && job->status / 100 == 4 && job->status != 429)
        return politeness_robots_none(crawl->politeness, origin, now);
    /* A certificate, a forbidden address: every page of the origin fails alike. Not so where a redirect led elsewhere. */
    if (job->result == JOB_FAILED && !job->may_retry && !job->visit.candidate.redirects)
        return politeness_robots_none(crawl->politeness, origin, now);
    if (job->result == JOB_REDIRECT) /* without an end */
        return politeness_robots_none(crawl->politeness, origin, now);
    return politeness_robots_failed(crawl->politeness, origin, job->trouble ? job->trouble : "its robots.txt fails", now);
}

/* The host is held while a request for its robots.txt is in flight. While that waits in a queue there is no need: in the
 * queue of the host itself it comes first, and a page that comes before it finds that it must wait (POLITENESS_ASKING). */
scent_status crawl_apply_robots(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct politeness_origin origin = steer_robots_origin(&job->visit.candidate);
    uint8_t redirects = (uint8_t)(job->visit.candidate.redirects + 1);
    int64_t wait, now = clock_mono(crawl->options->clock);
    bool queued = false;

    release_host(crawl, origin.host);
    if (job->result == JOB_REDIRECT && redirects <= MOST_ROBOTS_REDIRECTS &&
        steer_ask_robots(crawl->steer, &job->target, origin, &job->visit.candidate, redirects, &job->rows, &queued) !=
            SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory in the frontier");
    if (!queued) {
        wait = learn_robots(crawl, job, origin);
        frontier_set_delay(frontier, origin.host, politeness_delay(crawl->politeness, origin.host));
        if (wait)
            frontier_wait_until(frontier, origin.host, now + wait, now);
        note_host(crawl, job, origin.host, wait);
        note_robots(crawl, job, origin);
    }
    if (job->result == JOB_ROBOTS && crawl_ask_sitemaps(crawl, job, origin) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for sitemaps");
    if (job->records.len)
        crawl_fill_row(crawl, job);
    crawl_note_state(job,
                     job->result == JOB_REDIRECT ? STORE_REDIRECTED
                     : job->records.len          ? STORE_FETCHED
                                                 : STORE_FAILED,
                     str_of(job->error));
    return SCENT_OK;
}

/* ---- restart ---- */

struct restore_access {
    struct crawl *crawl;
    struct errmsg *err;
};

/* Of a date in the store. When the clock says that it is earlier than when the last page came, it was set back; then no
 * time has passed, as far as anybody knows. */
static int64_t time_left(const struct crawl *crawl, int64_t date)
{
    int64_t now = clock_wall(crawl->options->clock);

    return clock_until(date, now > crawl->last_wall ? now : crawl->last_wall, FRONTIER_WAIT_MAX_US);
}

static scent_status restore_host(void *ctx, const struct store_host *host)
{
    struct restore_access *restore = ctx;
    struct crawl *crawl = restore->crawl;
    struct frontier *frontier = steer_frontier(crawl->steer);
    int64_t now = clock_mono(crawl->options->clock);
    int64_t left = time_left(crawl, host->not_before);

    /* When the last visit began is not written for every visit: as if it had begun just now. */
    if (host->delay_us > left)
        left = host->delay_us;
    politeness_restore(crawl->politeness, host->id, host->failures, host->delay_us);
    if (left > 0)
        frontier_wait_until(frontier, host->id, now + left, now);
    return SCENT_OK;
}

static scent_status restore_robots(void *ctx, const struct store_robots *row)
{
    struct restore_access *restore = ctx;
    struct crawl *crawl = restore->crawl;
    struct frontier *frontier = steer_frontier(crawl->steer);
    int64_t left = time_left(crawl, row->expires);

    /* What is out of date, or cannot be read, is asked for again. */
    if (row->host < frontier_hosts(frontier) && left > 0 &&
        politeness_restore_robots(crawl->politeness, (struct politeness_origin){row->host, row->secure}, row->rules,
                               clock_wall(crawl->options->clock) + left) == SCENT_OK)
        frontier_set_delay(frontier, row->host, politeness_delay(crawl->politeness, row->host));
    return SCENT_OK;
}

static scent_status restore_name(void *ctx, const struct store_dns *row)
{
    struct restore_access *restore = ctx;
    struct crawl *crawl = restore->crawl;
    struct fetch_name name = {0};
    int64_t left = time_left(crawl, row->expires);
    struct str rest = row->addresses, part;
    struct fetch_name *grown;

    if (crawl->nnames == NAMES_MAX)
        return SCENT_E_END;
    if (row->failure.len || left == 0)
        return SCENT_OK; /* failures are asked for again after a restart */
    name.expires_wall = clock_wall(crawl->options->clock) + left;
    while (name.naddresses < FETCH_ADDRESSES_MAX && str_split(&rest, ' ', &part))
        name.naddresses += fetch_ip_parse(part, &name.addresses[name.naddresses]);
    if (!name.naddresses)
        return SCENT_OK;
    name.name = arena_str(&crawl->names_arena, row->name);
    if (!name.name.p)
        return SCENT_E_NOMEM;
    if ((crawl->nnames & (crawl->nnames - 1)) == 0) {
        grown = realloc(crawl->names, (crawl->nnames ? crawl->nnames * 2 : 1) * sizeof *grown);
        if (!grown)
            return SCENT_E_NOMEM;
        crawl->names = grown;
    }
    crawl->names[crawl->nnames++] = name;
    return SCENT_OK;
}

scent_status crawl_restore_access(struct crawl *crawl, struct errmsg *err)
{
    struct restore_access restore = {crawl, err};
    scent_status status;

    if (!crawl->politeness)
        return SCENT_OK;
    status = politeness_reserve(crawl->politeness, frontier_hosts(steer_frontier(crawl->steer)));
    if (status == SCENT_OK)
        status = store_each_host(crawl->store, restore_host, &restore, err);
    if (status == SCENT_OK)
        status = store_each_robots(crawl->store, restore_robots, &restore, err);
    if (status == SCENT_OK)
        status = store_each_dns(crawl->store, restore_name, &restore, err);
    return status == SCENT_E_END ? SCENT_OK : status;
}

bool crawl_next_known_name(void *ctx, struct fetch_name *out)
{
    struct crawl *crawl = ctx;

    if (crawl->next_name == crawl->nnames)
        return false;
    *out = crawl->names[crawl->next_name++];
    return true;
}
