#include "cluster/overseer.h"

#include "base/vec.h"
#include "cluster/cluster.h"
#include "cluster/pq.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOG_ROWS = 32, /* at a time */
    BODY_BYTES = 1 << 20,
};

struct overseer {
    struct pq *pq;
};

static scent_status run(struct overseer *overseer, const char *sql, struct errmsg *err)
{
    return pq_run(overseer->pq, sql, NULL, 0, NULL, err);
}

static scent_status check_tables(struct overseer *overseer, struct errmsg *err)
{
    struct pq_rows *rows;
    bool there;

    SCENT_TRY(run(overseer, "SET client_min_messages = warning", err));
    SCENT_TRY(run(overseer, "SET statement_timeout = '60s'", err));
    SCENT_TRY(pq_run(overseer->pq, "SELECT to_regclass('scent.crawl') IS NOT NULL", NULL, 0, &rows, err));
    there = pq_count(rows) && pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    if (!there)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl yet: 'scent cluster init' makes its tables, "
                                                  "and so does the first 'scent crawl --join'");
    return run(overseer, "SET search_path = scent", err);
}

scent_status overseer_open(const char *uri, bool make, const struct log *log, struct overseer **out,
                           struct errmsg *err)
{
    struct overseer *overseer;
    scent_status status;

    SCENT_TRY(pq_check(uri, "--join", err));
    if (make) { /* checks version, clock and format, too */
        struct cluster *cluster;

        SCENT_TRY(cluster_open(uri, &clock_system, log, &cluster, err));
        cluster_close(cluster);
    }
    overseer = calloc(1, sizeof *overseer);
    SCENT_BUG_IF(!overseer);
    status = pq_open(uri, &overseer->pq, err);
    if (status == SCENT_OK)
        status = check_tables(overseer, err);
    if (status != SCENT_OK) {
        overseer_close(overseer);
        return status;
    }
    *out = overseer;
    return SCENT_OK;
}

void overseer_close(struct overseer *overseer)
{
    if (!overseer)
        return;
    pq_close(overseer->pq);
    free(overseer);
}

/* ---- looking ---- */

/* Rows with links that were sent, less those that were applied; of one partition. */
#define WAITING_ROWS                                                                                                  \
    "(SELECT count(*) FROM log WHERE log.crawl = part.crawl AND log.part = part.part AND kind = 1) - part.applied"

static scent_status keep(struct arena *arena, const struct pq_rows *rows, int row, int column, struct str *out)
{
    *out = arena_str(arena, pq_str(rows, row, column));
    return out->p ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status overseer_crawls(struct overseer *overseer, const char *name, struct arena *arena,
                             struct overseer_crawl **out, size_t *count, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    *count = 0;
    SCENT_TRY(pq_run(
        overseer->pq,
        "SELECT crawl.name, state, parts,"
        " (SELECT count(*) FROM part WHERE part.crawl = crawl.id AND owner IS NOT NULL),"
        " count(worker.id), count(worker.id) FILTER (WHERE lease_until > clock_timestamp()),"
        " coalesce(sum(pages), 0)::bigint, coalesce(sum(relevant), 0)::bigint, coalesce(sum(failed), 0)::bigint,"
        " coalesce(sum(queued), 0)::bigint, coalesce(sum(known), 0)::bigint,"
        " (coalesce(sum(sent), 0) - (SELECT sum(applied) FROM part WHERE part.crawl = crawl.id))::bigint, page_limit,"
        " (extract(epoch FROM made) * 1000000)::bigint"
        " FROM crawl LEFT JOIN worker ON worker.crawl = crawl.id WHERE $1::text IS NULL OR crawl.name = $1"
        " GROUP BY crawl.id ORDER BY crawl.name",
        (struct pq_value[]){PQ_TEXT(name)}, 1, &rows, err));
    *out = arena_zalloc(arena, ((size_t)pq_count(rows) + 1) * sizeof **out);
    if (!*out)
        status = SCENT_E_NOMEM;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++) {
        struct overseer_crawl *crawl = &(*out)[(*count)++];

        *crawl = (struct overseer_crawl){
            .parts = (uint32_t)pq_u64(rows, i, 2), .owned = (uint32_t)pq_u64(rows, i, 3),
            .workers = (uint32_t)pq_u64(rows, i, 4), .live = (uint32_t)pq_u64(rows, i, 5),
            .pages = pq_u64(rows, i, 6), .relevant = pq_u64(rows, i, 7), .failed = pq_u64(rows, i, 8),
            .queued = pq_u64(rows, i, 9), .known = pq_u64(rows, i, 10), .waiting = pq_u64(rows, i, 11),
            .page_limit = pq_u64(rows, i, 12), .made = (int64_t)pq_u64(rows, i, 13)};
        status = keep(arena, rows, i, 0, &crawl->name);
        if (status == SCENT_OK)
            status = keep(arena, rows, i, 1, &crawl->state);
    }
    pq_rows_free(rows);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the list of crawls");
    return name && !*count ? errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl '%s'", name) : SCENT_OK;
}

