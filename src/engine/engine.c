/* The loop:
 *
 *   frontier --dispatch--> fetch --> analysts --> inbox --apply--> frontier, writer
 *
 * The number of jobs in the circle is bounded by max_in_flight, and every queue in it holds that many, so no push
 * in the circle ever waits: only the writer, which lies outside of it, makes the engine wait. The inbox has also room
 * for all that the loader may bring, and for names that are looked up ahead. */
#include "engine/crawl.h"

#include "base/machine.h"
#include "crawldir/crawldir.h"
#include "engine/moves.h"
#include "fetch/cookies.h"
#include "topic/external.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LONGEST_NAP_US = 100 * 1000, /* how soon a stop is noticed */
    OLDEST_YEAR = 2026,          /* of this version: no clock that shows an earlier one is right */
    DESCRIPTORS_MIN = 24,        /* database, WARC, index, event loop, and a few sockets */
    SHORT_NAP_US = 2 * 1000,
};

/* ---- the loop ---- */

/* Applies what has come, waiting at most `wait_us` for the first. */
static scent_status apply_results(struct crawl *crawl, int64_t wait_us, struct errmsg *err)
{
    struct job *job = dispatch_next_result(crawl, wait_us);

    while (job) {
        SCENT_TRY(job->kind == JOB_CONTROL ? commands_apply(crawl, job, err) : apply_result(crawl, job, err));
        if (crawl->topic->window)
            break; /* dispatch after every single one: else the order would depend on timing */
        job = dispatch_next_result(crawl, 0);
    }
    return SCENT_OK;
}

/* An answer of the writer does not wake us up. */
static int64_t longest_nap(const struct crawl *crawl)
{
    return crawl->recrawl && crawl->recrawl->asked ? SHORT_NAP_US : LONGEST_NAP_US;
}

/* Before a crawl ends for want of candidates. */
static scent_status ask_for_more(struct crawl *crawl, struct errmsg *err)
{
    bool any = steer_strategy(crawl->steer)->ops->propose && !dispatch_in_flight(&crawl->dispatch);
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && any && !crawl->ending.stopping && !frontier_has_more(steer_frontier(crawl->steer))) {
        struct job *aside = job_new(JOB_ROWS);

        status = steer_propose(crawl->steer, &aside->rows, &any);
        dispatch_put_rows(crawl, aside);
        ending_check_stop(crawl);
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

/* Marks of people train the judge at once, not with the next page: the crawl may be paused. */
static scent_status train_marks(struct crawl *crawl, struct errmsg *err)
{
    struct job *aside;

    if (!crawl->retraining || !retraining_is_due(crawl->retraining))
        return SCENT_OK;
    aside = job_new(JOB_ROWS);
    if (apply_training(crawl, aside, crawl->counts.pages ? crawl->counts.pages : 1) != SCENT_OK) {
        job_free(aside);
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for a training");
    }
    judging_note(&crawl->judging, &aside->rows);
    dispatch_put_rows(crawl, aside);
    return SCENT_OK;
}

static scent_status run_loop(struct crawl *crawl, struct errmsg *err)
{
    int64_t wait_us;

    SCENT_TRY(ask_for_more(crawl, err));
    while (!ending_is_over(crawl)) {
        ending_check_stop(crawl);
        SCENT_TRY(recrawl_queue_due(crawl, err));
        SCENT_TRY(dispatch_visits(crawl, &wait_us, err));
        loader_want(crawl);
        rescoring_want(crawl);
        dispatch_look_ahead(crawl);
        SCENT_TRY(apply_results(crawl, wait_us < longest_nap(crawl) ? wait_us : longest_nap(crawl), err));
        SCENT_TRY(train_marks(crawl, err));
        SCENT_TRY(writer_status(crawl->writer));
        SCENT_TRY(exchange_status(crawl->exchange, err));
        SCENT_TRY(moves_leave(crawl, err));
        SCENT_TRY(ask_for_more(crawl, err));
        ending_tell_progress(crawl);
    }
    return SCENT_OK;
}

enum { SEEDS_A_JOB = 10000 };

/* Many seeds go to the writer in several jobs, so that their rows are not in memory all at once. A run that ends in
 * between is of no harm: the next one queues the seeds that are not there. */
static scent_status queue_seeds(struct crawl *crawl, struct errmsg *err)
{
    struct job *job = job_new(JOB_ROWS);
    size_t entered = 0;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < crawl->topic->nseeds && status == SCENT_OK; i++) {
        const struct url *seed = &crawl->topic->seeds[i];
        const char *refused;

        if (i && i % SEEDS_A_JOB == 0 && !job->rows.failed) {
            outcome_put(crawl, job);
            job = job_new(JOB_ROWS);
        }
        status = steer_seed(crawl->steer, seed, &job->rows, &refused);
        if (refused)
            outcome_tell_seed(crawl, seed->href, refused);
        else
            entered++;
    }
    judging_note(&crawl->judging, &job->rows);
    if (status == SCENT_OK && job->rows.failed)
        status = SCENT_E_NOMEM;
    if (status == SCENT_OK && crawl->recalled)
        status = apply_checkpoint(crawl, job, true, err); /* what it begins with is recalled once */
    if (status == SCENT_OK && !entered && crawl->counts.rows == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "no seed may be fetched: the topic's scope and limits refuse all of them");
    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    journal_tell(crawl->journal, JOURNAL_RUN, LOG_INFO, STR_NONE,
                 "the crawl %s: scent %s, strategy %s, %zu seeds, %" PRIu64 " pages so far",
                 crawl->resumed ? "resumes" : "begins", SCENT_VERSION, steer_strategy(crawl->steer)->ops->name,
                 crawl->topic->nseeds, crawl->counts.pages);
    job->event = crawl->resumed ? "resume" : "start";
    job->event_text = arena_printf(&job->arena, "scent %s, strategy %s", SCENT_VERSION,
                                   steer_strategy(crawl->steer)->ops->name);
    outcome_put(crawl, job);
    return SCENT_OK;
}

