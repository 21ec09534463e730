/* The turns of a worker: what it tells, what it takes, and what it reads. */
#include "cluster/cluster_parts.h"

#include "base/hash.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    INSERT_ROWS = 100,
    READ_ROWS = 1024,     /* at a time … */
    READ_BYTES = 1 << 20, /* … of about so much, packed */
};

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

/* What it owns; whoever had these before has ended its last turn by now, which is the horizon. */
static scent_status read_parts(struct cluster *cluster, uint64_t *horizon, struct errmsg *err)
{
    struct pq_rows *rows;
    bool ok = true;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT part, epoch, wanted_by IS NOT NULL, pg_snapshot_xmax(pg_current_snapshot()) FROM part"
                     " WHERE crawl = $1 AND owner = $2 ORDER BY part",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, &rows, err));
    cluster->nparts = 0;
    *horizon = pq_count(rows) ? pq_u64(rows, 0, 3) : 0;
    if (vec_reserve(&cluster->parts, &cluster->room, (size_t)pq_count(rows) + 1, sizeof *cluster->parts))
        for (int i = 0; i < pq_count(rows); i++)
            cluster->parts[cluster->nparts++] = (struct cluster_part){
                .part = (uint32_t)pq_u64(rows, i, 0), .epoch = pq_u64(rows, i, 1), .wanted = pq_u64(rows, i, 2)};
    else
        ok = false;
    pq_rows_free(rows);
    return ok ? SCENT_OK : errmsg_no_memory(err);
}

static uint64_t digest_parts(const struct cluster *cluster)
{
    uint64_t digest = 0;

    for (size_t i = 0; i < cluster->nparts; i++)
        digest = hash_mix(digest + 1, hash_mix(cluster->parts[i].part, cluster->parts[i].epoch));
    return digest;
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
        *links += rows[i].kind == CLUSTER_LINKS;
        buf_printf(&sql, "%s($1, $2, $%d, $%d, $%d, $%d)", n > 2 ? "," : "", n + 1, n + 2, n + 3, n + 4);
        values[n++] = PQ_TEXT(cluster_number(numbers[i][0], rows[i].part));
        values[n++] = PQ_TEXT(cluster_number(numbers[i][1], rows[i].epoch));
        values[n++] = PQ_TEXT(cluster_number(numbers[i][2], rows[i].kind));
        values[n++] = PQ_BYTES(rows[i].body);
    }
    if (sql.failed)
        status = errmsg_no_memory(err);
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
        status = errmsg_no_memory(err);
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

/* The last statement of a turn: until others see the lease there is nothing left to wait for but the commit. Who has
 * partitions that it does not know of yet, or a grant, has something to do. */
static scent_status note_worker(struct cluster *cluster, const struct cluster_turn *turn, uint64_t links, bool news,
                                bool granted, struct cluster_news *out, struct errmsg *err)
{
    uint64_t keep = turn->keep < INT64_MAX && !granted ? turn->keep : INT64_MAX;
    struct pq_value values[] = {
        NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker),
        NUMBER(turn->retiring ? 0 : (uint64_t)turn->lease_us),
        NUMBER(turn->mark), NUMBER(links), PQ_TEXT(turn->idle && !news && !granted ? "t" : "f"),
        NUMBER(turn->pages), NUMBER(turn->relevant), NUMBER(turn->failed), NUMBER(turn->queued), NUMBER(turn->known),
        NUMBER(keep), NUMBER(turn->logged), PQ_TEXT(turn->hungry && !granted ? "t" : "f"),
    };
    struct pq_rows *rows;

    SCENT_TRY(pq_run(cluster->pq,
                     "UPDATE worker SET lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond',"
                     " mark = $4, sent = sent + $5, idle = $6, pages = $7, relevant = $8, failed = $9, queued = $10,"
                     " known = $11, granted = least(granted, $12), logged = logged + $13, hungry = $14"
                     " WHERE crawl = $1 AND id = $2 RETURNING granted",
                     values, 14, &rows, err));
    out->granted = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return SCENT_OK;
}

/* Partitions that are given away, in the transaction of the last rows of their state. Who gets one has something to
 * do. */
