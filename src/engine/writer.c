#include "engine/writer.h"

#include "base/queue.h"
#include "crawldir/crawldir.h"
#include "http/http.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

enum {
    WRITER_QUEUE = 1024,
    WRITER_BATCH_JOBS = 4096,
    WRITER_BATCH_US = 500 * 1000, /* less than the second that DESIGN allows between fetch and commit */
};

struct writer {
    struct writer_options options;
    struct queue *queue;
    struct warc_writer *warc;
    struct rng rng;
    struct http_packer *packer; /* for the records of copies */
    pthread_t thread;
    atomic_int status; /* scent_status */
    struct errmsg err; /* belongs to the thread until it is joined */
    struct writer_cpu cpu;
    bool in_transaction;
    struct job *told[LISTENER_JOBS]; /* requests whose rows are in this transaction: answered when it is committed */
    size_t ntold;
    struct buf pages[2]; /* lines for hooks, of this transaction: all pages, and relevant ones */
    uint32_t jobs;     /* in this transaction */
    int64_t since;     /* when it began */
    uint32_t end_id;   /* after the last URL row that was written: they come in order of id, job by job */
    _Atomic uint32_t committed; /* the end_id of the last commit */
    uint64_t number;            /* of the last job that was written */
    _Atomic uint64_t committed_job;
    _Atomic uint64_t arrived;   /* outgoing rows up to this one stand on the server */
    uint64_t forgotten;         /* those that were deleted */
    _Atomic(struct http_dictionary *) dictionary; /* that of `warc`, for the other threads */
    struct buf again; /* records that are packed again */
};

/* ---- copies ----
 *
 * The record of a page whose bytes are stored already names the first page that had them. It is built here, since this
 * thread alone can ask the store for that page's URL and date, committed or not; so the crawl needs no memory for them.
 * Only copies pay for it: a look-up and two small records. */

struct original {
    struct arena *arena;
    uint64_t number;
    struct str url, digest;
    int64_t wall;
    bool is_archived;
};

static scent_status keep_original(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct original *original = ctx;

    if (row->number != original->number)
        return SCENT_E_END;
    original->url = arena_str(original->arena, url->url);
    original->digest = arena_str(original->arena, row->digest);
    original->wall = row->wall;
    original->is_archived = row->warc_length > 0;
    return original->url.p && original->digest.p ? SCENT_E_END : SCENT_E_NOMEM;
}

/* The first asked not to be archived: there is nothing to refer to, and no more is kept of this one. */
static scent_status leave_out(struct job *job, struct str digest)
{
    struct visit *visit = &job->visit;

    buf_clear(&visit->records);
    visit->response = (struct warc_span){0};
    snprintf(visit->digest, sizeof visit->digest, "%.*s", STR_ARG(digest));
    visit->row.digest = str_of(visit->digest);
    return SCENT_OK;
}

/* Replaces the job's records. Where the first page turns out to have other bytes they stay, and so does the job's row,
 * but for its duplicate_of. */
static scent_status build_revisit(struct writer *writer, struct job *job)
{
    struct visit *visit = &job->visit;
    struct original original = {.arena = &job->arena, .number = visit->row.duplicate_of};
    struct warc_exchange exchange = job_warc_exchange(job);
    bool not_modified = visit->result == VISIT_UNCHANGED;
    scent_status status =
        store_each_page(writer->options.store, original.number - 1, keep_original, &original, &writer->err);

    if (status != SCENT_OK && status != SCENT_E_END)
        return status;
    /* Pages are told apart by 59 bits of their digest: two may meet. */
    if (original.url.len == 0 || (!not_modified && !str_eq(original.digest, str_of(visit->digest)))) {
        visit->row.duplicate_of = 0;
        return SCENT_OK;
    }
    if (!original.is_archived)
        return leave_out(job, original.digest);
    exchange.body.len = visit->body_bytes;
    exchange.not_modified = not_modified;
    exchange.same_as_url = original.url;
    exchange.same_as_wall = original.wall;
    exchange.same_as_digest = original.digest;
    buf_clear(&visit->records);
    status = warc_build_exchange(&exchange, &writer->rng, writer->packer, &visit->records, &visit->response,
                                 visit->digest);
    visit->packed_with = atomic_load(&writer->dictionary);
    if (status != SCENT_OK)
        errmsg_fail(&writer->err, status, "out of memory for the revisit record of page %" PRIu64, visit->row.number);
    return status;
}

