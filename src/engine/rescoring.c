#include "engine/rescoring.h"

#include "crawldir/reread.h"
#include "engine/crawl.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define RESCORING_VALUE "rescoring"
enum { REST = 3, REST_MOST_MS = 200, COMMIT_TRIES = 50, COMMIT_NAP_MS = 100 };

struct rescoring {
    bool wanted;          /* a pass is under way, … */
    uint64_t next, until; /* … and has seen page rows up to `next` */
    uint64_t pages, changed;
    uint64_t pass;        /* its number: a job of an earlier one is thrown away */
    bool asked;           /* a job is on its way */

    /* the thread's, while there is one */
    bool running;
    const struct topic *topic;
    const char *dir;
    uint64_t key;
    struct queue *in, *out;
    pthread_t thread;
    atomic_bool stopping;
};

/* ---- the thread ---- */

struct reader {
    struct rescoring *rescoring;
    struct store *store;
    struct reread *reread;
    struct job_reread *job;
};

static void nap(const struct rescoring *rescoring, int64_t ms)
{
    for (; ms > 0 && !atomic_load(&rescoring->stopping); ms -= COMMIT_NAP_MS) {
        struct timespec time = {.tv_nsec = (ms < COMMIT_NAP_MS ? ms : COMMIT_NAP_MS) * 1000000};

        nanosleep(&time, NULL);
    }
}

/* The first page that can be read back; valid until the next one is asked for. Others are passed over. */
static scent_status take_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct reader *reader = ctx;
    struct job_reread *job = reader->job;
    struct judge_input input = {
        .page = &job->page, .bytes = row->bytes, .depth = url->depth, .seed = url->flags & CANDIDATE_SEED};
    struct errmsg why;

    if (row->number > job->until || atomic_load(&reader->rescoring->stopping))
        return SCENT_E_END;
    job->after = row->number;
    if (!store_page_is_first(row) || !row->warc_length ||
        reread_content(reader->reread, reader->store, row, url->url, &job->page, &input.arena, &why) != SCENT_OK)
        return SCENT_OK;
    judge_page(job->judge, &input, &job->judgement);
    job->visit = (struct steer_visit){.id = row->url,
                                      .host = url->host,
                                      .row = row->number,
                                      .number = row->number,
                                      .candidate = steer_candidate_of_row(url),
                                      .page = &job->page,
                                      .judgement = &job->judgement};
    job->visit.candidate.priority = row->priority;
    job->found = true;
    return SCENT_E_END;
}

static scent_status note_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    (void)row, (void)url;
    *(bool *)ctx = true;
    return SCENT_OK;
}

/* The last rows may still be on their way to the disk. */
static scent_status read_page(struct reader *reader)
{
    struct job_reread *job = reader->job;

    for (int i = 0; i < COMMIT_TRIES && !atomic_load(&reader->rescoring->stopping); i++) {
        bool is_there = false;
        scent_status status = store_each_page(reader->store, job->after, take_page, reader, &job->err);

        if ((status != SCENT_OK && status != SCENT_E_END) || job->found || job->after >= job->until)
            return status == SCENT_E_END ? SCENT_OK : status;
        SCENT_TRY(store_get_page(reader->store, job->until, note_page, &is_there, &job->err));
        if (is_there)
            return SCENT_OK;
        nap(reader->rescoring, COMMIT_NAP_MS);
    }
    return SCENT_OK;
}

static void *run_reader(void *arg)
{
    struct rescoring *rescoring = arg;
    struct reader reader = {.rescoring = rescoring};
    struct page_reader no_pdf = {0};
    struct errmsg err = {0};
    scent_status opened = store_open(rescoring->dir, STORE_READ, &reader.store, &err);
    struct job *job;

    reader.reread = reread_new(rescoring->dir, rescoring->topic, rescoring->key, no_pdf);
    while ((job = queue_pop(rescoring->in))) {
        int64_t cpu = clock_thread_cpu_ns(), used = 0;

        reader.job = &job->reread;
        job->reread.err = err;
        job->reread.status = opened == SCENT_OK ? read_page(&reader) : opened;
        SCENT_BUG_IF(!queue_push(rescoring->out, job));
        clock_charge_cpu(&used, &cpu);
        used = used / 1000000 * REST;
        nap(rescoring, used < REST_MOST_MS ? used : REST_MOST_MS);
    }
    reread_free(reader.reread);
    store_close(reader.store);
    return NULL;
}

