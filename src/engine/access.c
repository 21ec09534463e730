#include "engine/access.h"

#include "base/hash.h"
#include "base/vec.h"
#include "engine/crawl.h"

#include <stdio.h>
#include <stdlib.h>

#define LONGEST_SILENCE INT64_C(3600000000) /* how long name servers in trouble are left alone, in microseconds */

enum {
    NAMES_MAX = 100000,       /* known from before; no more fit into the cache of names */
    MOST_ROBOTS_REDIRECTS = 5, /* RFC 9309, 2.3.1.2 */
    IDLE_US = 500 * 1000      /* texts of URLs may still be on their way from the disk for so long */
};

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
    if (!politeness_set_held(crawl->access.politeness, host, true))
        frontier_hold(steer_frontier(crawl->steer), host);
}

static void release_host(struct crawl *crawl, uint32_t host)
{
    if (politeness_set_held(crawl->access.politeness, host, false))
        frontier_release(steer_frontier(crawl->steer), host);
}

/* ---- names ---- */

static void note_name(struct job *job)
{
    const struct fetch_name *name = job->name.answer;
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
        ROWS_ADD(&job->rows, names, row);
}

/* Politeness by address counts for the first of them: that is where libcurl goes. */
static scent_status set_ip(struct crawl *crawl, uint32_t host, const struct fetch_ip *ip)
{
    uint32_t number;

    SCENT_TRY(numbering_find(&crawl->access.ips, hash_bytes(ip->bytes, ip->len, crawl->key), &number));
    SCENT_TRY(frontier_set_ip(steer_frontier(crawl->steer), host, number));
    exchange_addresses_found(crawl, number);
    return SCENT_OK;
}

static void note_host(struct crawl *crawl, struct job *job, uint32_t host, const char *ip, int64_t wait_us)
{
    struct store_host row = {
        .id = host,
        .delay_us = politeness_delay(crawl->access.politeness, host),
        .failures = politeness_failures(crawl->access.politeness, host),
        .ip = arena_str(&job->arena, str_of(ip)),
    };
    int64_t gap = wait_us > row.delay_us ? wait_us : row.delay_us;

    row.not_before = clock_wall(crawl->options->clock) + gap;
    ROWS_ADD(&job->rows, host_changes, row);
}

/* The first trouble with a host that a seed may be on, and that has given nothing yet, is told to the user at once: its
 * name may be mistyped. */
static void tell_trouble(struct crawl *crawl, uint32_t host, const char *trouble, int64_t wait)
{
    struct str name = frontier_host_name(steer_frontier(crawl->steer), host);
    bool is_seed = politeness_failures(crawl->access.politeness, host) == 1 && !steer_host_pages(crawl->steer, host) &&
                   steer_on_seed_domain(crawl->steer, host);
    char text[256];

    snprintf(text, sizeof text, "%s; retry in %s", trouble, overview_time(wait).text);
    if (is_seed)
        outcome_tell_seed(crawl, name, text);
    else
        journal_tell(crawl->journal, JOURNAL_HOST, LOG_INFO, name, "%s", text);
}

/* The name servers may be in trouble themselves. Until they are asked again the answer stays the same, and must not
 * count as one more failure. */
static int64_t until_asked_again(const struct crawl *crawl, const struct fetch_name *name)
{
    bool doubtful = name->failure == FETCH_NAME_FAILED || name->failure == FETCH_NAME_SILENT;

    return doubtful ? clock_until(name->expires_wall, clock_wall(crawl->options->clock), LONGEST_SILENCE) : 0;
}

