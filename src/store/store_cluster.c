/* What a worker of a crawl tells the others, and how far it has read what they told. Writes are inside a transaction of
 * the caller, so that they are committed with the page that they come from. */
#include "store/store_parts.h"

/* Runs a statement with whole numbers, and perhaps a blob behind them, that gives no rows. */
static scent_status run_numbers(struct store *store, enum schema_statement which, const uint64_t *numbers, int count,
                                const struct str *blob, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    sqlite3_stmt *statement;
    int rc = SQLITE_OK;

    SCENT_BUG_IF(store->mode < STORE_CHANGE);
    if (sqlite3_get_autocommit(store->db))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to %s: there is no transaction, or it has failed before",
                           store->path);
    SCENT_TRY(store_statement(store, which, &statement, err));
    for (int i = 0; i < count && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_int64(statement, i + 1, (int64_t)numbers[i]);
    if (blob && rc == SQLITE_OK)
        rc = sqlite3_bind_blob64(statement, count + 1, blob->len ? blob->p : "", blob->len, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (rc != SQLITE_DONE)
        status = store_fail(store, rc, "write to", err);
    sqlite3_reset(statement);
    return status;
}

scent_status store_add_outgoing(struct store *store, const struct store_outgoing *outgoing, struct errmsg *err)
{
    const uint64_t numbers[] = {outgoing->id, outgoing->kind, outgoing->part};

    return run_numbers(store, SCHEMA_ADD_OUTGOING, numbers, 3, &outgoing->body, err);
}

scent_status store_drop_outgoing(struct store *store, uint64_t id, struct errmsg *err)
{
    SCENT_TRY(run_numbers(store, SCHEMA_DROP_OUTGOING, &id, 1, NULL, err));
    return run_numbers(store, SCHEMA_NOTE_OUTGOING, &id, 1, NULL, err);
}

scent_status store_cancel_outgoing(struct store *store, uint8_t kind, uint32_t part, uint64_t after,
                                   struct errmsg *err)
{
    const uint64_t numbers[] = {kind, part, after};

    return run_numbers(store, SCHEMA_CANCEL_OUTGOING, numbers, 3, NULL, err);
}

scent_status store_disown_page(struct store *store, uint64_t number, struct str why, struct errmsg *err)
{
    SCENT_TRY(run_numbers(store, SCHEMA_DISOWN_PAGE, &number, 1, NULL, err));
    SCENT_TRY(run_numbers(store, SCHEMA_OLD_PAGE_AGAIN, &number, 1, NULL, err));
    SCENT_TRY(run_numbers(store, SCHEMA_OLD_REVISIT_AGAIN, &number, 1, NULL, err));
    return run_numbers(store, SCHEMA_DISOWN_URL, &number, 1, &why, err);
}

scent_status store_disown_url(struct store *store, uint32_t url, struct str why, struct errmsg *err)
{
    uint64_t id = (uint64_t)row_id(url);

    return run_numbers(store, SCHEMA_DISOWN_REFUSED, &id, 1, &why, err);
}

struct revisited {
    uint64_t page; /* 0: there is none */
    int64_t wall;
    bool counted;
};

static scent_status keep_revisited(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    (void)err;
    *(struct revisited *)ctx = (struct revisited){column_u64(row, 0), sqlite3_column_int64(row, 1),
                                                  sqlite3_column_int(row, 2)};
    return SCENT_OK;
}

scent_status store_import_revisit(struct store *store, const struct store_revisit *revisit,
                                  const struct store_page *page, struct errmsg *err)
{
    struct store_revisit row = *revisit;
    struct revisited known = {0};

    SCENT_TRY(row_walk_from(store, SCHEMA_REVISITED_PAGE, row_id(revisit->url), keep_revisited, &known, err));
    row.page = known.page;
    if (page)
        SCENT_TRY(store_add_page(store, page, err));
    if (page && (!known.page || known.wall < page->wall)) {
        row.page = page->number;
        if (known.counted)
            SCENT_TRY(store_replace_page(store, known.page, page->number, err));
    }
    return row.page ? store_put_revisit(store, &row, err) : SCENT_OK;
}

scent_status store_put_place(struct store *store, const struct store_place *place, struct errmsg *err)
{
    const uint64_t numbers[] = {place->part, place->epoch, place->xid, place->row, place->applied};

    return run_numbers(store, SCHEMA_PUT_PLACE, numbers, 5, NULL, err);
}

static scent_status last_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    (void)err;
    *(uint64_t *)ctx = column_u64(row, 0);
    return SCENT_OK;
}

scent_status store_last_outgoing(struct store *store, uint64_t *id, struct errmsg *err)
{
    *id = 0;
    return row_walk_all(store, SCHEMA_LAST_OUTGOING, last_row, id, err);
}

struct outgoing_walk {
    store_outgoing_fn *fn;
    void *ctx;
};

static scent_status outgoing_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    const struct outgoing_walk *walk = ctx;
    struct store_outgoing outgoing = {
        .id = column_u64(row, 0),
        .kind = (uint8_t)column_u64(row, 1),
        .part = (uint32_t)column_u64(row, 2),
        .body = column_str(row, 3),
    };

    (void)err;
    return walk->fn(walk->ctx, &outgoing);
}

scent_status store_each_outgoing(struct store *store, uint64_t after, store_outgoing_fn *fn, void *ctx,
                                 struct errmsg *err)
{
    struct outgoing_walk walk = {fn, ctx};

    return row_walk_from(store, SCHEMA_EACH_OUTGOING, (int64_t)after, outgoing_row, &walk, err);
}

struct place_walk {
    store_place_fn *fn;
    void *ctx;
};

static scent_status place_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    const struct place_walk *walk = ctx;
    struct store_place place = {
        .part = (uint32_t)column_u64(row, 0),
        .epoch = column_u64(row, 1),
        .xid = column_u64(row, 2),
        .row = column_u64(row, 3),
        .applied = column_u64(row, 4),
    };

    (void)err;
    return walk->fn(walk->ctx, &place);
}

scent_status store_each_place(struct store *store, store_place_fn *fn, void *ctx, struct errmsg *err)
{
    struct place_walk walk = {fn, ctx};

    return row_walk_all(store, SCHEMA_EACH_PLACE, place_row, &walk, err);
}
