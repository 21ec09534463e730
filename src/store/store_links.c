/* Links on their way out of the database: all, those to a URL, those from a row on, those of a page. */
#include "store/store_parts.h"

/* The first columns of every statement about links. */
static struct store_link read_link(sqlite3_stmt *row)
{
    return (struct store_link){.page = column_u64(row, 0),
                               .target = column_id(row, 1),
                               .priority = (float)column_real(row, 2),
                               .rel = (uint8_t)sqlite3_column_int(row, 3),
                               .anchor = column_str(row, 4)};
}

struct link_caller {
    store_link_fn *fn;
    void *ctx;
};

static scent_status link_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct link_caller *caller = ctx;
    struct store_link link = read_link(row);

    (void)err;
    return caller->fn(caller->ctx, &link, column_str(row, 5), column_str(row, 6));
}

scent_status store_each_link(struct store *store, store_link_fn *fn, void *ctx, struct errmsg *err)
{
    struct link_caller caller = {fn, ctx};

    return row_walk_all(store, SCHEMA_EACH_LINK, link_row, &caller, err);
}

scent_status store_each_link_to(struct store *store, uint32_t url, store_link_fn *fn, void *ctx, struct errmsg *err)
{
    struct link_caller caller = {fn, ctx};

    return row_walk_from(store, SCHEMA_EACH_LINK_TO, row_id(url), link_row, &caller, err);
}

struct link_rows {
    store_link_row_fn *fn;
    void *ctx;
    uint64_t page; /* the walk ends behind its links; UINT64_MAX: with the last of all */
};

static scent_status link_by_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct link_rows *rows = ctx;
    struct store_link link = read_link(row);

    (void)err;
    return link.page > rows->page ? SCENT_E_END : rows->fn(rows->ctx, column_u64(row, 5), &link);
}

scent_status store_each_link_from(struct store *store, uint64_t row, store_link_row_fn *fn, void *ctx,
                                  struct errmsg *err)
{
    struct link_rows rows = {fn, ctx, UINT64_MAX};

    return row_walk_from(store, SCHEMA_LINKS_FROM, (int64_t)row, link_by_row, &rows, err);
}

static scent_status note_page(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    (void)err;
    *(uint64_t *)ctx = column_u64(row, 0);
    return SCENT_OK;
}

/* The page of the first link from this row on. */
static scent_status find_place(struct store *store, uint64_t row, uint64_t *page, struct errmsg *err)
{
    *page = UINT64_MAX;
    return row_walk_from(store, SCHEMA_FIND_LINK, (int64_t)row, note_page, page, err);
}

scent_status store_each_link_of(struct store *store, uint64_t page, store_link_row_fn *fn, void *ctx,
                                struct errmsg *err)
{
    struct link_rows rows = {fn, ctx, page};
    uint64_t low = 1, high = 1, at = 0;
    scent_status status;

    /* From `high` on there are only links of the page and of later ones; before `low` there are none of them. */
    for (;;) {
        SCENT_TRY(find_place(store, high, &at, err));
        if (at >= page)
            break;
        low = high + 1;
        high *= 2;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        SCENT_TRY(find_place(store, middle, &at, err));
        if (at >= page)
            high = middle;
        else
            low = middle + 1;
    }
    status = row_walk_from(store, SCHEMA_LINKS_FROM, (int64_t)low, link_by_row, &rows, err);
    return status == SCENT_E_END ? SCENT_OK : status;
}
