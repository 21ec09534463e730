/* The thread of an exchange: turns with the server. */
#include "engine/exchange_parts.h"

#include "base/bytes.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    TURN_BYTES = 8 << 20,   /* of outgoing rows in a turn, unpacked */
    BODY_BYTES = 1 << 20,   /* of one row of the log, unpacked: a larger one begins another */
    CACHE_BYTES = 2 << 20,
    RETRY_US = 1000 * 1000, /* between attempts to reach the server */
    BEHIND_US = 10 * 1000,  /* between turns while there is more to read */
    LEASE_MARGIN = 12,      /* visits end this part of a lease before it does … */
};
#define LEASE_MARGIN_MAX_US (10 * INT64_C(1000000)) /* … but not more */

/* ---- the thread: what goes out ---- */

/* The rows of a turn: those of one kind and partition lie one behind the other in one body. */
struct outgoing {
    const struct exchange *exchange;
    uint64_t committed; /* job */
    struct body {
        uint32_t part;
        uint8_t kind;
        struct buf records, packed;
    } *bodies;
    size_t nbodies, room;
    size_t bytes;
    uint64_t last; /* id */
    uint64_t pages; /* that count */
    bool more, failed;
};

static struct body *find_body(struct outgoing *outgoing, const struct store_outgoing *row)
{
    struct body *body;

    for (size_t i = outgoing->nbodies; i-- > 0;) {
        body = &outgoing->bodies[i];
        if (body->part != row->part || body->kind != row->kind)
            continue;
        if (body->records.len + row->body.len <= BODY_BYTES)
            return body;
        break;
    }
    if (!vec_reserve(&outgoing->bodies, &outgoing->room, outgoing->nbodies + 1, sizeof *outgoing->bodies))
        return NULL;
    body = &outgoing->bodies[outgoing->nbodies++];
    *body = (struct body){.part = row->part, .kind = row->kind};
    buf_init(&body->records, 0);
    buf_init(&body->packed, 0);
    return body;
}

/* State of a partition that is not ours in this epoch waits until the engine knows that, and the writer has cancelled
 * it. */
static bool may_send(const struct outgoing *outgoing, uint32_t part)
{
    const struct exchange *exchange = outgoing->exchange;
    const struct exchange_ready *ready = &exchange->ready[part];

    return part < exchange->shares.parts && exchange->epochs[part] &&
           atomic_load(&ready->epoch) == exchange->epochs[part] && atomic_load(&ready->number) <= outgoing->committed;
}

static uint64_t count_pages(struct str records)
{
    struct bytes in = bytes_of(records);
    struct batch_state state;
    uint64_t pages = 0;

    while (batch_get_state(&in, STORE_URL_STATES, &state))
        pages += state.kind == BATCH_PAGE && state.page.counted && !state.page.again;
    return pages;
}

static scent_status collect_row(void *ctx, const struct store_outgoing *row)
{
    struct outgoing *outgoing = ctx;
    struct body *body;

    outgoing->more = outgoing->bytes >= TURN_BYTES || (row->kind == CLUSTER_STATE && !may_send(outgoing, row->part));
    if (outgoing->more)
        return SCENT_E_END;
    body = find_body(outgoing, row);
    if (!body || !buf_add(&body->records, row->body))
        return SCENT_E_NOMEM;
    outgoing->bytes += row->body.len;
    outgoing->pages += row->kind == CLUSTER_STATE ? count_pages(row->body) : 0;
    outgoing->last = row->id;
    return SCENT_OK;
}

static void release_outgoing(struct outgoing *outgoing)
{
    for (size_t i = 0; i < outgoing->nbodies; i++) {
        buf_release(&outgoing->bodies[i].records);
        buf_release(&outgoing->bodies[i].packed);
    }
    free(outgoing->bodies);
}

/* What the turn has of places that are committed, where that has changed. */
struct applied {
    struct exchange *exchange;
    struct cluster_applied *items;
    size_t count;
};