static scent_status leave_parts(struct cluster *cluster, const struct cluster_turn *turn, struct errmsg *err)
{
    struct buf parts;
    scent_status status = SCENT_OK;

    if (!turn->nleft)
        return SCENT_OK;
    buf_init(&parts, 0);
    for (size_t i = 0; i < turn->nleft; i++)
        add_number(&parts, turn->left[i]);
    buf_addc(&parts, '}');
    if (parts.failed)
        status = errmsg_no_memory(err);
    else
        status = pq_run(cluster->pq,
                        "WITH given AS (UPDATE part SET owner = wanted_by, wanted_by = NULL, epoch = epoch + 1,"
                        "  applied = 0 WHERE crawl = $1 AND owner = $2 AND part = ANY($3::integer[]) RETURNING owner)"
                        " UPDATE worker SET idle = false FROM given"
                        " WHERE worker.crawl = $1 AND worker.id = given.owner",
                        (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker),
                                            PQ_TEXT(buf_z(&parts))},
                        3, NULL, err);
    buf_release(&parts);
    return status;
}

/* Workers who are there: this one ($2) is, whatever its lease is before the end of the turn. */
#define LIVE "(worker.lease_until > clock_timestamp() OR worker.id = $2)"

/* How many partitions this worker ($2) may still take: its share, once enough workers are there, less what it has. */
#define SHARE_LEFT                                                                                                     \
    "(SELECT greatest(0, CASE WHEN count(*) < max(crawl.workers) AND NOT EXISTS"                                       \
    "   (SELECT 1 FROM part AS begun WHERE begun.crawl = $1 AND begun.epoch > 0) THEN 0"                               \
    "  ELSE (max(crawl.parts) + count(*) - 1) / count(*)"                                                              \
    "   - (SELECT count(*) FROM part AS mine WHERE mine.crawl = $1 AND mine.owner = $2) END)"                          \
    " FROM worker JOIN crawl ON crawl.id = worker.crawl WHERE worker.crawl = $1"                                       \
    "  AND " LIVE ")"

/* Partitions that nobody owns, once enough workers are there: as many as each of them may have. */
static scent_status take_free(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "UPDATE part SET owner = $2, epoch = epoch + 1, wanted_by = NULL, applied = 0"
                  " WHERE crawl = $1 AND part IN (SELECT free.part FROM part AS free WHERE free.crawl = $1"
                  "  AND free.owner IS NULL ORDER BY free.part LIMIT " SHARE_LEFT " FOR UPDATE SKIP LOCKED)",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, NULL, err);
}

/* Those of workers whose lease has run out. Their rows are locked, so that none of them comes back meanwhile. */
static scent_status take_dead(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "WITH dead AS (SELECT id FROM worker WHERE crawl = $1 AND NOT " LIVE " FOR UPDATE SKIP LOCKED)"
                  " UPDATE part SET owner = $2, epoch = epoch + 1, wanted_by = NULL, applied = 0"
                  " WHERE crawl = $1 AND part IN (SELECT old.part FROM part AS old JOIN dead ON dead.id = old.owner"
                  "  WHERE old.crawl = $1 ORDER BY old.part LIMIT " SHARE_LEFT ")",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, NULL, err);
}

/* A worker with fewer than its share asks the one with the most, for a few at a time. */
static scent_status want_parts(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "WITH live AS (SELECT id FROM worker WHERE crawl = $1 AND " LIVE "),"
                  " most AS (SELECT part.owner, count(*) AS parts FROM part JOIN live ON live.id = part.owner"
                  "  WHERE part.crawl = $1 AND part.owner <> $2 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1),"
                  " mine AS (SELECT count(*) FILTER (WHERE owner = $2) AS parts,"
                  "  count(*) FILTER (WHERE wanted_by = $2) AS wanted, count(*) AS total FROM part WHERE crawl = $1)"
                  " UPDATE part SET wanted_by = $2 WHERE crawl = $1 AND part IN"
                  " (SELECT one.part FROM part AS one, most, mine WHERE one.crawl = $1 AND one.owner = most.owner"
                  "   AND one.wanted_by IS NULL AND most.parts > mine.parts + mine.wanted + 1"
                  "   AND mine.parts + mine.wanted < mine.total / (SELECT count(*) FROM live) ORDER BY one.part"
                  "  LIMIT (SELECT greatest(0, least(4 - wanted, total / (SELECT count(*) FROM live) - parts - wanted))"
                  "   FROM mine))",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, NULL, err);
}

/* Somebody has set it while the worker takes part: leases do not depend on it, and the crawl continues. */
static void check_clock(struct cluster *cluster, int64_t before, int64_t server)
{
    int64_t error = cluster_clock_error(before, clock_wall(cluster->clock), server);
    struct errmsg why;

    if (error && !cluster->told_clock && cluster_blame_clock(error, "now ", &why) != SCENT_OK)
        log_line(cluster->log, LOG_WARN, "%s", why.text);
    cluster->told_clock = error;
}

