/* Steps 6 and 7 of the way of a page: what a finished visit does to the crawl.
 *
 * It is counted, the judge and the strategy learn from it, its links are queued, and its job goes to the writer. What
 * it tells about its host is access.h's, what a page that was known does is recrawl.h's. */
#include "engine/crawl.h"

#include "crawldir/crawldir.h"
#include "crawldir/judged.h"
#include "engine/moves.h"
#include "page/simhash.h"
#include "topic/external.h"

#include <inttypes.h>

#define CHECKPOINT_LINE_US (600 * INT64_C(1000000)) /* the log need not have all of them */
enum {
    CHECKPOINT_US = 10 * 1000 * 1000,
    /* Where nothing is committed without one: as often as rows are elsewhere, and at most for 2% of the time. */
    CHECKPOINT_LEAST_US = 500 * 1000,
    CHECKPOINT_REST = 50,
    PATIENCE = 10 /* times as long as a visit hung, others come first */
};

/* ---- checkpoints ---- */

/* So that the next run rests at the same visits. */
static void note_visits(struct rows *rows, uint64_t visits)
{
    struct str text = arena_printf(rows->arena, "%" PRIu64, visits);

    if (!text.p)
        rows->failed = true;
    else
        ROWS_ADD(rows, values, ((struct rows_value){CRAWLDIR_VISITS, text}));
}

scent_status apply_checkpoint(struct crawl *crawl, struct job *job, bool at_once, struct errmsg *err)
{
    int64_t now = clock_mono(crawl->options->clock), rest;
    scent_status status;

    if (!at_once && (now < crawl->next_checkpoint || (crawl->is_repeatable && !dispatch_is_at_rest(crawl))))
        return SCENT_OK;
    if (now >= crawl->next_checkpoint_line) {
        crawl->next_checkpoint_line = now + CHECKPOINT_LINE_US;
        journal_tell(crawl->journal, JOURNAL_CHECKPOINT, LOG_INFO, STR_NONE,
                     "%" PRIu64 " pages, %" PRIu64 " relevant, %" PRIu64 " errors; saved every %d s",
                     crawl->counts.pages, crawl->counts.relevant, crawl->counts.failed, CHECKPOINT_US / 1000000);
    }
    status = checkpoint_new(crawl->steer, &crawl->judging, crawl->counts.rows, crawl->counts.pages, &job->checkpoint,
                            err);
    if (crawl->is_repeatable)
        note_visits(&job->rows, crawl->dispatch.applied);
    rest = CHECKPOINT_REST * (clock_mono(crawl->options->clock) - now);
    if (!crawl->is_repeatable)
        rest = CHECKPOINT_US;
    crawl->next_checkpoint = now + (rest > CHECKPOINT_LEAST_US ? rest : CHECKPOINT_LEAST_US);
    return status;
}

/* ---- pages ---- */

/* Empty bodies are no copies of each other, and of a page that was cut nobody knows how it goes on. */
static bool find_original(const struct crawl *crawl, const struct job *job, uint32_t *original)
{
    const struct visit *visit = &job->visit;

    return visit->bytes && visit->exchange->cut == FETCH_WHOLE &&
           duplicates_find_copy(crawl->duplicates, str_of(visit->digest), visit->directives, original);
}

/* The same bytes once more: kept as a revisit record, but no page of the crawl. It counts for its host, which else
 * could give copies without end. Its relative links may lead elsewhere than the first's, so those of a few copies are
 * followed: of all would be an endless walk through a server that gives the same page everywhere. */
static scent_status apply_copy(struct crawl *crawl, struct job *job, uint32_t original, struct errmsg *err)
{
    struct visit *visit = &job->visit;

    outcome_fill_row(crawl, job);
    visit->row.counted = false;
    visit->row.duplicate_of = original;
    outcome_note_state(job, STORE_FETCHED, arena_printf(&job->arena, "the same as page %" PRIu32, original));
    steer_count_page(crawl->steer, visit->at.host);
    if (!duplicates_count_copy(crawl->duplicates, original))
        return SCENT_OK;
    return steer_examine(crawl->steer, &visit->at, false, &job->rows, err);
}

