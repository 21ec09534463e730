/* The loop:
 *
 *   frontier --dispatch--> fetch --> analysts --> inbox --apply--> frontier, writer
 *
 * The number of jobs in the circle is bounded by max_in_flight, and every queue in it holds that many, so no push
 * in the circle ever waits: only the writer, which lies outside of it, makes the engine wait. The inbox has also room
 * for all that the loader may bring (texts.c). */
#include "engine/crawl.h"

#include "base/cores.h"
#include "base/descriptors.h"
#include "crawldir/learned.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    NETWORK_IN_FLIGHT = 1024,
    LONGEST_NAP_US = 100 * 1000, /* how soon a stop is noticed */
    OLDEST_YEAR = 2026,          /* of this version: no clock that shows an earlier one is right */
    DESCRIPTORS_MIN = 24,        /* database, WARC, index, event loop, and a few sockets */
    SHORT_NAP_US = 2 * 1000,
};

/* ---- dispatch ---- */

/* Of pages that are new. Those that are visited again do not count. */
static bool limit_is_near(const struct crawl *crawl)
{
    uint64_t limit = crawl->topic->limits.pages, known = crawl->recrawl ? crawl->recrawl->in_flight : 0;

    return limit && crawl->pages + crawl_in_flight(crawl) - known >= limit;
}

static bool may_dispatch(struct crawl *crawl)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);

    if (crawl->stopping || crawl_in_flight(crawl) >= crawl->max_in_flight)
        return false;
    if (limit_is_near(crawl) && !(crawl->recrawl && crawl->recrawl->queued > crawl->recrawl->in_flight))
        return false;
    if (strategy->ops->batch && crawl->dispatched >= crawl->batch_end) {
        if (crawl_in_flight(crawl))
            return false;
        crawl->batch_end = crawl->dispatched + strategy->ops->batch(strategy->state);
    }
    return true;
}

static scent_status make_job(struct crawl *crawl, const struct frontier_taken *taken, struct job *job)
{
    struct str href = arena_str(&job->arena, taken->href);

    job->visit = (struct steer_visit){.id = taken->id, .host = taken->host, .candidate = taken->candidate};
    job->visit.candidate.tries++;
    job->order = crawl->dispatched++;
    job->judge = judge_ref(crawl->judge);
    crawl_begin_again(crawl, job);
    return href.p ? url_parse(&job->arena, href, NULL, &job->url) : SCENT_E_NOMEM;
}

/* Rows that no visit carries go to the writer in a job of their own. */
static void put_rows(struct crawl *crawl, struct job *job)
{
    if (rows_are_empty(&job->rows))
        job_free(job);
    else
        writer_put(crawl->writer, job);
}

/* Sends out as much as may be out. *wait_us: how long nothing more may be sent. */
static scent_status dispatch(struct crawl *crawl, int64_t *wait_us, struct errmsg *err)
{
    struct job *aside = job_new(); /* carries the rows of what is not visited */
    scent_status status = SCENT_OK;

    *wait_us = crawl->quiet_until - clock_mono(crawl->options->clock);
    if (*wait_us > 0) {
        job_free(aside);
        return SCENT_OK;
    }
    *wait_us = INT64_MAX;
    while (may_dispatch(crawl)) {
        struct frontier_taken taken;
        enum crawl_greeting greeting;
        int64_t now = clock_mono(crawl->options->clock);
        struct job *job;

        status = steer_take(crawl->steer, now, &aside->rows, &taken, wait_us);
        if (status == SCENT_OK && limit_is_near(crawl) &&
            !(taken.candidate.flags & (CANDIDATE_AGAIN | CANDIDATE_ROBOTS))) {
            /* They come first: none of them may be visited now. */
            frontier_untake(steer_frontier(crawl->steer), taken.id, &taken.candidate);
            *wait_us = LONGEST_NAP_US;
            break;
        }
        if (status == SCENT_OK)
            status = crawl_greet(crawl, &taken, &aside->rows, &greeting);
        if (status != SCENT_OK)
            break;
        if (greeting != CRAWL_GO)
            continue;
        job = job_new();
        status = make_job(crawl, &taken, job);
        if (status != SCENT_OK) {
            job_free(job);
            break;
        }
        crawl_submit(crawl, job);
    }
    put_rows(crawl, aside);
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND || status == SCENT_E_END)
        return SCENT_OK;
    return errmsg_fail(err, status, "cannot take a URL from the frontier: %s", scent_status_text(status));
}