static scent_status read_news(struct cluster *cluster, struct cluster_news *out, struct errmsg *err)
{
    int64_t before = clock_wall(cluster->clock);
    struct pq_rows *rows;
    struct str state;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT state, (SELECT count(*) FROM worker WHERE crawl = $1 AND " LIVE "),"
                     " page_limit,"
                     " coalesce((extract(epoch FROM deadline - clock_timestamp()) * 1000000)::bigint, $3),"
                     " page_limit > 0 AND page_limit <= (SELECT sum(logged) FROM worker WHERE crawl = $1),"
                     " (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
                     " FROM crawl WHERE id = $1",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker),
                                         NUMBER((uint64_t)INT64_MAX)},
                     3, &rows, err));
    if (!pq_count(rows)) {
        pq_rows_free(rows);
        return errmsg_fail(err, SCENT_E_NOTFOUND, "the server does not know the crawl any more");
    }
    state = pq_str(rows, 0, 0);
    out->state = str_eq(state, STR("ended"))      ? CLUSTER_ENDED
                 : str_eq(state, STR("stopping")) ? CLUSTER_STOPPING
                                                  : CLUSTER_RUNNING;
    out->workers = (uint32_t)pq_u64(rows, 0, 1);
    out->page_limit = pq_u64(rows, 0, 2);
    out->left_us = (int64_t)pq_u64(rows, 0, 3);
    out->full = pq_u64(rows, 0, 4);
    check_clock(cluster, before, (int64_t)pq_u64(rows, 0, 5));
    pq_rows_free(rows);
    return SCENT_OK;
}

/* ---- the page limit, in grants ---- */

/* The row of the crawl is locked last, until the transaction ends: one after the other adds up what was granted. Dead
 * workers without partitions have no pages but those that they have told, so the rest of their grants is free. */
static scent_status take_grant(struct cluster *cluster, const struct cluster_turn *turn,
                               const struct cluster_news *news, bool *granted, struct errmsg *err)
{
    struct pq_value values[] = {NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker), NUMBER(turn->wanted)};
    struct pq_rows *rows;

    *granted = false;
    if (!turn->wanted || !news->page_limit || turn->retiring || news->state != CLUSTER_RUNNING || !cluster->nparts)
        return SCENT_OK;
    SCENT_TRY(pq_run(cluster->pq,
                     "WITH dead AS (SELECT id FROM worker WHERE crawl = $1 AND lease_until < clock_timestamp()"
                     "  AND granted > logged AND NOT EXISTS (SELECT 1 FROM part WHERE part.crawl = $1"
                     "   AND part.owner = worker.id) FOR UPDATE SKIP LOCKED)"
                     " UPDATE worker SET granted = logged FROM dead WHERE worker.crawl = $1 AND worker.id = dead.id",
                     values, 1, NULL, err));
    SCENT_TRY(pq_run(cluster->pq, "SELECT 1 FROM crawl WHERE id = $1 FOR NO KEY UPDATE", values, 1, NULL, err));
    SCENT_TRY(pq_run(cluster->pq,
                     "WITH rest AS (SELECT page_limit - (SELECT sum(granted)::bigint FROM worker WHERE crawl = $1)"
                     "   AS pages, (SELECT count(*) FROM worker WHERE crawl = $1 AND " LIVE ") AS workers"
                     "  FROM crawl WHERE id = $1)"
                     " UPDATE worker SET granted = granted + least($3, greatest(1, rest.pages / (4 * workers)))"
                     "  FROM rest WHERE crawl = $1 AND id = $2 AND rest.pages > 0 RETURNING 1",
                     values, 3, &rows, err));
    *granted = pq_count(rows);
    pq_rows_free(rows);
    return SCENT_OK;
}

static scent_status balance(struct cluster *cluster, struct errmsg *err)
{
    struct pq_rows *rows;
    uint64_t free_parts, dead, uneven;

    SCENT_TRY(pq_run(cluster->pq,
                     "SELECT count(*) FILTER (WHERE part.owner IS NULL),"
                     " count(*) FILTER (WHERE NOT " LIVE "),"
                     " (count(*) FILTER (WHERE part.owner = $2) + count(*) FILTER (WHERE part.wanted_by = $2))"
                     "  < count(*) / (SELECT count(*) FROM worker WHERE crawl = $1 AND " LIVE ")"
                     " FROM part LEFT JOIN worker ON worker.crawl = $1 AND worker.id = part.owner"
                     " WHERE part.crawl = $1",
                     (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker)}, 2, &rows, err));
    free_parts = pq_u64(rows, 0, 0);
    dead = pq_u64(rows, 0, 1);
    uneven = pq_u64(rows, 0, 2);
    pq_rows_free(rows);
    if (free_parts)
        SCENT_TRY(take_free(cluster, err));
    if (dead)
        SCENT_TRY(take_dead(cluster, err));
    return uneven && !free_parts && !dead ? want_parts(cluster, err) : SCENT_OK;
}