static scent_status collect_place(void *ctx, const struct store_place *place)
{
    struct applied *applied = ctx;
    struct exchange *exchange = applied->exchange;

    if (place->part < exchange->shares.parts && exchange->epochs[place->part] == place->epoch &&
        exchange->applied[place->part] != place->applied)
        applied->items[applied->count++] = (struct cluster_applied){place->part, place->applied};
    return SCENT_OK;
}

static struct exchange_told told_by_engine(struct exchange *exchange, uint64_t *keep)
{
    struct exchange_told told;

    pthread_mutex_lock(&exchange->lock);
    told = exchange->told;
    *keep = exchange->keep;
    pthread_mutex_unlock(&exchange->lock);
    return told;
}

static scent_status pack_bodies(struct exchange *exchange, struct outgoing *outgoing, struct cluster_row *rows,
                                struct errmsg *err)
{
    for (size_t i = 0; i < outgoing->nbodies; i++) {
        struct body *body = &outgoing->bodies[i];

        if (batch_pack(exchange->packer, buf_str(&body->records), &body->packed) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
        rows[i] = (struct cluster_row){.part = body->part,
                                       .kind = (enum cluster_kind)body->kind,
                                       .epoch = body->kind == CLUSTER_STATE ? exchange->epochs[body->part] : 0,
                                       .body = buf_str(&body->packed)};
    }
    return SCENT_OK;
}

static scent_status take_news(struct exchange *exchange, const struct cluster_news *news);

/* ---- partitions that the engine has left ---- */

/* Those whose last state is in the log after this turn. One that was lost and has come back is not given away: the
 * engine will hear of both. */
static size_t count_left(struct exchange *exchange, const struct outgoing *outgoing, uint32_t *left)
{
    size_t count = 0;

    pthread_mutex_lock(&exchange->lock);
    for (size_t i = 0; i < exchange->nleft; i++)
        if (!outgoing->more && exchange->left[i].job <= outgoing->committed &&
            exchange->epochs[exchange->left[i].part] == exchange->left[i].epoch)
            left[count++] = exchange->left[i].part;
    pthread_mutex_unlock(&exchange->lock);
    return count;
}

static void forget_left(struct exchange *exchange, const uint32_t *left, size_t count)
{
    pthread_mutex_lock(&exchange->lock);
    for (size_t i = 0; i < count; i++) {
        exchange->epochs[left[i]] = 0; /* not lost: given away */
        for (size_t j = 0; j < exchange->nleft; j++)
            if (exchange->left[j].part == left[i])
                exchange->left[j--] = exchange->left[--exchange->nleft];
    }
    pthread_mutex_unlock(&exchange->lock);
}

/* Its lease ends with the turn that gives the last of them away. */
static bool is_retiring(struct exchange *exchange, size_t given)
{
    bool retiring;

    pthread_mutex_lock(&exchange->lock);
    retiring = exchange->retiring && exchange->nleft == given;
    pthread_mutex_unlock(&exchange->lock);
    return retiring;
}

/* All that was read has been applied, and every partition is live: what the engine told is true of all of it. */
static bool is_calm(struct exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->shares.parts; i++)
        if (exchange->epochs[i] && exchange->horizons[i])
            return false;
    return atomic_load(&exchange->jobs) == 0;
}

/* Is the engine idle with what is read here from the store? Then nothing of what it did is missing in the store, and
 * nothing has been done since: a job has its number before its rows can be seen, and no page can have begun by a grant
 * of which the engine did not know. */
static bool is_settled(struct exchange *exchange, const struct exchange_told *told)
{
    return told->idle && writer_committed_job(exchange->writer) >= told->number &&
           told->granted == exchange_granted(exchange);
}

/* The server counts it from a later moment than this. */
static void renew_lease(struct exchange *exchange, int64_t since)
{
    int64_t margin = exchange->lease_us / LEASE_MARGIN;

    margin = margin < LEASE_MARGIN_MAX_US ? margin : LEASE_MARGIN_MAX_US;
    exchange->renewed = since;
    atomic_store(&exchange->lease_end, since + exchange->lease_us - margin);
}

