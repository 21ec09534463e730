/* Is a crawl over, how did it end, and how far has it come? */
#include "engine/crawl.h"

#include "crawldir/crawldir.h"
#include "crawldir/learned.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    GRACE_US = 5 * 1000 * 1000, /* what is in flight may take this long after a stop */
    PROGRESS_US = 200 * 1000,
};

static bool limit_reached(const struct crawl *crawl)
{
    return crawl->counts.pages >= exchange_page_limit(crawl);
}

/* ---- the end ---- */

bool ending_was_asked(const struct crawl *crawl)
{
    return crawl->commands.stop || exchange_is_stopped(crawl->exchange) ||
           (crawl->options->stop && atomic_load(crawl->options->stop));
}

void ending_check_stop(struct crawl *crawl)
{
    int64_t now = clock_mono(crawl->options->clock);
    bool asked = ending_was_asked(crawl);
    bool late = crawl->exchange ? exchange_is_late(crawl->exchange)
                                : crawl->topic->limits.time_us &&
                                      commands_elapsed(crawl, now) >= crawl->topic->limits.time_us;

    if (!crawl->ending.stopping && (asked || late)) {
        journal_tell(crawl->journal, JOURNAL_RUN, LOG_INFO, STR_NONE, "%s",
                     asked ? "it was asked to stop" : "the time limit is reached");
        crawl->ending.stopping = true;
        crawl->ending.stop_by = now + GRACE_US;
    }
    if (crawl->ending.stopping && !crawl->ending.aborted && now >= crawl->ending.stop_by && crawl->dispatch.fetch) {
        crawl->ending.aborted = true;
        dispatch_end_fetch(crawl);
    }
}

static bool has_more(struct crawl *crawl)
{
    return crawl->retries.count || frontier_has_more(steer_frontier(crawl->steer));
}

static bool is_idle(struct crawl *crawl)
{
    if (!limit_reached(crawl) && has_more(crawl))
        return false;
    return !requisites_go_on(crawl) && recrawl_nothing_is_due(crawl);
}

/* Where several crawl together, one that has nothing to do waits for links of the others until all have nothing. */
bool ending_is_over(struct crawl *crawl)
{
    bool idle = !dispatch_in_flight(&crawl->dispatch) && (crawl->ending.stopping || is_idle(crawl));

    if (!crawl->exchange)
        return idle;
    exchange_note(crawl, idle && !crawl->ending.stopping, has_more(crawl));
    return idle && (crawl->ending.stopping || exchange_has_ended(crawl->exchange));
}

enum engine_end ending_kind(const struct crawl *crawl)
{
    if (ending_was_asked(crawl))
        return ENGINE_INTERRUPTED;
    if (crawl->counts.pages == 0 && !crawl->exchange)
        return ENGINE_NO_SEED;
    if (crawl->ending.stopping || (crawl->exchange ? exchange_is_full(crawl->exchange) : limit_reached(crawl)))
        return ENGINE_LIMIT;
    return frontier_queued(steer_frontier(crawl->steer)) ? ENGINE_BELOW : ENGINE_EXHAUSTED;
}

/* ---- progress ---- */

void ending_progress(const struct crawl *crawl, struct engine_progress *out)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    const struct requisites *requisites = &crawl->requisites;

    *out = (struct engine_progress){
        .pages = crawl->counts.pages,
        .relevant = crawl->counts.relevant,
        .failed = crawl->counts.failed,
        .known = frontier_known(frontier) - requisites->known,
        .queued = frontier_queued(frontier) - (requisites->waiting + requisites->raised - requisites->in_flight),
        .in_flight = dispatch_in_flight(&crawl->dispatch) - requisites->in_flight,
        .hosts = frontier_hosts(frontier),
        .page_limit = crawl->topic->limits.pages,
        .new_pages = crawl->counts.pages - crawl->counts.first_page,
        .revisits = crawl->recrawl ? crawl->recrawl->visits : 0,
        .changes = crawl->recrawl ? crawl->recrawl->changes : 0,
        .elapsed_us = commands_elapsed(crawl, clock_mono(crawl->options->clock)),
        .time_limit_us = crawl->topic->limits.time_us,
        .pages_per_s =
            counting_pages_per_s(&crawl->counting, clock_mono(crawl->options->clock), crawl->ending.started),
    };
    snprintf(out->waits_for, sizeof out->waits_for, "%s", overview_wait(crawl).text);
}

void ending_tell_progress(struct crawl *crawl)
{
    int64_t now = clock_mono(crawl->options->clock);
    struct engine_progress progress;

    if (!crawl->options->on_progress || now < crawl->ending.next_progress)
        return;
    crawl->ending.next_progress = now + PROGRESS_US;
    ending_progress(crawl, &progress);
    crawl->options->on_progress(crawl->options->ctx, &progress);
}

