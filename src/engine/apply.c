/* apply - steps 5 to 8 of the way of a page: what a finished visit does to the crawl. */
#include "engine/crawl.h"

#include "base/hash.h"
#include "engine/example.h"
#include "page/simhash.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    CHECKPOINT_US = 10 * 1000 * 1000,
    COPIES_FOLLOWED = 4, /* docs/decisions/0008-links-of-copies.md */
};

/* ---- the judge ---- */

scent_status crawl_renew_judge(struct crawl *crawl)
{
    struct text_vector vector;
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = centroid_vector(&crawl->centroid, &arena, &vector);
    if (status == SCENT_OK) {
        judge_unref(crawl->judge);
        crawl->judge = judge_new(&(struct judge_basis){
            .topic = crawl->topic,
            .centroid = &vector,
            .census = crawl->topic->query ? &crawl->census : NULL,
            .wants = steer_strategy(crawl->steer)->ops->wants,
            .version = ++crawl->judge_version,
        });
        crawl->judge_seeds = crawl->seed_pages;
        crawl->judge_documents = crawl->census.documents;
    }
    arena_release(&arena);
    return status;
}

/* The pages of the seeds are the examples that similar() compares with. With thousands of seeds a snapshot for each
 * would cost more than the crawl, so a new one is made when their number has grown by a sixteenth. */
static scent_status learn_seed(struct crawl *crawl, struct job *job)
{
    struct text_vector vector;
    scent_status status = topic_page_vector(&job->page, &job->arena, &vector);

    if (status == SCENT_OK && job->directives & PAGE_NOARCHIVE)
        example_keep(&job->rows, job->visit.id, &vector);
    if (status == SCENT_OK)
        status = centroid_add(&crawl->centroid, &vector);
    crawl->seed_pages++;
    if (status == SCENT_OK && crawl->seed_pages - crawl->judge_seeds > crawl->judge_seeds / 16)
        status = crawl_renew_judge(crawl);
    return status;
}

/* For the statistics of the query's terms. */
static scent_status count_page(struct crawl *crawl, const struct job *job)
{
    if (!crawl->topic->query)
        return SCENT_OK;
    census_add(&crawl->census, &job->page);
    return census_is_due(&crawl->census, crawl->judge_documents) ? crawl_renew_judge(crawl) : SCENT_OK;
}

/* ---- rows ---- */

