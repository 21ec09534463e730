/* texts - the texts of queued URLs stay on disk; those that are about to be needed are loaded ahead.
 *
 * The frontier says which ones (frontier.h, "texts"), the loader brings them.
 * With a window there is no loader and all texts stay in memory: when a text arrives depends on the disk, and a host
 * that waits for one is overtaken by others, so that the order of visits would not be the same every time. */
#include "engine/crawl.h"

scent_status crawl_start_loader(struct crawl *crawl, struct errmsg *err)
{
    return crawl->topic->window ? SCENT_OK : loader_start(crawl->options->dir, crawl->inbox, &crawl->loader, err);
}

void crawl_want_texts(struct crawl *crawl)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    uint32_t ids[LOADER_IDS];
    size_t count;

    if (!crawl->loader)
        return;
    frontier_committed(frontier, writer_committed(crawl->writer));
    while (loader_has_room(crawl->loader) && (count = frontier_wanted(frontier, ids, LOADER_IDS)))
        loader_ask(crawl->loader, ids, count);
}

/* A row that should be there and is not: the database was damaged. The rest of the crawl need not suffer for it. */
static void drop(struct crawl *crawl, uint32_t id)
{
    struct frontier *frontier = steer_frontier(crawl->steer);

    if (frontier_state(frontier, id) != FRONTIER_QUEUED)
        return;
    frontier_drop(frontier, id);
    if (crawl->recrawl)
        crawl_lose_again(crawl, id);
    crawl->failed++;
    log_line(crawl->options->log, LOG_WARN,
             "crawl.db has no text for url row %lu, which is queued; it is left out: run 'scent check'", id + 1ul);
}

static scent_status supply(struct crawl *crawl, const struct job_texts *texts, struct errmsg *err)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    scent_status status = texts->status;

    if (status == SCENT_E_END)
        return SCENT_OK; /* the crawl ends */
    if (status != SCENT_OK) {
        *err = texts->err;
        return status;
    }
    for (size_t i = 0; i < texts->count && status == SCENT_OK; i++) {
        if (texts->texts[i].len)
            status = frontier_supply(frontier, texts->ids[i], texts->texts[i]);
        if (texts->texts[i].len == 0 || status == SCENT_E_LIMIT) {
            drop(crawl, texts->ids[i]);
            status = SCENT_OK;
        }
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory for the texts of queued URLs");
}

scent_status crawl_apply_texts(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status = supply(crawl, job->texts, err);

    loader_came(crawl->loader);
    job_free(job);
    return status;
}