/* State is written in the epoch in which it was true, or not at all. */
static bool owns_all(const struct cluster *cluster, const struct cluster_turn *turn)
{
    for (size_t i = 0; i < turn->nrows; i++) {
        const struct cluster_part *part =
            turn->rows[i].kind == CLUSTER_STATE ? find_part(cluster, turn->rows[i].part) : NULL;

        if (turn->rows[i].kind == CLUSTER_STATE && (!part || part->epoch != turn->rows[i].epoch))
            return false;
    }
    return true;
}

/* All are idle, and every row that was sent has been applied: one statement sees one moment, and each worker tells what
 * it sent, applied and has left to do in one transaction. So nothing is on its way. Who would do more with a larger
 * grant is idle, too; then the limit must be used up, and that is so where all that is granted is granted to idle
 * workers: they give back what they do not need. */
static scent_status find_end(struct cluster *cluster, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "UPDATE crawl SET state = 'ended' WHERE id = $1 AND state = 'running' AND ("
                  " deadline <= clock_timestamp() OR"
                  " page_limit > 0 AND page_limit <= (SELECT sum(logged) FROM worker WHERE crawl = $1) OR"
                  " NOT EXISTS (SELECT 1 FROM part LEFT JOIN worker ON worker.crawl = part.crawl"
                  "   AND worker.id = part.owner WHERE part.crawl = $1 AND worker.idle IS NOT TRUE)"
                  "  AND (SELECT sum(sent) FROM worker WHERE crawl = $1) ="
                  "   (SELECT sum(applied) FROM part WHERE crawl = $1)"
                  "  AND (NOT EXISTS (SELECT 1 FROM worker JOIN part ON part.crawl = $1 AND part.owner = worker.id"
                  "    WHERE worker.crawl = $1 AND hungry)"
                  "   OR page_limit <= (SELECT sum(granted) FROM worker WHERE crawl = $1) AND NOT EXISTS"
                  "    (SELECT 1 FROM worker WHERE crawl = $1 AND NOT idle AND lease_until > clock_timestamp())))",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl)}, 1, NULL, err);
}

static scent_status run_turn(struct cluster *cluster, const struct cluster_turn *turn, struct cluster_news *out,
                             struct errmsg *err)
{
    uint64_t links = 0;
    bool news, granted;

    SCENT_TRY(cluster_run(cluster, "BEGIN", err));
    SCENT_TRY(lock_worker(cluster, err));
    SCENT_TRY(read_parts(cluster, &out->horizon, err));
    SCENT_TRY(read_news(cluster, out, err));
    if (!owns_all(cluster, turn))
        return errmsg_fail(err, SCENT_E_NOTFOUND, "another worker has taken a partition");
    for (size_t i = 0; i < turn->nrows; i += INSERT_ROWS) {
        size_t count = turn->nrows - i < INSERT_ROWS ? turn->nrows - i : INSERT_ROWS;

        SCENT_TRY(insert_rows(cluster, turn->rows + i, count, &links, err));
    }
    SCENT_TRY(note_applied(cluster, turn, err));
    SCENT_TRY(leave_parts(cluster, turn, err));
    if (!turn->nleft && !turn->retiring && !turn->last && out->state == CLUSTER_RUNNING)
        SCENT_TRY(balance(cluster, err));
    SCENT_TRY(read_parts(cluster, &out->horizon, err));
    SCENT_TRY(take_grant(cluster, turn, out, &granted, err));
    out->renewed = clock_boot();
    /* Some may have been given to it, or a turn that it does not know to be done has taken them. */
    news = digest_parts(cluster) != cluster->told;
    SCENT_TRY(note_worker(cluster, turn, links, news, granted, out, err));
    return cluster_run(cluster, "COMMIT", err);
}

scent_status cluster_turn(struct cluster *cluster, const struct cluster_turn *turn, struct cluster_news *out,
                          struct errmsg *err)
{
    scent_status status;