scent_status apply_training(struct crawl *crawl, struct job *job, uint64_t pages)
{
    struct knowledge knowledge = crawl->judging.knowledge;
    struct str digest;
    bool adopted, taught; /* by people: only they change the guide */

    SCENT_TRY(retraining_step(crawl->retraining, pages, &knowledge, &job->rows, &adopted));
    if (!adopted)
        return SCENT_OK;
    taught = knowledge.guide != crawl->judging.knowledge.guide;
    judging_replace(&crawl->judging, &knowledge);
    if (taught)
        SCENT_TRY(rescoring_begin(crawl, &job->rows));
    digest = arena_printf(&job->arena, "%016" PRIx64, crawl->judging.digest);
    ROWS_ADD(&job->rows, values, ((struct rows_value){JUDGED_KNOWLEDGE, digest}));
    return digest.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* Everything but the links. */
static scent_status learn_page(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    uint32_t original;

    if (visit->simhash != SIMHASH_NONE &&
        duplicates_find_near(crawl->duplicates, visit->simhash, SIMHASH_NEAR, &original, NULL))
        visit->row.duplicate_of = original;
    SCENT_TRY(duplicates_know(crawl->duplicates, &visit->row));
    if (visit->at.candidate.flags & CANDIDATE_SEED)
        SCENT_TRY(judging_learn_seed(&crawl->judging, &visit->page, visit->at.id, !(visit->directives & PAGE_NOARCHIVE),
                                     &job->rows));
    else if (crawl->retraining && !(visit->directives & PAGE_NOARCHIVE))
        SCENT_TRY(retraining_see(crawl->retraining, &visit->page, &job->rows));
    judging_count_page(&crawl->judging, &visit->page, visit->counted);
    return crawl->retraining ? apply_training(crawl, job, crawl->counts.pages) : SCENT_OK;
}

static void look_for_warnings(struct crawl *crawl, struct job *job)
{
    const struct visit *visit = &job->visit;
    bool is_seed = visit->at.candidate.flags & CANDIDATE_SEED;

    warnings_look(&crawl->warnings,
                  &(struct warnings_view){.pages = crawl->counts.pages,
                                          .relevant = crawl->counts.relevant,
                                          .by_default = topic_default_relevant(crawl->topic),
                                          .seed = is_seed ? visit->page.url.href : STR_NONE,
                                          .judgement = &visit->judgement,
                                          .judge = crawl->judging.knowledge.external ? NULL : crawl->judging.judge,
                                          .lang = visit->page.lang,
                                          .auc = crawl->judging.knowledge.auc,
                                          .query = crawl->topic->query,
                                          .counts = &crawl->judging.term_counts,
                                          .sample = crawl->judging.knowledge.sample},
                  &job->rows);
}

static scent_status apply_page(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    uint32_t original;

    if (find_original(crawl, job, &original))
        return apply_copy(crawl, job, original, err);
    crawl->counts.pages++;
    outcome_fill_row(crawl, job);
    crawl->counts.relevant += visit->judgement.relevant && store_page_is_shown(&visit->row);
    counting_page(&crawl->counting, visit->row.judge_version, visit->judgement.relevant);
    counting_speed(&crawl->counting, clock_mono(crawl->options->clock));
    outcome_note_state(job, STORE_FETCHED, STR_NONE);
    steer_count_page(crawl->steer, visit->at.host);
    recrawl_note_fetched(crawl, job);
    if (learn_page(crawl, job) != SCENT_OK)
        return errmsg_no_memory(err);
    look_for_warnings(crawl, job);
    outcome_tell_page(crawl, job);
    SCENT_TRY(steer_examine(crawl->steer, &visit->at, true, &job->rows, err));
    if (requisites_queue(crawl, job) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for requisites");
    return outcome_queue_canonical(crawl, job, err);
}

/* ---- other results ---- */

/* Kept, and counted for its host, but there is nothing to judge. */
static void apply_not_text(struct crawl *crawl, struct job *job)
{
    if (crawl->no_pdf.text[0] && str_eq(job->visit.mime, STR("application/pdf"))) {
        log_line(crawl->options->log, LOG_WARN, "PDFs are kept, but not judged: %s", crawl->no_pdf.text);
        crawl->no_pdf.text[0] = 0;
    }
    outcome_fill_row(crawl, job);
    outcome_note_state(job, STORE_FETCHED, arena_printf(&job->arena, "not judged: %s", job->visit.error));
    steer_count_page(crawl->steer, job->visit.at.host);
}

static scent_status apply_redirect(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    const char *refused;

    if (steer_redirect(crawl->steer, &job->visit.at, &job->visit.target, &job->rows, &refused) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory in the frontier");
    outcome_fill_row(crawl, job);
    outcome_note_state(job, STORE_REDIRECTED, str_of(refused));
    return SCENT_OK;
}

static void apply_failure(struct crawl *crawl, struct job *job, enum store_url_state state)
{
    if (job->visit.at.candidate.flags & CANDIDATE_SEED)
        outcome_tell_seed(crawl, job->visit.url.href, job->visit.error);
    crawl->counts.failed += state == STORE_FAILED;
    if (job->visit.records.len)
        outcome_fill_row(crawl, job);
    outcome_note_state(job, state, str_of(job->visit.error));
}

/* The host could not be reached at all: politeness says when it is given up. */
static bool is_host_failure(const struct crawl *crawl, const struct job *job)
{
    return crawl->access.politeness && job->visit.result == VISIT_FAILED && job->visit.trouble;
}

/* The rest of the page, and its links, may come next time. */
static bool was_broken_off(const struct job *job)
{
    return (job->visit.result == VISIT_PAGE || job->visit.result == VISIT_REQUISITE) &&
           (job->visit.exchange->cut == FETCH_CUT_CLOSED || job->visit.exchange->cut == FETCH_CUT_TIME);
}

/* A robots.txt is asked for again by access.c. A host that cannot be reached says nothing about the page: it
 * is tried as long as the host is not given up. */
static bool will_retry(const struct crawl *crawl, const struct job *job)
{
    const struct visit *visit = &job->visit;
    uint32_t retries = crawl->topic->politeness.retries;

    if (visit->at.candidate.flags & CANDIDATE_ROBOTS)
        return false;
    if (is_host_failure(crawl, job) && visit->may_retry)
        return true;
    if (visit->at.candidate.tries > (visit->out_of_time && retries ? 1 : retries))
        return false;
    return (crawl->access.politeness && was_broken_off(job)) ||
           (visit->may_retry && (visit->result == VISIT_STATUS || visit->result == VISIT_FAILED));
}

/* The visit will be repeated; its records are not kept. Where only the page is in trouble its host does not wait for
 * it. (With a window all visits are in an order that does not depend on time.) */
static void queue_again(struct crawl *crawl, struct job *job, int64_t after_us, bool alone)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct visit *visit = &job->visit;
    int64_t now = clock_mono(crawl->options->clock);
    /* One that hangs takes a place of its host for as long again: it comes when the others had theirs. */
    int64_t patience = visit->out_of_time ? PATIENCE * visit->took_us : 0;

    if (alone && !visit->again && !crawl->topic->window &&
        retries_add(&crawl->retries, &visit->at, visit->url.href, now + after_us + patience, now + after_us))
        frontier_finish(frontier, visit->at.id, now);
    else
        frontier_requeue(frontier, visit->at.id, &visit->at.candidate, now, after_us);
    buf_clear(&visit->records);
    if (visit->again)
        crawl->recrawl->in_flight--; /* the store does not know that it is queued */
    else
        outcome_note_state(job, STORE_QUEUED, str_of(visit->error));
}

static scent_status apply_new(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    switch (job->visit.result) {
    case VISIT_PAGE:
        return apply_page(crawl, job, err);
    case VISIT_NOT_TEXT:
        apply_not_text(crawl, job);
        return SCENT_OK;
    case VISIT_REDIRECT:
        return apply_redirect(crawl, job, err);
    case VISIT_UNWANTED:
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
    steer_note_left_out(crawl->steer, &job->rows);
    judging_note(&crawl->judging, &job->rows);
    if (status == SCENT_OK && job->rows.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the rows of a visit");
    if (status == SCENT_OK)
        status = apply_checkpoint(crawl, job, false, err);
    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    outcome_put(crawl, job);
    return SCENT_OK;
}

static scent_status apply_visit(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    struct politeness *politeness = crawl->access.politeness;
    struct candidate *candidate = &visit->at.candidate;
    scent_status status;
    int64_t wait;

    /* Without its judge a crawl would go anywhere. What is not committed is fetched again when it resumes. */
    if (visit->result == VISIT_PAGE && visit->judgement.is_unanswered &&
        external_has_failed(crawl->judging.knowledge.external, err)) {
        job_free(job);
        return SCENT_E_INVALID;
    }
    crawl->requisites.in_flight -= candidate_is_requisite(candidate);
    moves_count_visit(crawl, visit->at.host, -1);
    if (moves_refuse_visit(crawl, job))
        return SCENT_OK;
    if ((crawl->ending.aborted && visit->closed_by_us) || visit->unread) {
        /* Broken off by our own stop, or sent to somebody who was about to hang up: as if it had never been taken, but
         * for the delay. Such a connection ends once, so that this comes to an end too. */
        candidate->tries--;
        queue_again(crawl, job, 0, false);
        job_free(job);
        return SCENT_OK;
    }
    wait = access_visit_done(crawl, job);
    if (will_retry(crawl, job)) {
        candidate->tries -= is_host_failure(crawl, job);
        if (!wait && politeness)
            wait = politeness_back_off(politeness, candidate->tries);
        queue_again(crawl, job, wait, politeness && !visit->trouble);
        outcome_put(crawl, job);
        return SCENT_OK;
    }
    if (candidate->flags & CANDIDATE_ROBOTS)
        status = access_apply_robots(crawl, job, err);
    else if (candidate->flags & CANDIDATE_REQUISITE)
        status = requisites_apply(crawl, job, err);
    else if (candidate->flags & CANDIDATE_SITEMAP)
        status = sitemaps_apply(crawl, job, err);
    else
        status = visit->again ? recrawl_apply(crawl, job, err) : apply_new(crawl, job, err);
    frontier_finish(steer_frontier(crawl->steer), visit->at.id, clock_mono(crawl->options->clock));
    return put_applied(crawl, job, status, err);
}

scent_status apply_result(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status;

    switch (job->kind) {
    case JOB_TEXTS:
        return loader_apply(crawl, job, err);
    case JOB_REREAD:
        return rescoring_apply(crawl, job, err);
    case JOB_ARRIVED:
        status = put_applied(crawl, job, moves_apply(crawl, job, err), err);
        moves_applied(crawl);
        return status;
    case JOB_NAME:
        crawl->dispatch.ahead -= job->name.ahead;
        crawl->dispatch.applied += !job->name.ahead;
        return put_applied(crawl, job, access_apply_name(crawl, job, err), err);
    default:
        crawl->dispatch.applied++;
        return apply_visit(crawl, job, err);
    }
}