static scent_status make_turn(struct exchange *exchange, struct errmsg *err)
{
    uint64_t keep;
    struct exchange_told told = told_by_engine(exchange, &keep);
    bool settled = is_settled(exchange, &told);
    struct outgoing outgoing = {.exchange = exchange,
                                .committed = writer_committed_job(exchange->writer),
                                .last = exchange->mark};
    struct applied applied = {exchange, exchange_array(exchange->shares.parts, sizeof *applied.items), 0};
    uint32_t *left = exchange_array(exchange->shares.parts, sizeof *left);
    struct cluster_row *rows = NULL;
    struct cluster_turn turn;
    struct cluster_news news;
    size_t nleft;
    scent_status status = store_each_outgoing(exchange->store, exchange->mark, collect_row, &outgoing, err);

    if (status == SCENT_OK || status == SCENT_E_END)
        status = store_each_place(exchange->store, collect_place, &applied, err);
    rows = exchange_array(outgoing.nbodies + 1, sizeof *rows);
    if (status == SCENT_OK)
        status = pack_bodies(exchange, &outgoing, rows, err);
    nleft = count_left(exchange, &outgoing, left);
    turn = (struct cluster_turn){
        .rows = rows,
        .nrows = outgoing.nbodies,
        .mark = outgoing.last,
        .applied = applied.items,
        .napplied = applied.count,
        .left = left,
        .nleft = nleft,
        .retiring = is_retiring(exchange, nleft),
        .lease_us = exchange->lease_us,
        .idle = settled && !outgoing.more && is_calm(exchange) && atomic_load(&exchange->number) == told.number,
        .hungry = told.hungry,
        .keep = keep,
        .wanted = exchange_wanted_pages(exchange, &told),
        .logged = outgoing.pages,
        .pages = told.progress.pages,
        .relevant = told.progress.relevant,
        .failed = told.progress.failed,
        .queued = told.progress.queued,
        .known = told.progress.known,
    };
    if (status == SCENT_OK)
        status = cluster_turn(exchange->cluster, &turn, &news, err);
    if (status == SCENT_OK) {
        renew_lease(exchange, news.renewed);
        exchange_note_grant(exchange, keep, &news);
        exchange->mark = turn.mark;
        writer_forget_outgoing(exchange->writer, turn.mark);
        atomic_store(&exchange->sent, turn.mark);
        for (size_t i = 0; i < applied.count; i++)
            exchange->applied[applied.items[i].part] = applied.items[i].applied;
        forget_left(exchange, turn.left, turn.nleft);
    }
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
        status = take_news(exchange, &news);
    release_outgoing(&outgoing);
    free(applied.items);
    free(left);
    free(rows);
    return status;
}

scent_status exchange_send_rest(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;
    struct outgoing outgoing = {.exchange = exchange, .committed = UINT64_MAX, .last = exchange->mark};
    struct engine_progress progress;
    struct cluster_row *rows = NULL;
    struct cluster_turn turn;
    struct cluster_news news;
    scent_status status = store_each_outgoing(crawl->store, exchange->mark, collect_row, &outgoing, err);

    if (status == SCENT_E_END)
        status = SCENT_OK;
    rows = exchange_array(outgoing.nbodies + 1, sizeof *rows);
    if (status == SCENT_OK)
        status = pack_bodies(exchange, &outgoing, rows, err);
    ending_progress(crawl, &progress);
    turn = (struct cluster_turn){
        .rows = rows, .nrows = outgoing.nbodies, .mark = outgoing.last, .logged = outgoing.pages, .last = true,
        .retiring = exchange->retiring, .lease_us = exchange->lease_us, .keep = UINT64_MAX,
        .idle = exchange->told.idle, .hungry = exchange->told.hungry, .pages = progress.pages,
        .relevant = progress.relevant, .failed = progress.failed, .queued = progress.queued, .known = progress.known,
    };
    if (status == SCENT_OK)
        status = cluster_turn(exchange->cluster, &turn, &news, err);
    if (status == SCENT_OK) {
        exchange->mark = turn.mark;
        status = store_begin(crawl->store, err);
        if (status == SCENT_OK)
            status = store_drop_outgoing(crawl->store, turn.mark, err);
        if (status == SCENT_OK)
            status = store_commit(crawl->store, err);
    }
    release_outgoing(&outgoing);
    free(rows);
    if (status == SCENT_OK && outgoing.more && outgoing.bytes >= TURN_BYTES)
        return exchange_send_rest(crawl, err);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status; /* somebody has taken a partition */
}