/* ---- results ---- */

/* With a window results are applied in the order of dispatch, so that a run can be repeated. */
static struct job *next_in_order(struct crawl *crawl, struct job *job)
{
    uint32_t window = crawl->topic->window;
    struct job **slot;

    if (!crawl->waiting)
        return job;
    if (job)
        crawl->waiting[job->order % window] = job;
    slot = &crawl->waiting[crawl->applied % window];
    job = *slot;
    *slot = NULL;
    return job;
}

/* Applies what has come, waiting at most `wait_us` for the first. */
static scent_status apply_results(struct crawl *crawl, int64_t wait_us, struct errmsg *err)
{
    struct job *job = next_in_order(crawl, NULL);
    scent_status status = SCENT_OK;

    if (!job) {
        job = queue_pop_for(crawl->inbox, wait_us);
        job = job ? next_in_order(crawl, job) : NULL;
    }
    while (job && status == SCENT_OK) {
        status = job->result == JOB_TEXTS ? crawl_apply_texts(crawl, job, err) : crawl_apply(crawl, job, err);
        if (crawl->waiting)
            break; /* dispatch after every single one: else the order would depend on timing */
        job = queue_pop_for(crawl->inbox, 0);
    }
    return status;
}

/* ---- the crawl ---- */

/* An answer of the writer does not wake us up. */
static int64_t longest_nap(const struct crawl *crawl)
{
    return crawl->recrawl && crawl->recrawl->asked ? SHORT_NAP_US : LONGEST_NAP_US;
}

/* Before a crawl ends for want of candidates. */
static scent_status ask_for_more(struct crawl *crawl, struct errmsg *err)
{
    bool any = steer_strategy(crawl->steer)->ops->propose && !crawl_in_flight(crawl);
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && any && !crawl->stopping && !frontier_has_more(steer_frontier(crawl->steer))) {
        struct job *aside = job_new();

        status = steer_propose(crawl->steer, &aside->rows, &any);
        put_rows(crawl, aside);
        crawl_check_stop(crawl);
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

static scent_status loop(struct crawl *crawl, struct errmsg *err)
{
    int64_t wait_us;
    scent_status status = ask_for_more(crawl, err);

    while (status == SCENT_OK && !crawl_is_over(crawl)) {
        crawl_check_stop(crawl);
        status = crawl_queue_due(crawl, err);
        if (status == SCENT_OK)
            status = dispatch(crawl, &wait_us, err);
        crawl_want_texts(crawl);
        crawl_look_ahead(crawl);
        if (status == SCENT_OK)
            status = apply_results(crawl, wait_us < longest_nap(crawl) ? wait_us : longest_nap(crawl), err);
        if (status == SCENT_OK)
            status = writer_status(crawl->writer);
        if (status == SCENT_OK)
            status = ask_for_more(crawl, err);
        crawl_tell_progress(crawl);
    }
    return status;
}

static scent_status queue_seeds(struct crawl *crawl, struct errmsg *err)
{
    struct job *job = job_new();
    size_t entered = 0;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < crawl->topic->nseeds && status == SCENT_OK; i++) {
        const struct url *seed = &crawl->topic->seeds[i];
        const char *refused;

        status = steer_seed(crawl->steer, seed, &job->rows, &refused);
        if (refused)
            log_line(crawl->options->log, LOG_WARN, "seed %.*s: %s", STR_ARG(seed->href), refused);
        else
            entered++;
    }
    if (status == SCENT_OK && job->rows.failed)
        status = SCENT_E_NOMEM;
    if (status == SCENT_OK && crawl->recalled)
        status = crawl_checkpoint(crawl, job, true, err); /* what it begins with is recalled once */
    if (status == SCENT_OK && !entered && crawl->rows == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "no seed may be fetched: the topic's scope and limits refuse all of them");
    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    job->event = crawl->resumed ? "resume" : "start";
    job->event_text = arena_printf(&job->arena, "scent %s, strategy %s", SCENT_VERSION,
                                   steer_strategy(crawl->steer)->ops->name);
    writer_put(crawl->writer, job);
    return SCENT_OK;
}

