#include "cluster/cluster.h"

#include "base/vec.h"
#include "cluster/pq.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    INSERT_ROWS = 100,
    LOCK_OF_FORMAT = 0x5C37, /* held while tables are made */
};

struct cluster {
    struct pq *pq; /* NULL: the connection broke */
    char *uri;
    const struct clock *clock;
    const struct log *log;
    int crawl;     /* its row; 0: none was made yet */
    uint64_t worker, session;
    int64_t lease_us;
    uint64_t noted; /* the mark of the last turn */
    struct cluster_part *parts;
    size_t nparts, room;
};

/* A number as a text that the server reads; it lives as long as the block that it stands in. */
enum { NUMBER_ROOM = 24 };

static const char *number_text(char *room, uint64_t value)
{
    snprintf(room, NUMBER_ROOM, "%" PRId64, (int64_t)value);
    return room;
}

#define NUMBER(value) PQ_TEXT(number_text((char[NUMBER_ROOM]){0}, (value)))

static scent_status run(struct cluster *cluster, const char *sql, struct errmsg *err)
{
    return pq_run(cluster->pq, sql, NULL, 0, NULL, err);
}

/* Rolls back what is open, unless the connection is gone. */
static scent_status give_up(struct cluster *cluster, scent_status status)
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
    " granted bigint NOT NULL DEFAULT 0,"
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
    " granted bigint NOT NULL DEFAULT 0,"
    " pages bigint NOT NULL DEFAULT 0,"
    " relevant bigint NOT NULL DEFAULT 0,"
    " failed bigint NOT NULL DEFAULT 0,"
    " queued bigint NOT NULL DEFAULT 0,"
    " known bigint NOT NULL DEFAULT 0,"
    " learned bytea,"
    " census bytea,"
    " centroid bytea,"
    " ips bytea,"
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

static scent_status get_number(struct cluster *cluster, const char *sql, uint64_t *out, struct errmsg *err)
{
    struct pq_rows *rows;

    SCENT_TRY(pq_run(cluster->pq, sql, NULL, 0, &rows, err));
    *out = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return SCENT_OK;
}

/* By a scan of the catalogue: what is looked up by name may have been remembered as missing. */
static const char has_tables[] = "SELECT count(*) FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace"
                                 " ON pg_namespace.oid = relnamespace WHERE nspname = 'scent' AND relname = 'format'";

static scent_status make_tables(struct cluster *cluster, struct errmsg *err)
{
    char sql[80];
    uint64_t there;

    SCENT_TRY(run(cluster, "BEGIN", err));
    snprintf(sql, sizeof sql, "SELECT pg_advisory_xact_lock(%d)", LOCK_OF_FORMAT);
    SCENT_TRY(run(cluster, sql, err));
    SCENT_TRY(get_number(cluster, has_tables, &there, err));
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !there; i++)
        SCENT_TRY(run(cluster, tables[i], err));
    snprintf(sql, sizeof sql, "INSERT INTO scent.format VALUES(%d)", CLUSTER_FORMAT);
    if (!there)
        SCENT_TRY(run(cluster, sql, err));
    return run(cluster, "COMMIT", err);
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
        status = run(cluster, settings[i], err);
    if (status != SCENT_OK) {
        pq_close(cluster->pq);
        cluster->pq = NULL;
    }
    return status;
}