scent_status access_apply_name(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct politeness *politeness = crawl->access.politeness;
    struct frontier *frontier = steer_frontier(crawl->steer);
    const struct fetch_name *name = job->name.answer;
    int64_t now = clock_mono(crawl->options->clock), wait;
    uint32_t host = job->name.host;

    if (!job->name.ahead)
        frontier_release(frontier, host);
    if (!name)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for a name");
    if (name->failure == FETCH_NAME_STOPPED)
        return SCENT_OK;
    note_name(job);
    if (job->name.ahead && name->failure != FETCH_NAME_OK) /* it counts when somebody wants to go there */
        return SCENT_OK;
    if (name->naddresses == 0 && name->failure != FETCH_NAME_OK) {
        wait = until_asked_again(crawl, name);
        wait = politeness_visit_done(politeness, host, fetch_name_failure_text(name->failure), wait, 0);
        frontier_wait_until(frontier, host, now + wait, now);
        note_host(crawl, job, host, "", wait);
        tell_trouble(crawl, host, fetch_name_failure_text(name->failure), wait);
        return SCENT_OK;
    }
    politeness_set_resolved(politeness, host, true);
    if (name->naddresses && set_ip(crawl, host, &name->addresses[0]) != SCENT_OK) /* none: a proxy finds it, .onion */
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for an address");
    return SCENT_OK;
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

/* Puts it back: something must be learned first. */
static void put_back(struct crawl *crawl, const struct frontier_taken *taken, enum access_verdict verdict,
                     struct access_answer *out)
{
    frontier_untake(steer_frontier(crawl->steer), taken->id, &taken->candidate);
    out->verdict = verdict;
}

/* A host that is down may be up again in some minutes, or hours: while there is other work it rests. False: it had its
 * chances. With a window the order of visits does not depend on time, so it has none. */
static bool rest_host(struct crawl *crawl, uint32_t host)
{
    struct access *access = &crawl->access;
    int64_t rest;

    if (crawl->topic->window || !vec_reserve(&access->resting, &access->resting_room, access->nresting + 1,
                                             sizeof *access->resting))
        return false;
    rest = politeness_rest(access->politeness, host);
    if (!rest)
        return false;
    access->resting[access->nresting++] =
        (struct access_rest){.host = host, .until = clock_mono(crawl->options->clock) + rest};
    journal_tell(crawl->journal, JOURNAL_HOST, LOG_INFO, frontier_host_name(steer_frontier(crawl->steer), host),
                 "it does not answer (%s) and is left alone for %s", politeness_trouble(access->politeness, host),
                 overview_time(rest).text);
    frontier_hold(steer_frontier(crawl->steer), host);
    return true;
}

void access_wake_resting(struct crawl *crawl)
{
    struct access *access = &crawl->access;
    int64_t now = clock_mono(crawl->options->clock);

    for (size_t i = access->nresting; i-- > 0;)
        if (access->resting[i].until <= now) {
            frontier_release(steer_frontier(crawl->steer), access->resting[i].host);
            access->resting[i] = access->resting[--access->nresting];
        }
}

void access_note_idle(struct crawl *crawl, bool idle)
{
    struct access *access = &crawl->access;
    int64_t now = clock_mono(crawl->options->clock);

    if (!idle || !access->nresting) {
        access->idle_since = 0;
        return;
    }
    if (!access->idle_since)
        access->idle_since = now;
    if (now - access->idle_since < IDLE_US)
        return;
    for (size_t i = 0; i < access->nresting; i++) {
        journal_tell(crawl->journal, JOURNAL_HOST, LOG_INFO,
                     frontier_host_name(steer_frontier(crawl->steer), access->resting[i].host),
                     "it does not answer (%s) and is given up: nothing else is left to do",
                     politeness_trouble(access->politeness, access->resting[i].host));
        politeness_give_up(access->politeness, access->resting[i].host);
        frontier_release(steer_frontier(crawl->steer), access->resting[i].host);
    }
    access->nresting = 0;
}

static scent_status ask_politeness(struct crawl *crawl, const struct frontier_taken *taken, const struct url *url,
                                   struct rows *rows, struct access_answer *out)
{
    struct politeness *politeness = crawl->access.politeness;
    int64_t now = clock_wall(crawl->options->clock);

    switch (politeness_ask(politeness, origin_of(taken->host, url), target_of(url), now)) {
    case POLITENESS_ALLOWED:
        break;
    case POLITENESS_ASKING: /* its robots.txt stands in the queue of another host, after a redirect */
        put_back(crawl, taken, ACCESS_LATER, out);
        hold_host(crawl, taken->host);
        break;
    case POLITENESS_ASK:
        put_back(crawl, taken, ACCESS_LATER, out);
        return ask_robots(crawl, url, taken, rows);
    case POLITENESS_FORBIDDEN:
        *out = (struct access_answer){ACCESS_REFUSED, STORE_DROPPED, "robots.txt forbids it", true};
        break;
    case POLITENESS_DEAD:
        if (rest_host(crawl, taken->host)) {
            put_back(crawl, taken, ACCESS_LATER, out);
            break;
        }
        *out = (struct access_answer){ACCESS_REFUSED, STORE_FAILED, "", false};
        snprintf(out->why, sizeof out->why, "the host does not answer (%s)",
                 politeness_trouble(politeness, taken->host));
        break;
    }
    return SCENT_OK;
}

scent_status access_ask(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows,
                        struct access_answer *out)
{
    struct politeness *politeness = crawl->access.politeness;
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct arena arena;
    struct url url;
    scent_status status;

    out->verdict = ACCESS_GO;
    if (!politeness)
        return SCENT_OK;
    SCENT_TRY(politeness_reserve(politeness, frontier_hosts(frontier)));
    if (!crawl->ways.proxy && !politeness_is_resolved(politeness, taken->host) &&
        !politeness_is_dead(politeness, taken->host)) {
        put_back(crawl, taken, ACCESS_NAME, out);
        frontier_hold(frontier, taken->host);
        return SCENT_OK;
    }
    if (taken->candidate.flags & CANDIDATE_ROBOTS) {
        politeness_set_asking(politeness, steer_robots_origin(&taken->candidate)); /* queued before a restart */
        hold_host(crawl, steer_robots_origin(&taken->candidate).host);
        return SCENT_OK;
    }
    arena_init(&arena, SIZE_MAX);
    status = url_parse(&arena, taken->href, NULL, &url);
    if (status == SCENT_OK)
        status = ask_politeness(crawl, taken, &url, rows, out);
    arena_release(&arena);
    return status;
}

bool access_needs_names(struct crawl *crawl)
{
    struct politeness *politeness = crawl->access.politeness;

    return politeness && !crawl->ways.proxy &&
           politeness_reserve(politeness, frontier_hosts(steer_frontier(crawl->steer))) == SCENT_OK;
}

void access_set_delay(struct crawl *crawl, int64_t delay_us)
{
    struct frontier *frontier = crawl->steer ? steer_frontier(crawl->steer) : NULL;

    politeness_set_delay(crawl->access.politeness, delay_us);
    if (!frontier)
        return;
    frontier_set_usual_delay(frontier, delay_us);
    if (access_needs_names(crawl))
        for (uint32_t host = 0; host < frontier_hosts(frontier); host++)
            frontier_set_delay(frontier, host, politeness_delay(crawl->access.politeness, host));
}

/* ---- after a visit ---- */

/* A visit may have waited for a thread of a busy machine after it was taken: the next one keeps its distance from when
 * it began. Where somebody has set the clock back meanwhile, that is now. */
static void keep_distance(struct crawl *crawl, const struct visit *visit, int64_t delay, int64_t now)
{
    int64_t since = clock_wall(crawl->options->clock) - visit->wall;

    if (delay && since < delay)
        frontier_wait_until(steer_frontier(crawl->steer), visit->at.host, now + delay - (since > 0 ? since : 0), now);
}

int64_t access_visit_done(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct politeness *politeness = crawl->access.politeness;
    struct frontier *frontier = steer_frontier(crawl->steer);
    uint32_t host = visit->at.host, failures;
    int64_t before, delay, wait, now = clock_mono(crawl->options->clock);

    if (!politeness)
        return 0;
    failures = politeness_failures(politeness, host);
    before = politeness_delay(politeness, host);
    /* One page that hangs does not make a slow host. */
    wait = politeness_visit_done(politeness, host, visit->trouble, visit->retry_after,
                                 visit->out_of_time ? -1 : visit->took_us);
    delay = politeness_delay(politeness, host);
    if (visit->trouble)
        politeness_set_resolved(politeness, host, false); /* its address may have changed */
    if (wait)
        frontier_wait_until(frontier, host, now + wait, now);
    crawl->counting.back_offs += wait > 0;
    if (wait)
        tell_trouble(crawl, host,
                     !visit->trouble ? "it asks to be left alone" : *visit->error ? visit->error : visit->trouble,
                     wait);
    if (delay != before)
        frontier_set_delay(frontier, host, delay);
    keep_distance(crawl, visit, delay, now);
    if (wait || failures != politeness_failures(politeness, host) || delay > before * 5 / 4)
        note_host(crawl, job, host, visit->ip, wait);
    return wait;
}

static void note_robots(struct crawl *crawl, struct job *job, struct politeness_origin origin)
{
    struct store_robots row = {
        .host = origin.host, .secure = origin.secure, .fetched = job->visit.wall, .status = job->visit.status};
    const struct robots *robots = politeness_robots(crawl->access.politeness, origin, &row.expires);
    struct buf blob;

    buf_init(&blob, 0);
    if (robots && robots_save(robots, &blob) == SCENT_OK) {
        row.rules = arena_str(&job->arena, buf_str(&blob));
        ROWS_ADD(&job->rows, robots, row);
    }
    buf_release(&blob);
}

/* What the answer means for the origin that was asked about (RFC 9309, 2.3.1). */
static int64_t learn_robots(struct crawl *crawl, struct job *job, struct politeness_origin origin)
{
    struct visit *visit = &job->visit;
    int64_t now = clock_wall(crawl->options->clock);

    if (visit->result == VISIT_ROBOTS)
        return politeness_robots_file(crawl->access.politeness, origin, visit->robots, now);
    if (visit->result == VISIT_STATUS && visit->status / 100 == 4 && visit->status != 429)
        return politeness_robots_none(crawl->access.politeness, origin, now);
    /* A certificate, a forbidden address: every page of the origin fails alike. Not so after a redirect. */
    if (visit->result == VISIT_FAILED && !visit->may_retry && !visit->at.candidate.redirects)
        return politeness_robots_none(crawl->access.politeness, origin, now);
    if (visit->result == VISIT_REDIRECT) /* without an end */
        return politeness_robots_none(crawl->access.politeness, origin, now);
    return politeness_robots_failed(crawl->access.politeness, origin,
                                    visit->trouble ? visit->trouble : "its robots.txt fails", now);
}

scent_status access_apply_robots(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct politeness_origin origin = steer_robots_origin(&visit->at.candidate);
    uint8_t redirects = (uint8_t)(visit->at.candidate.redirects + 1);
    int64_t wait, now = clock_mono(crawl->options->clock);
    bool queued = false;

    release_host(crawl, origin.host);
    if (visit->result == VISIT_REDIRECT && redirects <= MOST_ROBOTS_REDIRECTS &&
        steer_ask_robots(crawl->steer, &visit->target, origin, &visit->at.candidate, redirects, &job->rows, &queued) !=
            SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory in the frontier");
    if (!queued) {
        wait = learn_robots(crawl, job, origin);
        frontier_set_delay(frontier, origin.host, politeness_delay(crawl->access.politeness, origin.host));
        if (wait)
            frontier_wait_until(frontier, origin.host, now + wait, now);
        if (wait)
            journal_tell(crawl->journal, JOURNAL_ROBOTS, LOG_INFO, frontier_host_name(frontier, origin.host),
                         "its robots.txt cannot be read (%s); retry in %s", visit->error, overview_time(wait).text);
        note_host(crawl, job, origin.host, visit->ip, wait);
        note_robots(crawl, job, origin);
    }
    if (visit->result == VISIT_ROBOTS && sitemaps_ask(crawl, job, origin) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for sitemaps");
    if (visit->records.len)
        outcome_fill_row(crawl, job);
    outcome_note_state(job,
                       visit->result == VISIT_REDIRECT ? STORE_REDIRECTED
                       : visit->records.len          ? STORE_FETCHED
                                                   : STORE_FAILED,
                       str_of(visit->error));
    return SCENT_OK;
}

/* ---- restart ---- */

/* Of a date in the store. When the clock says that it is earlier than when the last page came, it was set back; then no
 * time has passed, as far as anybody knows. */
static int64_t time_left(const struct crawl *crawl, int64_t date)
{
    int64_t now = clock_wall(crawl->options->clock);

    return clock_until(date, now > crawl->access.last_wall ? now : crawl->access.last_wall, FRONTIER_WAIT_MAX_US);
}

static scent_status restore_host(void *ctx, const struct store_host *host)
{
    struct crawl *crawl = ctx;
    struct frontier *frontier = steer_frontier(crawl->steer);
    int64_t now = clock_mono(crawl->options->clock);
    int64_t left = time_left(crawl, host->not_before);

    /* When the last visit began is not written for every visit: as if it had begun just now. */
    if (host->delay_us > left)
        left = host->delay_us;
    politeness_restore(crawl->access.politeness, host->id, host->failures, host->delay_us);
    if (left > 0)
        frontier_wait_until(frontier, host->id, now + left, now);
    return SCENT_OK;
}

scent_status access_import_host(struct crawl *crawl, const struct store_host *host)
{
    if (!crawl->access.politeness)
        return SCENT_OK;
    SCENT_TRY(politeness_reserve(crawl->access.politeness, frontier_hosts(steer_frontier(crawl->steer))));
    return restore_host(crawl, host);
}

static scent_status restore_robots(void *ctx, const struct store_robots *row)
{
    struct crawl *crawl = ctx;
    struct frontier *frontier = steer_frontier(crawl->steer);
    int64_t left = time_left(crawl, row->expires);

    /* What is out of date, or cannot be read, is asked for again. */
    if (row->host < frontier_hosts(frontier) && left > 0 &&
        politeness_restore_robots(crawl->access.politeness, (struct politeness_origin){row->host, row->secure},
                                  row->rules, clock_wall(crawl->options->clock) + left) == SCENT_OK)
        frontier_set_delay(frontier, row->host, politeness_delay(crawl->access.politeness, row->host));
    return SCENT_OK;
}

static scent_status restore_name(void *ctx, const struct store_dns *row)
{
    struct crawl *crawl = ctx;
    struct access *access = &crawl->access;
    struct fetch_name name = {0};
    int64_t left = time_left(crawl, row->expires);
    struct str rest = row->addresses, part;

    if (access->nnames == NAMES_MAX)
        return SCENT_E_END;
    if (row->failure.len || left == 0)
        return SCENT_OK; /* failures are asked for again after a restart */
    name.expires_wall = clock_wall(crawl->options->clock) + left;
    while (name.naddresses < FETCH_ADDRESSES_MAX && str_split(&rest, ' ', &part))
        name.naddresses += fetch_ip_parse(part, &name.addresses[name.naddresses]);
    if (!name.naddresses)
        return SCENT_OK;
    name.name = arena_str(&access->names_arena, row->name);
    if (!name.name.p || !vec_reserve(&access->names, &access->names_room, access->nnames + 1, sizeof *access->names))
        return SCENT_E_NOMEM;
    access->names[access->nnames++] = name;
    return SCENT_OK;
}

scent_status access_restore(struct crawl *crawl, struct errmsg *err)
{
    scent_status status;

    if (!crawl->access.politeness)
        return SCENT_OK;
    SCENT_TRY(politeness_reserve(crawl->access.politeness, frontier_hosts(steer_frontier(crawl->steer))));
    SCENT_TRY(store_each_host(crawl->store, restore_host, crawl, err));
    SCENT_TRY(store_each_robots(crawl->store, restore_robots, crawl, err));
    status = store_each_dns(crawl->store, restore_name, crawl, err);
    return status == SCENT_E_END ? SCENT_OK : status;
}

bool access_next_known_name(void *crawl, struct fetch_name *out)
{
    struct access *access = &((struct crawl *)crawl)->access;

    if (access->next_name == access->nnames)
        return false;
    *out = access->names[access->next_name++];
    return true;
}

/* ---- life ---- */

void access_init(struct crawl *crawl)
{
    const struct topic_politeness *asked = &crawl->topic->politeness;
    struct politeness_options options = {
        .user_agent = asked->user_agent,
        .delay_us = asked->delay_us,
        .give_up_after = 2 + 2 * asked->retries,
        .seed = rng_entropy(),
    };

    if (!crawl->options->web)
        crawl->access.politeness = politeness_new(&options);
    numbering_init(&crawl->access.ips);
    arena_init(&crawl->access.names_arena, SIZE_MAX);
}

void access_release(struct crawl *crawl)
{
    free(crawl->access.resting);
    politeness_free(crawl->access.politeness);
    numbering_release(&crawl->access.ips);
    arena_release(&crawl->access.names_arena);
    free(crawl->access.names);
}
