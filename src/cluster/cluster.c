#include "cluster/cluster_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOCK_OF_FORMAT = 0x5C37 }; /* held while tables are made */

const char *cluster_number(char *room, uint64_t value)
{
    snprintf(room, NUMBER_ROOM, "%" PRId64, (int64_t)value);
    return room;
}

scent_status cluster_run(struct cluster *cluster, const char *sql, struct errmsg *err)
{
    return pq_run(cluster->pq, sql, NULL, 0, NULL, err);
}

scent_status cluster_give_up(struct cluster *cluster, scent_status status)
{
    struct errmsg ignored;

    if (status == SCENT_E_IO) {
        pq_close(cluster->pq);
        cluster->pq = NULL;
    } else if (pq_run(cluster->pq, "ROLLBACK", NULL, 0, NULL, &ignored) != SCENT_OK) {
        pq_close(cluster->pq);
        cluster->pq = NULL;
    }
    return status;
}

scent_status cluster_get(struct cluster *cluster, const char *sql, uint64_t *out, struct errmsg *err)
{
    struct pq_rows *rows;

    SCENT_TRY(pq_run(cluster->pq, sql, NULL, 0, &rows, err));
    *out = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return SCENT_OK;
}

/* ---- tables ---- */

static const char *const tables[] = {
    "CREATE SCHEMA IF NOT EXISTS scent",
    "CREATE TABLE scent.format(version integer NOT NULL)",
    "CREATE TABLE scent.crawl("
    " id serial PRIMARY KEY,"
    " name text NOT NULL UNIQUE,"
    " key bigint NOT NULL,"
    " seed bigint NOT NULL,"
    " parts integer NOT NULL,"
    " workers integer NOT NULL,"
    " lease_us bigint NOT NULL,"
    " topic text NOT NULL,"
    " digest bigint NOT NULL,"
    " state text NOT NULL DEFAULT 'running',"
    " page_limit bigint NOT NULL,"
    " deadline timestamptz,"
    " made timestamptz NOT NULL DEFAULT now())",
    "CREATE TABLE scent.worker("
    " crawl integer NOT NULL REFERENCES scent.crawl,"
    " id bigint NOT NULL,"
    " name text NOT NULL,"
    " session bigint NOT NULL,"
    " lease_until timestamptz NOT NULL,"
    " mark bigint NOT NULL DEFAULT 0,"
    " sent bigint NOT NULL DEFAULT 0,"
    " idle boolean NOT NULL DEFAULT false,"
    " hungry boolean NOT NULL DEFAULT false,"
    " granted bigint NOT NULL DEFAULT 0,"
    " logged bigint NOT NULL DEFAULT 0,"
    " pages bigint NOT NULL DEFAULT 0,"
    " relevant bigint NOT NULL DEFAULT 0,"
    " failed bigint NOT NULL DEFAULT 0,"
    " queued bigint NOT NULL DEFAULT 0,"
    " known bigint NOT NULL DEFAULT 0,"
    " forgotten boolean NOT NULL DEFAULT false,"
    " learned bytea,"
    " census bytea,"
    " centroid bytea,"
    " ips bytea,"
    " settled boolean NOT NULL DEFAULT false,"
    " judge bigint,"
    " joined timestamptz NOT NULL DEFAULT now(),"
    " PRIMARY KEY(crawl, id))",
    "CREATE TABLE scent.part("
    " crawl integer NOT NULL REFERENCES scent.crawl,"
    " part integer NOT NULL,"
    " owner bigint,"
    " epoch bigint NOT NULL DEFAULT 0,"
    " wanted_by bigint,"
    " applied bigint NOT NULL DEFAULT 0,"
    " PRIMARY KEY(crawl, part))",
    "CREATE SEQUENCE scent.log_id AS bigint",
    "CREATE TABLE scent.log("
    " crawl integer NOT NULL,"
    " part integer NOT NULL,"
    " xid xid8 NOT NULL DEFAULT pg_current_xact_id(),"
    " id bigint NOT NULL DEFAULT nextval('scent.log_id'),"
    " writer bigint NOT NULL,"
    " epoch bigint NOT NULL,"
    " kind smallint NOT NULL,"
    " body bytea NOT NULL,"
    " PRIMARY KEY(crawl, part, xid, id)) PARTITION BY LIST(crawl)",
};

/* By a scan of the catalogue: what is looked up by name may have been remembered as missing. */
static const char has_tables[] = "SELECT count(*) FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace"
                                 " ON pg_namespace.oid = relnamespace WHERE nspname = 'scent' AND relname = 'format'";

