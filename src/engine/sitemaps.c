#include "engine/sitemaps.h"

#include "engine/crawl.h"
#include "robots/sitemap.h"

#include <stdio.h>

enum {
    ROBOTS_LINES = 10,  /* of a robots.txt, which may have thousands */
    INDEX_LINES = 50,   /* of an index */
    MAX_REDIRECTS = 5,
    TO_INDEX = 0, TO_URLS = 1 /* levels: what robots.txt names may be an index, what an index names may not */
};

/* ---- in an analyst ---- */

struct collector {
    struct job *job;
    unsigned flags;
    bool failed;
};

static bool collect_url(void *ctx, const struct sitemap_entry *entry)
{
    struct collector *collector = ctx;
    struct arena *arena = &collector->job->arena;
    struct visit *visit = &collector->job->visit;
    struct url parsed;

    if (!visit->listed.urls)
        visit->listed.urls = arena_array(arena, SITEMAPS_URLS, sizeof *visit->listed.urls);
    collector->failed = !visit->listed.urls;
    if (!collector->failed && url_parse(arena, entry->url, &visit->url, &parsed) == SCENT_OK &&
        url_normalise(arena, &parsed, collector->flags, &visit->listed.urls[visit->listed.count]) == SCENT_OK)
        visit->listed.count++;
    return !collector->failed && visit->listed.count < SITEMAPS_URLS;
}

bool sitemaps_read(struct job *job, struct str body, unsigned flags)
{
    struct visit *visit = &job->visit;
    struct collector collector = {.job = job, .flags = flags};
    struct sitemap_report report;

    if (sitemap_read(body, collect_url, &collector, &report) != SCENT_OK || collector.failed) {
        snprintf(visit->error, sizeof visit->error, "out of memory for a sitemap");
        return false;
    }
    visit->listed.is_index = report.kind == SITEMAP_INDEX;
    if (report.kind == SITEMAP_NONE)
        snprintf(visit->error, sizeof visit->error, "no sitemap%s%s", report.reason[0] ? ": " : "", report.reason);
    return report.kind != SITEMAP_NONE;
}

/* ---- in the engine ---- */

static bool is_of(const struct url *url, struct str server)
{
    return str_eq(url_server(url), server);
}

scent_status sitemaps_ask(struct crawl *crawl, struct job *job, struct politeness_origin origin)
{
    struct visit *visit = &job->visit;
    int64_t expires;
    const struct robots *robots = politeness_robots(crawl->access.politeness, origin, &expires);
    struct steer_sitemap sitemap = {.host = origin.host, .level = TO_INDEX, .found_on = visit->at.id};
    scent_status status = SCENT_OK;

    /* Who is visited for a requisite alone is not asked for pages. */
    if (!crawl->topic->sitemaps || !robots || visit->at.candidate.flags & CANDIDATE_REQUISITE)
        return SCENT_OK;
    sitemap.depth = visit->at.candidate.depth;
    sitemap.off_domain = visit->at.candidate.off_domain;
    for (size_t i = 0; i < ROBOTS_LINES && status == SCENT_OK; i++) {
        struct str line = robots_sitemap(robots, i);
        struct url parsed, url;

        if (line.len && url_parse(&job->arena, line, &visit->url, &parsed) == SCENT_OK &&
            url_normalise(&job->arena, &parsed, topic_url_flags(crawl->topic), &url) == SCENT_OK)
            status = steer_ask_sitemap(crawl->steer, &url, &sitemap, &job->rows);
    }
    return status;
}

/* sitemaps.org: an index names sitemaps of its own site. */
static scent_status ask_children(struct crawl *crawl, struct job *job, struct steer_sitemap *sitemap,
                                 struct str speaks_for)
{
    const struct visit *visit = &job->visit;
    size_t asked = 0;

    if (sitemap->level != TO_INDEX)
        return SCENT_OK;
    sitemap->level = TO_URLS;
    sitemap->redirects = 0;
    for (size_t i = 0; i < visit->listed.count && asked < INDEX_LINES; i++) {
        const struct url *url = &visit->listed.urls[i];

        if (!is_of(url, speaks_for) && !is_of(url, url_server(&visit->url)))
            continue;
        asked++;
        SCENT_TRY(steer_ask_sitemap(crawl->steer, url, sitemap, &job->rows));
    }
    return SCENT_OK;
}

/* sitemaps.org: a sitemap lists URLs of its own host, or of the one whose robots.txt names it. */
static scent_status take_listed(struct crawl *crawl, struct job *job, struct str speaks_for)
{
    const struct visit *visit = &job->visit;

    for (size_t i = 0; i < visit->listed.count; i++) {
        const struct url *url = &visit->listed.urls[i];

        if (is_of(url, speaks_for) || is_of(url, url_server(&visit->url)))
            SCENT_TRY(steer_list(crawl->steer, &visit->at, url, &job->rows));
    }
    return SCENT_OK;
}

static scent_status apply_listing(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct steer_sitemap sitemap = steer_sitemap_of(&visit->at);
    struct str speaks_for = arena_str(&job->arena, frontier_host_name(steer_frontier(crawl->steer), sitemap.host));

    if (!speaks_for.p)
        return SCENT_E_NOMEM;
    if (visit->result == VISIT_REDIRECT && ++sitemap.redirects <= MAX_REDIRECTS)
        return steer_ask_sitemap(crawl->steer, &visit->target, &sitemap, &job->rows);
    if (visit->result != VISIT_SITEMAP)
        return SCENT_OK;
    return visit->listed.is_index ? ask_children(crawl, job, &sitemap, speaks_for)
                                      : take_listed(crawl, job, speaks_for);
}

scent_status sitemaps_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    scent_status status = apply_listing(crawl, job);
    enum store_url_state state = visit->result == VISIT_SITEMAP    ? STORE_FETCHED
                                 : visit->result == VISIT_REDIRECT ? STORE_REDIRECTED
                                                               : STORE_FAILED;

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "out of memory for a sitemap");
    crawl->counts.failed += state == STORE_FAILED;
    if (visit->records.len)
        outcome_fill_row(crawl, job);
    outcome_note_state(job, state, str_of(visit->error));
    return SCENT_OK;
}