/* ---- threads ---- */

/* A crawl without its control socket is a crawl: a file system may have no sockets. */
static void open_control(struct crawl *crawl)
{
    struct listener_options options = {
        .dir = crawl->options->dir, .inbox = crawl->dispatch.inbox, .clock = crawl->options->clock};
    struct errmsg why = {0};

    if (listener_start(&options, &crawl->listener, &why) != SCENT_OK)
        log_line(crawl->options->log, LOG_WARN, "the crawl cannot be watched or steered while it runs: %s", why.text);
    if (!crawl->commands.paused)
        return;
    crawl->commands.paused = crawl->listener;
    crawl->commands.paused_since = clock_mono(crawl->options->clock);
    log_line(crawl->options->log, LOG_WARN,
             crawl->listener ? "the crawl was paused, and still is: 'scent control %s resume' continues it"
                             : "the crawl in %s was paused; it continues",
             crawl->options->dir);
}

static scent_status start_threads(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    uint32_t threads = external_threads(crawl->judging.knowledge.external, options->threads);
    struct analyst_options analysts = {
        .topic = crawl->topic,
        .web = options->web,
        .clock = options->clock,
        .key = crawl->key,
        .seed = rng_entropy(),
        .threads = threads,
        .pdf = pdf_reader_option(crawl->pdf),
    };
    struct writer_options writer = {
        .dir = options->dir,
        .packing = crawl->topic->compression == TOPIC_ZSTD ? WARC_ZSTD : WARC_GZIP,
        .store = crawl->store,
        .clock = options->clock,
        .min_free_disk = crawl->topic->limits.min_free_disk,
        .answers = crawl->recrawl ? crawl->recrawl->answers : NULL,
        .seed = rng_entropy(),
        .whole = crawl->is_repeatable,
    };

    dispatch_open(crawl, threads);
    open_control(crawl);
    writer.listener = crawl->listener;
    writer.hooks = crawl->hooks = hooks_start(&crawl->topic->hooks, crawl->journal, options->clock);
    analysts.in = crawl->dispatch.to_analyse;
    analysts.out = crawl->dispatch.inbox;
    SCENT_TRY(crawldir_save_info(crawl->store, crawl->topic, err));
    SCENT_TRY(writer_start(&writer, &crawl->writer, err));
    analysts.writer = crawl->writer;
    SCENT_TRY(analysts_start(&analysts, &crawl->analysts, err));
    SCENT_TRY(loader_open(crawl, err));
    SCENT_TRY(exchange_start(crawl, err));
    return dispatch_start_fetch(crawl, err);
}

static double to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

/* From here on nobody applies requests, but a large crawl is judged for minutes: whoever watches is told so. */
static void rest_control(struct crawl *crawl)
{
    struct snapshot *snapshot;
    struct json_writer w;
    struct arena arena;
    struct buf line;

    if (!crawl->listener)
        return;
    arena_init(&arena, SIZE_MAX);
    buf_init(&line, 0);
    json_writer_init(&w, &line);
    overview_fill(crawl, &arena, &snapshot);
    if (snapshot) {
        snapshot->live.state = "ending";
        snapshot_measure_disk(crawl->options->dir, &snapshot->disk_bytes, &snapshot->disk_free);
        snapshot_write(snapshot, &w);
    }
    listener_rest(crawl->listener, buf_str(&line));
    buf_release(&line);
    arena_release(&arena);
}

static void end_control(struct crawl *crawl)
{
    listener_stop(crawl->listener);
    crawl->listener = NULL;
}

