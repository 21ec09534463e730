#include "engine/exchange_parts.h"

#include "base/rng.h"
#include "crawldir/crawldir.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    PACK_LEVEL = 3,
    LEASE_MARGIN = 12, /* visits end this part of a lease before it does … */
};
#define LEASE_MARGIN_MAX_US (10 * INT64_C(1000000)) /* … but not more */

int64_t exchange_boot_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void exchange_renew_lease(struct exchange *exchange, int64_t since)
{
    int64_t margin = exchange->crawl.lease_us / LEASE_MARGIN;

    margin = margin < LEASE_MARGIN_MAX_US ? margin : LEASE_MARGIN_MAX_US;
    atomic_store(&exchange->lease_end, since + exchange->crawl.lease_us - margin);
}

/* ---- joining ---- */

/* What cannot be crawled by several workers, with the reason. */
static scent_status check_topic(const struct crawl *crawl, struct errmsg *err)
{
    const struct topic *topic = crawl->topic;
    const char *why = strategy_needs_all(topic);

    if (topic->window)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "a window and --join cannot be combined: the order of visits depends on when links of other "
                           "workers arrive");
    if (topic->requisites.of)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "'requisites' and --join cannot be combined yet: hosts of images and stylesheets serve "
                           "pages of several workers, who would visit them at the same time");
    if (why)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %.*s cannot be combined with --join: %s; choose another one, such as best-first",
                           STR_ARG(topic->strategy), why);
    return SCENT_OK;
}

/* All that workers must have in common. */
static uint64_t digest_of(const struct topic *topic)
{
    struct hash_stream *stream = hash_stream_new(CLUSTER_FORMAT);

    hash_stream_add(stream, topic->source);
    hash_stream_add(stream, topic->strategy);
    for (size_t i = 0; i < topic->noptions; i++) {
        hash_stream_add(stream, topic->options[i].key);
        hash_stream_add(stream, topic->options[i].value);
    }
    for (size_t i = 0; i < topic->nseeds; i++)
        hash_stream_add(stream, topic->seeds[i].href);
    return hash_stream_end(stream);
}

/* Who this directory is. A new one has no key yet. */
static scent_status find_worker(struct crawl *crawl, uint64_t *worker, struct errmsg *err)
{
    uint64_t key;
    scent_status status = crawldir_get_number(crawl->store, CRAWLDIR_WORKER, worker, err);

    if (status != SCENT_E_NOTFOUND)
        return status;
    status = crawldir_get_number(crawl->store, "key", &key, err);
    if (status == SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s was begun without --join, and its URLs are known to no other worker; use a new "
                           "directory",
                           crawl->options->dir);
    *worker = (rng_entropy() >> 1) | 1;
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static scent_status join(struct crawl *crawl, struct exchange *exchange, struct errmsg *err)
{
    const struct topic *topic = crawl->topic;
    char host[256] = "", name[600];
    struct cluster_worker worker;
    uint64_t last;

    exchange->crawl = (struct cluster_crawl){
        .name = topic->cluster.name.len ? topic->cluster.name : topic->name,
        .topic = topic->source,
        .digest = digest_of(topic),
        .key = rng_entropy(),
        .seed = topic->seed ? topic->seed : rng_entropy() >> 1,
        .parts = topic->cluster.parts,
        .workers = topic->cluster.workers,
        .lease_us = topic->cluster.lease_us,
        .page_limit = topic->limits.pages,
    };
    SCENT_TRY(find_worker(crawl, &exchange->worker, err));
    SCENT_TRY(cluster_open(crawl->options->join, crawl->options->clock, crawl->options->log, &exchange->cluster, err));
    SCENT_TRY(cluster_make(exchange->cluster, &exchange->crawl, err));
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "%s:%s", host, crawl->options->dir);
    worker = (struct cluster_worker){.id = exchange->worker, .name = str_of(name)};
    SCENT_TRY(cluster_join(exchange->cluster, &worker, err));
    exchange->mark = worker.mark;
    SCENT_TRY(store_last_outgoing(crawl->store, &last, err));
    exchange->next_id = last + 1;
    return last >= exchange->mark
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_INVALID,
                             "%s is older than what the server knows of it (a copy?): links would be lost; use the "
                             "newest copy, or a new directory", crawl->options->dir);
}