/* ---- one transaction ---- */

/* The files change their form between two batches only: all that lies in the one that ends was committed, so that a
 * crash cannot leave records in it that nobody knows of. */
static scent_status train(struct writer *writer)
{
    struct http_dictionary *dictionary;

    SCENT_TRY(warc_writer_train(writer->warc, &writer->err));
    dictionary = warc_writer_form(writer->warc).dictionary;
    http_packer_use(writer->packer, dictionary);
    atomic_store(&writer->dictionary, dictionary);
    return SCENT_OK;
}

static scent_status begin_batch(struct writer *writer)
{
    scent_status status;

    if (writer->in_transaction)
        return SCENT_OK;
    SCENT_TRY(train(writer));
    status = store_begin(writer->options.store, &writer->err);
    writer->in_transaction = status == SCENT_OK;
    writer->since = clock_mono(writer->options.clock);
    return status;
}

/* The dictionary came while the job was under way. */
static scent_status pack_again(struct writer *writer, struct visit *visit)
{
    scent_status status;

    buf_clear(&writer->again);
    status = warc_build_again(buf_str(&visit->records), visit->packed_with, writer->packer, &writer->again,
                              &visit->response);
    buf_clear(&visit->records);
    if (status == SCENT_OK && !buf_add(&visit->records, buf_str(&writer->again)))
        status = SCENT_E_NOMEM;
    return status == SCENT_OK ? status : errmsg_fail(&writer->err, status, "out of memory for WARC records");
}

static scent_status append_records(struct writer *writer, struct job *job)
{
    struct visit *visit = &job->visit;
    struct warc_position at;

    if (visit->records.len == 0)
        return SCENT_OK;
    if (visit->packed_with != atomic_load(&writer->dictionary))
        SCENT_TRY(pack_again(writer, visit));
    SCENT_TRY(warc_writer_append(writer->warc, buf_str(&visit->records), &at, &writer->err));
    visit->row.warc_file = arena_str(&job->arena, str_of(at.file));
    visit->row.warc_offset = at.end + visit->response.offset;
    visit->row.warc_length = visit->response.length;
    return SCENT_OK;
}

static scent_status write_page(const struct visit *visit, struct store *store, struct errmsg *err)
{
    SCENT_TRY(store_add_page(store, &visit->row, err));
    if (!visit->row.counted)
        return SCENT_OK;
    if (visit->counted.p)
        SCENT_TRY(store_put_counted(store, visit->row.number, visit->counted, err));
    if (!visit->blocks.p)
        return SCENT_OK;
    return store_put_blocks(store, &(struct store_blocks){visit->row.number, visit->at.host, visit->blocks}, err);
}

static scent_status write_rows(struct writer *writer, const struct job *job)
{
    struct store *store = writer->options.store;
    struct errmsg *err = &writer->err;
    uint32_t end_id = rows_end_id(&job->rows);

    if (end_id > writer->end_id)
        writer->end_id = end_id;
    writer->number = job->number ? job->number : writer->number;
    SCENT_TRY(rows_write(&job->rows, store, err));
    if (job->kind == JOB_VISIT && job->visit.has_row)
        SCENT_TRY(write_page(&job->visit, store, err));
    if (job->event)
        SCENT_TRY(store_add_event(store, clock_wall(writer->options.clock), job->event, job->event_text, err));
    return job->checkpoint ? checkpoint_write(job->checkpoint, store, err) : SCENT_OK;
}

