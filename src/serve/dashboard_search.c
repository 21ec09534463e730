#include "serve/dashboard_search.h"

#include "base/clock.h"
#include "search/search.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { BATCH = 100, REST_FACTOR = 30, WAIT_MS = 1000, HITS = 10, HITS_MAX = 50, QUERY = 512, LIMIT_US = 250000 };

struct indexer {
    struct dashboard *dashboard;
    struct shown_crawl *crawl;
    const struct log *log;
    pthread_t thread;
    pthread_mutex_t lock; /* of `closed` and `changed`, and of the handle for queries */
    pthread_cond_t changed;
    bool closed;
    struct search *search; /* for queries */
    atomic_uint_fast64_t pages;
    atomic_bool up_to_date;
};

static bool wait_ms(struct indexer *indexer, int64_t ms)
{
    int64_t until = clock_mono(&clock_system) + ms * 1000;
    struct timespec at = {until / 1000000, until % 1000000 * 1000};
    bool closed;

    pthread_mutex_lock(&indexer->lock);
    while (!indexer->closed && clock_mono(&clock_system) < until)
        pthread_cond_timedwait(&indexer->changed, &indexer->lock, &at);
    closed = indexer->closed;
    pthread_mutex_unlock(&indexer->lock);
    return !closed;
}

static void *keep_index(void *ctx)
{
    struct indexer *indexer = ctx;
    struct search *search = NULL;
    int64_t rest = 0;

    while (wait_ms(indexer, rest)) {
        int64_t began = clock_mono(&clock_system), took;
        struct search_progress progress = {0};
        struct errmsg err = {""};
        scent_status status = SCENT_OK;

        if (!search)
            status = search_open(indexer->crawl->dir, indexer->log, &search, &err);
        if (status == SCENT_OK)
            status = search_update(search, BATCH, &progress, &err);
        took = (clock_mono(&clock_system) - began) / 1000;
        if (status == SCENT_OK) {
            atomic_store(&indexer->pages, progress.pages);
            atomic_store(&indexer->up_to_date, progress.up_to_date);
        }
        rest = status != SCENT_OK || progress.up_to_date                            ? WAIT_MS
               : dashboard_is_running(indexer->dashboard, indexer->crawl) ? took * REST_FACTOR : 0;
    }
    search_close(search);
    return NULL;
}

static struct indexer *indexer_start(struct dashboard *dashboard, struct shown_crawl *crawl)
{
    struct indexer *indexer = calloc(1, sizeof *indexer);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!indexer || pthread_mutex_init(&indexer->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&indexer->changed, &attr) != 0);
    pthread_condattr_destroy(&attr);
    indexer->dashboard = dashboard;
    indexer->crawl = crawl;
    indexer->log = dashboard_settings(dashboard)->log;
    SCENT_BUG_IF(pthread_create(&indexer->thread, NULL, keep_index, indexer) != 0);
    return indexer;
}

void indexer_stop(struct indexer *indexer)
{
    if (!indexer)
        return;
    pthread_mutex_lock(&indexer->lock);
    indexer->closed = true;
    pthread_cond_broadcast(&indexer->changed);
    pthread_mutex_unlock(&indexer->lock);
    pthread_join(indexer->thread, NULL);
    search_close(indexer->search);
    pthread_cond_destroy(&indexer->changed);
    pthread_mutex_destroy(&indexer->lock);
    free(indexer);
}

/* The excerpt in pieces, those that were searched for apart: nobody has to count bytes or to read markup. */
static void write_excerpt(struct json_writer *w, const struct excerpt *excerpt)
{
    size_t at = 0;

    json_key(w, "excerpt");
    json_array_begin(w);
    for (size_t i = 0; i <= excerpt->count; i++) {
        size_t start = i < excerpt->count ? excerpt->marks[i].start : excerpt->text.len;
        size_t end = i < excerpt->count ? excerpt->marks[i].end : start;

        json_object_begin(w);
        json_put_str(w, "text", str_sub(excerpt->text, at, start));
        json_put_str(w, "match", str_sub(excerpt->text, start, end));
        json_object_end(w);
        at = end;
    }
    json_array_end(w);
}

static void write_results(struct call *call, const struct indexer *indexer, const struct search_results *results)
{
    struct json_writer *w = &call->w;
    char when[32];

    json_object_begin(w);
    json_key(w, "hits");
    json_array_begin(w);
    for (size_t i = 0; i < results->count; i++) {
        const struct search_hit *hit = &results->hits[i];

        clock_format_iso(hit->wall, when, sizeof when);
        json_object_begin(w);
        json_put_int(w, "number", (int64_t)hit->page);
        json_put_str(w, "url", hit->url);
        json_put_str(w, "title", hit->title);
        json_put_str(w, "lang", hit->lang);
        json_put_str(w, "time", str_of(when));
        json_put_bool(w, "relevant", hit->relevant);
        json_put_double(w, "score", hit->relevance);
        json_put_double(w, "fit", hit->score);
        write_excerpt(w, &hit->excerpt);
        json_object_end(w);
    }
    json_array_end(w);
    json_put_bool(w, "more", results->more);
    json_put_int(w, "matches", (int64_t)results->matches);
    json_put_bool(w, "some_words", results->any);
    json_put_bool(w, "cut", results->cut);
    json_put_int(w, "indexed", (int64_t)atomic_load(&indexer->pages));
    json_put_bool(w, "complete", atomic_load(&indexer->up_to_date));
    json_object_end(w);
}

void answer_search(struct call *call)
{
    struct shown_crawl *crawl = call->crawl;
    uint64_t count = call_number(call, "limit", HITS), first = call_number(call, "first", 0);
    struct search_results results = {0};
    struct errmsg err = {""};
    struct indexer *indexer;
    scent_status status = SCENT_OK;
    char text[QUERY];
    struct search_query query = {.text = call_text(call, "q", text, sizeof text),
                                 .first = first < 10000 ? (size_t)first : 10000,
                                 .count = count < HITS_MAX ? (size_t)count : HITS_MAX,
                                 .limit_us = LIMIT_US};

    pthread_mutex_lock(&crawl->lock);
    if (!crawl->indexer)
        crawl->indexer = indexer_start(call->dashboard, crawl);
    indexer = crawl->indexer;
    pthread_mutex_unlock(&crawl->lock);

    pthread_mutex_lock(&indexer->lock);
    if (!indexer->search)
        status = search_open(crawl->dir, indexer->log, &indexer->search, &err);
    if (status == SCENT_OK) {
        status = search_query(indexer->search, &query, &results, &err);
        if (status == SCENT_OK)
            write_results(call, indexer, &results);
        search_results_release(&results);
    }
    pthread_mutex_unlock(&indexer->lock);
    if (status != SCENT_OK)
        call_fail(call, status == SCENT_E_NOTFOUND ? 404 : 500, "%s", err.text);
}
