#include "cluster/counts.h"

#include "cluster/cluster_parts.h"

static scent_status tell_and_ask(struct cluster *cluster, struct str own, struct pq_rows **out, struct errmsg *err)
{
    struct pq_value crawl = NUMBER((uint64_t)cluster->crawl), worker = NUMBER(cluster->worker);

    if (own.len && own.len <= COUNTS_MAX)
        SCENT_TRY(pq_run(cluster->pq, "UPDATE worker SET learned = $3 WHERE crawl = $1 AND id = $2",
                         (struct pq_value[]){crawl, worker, PQ_BYTES(own)}, 3, NULL, err));
    return pq_run(cluster->pq,
                  "SELECT id, learned FROM worker WHERE crawl = $1 AND id <> $2 AND octet_length(learned) <= $3"
                  " ORDER BY id",
                  (struct pq_value[]){crawl, worker, NUMBER(COUNTS_MAX)}, 3, out, err);
}

scent_status counts_exchange(struct cluster *cluster, struct str own,
                             void (*fn)(void *ctx, uint64_t worker, struct str counts), void *ctx, struct errmsg *err)
{
    struct pq_rows *rows;
    size_t all = 0;
    scent_status status = tell_and_ask(cluster, own, &rows, err);

    if (status != SCENT_OK)
        return cluster_give_up(cluster, status);
    for (int i = 0; i < pq_count(rows); i++) {
        struct str counts = pq_str(rows, i, 1);

        all += counts.len;
        if (counts.len && all <= COUNTS_ALL_MAX)
            fn(ctx, pq_u64(rows, i, 0), counts);
    }
    pq_rows_free(rows);
    return SCENT_OK;
}
