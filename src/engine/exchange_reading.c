/* The thread of an exchange: rows of the log that become jobs for the engine. */
#include "engine/exchange_parts.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    RECORDS_A_JOB = 2000, /* links, or URLs of a state: the engine has other things to do, too */
    RECORDS_UNDER_WAY = 20000,
};

/* ---- jobs ---- */

static bool is_stopping(struct exchange *exchange)
{
    bool stopping;

    pthread_mutex_lock(&exchange->lock);
    stopping = exchange->stopping;
    pthread_mutex_unlock(&exchange->lock);
    return stopping;
}

/* A large row becomes many jobs: they wait for the engine, which does not wait for them when it ends. */
void exchange_give_job(struct exchange *exchange, struct job *job)
{
    while (atomic_load(&exchange->jobs) >= EXCHANGE_JOBS && !is_stopping(exchange))
        usleep(1000);
    if (is_stopping(exchange)) {
        job_free(job);
        return;
    }
    atomic_fetch_add(&exchange->jobs, 1);
    atomic_fetch_add(&exchange->records, (unsigned)job->arrived.count);
    SCENT_BUG_IF(!queue_push(exchange->inbox, job));
}

/* ---- rows ---- */

/* Rows that were read become jobs, bounded by what they hold and not by their number: a row of a polite crawl has a few
 * links. */
struct reading {
    struct exchange *exchange;
    struct buf room;
    struct job *job; /* that more rows may go into; NULL: none has been begun */
    struct errmsg *err;
};

static void flush_rows(struct reading *reading)
{
    if (reading->job)
        exchange_give_job(reading->exchange, reading->job);
    reading->job = NULL;
}

static void add_row(struct reading *reading, const struct arrived_row *row, size_t records)
{
    struct job_arrived *arrived;
    struct job *job;

    if (!reading->job)
        reading->job = job_new(JOB_ARRIVED);
    job = reading->job;
    arrived = &job->arrived;
    if (arrived->nrows == arrived->room) {
        arrived->room = arrived->room ? 2 * arrived->room : 16;
        arrived->rows = arena_grow(&job->arena, arrived->rows, arrived->nrows * sizeof *row,
                                   arrived->room * sizeof *row);
        SCENT_BUG_IF(!arrived->rows);
    }
    arrived->rows[arrived->nrows] = *row;
    arrived->rows[arrived->nrows].records = arena_str(&job->arena, row->records);
    SCENT_BUG_IF(!arrived->rows[arrived->nrows++].records.p);
    arrived->count += records;
    if (arrived->count >= RECORDS_A_JOB)
        flush_rows(reading);
}

static struct str between(const unsigned char *from, const struct bytes *in)
{
    return (struct str){(const char *)from, (size_t)(in->p - from)};
}

/* Of a long row only the last piece has its place: links that arrive twice do no harm. */
static void add_links(struct reading *reading, struct arrived_row *row, struct bytes *in)
{
    struct store_place place = row->place;
    const unsigned char *from = in->p;
    struct batch_link link;
    size_t records = 0;

    row->place.epoch = 0;
    while (batch_get_link(in, &link)) {
        if (++records < RECORDS_A_JOB)
            continue;
        row->records = between(from, in);
        add_row(reading, row, records);
        from = in->p;
        records = 0;
    }
    row->place = place;
    row->records = between(from, in);
    add_row(reading, row, records);
}

/* One piece, however long it is: a state that arrives twice could count a page twice. */
static void add_state(struct reading *reading, struct arrived_row *row, struct bytes *in)
{
    const unsigned char *from = in->p;
    struct batch_state state;
    size_t records = 0;

    while (batch_get_state(in, STORE_URL_STATES, &state))
        records++;
    row->records = between(from, in);
    add_row(reading, row, records);
}

/* A body that is damaged is left out: a worker trusts its peers for truth, not for form. */
static void add_body(struct reading *reading, struct arrived_row *row, const struct cluster_read *read)
{
    struct bytes in;

    if (batch_unpack(read->body, CLUSTER_BODY_MAX, &reading->room) != SCENT_OK) {
        log_line(reading->exchange->log, LOG_WARN,
                 "row %" PRIu64 " of the log of partition %" PRIu32 " is damaged; it is left out", read->row,
                 read->part);
        add_row(reading, row, 0);
        return;
    }
    in = bytes_of(buf_str(&reading->room));
    if (read->kind == CLUSTER_LINKS)
        add_links(reading, row, &in);
    else
        add_state(reading, row, &in);
    if (in.wrong)
        log_line(reading->exchange->log, LOG_WARN, "row %" PRIu64 " of the log of partition %" PRIu32 ": %s", read->row,
                 read->part, in.wrong);
}

