#include "store/store_parts.h"

#include <math.h>

static struct str column_str(sqlite3_stmt *statement, int column)
{
    const char *p = sqlite3_column_blob(statement, column);

    return (struct str){p ? p : "", (size_t)sqlite3_column_bytes(statement, column)};
}

static double column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN
                                                                 : sqlite3_column_double(statement, column);
}

static uint64_t column_u64(sqlite3_stmt *statement, int column)
{
    return (uint64_t)sqlite3_column_int64(statement, column);
}

/* The other way of row_id(); NULL becomes UINT32_MAX. */
static uint32_t column_id(sqlite3_stmt *statement, int column)
{
    return (uint32_t)(sqlite3_column_int64(statement, column) - 1);
}

/* A row whose meaning `fn` knows; other than SCENT_OK ends the walk. */
typedef scent_status row_fn(void *ctx, sqlite3_stmt *statement, struct errmsg *err);

/* Walks over what the statement finds. A walk inside a walk of the same kind is a bug. */
static scent_status walk(struct store *store, sqlite3_stmt *statement, row_fn *fn, void *ctx, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    int rc = SQLITE_DONE;

    SCENT_BUG_IF(sqlite3_stmt_busy(statement));
    while (status == SCENT_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW)
        status = fn(ctx, statement, err);
    if (status == SCENT_OK && rc != SQLITE_DONE)
        status = store_fail(store, rc, "read", err);
    sqlite3_reset(statement);
    return status;
}

static scent_status walk_all(struct store *store, enum schema_statement which, row_fn *fn, void *ctx,
                             struct errmsg *err)
{
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, which, &statement, err);

    return status == SCENT_OK ? walk(store, statement, fn, ctx, err) : status;
}

static scent_status append_value(void *ctx, sqlite3_stmt *statement, struct errmsg *err)
{
    if (!buf_add(ctx, column_str(statement, 0)))
        return errmsg_fail(err, SCENT_E_LIMIT, "a stored value of %zu bytes does not fit",
                           column_str(statement, 0).len);
    return SCENT_E_END;
}

scent_status store_get(struct store *store, const char *name, struct buf *out, struct errmsg *err)
{
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, SCHEMA_GET, &statement, err);

    if (status != SCENT_OK)
        return status;
    if (sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
        return SCENT_E_NOMEM;
    status = walk(store, statement, append_value, out, err);
    if (status == SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no value %s", store->path, name);
    return status == SCENT_E_END ? SCENT_OK : status;
}

struct caller {
    union {
        store_host_fn *host;
        store_url_fn *url;
        store_page_fn *page;
        store_link_fn *link;
        void (*error)(void *ctx, struct str error, uint64_t count);
    } fn;
    void *ctx;
};

static scent_status host_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;

    (void)err;
    return caller->fn.host(caller->ctx, column_id(row, 0), column_str(row, 1));
}

scent_status store_each_host(struct store *store, store_host_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.host = fn, .ctx = ctx};

    return walk_all(store, SCHEMA_EACH_HOST, host_row, &caller, err);
}

static bool parse_state(struct str text, enum store_url_state *state)
{
    for (int i = STORE_SEEN; i <= STORE_DROPPED; i++)
        if (str_eq(text, str_of(store_url_state_text((enum store_url_state)i)))) {
            *state = (enum store_url_state)i;
            return true;
        }
    return false;
}

static scent_status unknown_state(struct str state, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_FORMAT, "a url row has the unknown state \"%.*s\"", STR_ARG(state));
}

/* The columns of the table, in its order, from column `c` on. */
static scent_status read_url(sqlite3_stmt *row, int c, struct store_url *url, struct errmsg *err)
{
    struct str own = column_str(row, c + 11);

    *url = (struct store_url){.id = column_id(row, c),
                              .url = column_str(row, c + 1),
                              .host = column_id(row, c + 2),
                              .priority = (float)column_real(row, c + 4),
                              .depth = (uint16_t)sqlite3_column_int(row, c + 5),
                              .off_domain = (uint8_t)sqlite3_column_int(row, c + 6),
                              .redirects = (uint8_t)sqlite3_column_int(row, c + 7),
                              .tries = (uint8_t)sqlite3_column_int(row, c + 8),
                              .flags = (uint8_t)sqlite3_column_int(row, c + 9),
                              .parent = column_id(row, c + 10),
                              .error = column_str(row, c + 12)};
    if (own.len == sizeof url->own)
        memcpy(url->own, own.p, own.len);
    return parse_state(column_str(row, c + 3), &url->state) ? SCENT_OK : unknown_state(column_str(row, c + 3), err);
}