scent_status ending_put_last_words(struct crawl *crawl, struct errmsg *err)
{
    static const char *const words[] = {"limit reached", "no links left", "no candidate reaches the threshold",
                                        "no seed could be fetched", "interrupted"};
    struct job *job = job_new(JOB_ROWS);
    scent_status status = apply_checkpoint(crawl, job, true, err);

    if (status == SCENT_OK && crawl->retraining && ending_kind(crawl) != ENGINE_INTERRUPTED)
        status = apply_training(crawl, job, 0);
    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    journal_tell(crawl->journal, JOURNAL_RUN, LOG_INFO, STR_NONE,
                 "the crawl ends: %s; %" PRIu64 " pages, %" PRIu64 " relevant, %" PRIu64 " errors",
                 words[ending_kind(crawl)], crawl->counts.pages, crawl->counts.relevant, crawl->counts.failed);
    job->event = "stop";
    job->event_text = str_of(words[ending_kind(crawl)]);
    outcome_put(crawl, job);
    return SCENT_OK;
}

/* ---- learned/, run.json and index.cdxj ---- */

static void write_cpu(struct json_writer *w, const struct engine_cpu *cpu)
{
    const struct {
        const char *name;
        double ms;
    } stages[] = {
        {"fetch", cpu->fetch}, {"source", cpu->source}, {"analyse", cpu->analyse}, {"judge", cpu->judge},
        {"engine", cpu->engine}, {"warc", cpu->warc},     {"store", cpu->store},
    };

    json_key(w, "cpu_ms");
    json_object_begin(w);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        json_put_double(w, stages[i].name, stages[i].ms);
    json_object_end(w);
}

static void write_reuse(struct json_writer *w, const struct topic *topic)
{
    if (!topic->nreuse)
        return;
    json_key(w, "reuse");
    json_array_begin(w);
    for (size_t i = 0; i < topic->nreuse; i++) {
        json_object_begin(w);
        json_put_str(w, "from", topic->reuse[i].from);
        json_put_double(w, "weight", topic->reuse[i].weight);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_run(const struct crawl *crawl, const struct engine_report *report, struct buf *out)
{
    static const char *const ends[] = {"limit", "exhausted", "below threshold", "no seed", "interrupted"};
    const struct engine_progress *totals = &report->totals;
    struct json_writer w;
    char when[32];

    clock_format_iso(clock_wall(crawl->options->clock), when, sizeof when);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "version", str_of(SCENT_VERSION));
    json_put_str(&w, "ended", str_of(when));
    json_put_str(&w, "end", str_of(ends[report->end]));
    json_put_str(&w, "topic", crawl->topic->name);
    json_put_str(&w, "strategy", str_of(steer_strategy(crawl->steer)->ops->name));
    json_key(&w, "options");
    json_object_begin(&w);
    for (size_t i = 0; i < crawl->topic->noptions; i++) {
        char key[128];

        snprintf(key, sizeof key, "%.*s", STR_ARG(crawl->topic->options[i].key));
        json_put_str(&w, key, crawl->topic->options[i].value);
    }
    json_object_end(&w);
    write_reuse(&w, crawl->topic);
    json_put_int(&w, "seed", crawl->seed);
    json_put_int(&w, "window", crawl->topic->window);
    json_put_int(&w, "pages", totals->pages);
    json_put_int(&w, "new_pages", totals->new_pages);
    json_put_int(&w, "revisits", totals->revisits);
    json_put_int(&w, "changes", totals->changes);
    json_put_int(&w, "relevant", totals->relevant);
    json_put_int(&w, "judged_again", report->judged_again);
    json_put_int(&w, "verdicts_changed", report->gained + report->lost);
    json_put_int(&w, "failed", totals->failed);
    json_put_int(&w, "known_urls", totals->known);
    json_put_double(&w, "seconds", (double)totals->elapsed_us / 1e6);
    write_cpu(&w, &report->cpu);
    json_object_end(&w);
}

static scent_status keep_learned(const struct crawl *crawl, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(crawl->steer);
    struct learned_origin origin = {
        .strategy = str_of(strategy->ops->name),
        .topic = crawl->topic->name,
        .pages = crawl->counts.pages,
        .relevant = crawl->counts.relevant,
    };

    if (crawl->counts.pages == 0)
        return SCENT_OK;
    return learned_keep(strategy, crawl->topic->query ? &crawl->judging.term_counts : NULL, crawl->options->dir,
                        &origin, err);
}

scent_status ending_note_run(struct crawl *crawl, const struct engine_report *report, struct errmsg *err)
{
    struct buf run;
    scent_status status;

    SCENT_TRY(keep_learned(crawl, err));
    buf_init(&run, 0);
    write_run(crawl, report, &run);
    status = crawldir_add_run(crawl->store, crawl->options->dir, buf_str(&run), err);
    buf_release(&run);
    if (status == SCENT_OK)
        status = crawldir_write_index(crawl->store, crawl->options->dir, err);
    return status == SCENT_OK ? crawldir_mark_run(crawl->store, false, err) : status;
}