scent_status overseer_workers(struct overseer *overseer, const char *crawl, struct arena *arena,
                              struct overseer_worker **out, size_t *count, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    *count = 0;
    SCENT_TRY(pq_run(
        overseer->pq,
        "SELECT worker.name, worker.id, lease_until > clock_timestamp(), idle,"
        " (extract(epoch FROM lease_until - clock_timestamp()) * 1000000)::bigint,"
        " (SELECT count(*) FROM part WHERE part.crawl = crawl.id AND owner = worker.id),"
        " pages, relevant, failed, queued, known,"
        " coalesce((SELECT sum(" WAITING_ROWS ") FROM part"
        "  WHERE part.crawl = crawl.id AND owner = worker.id), 0)::bigint"
        " FROM worker JOIN crawl ON crawl.id = worker.crawl WHERE crawl.name = $1 ORDER BY worker.name, worker.id",
        (struct pq_value[]){PQ_TEXT(crawl)}, 1, &rows, err));
    *out = arena_zalloc(arena, ((size_t)pq_count(rows) + 1) * sizeof **out);
    if (!*out)
        status = SCENT_E_NOMEM;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++) {
        struct overseer_worker *worker = &(*out)[(*count)++];

        *worker = (struct overseer_worker){
            .id = pq_u64(rows, i, 1), .live = pq_u64(rows, i, 2), .idle = pq_u64(rows, i, 3),
            .lease_us = (int64_t)pq_u64(rows, i, 4), .parts = (uint32_t)pq_u64(rows, i, 5),
            .pages = pq_u64(rows, i, 6), .relevant = pq_u64(rows, i, 7), .failed = pq_u64(rows, i, 8),
            .queued = pq_u64(rows, i, 9), .known = pq_u64(rows, i, 10), .waiting = pq_u64(rows, i, 11)};
        status = keep(arena, rows, i, 0, &worker->name);
    }
    pq_rows_free(rows);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for the list of workers");
}

static scent_status find_crawl(struct overseer *overseer, const char *name, uint64_t *id, struct errmsg *err)
{
    struct pq_rows *rows;

    SCENT_TRY(pq_run(overseer->pq, "SELECT id FROM crawl WHERE name = $1", (struct pq_value[]){PQ_TEXT(name)}, 1, &rows,
                     err));
    *id = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return *id ? SCENT_OK : errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl '%s'", name);
}

/* ---- pages in the log ---- */

/* Calls back for each page: the state of its URL stands before it, in the same body. */
struct walk {
    const char *crawl, *writer; /* numbers; NULL: every writer that is not forgotten */
    scent_status (*fn)(struct walk *walk, uint64_t part, struct str worker, const struct batch_page *page,
                       const struct batch_url *urls, size_t nurls);
    void *ctx;
    struct batch_url *urls;
    size_t room;
    struct buf body;
    struct errmsg *err;
};