/* With its place in the WARC file. */
static void note_for_hooks(struct writer *writer, const struct visit *visit)
{
    struct store_url url = {.url = visit->url.href, .depth = visit->at.candidate.depth};

    if (!writer->options.hooks || !visit->has_row || !visit->row.counted)
        return;
    crawldir_add_page_line(&writer->pages[0], &visit->row, &url);
    if (visit->row.relevant && store_page_is_shown(&visit->row))
        crawldir_add_page_line(&writer->pages[1], &visit->row, &url);
}

static scent_status write_records(struct writer *writer, struct job *job)
{
    const struct visit *visit = &job->visit;

    if (visit->has_row && store_page_is_revisit(&visit->row) && visit->response.length)
        SCENT_TRY(build_revisit(writer, job));
    return append_records(writer, job);
}

/* For other workers, and for exports from the log: with its place in the WARC file. */
static scent_status add_page_record(struct writer *writer, struct job *job)
{
    const struct visit *visit = &job->visit;
    const struct store_page *row = &visit->row;
    struct store_outgoing *outgoing = &job->rows.outgoing[job->rows.page_outgoing - 1];
    struct buf body;

    buf_init(&body, 0);
    buf_add(&body, outgoing->body);
    batch_put_page(&body, &(struct batch_page){.number = row->number,
                                               .counted = row->counted,
                                               .again = visit->is_again,
                                               .relevant = row->relevant,
                                               .score = (float)row->score,
                                               .url = visit->url.href,
                                               .wall = row->wall,
                                               .status = row->status > 0 ? (uint32_t)row->status : 0,
                                               .mime = row->mime,
                                               .digest = row->digest,
                                               .warc_file = row->warc_file,
                                               .warc_offset = row->warc_offset,
                                               .warc_length = row->warc_length,
                                               .bytes = row->bytes,
                                               .simhash = row->simhash});
    outgoing->body = arena_str(&job->arena, buf_str(&body));
    buf_release(&body);
    return outgoing->body.p ? SCENT_OK : errmsg_fail(&writer->err, SCENT_E_NOMEM, "out of memory for a page's record");
}

static scent_status write_job(struct writer *writer, struct job *job)
{
    int64_t cpu = clock_thread_cpu_ns();
    scent_status status = begin_batch(writer);

    if (status == SCENT_OK && job->kind == JOB_VISIT)
        status = write_records(writer, job);
    clock_charge_cpu(&writer->cpu.warc, &cpu);
    if (status == SCENT_OK && job->rows.page_outgoing)
        status = add_page_record(writer, job);
    if (status == SCENT_OK)
        status = write_rows(writer, job);
    clock_charge_cpu(&writer->cpu.store, &cpu);
    writer->jobs++;
    return status;
}

static scent_status check_free_disk(struct writer *writer)
{
    struct statvfs fs;
    uint64_t free_bytes;

    if (statvfs(writer->options.dir, &fs))
        return SCENT_OK; /* a file system that cannot tell */
    free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (free_bytes >= writer->options.min_free_disk)
        return SCENT_OK;
    return errmsg_fail(&writer->err, SCENT_E_FULL,
                       "%s: only %" PRIu64 " MiB of disk are free, less than limits.min_free_disk (%" PRIu64 " MiB)",
                       writer->options.dir, free_bytes >> 20, writer->options.min_free_disk >> 20);
}

static scent_status forget_outgoing(struct writer *writer)
{
    uint64_t arrived = atomic_load(&writer->arrived);

    if (arrived == writer->forgotten)
        return SCENT_OK;
    writer->forgotten = arrived;
    return store_drop_outgoing(writer->options.store, arrived, &writer->err);
}