static scent_status check_clock(struct cluster *cluster, struct errmsg *err)
{
    int64_t before = clock_wall(cluster->clock), after;
    uint64_t now;

    SCENT_TRY(get_number(cluster, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", &now, err));
    after = clock_wall(cluster->clock);
    if ((int64_t)now >= before - CLUSTER_CLOCK_MAX_US && (int64_t)now <= after + CLUSTER_CLOCK_MAX_US)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID,
                       "the clock of this machine is %" PRId64 " s %s that of the server; set it right (NTP), or "
                       "visits to hosts that change their worker come too early or too late",
                       ((int64_t)now > after ? (int64_t)now - after : before - (int64_t)now) / 1000000,
                       (int64_t)now > after ? "behind" : "ahead of");
}

static scent_status check_server(struct cluster *cluster, struct errmsg *err)
{
    struct pq_rows *rows;
    uint64_t there;

    SCENT_TRY(check_clock(cluster, err));
    SCENT_TRY(get_number(cluster, has_tables, &there, err));
    if (!there)
        SCENT_TRY(make_tables(cluster, err));
    SCENT_TRY(get_number(cluster, "SELECT version FROM scent.format", &there, err));
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
    SCENT_TRY(run(cluster, sql, err));
    snprintf(sql, sizeof sql, "CREATE TABLE log_%d PARTITION OF log FOR VALUES IN (%d)", id, id);
    SCENT_TRY(run(cluster, sql, err));
    /* Bodies are packed already. */
    snprintf(sql, sizeof sql, "ALTER TABLE log_%d ALTER COLUMN body SET STORAGE EXTERNAL", id);
    return run(cluster, sql, err);
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
                             "the server has a crawl '%.*s' of another topic: its file, strategy or seeds are not the "
                             "same; use the same topic file on all machines, or another name ('cluster: {name: …}')",
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
        crawl->page_limit = pq_u64(rows, 0, 7);
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
        status = run(cluster, "BEGIN", err);
        if (status == SCENT_OK)
            status = insert_crawl(cluster, crawl, name, err);
        if (status == SCENT_OK)
            status = run(cluster, "COMMIT", err);
        status = status == SCENT_OK ? read_crawl(cluster, crawl, name, err) : give_up(cluster, status);
    }
    buf_release(&room);
    return status;
}

scent_status cluster_join(struct cluster *cluster, struct cluster_worker *worker, struct errmsg *err)
{
    struct buf room;
    struct pq_value values[] = {NUMBER((uint64_t)cluster->crawl), NUMBER(worker->id), text_of(&room, worker->name),
                                NUMBER((uint64_t)cluster->lease_us)};
    struct pq_rows *rows;
    scent_status status =
        pq_run(cluster->pq,
               "INSERT INTO worker(crawl, id, name, session, lease_until)"
               " VALUES($1, $2, $3, 1, clock_timestamp() + $4::bigint * interval '1 microsecond')"
               " ON CONFLICT(crawl, id) DO UPDATE SET name = excluded.name, session = worker.session + 1,"
               "  idle = false, lease_until = excluded.lease_until RETURNING session, mark",
               values, 4, &rows, err);

    buf_release(&room);
    if (status != SCENT_OK)
        return status;
    cluster->worker = worker->id;
    cluster->session = pq_u64(rows, 0, 0);
    worker->mark = cluster->noted = pq_u64(rows, 0, 1);
    pq_rows_free(rows);
    /* What has ended begins again with a worker that has something to do. */
    return pq_run(cluster->pq, "UPDATE crawl SET state = 'running' WHERE id = $1 AND state <> 'running'",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl)}, 1, NULL, err);
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

/* ---- turns ---- */

/* From here to the end of the transaction nobody changes what this worker owns. */
static scent_status lock_worker(struct cluster *cluster, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    SCENT_TRY(pq_run(cluster->pq, "SELECT session, mark FROM worker WHERE crawl = $1 AND id = $2 FOR UPDATE",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, &rows, err));
    if (!pq_count(rows) || pq_u64(rows, 0, 0) != cluster->session)
        status = errmsg_fail(err, SCENT_E_LOCKED, "another process takes part in the crawl with this directory");
    else if (pq_u64(rows, 0, 1) != cluster->noted)
        status = errmsg_fail(err, SCENT_E_FORMAT, "the server has lost what it acknowledged: it knows outgoing rows up "
                             "to %" PRIu64 ", not %" PRIu64, pq_u64(rows, 0, 1), cluster->noted);
    pq_rows_free(rows);
    return status;
}

