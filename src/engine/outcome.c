/* What became of a visit, for the store and for who listens: shared by pages, robots.txt files, sitemaps and
 * pages that are visited again. */
#include "engine/crawl.h"

#include "engine/freshness.h"

#include <stdio.h>

_Static_assert((int)PAGE_NOINDEX == (int)STORE_NOINDEX && (int)PAGE_NOFOLLOW == (int)STORE_NOFOLLOW &&
                   (int)PAGE_NOARCHIVE == (int)STORE_NOARCHIVE,
               "a page row has the page's directives");

void outcome_fill_row(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;

    visit->has_row = true;
    visit->row = (struct store_page){
        .number = ++crawl->counts.rows,
        .url = visit->at.id,
        .wall = visit->wall,
        .status = visit->status,
        .mime = visit->mime,
        .digest = str_of(visit->digest),
        .ip = str_of(visit->ip),
        .bytes = visit->bytes,
        .took_us = visit->took_us,
        .priority = steer_shown_priority(&visit->at.candidate),
        .robots = visit->directives,
    };
    visit->at.row = visit->row.number;
    visit->at.number = crawl->counts.pages;
    visit->at.page = &visit->page;
    visit->at.judgement = &visit->judgement;
    if (visit->exchange && (visit->exchange->cut == FETCH_WHOLE || visit->exchange->cut == FETCH_CUT_SIZE)) {
        visit->row.etag = freshness_etag(buf_str(&visit->exchange->head), &job->arena);
        visit->row.last_modified = freshness_last_modified(buf_str(&visit->exchange->head), &job->arena);
    }
    if (visit->result != VISIT_PAGE)
        return;
    visit->row.counted = true;
    visit->row.charset = visit->page.charset;
    visit->row.lang = visit->page.lang;
    visit->row.title = visit->page.title;
    visit->row.words = visit->page.nwords;
    visit->row.links = visit->page.nlinks;
    visit->row.relevant = visit->judgement.relevant;
    visit->row.score = visit->judgement.score;
    visit->row.judge_version = visit->judgement.is_unanswered ? 0 : visit->judgement.version; /* 0: it waits */
    visit->row.simhash = visit->simhash;
}

void outcome_note_state(struct job *job, enum store_url_state state, struct str error)
{
    struct visit *visit = &job->visit;
    struct store_url row = {
        .id = visit->at.id,
        .state = state,
        .priority = steer_shown_priority(&visit->at.candidate),
        .depth = visit->at.candidate.depth,
        .off_domain = visit->at.candidate.off_domain,
        .redirects = visit->at.candidate.redirects,
        .tries = visit->at.candidate.tries,
        .flags = visit->at.candidate.flags,
        .error = error,
        .parts = visit->at.parts,
    };

    memcpy(row.own, visit->at.candidate.own, sizeof row.own);
    ROWS_ADD(&job->rows, changed, row);
}

void outcome_put(struct crawl *crawl, struct job *job)
{
    exchange_pack(crawl, job);
    counting_rows(&crawl->counting, &job->rows, job->kind == JOB_VISIT && job->visit.is_again);
    writer_put(crawl->writer, job);
}

void outcome_tell_seed(struct crawl *crawl, struct str about, const char *why)
{
    char trouble[sizeof crawl->seed_trouble];

    snprintf(trouble, sizeof trouble, "%.*s: %s", STR_ARG(about), why);
    log_printable(trouble, crawl->seed_trouble, sizeof crawl->seed_trouble);
    journal_tell(crawl->journal, JOURNAL_SEED, LOG_WARN, about, "%s", why);
}

void outcome_tell_page(const struct crawl *crawl, const struct job *job)
{
    const struct visit *visit = &job->visit;
    struct engine_page page = {
        .number = crawl->counts.pages,
        .url = visit->url.href,
        .title = visit->page.title,
        .lang = visit->page.lang,
        .status = visit->status,
        .relevant = visit->judgement.relevant,
        .changed = visit->again,
        .score = visit->judgement.score,
        .priority = steer_shown_priority(&visit->at.candidate),
        .depth = visit->at.candidate.depth,
        .links = visit->page.nlinks,
        .bytes = visit->bytes,
        .noindex = visit->directives & PAGE_NOINDEX,
    };

    if (crawl->options->on_page)
        crawl->options->on_page(crawl->options->ctx, &page);
}

scent_status outcome_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct steer_visit visit = job->visit.at;
    const char *refused;
    scent_status status;

    if (job->visit.canonical != PAGE_CANONICAL_COPY)
        return SCENT_OK;
    visit.candidate.flags &= (uint8_t)~CANDIDATE_SEED;
    status = steer_redirect(crawl->steer, &visit, &job->visit.page.canonical, &job->rows, &refused);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}
