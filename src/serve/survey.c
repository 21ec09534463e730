#include "serve/survey_parts.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    SLICE = 2000,           /* rows that are read at once */
    REST_FACTOR = 20,       /* beside a crawl: so many times as long as a slice took */
    WAIT_MS = 1000,         /* between looks for new rows */
    AGAIN_US = 10 * 1000000, /* at the earliest everything is read again: a finished crawl has changed */
    LANGUAGES_MAX = 250,
    REASONS_MAX = 1000,     /* kinds of errors; the rest is counted as one */
    NAME_MAX_BYTES = 256,
    EDGES_MAX = 1000000,    /* pairs of hosts; further ones are left out */
    URLS_MAX = 8 << 20,     /* that are found by their text; the index takes 12 to 24 bytes each */
};

/* ---- names with counts ---- */

static struct str tally_name(const struct survey_tally *tally, size_t i)
{
    return (struct str){tally->names.p + tally->places[i], tally->items[i].name.len};
}

/* The number of the name; SIZE_MAX: there are too many. */
static size_t tally_find(struct survey_tally *tally, struct str name)
{
    uint64_t hash;
    struct map_walk walk;

    name.len = name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES;
    hash = hash_str(name, 0);
    walk = map_find(&tally->map, hash);
    while (map_next(&walk))
        if (str_eq(tally_name(tally, walk.value), name))
            return walk.value;
    if (tally->count >= tally->max ||
        !vec_reserve(&tally->items, &tally->room, tally->count + 1, sizeof *tally->items) ||
        !vec_reserve(&tally->places, &tally->places_room, tally->count + 1, sizeof *tally->places))
        return SIZE_MAX;
    tally->places[tally->count] = tally->names.len;
    tally->items[tally->count] = (struct survey_count){{NULL, name.len}, 0};
    if (!buf_add(&tally->names, name) || map_add(&tally->map, hash, (uint32_t)tally->count) != SCENT_OK)
        return SIZE_MAX;
    return tally->count++;
}

static void tally_release(struct survey_tally *tally)
{
    map_release(&tally->map);
    free(tally->items);
    free(tally->places);
    buf_release(&tally->names);
}

/* ---- tables, empty ---- */

static void pages_init(struct survey_pages *pages)
{
    *pages = (struct survey_pages){.langs.max = LANGUAGES_MAX};
    buf_init(&pages->names, 0);
    buf_init(&pages->langs.names, 0);
}

static void pages_release(struct survey_pages *pages)
{
    free(pages->entries);
    free(pages->hosts);
    map_release(&pages->by_text);
    map_release(&pages->by_url);
    buf_release(&pages->names);
    tally_release(&pages->langs);
}

static void urls_init(struct survey_urls *urls)
{
    *urls = (struct survey_urls){.errors.max = REASONS_MAX};
    buf_init(&urls->errors.names, 0);
}

static void urls_release(struct survey_urls *urls)
{
    free(urls->hosts);
    map_release(&urls->by_text);
    tally_release(&urls->errors);
}

static void links_release(struct survey_links *links)
{
    free(links->edges);
    map_release(&links->map);
    *links = (struct survey_links){0};
}

/* ---- rows ---- */

/* One slice of a table. */
struct slice {
    struct survey *survey;
    void *table;
    size_t rows;
};

/* The part of a URL that names its host. */
static struct str host_of(struct str url)
{
    size_t start = 0, end;

    for (size_t i = 0; i + 3 <= url.len; i++)
        if (memcmp(url.p + i, "://", 3) == 0) {
            start = i + 3;
            break;
        }
    for (end = start; end < url.len && !memchr("/?#", url.p[end], 3);)
        end++;
    return str_sub(url, start, end);
}

static bool name_host(struct survey_pages *pages, uint32_t host, struct str url)
{
    struct str name = host_of(url);
    size_t old = pages->nhosts;

    if (host == UINT32_MAX)
        return false;
    if (host >= old) {
        if (!vec_reserve(&pages->hosts, &pages->hosts_room, (size_t)host + 1, sizeof *pages->hosts))
            return false;
        memset(pages->hosts + old, 0, ((size_t)host + 1 - old) * sizeof *pages->hosts);
        pages->nhosts = (size_t)host + 1;
    }
    if (!pages->hosts[host].name_len && name.len && pages->names.len < UINT32_MAX / 2) {
        pages->hosts[host].name = (uint32_t)pages->names.len;
        if (buf_add(&pages->names, name))
            pages->hosts[host].name_len = (uint32_t)name.len;
    }
    return true;
}

