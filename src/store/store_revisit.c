/* When to visit pages again, and what came of it. */
#include "store/store_row.h"

scent_status store_put_revisit(struct store *store, const struct store_revisit *revisit, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_PUT_REVISIT, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, row_id(revisit->url));
    row_add_int(&row, (int64_t)revisit->page);
    row_add_int(&row, revisit->next);
    row_add_int(&row, revisit->visits);
    row_add_int(&row, revisit->changes);
    row_add_int(&row, revisit->first);
    row_add_int(&row, revisit->last);
    return row_end(&row, err);
}

scent_status store_replace_page(struct store *store, uint64_t number, uint64_t by, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_REPLACE_PAGE, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, (int64_t)by);
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

scent_status store_fill_revisits(struct store *store, int64_t interval, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_FILL_REVISITS, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, interval);
    return row_end(&row, err);
}

scent_status store_bound_revisits(struct store *store, int64_t latest, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_BOUND_REVISITS, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, latest);
    return row_end(&row, err);
}

enum { REVISIT_COLUMNS = 14 };

static struct store_revisit read_revisit(sqlite3_stmt *row)
{
    return (struct store_revisit){.url = column_id(row, 0),
                                  .page = column_u64(row, 1),
                                  .next = sqlite3_column_int64(row, 2),
                                  .visits = (uint32_t)column_u64(row, 3),
                                  .changes = (uint32_t)column_u64(row, 4),
                                  .first = sqlite3_column_int64(row, 5),
                                  .last = sqlite3_column_int64(row, 6),
                                  .wall = sqlite3_column_int64(row, 7),
                                  .digest = column_str(row, 8),
                                  .etag = column_str(row, 9),
                                  .last_modified = column_str(row, 10),
                                  .relevant = sqlite3_column_int(row, 11),
                                  .score = column_real(row, 12),
                                  .robots = (uint8_t)sqlite3_column_int(row, 13)};
}

struct revisit_caller {
    union {
        store_revisit_fn *revisit;
        store_due_fn *due;
    } fn;
    void *ctx;
};

static scent_status revisit_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct revisit_caller *caller = ctx;
    struct store_revisit revisit = read_revisit(row);

    (void)err;
    return caller->fn.revisit(caller->ctx, &revisit);
}

scent_status store_each_revisit(struct store *store, store_revisit_fn *fn, void *ctx, struct errmsg *err)
{
    struct revisit_caller caller = {.fn.revisit = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_REVISIT, revisit_row, &caller, err);
}

static scent_status due_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct revisit_caller *caller = ctx;
    struct store_revisit revisit = read_revisit(row);
    struct store_url url;
    scent_status status = row_read_url(row, REVISIT_COLUMNS, &url, err);

    return status == SCENT_OK ? caller->fn.due(caller->ctx, &revisit, &url) : status;
}

scent_status store_each_due(struct store *store, const struct store_revisit *after, store_due_fn *fn, void *ctx,
                            struct errmsg *err)
{
    struct revisit_caller caller = {.fn.due = fn, .ctx = ctx};
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, SCHEMA_EACH_DUE, &statement, err);

    if (status != SCENT_OK)
        return status;
    if (sqlite3_bind_int64(statement, 1, after->next) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 2, row_id(after->url)) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, due_row, &caller, err);
}

static scent_status count_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_revisit_counts *counts = ctx;

    (void)err;
    counts->pages = column_u64(row, 0);
    counts->due = column_u64(row, 1);
    counts->next = sqlite3_column_int64(row, 2);
    return SCENT_OK;
}

scent_status store_count_revisits(struct store *store, int64_t now, struct store_revisit_counts *out, struct errmsg *err)
{
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, SCHEMA_COUNT_REVISITS, &statement, err);

    *out = (struct store_revisit_counts){0};
    if (status != SCENT_OK)
        return status;
    if (sqlite3_bind_int64(statement, 1, now) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, count_row, out, err);
}