/* Ends every thread in the order of the flow. The writer's failure comes before any other. */
static scent_status stop_threads(struct crawl *crawl, scent_status status, struct engine_cpu *cpu, struct errmsg *err)
{
    struct analyst_cpu analysts = {0};
    struct writer_cpu writer = {0};
    struct errmsg writer_err = {0};
    scent_status written = SCENT_OK;

    exchange_stop(crawl->exchange);
    dispatch_end_fetch(crawl);
    rescoring_stop(crawl);
    loader_stop(crawl->loader);
    if (crawl->dispatch.to_analyse)
        queue_close(crawl->dispatch.to_analyse);
    if (crawl->analysts)
        analysts_join(crawl->analysts, &analysts);
    if (crawl->writer)
        written = writer_finish(crawl->writer, &writer, &writer_err);
    if (written != SCENT_OK)
        *err = writer_err;
    rest_control(crawl);
    hooks_stop(crawl->hooks);
    crawl->hooks = NULL;
    cpu->fetch += to_ms(crawl->dispatch.fetch_cpu_ns);
    cpu->analyse += to_ms(analysts.analyse);
    cpu->judge += to_ms(analysts.judge);
    cpu->source += to_ms(analysts.source);
    cpu->warc += to_ms(analysts.warc + writer.warc);
    cpu->store += to_ms(writer.store);
    crawl->analysts = NULL;
    crawl->loader = NULL;
    crawl->writer = NULL;
    return written != SCENT_OK ? written : status;
}

/* ---- a run ---- */

static scent_status open_ways(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    struct cookies *cookies = NULL;
    scent_status status =
        ways_open(&crawl->topic->network, options->proxy_login, options->log, &crawl->ways, err);

    if (options->proxy)
        crawl->ways.proxy = options->proxy;
    /* Without a network nobody else reads them, and a bad file should not wait for the next crawl. */
    if (status == SCENT_OK && options->web && crawl->ways.cookies)
        status = cookies_read(crawl->ways.cookies, &cookies, err);
    cookies_free(cookies);
    return status;
}

/* A machine whose clock has lost its battery must not take the dates of today for those of endless calendars. */
static unsigned this_year(const struct clock *clock)
{
    unsigned year = clock_year(clock_wall(clock));

    return year > OLDEST_YEAR && year < OLDEST_YEAR + 100 ? year : OLDEST_YEAR;
}

/* A judge that was trained during the crawl. */
static scent_status restore_judge(struct crawl *crawl, struct errmsg *err)
{
    struct knowledge knowledge = crawl->judging.knowledge;
    bool changed;

    crawl->retraining =
        retraining_new(crawl->topic, &knowledge, crawl->options->dir, crawl->seed, crawl->options->log);
    if (!crawl->retraining)
        return SCENT_OK;
    SCENT_TRY(retraining_restore(crawl->retraining, crawl->store, &knowledge, &changed, err));
    if (changed)
        judging_replace(&crawl->judging, &knowledge);
    return SCENT_OK;
}

/* From now on the directory is ours. */
static void open_journal(struct crawl *crawl)
{
    crawl->journal = journal_start(&(struct journal_options){.dir = crawl->options->dir,
                                                             .clock = crawl->options->clock,
                                                             .screen = crawl->options->log,
                                                             .verbose = crawl->options->verbose,
                                                             .json = crawl->options->log_json});
    crawl->own_options.log = crawl->warnings.log = journal_log(crawl->journal);
}

static scent_status open_crawl(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    struct steer_options steer = {
        .topic = crawl->topic,
        .strategy = options->strategy,
        .loopback_only = !options->web && !options->proxy && options->reach == FETCH_REACH_LOOPBACK,
        .polite = !options->web,
        .text_bytes = options->topic->window ? 0 : options->topic->limits.text_memory,
        .year = this_year(options->clock),
    };

    crawl->is_repeatable = crawl->topic->window && options->web;
    SCENT_TRY(crawldir_open(options->dir, STORE_WRITE, &crawl->store, err));
    open_journal(crawl);
    SCENT_TRY(exchange_open(crawl, err));
    steer.shares = exchange_shares(crawl->exchange);
    SCENT_TRY(resume_values(crawl, err));
    SCENT_TRY(commands_restore(crawl, err));
    crawl->pdf = pdf_reader_new(NULL, NULL, &crawl->no_pdf);
    SCENT_TRY(restore_judge(crawl, err));
    SCENT_TRY(verdicts_begin(crawl, err));
    steer.knowledge = &crawl->judging.knowledge; /* with what people have taught */
    steer.key = crawl->key;
    steer.seed = crawl->seed;
    crawl->duplicates = duplicates_new(crawl->key);
    requisites_open(crawl);
    SCENT_TRY(steer_new(&steer, &crawl->steer, err));
    SCENT_TRY(commands_restore(crawl, err));
    crawl->judging.wants = steer_strategy(crawl->steer)->ops->wants;
    SCENT_TRY(resume_rows(crawl, err));
    SCENT_TRY(recrawl_start(crawl, err));
    SCENT_TRY(requisites_catch_up(crawl, &(bool){false}, err));
    SCENT_TRY(access_restore(crawl, err));
    SCENT_TRY(resume_learning(crawl, err));
    SCENT_TRY(rescoring_restore(crawl, err));
    if (crawl->resumed && crawl->access.politeness)
        crawl->dispatch.quiet_until = clock_mono(options->clock) + crawl->topic->politeness.delay_us;
    SCENT_TRY(crawldir_mark_run(crawl->store, true, err));
    return crawldir_replace(options->dir, CRAWLDIR_TOPIC, crawl->topic->source, err);
}

