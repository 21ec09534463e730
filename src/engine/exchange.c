#include "engine/exchange_parts.h"

#include "base/rng.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert(BATCH_QUEUED == (int)STORE_QUEUED, "the log and the store have one number for it");

/* ---- joining ---- */

/* What cannot be crawled by several workers, with the reason. */
static scent_status check_topic(const struct crawl *crawl, struct errmsg *err)
{
    const struct topic *topic = crawl->topic;
    struct strategy_context context = {.topic = topic, .knowledge = &crawl->judging.knowledge};
    struct strategy strategy = {.ops = crawl->options->strategy ? crawl->options->strategy
                                                                : strategy_find(topic->strategy)};
    const char *why;

    if (topic->window)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "a window and --join cannot be combined: the order of visits depends on when links of other "
                           "workers arrive");
    if (topic->requisites.of)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "'requisites' and --join cannot be combined yet: hosts of images and stylesheets serve "
                           "pages of several workers, who would visit them at the same time");
    /* Few depend on their options, or on those of their parts: these must be opened. */
    if (!strategy.ops || strategy.ops->undivided)
        SCENT_TRY(strategy.ops ? strategy_open_ops(strategy.ops, &context, &strategy, err)
                               : strategy_open(&context, &strategy, err));
    why = strategy_undivided(&strategy);
    if (strategy.ops->undivided)
        strategy_close(&strategy);
    if (why)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %.*s cannot be combined with --join: %s; choose another one, such as best-first",
                           STR_ARG(topic->strategy), why);
    return SCENT_OK;
}

/* All that workers must have in common. `judge`: of what is relevant, the classifier and the background sample. */
static uint64_t digest_of(const struct topic *topic, uint64_t judge)
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
    return hash_mix(hash_stream_end(stream), judge);
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
        .digest = digest_of(topic, crawl->judging.digest),
        .key = rng_entropy(),
        .seed = topic->seed ? topic->seed : rng_entropy() >> 1,
        .parts = topic->cluster.parts,
        .workers = topic->cluster.workers,
        .lease_us = topic->cluster.lease_us,
        .page_limit = topic->limits.pages,
        .time_us = topic->limits.time_us,
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
    exchange->lease_us = exchange->crawl.lease_us;
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

/* As far as the directory knows. The first turn tells what has changed since, and nothing is visited before. */
static scent_status restore_shares(struct crawl *crawl, struct exchange *exchange, struct errmsg *err)
{
    uint32_t parts = exchange->crawl.parts;

    exchange->shares = (struct shares){.parts = parts,
                                       .key = exchange->crawl.key,
                                       .mine = exchange_array(parts, sizeof *exchange->shares.mine),
                                       .live = exchange_array(parts, sizeof *exchange->shares.live)};
    exchange->places = exchange_array(parts, sizeof *exchange->places);
    exchange->visits = exchange_array(parts, sizeof *exchange->visits);
    exchange->leaving = exchange_array(parts, sizeof *exchange->leaving);
    exchange->over = exchange_array(parts, sizeof *exchange->over);
    exchange->read = exchange_array(parts, sizeof *exchange->read);
    exchange->epochs = exchange_array(parts, sizeof *exchange->epochs);
    exchange->applied = exchange_array(parts, sizeof *exchange->applied);
    exchange->again = exchange_array(parts, sizeof *exchange->again);
    exchange->restored = exchange_array(parts, sizeof *exchange->restored);
    exchange->horizons = exchange_array(parts, sizeof *exchange->horizons);
    exchange->ready = exchange_array(parts, sizeof *exchange->ready);
    SCENT_TRY(store_each_place(crawl->store, restore_place, exchange, err));
    for (uint32_t i = 0; i < parts; i++) {
        const struct store_place *place = &exchange->places[i];

        exchange->places[i].part = i;
        exchange->shares.mine[i] = place->epoch;
        exchange->epochs[i] = place->epoch;
        exchange->read[i] = (struct cluster_place){.part = i, .xid = place->xid, .row = place->row};
        exchange->applied[i] = UINT64_MAX;
        exchange->horizons[i] = UINT64_MAX; /* until the first turn knows it */
    }
    return SCENT_OK;
}