static scent_status read_parts(struct cluster *cluster, struct errmsg *err)
{
    struct pq_rows *rows;
    bool ok = true;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT part, epoch, wanted_by IS NOT NULL FROM part WHERE crawl = $1 AND owner = $2"
                     " ORDER BY part",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, &rows, err));
    cluster->nparts = 0;
    if (vec_reserve(&cluster->parts, &cluster->room, (size_t)pq_count(rows) + 1, sizeof *cluster->parts))
        for (int i = 0; i < pq_count(rows); i++)
            cluster->parts[cluster->nparts++] = (struct cluster_part){
                .part = (uint32_t)pq_u64(rows, i, 0), .epoch = pq_u64(rows, i, 1), .wanted = pq_u64(rows, i, 2)};
    else
        ok = false;
    pq_rows_free(rows);
    return ok ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

static const struct cluster_part *find_part(const struct cluster *cluster, uint32_t part)
{
    for (size_t i = 0; i < cluster->nparts; i++)
        if (cluster->parts[i].part == part)
            return &cluster->parts[i];
    return NULL;
}

/* At most INSERT_ROWS of them in one statement. *links counts rows of that kind. */
static scent_status insert_rows(struct cluster *cluster, const struct cluster_row *rows, size_t count, uint64_t *links,
                                struct errmsg *err)
{
    char numbers[INSERT_ROWS][3][NUMBER_ROOM];
    struct pq_value values[2 + 4 * INSERT_ROWS] = {NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)};
    struct buf sql;
    scent_status status = SCENT_OK;
    int n = 2;

    buf_init(&sql, 0);
    buf_addz(&sql, "INSERT INTO log(crawl, writer, part, epoch, kind, body) VALUES");
    for (size_t i = 0; i < count; i++) {
        const struct cluster_part *part = find_part(cluster, rows[i].part);

        if (rows[i].kind == CLUSTER_STATE && !part)
            continue; /* it is somebody else's by now */
        *links += rows[i].kind == CLUSTER_LINKS;
        buf_printf(&sql, "%s($1, $2, $%d, $%d, $%d, $%d)", n > 2 ? "," : "", n + 1, n + 2, n + 3, n + 4);
        values[n++] = PQ_TEXT(number_text(numbers[i][0], rows[i].part));
        values[n++] = PQ_TEXT(number_text(numbers[i][1], rows[i].kind == CLUSTER_STATE ? part->epoch : 0));
        values[n++] = PQ_TEXT(number_text(numbers[i][2], rows[i].kind));
        values[n++] = PQ_BYTES(rows[i].body);
    }
    if (sql.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    else if (n > 2)
        status = pq_run(cluster->pq, buf_z(&sql), values, n, NULL, err);
    buf_release(&sql);
    return status;
}

/* The numbers of two columns as arrays that the server reads: '{1,2}'. */
static bool add_number(struct buf *array, uint64_t value)
{
    return buf_printf(array, "%s%" PRIu64, array->len ? "," : "{", value);
}

static scent_status note_applied(struct cluster *cluster, const struct cluster_turn *turn, struct errmsg *err)
{
    struct buf parts, applied;
    scent_status status = SCENT_OK;

    if (!turn->napplied)
        return SCENT_OK;
    buf_init(&parts, 0);
    buf_init(&applied, 0);
    for (size_t i = 0; i < turn->napplied; i++) {
        add_number(&parts, turn->applied[i].part);
        add_number(&applied, turn->applied[i].applied);
    }
    buf_addc(&parts, '}');
    buf_addc(&applied, '}');
    if (parts.failed || applied.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    else
        status = pq_run(cluster->pq,
                        "UPDATE part SET applied = new.applied FROM unnest($3::integer[], $4::bigint[])"
                        " AS new(part, applied) WHERE part.crawl = $1 AND part.owner = $2 AND part.part = new.part",
                        (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker),
                                            PQ_TEXT(buf_z(&parts)), PQ_TEXT(buf_z(&applied))},
                        4, NULL, err);
    buf_release(&parts);
    buf_release(&applied);
    return status;
}