/* The threads, from their start to their end. */
static scent_status run_threads(struct crawl *crawl, bool late, struct engine_report *report, struct errmsg *err)
{
    int64_t cpu = clock_thread_cpu_ns();
    int64_t used = 0;
    scent_status status = start_threads(crawl, err);

    if (status == SCENT_OK && !late)
        status = queue_seeds(crawl, err);
    if (status == SCENT_OK)
        status = run_loop(crawl, err);
    if (status == SCENT_OK)
        status = moves_retire(crawl, err);
    if (status == SCENT_OK && !late)
        status = ending_put_last_words(crawl, err);
    clock_charge_cpu(&used, &cpu);
    report->cpu.engine += to_ms(used);
    return stop_threads(crawl, status, &report->cpu, err);
}

/* Pages that the last judge has made relevant get their requisites, too. After a stop the next run does it. */
static scent_status fetch_late_requisites(struct crawl *crawl, struct engine_report *report, struct errmsg *err)
{
    bool any;

    if (crawl->ending.stopping)
        return SCENT_OK;
    SCENT_TRY(requisites_catch_up(crawl, &any, err));
    if (!any)
        return SCENT_OK;
    end_control(crawl);
    dispatch_release(crawl);
    return run_threads(crawl, true, report, err);
}

static scent_status run_crawl(struct crawl *crawl, struct engine_report *report, struct errmsg *err)
{
    scent_status status = run_threads(crawl, false, report, err);

    if (status == SCENT_OK)
        status = verdicts_end(crawl, report, err);
    if (status == SCENT_OK)
        status = fetch_late_requisites(crawl, report, err);
    end_control(crawl);
    report->end = ending_kind(crawl);
    report->below = frontier_below(steer_frontier(crawl->steer)) - crawl->requisites.waiting;
    report->resumed = crawl->resumed;
    ending_progress(crawl, &report->totals);
    memcpy(report->seed_trouble, crawl->seed_trouble, sizeof report->seed_trouble);
    return status == SCENT_OK ? ending_note_run(crawl, report, err) : status;
}

static void release_crawl(struct crawl *crawl)
{
    dispatch_release(crawl);
    steer_free(crawl->steer);
    judging_release(&crawl->judging);
    warnings_release(&crawl->warnings);
    retraining_free(crawl->retraining);
    rescoring_free(crawl->rescoring);
    pdf_reader_free(crawl->pdf);
    duplicates_free(crawl->duplicates);
    recrawl_end(crawl);
    requisites_release(crawl);
    retries_release(&crawl->retries);
    access_release(crawl);
    ways_release(&crawl->ways);
    exchange_free(crawl->exchange);
    journal_stop(crawl->journal);
    store_close(crawl->store);
}

scent_status engine_run(const struct engine_options *options, struct engine_report *out, struct errmsg *err)
{
    struct crawl crawl = {
        .own_options = *options, .own_topic = *options->topic, .ending.started = clock_mono(options->clock)};
    scent_status status;

    *out = (struct engine_report){0};
    crawl.options = &crawl.own_options;
    crawl.topic = &crawl.own_topic;
    judging_init(&crawl.judging, crawl.topic, options->knowledge, options->clock);
    warnings_init(&crawl.warnings, options->log);
    access_init(&crawl);
    status = knowledge_check(crawl.topic, options->knowledge ? options->knowledge : &knowledge_none, err);
    if (status == SCENT_OK)
        status = descriptors_need(DESCRIPTORS_MIN, err);
    if (status == SCENT_OK)
        status = open_ways(&crawl, err);
    if (status == SCENT_OK)
        status = open_crawl(&crawl, err);
    if (status == SCENT_OK) {
        out->started = true;
        status = run_crawl(&crawl, out, err);
    }
    release_crawl(&crawl);
    return status;
}
