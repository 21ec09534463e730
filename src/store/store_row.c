/* The values of one row on their way into a statement and out of it. */
#include "store/store_parts.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>

/* ---- in ---- */

scent_status row_start(struct row *row, struct store *store, enum schema_statement which, struct errmsg *err)
{
    *row = (struct row){.store = store};
    SCENT_BUG_IF(store->mode < STORE_CHANGE);
    if (sqlite3_get_autocommit(store->db))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to %s: there is no transaction, or it has failed before",
                           store->path);
    return store_statement(store, which, &row->statement, err);
}

scent_status row_end(struct row *row, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_step(row->statement);
    if (row->rc != SQLITE_DONE)
        status = store_fail(row->store, row->rc, "write to", err);
    sqlite3_reset(row->statement);
    return status;
}

static void note_result(struct row *row, int rc)
{
    if (row->rc == SQLITE_OK)
        row->rc = rc;
}

void row_add_int(struct row *row, int64_t value)
{
    note_result(row, sqlite3_bind_int64(row->statement, ++row->column, value));
}

void row_add_real(struct row *row, double value)
{
    note_result(row, sqlite3_bind_double(row->statement, ++row->column, value));
}

void row_add_null(struct row *row)
{
    note_result(row, sqlite3_bind_null(row->statement, ++row->column));
}

void row_add_blob(struct row *row, struct str value)
{
    note_result(row, sqlite3_bind_blob64(row->statement, ++row->column, value.len ? value.p : "", value.len,
                                         SQLITE_STATIC));
}

static bool is_text(struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        unsigned char c = (unsigned char)s.p[i];
        size_t len = c && c < 0x80 ? 1 : c ? utf8_sequence(str_sub(s, i, s.len)) : 0;

        if (len == 0)
            return false;
        i += len;
    }
    return true;
}

void row_add_text(struct row *row, struct str value)
{
    if (!is_text(value))
        row_add_blob(row, value);
    else
        note_result(row, sqlite3_bind_text64(row->statement, ++row->column, value.len ? value.p : "", value.len,
                                             SQLITE_STATIC, SQLITE_UTF8));
}

void row_add_optional(struct row *row, struct str value)
{
    if (value.len)
        row_add_text(row, value);
    else
        row_add_null(row);
}

void row_add_optional_int(struct row *row, uint64_t value)
{
    if (value)
        row_add_int(row, (int64_t)value);
    else
        row_add_null(row);
}

/* ---- out ---- */

struct str column_str(sqlite3_stmt *statement, int column)
{
    const char *p = sqlite3_column_blob(statement, column);

    return (struct str){p ? p : "", (size_t)sqlite3_column_bytes(statement, column)};
}

double column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN
                                                                 : sqlite3_column_double(statement, column);
}

uint64_t column_u64(sqlite3_stmt *statement, int column)
{
    return (uint64_t)sqlite3_column_int64(statement, column);
}

uint32_t column_id(sqlite3_stmt *statement, int column)
{
    int64_t id = sqlite3_column_int64(statement, column);

    return id >= 1 && id <= UINT32_MAX ? (uint32_t)(id - 1) : UINT32_MAX;
}

scent_status row_walk(struct store *store, sqlite3_stmt *statement, row_fn *fn, void *ctx, struct errmsg *err)
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

scent_status row_walk_all(struct store *store, enum schema_statement which, row_fn *fn, void *ctx, struct errmsg *err)
{
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, which, &statement, err));
    return row_walk(store, statement, fn, ctx, err);
}

scent_status row_read_url(sqlite3_stmt *row, int c, struct store_url *url, struct errmsg *err)
{
    struct str own = column_str(row, c + 11), state = column_str(row, c + 3);

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
    if (!store_parse_state(state, &url->state))
        return errmsg_fail(err, SCENT_E_FORMAT, "crawl.db is damaged: a url row has the unknown state \"%.*s\"",
                           STR_ARG(state));
    if (url->state != STORE_PURGED)
        return SCENT_OK;
    url->purged = row_parse_mark(url->url);
    return url->purged ? SCENT_OK
                       : errmsg_fail(err, SCENT_E_FORMAT, "the purged url row %lu is damaged", url->id + 1ul);
}

/* ---- marks ---- */

#define MARK "purged:"

struct str row_mark(uint64_t hash, char out[ROW_MARK])
{
    int len = snprintf(out, ROW_MARK, MARK "%016llx", (unsigned long long)hash);

    return (struct str){out, (size_t)len};
}

uint64_t row_parse_mark(struct str text)
{
    uint64_t hash = 0;

    if (text.len != ROW_MARK - 1 || !str_starts(text, STR(MARK)))
        return 0;
    for (size_t i = sizeof MARK - 1; i < text.len; i++) {
        if (ascii_hex(text.p[i]) < 0 || text.p[i] != ascii_lower(text.p[i]))
            return 0;
        hash = hash << 4 | (uint64_t)ascii_hex(text.p[i]);
    }
    return hash;
}
