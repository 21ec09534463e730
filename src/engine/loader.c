#include "engine/loader.h"

#include "base/vec.h"
#include "engine/crawl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { CACHE_BYTES = 2 << 20 }; /* SQLite empties it after every commit of the writer: more would be wasted */

struct loader {
    struct store *store;
    struct queue *in, *out;
    pthread_t thread;
    atomic_bool stopping;
    uint32_t asked; /* jobs on their way; the asker's */
};

/* ---- the thread ---- */

struct load {
    struct loader *loader;
    struct job *job;
    size_t next; /* of the job's ids */
};

static scent_status keep_text(void *ctx, const struct store_url *row)
{
    struct load *load = ctx;
    struct str *text = &load->job->texts.texts[load->next++];

    if (atomic_load(&load->loader->stopping))
        return SCENT_E_END;
    if (row->state == STORE_PURGED)
        return SCENT_OK; /* what stands there is no URL */
    *text = arena_str(&load->job->arena, row->url);
    return text->p ? SCENT_OK : SCENT_E_NOMEM;
}

/* In order of id, since neighbours lie on one page of the database. A missing row ends store_get_urls; it goes on after
 * it. */
static void load_texts(struct loader *loader, struct job *job)
{
    struct job_texts *texts = &job->texts;
    struct load load = {loader, job, 0};
    scent_status status = SCENT_OK;

    qsort(texts->ids, texts->count, sizeof *texts->ids, order_u32);
    while (status == SCENT_OK && load.next < texts->count) {
        status = store_get_urls(loader->store, texts->ids + load.next, texts->count - load.next, keep_text, &load,
                                &texts->err);
        if (status == SCENT_E_NOTFOUND) {
            load.next++;
            status = SCENT_OK;
        }
    }
    texts->status = status;
}

static void *run_loader(void *arg)
{
    struct loader *loader = arg;
    struct job *job;

    while ((job = queue_pop(loader->in))) {
        if (atomic_load(&loader->stopping))
            job->texts.status = SCENT_E_END;
        else
            load_texts(loader, job);
        SCENT_BUG_IF(!queue_push(loader->out, job));
    }
    return NULL;
}

/* ---- the asker ---- */

scent_status loader_start(const char *dir, struct queue *out, struct loader **loader, struct errmsg *err)
{
    struct store *store;
    scent_status status = store_open(dir, STORE_READ, &store, err);

    if (status == SCENT_OK)
        status = store_set_cache(store, CACHE_BYTES, err);
    if (status != SCENT_OK) {
        store_close(store);
        return status;
    }
    *loader = calloc(1, sizeof **loader);
    SCENT_BUG_IF(!*loader);
    (*loader)->store = store;
    (*loader)->out = out;
    (*loader)->in = queue_new(LOADER_JOBS);
    SCENT_BUG_IF(pthread_create(&(*loader)->thread, NULL, run_loader, *loader));
    return SCENT_OK;
}

bool loader_has_room(const struct loader *loader)
{
    return loader->asked < LOADER_JOBS;
}

void loader_ask(struct loader *loader, const uint32_t *ids, size_t count)
{
    struct job *job = job_new(JOB_TEXTS);

    SCENT_BUG_IF(count > LOADER_IDS || !loader_has_room(loader));
    job->texts.ids = arena_array(&job->arena, count + 1, sizeof *ids);
    job->texts.texts = arena_zalloc(&job->arena, (count + 1) * sizeof *job->texts.texts);
    SCENT_BUG_IF(!job->texts.ids || !job->texts.texts);
    memcpy(job->texts.ids, ids, count * sizeof *ids);
    job->texts.count = count;
    loader->asked++;
    SCENT_BUG_IF(!queue_push(loader->in, job));
}

void loader_came(struct loader *loader)
{
    SCENT_BUG_IF(loader->asked == 0);
    loader->asked--;
}

void loader_stop(struct loader *loader)
{
    if (!loader)
        return;
    atomic_store(&loader->stopping, true);
    queue_close(loader->in);
    pthread_join(loader->thread, NULL);
    queue_free(loader->in);
    store_close(loader->store);
    free(loader);
}

/* ---- in a crawl ---- */

scent_status loader_open(struct crawl *crawl, struct errmsg *err)
{
    return crawl->topic->window ? SCENT_OK
                                : loader_start(crawl->options->dir, crawl->dispatch.inbox, &crawl->loader, err);
}

void loader_want(struct crawl *crawl)
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
static void drop_url(struct crawl *crawl, uint32_t id)
{
    struct frontier *frontier = steer_frontier(crawl->steer);

    struct candidate candidate;

    if (!frontier_get(frontier, id, &candidate))
        return;
    requisites_lose(crawl, &candidate);
    frontier_drop(frontier, id);
    recrawl_lose(crawl->recrawl, id);
    crawl->counts.failed++;
    log_line(crawl->options->log, LOG_WARN,
             "crawl.db has no text for url row %lu, which is queued; it is left out: run 'scent check'", id + 1ul);
}

static scent_status supply_texts(struct crawl *crawl, const struct job_texts *texts, struct errmsg *err)
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
            drop_url(crawl, texts->ids[i]);
            status = SCENT_OK;
        }
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory for the texts of queued URLs");
}

scent_status loader_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status = supply_texts(crawl, &job->texts, err);

    loader_came(crawl->loader);
    job_free(job);
    return status;
}