static scent_status start_threads(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    uint32_t threads = options->threads ? options->threads : cores_count();
    struct analyst_options analysts = {
        .topic = crawl->topic,
        .web = options->web,
        .clock = options->clock,
        .key = crawl->key,
        .seed = rng_entropy(),
        .threads = threads,
    };
    struct writer_options writer = {
        .dir = options->dir,
        .store = crawl->store,
        .clock = options->clock,
        .min_free_disk = crawl->topic->limits.min_free_disk,
        .answers = crawl->recrawl ? crawl->recrawl->answers : NULL,
        .seed = rng_entropy(),
    };
    scent_status status;

    crawl->max_in_flight = options->web ? 4 * threads : NETWORK_IN_FLIGHT;
    if (crawl->topic->window) {
        crawl->max_in_flight = crawl->topic->window;
        crawl->waiting = calloc(crawl->topic->window, sizeof *crawl->waiting);
        SCENT_BUG_IF(!crawl->waiting);
    }
    analysts.in = crawl->to_analyse = queue_new(crawl->max_in_flight);
    analysts.out = crawl->inbox = queue_new(crawl->max_in_flight + LOADER_JOBS + CRAWL_AHEAD);
    status = writer_start(&writer, &crawl->writer, err);
    if (status == SCENT_OK)
        status = analysts_start(&analysts, &crawl->analysts, err);
    if (status == SCENT_OK)
        status = crawl_start_loader(crawl, err);
    return status == SCENT_OK ? crawl_start_fetch(crawl, err) : status;
}

/* Whatever is still on its way is thrown away: the store says that it is queued. */
static void drain(struct crawl *crawl)
{
    struct job *job;

    while ((job = queue_pop_for(crawl->inbox, 0)))
        job_free(job);
    for (uint32_t i = 0; crawl->waiting && i < crawl->topic->window; i++)
        job_free(crawl->waiting[i]);
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

/* Ends every thread in the order of the flow. The writer's failure comes before any other. */
static scent_status stop_threads(struct crawl *crawl, scent_status status, struct engine_cpu *cpu, struct errmsg *err)
{
    struct analyst_cpu analysts = {0};
    struct writer_cpu writer = {0};
    struct errmsg writer_err = {0};
    scent_status written = SCENT_OK;

    crawl_end_fetch(crawl);
    loader_stop(crawl->loader);
    if (crawl->to_analyse)
        queue_close(crawl->to_analyse);
    if (crawl->analysts)
        analysts_join(crawl->analysts, &analysts);
    if (crawl->inbox)
        drain(crawl);
    if (crawl->writer)
        written = writer_finish(crawl->writer, &writer, &writer_err);
    if (written != SCENT_OK)
        *err = writer_err;
    cpu->fetch = ms(crawl->fetch_cpu_ns);
    cpu->analyse = ms(analysts.analyse);
    cpu->judge = ms(analysts.judge);
    cpu->source = ms(analysts.source);
    cpu->warc = ms(analysts.warc + writer.warc);
    cpu->store = ms(writer.store);
    return written != SCENT_OK ? written : status;
}

static struct politeness *make_politeness(const struct crawl *crawl)
{
    const struct topic_politeness *politeness = &crawl->topic->politeness;
    struct politeness_options options = {
        .user_agent = politeness->user_agent,
        .delay_us = politeness->delay_us,
        .give_up_after = 2 + 2 * politeness->retries,
        .seed = rng_entropy(),
    };

    return politeness_new(&options);
}

static scent_status open_ways(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    scent_status status = SCENT_OK;

    if (!options->web)
        status = ways_open(&crawl->topic->ways, options->proxy_login, options->log, &crawl->ways, err);
    if (options->proxy)
        crawl->ways.proxy = options->proxy;
    return status;
}

/* A machine whose clock has lost its battery must not take the dates of today for those of endless calendars. */
static unsigned this_year(const struct clock *clock)
{
    unsigned year = clock_year(clock_wall(clock));

    return year > OLDEST_YEAR && year < OLDEST_YEAR + 100 ? year : OLDEST_YEAR;
}

static scent_status open_crawl(struct crawl *crawl, struct errmsg *err)
{
    const struct engine_options *options = crawl->options;
    struct steer_options steer = {
        .topic = options->topic,
        .strategy = options->strategy,
        .loopback_only = !options->web && !options->proxy && options->reach == FETCH_REACH_LOOPBACK,
        .polite = !options->web,
        .text_bytes = options->topic->window ? 0 : options->topic->limits.text_memory,
        .year = this_year(options->clock),
    };
    scent_status status = crawldir_open(options->dir, STORE_WRITE, &crawl->store, err);

    if (status == SCENT_OK)
        status = crawl_restore_values(crawl, err);
    if (status != SCENT_OK)
        return status;
    steer.key = crawl->key;
    steer.seed = crawl->seed;
    if (!options->web)
        crawl->politeness = make_politeness(crawl);
    status = steer_new(&steer, &crawl->steer, err);
    if (status == SCENT_OK)
        status = crawl_restore_rows(crawl, err);
    if (status == SCENT_OK)
        status = crawl_start_recrawl(crawl, err);
    if (status == SCENT_OK)
        status = crawl_restore_access(crawl, err);
    if (status == SCENT_OK)
        status = crawl_relearn(crawl, err);
    if (status == SCENT_OK)
        status = crawl_renew_judge(crawl);
    if (status == SCENT_OK)
        status = crawldir_replace(options->dir, CRAWLDIR_TOPIC, crawl->topic->source, err);
    if (crawl->resumed && crawl->politeness)
        crawl->quiet_until = clock_mono(options->clock) + crawl->topic->politeness.delay_us;
    return status;
}

static scent_status keep_learned(const struct crawl *crawl, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);
    struct learned_origin origin = {
        .strategy = str_of(strategy->ops->name),
        .topic = crawl->topic->name,
        .pages = crawl->pages,
        .relevant = crawl->relevant,
    };

    if (crawl->pages == 0)
        return SCENT_OK;
    return learned_keep(strategy, crawl->topic->query ? &crawl->census : NULL, crawl->options->dir, &origin, err);
}