static scent_status make_tables(struct cluster *cluster, struct errmsg *err)
{
    char sql[80];
    uint64_t there;

    SCENT_TRY(cluster_run(cluster, "BEGIN", err));
    snprintf(sql, sizeof sql, "SELECT pg_advisory_xact_lock(%d)", LOCK_OF_FORMAT);
    SCENT_TRY(cluster_run(cluster, sql, err));
    SCENT_TRY(cluster_get(cluster, has_tables, &there, err));
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !there; i++)
        SCENT_TRY(cluster_run(cluster, tables[i], err));
    snprintf(sql, sizeof sql, "INSERT INTO scent.format VALUES(%d)", CLUSTER_FORMAT);
    if (!there)
        SCENT_TRY(cluster_run(cluster, sql, err));
    return cluster_run(cluster, "COMMIT", err);
}

/* ---- connections ---- */

static const char *const settings[] = {
    "SET client_min_messages = warning",
    "SET search_path = scent",
    "SET statement_timeout = '60s'",
    "SET lock_timeout = '30s'",
    "SET idle_in_transaction_session_timeout = '60s'",
    "SET TimeZone = 'UTC'",
};

static scent_status connect(struct cluster *cluster, struct errmsg *err)
{
    scent_status status = pq_open(cluster->uri, &cluster->pq, err);
    int version = status == SCENT_OK ? pq_server_version(cluster->pq) : 0;

    if (status == SCENT_OK && version < CLUSTER_SERVER_MIN)
        status = errmsg_fail(err, SCENT_E_VERSION, "the server is PostgreSQL %d.%d; a crawl needs 13 or later",
                             version / 10000, version % 10000);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == SCENT_OK; i++)
        status = cluster_run(cluster, settings[i], err);
    if (status != SCENT_OK) {
        pq_close(cluster->pq);
        cluster->pq = NULL;
    }
    return status;
}

int64_t cluster_clock_error(int64_t before, int64_t after, int64_t server)
{
    int64_t error = server > after ? after - server : server < before ? before - server : 0;

    return error > CLUSTER_CLOCK_MAX_US || error < -CLUSTER_CLOCK_MAX_US ? error : 0;
}

scent_status cluster_blame_clock(int64_t error, const char *when, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID,
                       "the clock of this machine is %s%" PRId64 " s %s that of the server; set it right (NTP): dates "
                       "of pages are wrong, and visits to hosts that change their worker come too early or too late",
                       when, (error < 0 ? -error : error) / 1000000, error < 0 ? "behind" : "ahead of");
}

static scent_status check_clock(struct cluster *cluster, struct errmsg *err)
{
    int64_t before = clock_wall(cluster->clock), error;
    uint64_t now;

    SCENT_TRY(cluster_get(cluster, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", &now, err));
    error = cluster_clock_error(before, clock_wall(cluster->clock), (int64_t)now);
    return error ? cluster_blame_clock(error, "", err) : SCENT_OK;
}

static scent_status check_server(struct cluster *cluster, struct errmsg *err)
{
    struct pq_rows *rows;
    uint64_t there;

    SCENT_TRY(check_clock(cluster, err));
    SCENT_TRY(cluster_get(cluster, has_tables, &there, err));
    if (!there)
        SCENT_TRY(make_tables(cluster, err));
    SCENT_TRY(cluster_get(cluster, "SELECT version FROM scent.format", &there, err));
    if (there != CLUSTER_FORMAT)
        return errmsg_fail(err, SCENT_E_VERSION,
                           "the tables of the schema scent have format %" PRIu64 ", this program has format %d; use "
                           "the same version of scent on all machines, or another database", there, CLUSTER_FORMAT);
    SCENT_TRY(pq_run(cluster->pq, "SELECT current_setting('fsync'), current_setting('synchronous_commit')", NULL, 0,
                     &rows, err));
    if (!str_eq(pq_str(rows, 0, 0), STR("on")) || str_eq(pq_str(rows, 0, 1), STR("off")))
        log_line(cluster->log, LOG_WARN,
                 "the server does not write to its disk what it has acknowledged (fsync or synchronous_commit is off): "
                 "a crash of it loses links, and the crawl cannot be trusted after one");
    pq_rows_free(rows);
    return SCENT_OK;
}

scent_status cluster_open(const char *uri, const struct clock *clock, const struct log *log, struct cluster **out,
                          struct errmsg *err)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);
    scent_status status;

    SCENT_BUG_IF(!cluster);
    cluster->uri = str_dup(str_of(uri));
    SCENT_BUG_IF(!cluster->uri);
    cluster->clock = clock;
    cluster->log = log;
    status = connect(cluster, err);
    if (status == SCENT_OK)
        status = check_server(cluster, err);
    if (status != SCENT_OK) {
        cluster_close(cluster);
        return status;
    }
    *out = cluster;
    return SCENT_OK;
}

