#include "cluster/overseer.h"

#include "cluster/cluster.h"
#include "cluster/pq.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- steering ---- */

static scent_status find_crawl(struct overseer *overseer, const char *name, uint64_t *id, struct errmsg *err)
{
    struct pq_rows *rows;

    SCENT_TRY(pq_run(overseer->pq, "SELECT id FROM crawl WHERE name = $1", (struct pq_value[]){PQ_TEXT(name)}, 1, &rows,
                     err));
    *id = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return *id ? SCENT_OK : errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl '%s'", name);
}

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

/* The row of the worker is locked, as every change of its partitions needs it. */
static scent_status forget(struct overseer *overseer, const char *crawl, const char *worker, uint64_t *parts,
                           struct errmsg *err)
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
                     "WITH freed AS (UPDATE part SET owner = NULL, wanted_by = NULL, epoch = epoch + 1"
                     " WHERE crawl = $1::integer AND owner = $2::bigint RETURNING 1) SELECT count(*) FROM freed",
                     (struct pq_value[]){PQ_TEXT(id), PQ_TEXT(number)}, 2, &rows, err));
    *parts = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    return SCENT_OK;
}

scent_status overseer_forget(struct overseer *overseer, const char *crawl, const char *worker, uint64_t *parts,
                             struct errmsg *err)
{
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    SCENT_TRY(run(overseer, "BEGIN", err));
    return end(overseer, forget(overseer, crawl, worker, parts, err), err);
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
