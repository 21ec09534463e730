/* store_row - the values of one row on their way into a statement and out of it; for this folder. */
#ifndef SCENT_STORE_STORE_ROW_H
#define SCENT_STORE_STORE_ROW_H

#include "store/store_parts.h"

/* ---- in: bound in order; the first failure is kept until row_end ---- */

struct row {
    struct store *store;
    sqlite3_stmt *statement;
    int column, rc;
};

/* SCENT_E_IO outside of a transaction. */
SCENT_NODISCARD scent_status row_start(struct row *row, struct store *store, enum schema_statement which,
                                       struct errmsg *err);
SCENT_NODISCARD scent_status row_end(struct row *row, struct errmsg *err);

void row_add_int(struct row *row, int64_t value);
void row_add_real(struct row *row, double value); /* NaN becomes NULL */
void row_add_null(struct row *row);
void row_add_blob(struct row *row, struct str value);
/* What is not UTF-8, or holds a zero byte, is kept byte for byte as a blob: text functions would misread it. */
void row_add_text(struct row *row, struct str value);
/* NULL when there is none: one byte less, and what people expect. */
void row_add_optional(struct row *row, struct str value);
void row_add_optional_int(struct row *row, uint64_t value);

/* Row ids begin at 1. */
static inline int64_t row_id(uint32_t id)
{
    return (int64_t)id + 1;
}

/* ---- out ---- */

struct str column_str(sqlite3_stmt *statement, int column);
double column_real(sqlite3_stmt *statement, int column); /* NULL becomes NaN */
uint64_t column_u64(sqlite3_stmt *statement, int column);
/* The other way of row_id(); NULL becomes UINT32_MAX. */
uint32_t column_id(sqlite3_stmt *statement, int column);

/* A row whose meaning `fn` knows; other than SCENT_OK ends the walk. */
typedef scent_status row_fn(void *ctx, sqlite3_stmt *statement, struct errmsg *err);
/* Walks over what the statement finds. A walk inside a walk of the same kind is a bug. */
SCENT_NODISCARD scent_status row_walk(struct store *store, sqlite3_stmt *statement, row_fn *fn, void *ctx,
                                      struct errmsg *err);
SCENT_NODISCARD scent_status row_walk_all(struct store *store, enum schema_statement which, row_fn *fn, void *ctx,
                                          struct errmsg *err);
/* The columns of the table url, in its order, from column `c` on. */
SCENT_NODISCARD scent_status row_read_url(sqlite3_stmt *row, int c, struct store_url *url, struct errmsg *err);

/* ---- what stands for a text that was purged: "purged:" and 16 hexadecimal digits ---- */

enum { ROW_MARK = 24 }; /* its length with a terminator */
struct str row_mark(uint64_t hash, char out[ROW_MARK]);
/* The hash; 0 when the text is no such mark. */
uint64_t row_parse_mark(struct str text);

#endif