/* ---- the thread: what comes in ---- */

/* Partitions that have become ours are read from their beginning. State that was not sent in an epoch that has ended is
 * cancelled by the engine. */
static scent_status take_news(struct exchange *exchange, const struct cluster_news *news)
{
    struct job *job = job_new(JOB_ARRIVED);
    struct job_arrived *arrived = &job->arrived;
    uint64_t *epochs = exchange_array(exchange->shares.parts, sizeof *epochs);
    bool changed = false;

    arrived->parts = arena_array(&job->arena, news->nparts + 1, sizeof *arrived->parts);
    arrived->lost = arena_array(&job->arena, exchange->shares.parts, sizeof *arrived->lost);
    SCENT_BUG_IF(!arrived->parts || !arrived->lost);
    arrived->mark = exchange->mark;
    for (size_t i = 0; i < news->nparts; i++)
        if (news->parts[i].part < exchange->shares.parts) {
            epochs[news->parts[i].part] = news->parts[i].epoch;
            arrived->parts[arrived->nparts++] = news->parts[i];
            changed |= news->parts[i].wanted;
        }
    for (uint32_t i = 0; i < exchange->shares.parts; i++) {
        bool continues = epochs[i] == exchange->epochs[i];

        if (epochs[i] && (!continues || exchange->horizons[i] == UINT64_MAX))
            exchange->horizons[i] = news->horizon;
        /* One that it had left when it was killed, before the server heard of it, is lost, too. */
        if (continues && (epochs[i] || !exchange->restored[i]))
            continue;
        changed = true;
        if (exchange->epochs[i] || exchange->restored[i])
            arrived->lost[arrived->nlost++] = i;
        if (epochs[i]) {
            exchange->again[i] = true;
            exchange->read[i] = (struct cluster_place){.part = i};
            exchange->applied[i] = UINT64_MAX;
        }
    }
    memset(exchange->restored, 0, exchange->shares.parts * sizeof *exchange->restored);
    free(exchange->epochs);
    exchange->epochs = epochs;
    if (changed)
        exchange_give_job(exchange, job);
    else
        job_free(job);
    atomic_store(&exchange->workers, news->workers);
    atomic_store(&exchange->deadline, news->left_us == INT64_MAX ? INT64_MAX : clock_boot() + news->left_us);
    atomic_store(&exchange->full, news->full);
    if (news->full)
        atomic_store(&exchange->allowed, 0);
    if (news->state == CLUSTER_ENDED && news->left_us > 0) /* whose time is over has words left to say */
        atomic_store(&exchange->ended, true);
    if (news->state == CLUSTER_STOPPING)
        atomic_store(&exchange->stopped, true);
    return SCENT_OK;
}

/* ---- the thread ---- */

static void note_reachable(struct exchange *exchange, bool reachable, const char *why)
{
    if (exchange->unreachable == !reachable)
        return;
    exchange->unreachable = !reachable;
    if (reachable)
        log_line(exchange->log, LOG_INFO, "the server can be reached again");
    else
        log_line(exchange->log, LOG_WARN, "%s; the crawl continues as long as its lease lasts, and tries again", why);
}

static scent_status step(struct exchange *exchange, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct job *counts = NULL, *addresses = NULL;

    if (exchange->unreachable)
        status = cluster_recover(exchange->cluster, &exchange->mark, err);
    if (status == SCENT_OK)
        status = make_turn(exchange, err);
    if (status == SCENT_OK)
        status = exchange_read_log(exchange, err);
    if (status == SCENT_OK)
        status = exchange_counts_ask(exchange, &counts, err);
    if (counts)
        exchange_give_job(exchange, counts);
    if (status == SCENT_OK)
        status = exchange_addresses_ask(exchange, &addresses, err);
    if (addresses)
        exchange_give_job(exchange, addresses);
    if (status == SCENT_OK || status == SCENT_E_IO)
        note_reachable(exchange, status == SCENT_OK, err->text);
    return status == SCENT_E_IO ? SCENT_OK : status;
}