void crawl_fill_row(struct crawl *crawl, struct job *job)
{
    job->has_row = true;
    job->row = (struct store_page){
        .number = ++crawl->rows,
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

void crawl_note_state(struct job *job, enum store_url_state state, struct str error)
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

/* ---- results ---- */

void crawl_tell_page(const struct crawl *crawl, const struct job *job)
{
    struct engine_page page = {
        .number = crawl->pages,
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

/* ---- copies ---- */

_Static_assert((int)PAGE_NOINDEX == (int)STORE_NOINDEX && (int)PAGE_NOFOLLOW == (int)STORE_NOFOLLOW &&
                   (int)PAGE_NOARCHIVE == (int)STORE_NOARCHIVE,
               "a page row has the page's directives");

/* A page is a copy only of what was treated alike: one that is shown of one that is not, or one that is archived of one
 * that is not, would be lost. */
static uint64_t digest_hash(const struct crawl *crawl, struct str digest, uint8_t robots)
{
    return hash_str(digest, crawl->key + robots);
}

/* Empty bodies are no copies of each other, and of a page that was cut nobody knows how it goes on. */
static bool find_original(const struct crawl *crawl, const struct job *job, uint32_t *original)
{
    return job->bytes && job->exchange->cut == FETCH_WHOLE &&
           duplicates_find_exact(crawl->duplicates, digest_hash(crawl, str_of(job->digest), job->directives), original);
}

/* A near copy is not added: what is near it, but not near the first, would make a chain that leads anywhere. */
scent_status crawl_know_page(struct crawl *crawl, const struct store_page *row)
{
    uint32_t number = (uint32_t)row->number; /* no more pages than URLs, whose ids have 32 bits */
    scent_status status = SCENT_OK;

    if (row->bytes)
        status = duplicates_add_exact(crawl->duplicates, digest_hash(crawl, row->digest, row->robots), number);
    /* Nor is a newer version: it is mostly near its own first. */
    if (status == SCENT_OK && row->simhash != SIMHASH_NONE && !row->duplicate_of && !row->previous)
        status = duplicates_add_near(crawl->duplicates, row->simhash, number);
    return status;
}

static uint64_t copy_key(const struct crawl *crawl, uint64_t original)
{
    return hash_mix(original, crawl->key);
}

void crawl_count_copy(struct crawl *crawl, uint64_t original)
{
    caps_take(&crawl->copies, copy_key(crawl, original), 0);
}

/* The same bytes once more: kept as a revisit record, but no page of the crawl. It counts for its host, which else could
 * give copies without end. Its relative links may lead elsewhere than the first's, so those of a few copies are
 * followed: of all would be an endless walk through a server that gives the same page everywhere. */
static scent_status apply_copy(struct crawl *crawl, struct job *job, uint32_t original, struct errmsg *err)
{
    crawl_fill_row(crawl, job);
    job->row.counted = false;
    job->row.duplicate_of = original;
    crawl_note_state(job, STORE_FETCHED, arena_printf(&job->arena, "the same as page %" PRIu32, original));
    steer_count_page(crawl->steer, job->visit.host);
    if (!caps_take(&crawl->copies, copy_key(crawl, original), COPIES_FOLLOWED))
        return SCENT_OK;
    return steer_follow(crawl->steer, &job->visit, crawl->pages, &job->page, &job->judgement, &job->rows, err);
}

static scent_status note_near(struct crawl *crawl, struct job *job)
{
    uint32_t original;

    if (job->simhash != SIMHASH_NONE &&
        duplicates_find_near(crawl->duplicates, job->simhash, SIMHASH_NEAR, &original, NULL))
        job->row.duplicate_of = original;
    return crawl_know_page(crawl, &job->row);
}

scent_status crawl_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err)
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

static scent_status apply_page(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status;
    uint32_t original;

    if (find_original(crawl, job, &original))
        return apply_copy(crawl, job, original, err);
    crawl->pages++;
    crawl_fill_row(crawl, job);
    crawl->relevant += job->judgement.relevant && store_page_is_shown(&job->row);
    crawl_note_state(job, STORE_FETCHED, STR_NONE);
    steer_count_page(crawl->steer, job->visit.host);
    crawl_note_fetched(crawl, job);
    status = note_near(crawl, job);
    if (status == SCENT_OK && job->visit.candidate.flags & CANDIDATE_SEED)
        status = learn_seed(crawl, job);
    if (status == SCENT_OK)
        status = count_page(crawl, job);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "out of memory");
    crawl_tell_page(crawl, job);
    status = steer_examine(crawl->steer, &job->visit, crawl->pages, &job->page, &job->judgement, &job->rows, err);
    return status == SCENT_OK ? crawl_queue_canonical(crawl, job, err) : status;
}

static scent_status apply_redirect(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    const char *refused;
    scent_status status = steer_redirect(crawl->steer, &job->visit, &job->target, &job->rows, &refused);

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "out of memory in the frontier");
    crawl_fill_row(crawl, job);
    crawl_note_state(job, STORE_REDIRECTED, str_of(refused));
    return SCENT_OK;
}

static void apply_failure(struct crawl *crawl, struct job *job, enum store_url_state state)
{
    crawl->failed++;
    if (job->records.len)
        crawl_fill_row(crawl, job);
    crawl_note_state(job, state, str_of(job->error));
}

/* The host could not be reached at all: politeness says when it is given up. */
static bool is_host_failure(const struct crawl *crawl, const struct job *job)
{
    return crawl->politeness && job->result == JOB_FAILED && job->trouble;
}

/* The rest of the page, and its links, may come next time. */
static bool was_broken_off(const struct job *job)
{
    return job->result == JOB_PAGE && (job->exchange->cut == FETCH_CUT_CLOSED || job->exchange->cut == FETCH_CUT_TIME);
}

/* A robots.txt is asked for again by access.c. A host that cannot be reached says nothing about the page: it
 * is tried as long as the host is not given up. */
static bool will_retry(const struct crawl *crawl, const struct job *job)
{
    if (job->visit.candidate.flags & CANDIDATE_ROBOTS)
        return false;
    if (is_host_failure(crawl, job) && job->may_retry)
        return true;
    if (job->visit.candidate.tries > crawl->topic->politeness.retries)
        return false;
    return (crawl->politeness && was_broken_off(job)) ||
           (job->may_retry && (job->result == JOB_STATUS || job->result == JOB_FAILED));
}

/* The visit goes back into the queue; its records are not kept. */
static void retry(struct crawl *crawl, struct job *job, int64_t after_us)
{
    int64_t now = clock_mono(crawl->options->clock);

    frontier_requeue(steer_frontier(crawl->steer), job->visit.id, &job->visit.candidate, now, after_us);
    buf_clear(&job->records);
    if (job->again)
        crawl->recrawl->in_flight--; /* the store does not know that it is queued */
    else
        crawl_note_state(job, STORE_QUEUED, str_of(job->error));
}

static scent_status apply_result(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    switch (job->result) {
    case JOB_PAGE:
        return apply_page(crawl, job, err);
    case JOB_REDIRECT:
        return apply_redirect(crawl, job, err);
    case JOB_UNWANTED:
        apply_failure(crawl, job, STORE_DROPPED);
        return SCENT_OK;
    default:
        apply_failure(crawl, job, STORE_FAILED);
        return SCENT_OK;
    }
}

/* To the writer, with a checkpoint where one is due. */
static scent_status put_applied(struct crawl *crawl, struct job *job, scent_status status, struct errmsg *err)
{
    if (status == SCENT_OK && job->rows.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the rows of %.*s", STR_ARG(job->url.href));
    if (status == SCENT_OK)
        status = crawl_checkpoint(crawl, job, false, err);
    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    writer_put(crawl->writer, job);
    return SCENT_OK;
}

scent_status crawl_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status;
    int64_t wait;

    crawl->applied += !job->ahead;
    if (crawl->aborted && job->closed_by_us) {
        /* Broken off by our own stop: as if it had never been taken. */
        job->visit.candidate.tries--;
        retry(crawl, job, 0);
        job_free(job);
        return SCENT_OK;
    }
    if (job->result == JOB_NAME)
        return put_applied(crawl, job, crawl_apply_name(crawl, job, err), err);
    wait = crawl_part(crawl, job);
    if (will_retry(crawl, job)) {
        job->visit.candidate.tries -= is_host_failure(crawl, job);
        if (!wait && crawl->politeness)
            wait = politeness_back_off(crawl->politeness, job->visit.candidate.tries);
        retry(crawl, job, wait);
        writer_put(crawl->writer, job);
        return SCENT_OK;
    }
    if (job->visit.candidate.flags & CANDIDATE_ROBOTS)
        status = crawl_apply_robots(crawl, job, err);
    else if (job->visit.candidate.flags & CANDIDATE_SITEMAP)
        status = crawl_apply_sitemap(crawl, job, err);
    else
        status = job->again ? crawl_apply_again(crawl, job, err) : apply_result(crawl, job, err);
    frontier_finish(steer_frontier(crawl->steer), job->visit.id, clock_mono(crawl->options->clock));
    return put_applied(crawl, job, status, err);
}

/* ---- checkpoints ---- */

scent_status crawl_checkpoint(struct crawl *crawl, struct job *job, bool at_once, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);
    int64_t now = clock_mono(crawl->options->clock);
    scent_status status;

    if ((!strategy->ops->save && !crawl->topic->query) || (!at_once && now < crawl->next_checkpoint))
        return SCENT_OK;
    crawl->next_checkpoint = now + CHECKPOINT_US;
    job->checkpoint = calloc(1, sizeof *job->checkpoint);
    SCENT_BUG_IF(!job->checkpoint);
    buf_init(&job->checkpoint->blob, 0);
    buf_init(&job->checkpoint->census, 0);
    job->checkpoint->row = crawl->rows;
    job->checkpoint->pages = crawl->pages;
    if (crawl->topic->query && census_write(&crawl->census, &job->checkpoint->census) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "cannot save the statistics of the query: out of memory");
    status = strategy->ops->save ? strategy->ops->save(strategy->state, &job->checkpoint->blob) : SCENT_OK;
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "cannot save the strategy's state");
}