static scent_status walk_body(struct walk *walk, uint64_t part, struct str worker, struct str body)
{
    struct bytes in;
    struct batch_state state;
    size_t nurls = 0;

    if (batch_unpack(body, CLUSTER_BODY_MAX, &walk->body) != SCENT_OK)
        return SCENT_OK; /* workers say so when they read it */
    for (in = bytes_of(buf_str(&walk->body)); batch_get_state(&in, UINT8_MAX, &state);) {
        if (state.kind == BATCH_URL) {
            if (!vec_reserve(&walk->urls, &walk->room, nurls + 1, sizeof *walk->urls))
                return errmsg_no_memory(walk->err);
            walk->urls[nurls++] = state.url;
        }
        if (state.kind == BATCH_PAGE) {
            SCENT_TRY(walk->fn(walk, part, worker, &state.page, walk->urls, nurls));
            nurls = 0;
        }
    }
    return SCENT_OK;
}

static scent_status walk_log(struct overseer *overseer, struct walk *walk)
{
    char part[24] = "-1", xid[24] = "0", id[24] = "0", room[24];
    scent_status status = SCENT_OK;
    int count = LOG_ROWS;

    snprintf(room, sizeof room, "%d", LOG_ROWS);
    buf_init(&walk->body, CLUSTER_BODY_MAX + 1);
    while (status == SCENT_OK && count == LOG_ROWS) {
        struct pq_rows *rows;

        status = pq_run(overseer->pq,
                        "SELECT log.part, log.xid, log.id, log.body, worker.name FROM log JOIN worker"
                        " ON worker.crawl = log.crawl AND worker.id = log.writer WHERE log.crawl = $1 AND kind = 2"
                        " AND CASE WHEN $2::bigint IS NULL THEN NOT forgotten ELSE writer = $2 END"
                        " AND (log.part, log.xid, log.id) > ($3, $4::xid8, $5) ORDER BY 1, 2, 3 LIMIT $6",
                        (struct pq_value[]){PQ_TEXT(walk->crawl), PQ_TEXT(walk->writer), PQ_TEXT(part), PQ_TEXT(xid),
                                            PQ_TEXT(id), PQ_TEXT(room)},
                        6, &rows, walk->err);
        if (status != SCENT_OK)
            break;
        count = pq_count(rows);
        for (int i = 0; i < count && status == SCENT_OK; i++)
            status = walk_body(walk, pq_u64(rows, i, 0), pq_str(rows, i, 4), pq_str(rows, i, 3));
        if (count) {
            snprintf(part, sizeof part, "%" PRIu64, pq_u64(rows, count - 1, 0));
            snprintf(xid, sizeof xid, "%" PRIu64, pq_u64(rows, count - 1, 1));
            snprintf(id, sizeof id, "%" PRIu64, pq_u64(rows, count - 1, 2));
        }
        pq_rows_free(rows);
    }
    buf_release(&walk->body);
    free(walk->urls);
    return status;
}

struct listing {
    overseer_page_fn *fn;
    void *ctx;
};

static scent_status list_page(struct walk *walk, uint64_t part, struct str worker, const struct batch_page *page,
                              const struct batch_url *urls, size_t nurls)
{
    struct listing *listing = walk->ctx;

    (void)part, (void)urls, (void)nurls;
    return listing->fn(listing->ctx, &(struct overseer_page){worker, *page});
}

scent_status overseer_pages(struct overseer *overseer, const char *crawl, overseer_page_fn *fn, void *ctx,
                            struct errmsg *err)
{
    struct listing listing = {fn, ctx};
    struct walk walk = {.fn = list_page, .ctx = &listing, .err = err};
    char number[24];
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    snprintf(number, sizeof number, "%" PRIu64, id);
    walk.crawl = number;
    return walk_log(overseer, &walk);
}

/* ---- steering ---- */

scent_status overseer_stop(struct overseer *overseer, const char *crawl, struct errmsg *err)
{
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    return pq_run(overseer->pq, "UPDATE crawl SET state = 'stopping' WHERE name = $1 AND state = 'running'",
                  (struct pq_value[]){PQ_TEXT(crawl)}, 1, NULL, err);
}

/* Ends the transaction with its success or failure. */
static scent_status end(struct overseer *overseer, scent_status status, struct errmsg *err)
{
    struct errmsg ignored;

    if (status == SCENT_OK)
        return run(overseer, "COMMIT", err);
    if (status != SCENT_E_IO && run(overseer, "ROLLBACK", &ignored) != SCENT_OK)
        return status; /* the connection is closed with its transaction */
    return status;
}

