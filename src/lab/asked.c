#include "lab/asked.h"

#include "topic/census.h"
#include "topic/query.h"

#include <stdlib.h>

static scent_status count_terms(const struct collection *collection, struct census *census)
{
    for (uint32_t i = 0; i < collection_count(collection); i++) {
        const struct page *page = collection_page(collection, i, NULL);

        if (!page)
            return SCENT_E_FORMAT;
        census_add(census, page);
    }
    return SCENT_OK;
}

static size_t mark(const struct collection *collection, const struct query *query, const struct query_stats *stats,
                   double threshold, bool *relevant)
{
    struct query_scratch *scratch = malloc(sizeof *scratch);
    size_t count = 0;

    SCENT_BUG_IF(!scratch);
    for (uint32_t i = 0; i < collection_count(collection); i++) {
        struct query_text text = query_text_page(collection_page(collection, i, NULL));

        relevant[i] = query_belief(query, stats, &text, scratch) > threshold;
        count += relevant[i];
    }
    free(scratch);
    return count;
}

scent_status asked_mark(const struct collection *collection, struct str text, double threshold, struct buf *census,
                        bool *relevant, size_t *count, struct errmsg *err)
{
    struct query_stats *stats;
    struct census *counted;
    struct query *query;
    scent_status status = query_parse(text, &query, err);

    if (status != SCENT_OK)
        return status;
    counted = census_new(query);
    status = count_terms(collection, counted);
    if (status == SCENT_OK)
        status = census_write(counted, census);
    if (status == SCENT_OK && relevant) {
        stats = census_stats(query, counted, NULL);
        *count = mark(collection, query, stats, threshold, relevant);
        free(stats);
    }
    census_free(counted);
    query_free(query);
    return status == SCENT_OK
               ? SCENT_OK
               : errmsg_fail(err, status, "the query's terms cannot be counted: %s", scent_status_text(status));
}