static scent_status note_worker(struct cluster *cluster, const struct cluster_turn *turn, uint64_t links,
                                struct errmsg *err)
{
    struct pq_value values[] = {
        NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker), NUMBER((uint64_t)cluster->lease_us),
        NUMBER(turn->mark), NUMBER(links), PQ_TEXT(turn->idle ? "t" : "f"), NUMBER(turn->pages),
        NUMBER(turn->relevant), NUMBER(turn->failed), NUMBER(turn->queued), NUMBER(turn->known),
    };

    return pq_run(cluster->pq,
                  "UPDATE worker SET lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond',"
                  " mark = $4, sent = sent + $5, idle = $6, pages = $7, relevant = $8, failed = $9, queued = $10,"
                  " known = $11 WHERE crawl = $1 AND id = $2",
                  values, 11, NULL, err);
}

/* Partitions that nobody owns, once enough workers are there: as many as each of them may have. */
static scent_status take_free(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "UPDATE part SET owner = $2, epoch = epoch + 1, wanted_by = NULL, applied = 0"
                  " WHERE crawl = $1 AND part IN (SELECT free.part FROM part AS free WHERE free.crawl = $1"
                  "  AND free.owner IS NULL ORDER BY free.part LIMIT (SELECT greatest(0,"
                  "   CASE WHEN count(*) < max(crawl.workers) THEN 0 ELSE (max(crawl.parts) + count(*) - 1) / count(*)"
                  "   - (SELECT count(*) FROM part AS mine WHERE mine.crawl = $1 AND mine.owner = $2) END)"
                  "   FROM worker JOIN crawl ON crawl.id = worker.crawl WHERE worker.crawl = $1"
                  "   AND worker.lease_until > clock_timestamp())"
                  "  FOR UPDATE SKIP LOCKED)",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, NULL, err);
}

static scent_status read_news(struct cluster *cluster, struct cluster_news *out, struct errmsg *err)
{
    struct pq_rows *rows;
    struct str state;
    uint64_t free_parts;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT state, (SELECT count(*) FROM worker WHERE crawl = $1 AND lease_until > clock_timestamp()),"
                     " (SELECT count(*) FROM part WHERE crawl = $1 AND owner IS NULL) FROM crawl WHERE id = $1",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl)}, 1, &rows, err));
    if (!pq_count(rows)) {
        pq_rows_free(rows);
        return errmsg_fail(err, SCENT_E_NOTFOUND, "the server does not know the crawl any more");
    }
    state = pq_str(rows, 0, 0);
    out->state = str_eq(state, STR("ended"))      ? CLUSTER_ENDED
                 : str_eq(state, STR("stopping")) ? CLUSTER_STOPPING
                                                  : CLUSTER_RUNNING;
    out->workers = (uint32_t)pq_u64(rows, 0, 1);
    free_parts = pq_u64(rows, 0, 2);
    pq_rows_free(rows);
    return free_parts ? take_free(cluster, err) : SCENT_OK;
}

/* All are idle, and every row that was sent has been applied: one statement sees one moment, and each worker tells what
 * it sent, applied and has left to do in one transaction. So nothing is on its way. */
static scent_status find_end(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "UPDATE crawl SET state = 'ended' WHERE id = $1 AND state = 'running' AND NOT EXISTS"
                  " (SELECT 1 FROM part LEFT JOIN worker ON worker.crawl = part.crawl AND worker.id = part.owner"
                  "  WHERE part.crawl = $1 AND worker.idle IS NOT TRUE)"
                  " AND (SELECT sum(sent) FROM worker WHERE crawl = $1) ="
                  "  (SELECT sum(applied) FROM part WHERE crawl = $1)",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl)}, 1, NULL, err);
}

static scent_status run_turn(struct cluster *cluster, const struct cluster_turn *turn, struct cluster_news *out,
                             struct errmsg *err)
{
    uint64_t links = 0;

