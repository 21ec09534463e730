/* Steps 1 and 2 of the way of a page: the best candidate is taken and sent out.
 *
 * To servers, or to a web that answers in process. At most `max_in_flight` visits and look-ups of names are on their
 * way; all of them come back to the inbox. */
#include "engine/crawl.h"

#include "engine/moves.h"


#include <stdio.h>
#include <stdlib.h>

enum {
    NETWORK_IN_FLIGHT = 1024,
    NAMES_AHEAD = 64,
    NEAR_LIMIT_NAP_US = 100 * 1000,
    ROUND_WINDOWS = 16,
};

/* ---- the network ---- */

static bool wants_type(void *ctx, struct str mime)
{
    const struct topic *topic = ctx;

    return scope_wants_type(&topic->scope, mime);
}

/* In the fetch thread. */
static void visit_fetched(void *ctx, struct fetch_exchange *exchange)
{
    struct crawl *crawl = ctx;
    struct job *job = exchange->owner;

    job->visit.exchange = exchange;
    SCENT_BUG_IF(!queue_push(crawl->dispatch.to_analyse, job));
}

/* In the fetch thread. */
static void name_resolved(void *ctx, void *owner, const struct fetch_name *name)
{
    struct crawl *crawl = ctx;
    struct job *job = owner;

    job->name.answer = arena_alloc(&job->arena, sizeof *name);
    if (job->name.answer) {
        *job->name.answer = *name;
        job->name.answer->name = arena_str(&job->arena, name->name);
    }
    SCENT_BUG_IF(!queue_push(crawl->dispatch.inbox, job));
}

scent_status dispatch_start_fetch(struct crawl *crawl, struct errmsg *err)
{
    const struct topic *topic = crawl->topic;
    const struct ways *ways = &crawl->ways;
    char user_agent[512];
    struct fetch_options options = {
        .user_agent = user_agent,
        .max_body = topic->limits.page_bytes,
        .max_held = topic->limits.body_memory,
        .connect_timeout_us = topic->politeness.connect_timeout_us,
        .total_timeout_us = topic->politeness.timeout_us,
        .max_transfers = crawl->dispatch.max_in_flight,
        .proxy = ways->proxy,
        .onion_proxy = ways->onion,
        .cookies_file = ways->cookies,
        .logins = ways->logins,
        .nlogins = ways->nlogins,
        .ca_file = crawl->options->ca_file,
        .dns_server = crawl->options->dns_server,
        .http2 = true,
        .reach = crawl->options->reach,
        .known = access_next_known_name,
        .resolved = name_resolved,
        .names_ctx = crawl,
        .wants = wants_type,
        .wants_ctx = (void *)topic,
        .done = visit_fetched,
        .done_ctx = crawl,
        .clock = crawl->options->clock,
    };

    snprintf(user_agent, sizeof user_agent, "%.*s", STR_ARG(topic->politeness.user_agent));
    return crawl->options->web ? SCENT_OK : fetch_start(&options, &crawl->dispatch.fetch, err);
}

void dispatch_end_fetch(struct crawl *crawl)
{
    struct dispatch *dispatch = &crawl->dispatch;

    if (!dispatch->fetch)
        return;
    dispatch->fetch_cpu_ns = fetch_cpu_ns(dispatch->fetch);
    fetch_stop(dispatch->fetch);
    dispatch->fetch = NULL;
}

/* ---- names ---- */

/* The answer comes to the inbox. */
static void submit_name(struct crawl *crawl, uint32_t host, bool ahead)
{
    struct job *job = job_new(JOB_NAME);

    job->name = (struct job_name){.host = host, .ahead = ahead};
    if (ahead)
        crawl->dispatch.ahead++;
    else
        job->order = crawl->dispatch.sent++;
    fetch_resolve(crawl->dispatch.fetch, url_host_without_port(frontier_host_name(steer_frontier(crawl->steer), host)),
                  job);
}