static scent_status commit_batch(struct writer *writer)
{
    int64_t cpu = clock_thread_cpu_ns();
    struct warc_position end;
    scent_status status;

    if (!writer->in_transaction)
        return SCENT_OK;
    status = check_free_disk(writer);
    if (status == SCENT_OK)
        status = warc_writer_sync(writer->warc, &end, &writer->err);
    clock_charge_cpu(&writer->cpu.warc, &cpu);
    if (status == SCENT_OK)
        status = crawldir_save_end(writer->options.store, &end, &writer->err);
    if (status == SCENT_OK)
        status = forget_outgoing(writer);
    if (status == SCENT_OK)
        status = store_commit(writer->options.store, &writer->err);
    clock_charge_cpu(&writer->cpu.store, &cpu);
    if (status == SCENT_OK) {
        writer->in_transaction = false;
        atomic_store(&writer->committed, writer->end_id);
        atomic_store(&writer->committed_job, writer->number);
        for (size_t i = 0; i < 2; i++) {
            hooks_tell(writer->options.hooks, buf_str(&writer->pages[i]), i);
            buf_clear(&writer->pages[i]);
        }
        for (size_t i = 0; i < writer->ntold; i++)
            listener_answer(writer->options.listener, writer->told[i]);
        writer->ntold = 0;
    }
    writer->jobs = 0;
    return status;
}

static void fail_batch(struct writer *writer, scent_status status)
{
    if (writer->in_transaction)
        store_rollback(writer->options.store);
    writer->in_transaction = false;
    for (size_t i = 0; i < writer->ntold; i++)
        job_free(writer->told[i]);
    writer->ntold = 0;
    atomic_store(&writer->status, status);
}

/* ---- pages that are due ---- */

struct reading {
    struct job_due *due;
    struct arena *arena;
};

static bool keep_text(struct arena *arena, struct str *text)
{
    *text = arena_str(arena, *text);
    return text->p;
}

static scent_status read_due(void *ctx, const struct store_revisit *revisit, const struct store_url *url)
{
    struct reading *reading = ctx;
    struct job_due *due = reading->due;
    struct store_revisit *to = &due->pages[due->count];
    struct store_url *row = &due->urls[due->count];

    if (revisit->next > due->until || due->count == due->room) {
        due->later = revisit->next;
        return SCENT_E_END;
    }
    *to = *revisit;
    *row = *url;
    row->error = STR_NONE;
    if (!keep_text(reading->arena, &to->digest) || !keep_text(reading->arena, &to->etag) ||
        !keep_text(reading->arena, &to->last_modified) || !keep_text(reading->arena, &row->url))
        return SCENT_E_NOMEM;
    due->count++;
    return SCENT_OK;
}

scent_status writer_read_due(struct job_due *due, struct arena *arena, struct store *store, struct errmsg *err)
{
    struct reading reading = {due, arena};
    scent_status status;

    due->later = INT64_MAX;
    due->pages = arena_array(arena, due->room, sizeof *due->pages);
    due->urls = arena_array(arena, due->room, sizeof *due->urls);
    if (!due->pages || !due->urls)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that are due");
    status = store_each_due(store, &due->after, read_due, &reading, err);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that are due");
    return status == SCENT_E_END ? SCENT_OK : status;
}

/* ---- the thread ---- */

static int64_t time_left(const struct writer *writer)
{
    int64_t left = writer->since + WRITER_BATCH_US - clock_mono(writer->options.clock);

    return left > 0 ? left : 0;
}

static scent_status answer_due(struct writer *writer, struct job *job)
{
    int64_t cpu = clock_thread_cpu_ns();
    scent_status status = writer_read_due(&job->due, &job->arena, writer->options.store, &writer->err);

    clock_charge_cpu(&writer->cpu.store, &cpu);
    if (status != SCENT_OK || !queue_push(writer->options.answers, job))
        job_free(job);
    return status;
}