static scent_status url_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_url url;
    scent_status status = read_url(row, 0, &url, err);

    return status == SCENT_OK ? caller->fn.url(caller->ctx, &url) : status;
}

scent_status store_each_url(struct store *store, store_url_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.url = fn, .ctx = ctx};

    return walk_all(store, SCHEMA_EACH_URL, url_row, &caller, err);
}

static void read_page(sqlite3_stmt *row, struct store_page *page)
{
    *page = (struct store_page){.number = column_u64(row, 0),
                                .url = column_id(row, 1),
                                .wall = sqlite3_column_int64(row, 2),
                                .status = sqlite3_column_int(row, 3),
                                .counted = sqlite3_column_int(row, 4),
                                .relevant = sqlite3_column_int(row, 5),
                                .score = column_real(row, 6),
                                .priority = (float)column_real(row, 7),
                                .judge_version = (uint32_t)column_u64(row, 8),
                                .mime = column_str(row, 9),
                                .charset = column_str(row, 10),
                                .lang = column_str(row, 11),
                                .bytes = column_u64(row, 12),
                                .words = (uint32_t)column_u64(row, 13),
                                .links = (uint32_t)column_u64(row, 14),
                                .took_us = sqlite3_column_int64(row, 15),
                                .ip = column_str(row, 16),
                                .digest = column_str(row, 17),
                                .warc_file = column_str(row, 18),
                                .warc_offset = column_u64(row, 19),
                                .warc_length = column_u64(row, 20),
                                .title = column_str(row, 21)};
}

enum { PAGE_COLUMNS = 22 };

static scent_status page_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_page page;
    struct store_url url;
    scent_status status = read_url(row, PAGE_COLUMNS, &url, err);

    read_page(row, &page);
    return status == SCENT_OK ? caller->fn.page(caller->ctx, &page, &url) : status;
}

scent_status store_each_page(struct store *store, uint64_t after, store_page_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, SCHEMA_EACH_PAGE, &statement, err);

    if (status != SCENT_OK)
        return status;
    if (after > INT64_MAX)
        after = INT64_MAX;
    if (sqlite3_bind_int64(statement, 1, (int64_t)after) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return walk(store, statement, page_row, &caller, err);
}

static scent_status link_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_link link = {.page = column_u64(row, 0),
                              .target = column_id(row, 1),
                              .priority = (float)column_real(row, 2),
                              .rel = (uint8_t)sqlite3_column_int(row, 3),
                              .anchor = column_str(row, 4)};

    (void)err;
    return caller->fn.link(caller->ctx, &link, column_str(row, 5), column_str(row, 6));
}

scent_status store_each_link(struct store *store, store_link_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.link = fn, .ctx = ctx};

    return walk_all(store, SCHEMA_EACH_LINK, link_row, &caller, err);
}

static scent_status error_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;

    (void)err;
    caller->fn.error(caller->ctx, column_str(row, 0), column_u64(row, 1));
    return SCENT_OK;
}

scent_status store_each_error(struct store *store, void (*fn)(void *ctx, struct str error, uint64_t count), void *ctx,
                              struct errmsg *err)
{
    struct caller caller = {.fn.error = fn, .ctx = ctx};

    return walk_all(store, SCHEMA_EACH_ERROR, error_row, &caller, err);
}

static scent_status count_pages(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_counts *counts = ctx;

    (void)err;
    counts->responses = column_u64(row, 0);
    counts->pages = column_u64(row, 1);
    counts->relevant = column_u64(row, 2);
    return SCENT_OK;
}

static scent_status count_state(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_counts *counts = ctx;
    enum store_url_state state;

    if (!parse_state(column_str(row, 0), &state))
        return unknown_state(column_str(row, 0), err);
    counts->urls[state] = column_u64(row, 1);
    return SCENT_OK;
}

static scent_status count_rest(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_counts *counts = ctx;

    (void)err;
    counts->links = column_u64(row, 0);
    counts->hosts = column_u64(row, 1);
    return SCENT_OK;
}

/* One state of the database for all of them: inside a transaction, the caller's or our own. */
scent_status store_count(struct store *store, struct store_counts *out, struct errmsg *err)
{
    bool own = sqlite3_get_autocommit(store->db);
    scent_status status;
    int rc = own ? sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) : SQLITE_OK;

    *out = (struct store_counts){0};
    if (rc != SQLITE_OK)
        return store_fail(store, rc, "read", err);
    status = walk_all(store, SCHEMA_COUNT_PAGES, count_pages, out, err);
    if (status == SCENT_OK)
        status = walk_all(store, SCHEMA_COUNT_URLS, count_state, out, err);
    if (status == SCENT_OK)
        status = walk_all(store, SCHEMA_COUNT_REST, count_rest, out, err);
    if (own)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