void dispatch_look_ahead(struct crawl *crawl)
{
    struct dispatch *dispatch = &crawl->dispatch;
    uint32_t hosts[NAMES_AHEAD];
    size_t count;

    if (dispatch->waiting || crawl->ending.stopping || crawl->commands.paused || dispatch->ahead == NAMES_AHEAD ||
        !access_needs_names(crawl))
        return;
    count = frontier_near(steer_frontier(crawl->steer), hosts, NAMES_AHEAD);
    for (size_t i = 0; i < count && dispatch->ahead < NAMES_AHEAD; i++)
        if (politeness_look_ahead(crawl->access.politeness, hosts[i]))
            submit_name(crawl, hosts[i], true);
}

/* ---- visits ---- */

/* Of pages that are new. Those that are visited again do not count, nor do requisites. */
static bool limit_is_near(const struct crawl *crawl)
{
    uint64_t limit = exchange_page_limit(crawl), known = crawl->recrawl ? crawl->recrawl->in_flight : 0;

    known += crawl->requisites.in_flight;
    return crawl->counts.pages + dispatch_in_flight(&crawl->dispatch) - known >= limit;
}

/* A page under way was taken from the frontier of then, and is judged by the judge of then; neither is kept. So a crawl
 * that is to take the same way after a kill is committed only where nothing is under way (decision 67). With a window
 * of 1 that is after every visit. With a larger one a rest costs some of what the window gains, so that there is one
 * after sixteen windows; by number and not by time, or each run would take another way. */
static bool must_rest(struct crawl *crawl)
{
    struct dispatch *dispatch = &crawl->dispatch;
    uint64_t window = crawl->topic->window, round;

    if (!crawl->is_repeatable || dispatch->sent < dispatch->round_end)
        return false;
    if (dispatch_in_flight(dispatch))
        return true;
    round = window == 1 ? 1 : ROUND_WINDOWS * window;
    dispatch->round_end = (dispatch->sent / round + 1) * round;
    if (steer_strategy(crawl->steer)->ops->batch) /* it rests after every batch anyway, which must not be cut */
        dispatch->round_end = dispatch->batch_end;
    return false;
}

bool dispatch_is_at_rest(const struct crawl *crawl)
{
    return !dispatch_in_flight(&crawl->dispatch) && crawl->dispatch.sent == crawl->dispatch.round_end;
}

static bool may_dispatch(struct crawl *crawl)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);
    struct dispatch *dispatch = &crawl->dispatch;

    if (crawl->ending.stopping || crawl->commands.paused || dispatch_in_flight(dispatch) >= dispatch->max_in_flight ||
        exchange_must_wait(crawl->exchange))
        return false;
    if (limit_is_near(crawl) && !(crawl->recrawl && crawl->recrawl->queued > crawl->recrawl->in_flight) &&
        !requisites_any_raised(&crawl->requisites))
        return false;
    if (strategy->ops->batch && dispatch->sent >= dispatch->batch_end) {
        if (dispatch_in_flight(dispatch))
            return false;
        dispatch->batch_end = dispatch->sent + strategy->ops->batch(strategy->state);
    }
    return !must_rest(crawl);
}

static void refuse_visit(struct crawl *crawl, const struct frontier_taken *taken, const struct access_answer *answer,
                   struct rows *rows)
{
    if (taken->candidate.flags & CANDIDATE_AGAIN) {
        recrawl_refuse(crawl, taken, rows);
        return;
    }
    if (candidate_is_requisite(&taken->candidate)) {
        requisites_refuse(crawl, taken, answer->state, arena_str(rows->arena, str_of(answer->why)), rows);
        return;
    }
    crawl->counts.failed += answer->state == STORE_FAILED;
    crawl->counting.robots_refused += answer->by_robots;
    if (taken->candidate.flags & CANDIDATE_SEED)
        outcome_tell_seed(crawl, taken->href, answer->why);
    steer_refuse(crawl->steer, taken, answer->state, arena_str(rows->arena, str_of(answer->why)), rows);
}

