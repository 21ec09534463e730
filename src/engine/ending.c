/* ending - is a crawl over, how did it end, and how far has it come? */
#include "engine/crawl.h"

enum {
    GRACE_US = 5 * 1000 * 1000, /* what is in flight may take this long after a stop */
    PROGRESS_US = 200 * 1000,
};

uint64_t crawl_in_flight(const struct crawl *crawl)
{
    return crawl->dispatched - crawl->applied;
}

static bool limit_reached(const struct crawl *crawl)
{
    return crawl->topic->limits.pages && crawl->pages >= crawl->topic->limits.pages;
}

/* ---- the end ---- */

void crawl_check_stop(struct crawl *crawl)
{
    int64_t now = clock_mono(crawl->options->clock);
    bool asked = crawl->options->stop && atomic_load(crawl->options->stop);
    bool late = crawl->topic->limits.time_us && now - crawl->started >= crawl->topic->limits.time_us;

    if (!crawl->stopping && (asked || late)) {
        crawl->stopping = true;
        crawl->stop_by = now + GRACE_US;
    }
    if (crawl->stopping && !crawl->aborted && now >= crawl->stop_by && crawl->fetch) {
        crawl->aborted = true;
        crawl_end_fetch(crawl);
    }
}

bool crawl_is_over(struct crawl *crawl)
{
    if (crawl_in_flight(crawl))
        return false;
    if (crawl->stopping)
        return true;
    return (limit_reached(crawl) || !frontier_has_more(steer_frontier(crawl->steer))) && crawl_nothing_is_due(crawl);
}

enum engine_end crawl_how_it_ended(const struct crawl *crawl)
{
    if (crawl->options->stop && atomic_load(crawl->options->stop))
        return ENGINE_INTERRUPTED;
    if (crawl->pages == 0)
        return ENGINE_NO_SEED;
    if (crawl->stopping || limit_reached(crawl))
        return ENGINE_LIMIT;
    return frontier_queued(steer_frontier(crawl->steer)) ? ENGINE_BELOW : ENGINE_EXHAUSTED;
}

/* ---- progress ---- */

void crawl_progress(const struct crawl *crawl, struct engine_progress *out)
{
    struct frontier *frontier = steer_frontier(crawl->steer);

    *out = (struct engine_progress){
        .pages = crawl->pages,
        .relevant = crawl->relevant,
        .failed = crawl->failed,
        .known = frontier_known(frontier),
        .queued = frontier_queued(frontier),
        .in_flight = crawl_in_flight(crawl),
        .hosts = frontier_hosts(frontier),
        .page_limit = crawl->topic->limits.pages,
        .new_pages = crawl->pages - crawl->first_page,
        .revisits = crawl->recrawl ? crawl->recrawl->visits : 0,
        .changes = crawl->recrawl ? crawl->recrawl->changes : 0,
        .elapsed_us = clock_mono(crawl->options->clock) - crawl->started,
        .time_limit_us = crawl->topic->limits.time_us,
    };
}

void crawl_tell_progress(struct crawl *crawl)
{
    int64_t now = clock_mono(crawl->options->clock);
    struct engine_progress progress;

    if (!crawl->options->on_progress || now < crawl->next_progress)
        return;
    crawl->next_progress = now + PROGRESS_US;
    crawl_progress(crawl, &progress);
    crawl->options->on_progress(crawl->options->ctx, &progress);
}

scent_status crawl_put_last_words(struct crawl *crawl, struct errmsg *err)
{
    static const char *const words[] = {"limit reached", "no links left", "no candidate reaches the threshold",
                                        "no seed could be fetched", "interrupted"};
    struct job *job = job_new();
    scent_status status = crawl_checkpoint(crawl, job, true, err);

    if (status != SCENT_OK) {
        job_free(job);
        return status;
    }
    job->event = "stop";
    job->event_text = str_of(words[crawl_how_it_ended(crawl)]);
    writer_put(crawl->writer, job);
    return SCENT_OK;
}