void cluster_close(struct cluster *cluster)
{
    if (!cluster)
        return;
    pq_close(cluster->pq);
    free(cluster->uri);
    free(cluster->parts);
    free(cluster);
}

/* ---- the crawl ---- */

static struct pq_value text_of(struct buf *room, struct str text)
{
    buf_init(room, 0);
    SCENT_BUG_IF(!buf_add(room, text));
    return PQ_TEXT(buf_z(room));
}

/* Makes the row of the crawl, its partitions and its part of the log, unless it is there. */
static scent_status insert_crawl(struct cluster *cluster, const struct cluster_crawl *crawl, struct pq_value name,
                                 struct errmsg *err)
{
    char sql[200];
    struct buf topic;
    struct pq_value values[] = {
        name, NUMBER(crawl->key), NUMBER(crawl->seed), NUMBER(crawl->parts), NUMBER(crawl->workers),
        NUMBER((uint64_t)crawl->lease_us), text_of(&topic, crawl->topic), NUMBER(crawl->digest),
        NUMBER(crawl->page_limit),
    };
    struct pq_rows *rows;
    scent_status status =
        pq_run(cluster->pq,
               "INSERT INTO crawl(name, key, seed, parts, workers, lease_us, topic, digest, page_limit)"
               " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id",
               values, 9, &rows, err);
    int id;

    buf_release(&topic);
    if (status != SCENT_OK)
        return status;
    id = pq_count(rows) ? (int)pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    if (!id)
        return SCENT_OK;
    snprintf(sql, sizeof sql, "INSERT INTO part(crawl, part) SELECT %d, generate_series(0, %u)", id, crawl->parts - 1);
    SCENT_TRY(cluster_run(cluster, sql, err));
    snprintf(sql, sizeof sql, "CREATE TABLE log_%d PARTITION OF log FOR VALUES IN (%d)", id, id);
    SCENT_TRY(cluster_run(cluster, sql, err));
    /* Bodies are packed already. */
    snprintf(sql, sizeof sql, "ALTER TABLE log_%d ALTER COLUMN body SET STORAGE EXTERNAL", id);
    return cluster_run(cluster, sql, err);
}

static scent_status read_crawl(struct cluster *cluster, struct cluster_crawl *crawl, struct pq_value name,
                               struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT id, key, seed, parts, workers, lease_us, digest, page_limit FROM crawl WHERE name = $1",
                     &name, 1, &rows, err));
    if (!pq_count(rows))
        status = errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl of this name");
    else if (pq_u64(rows, 0, 6) != crawl->digest)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "the server has a crawl '%.*s' of another topic: its file, strategy, seeds or classifier "
                             "are not the same; use the same topic file and what was trained for it on all machines, "
                             "or another name ('cluster: {name: …}')",
                             STR_ARG(crawl->name));
    else if (pq_u64(rows, 0, 3) < 1 || pq_u64(rows, 0, 3) > CLUSTER_PARTS_MAX)
        status = errmsg_fail(err, SCENT_E_FORMAT, "the crawl '%.*s' has a number of partitions that cannot be",
                             STR_ARG(crawl->name));
    if (status == SCENT_OK) {
        cluster->crawl = (int)pq_u64(rows, 0, 0);
        crawl->key = pq_u64(rows, 0, 1);
        crawl->seed = pq_u64(rows, 0, 2);
        crawl->parts = (uint32_t)pq_u64(rows, 0, 3);
        crawl->workers = (uint32_t)pq_u64(rows, 0, 4);
        crawl->lease_us = cluster->lease_us = (int64_t)pq_u64(rows, 0, 5);
        cluster->page_limit = crawl->page_limit;
        cluster->time_us = crawl->time_us;
        if (pq_u64(rows, 0, 7) != crawl->page_limit)
            log_line(cluster->log, LOG_WARN,
                     "limits.pages of the crawl '%.*s' was %" PRIu64 ", and is %" PRIu64 " from now on, for all",
                     STR_ARG(crawl->name), pq_u64(rows, 0, 7), crawl->page_limit);
    }
    pq_rows_free(rows);
    return status;
}