static scent_status make_job(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows,
                             struct job *job)
{
    struct visit *visit = &job->visit;
    struct str href = arena_str(&job->arena, taken->href);

    visit->at = (struct steer_visit){.id = taken->id, .host = taken->host, .candidate = taken->candidate};
    visit->at.candidate.tries++;
    visit->at.parts = arena_str(&job->arena, steer_explain(crawl->steer, taken, rows));
    crawl->requisites.in_flight += candidate_is_requisite(&taken->candidate);
    moves_count_visit(crawl, taken->host, 1);
    job->order = crawl->dispatch.sent++;
    visit->judge = judge_ref(crawl->judging.judge);
    if (taken->candidate.flags & CANDIDATE_AGAIN)
        visit->again = recrawl_begin(crawl->recrawl, taken);
    visit->is_again = visit->again;
    SCENT_TRY(href.p && visit->at.parts.p ? url_parse(&job->arena, href, NULL, &visit->url) : SCENT_E_NOMEM);
    if (crawl->judging.repeats)
        visit->repeats = repeats_of(crawl->judging.repeats, &visit->url);
    return SCENT_OK;
}

static void submit_visit(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct fetch_exchange *exchange = fetch_exchange_new(job, visit->url.href.p);

    exchange->any_type = visit->at.candidate.flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_REQUISITE);
    if (candidate_is_requisite(&visit->at.candidate))
        exchange->max_body = crawl->topic->requisites.bytes;
    if (visit->at.candidate.flags & CANDIDATE_ROBOTS)
        exchange->max_body = ROBOTS_MAX_BYTES; /* whatever the limit of pages: half of the rules are none */
    if (visit->again) {
        exchange->etag = visit->again->known.etag.p;
        exchange->last_modified = visit->again->known.last_modified.p;
    }
    if (crawl->dispatch.fetch)
        fetch_submit(crawl->dispatch.fetch, exchange);
    else
        visit_fetched(crawl, exchange);
}

/* Takes one candidate, and does with it what access says. SCENT_E_NOTFOUND, SCENT_E_END: there is none. */
static scent_status dispatch_one(struct crawl *crawl, struct rows *rows, int64_t *wait_us)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct frontier_taken taken;
    struct access_answer answer;
    struct job *job;
    scent_status status;

    SCENT_TRY(steer_take(crawl->steer, clock_mono(crawl->options->clock), rows, &taken, wait_us));
    if (limit_is_near(crawl) &&
        !(taken.candidate.flags & (CANDIDATE_AGAIN | CANDIDATE_ROBOTS | CANDIDATE_REQUISITE))) {
        /* They come first: none of them may be visited now. */
        frontier_untake(frontier, taken.id, &taken.candidate);
        *wait_us = NEAR_LIMIT_NAP_US;
        return SCENT_E_END;
    }
    if (candidate_is_requisite(&taken.candidate) && requisites_used_up(crawl)) {
        requisites_refuse(crawl, &taken, STORE_DROPPED, str_of(requisites_used_up(crawl)), rows);
        return SCENT_OK;
    }
    if (steer_is_blocked(crawl->steer, taken.host) && !(taken.candidate.flags & CANDIDATE_ROBOTS))
        answer = (struct access_answer){ACCESS_REFUSED, STORE_DROPPED, STEER_BLOCKED, false};
    else
        SCENT_TRY(access_ask(crawl, &taken, rows, &answer));
    if (answer.verdict == ACCESS_REFUSED)
        refuse_visit(crawl, &taken, &answer, rows);
    if (answer.verdict == ACCESS_NAME)
        submit_name(crawl, taken.host, false);
    if (answer.verdict != ACCESS_GO)
        return SCENT_OK;
    job = job_new(JOB_VISIT);
    status = make_job(crawl, &taken, rows, job);
    if (status == SCENT_OK)
        submit_visit(crawl, job);
    else
        job_free(job);
    return status;
}