static scent_status restore_place(void *ctx, const struct store_place *place)
{
    struct exchange *exchange = ctx;

    if (place->part < exchange->shares.parts)
        exchange->places[place->part] = *place;
    return SCENT_OK;
}

void *exchange_array(size_t count, size_t size)
{
    void *items = calloc(count, size);

    SCENT_BUG_IF(!items);
    return items;
}

/* The first turn, before anything is restored: it says what is ours. */
static scent_status learn_shares(struct crawl *crawl, struct exchange *exchange, struct errmsg *err)
{
    uint32_t parts = exchange->crawl.parts;
    struct cluster_turn turn = {.mark = exchange->mark};
    struct cluster_news news;
    int64_t since = exchange_boot_time();

    exchange->shares = (struct shares){
        .parts = parts, .key = exchange->crawl.key, .mine = exchange_array(parts, sizeof *exchange->shares.mine)};
    exchange->places = exchange_array(parts, sizeof *exchange->places);
    exchange->read = exchange_array(parts, sizeof *exchange->read);
    exchange->epochs = exchange_array(parts, sizeof *exchange->epochs);
    exchange->applied = exchange_array(parts, sizeof *exchange->applied);
    SCENT_TRY(store_each_place(crawl->store, restore_place, exchange, err));
    SCENT_TRY(cluster_turn(exchange->cluster, &turn, &news, err));
    exchange_renew_lease(exchange, since);
    for (uint32_t i = 0; i < parts; i++) {
        exchange->read[i] = (struct cluster_place){i, exchange->places[i].xid, exchange->places[i].row};
        exchange->applied[i] = UINT64_MAX;
    }
    for (size_t i = 0; i < news.nparts; i++)
        if (news.parts[i].part < parts) {
            exchange->shares.mine[news.parts[i].part] = true;
            exchange->epochs[news.parts[i].part] = news.parts[i].epoch;
        }
    return SCENT_OK;
}

scent_status exchange_open(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange;

    if (!crawl->options->join)
        return SCENT_OK;
    SCENT_TRY(check_topic(crawl, err));
    crawl->exchange = exchange = exchange_array(1, sizeof *exchange);
    pthread_mutex_init(&exchange->lock, NULL);
    pthread_cond_init(&exchange->wake, NULL);
    exchange->turn_us = crawl->topic->cluster.turn_us;
    exchange->log = crawl->options->log;
    exchange->packer = http_packer_new(HTTP_ZSTD, PACK_LEVEL);
    SCENT_TRY(join(crawl, exchange, err));
    SCENT_TRY(exchange_counts_open(crawl, exchange, err));
    return learn_shares(crawl, exchange, err);
}

void exchange_free(struct exchange *exchange)
{
    if (!exchange)
        return;
    cluster_close(exchange->cluster);
    http_packer_free(exchange->packer);
    pthread_mutex_destroy(&exchange->lock);
    pthread_cond_destroy(&exchange->wake);
    exchange_counts_free(exchange->counts);
    free(exchange->shares.mine);
    free(exchange->places);
    free(exchange->read);
    free(exchange->epochs);
    free(exchange->applied);
    free(exchange);
}

const struct shares *exchange_shares(const struct exchange *exchange)
{
    return exchange ? &exchange->shares : NULL;
}

uint64_t exchange_key(const struct exchange *exchange)
{
    return exchange->crawl.key;
}

uint64_t exchange_seed(const struct exchange *exchange)
{
    return exchange->crawl.seed;
}

uint64_t exchange_worker(const struct exchange *exchange)
{
    return exchange->worker;
}

/* ---- the engine's side ---- */

static void pack_part(struct exchange *exchange, struct rows *rows, uint32_t part, struct buf *room)
{
    struct store_outgoing outgoing = {.id = exchange->next_id++, .kind = CLUSTER_LINKS, .part = part};

    buf_clear(room);
    for (size_t i = 0; i < rows->nsent; i++)
        if (rows->sent[i].part == part) {
            batch_put_link(room, &rows->sent[i].link);
            rows->sent[i].part = UINT32_MAX;
        }
    outgoing.body = arena_str(rows->arena, buf_str(room));
    rows->failed |= room->failed || !outgoing.body.p;
    ROWS_ADD(rows, outgoing, outgoing);
}

