/* fetching - how visits go out: to servers, or to a web that answers in process. */
#include "engine/crawl.h"

#include <stdio.h>

static bool wants_type(void *ctx, struct str mime)
{
    const struct topic *topic = ctx;

    return scope_wants_type(&topic->scope, mime);
}

static void fetched(void *ctx, struct fetch_exchange *exchange)
{
    struct crawl *crawl = ctx;
    struct job *job = exchange->owner;

    job->exchange = exchange;
    SCENT_BUG_IF(!queue_push(crawl->to_analyse, job));
}

scent_status crawl_start_fetch(struct crawl *crawl, struct errmsg *err)
{
    const struct topic *topic = crawl->topic;
    struct str agent = topic->politeness.user_agent;
    char user_agent[512];
    struct fetch_options options = {
        .user_agent = user_agent,
        .max_body = topic->limits.page_bytes,
        .max_held = topic->limits.body_memory,
        .max_transfers = crawl->max_in_flight,
        .proxy = crawl->ways.proxy,
        .onion_proxy = crawl->ways.onion,
        .cookies_file = crawl->ways.cookies,
        .logins = crawl->ways.logins,
        .nlogins = crawl->ways.nlogins,
        .ca_file = crawl->options->ca_file,
        .dns_server = crawl->options->dns_server,
        .http2 = true,
        .reach = crawl->options->reach,
        .known = crawl_next_known_name,
        .resolved = crawl_name_resolved,
        .names_ctx = crawl,
        .wants = wants_type,
        .wants_ctx = (void *)topic,
        .done = fetched,
        .done_ctx = crawl,
        .clock = crawl->options->clock,
    };

    snprintf(user_agent, sizeof user_agent, "%.*s", STR_ARG(agent));
    return crawl->options->web ? SCENT_OK : fetch_start(&options, &crawl->fetch, err);
}

void crawl_end_fetch(struct crawl *crawl)
{
    if (!crawl->fetch)
        return;
    crawl->fetch_cpu_ns = fetch_cpu_ns(crawl->fetch);
    fetch_stop(crawl->fetch);
    crawl->fetch = NULL;
}

void crawl_submit(struct crawl *crawl, struct job *job)
{
    struct fetch_exchange *exchange = fetch_exchange_new(job, job->url.href.p);

    exchange->any_type = job->visit.candidate.flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP);
    if (job->visit.candidate.flags & CANDIDATE_ROBOTS)
        exchange->max_body = ROBOTS_MAX_BYTES; /* whatever the limit of pages: half of the rules are none */
    if (job->again) {
        exchange->etag = job->again->known.etag.p;
        exchange->last_modified = job->again->known.last_modified.p;
    }
    if (crawl->fetch) {
        fetch_submit(crawl->fetch, exchange);
    } else {
        job->exchange = exchange;
        SCENT_BUG_IF(!queue_push(crawl->to_analyse, job));
    }
}