static scent_status add_page(struct survey_pages *pages, const struct store_page *page, const struct store_url *url)
{
    bool shown = store_page_is_shown(page), relevant = shown && page->relevant;
    size_t lang = page->counted && page->lang.len ? tally_find(&pages->langs, page->lang) : SIZE_MAX;

    if (!vec_reserve(&pages->entries, &pages->room, pages->count + 1, sizeof *pages->entries) ||
        page->number > UINT32_MAX)
        return SCENT_E_NOMEM;
    pages->entries[pages->count++] = (struct survey_entry){
        .number = (uint32_t)page->number,
        .url = page->url,
        .host = page->counted && name_host(pages, url->host, url->url) ? url->host : UINT32_MAX,
        .seconds = page->wall > 0 ? (uint32_t)(page->wall / 1000000) : 0,
        .score = isnan(page->score) ? 0 : (float)page->score,
        .lang = lang == SIZE_MAX ? UINT8_MAX : (uint8_t)lang,
        .flags = (uint8_t)(shown * PAGE_SHOWN | relevant * PAGE_RELEVANT | (page->warc_length > 0) * PAGE_ARCHIVED |
                           page->counted * PAGE_COUNTED),
    };
    if (lang != SIZE_MAX)
        pages->langs.items[lang].count++;
    if (page->url != UINT32_MAX)
        SCENT_TRY(map_add(&pages->by_url, hash_mix(page->url, 0), (uint32_t)pages->count - 1));
    if (!page->previous && page->url != UINT32_MAX && !url->purged)
        SCENT_TRY(map_add(&pages->by_text, hash_str(url->url, 0), page->url));
    pages->counted += page->counted;
    pages->relevant += relevant;
    if (page->counted && pages->entries[pages->count - 1].host != UINT32_MAX) {
        pages->hosts[url->host].pages++;
        pages->hosts[url->host].relevant += relevant;
    }
    return SCENT_OK;
}

static scent_status on_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct slice *slice = ctx;
    scent_status status;

    pthread_rwlock_wrlock(&slice->survey->lock);
    status = add_page(slice->table, page, url);
    pthread_rwlock_unlock(&slice->survey->lock);
    return status == SCENT_OK && ++slice->rows == SLICE ? SCENT_E_END : status;
}

static void add_url(struct survey *survey, struct survey_urls *urls, const struct store_url *url)
{
    size_t reason;

    urls->states[url->state]++;
    if (url->state == STORE_QUEUED && isfinite(url->priority)) {
        uint64_t place = urls->sampled < SURVEY_SAMPLE ? urls->sampled : rng_below(&survey->rng, urls->sampled + 1);

        if (place < SURVEY_SAMPLE)
            urls->sample[place] = url->priority;
        urls->sampled++;
    }
    if (url->error.len && url->state != STORE_QUEUED && url->state != STORE_FETCHED) {
        reason = tally_find(&urls->errors, url->error);
        if (reason != SIZE_MAX)
            urls->errors.items[reason].count++;
    }
    if (url->id < URLS_MAX && !url->purged && map_add(&urls->by_text, hash_str(url->url, 0), url->id) != SCENT_OK)
        return; /* it is then found by reading the table */
}

/* Ids have no gaps. */
static scent_status on_url(void *ctx, const struct store_url *url)
{
    struct slice *slice = ctx;
    struct survey_urls *urls = slice->table;
    scent_status status = SCENT_OK;

    pthread_rwlock_wrlock(&slice->survey->lock);
    if (url->id < urls->count || !vec_reserve(&urls->hosts, &urls->room, (size_t)url->id + 1, sizeof *urls->hosts)) {
        status = SCENT_E_NOMEM;
    } else {
        while (urls->count < url->id)
            urls->hosts[urls->count++] = UINT32_MAX;
        urls->hosts[urls->count++] = url->host;
        add_url(slice->survey, urls, url);
    }
    pthread_rwlock_unlock(&slice->survey->lock);
    return status == SCENT_OK && ++slice->rows == SLICE ? SCENT_E_END : status;
}

const struct survey_entry *survey_entry(const struct survey_pages *pages, uint64_t number)
{
    size_t low = 0, high = pages->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pages->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pages->count && pages->entries[low].number == number ? &pages->entries[low] : NULL;
}

static void add_edge(struct survey_links *links, uint32_t from, uint32_t to)
{
    uint64_t hash = hash_mix(from, to);
    struct map_walk walk = map_find(&links->map, hash);

    while (map_next(&walk))
        if (links->edges[walk.value].from == from && links->edges[walk.value].to == to) {
            links->edges[walk.value].links++;
            return;
        }
    if (links->count < EDGES_MAX && vec_reserve(&links->edges, &links->room, links->count + 1, sizeof *links->edges) &&
        map_add(&links->map, hash, (uint32_t)links->count) == SCENT_OK)
        links->edges[links->count++] = (struct survey_pair){from, to, 1};
}