static scent_status run(struct crawl *crawl, struct engine_report *report, struct errmsg *err)
{
    int64_t cpu = clock_thread_cpu_ns();
    int64_t used = 0;
    scent_status status = start_threads(crawl, err);

    if (status == SCENT_OK)
        status = queue_seeds(crawl, err);
    if (status == SCENT_OK)
        status = loop(crawl, err);
    if (status == SCENT_OK)
        status = crawl_put_last_words(crawl, err);
    clock_charge_cpu(&used, &cpu);
    status = stop_threads(crawl, status, &report->cpu, err);
    report->cpu.engine = ms(used);
    report->end = crawl_how_it_ended(crawl);
    report->below = frontier_below(steer_frontier(crawl->steer));
    report->resumed = crawl->resumed;
    crawl_progress(crawl, &report->totals);
    if (status == SCENT_OK)
        status = keep_learned(crawl, err);
    return status == SCENT_OK ? crawl_note_end(crawl, report, err) : status;
}

static void release(struct crawl *crawl)
{
    queue_free(crawl->to_analyse);
    queue_free(crawl->inbox);
    free(crawl->waiting);
    steer_free(crawl->steer);
    judge_unref(crawl->judge);
    centroid_release(&crawl->centroid);
    census_release(&crawl->census);
    politeness_free(crawl->politeness);
    duplicates_free(crawl->duplicates);
    caps_release(&crawl->copies);
    crawl_end_recrawl(crawl);
    numbering_release(&crawl->ips);
    arena_release(&crawl->names_arena);
    free(crawl->names);
    ways_release(&crawl->ways);
    store_close(crawl->store);
}

scent_status engine_run(const struct engine_options *options, struct engine_report *out, struct errmsg *err)
{
    struct crawl crawl = {
        .options = options,
        .topic = options->topic,
        .started = clock_mono(options->clock),
        .duplicates = duplicates_new(),
    };
    scent_status status;

    *out = (struct engine_report){0};
    centroid_init(&crawl.centroid);
    if (crawl.topic->query)
        census_init(&crawl.census, crawl.topic->query);
    numbering_init(&crawl.ips);
    caps_init(&crawl.copies);
    arena_init(&crawl.names_arena, SIZE_MAX);
    status = topic_check_trained(crawl.topic, err);
    if (status == SCENT_OK)
        status = descriptors_need(DESCRIPTORS_MIN, err);
    if (status == SCENT_OK)
        status = open_ways(&crawl, err);
    if (status == SCENT_OK)
        status = open_crawl(&crawl, err);
    if (status == SCENT_OK) {
        out->started = true;
        status = run(&crawl, out, err);
    }
    release(&crawl);
    return status;
}