    SCENT_TRY(run(cluster, "BEGIN", err));
    SCENT_TRY(lock_worker(cluster, err));
    SCENT_TRY(read_parts(cluster, err));
    for (size_t i = 0; i < turn->nrows; i += INSERT_ROWS) {
        size_t count = turn->nrows - i < INSERT_ROWS ? turn->nrows - i : INSERT_ROWS;

        SCENT_TRY(insert_rows(cluster, turn->rows + i, count, &links, err));
    }
    SCENT_TRY(note_applied(cluster, turn, err));
    SCENT_TRY(note_worker(cluster, turn, links, err));
    SCENT_TRY(read_news(cluster, out, err));
    SCENT_TRY(read_parts(cluster, err));
    return run(cluster, "COMMIT", err);
}

scent_status cluster_turn(struct cluster *cluster, const struct cluster_turn *turn, struct cluster_news *out,
                          struct errmsg *err)
{
    scent_status status;

    *out = (struct cluster_news){0};
    if (!cluster->pq)
        return errmsg_fail(err, SCENT_E_IO, "there is no connection to the server");
    status = run_turn(cluster, turn, out, err);
    if (status != SCENT_OK)
        return give_up(cluster, status);
    cluster->noted = turn->mark;
    out->parts = cluster->parts;
    out->nparts = cluster->nparts;
    if (turn->idle && out->state == CLUSTER_RUNNING)
        status = find_end(cluster, err);
    return status == SCENT_OK ? SCENT_OK : give_up(cluster, status);
}

/* ---- reading ---- */

static const char read_sql[] =
    "SELECT log.part, log.xid, log.id, log.epoch, log.kind, log.body"
    " FROM unnest($2::integer[], $3::xid8[], $4::bigint[]) AS place(part, xid, id), LATERAL"
    " (SELECT * FROM log WHERE log.crawl = $1 AND log.part = place.part AND (log.xid, log.id) > (place.xid, place.id)"
    "  AND log.xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY log.xid, log.id LIMIT $5) AS log"
    " ORDER BY log.xid, log.id LIMIT $5";

static scent_status read_rows(struct cluster *cluster, const struct cluster_place *places, size_t nplaces,
                              uint32_t room, struct pq_rows **out, struct errmsg *err)
{
    struct buf arrays[3];
    scent_status status;
    bool failed = false;

    for (int i = 0; i < 3; i++)
        buf_init(&arrays[i], 0);
    for (size_t i = 0; i < nplaces; i++) {
        add_number(&arrays[0], places[i].part);
        add_number(&arrays[1], places[i].xid);
        add_number(&arrays[2], places[i].row);
    }
    for (int i = 0; i < 3; i++) {
        buf_addc(&arrays[i], '}');
        failed |= arrays[i].failed;
    }
    status = failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory")
                    : pq_run(cluster->pq, read_sql,
                             (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), PQ_TEXT(buf_z(&arrays[0])),
                                                 PQ_TEXT(buf_z(&arrays[1])), PQ_TEXT(buf_z(&arrays[2])), NUMBER(room)},
                             5, out, err);
    for (int i = 0; i < 3; i++)
        buf_release(&arrays[i]);
    return status;
}

scent_status cluster_read(struct cluster *cluster, const struct cluster_place *places, size_t nplaces, uint32_t room,
                          cluster_read_fn *fn, void *ctx, bool *more, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status;

    *more = false;
    if (!nplaces)
        return SCENT_OK;
    if (!cluster->pq)
        return errmsg_fail(err, SCENT_E_IO, "there is no connection to the server");
    status = read_rows(cluster, places, nplaces, room, &rows, err);
    if (status != SCENT_OK)
        return give_up(cluster, status);
    *more = pq_count(rows) == (int)room;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++)
        status = fn(ctx, &(struct cluster_read){
                             .part = (uint32_t)pq_u64(rows, i, 0),
                             .xid = pq_u64(rows, i, 1),
                             .row = pq_u64(rows, i, 2),
                             .epoch = pq_u64(rows, i, 3),
                             .kind = (enum cluster_kind)pq_u64(rows, i, 4),
                             .body = pq_str(rows, i, 5),
                         });
    pq_rows_free(rows);
    return status;
}
