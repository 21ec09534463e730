#include "engine/outcome.h"

#include "engine/crawl.h"
#include "engine/freshness.h"

_Static_assert((int)PAGE_NOINDEX == (int)STORE_NOINDEX && (int)PAGE_NOFOLLOW == (int)STORE_NOFOLLOW &&
                   (int)PAGE_NOARCHIVE == (int)STORE_NOARCHIVE,
               "a page row has the page's directives");

void outcome_fill_row(struct crawl *crawl, struct job *job)
{
    job->has_row = true;
    job->row = (struct store_page){
        .number = ++crawl->counts.rows,
        .url = job->visit.id,
        .wall = job->wall,
        .status = job->status,
        .mime = job->mime,
        .digest = str_of(job->digest),
        .ip = str_of(job->ip),
        .bytes = job->bytes,
        .took_us = job->took_us,
        .priority = steer_shown_priority(&job->visit.candidate),
        .robots = job->directives,
    };
    job->visit.row = job->row.number;
    if (job->exchange && (job->exchange->cut == FETCH_WHOLE || job->exchange->cut == FETCH_CUT_SIZE)) {
        job->row.etag = freshness_etag(buf_str(&job->exchange->head), &job->arena);
        job->row.last_modified = freshness_last_modified(buf_str(&job->exchange->head), &job->arena);
    }
    if (job->result != JOB_PAGE)
        return;
    job->row.counted = true;
    job->row.charset = job->page.charset;
    job->row.lang = job->page.lang;
    job->row.title = job->page.title;
    job->row.words = job->page.nwords;
    job->row.links = job->page.nlinks;
    job->row.relevant = job->judgement.relevant;
    job->row.score = job->judgement.score;
    job->row.judge_version = job->judgement.version;
    job->row.simhash = job->simhash;
}

void outcome_note_state(struct job *job, enum store_url_state state, struct str error)
{
    struct store_url row = {
        .id = job->visit.id,
        .state = state,
        .priority = steer_shown_priority(&job->visit.candidate),
        .depth = job->visit.candidate.depth,
        .off_domain = job->visit.candidate.off_domain,
        .redirects = job->visit.candidate.redirects,
        .tries = job->visit.candidate.tries,
        .flags = job->visit.candidate.flags,
        .error = error,
    };

    memcpy(row.own, job->visit.candidate.own, sizeof row.own);
    rows_change_url(&job->rows, &row);
}

void outcome_tell_page(const struct crawl *crawl, const struct job *job)
{
    struct engine_page page = {
        .number = crawl->counts.pages,
        .url = job->url.href,
        .title = job->page.title,
        .lang = job->page.lang,
        .status = job->status,
        .relevant = job->judgement.relevant,
        .changed = job->again,
        .score = job->judgement.score,
        .priority = steer_shown_priority(&job->visit.candidate),
        .depth = job->visit.candidate.depth,
        .links = job->page.nlinks,
        .bytes = job->bytes,
        .noindex = job->directives & PAGE_NOINDEX,
    };

    if (crawl->options->on_page)
        crawl->options->on_page(crawl->options->ctx, &page);
}

scent_status outcome_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct steer_visit visit = job->visit;
    const char *refused;
    scent_status status;

    if (job->canonical != PAGE_CANONICAL_COPY)
        return SCENT_OK;
    visit.candidate.flags &= (uint8_t)~CANDIDATE_SEED;
    status = steer_redirect(crawl->steer, &visit, &job->page.canonical, &job->rows, &refused);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}
