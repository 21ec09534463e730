#include "cluster/counts.h"

#include "cluster/cluster_parts.h"

#include <stdio.h>

/* NULL leaves what is there. */
static struct pq_value value_of(struct str counts)
{
    return counts.len && counts.len <= COUNTS_MAX ? PQ_BYTES(counts) : PQ_TEXT(NULL);
}

static scent_status tell(struct cluster *cluster, const struct counts *own, bool settled, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "UPDATE worker SET learned = coalesce($3::bytea, learned), census = coalesce($4::bytea, census),"
                  " centroid = coalesce($5::bytea, centroid), settled = $6 WHERE crawl = $1 AND id = $2",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker), value_of(own->learned),
                                      value_of(own->census), value_of(own->seeds), PQ_TEXT(settled ? "t" : "f")},
                  6, NULL, err);
}

static scent_status ask(struct cluster *cluster, struct pq_rows **out, struct errmsg *err)
{
    return pq_run(cluster->pq,
                  "SELECT CASE WHEN octet_length(learned) <= $3 THEN learned END,"
                  " CASE WHEN octet_length(census) <= $3 THEN census END,"
                  " CASE WHEN octet_length(centroid) <= $3 THEN centroid END"
                  " FROM worker WHERE crawl = $1 AND id <> $2 ORDER BY id",
                  (struct pq_value[]){NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker), NUMBER(COUNTS_MAX)},
                  3, out, err);
}

scent_status counts_exchange(struct cluster *cluster, const struct counts *own, counts_fn *fn, void *ctx,
                             struct errmsg *err)
{
    struct pq_rows *rows;
    size_t all = 0;
    scent_status status = SCENT_OK;

    if (own->learned.len || own->census.len || own->seeds.len)
        status = tell(cluster, own, false, err);
    if (status == SCENT_OK)
        status = ask(cluster, &rows, err);
    if (status != SCENT_OK)
        return cluster_give_up(cluster, status);
    for (int i = 0; i < pq_count(rows); i++) {
        struct counts counts = {pq_str(rows, i, 0), pq_str(rows, i, 1), pq_str(rows, i, 2)};
        size_t bytes = counts.learned.len + counts.census.len + counts.seeds.len;

        all += bytes;
        if (bytes && all <= COUNTS_ALL_MAX)
            fn(ctx, &counts);
    }
    pq_rows_free(rows);
    return SCENT_OK;
}

/* ---- the end of a crawl ---- */

static scent_status check_connected(struct cluster *cluster, struct errmsg *err)
{
    return cluster->pq ? SCENT_OK : errmsg_fail(err, SCENT_E_IO, "there is no connection to the server");
}

scent_status counts_settle(struct cluster *cluster, const struct counts *own, struct errmsg *err)
{
    scent_status status;

    SCENT_TRY(check_connected(cluster, err));
    status = tell(cluster, own, true, err);
    return status == SCENT_OK ? SCENT_OK : cluster_give_up(cluster, status);
}

static scent_status ask_others(struct cluster *cluster, const char *sql, struct pq_value value, uint64_t *count,
                               char name[COUNTS_NAME], struct errmsg *err)
{
    struct pq_value values[] = {NUMBER((uint64_t)cluster->crawl), NUMBER(cluster->worker), value};
    struct pq_rows *rows;
    scent_status status;

    SCENT_TRY(check_connected(cluster, err));
    status = pq_run(cluster->pq, sql, values, 3, &rows, err);
    if (status != SCENT_OK)
        return cluster_give_up(cluster, status);
    *count = pq_u64(rows, 0, 0);
    snprintf(name, COUNTS_NAME, "%.*s", STR_ARG(pq_str(rows, 0, 1)));
    pq_rows_free(rows);
    return SCENT_OK;
}

/* Where somebody continues the crawl meanwhile nobody waits for who visits hosts again. */
scent_status counts_await(struct cluster *cluster, uint64_t *count, char name[COUNTS_NAME], struct errmsg *err)
{
    return ask_others(cluster,
                      "WITH mine AS (UPDATE worker SET lease_until = greatest(lease_until, clock_timestamp()"
                      "   + $3::bigint * interval '1 microsecond') WHERE crawl = $1 AND id = $2)"
                      " SELECT count(*), coalesce(min(worker.name), '') FROM worker"
                      "  JOIN crawl ON crawl.id = worker.crawl"
                      " WHERE worker.crawl = $1 AND worker.id <> $2 AND NOT settled AND lease_until > clock_timestamp()"
                      "  AND (state <> 'running' OR deadline <= clock_timestamp()"
                      "   OR page_limit > 0 AND page_limit <= (SELECT sum(logged) FROM worker WHERE crawl = $1))",
                      NUMBER((uint64_t)cluster->lease_us), count, name, err);
}

scent_status counts_compare_judge(struct cluster *cluster, uint64_t digest, uint64_t *count, char name[COUNTS_NAME],
                                  struct errmsg *err)
{
    return ask_others(cluster,
                      "WITH mine AS (UPDATE worker SET judge = $3::bigint WHERE crawl = $1 AND id = $2)"
                      " SELECT count(*), coalesce(min(name), '') FROM worker"
                      " WHERE crawl = $1 AND id <> $2 AND judge <> $3::bigint",
                      NUMBER(digest), count, name, err);
}