static void take_job(struct writer *writer, struct job *job)
{
    scent_status status = SCENT_OK;
    bool is_whole;

    if (job && job->kind == JOB_DUE && writer_status(writer) == SCENT_OK) {
        status = answer_due(writer, job);
        job = NULL;
    } else if (job && writer_status(writer) == SCENT_OK) {
        status = write_job(writer, job);
        if (status == SCENT_OK && job->kind == JOB_VISIT)
            note_for_hooks(writer, &job->visit);
        if (status == SCENT_OK && job->kind == JOB_CONTROL) {
            writer->told[writer->ntold++] = job;
            job = NULL;
        }
    }
    is_whole = job && (job->checkpoint || job->event);
    job_free(job);
    if (status == SCENT_OK && writer->in_transaction &&
        (writer->options.whole ? is_whole || writer->ntold
                               : writer->jobs >= WRITER_BATCH_JOBS || time_left(writer) == 0))
        status = commit_batch(writer);
    if (status != SCENT_OK)
        fail_batch(writer, status);
}

static void *run_writer(void *arg)
{
    struct writer *writer = arg;
    scent_status status;

    while (!queue_is_done(writer->queue)) {
        bool waits = writer->in_transaction && !writer->options.whole;
        struct job *job = waits ? queue_pop_for(writer->queue, time_left(writer)) : queue_pop(writer->queue);

        take_job(writer, job);
    }
    if (writer_status(writer) == SCENT_OK && (status = commit_batch(writer)) != SCENT_OK)
        fail_batch(writer, status);
    return NULL;
}

scent_status writer_start(const struct writer_options *options, struct writer **out, struct errmsg *err)
{
    struct writer *writer = calloc(1, sizeof *writer);
    scent_status status;

    SCENT_BUG_IF(!writer);
    writer->options = *options;
    rng_seed(&writer->rng, options->seed);
    status = crawldir_open_writer(options->store, options->dir, options->packing, &writer->rng, &writer->warc, err);
    if (status != SCENT_OK) {
        free(writer);
        return status;
    }
    for (size_t i = 0; i < 2; i++)
        buf_init(&writer->pages[i], 0);
    writer->packer = warc_packer_new(warc_writer_form(writer->warc), 1);
    atomic_init(&writer->dictionary, warc_writer_form(writer->warc).dictionary);
    buf_init(&writer->again, 0);
    writer->queue = queue_new(WRITER_QUEUE);
    SCENT_BUG_IF(pthread_create(&writer->thread, NULL, run_writer, writer));
    *out = writer;
    return SCENT_OK;
}

void writer_put(struct writer *writer, struct job *job)
{
    SCENT_BUG_IF(!queue_push(writer->queue, job));
}

struct warc_form writer_form(const struct writer *writer)
{
    return (struct warc_form){writer->options.packing, atomic_load(&writer->dictionary)};
}

uint32_t writer_committed(const struct writer *writer)
{
    return atomic_load(&writer->committed);
}

uint64_t writer_committed_job(const struct writer *writer)
{
    return atomic_load(&writer->committed_job);
}

void writer_forget_outgoing(struct writer *writer, uint64_t id)
{
    atomic_store(&writer->arrived, id);
}

scent_status writer_status(const struct writer *writer)
{
    return (scent_status)atomic_load_explicit(&writer->status, memory_order_relaxed);
}

scent_status writer_finish(struct writer *writer, struct writer_cpu *cpu, struct errmsg *err)
{
    struct warc_position end;
    scent_status status;

    queue_close(writer->queue);
    pthread_join(writer->thread, NULL);
    status = writer_status(writer);
    *cpu = writer->cpu;
    if (status == SCENT_OK) {
        status = warc_writer_close(writer->warc, &end, err);
    } else {
        warc_writer_abandon(writer->warc);
        *err = writer->err;
    }
    queue_free(writer->queue);
    for (size_t i = 0; i < 2; i++)
        buf_release(&writer->pages[i]);
    http_packer_free(writer->packer);
    buf_release(&writer->again);
    free(writer);
    return status;
}