    *out = (struct cluster_news){0};
    if (!cluster->pq)
        return errmsg_fail(err, SCENT_E_IO, "there is no connection to the server");
    status = run_turn(cluster, turn, out, err);
    out->parts = cluster->parts;
    out->nparts = cluster->nparts;
    if (status == SCENT_OK) {
        cluster->noted = turn->mark;
        if ((turn->idle || turn->hungry || out->left_us <= 0) && out->state == CLUSTER_RUNNING)
            status = find_end(cluster, err);
    }
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
        cluster->told = digest_parts(cluster);
    return status == SCENT_OK ? SCENT_OK : cluster_give_up(cluster, status);
}

/* ---- reading ---- */

/* Partition by partition in the order of the places, each from its index: the server looks at no row that it does not
 * give out. An order over all partitions would make it sort all that is behind the places for every few rows. */
static const char read_sql[] =
    "SELECT part, xid, id, epoch, kind, body, writer FROM"
    " (SELECT *, sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(body) AS before FROM"
    "  (SELECT log.part, log.xid, log.id, log.epoch, log.kind, log.writer,"
    "    CASE WHEN place.live AND log.kind = 2 THEN '' ELSE log.body END AS body"
    "   FROM unnest($2::integer[], $3::xid8[], $4::bigint[], $5::boolean[]) AS place(part, xid, id, live), LATERAL"
    "    (SELECT * FROM log WHERE log.crawl = $1 AND log.part = place.part"
    "     AND (log.xid, log.id) > (place.xid, place.id) AND log.xid < pg_snapshot_xmin(pg_current_snapshot())"
    "     ORDER BY log.xid, log.id LIMIT $6) AS log LIMIT $6) AS rows) AS rows WHERE before < $7";

static scent_status read_rows(struct cluster *cluster, const struct cluster_place *places, size_t nplaces,
                              struct pq_rows **out, struct errmsg *err)
{
    struct buf arrays[4];
    scent_status status;
    bool failed = false;

    for (int i = 0; i < 4; i++)
        buf_init(&arrays[i], 0);
    for (size_t i = 0; i < nplaces; i++) {
        add_number(&arrays[0], places[i].part);
        add_number(&arrays[1], places[i].xid);
        add_number(&arrays[2], places[i].row);
        add_number(&arrays[3], places[i].live);
    }
    for (int i = 0; i < 4; i++) {
        buf_addc(&arrays[i], '}');
        failed |= arrays[i].failed;
    }
    status = failed ? errmsg_no_memory(err)
                    : pq_run(cluster->pq, read_sql,
                             (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), PQ_TEXT(buf_z(&arrays[0])),
                                                 PQ_TEXT(buf_z(&arrays[1])), PQ_TEXT(buf_z(&arrays[2])),
                                                 PQ_TEXT(buf_z(&arrays[3])), NUMBER(READ_ROWS), NUMBER(READ_BYTES)},
                             7, out, err);
    for (int i = 0; i < 4; i++)
        buf_release(&arrays[i]);
    return status;
}

scent_status cluster_read(struct cluster *cluster, const struct cluster_place *places, size_t nplaces,
                          cluster_read_fn *fn, void *ctx, bool *more, uint64_t *reached, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status;
    size_t bytes = 0;

    *more = false;
    *reached = 0;
    if (!nplaces)
        return SCENT_OK;
    if (!cluster->pq)
        return errmsg_fail(err, SCENT_E_IO, "there is no connection to the server");
    /* Asked before: the rows are read with a later snapshot, whose oldest transaction is not older. */
    status = cluster_get(cluster, "SELECT pg_snapshot_xmin(pg_current_snapshot())", reached, err);
    if (status == SCENT_OK)
        status = read_rows(cluster, places, nplaces, &rows, err);
    if (status != SCENT_OK)
        return cluster_give_up(cluster, status);
    for (int i = 0; i < pq_count(rows); i++)
        bytes += pq_str(rows, i, 5).len;
    *more = pq_count(rows) == READ_ROWS || bytes >= READ_BYTES;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++)
        status = fn(ctx, &(struct cluster_read){
                             .part = (uint32_t)pq_u64(rows, i, 0),
                             .xid = pq_u64(rows, i, 1),
                             .row = pq_u64(rows, i, 2),
                             .epoch = pq_u64(rows, i, 3),
                             .kind = (enum cluster_kind)pq_u64(rows, i, 4),
                             .body = pq_str(rows, i, 5),
                             .writer = pq_u64(rows, i, 6),
                         });
    pq_rows_free(rows);
    return status;
}