/* A link counts if both hosts gave a page. Whatever was not read yet is read again from here on. */
static scent_status on_link(void *ctx, uint64_t row, const struct store_link *link)
{
    struct slice *slice = ctx;
    struct survey *survey = slice->survey;
    const struct survey_pages *pages = &survey->pages;
    const struct survey_entry *from;
    uint32_t to;

    from = survey_entry(pages, link->page);
    if ((!from && (!pages->count || link->page > pages->entries[pages->count - 1].number)) ||
        (link->target != UINT32_MAX && link->target >= survey->urls.count))
        return SCENT_E_END;
    pthread_rwlock_wrlock(&survey->lock);
    to = link->target == UINT32_MAX ? UINT32_MAX : survey->urls.hosts[link->target];
    if (from && from->host != UINT32_MAX && to != from->host && to < pages->nhosts)
        add_edge(&survey->links, from->host, to);
    survey->links.next = row + 1;
    pthread_rwlock_unlock(&survey->lock);
    return ++slice->rows == SLICE ? SCENT_E_END : SCENT_OK;
}

/* ---- the thread ---- */

static scent_status open_store(struct survey *survey, struct errmsg *err)
{
    SCENT_TRY(crawldir_open(survey->dir, STORE_READ, &survey->store, err));
    return store_set_cache(survey->store, 4 << 20, err); /* it reads from one end to the other */
}

/* Have the files changed since everything was read? */
static bool has_changed(struct survey *survey)
{
    static const char *const names[] = {"crawl.db", "crawl.db-wal"};
    struct timespec latest = {0};
    struct stat info;
    bool changed;

    for (size_t i = 0; i < 2; i++)
        if (stat(crawldir_path(survey->dir, names[i]).text, &info) == 0 && info.st_size &&
            (info.st_mtim.tv_sec > latest.tv_sec ||
             (info.st_mtim.tv_sec == latest.tv_sec && info.st_mtim.tv_nsec > latest.tv_nsec)))
            latest = info.st_mtim;
    changed = latest.tv_sec != survey->changed.tv_sec || latest.tv_nsec != survey->changed.tv_nsec;
    survey->changed = latest;
    return changed;
}

static void swap_tables(struct survey *survey)
{
    if (survey->pages_stale && survey->fresh_pages.ready) {
        struct survey_pages old = survey->pages;

        survey->pages = survey->fresh_pages;
        pages_release(&old);
        pages_init(&survey->fresh_pages);
        survey->pages_stale = false;
    }
    if (survey->urls_stale && survey->fresh_urls.ready) {
        struct survey_urls old = survey->urls;

        survey->urls = survey->fresh_urls;
        urls_release(&old);
        urls_init(&survey->fresh_urls);
        survey->urls_stale = false;
    }
}

/* Reads a slice of one table; *more says whether another slice follows at once. */
static scent_status read_slice(struct survey *survey, unsigned wanted, bool *more, struct errmsg *err)
{
    struct survey_pages *pages = survey->pages_stale ? &survey->fresh_pages : &survey->pages;
    struct survey_urls *urls = survey->urls_stale ? &survey->fresh_urls : &survey->urls;
    struct slice slice = {.survey = survey, .table = pages};
    bool *ready = &pages->ready;
    scent_status status = store_each_page(
        survey->store, pages->count ? pages->entries[pages->count - 1].number : 0, on_page, &slice, err);

    if (status == SCENT_OK && slice.rows < SLICE && wanted) {
        pthread_rwlock_wrlock(&survey->lock);
        *ready = true;
        pthread_rwlock_unlock(&survey->lock);
        slice = (struct slice){.survey = survey, .table = urls};
        ready = &urls->ready;
        status = store_each_url_from(survey->store, (uint32_t)urls->count, on_url, &slice, err);
    }
    if (status == SCENT_OK && slice.rows < SLICE && (wanted & SURVEY_LINKS) && ready == &urls->ready) {
        pthread_rwlock_wrlock(&survey->lock);
        *ready = true;
        pthread_rwlock_unlock(&survey->lock);
        slice = (struct slice){.survey = survey};
        ready = &survey->links.ready;
        status = store_each_link_from(survey->store, survey->links.next, on_link, &slice, err);
    }
    *more = slice.rows == SLICE;
    status = status == SCENT_E_END ? SCENT_OK : status;
    pthread_rwlock_wrlock(&survey->lock);
    if (status == SCENT_OK && !*more)
        *ready = true;
    swap_tables(survey);
    pthread_rwlock_unlock(&survey->lock);
    return status;
}