/* ---- pages that are fetched again ---- */

/* What the log gets: URLs of one partition that are queued from now on. */
struct again {
    struct overseer *overseer;
    const char *worker;
    uint64_t key, part, pages;
    struct buf records, packed;
    struct http_packer *packer;
};

static scent_status put_again(struct again *again, const char *crawl, struct errmsg *err)
{
    char part[24];

    if (!again->records.len)
        return SCENT_OK;
    buf_clear(&again->packed);
    if (again->records.failed ||
        batch_pack(again->packer, buf_str(&again->records), &again->packed) != SCENT_OK)
        return errmsg_no_memory(err);
    buf_clear(&again->records);
    snprintf(part, sizeof part, "%" PRIu64, again->part);
    return pq_run(again->overseer->pq,
                  "INSERT INTO log(crawl, writer, part, epoch, kind, body) SELECT $1, $2, $3, epoch, 2, $4 FROM part"
                  " WHERE part.crawl = $1 AND part.part = $3",
                  (struct pq_value[]){PQ_TEXT(crawl), PQ_TEXT(again->worker), PQ_TEXT(part),
                                      PQ_BYTES(buf_str(&again->packed))},
                  4, NULL, err);
}

static scent_status queue_page(struct walk *walk, uint64_t part, struct str worker, const struct batch_page *page,
                               const struct batch_url *urls, size_t nurls)
{
    struct again *again = walk->ctx;
    struct batch_url url = {.fingerprint = url_fingerprint(page->url, again->key)};

    (void)worker;
    if (!page->counted)
        return SCENT_OK;
    if (part != again->part || again->records.len > BODY_BYTES)
        SCENT_TRY(put_again(again, walk->crawl, walk->err));
    for (size_t i = 0; i < nurls; i++)
        if (urls[i].fingerprint == url.fingerprint)
            url = urls[i];
    url.url = page->url;
    url.state = BATCH_QUEUED;
    url.tries = 0;
    url.error = STR_NONE;
    again->part = part;
    again->pages++;
    batch_put_url(&again->records, &url);
    return SCENT_OK;
}

/* Whoever owns a partition with such pages gets it anew, from its log. All workers are locked, so that nobody writes to
 * it in between. */
static scent_status refetch(struct overseer *overseer, const char *crawl, const char *worker,
                            struct overseer_forgotten *out, struct errmsg *err)
{
    struct again again = {.overseer = overseer, .worker = worker};
    struct walk walk = {.crawl = crawl, .writer = worker, .fn = queue_page, .ctx = &again, .err = err};
    struct pq_value values[] = {PQ_TEXT(crawl), PQ_TEXT(worker)};
    struct pq_rows *rows;
    scent_status status;

    SCENT_TRY(pq_run(overseer->pq, "SELECT id FROM worker WHERE crawl = $1 ORDER BY id FOR UPDATE", values, 1, NULL,
                     err));
    SCENT_TRY(pq_run(overseer->pq, "SELECT key FROM crawl WHERE id = $1", values, 1, &rows, err));
    again.key = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    buf_init(&again.records, 0);
    buf_init(&again.packed, 0);
    again.packer = batch_packer_new();
    status = walk_log(overseer, &walk);
    if (status == SCENT_OK)
        status = put_again(&again, crawl, err);
    http_packer_free(again.packer);
    buf_release(&again.records);
    buf_release(&again.packed);
    SCENT_TRY(status);
    out->pages = again.pages;
    SCENT_TRY(pq_run(overseer->pq,
                     "UPDATE part SET owner = NULL, wanted_by = NULL, epoch = epoch + 1, applied = 0 WHERE crawl = $1"
                     " AND part IN (SELECT log.part FROM log WHERE log.crawl = $1 AND kind = 2 AND writer = $2)",
                     values, 2, NULL, err));
    return pq_run(overseer->pq,
                  "UPDATE worker SET forgotten = true, idle = true, hungry = false, granted = 0, logged = 0, pages = 0,"
                  " relevant = 0, learned = NULL WHERE crawl = $1 AND id = $2",
                  values, 2, NULL, err);
}