static scent_status take_row(void *ctx, const struct cluster_read *read)
{
    struct reading *reading = ctx;
    struct exchange *exchange = reading->exchange;
    struct arrived_row row = {.kind = read->kind,
                              .records = STR(""),
                              .place = {.part = read->part,
                                        .xid = read->xid,
                                        .row = read->row,
                                        .applied = read->kind == CLUSTER_LINKS}};
    struct cluster_place *place;
    bool state, ours;

    if (read->part >= exchange->shares.parts)
        return SCENT_OK;
    place = &exchange->read[read->part];
    if (read->xid < place->xid || (read->xid == place->xid && read->row <= place->row))
        return errmsg_fail(reading->err, SCENT_E_FORMAT, "the server gives the log of partition %" PRIu32
                           " in another order than that of its rows", read->part);
    place->xid = read->xid;
    place->row = read->row;
    exchange->next_part = read->part + 1;
    row.place.epoch = exchange->epochs[read->part];
    state = read->kind == CLUSTER_STATE;
    if (state && !exchange->horizons[read->part])
        return SCENT_OK; /* our own: it need not be noted that it was read */
    /* What this worker wrote itself it knows, unless it has begun anew. */
    ours = state && read->epoch == exchange->epochs[read->part] && !exchange->again[read->part];
    if (ours || (!state && read->kind != CLUSTER_LINKS))
        add_row(reading, &row, 0);
    else
        add_body(reading, &row, read);
    return SCENT_OK;
}

/* All rows before `reached` were given to the engine. */
static void tell_live(struct reading *reading, uint64_t reached)
{
    struct exchange *exchange = reading->exchange;

    for (uint32_t i = 0; i < exchange->shares.parts; i++) {
        if (!exchange->epochs[i] || !exchange->horizons[i] || exchange->horizons[i] > reached)
            continue;
        exchange->horizons[i] = 0;
        exchange->again[i] = false;
        add_row(reading,
                &(struct arrived_row){.records = STR(""),
                                      .place = {.part = i,
                                                .epoch = exchange->epochs[i],
                                                .xid = exchange->read[i].xid,
                                                .row = exchange->read[i].row},
                                      .is_live = true},
                0);
    }
}

/* From where the last reading ended, so that no partition waits for another one that is always full. */
static size_t list_places(const struct exchange *exchange, struct cluster_place *places)
{
    uint32_t parts = exchange->shares.parts;
    size_t count = 0;

    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part = (exchange->next_part + i) % parts;

        if (!exchange->epochs[part])
            continue;
        places[count] = exchange->read[part];
        places[count++].live = !exchange->horizons[part];
    }
    return count;
}

/* Much is to be read, and other workers and the lease do not wait for it. */
static bool turn_is_due(const struct exchange *exchange)
{
    int64_t longest = exchange->lease_us / EXCHANGE_TURNS_A_LEASE;

    return clock_boot() - exchange->renewed > (exchange->turn_us < longest ? exchange->turn_us : longest);
}

static bool has_room(struct exchange *exchange)
{
    return atomic_load(&exchange->jobs) < EXCHANGE_JOBS / 2 && atomic_load(&exchange->records) < RECORDS_UNDER_WAY;
}

/* Until the engine has room for more. False: a turn comes first. */
static bool await_room(struct exchange *exchange)
{
    while (!turn_is_due(exchange) && !is_stopping(exchange)) {
        if (has_room(exchange))
            return true;
        usleep(1000);
    }
    return false;
}

scent_status exchange_read_log(struct exchange *exchange, struct errmsg *err)
{
    struct reading reading = {.exchange = exchange, .err = err};
    struct cluster_place *places;
    scent_status status;
    bool more;
    uint64_t reached;

    exchange->behind = true;
    if (!has_room(exchange))
        return SCENT_OK;
    places = exchange_array(exchange->shares.parts, sizeof *places);
    buf_init(&reading.room, CLUSTER_BODY_MAX + 1);
    do {
        size_t count = list_places(exchange, places);

        status = cluster_read(exchange->cluster, places, count, take_row, &reading, &more, &reached, err);
        if (status == SCENT_OK && !more)
            tell_live(&reading, reached);
        flush_rows(&reading);
    } while (status == SCENT_OK && more && await_room(exchange));
    buf_release(&reading.room);
    free(places);
    exchange->behind = status == SCENT_OK && more;
    return status;
}