scent_status exchange_open(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange;
    pthread_condattr_t monotonic;

    if (!crawl->options->join)
        return SCENT_OK;
    SCENT_TRY(check_topic(crawl, err));
    crawl->exchange = exchange = exchange_array(1, sizeof *exchange);
    pthread_mutex_init(&exchange->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC); /* whoever sets the clock does not stop the turns */
    pthread_cond_init(&exchange->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    exchange->turn_us = crawl->topic->cluster.turn_us;
    exchange->keep = UINT64_MAX;
    exchange->deadline = INT64_MAX;
    exchange->limited = crawl->topic->limits.pages;
    exchange->log = crawl->options->log;
    exchange->packer = batch_packer_new();
    SCENT_TRY(join(crawl, exchange, err));
    SCENT_TRY(exchange_counts_open(crawl, exchange, err));
    exchange_addresses_open(crawl, exchange);
    return restore_shares(crawl, exchange, err);
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
    exchange_addresses_free(exchange->addresses);
    free(exchange->shares.mine);
    free(exchange->shares.live);
    free(exchange->places);
    free(exchange->visits);
    free(exchange->leaving);
    free(exchange->over);
    free(exchange->again);
    free(exchange->restored);
    free(exchange->horizons);
    free(exchange->ready);
    free(exchange->left);
    free(exchange->unsent);
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

/* ---- state, for who will have a partition after us ---- */

struct packing {
    struct crawl *crawl;
    struct part_state {
        uint32_t part;
        struct buf records;
    } *parts;
    size_t count, room;
    bool failed;
};

/* Where the state of this partition goes; NULL: it is not ours to write, or not yet: what is read of its log need not
 * be written again. */
static struct buf *records_of(struct packing *packing, uint32_t part)
{
    const struct exchange *exchange = packing->crawl->exchange;

    if (!exchange->shares.live[part] && !exchange->leaving[part])
        return NULL;
    for (size_t i = 0; i < packing->count; i++)
        if (packing->parts[i].part == part)
            return &packing->parts[i].records;
    if (!vec_reserve(&packing->parts, &packing->room, packing->count + 1, sizeof *packing->parts)) {
        packing->failed = true;
        return NULL;
    }
    packing->parts[packing->count].part = part;
    buf_init(&packing->parts[packing->count].records, 0);
    return &packing->parts[packing->count++].records;
}

/* What has arrived since is not looked at again. */
static void note_unsent(struct exchange *exchange, uint64_t id, uint32_t part, uint32_t url)
{
    uint64_t sent = atomic_load(&exchange->sent);
    size_t old = 0;

    if (exchange->nunsent == exchange->unsent_room && exchange->nunsent) {
        while (old < exchange->nunsent && exchange->unsent[old].id <= sent)
            old++;
        exchange->nunsent -= old;
        memmove(exchange->unsent, exchange->unsent + old, exchange->nunsent * sizeof *exchange->unsent);
    }
    SCENT_BUG_IF(!vec_reserve(&exchange->unsent, &exchange->unsent_room, exchange->nunsent + 1,
                              sizeof *exchange->unsent));
    exchange->unsent[exchange->nunsent++] = (struct exchange_unsent){id, part, url};
}

static scent_status restore_row(void *ctx, const struct store_outgoing *row)
{
    struct crawl *crawl = ctx;
    struct bytes in = bytes_of(row->body);
    struct batch_state state;
    uint32_t url;

    if (row->kind == CLUSTER_STATE && row->part < crawl->exchange->shares.parts)
        crawl->exchange->restored[row->part] = true;
    while (row->kind == CLUSTER_STATE && batch_get_state(&in, STORE_URL_STATES, &state))
        if (state.kind == BATCH_URL && state.url.state != STORE_QUEUED && state.url.state != STORE_SEEN &&
            frontier_find(steer_frontier(crawl->steer), state.url.fingerprint, &url))
            note_unsent(crawl->exchange, row->id, row->part, url);
    return SCENT_OK;
}

scent_status exchange_restore_unsent(struct crawl *crawl, struct errmsg *err)
{
    return store_each_outgoing(crawl->exchange->store, crawl->exchange->mark, restore_row, crawl, err);
}

void exchange_forget_unsent(struct crawl *crawl, uint32_t part, uint64_t mark, struct rows *rows)
{
    struct exchange *exchange = crawl->exchange;
    size_t kept = 0;

    for (size_t i = 0; i < exchange->nunsent; i++)
        if (exchange->unsent[i].part != part || exchange->unsent[i].id <= mark)
            exchange->unsent[kept++] = exchange->unsent[i];
        else if (frontier_state(steer_frontier(crawl->steer), exchange->unsent[i].url) == FRONTIER_DONE) {
            steer_give_up(crawl->steer, exchange->unsent[i].url);
            ROWS_ADD(rows, disowned, exchange->unsent[i].url);
        }
    exchange->nunsent = kept;
}

/* Who comes after us reads robots.txt files and sitemaps anew. */
static void pack_url(struct packing *packing, const struct store_url *row)
{
    struct steer_place place = steer_place_of(packing->crawl->steer, row->id);
    unsigned other = CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_AGAIN | CANDIDATE_REQUISITE;
    struct batch_url url = {
        .fingerprint = place.fingerprint,
        .url = row->url,
        .state = (uint8_t)row->state,
        .priority = row->priority,
        .depth = row->depth,
        .off_domain = row->off_domain,
        .redirects = row->redirects,
        .tries = row->tries,
        .seed = row->flags & CANDIDATE_SEED,
        .error = row->error,
    };
    /* What goes through the log as a link is not in a state yet. */
    bool sent = row->state == STORE_SEEN && str_eq(row->error, STR(STEER_FOREIGN));
    struct buf *records =
        row->flags & other || row->state == STORE_PURGED || sent ? NULL : records_of(packing, place.part);

    memcpy(url.own, row->own, sizeof url.own);
    if (!records)
        return;
    batch_put_url(records, &url);
    if (row->state != STORE_QUEUED && row->state != STORE_SEEN)
        note_unsent(packing->crawl->exchange, UINT64_MAX, place.part, row->id);
}

static void pack_host(struct packing *packing, const struct store_host *row)
{
    struct buf *records = records_of(packing, steer_part(packing->crawl->steer, row->id));
    struct batch_host host = {
        .name = frontier_host_name(steer_frontier(packing->crawl->steer), row->id),
        .delay_us = row->delay_us,
        .not_before = row->not_before,
        .failures = row->failures,
    };

    if (records)
        batch_put_host(records, &host);
}

/* A version that has come with this visit is told as it is; else that of an earlier record stays. */
static void pack_revisit(struct packing *packing, const struct store_revisit *row, const struct job *job)
{
    struct steer_place place = steer_place_of(packing->crawl->steer, row->url);
    struct buf *records = records_of(packing, place.part);
    struct batch_revisit revisit = {.fingerprint = place.fingerprint, .visits = row->visits, .changes = row->changes,
                                    .first = row->first, .last = row->last, .next = row->next};

    if (job->kind == JOB_VISIT && job->visit.has_row && job->visit.row.number == row->page) {
        const struct store_page *page = &job->visit.row;

        revisit.has_page = true;
        revisit.wall = page->wall;
        revisit.digest = page->digest;
        revisit.etag = page->etag;
        revisit.last_modified = page->last_modified;
        revisit.robots = page->robots;
        revisit.score = (float)page->score;
    }
    if (records)
        batch_put_revisit(records, &revisit);
}

static void pack_state(struct crawl *crawl, struct job *job)
{
    struct packing packing = {.crawl = crawl};
    struct rows *rows = &job->rows;
    const struct buf *page = NULL;

    for (size_t i = 0; i < rows->nadded; i++)
        pack_url(&packing, &rows->added[i]);
    for (size_t i = 0; i < rows->nchanged; i++)
        pack_url(&packing, &rows->changed[i]);
    for (size_t i = 0; i < rows->nhost_changes; i++)
        pack_host(&packing, &rows->host_changes[i]);
    for (size_t i = 0; i < rows->nrevisits; i++)
        pack_revisit(&packing, &rows->revisits[i], job);
    if (job->kind == JOB_VISIT && job->visit.has_row && (!job->visit.is_again || job->visit.row.counted))
        page = records_of(&packing, steer_part(crawl->steer, job->visit.at.host));
    for (size_t i = 0; i < packing.count; i++) {
        struct buf *records = &packing.parts[i].records;
        struct store_outgoing outgoing = {.id = crawl->exchange->next_id++,
                                          .kind = CLUSTER_STATE,
                                          .part = packing.parts[i].part,
                                          .body = arena_str(rows->arena, buf_str(records))};

        rows->failed |= records->failed || !outgoing.body.p;
        ROWS_ADD(rows, outgoing, outgoing);
        if (records == page)
            rows->page_outgoing = rows->noutgoing; /* the writer adds its record */
        buf_release(records);
    }
    for (size_t i = crawl->exchange->nunsent; i > 0 && crawl->exchange->unsent[i - 1].id == UINT64_MAX; i--)
        crawl->exchange->unsent[i - 1].id = crawl->exchange->next_id - 1;
    rows->failed |= packing.failed;
    free(packing.parts);
}

void exchange_pack(struct crawl *crawl, struct job *job)
{
    struct exchange *exchange = crawl->exchange;
    struct rows *rows = &job->rows;
    struct buf room;

    if (!exchange)
        return;
    buf_init(&room, 0);
    for (size_t i = 0; i < rows->nsent; i++)
        if (rows->sent[i].part != UINT32_MAX)
            pack_part(exchange, rows, rows->sent[i].part, &room);
    buf_release(&room);
    pack_state(crawl, job); /* behind the links: a page is known to be fetched only where its links were sent */
    SCENT_BUG_IF(rows->failed);
    job->number = atomic_fetch_add(&exchange->number, 1) + 1;
}

/* ---- grants of the page limit ---- */

enum { GRANT_PAGES = 256 }; /* that are asked for at least */

uint64_t exchange_granted(const struct exchange *exchange)
{
    if (!exchange || !atomic_load(&exchange->limited))
        return UINT64_MAX;
    return atomic_load(&exchange->allowed) + atomic_load(&exchange->disowned);
}

uint64_t exchange_page_limit(const struct crawl *crawl)
{
    uint64_t own = crawl->topic->limits.pages ? crawl->topic->limits.pages : UINT64_MAX;
    uint64_t granted = exchange_granted(crawl->exchange);

    return granted < own ? granted : own;
}

/* Nothing is in flight: the next page needs a new grant. */
void exchange_return_grant(struct crawl *crawl)
{
    struct exchange *exchange = crawl->exchange;

    if (crawl->counts.pages >= exchange_granted(exchange) || !atomic_load(&exchange->limited))
        return;
    exchange->keep = crawl->counts.pages - atomic_load(&exchange->disowned);
    atomic_store(&exchange->allowed, exchange->keep);
}

/* Enough for some turns at the speed of the last one: who is slow does not keep pages from others. */
uint64_t exchange_wanted_pages(struct exchange *exchange, const struct exchange_told *told)
{
    uint64_t speed = told->progress.pages - exchange->last_pages;

    exchange->last_pages = told->progress.pages;
    if (told->left > 2 * speed || (told->idle && !told->hungry) || told->granted != exchange_granted(exchange))
        return 0;
    return 4 * speed > GRANT_PAGES ? 4 * speed : GRANT_PAGES;
}

/* `keep` is what the server was told. What the engine has given back since then it does not get again. */
void exchange_note_grant(struct exchange *exchange, uint64_t keep, const struct cluster_news *news)
{
    pthread_mutex_lock(&exchange->lock);
    if (exchange->keep == keep) {
        exchange->keep = UINT64_MAX;
        atomic_store(&exchange->allowed, news->granted);
    }
    atomic_store(&exchange->limited, news->page_limit);
    pthread_mutex_unlock(&exchange->lock);
}

bool exchange_is_full(const struct exchange *exchange)
{
    return exchange && atomic_load(&exchange->full);
}

bool exchange_is_late(const struct exchange *exchange)
{
    return clock_boot() >= atomic_load(&exchange->deadline);
}

void exchange_note(struct crawl *crawl, bool idle, bool more)
{
    struct exchange *exchange = crawl->exchange;
    uint64_t granted = exchange_granted(exchange), begun;
    struct exchange_told told = {.idle = idle};

    if (!exchange)
        return;
    exchange_addresses_note(crawl);
    told.number = atomic_load(&exchange->number);
    ending_progress(crawl, &told.progress);
    begun = told.progress.pages + told.progress.in_flight;
    told.left = granted > begun ? granted - begun : 0;
    told.hungry = more && told.progress.pages >= granted && exchange_page_limit(crawl) == granted;
    pthread_mutex_lock(&exchange->lock);
    if (idle)
        exchange_return_grant(crawl);
    told.granted = exchange_granted(exchange);
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
    return exchange && clock_boot() >= atomic_load(&exchange->lease_end);
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
