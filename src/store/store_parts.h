/* store_parts - what the files of this folder share: the database, every line of SQL that runs on it, rows. */
#ifndef SCENT_STORE_STORE_PARTS_H
#define SCENT_STORE_STORE_PARTS_H

#include "store/store.h"

#include <sqlite3.h>

/* ---- SQL ----
 *
 * What the tables and views mean is told in docs/internals/formats.md. A change of the schema raises STORE_VERSION and
 * adds a migration from the version before. */

enum { SCHEMA_APPLICATION_ID = 0x53434E54 }; /* "SCNT" */

enum { SCHEMA_LINKS = 16 }; /* rows of SCHEMA_ADD_LINKS */

enum schema_statement {
    SCHEMA_BEGIN,
    SCHEMA_COMMIT,
    SCHEMA_ADD_HOST,
    SCHEMA_ADD_URL,
    SCHEMA_UPDATE_URL,
    SCHEMA_UPDATE_HOST,
    SCHEMA_ADD_PAGE,
    SCHEMA_JUDGE_PAGE,
    SCHEMA_STAMP_PAGE,
    SCHEMA_SETTLE_PAGES,
    SCHEMA_ADD_JUDGE,
    SCHEMA_EACH_JUDGE,
    SCHEMA_PUT_BLOCKS,
    SCHEMA_EACH_BLOCKS,
    SCHEMA_GET_BLOCKS,
    SCHEMA_PUT_COUNTED,
    SCHEMA_GET_COUNTED,
    SCHEMA_CLEAR_REPEATED,
    SCHEMA_PUT_REPEATED,
    SCHEMA_EACH_REPEATED,
    SCHEMA_ADD_LINK,
    SCHEMA_ADD_LINKS,
    SCHEMA_ADD_REQUISITE,
    SCHEMA_EACH_REQUISITE,
    SCHEMA_ADD_EVENT,
    SCHEMA_SET,
    SCHEMA_GET,
    SCHEMA_UNSET,
    SCHEMA_PUT_ROBOTS,
    SCHEMA_EACH_ROBOTS,
    SCHEMA_PUT_DNS,
    SCHEMA_EACH_DNS,
    SCHEMA_PUT_REVISIT,
    SCHEMA_EACH_REVISIT,
    SCHEMA_EACH_DUE,
    SCHEMA_COUNT_REVISITS,
    SCHEMA_FILL_REVISITS,
    SCHEMA_BOUND_REVISITS,
    SCHEMA_ADVANCE_REVISITS,
    SCHEMA_REPLACE_PAGE,
    SCHEMA_ASK_PAGE,
    SCHEMA_EACH_HOST,
    SCHEMA_EACH_URL,
    SCHEMA_GET_URL,
    SCHEMA_URLS_FROM,
    SCHEMA_FIND_URL,
    SCHEMA_EACH_PAGE,
    SCHEMA_GET_PAGE,
    SCHEMA_EACH_FLAGGED_PAGE,
    SCHEMA_EACH_STALE_PAGE,
    SCHEMA_EACH_PAGE_OF,
    SCHEMA_EACH_PAGE_IN,
    SCHEMA_EACH_FILE,
    SCHEMA_EACH_LINK,
    SCHEMA_EACH_LINK_TO,
    SCHEMA_LINKS_FROM,
    SCHEMA_FIND_LINK,
    SCHEMA_EACH_ERROR,
    SCHEMA_COUNT_PAGES,
    SCHEMA_COUNT_JUDGED,
    SCHEMA_COUNT_URLS,
    SCHEMA_COUNT_REST,
    SCHEMA_MARK_URL,
    SCHEMA_MARK_HOST,
    SCHEMA_FORGET_EVENT,
    SCHEMA_FORGET_ERROR,
    SCHEMA_MOVE_PAGE,
    SCHEMA_UNARCHIVE_PAGE,
    SCHEMA_ADD_OUTGOING,
    SCHEMA_DROP_OUTGOING,
    SCHEMA_NOTE_OUTGOING,
    SCHEMA_LAST_OUTGOING,
    SCHEMA_EACH_OUTGOING,
    SCHEMA_CANCEL_OUTGOING,
    SCHEMA_DISOWN_PAGE,
    SCHEMA_DISOWN_URL,
    SCHEMA_DISOWN_REFUSED,
    SCHEMA_OLD_PAGE_AGAIN,
    SCHEMA_OLD_REVISIT_AGAIN,
    SCHEMA_REVISITED_PAGE,
    SCHEMA_PUT_PLACE,
    SCHEMA_EACH_PLACE,
    SCHEMA_STATEMENTS
};

extern const char schema_create[];       /* tables, views, version; inside a transaction */
extern const char schema_before_create[]; /* settings that must precede the first table */
/* By version: what makes the next one of it, inside a transaction; and what makes a reader see it as the newest. */
extern const char *const schema_migrations[], *const schema_as_if_new[];
extern const char schema_settings_write[];
extern const char schema_settings_read[];
const char *schema_sql(enum schema_statement statement);

/* ---- the database ---- */

struct store {
    sqlite3 *db;
    char *path; /* of crawl.db */
    int lock;   /* a descriptor; -1 for readers */
    enum store_mode mode;
    sqlite3_stmt *statements[SCHEMA_STATEMENTS]; /* prepared when first used, then kept */
};

/* What the database says about `rc`, as our status and message. */
scent_status store_fail(const struct store *store, int rc, const char *doing, struct errmsg *err);
/* A statement that is ready for its values; NULL on failure. */
SCENT_NODISCARD scent_status store_statement(struct store *store, enum schema_statement which, sqlite3_stmt **out,
                                             struct errmsg *err);
/* False: no word for a state. */
bool store_parse_state(struct str text, enum store_url_state *state);

/* "file:…?immutable=1": for a medium on which SQLite cannot make the files that readers share. To be freed; NULL: no
 * memory. */
char *store_immutable_name(const char *path);

/* ---- rows ---- */

/* Row ids begin at 1. */
static inline int64_t row_id(uint32_t id)
{
    return (int64_t)id + 1;
}

struct str column_str(sqlite3_stmt *statement, int column);
uint64_t column_u64(sqlite3_stmt *statement, int column);
double column_real(sqlite3_stmt *statement, int column);  /* NULL becomes NaN */
/* The other way of row_id(); NULL and what cannot be an id become UINT32_MAX. */
uint32_t column_id(sqlite3_stmt *statement, int column);

/* A row whose meaning `fn` knows; other than SCENT_OK ends the walk. */
typedef scent_status row_fn(void *ctx, sqlite3_stmt *statement, struct errmsg *err);
/* Walks over what the statement finds. A walk inside a walk of the same kind is a bug. */
SCENT_NODISCARD scent_status row_walk(struct store *store, sqlite3_stmt *statement, row_fn *fn, void *ctx,
                                      struct errmsg *err);
SCENT_NODISCARD scent_status row_walk_all(struct store *store, enum schema_statement which, row_fn *fn, void *ctx,
                                          struct errmsg *err);
/* What a statement with one parameter finds. */
SCENT_NODISCARD scent_status row_walk_from(struct store *store, enum schema_statement which, int64_t number,
                                           row_fn *fn, void *ctx, struct errmsg *err);

/* ---- what stands for a text that was purged: "purged:" and 16 hexadecimal digits ---- */

#define ROW_MARK_PREFIX "purged:"
enum { ROW_MARK = 24 }; /* its length with a terminator */

#endif