static void start(struct crawl *crawl)
{
    struct rescoring *rescoring = crawl->rescoring;

    rescoring->topic = crawl->topic;
    rescoring->dir = crawl->options->dir;
    rescoring->key = crawl->key;
    rescoring->out = crawl->dispatch.inbox;
    rescoring->in = queue_new(1);
    atomic_init(&rescoring->stopping, false);
    SCENT_BUG_IF(pthread_create(&rescoring->thread, NULL, run_reader, rescoring));
    rescoring->running = true;
}

void rescoring_stop(struct crawl *crawl)
{
    struct rescoring *rescoring = crawl->rescoring;

    if (!rescoring || !rescoring->running)
        return;
    atomic_store(&rescoring->stopping, true);
    queue_close(rescoring->in);
    pthread_join(rescoring->thread, NULL);
    queue_free(rescoring->in);
    rescoring->running = rescoring->asked = false;
}

void rescoring_free(struct rescoring *rescoring)
{
    free(rescoring);
}

/* ---- the pass ---- */

scent_status rescoring_begin(struct crawl *crawl, struct rows *rows)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);
    struct rescoring *rescoring = crawl->rescoring;

    if (!strategy->ops->adopt || !strategy->ops->adopt(strategy->state, &crawl->judging.knowledge))
        return SCENT_OK;
    if (!rescoring)
        rescoring = crawl->rescoring = calloc(1, sizeof *rescoring);
    SCENT_BUG_IF(!rescoring);
    SCENT_TRY(steer_begin_again(crawl->steer));
    rescoring->until = crawl->counts.rows;
    rescoring->next = rescoring->until > RESCORING_PAGES ? rescoring->until - RESCORING_PAGES : 0;
    rescoring->pages = rescoring->changed = 0;
    rescoring->wanted = true;
    rescoring->pass++;
    ROWS_ADD(rows, values, ((struct rows_value){RESCORING_VALUE, STR("1")}));
    return SCENT_OK;
}

scent_status rescoring_restore(struct crawl *crawl, struct errmsg *err)
{
    struct arena arena;
    struct rows rows; /* the store has the value already */
    struct buf value;
    scent_status status;

    buf_init(&value, 0);
    status = store_get(crawl->store, RESCORING_VALUE, &value, err);
    if (status == SCENT_OK && value.len) {
        arena_init(&arena, SIZE_MAX);
        rows_init(&rows, &arena);
        status = rescoring_begin(crawl, &rows);
        arena_release(&arena);
    }
    buf_release(&value);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

void rescoring_want(struct crawl *crawl)
{
    struct rescoring *rescoring = crawl->rescoring;
    struct job *job;

    if (!rescoring || !rescoring->wanted || rescoring->asked)
        return;
    if (!rescoring->running)
        start(crawl);
    job = job_new(JOB_REREAD);
    job->reread = (struct job_reread){.after = rescoring->next,
                                      .until = rescoring->until,
                                      .pass = rescoring->pass,
                                      .judge = judge_ref(crawl->judging.judge)};
    rescoring->asked = true;
    SCENT_BUG_IF(!queue_push(rescoring->in, job));
}

static scent_status end_pass(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct rescoring *rescoring = crawl->rescoring;

    rescoring->wanted = false;
    steer_end_again(crawl->steer);
    ROWS_ADD(&job->rows, values, ((struct rows_value){RESCORING_VALUE, STR_NONE}));
    journal_tell(crawl->journal, JOURNAL_CONTROL, LOG_INFO, STR_NONE,
                 "%" PRIu64 " queued links of %" PRIu64 " pages have other priorities after marks", rescoring->changed,
                 rescoring->pages);
    return apply_checkpoint(crawl, job, true, err);
}

scent_status rescoring_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct rescoring *rescoring = crawl->rescoring;
    struct job_reread reread = job->reread;
    scent_status status = SCENT_OK;

    rescoring->asked = false;
    judge_unref(reread.judge);
    job->kind = JOB_ROWS;
    if (!rescoring->wanted || reread.pass != rescoring->pass) {
        job_free(job);
        return SCENT_OK;
    }
    if (reread.status != SCENT_OK)
        log_line(crawl->options->log, LOG_WARN, "queued links cannot be scored again: %s", reread.err.text);
    rescoring->next = reread.after;
    if (reread.found) {
        rescoring->pages++;
        reread.visit.page = &reread.page;
        reread.visit.judgement = &reread.judgement;
        status = steer_score_again(crawl->steer, &reread.visit, &job->rows, &rescoring->changed);
    } else {
        status = end_pass(crawl, job, err);
    }
    if (status == SCENT_OK && job->rows.failed)
        status = SCENT_E_NOMEM;
    if (status != SCENT_OK) {
        job_free(job);
        return errmsg_fail(err, status, "out of memory for links that are scored again");
    }
    dispatch_put_rows(crawl, job);
    return SCENT_OK;
}