/* A worker whose turns take as long as its lease would lose it before each of them, and never visit anything: on a busy
 * machine, or far from the server. It asks for a longer one meanwhile. */
static void note_pace(struct exchange *exchange, int64_t took)
{
    int64_t usual = exchange->crawl.lease_us, longest = CLUSTER_LEASE_STRETCH * usual;
    int64_t apart = took + exchange->turn_us, wanted = EXCHANGE_TURNS_A_LEASE * apart;
    bool late = wanted > usual;

    exchange->lease_us = !late ? usual : wanted < longest ? wanted : longest;
    if (late && !exchange->late)
        log_line(exchange->log, LOG_WARN,
                 "turns with the server are %.1f s apart, too long for a lease of %.1f s; it is longer while they are: "
                 "%.1f s. Give the next crawl a longer one ('cluster: {lease: 120s}')",
                 (double)apart / 1e6, (double)usual / 1e6, (double)exchange->lease_us / 1e6);
    exchange->late = late;
}

/* Until the next turn, or until it is told to stop. True: to stop. */
static bool rest(struct exchange *exchange)
{
    struct timespec until;
    int64_t wait = exchange->unreachable && exchange->turn_us < RETRY_US ? RETRY_US : exchange->turn_us;
    bool stopping;

    if (exchange->behind && !exchange->unreachable && wait > BEHIND_US)
        wait = BEHIND_US;
    clock_gettime(CLOCK_MONOTONIC, &until);
    wait += until.tv_nsec / 1000;
    until.tv_sec += wait / 1000000;
    until.tv_nsec = wait % 1000000 * 1000;
    pthread_mutex_lock(&exchange->lock);
    while (!exchange->stopping && pthread_cond_timedwait(&exchange->wake, &exchange->lock, &until) == 0)
        ;
    stopping = exchange->stopping;
    pthread_mutex_unlock(&exchange->lock);
    return stopping;
}

static void *run_exchange(void *arg)
{
    struct exchange *exchange = arg;
    struct errmsg err = {0};
    scent_status status;

    do {
        int64_t since = clock_boot();

        status = step(exchange, &err);
        if (!exchange->unreachable)
            note_pace(exchange, clock_boot() - since);
        if (status != SCENT_OK) {
            pthread_mutex_lock(&exchange->lock);
            exchange->err = err;
            pthread_mutex_unlock(&exchange->lock);
            atomic_store(&exchange->status, status);
            return NULL;
        }
    } while (!rest(exchange));
    return NULL;
}

scent_status exchange_start(struct crawl *crawl, struct errmsg *err)
{
    struct exchange *exchange = crawl->exchange;

    if (!exchange)
        return SCENT_OK;
    SCENT_TRY(store_open(crawl->options->dir, STORE_READ, &exchange->store, err));
    SCENT_TRY(store_set_cache(exchange->store, CACHE_BYTES, err));
    exchange->writer = crawl->writer;
    exchange->inbox = crawl->dispatch.inbox;
    exchange->log = crawl->options->log;
    SCENT_TRY(exchange_restore_unsent(crawl, err));
    writer_forget_outgoing(exchange->writer, exchange->mark);
    SCENT_BUG_IF(pthread_create(&exchange->thread, NULL, run_exchange, exchange));
    exchange->running = true;
    return SCENT_OK;
}

void exchange_stop(struct exchange *exchange)
{
    if (!exchange)
        return;
    pthread_mutex_lock(&exchange->lock);
    exchange->stopping = true;
    pthread_cond_signal(&exchange->wake);
    pthread_mutex_unlock(&exchange->lock);
    if (exchange->running)
        pthread_join(exchange->thread, NULL);
    exchange->running = false;
    store_close(exchange->store);
    exchange->store = NULL;
}
