#include "cluster/counts.h"

#include "cluster/pq.h"

#include <inttypes.h>
#include <stdio.h>

static scent_status tell_and_ask(struct pq *pq, const struct counts_of *of, struct str own, struct pq_rows **out,
                                 struct errmsg *err)
{
    char worker[24], most[24];

    snprintf(worker, sizeof worker, "%" PRIu64, of->worker);
    snprintf(most, sizeof most, "%d", COUNTS_MAX);
    SCENT_TRY(pq_run(pq, "SET statement_timeout = '60s'", NULL, 0, NULL, err));
    if (own.len && own.len <= COUNTS_MAX)
        SCENT_TRY(pq_run(pq,
                         "UPDATE scent.worker SET learned = $3 FROM scent.crawl"
                         " WHERE crawl.id = worker.crawl AND crawl.name = $1 AND worker.id = $2",
                         (struct pq_value[]){PQ_TEXT(of->crawl), PQ_TEXT(worker), PQ_BYTES(own)}, 3, NULL, err));
    return pq_run(pq,
                  "SELECT worker.id, learned FROM scent.worker JOIN scent.crawl ON crawl.id = worker.crawl"
                  " WHERE crawl.name = $1 AND worker.id <> $2 AND octet_length(learned) <= $3 ORDER BY worker.id",
                  (struct pq_value[]){PQ_TEXT(of->crawl), PQ_TEXT(worker), PQ_TEXT(most)}, 3, out, err);
}

scent_status counts_exchange(const struct counts_of *of, struct str own,
                             void (*fn)(void *ctx, uint64_t worker, struct str counts), void *ctx, struct errmsg *err)
{
    struct pq_rows *rows = NULL;
    struct pq *pq;
    size_t all = 0;
    scent_status status;

    SCENT_TRY(pq_open(of->uri, &pq, err));
    status = tell_and_ask(pq, of, own, &rows, err);
    for (int i = 0; status == SCENT_OK && i < pq_count(rows); i++) {
        struct str counts = pq_str(rows, i, 1);

        all += counts.len;
        if (counts.len && all <= COUNTS_ALL_MAX)
            fn(ctx, pq_u64(rows, i, 0), counts);
    }
    if (status == SCENT_OK)
        pq_rows_free(rows);
    pq_close(pq);
    return status;
}