scent_status dispatch_visits(struct crawl *crawl, int64_t *wait_us, struct errmsg *err)
{
    struct job *aside; /* carries the rows of what is not visited */
    scent_status status = SCENT_OK;

    *wait_us = crawl->dispatch.quiet_until - clock_mono(crawl->options->clock);
    if (*wait_us > 0)
        return SCENT_OK;
    *wait_us = INT64_MAX;
    if (retries_queue_due(&crawl->retries, steer_frontier(crawl->steer), clock_mono(crawl->options->clock),
                          crawl->dispatch.idle) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory in the frontier");
    access_wake_resting(crawl);
    aside = job_new(JOB_ROWS);
    while (status == SCENT_OK && may_dispatch(crawl))
        status = dispatch_one(crawl, &aside->rows, wait_us);
    crawl->dispatch.idle = (status == SCENT_E_NOTFOUND || status == SCENT_E_END) && *wait_us == INT64_MAX &&
                           !dispatch_in_flight(&crawl->dispatch);
    access_note_idle(crawl, crawl->dispatch.idle && !crawl->retries.count);
    dispatch_put_rows(crawl, aside);
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND || status == SCENT_E_END)
        return SCENT_OK;
    return errmsg_fail(err, status, "cannot take a URL from the frontier: %s", scent_status_text(status));
}

void dispatch_put_rows(struct crawl *crawl, struct job *job)
{
    if (rows_are_empty(&job->rows))
        job_free(job);
    else
        outcome_put(crawl, job);
}

/* ---- results ---- */

static struct job *next_in_order(struct crawl *crawl, struct job *job)
{
    struct dispatch *dispatch = &crawl->dispatch;
    uint32_t window = crawl->topic->window;
    struct job **slot;

    if (!dispatch->waiting)
        return job;
    if (job)
        dispatch->waiting[job->order % window] = job;
    slot = &dispatch->waiting[dispatch->applied % window];
    job = *slot;
    *slot = NULL;
    return job;
}

struct job *dispatch_next_result(struct crawl *crawl, int64_t wait_us)
{
    struct job *job = next_in_order(crawl, NULL);

    if (job)
        return job;
    job = queue_pop_for(crawl->dispatch.inbox, wait_us);
    if (job && (job->kind == JOB_CONTROL || job->kind == JOB_REREAD)) /* they have no place in the order of visits */
        return job;
    return job ? next_in_order(crawl, job) : NULL;
}

/* ---- life ---- */

void dispatch_open(struct crawl *crawl, uint32_t threads)
{
    struct dispatch *dispatch = &crawl->dispatch;
    uint32_t window = crawl->topic->window;

    dispatch->max_in_flight = crawl->options->web ? 4 * threads : NETWORK_IN_FLIGHT;
    if (window) {
        dispatch->max_in_flight = window;
        dispatch->waiting = calloc(window, sizeof *dispatch->waiting);
        SCENT_BUG_IF(!dispatch->waiting);
    }
    dispatch->to_analyse = queue_new(dispatch->max_in_flight);
    dispatch->inbox = queue_new(dispatch->max_in_flight + LOADER_JOBS + NAMES_AHEAD + LISTENER_JOBS + 1 +
                                (crawl->exchange ? EXCHANGE_JOBS : 0));
}

/* Whatever is still on its way is thrown away: the store says that it is queued. */
void dispatch_release(struct crawl *crawl)
{
    struct dispatch *dispatch = &crawl->dispatch;
    struct job *job;

    while (dispatch->inbox && (job = queue_pop_for(dispatch->inbox, 0)))
        job_free(job);
    for (uint32_t i = 0; dispatch->waiting && i < crawl->topic->window; i++)
        job_free(dispatch->waiting[i]);
    queue_free(dispatch->to_analyse);
    queue_free(dispatch->inbox);
    free(dispatch->waiting);
    dispatch->to_analyse = dispatch->inbox = NULL;
    dispatch->waiting = NULL;
}