/* The row of the worker is locked, as every change of its partitions needs it. */
static scent_status forget(struct overseer *overseer, const char *crawl, const char *worker, bool again,
                           struct overseer_forgotten *out, struct errmsg *err)
{
    struct pq_rows *rows;
    char id[24], number[24];
    bool live;
    int count;

    SCENT_TRY(pq_run(overseer->pq,
                     "SELECT crawl.id::bigint, worker.id, lease_until > clock_timestamp() FROM worker"
                     " JOIN crawl ON crawl.id = worker.crawl"
                     " WHERE crawl.name = $1 AND (worker.name = $2 OR worker.id::text = $2) FOR UPDATE OF worker",
                     (struct pq_value[]){PQ_TEXT(crawl), PQ_TEXT(worker)}, 2, &rows, err));
    count = pq_count(rows);
    snprintf(id, sizeof id, "%" PRIu64, count ? pq_u64(rows, 0, 0) : 0);
    snprintf(number, sizeof number, "%" PRId64, count ? (int64_t)pq_u64(rows, 0, 1) : 0);
    live = count && pq_u64(rows, 0, 2);
    pq_rows_free(rows);
    if (count != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND,
                           count ? "several workers of the crawl are called '%s': name one by its number, which 'scent "
                                   "cluster list' shows"
                                 : "no worker of the crawl is called '%s'; 'scent cluster list' shows them", worker);
    if (live)
        return errmsg_fail(err, SCENT_E_LOCKED, "worker '%s' is at work; stop it, and wait until its lease has ended",
                           worker);
    SCENT_TRY(pq_run(overseer->pq,
                     "WITH freed AS (UPDATE part SET owner = NULL, wanted_by = NULL, epoch = epoch + 1, applied = 0"
                     " WHERE crawl = $1::integer AND owner = $2::bigint RETURNING 1) SELECT count(*) FROM freed",
                     (struct pq_value[]){PQ_TEXT(id), PQ_TEXT(number)}, 2, &rows, err));
    out->parts = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    return again ? refetch(overseer, id, number, out, err) : SCENT_OK;
}

scent_status overseer_forget(struct overseer *overseer, const char *crawl, const char *worker, bool again,
                             struct overseer_forgotten *out, struct errmsg *err)
{
    uint64_t id;

    *out = (struct overseer_forgotten){0};
    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    SCENT_TRY(run(overseer, "BEGIN", err));
    return end(overseer, forget(overseer, crawl, worker, again, out, err), err);
}

static scent_status purge(struct overseer *overseer, const char *crawl, uint64_t id, struct errmsg *err)
{
    struct pq_rows *rows;
    uint64_t live;
    char sql[120];

    SCENT_TRY(pq_run(overseer->pq,
                     "SELECT count(*) FROM worker JOIN crawl ON crawl.id = worker.crawl"
                     " WHERE crawl.name = $1 AND lease_until > clock_timestamp() AND crawl.state = 'running'",
                     (struct pq_value[]){PQ_TEXT(crawl)}, 1, &rows, err));
    live = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    if (live)
        return errmsg_fail(err, SCENT_E_LOCKED, "%" PRIu64 " workers take part in '%s': 'scent cluster stop' ends them",
                           live, crawl);
    snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS log_%" PRIu64, id);
    SCENT_TRY(run(overseer, sql, err));
    for (size_t i = 0; i < 3; i++) {
        static const char *const tables[] = {"part WHERE crawl", "worker WHERE crawl", "crawl WHERE id"};

        snprintf(sql, sizeof sql, "DELETE FROM %s = %" PRIu64, tables[i], id);
        SCENT_TRY(run(overseer, sql, err));
    }
    return SCENT_OK;
}

scent_status overseer_purge(struct overseer *overseer, const char *crawl, struct errmsg *err)
{
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    SCENT_TRY(run(overseer, "BEGIN", err));
    return end(overseer, purge(overseer, crawl, id, err), err);
}