scent_status cluster_make(struct cluster *cluster, struct cluster_crawl *crawl, struct errmsg *err)
{
    struct buf room;
    struct pq_value name = text_of(&room, crawl->name);
    scent_status status = read_crawl(cluster, crawl, name, err);

    if (status == SCENT_E_NOTFOUND) {
        status = cluster_run(cluster, "BEGIN", err);
        if (status == SCENT_OK)
            status = insert_crawl(cluster, crawl, name, err);
        if (status == SCENT_OK)
            status = cluster_run(cluster, "COMMIT", err);
        status = status == SCENT_OK ? read_crawl(cluster, crawl, name, err) : cluster_give_up(cluster, status);
    }
    buf_release(&room);
    return status;
}

static scent_status check_forgotten(struct cluster *cluster, uint64_t worker, struct errmsg *err)
{
    struct pq_rows *rows;
    bool forgotten;

    SCENT_TRY(pq_run(cluster->pq, "SELECT 1 FROM worker WHERE crawl = $1 AND id = $2 AND forgotten",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(worker)}, 2, &rows, err));
    forgotten = pq_count(rows);
    pq_rows_free(rows);
    return forgotten ? errmsg_fail(err, SCENT_E_INVALID,
                                   "this worker was given up ('scent cluster forget --refetch'), and others fetch its "
                                   "pages again; use a new directory")
                     : SCENT_OK;
}

scent_status cluster_join(struct cluster *cluster, struct cluster_worker *worker, struct errmsg *err)
{
    struct buf room;
    struct pq_value values[] = {NUMBER((uint64_t)cluster->crawl), NUMBER(worker->id), text_of(&room, worker->name),
                                NUMBER((uint64_t)cluster->lease_us), NUMBER(CLUSTER_LEASE_STRETCH)};
    struct pq_rows *rows;
    scent_status status = check_forgotten(cluster, worker->id, err);

    if (status == SCENT_OK)
        status = pq_run(cluster->pq,
                        "INSERT INTO worker(crawl, id, name, session, lease_until)"
                        " VALUES($1, $2, $3, 1, clock_timestamp() + $4::bigint * interval '1 microsecond')"
                        " ON CONFLICT(crawl, id) DO UPDATE SET name = excluded.name, session = worker.session + 1,"
                        "  idle = false, settled = false, judge = NULL,"
                        "  lease_until = clock_timestamp() + $4::bigint * $5::bigint * interval '1 microsecond'"
                        " RETURNING session, mark",
                        values, 5, &rows, err);
    buf_release(&room);
    if (status != SCENT_OK)
        return status;
    cluster->worker = worker->id;
    cluster->session = pq_u64(rows, 0, 0);
    worker->mark = cluster->noted = pq_u64(rows, 0, 1);
    pq_rows_free(rows);
    /* What has ended begins again with a worker that has something to do, and so does its time. */
    return pq_run(cluster->pq,
                  "UPDATE crawl SET state = 'running', page_limit = $3, deadline = CASE WHEN state = 'running'"
                  "   AND (deadline > clock_timestamp() OR EXISTS (SELECT 1 FROM worker WHERE crawl = $1 AND id <> $2"
                  "    AND deadline IS NOT NULL AND lease_until > clock_timestamp())) THEN deadline"
                  "  ELSE clock_timestamp() + nullif($4::bigint, 0) * interval '1 microsecond' END WHERE id = $1",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker),
                                      NUMBER(cluster->page_limit), NUMBER((uint64_t)cluster->time_us)},
                  4, NULL, err);
}

scent_status cluster_recover(struct cluster *cluster, uint64_t *mark, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status;

    pq_close(cluster->pq);
    cluster->pq = NULL;
    SCENT_TRY(connect(cluster, err));
    SCENT_TRY(pq_run(cluster->pq, "SELECT session, mark FROM worker WHERE crawl = $1 AND id = $2",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, &rows, err));
    status = pq_count(rows) && pq_u64(rows, 0, 0) == cluster->session
                 ? SCENT_OK
                 : errmsg_fail(err, SCENT_E_LOCKED, "another process takes part in the crawl with this directory");
    if (status == SCENT_OK)
        *mark = cluster->noted = pq_u64(rows, 0, 1);
    pq_rows_free(rows);
    return status;
}