/* Everything is read again where old rows may have changed. */
static void note_changes(struct survey *survey, bool running, bool again)
{
    bool changed = again || (!running && clock_mono(&clock_system) - survey->read_at > AGAIN_US && has_changed(survey));

    if (!changed || !survey->pages.ready || survey->pages_stale)
        return;
    survey->read_at = clock_mono(&clock_system);
    pthread_rwlock_wrlock(&survey->lock);
    survey->pages_stale = true;
    survey->urls_stale = survey->urls.ready;
    pthread_rwlock_unlock(&survey->lock);
}

static void wait_ms(struct survey *survey, int64_t ms)
{
    int64_t until = clock_mono(&clock_system) + ms * 1000;
    struct timespec at = {until / 1000000, until % 1000000 * 1000};

    pthread_mutex_lock(&survey->wake_lock);
    if (!survey->closed && ms > 0)
        pthread_cond_timedwait(&survey->wake, &survey->wake_lock, &at);
    pthread_mutex_unlock(&survey->wake_lock);
}

static void *follow(void *ctx)
{
    struct survey *survey = ctx;

    survey->read_at = clock_mono(&clock_system);
    for (;;) {
        struct errmsg err = {""};
        scent_status status = SCENT_OK;
        bool closed, running, again, more = false;
        int64_t began = clock_mono(&clock_system), took;
        unsigned wanted;

        pthread_mutex_lock(&survey->wake_lock);
        closed = survey->closed;
        running = survey->running;
        again = survey->again;
        wanted = survey->wanted;
        survey->again = false;
        pthread_mutex_unlock(&survey->wake_lock);
        if (closed)
            break;
        if (!survey->store)
            status = open_store(survey, &err);
        if (status == SCENT_OK) {
            note_changes(survey, running, again);
            status = read_slice(survey, wanted, &more, &err);
        }
        pthread_rwlock_wrlock(&survey->lock);
        survey->begun = survey->begun || status == SCENT_OK;
        snprintf(survey->problem, sizeof survey->problem, "%.255s",
                 status == SCENT_OK || status == SCENT_E_NOTFOUND ? "" : err.text);
        pthread_rwlock_unlock(&survey->lock);
        if (status != SCENT_OK) {
            store_close(survey->store);
            survey->store = NULL;
        }
        took = clock_mono(&clock_system) - began;
        if (!more)
            wait_ms(survey, WAIT_MS);
        else if (running)
            wait_ms(survey, took * REST_FACTOR / 1000 < WAIT_MS ? took * REST_FACTOR / 1000 : WAIT_MS);
    }
    return NULL;
}

struct survey *survey_start(const char *dir, const struct log *log)
{
    struct survey *survey = calloc(1, sizeof *survey);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!survey || !(survey->dir = str_dup(str_of(dir))));
    survey->log = log;
    pages_init(&survey->pages);
    pages_init(&survey->fresh_pages);
    urls_init(&survey->urls);
    urls_init(&survey->fresh_urls);
    rng_seed(&survey->rng, 1);
    SCENT_BUG_IF(pthread_mutex_init(&survey->wake_lock, NULL) != 0 || pthread_rwlock_init(&survey->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&survey->wake, &attr) != 0);
    pthread_condattr_destroy(&attr);
    SCENT_BUG_IF(pthread_create(&survey->thread, NULL, follow, survey) != 0);
    return survey;
}

static void wake(struct survey *survey)
{
    pthread_cond_signal(&survey->wake);
    pthread_mutex_unlock(&survey->wake_lock);
}

void survey_stop(struct survey *survey)
{
    if (!survey)
        return;
    pthread_mutex_lock(&survey->wake_lock);
    survey->closed = true;
    wake(survey);
    pthread_join(survey->thread, NULL);
    store_close(survey->store);
    pages_release(&survey->pages);
    pages_release(&survey->fresh_pages);
    urls_release(&survey->urls);
    urls_release(&survey->fresh_urls);
    links_release(&survey->links);
    pthread_cond_destroy(&survey->wake);
    pthread_mutex_destroy(&survey->wake_lock);
    pthread_rwlock_destroy(&survey->lock);
    free(survey->dir);
    free(survey);
}

void survey_set_running(struct survey *survey, bool running)
{
    pthread_mutex_lock(&survey->wake_lock);
    if (survey->running == running) {
        pthread_mutex_unlock(&survey->wake_lock);
        return;
    }
    survey->again |= survey->running;
    survey->running = running;
    wake(survey);
}

void survey_want(struct survey *survey, unsigned parts)
{
    pthread_mutex_lock(&survey->wake_lock);
    if ((survey->wanted & parts) == parts) {
        pthread_mutex_unlock(&survey->wake_lock);
        return;
    }
    survey->wanted |= parts;
    wake(survey);
}