void exchange_pack(struct exchange *exchange, struct job *job)
{
    struct rows *rows = &job->rows;
    struct buf room;

    if (!exchange)
        return;
    buf_init(&room, 0);
    for (size_t i = 0; i < rows->nsent; i++)
        if (rows->sent[i].part != UINT32_MAX)
            pack_part(exchange, rows, rows->sent[i].part, &room);
    buf_release(&room);
    SCENT_BUG_IF(rows->failed);
    job->number = atomic_fetch_add(&exchange->number, 1) + 1;
}

static void set_shares(struct exchange *exchange, const struct cluster_part *parts, size_t count)
{
    memset(exchange->shares.mine, 0, exchange->shares.parts * sizeof *exchange->shares.mine);
    for (size_t i = 0; i < count; i++)
        if (parts[i].part < exchange->shares.parts)
            exchange->shares.mine[parts[i].part] = true;
}

/* Seeds of partitions that have become ours; those that are known are left alone. */
static scent_status queue_seeds(struct crawl *crawl, struct rows *rows)
{
    for (size_t i = 0; i < crawl->topic->nseeds; i++)
        SCENT_TRY(steer_seed(crawl->steer, &crawl->topic->seeds[i], rows, NULL));
    return SCENT_OK;
}

/* What is no URL, or not ours any more, is left out. */
static scent_status apply_link(struct crawl *crawl, const struct batch_link *link, struct rows *rows)
{
    const struct shares *shares = &crawl->exchange->shares;
    struct candidate candidate = {
        .priority = link->priority,
        .depth = link->depth,
        .off_domain = link->off_domain,
        .redirects = link->redirects,
        .flags = link->seed ? CANDIDATE_SEED : 0,
    };
    struct url parsed, url;
    const char *refused;

    memcpy(candidate.own, link->own, sizeof candidate.own);
    if (url_parse(rows->arena, link->url, NULL, &parsed) != SCENT_OK ||
        url_normalise(rows->arena, &parsed, topic_url_flags(crawl->topic), &url) != SCENT_OK ||
        !shares->mine[shares_part(shares, url_server(&url))])
        return SCENT_OK;
    return steer_arrive(crawl->steer, &url, candidate, rows, &refused);
}

scent_status exchange_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    struct job_arrived *arrived = &job->arrived;
    scent_status status = SCENT_OK;

    atomic_fetch_sub(&exchange->jobs, 1);
    atomic_fetch_sub(&exchange->links, (unsigned)arrived->count);
    if (arrived->has_counts)
        return exchange_counts_apply(crawl, job, err);
    if (arrived->parts) {
        set_shares(exchange, arrived->parts, arrived->nparts);
        status = queue_seeds(crawl, &job->rows);
    }
    for (size_t i = 0; i < arrived->count && status == SCENT_OK; i++)
        status = apply_link(crawl, &arrived->links[i], &job->rows);
    if (arrived->place.epoch) {
        struct store_place *place = &exchange->places[arrived->place.part];
        uint64_t before = place->epoch == arrived->place.epoch ? place->applied : 0;

        *place = arrived->place;
        place->applied += before;
        ROWS_ADD(&job->rows, places, *place);
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory in the frontier");
}

void exchange_note(struct crawl *crawl, bool idle)
{
    struct exchange *exchange = crawl->exchange;
    struct exchange_told told = {.idle = idle};

    if (!exchange)
        return;
    told.number = atomic_load(&exchange->number);
    ending_progress(crawl, &told.progress);
    pthread_mutex_lock(&exchange->lock);
    exchange->told = told;
    pthread_mutex_unlock(&exchange->lock);
}

bool exchange_has_ended(const struct exchange *exchange)
{
    return atomic_load(&exchange->ended);
}

bool exchange_is_stopped(const struct exchange *exchange)
{
    return exchange && atomic_load(&exchange->stopped);
}

bool exchange_must_wait(const struct exchange *exchange)
{
    return exchange && exchange_boot_time() >= atomic_load(&exchange->lease_end);
}

scent_status exchange_status(struct exchange *exchange, struct errmsg *err)
{
    scent_status status = exchange ? (scent_status)atomic_load(&exchange->status) : SCENT_OK;

    if (status != SCENT_OK) {
        pthread_mutex_lock(&exchange->lock);
        *err = exchange->err;
        pthread_mutex_unlock(&exchange->lock);
    }
    return status;
}
