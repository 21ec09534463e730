/* Rows on their way out of the database. Texts live until the caller's function returns. */
#include "store/store_parts.h"

#include <math.h>

/* ---- values ---- */

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

scent_status row_walk_all(struct store *store, enum schema_statement which, row_fn *fn, void *ctx,
                                 struct errmsg *err)
{
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, which, &statement, err));
    return row_walk(store, statement, fn, ctx, err);
}

/* The hash; 0 when the text is no such mark. */
static uint64_t row_parse_mark(struct str text)
{
    uint64_t hash = 0;

    if (text.len != ROW_MARK - 1 || !str_starts(text, STR(ROW_MARK_PREFIX)))
        return 0;
    for (size_t i = sizeof ROW_MARK_PREFIX - 1; i < text.len; i++) {
        if (ascii_hex(text.p[i]) < 0 || text.p[i] != ascii_lower(text.p[i]))
            return 0;
        hash = hash << 4 | (uint64_t)ascii_hex(text.p[i]);
    }
    return hash;
}

/* The columns of the table url, in its order, from column `c` on. */
static scent_status row_read_url(sqlite3_stmt *row, int c, struct store_url *url, struct errmsg *err)
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
                              .error = column_str(row, c + 12),
                              .parts = column_str(row, c + 13)};
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

/* ---- tables ---- */

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
    scent_status status;

    SCENT_TRY(store_statement(store, SCHEMA_GET, &statement, err));
    if (sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
        return SCENT_E_NOMEM;
    status = row_walk(store, statement, append_value, out, err);
    if (status == SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no value %s", store->path, name);
    return status == SCENT_E_END ? SCENT_OK : status;
}

struct caller {
    union {
        store_host_fn *host;
        store_url_fn *url;
        store_page_fn *page;
        store_robots_fn *robots;
        store_dns_fn *dns;
        store_revisit_fn *revisit;
        store_due_fn *due;
        store_requisite_fn *requisite;
        store_judge_fn *judge;
        store_blocks_fn *blocks;
        void (*error)(void *ctx, struct str error, uint64_t count);
        scent_status (*file)(void *ctx, struct str warc_file);
    } fn;
    void *ctx;
    bool found;
};

scent_status row_walk_from(struct store *store, enum schema_statement which, int64_t number, row_fn *fn, void *ctx,
                           struct errmsg *err)
{
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, which, &statement, err));
    if (sqlite3_bind_int64(statement, 1, number) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, fn, ctx, err);
}

static scent_status walk_by_text(struct store *store, enum schema_statement which, struct str text, row_fn *fn,
                                 void *ctx, struct errmsg *err)
{
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, which, &statement, err));
    if (sqlite3_bind_text64(statement, 1, text.p, text.len, SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, fn, ctx, err);
}

static scent_status host_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_host host = {.id = column_id(row, 0),
                              .name = column_str(row, 1),
                              .delay_us = sqlite3_column_int64(row, 2),
                              .not_before = sqlite3_column_int64(row, 3),
                              .failures = (uint32_t)column_u64(row, 4),
                              .ip = column_str(row, 5),
                              .pages = (uint32_t)column_u64(row, 6)};

    (void)err;
    host.purged = row_parse_mark(host.name);
    return caller->fn.host(caller->ctx, &host);
}

scent_status store_each_host(struct store *store, store_host_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.host = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_HOST, host_row, &caller, err);
}

static scent_status url_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_url url;

    SCENT_TRY(row_read_url(row, 0, &url, err));
    caller->found = true;
    return caller->fn.url(caller->ctx, &url);
}

scent_status store_each_url(struct store *store, store_url_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.url = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_URL, url_row, &caller, err);
}

scent_status store_find_url(struct store *store, struct str url, store_url_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.url = fn, .ctx = ctx};

    return walk_by_text(store, SCHEMA_FIND_URL, url, url_row, &caller, err);
}

/* One read transaction for all: a lock for each would cost more than the look-up. */
scent_status store_get_urls(struct store *store, const uint32_t *ids, size_t count, store_url_fn *fn, void *ctx,
                            struct errmsg *err)
{
    struct caller caller = {.fn.url = fn, .ctx = ctx};
    bool own = sqlite3_get_autocommit(store->db);
    sqlite3_stmt *statement;
    scent_status status = store_statement(store, SCHEMA_GET_URL, &statement, err);
    int rc = own ? sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) : SQLITE_OK;

    if (status == SCENT_OK && rc != SQLITE_OK)
        status = store_fail(store, rc, "read", err);
    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        rc = sqlite3_bind_int64(statement, 1, row_id(ids[i]));
        caller.found = false;
        status = rc == SQLITE_OK ? row_walk(store, statement, url_row, &caller, err) : SCENT_E_NOMEM;
        if (status == SCENT_OK && !caller.found)
            status = errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no url row %lu", store->path, ids[i] + 1ul);
    }
    if (own)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
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
                                .title = column_str(row, 21),
                                .simhash = column_u64(row, 22),
                                .duplicate_of = column_u64(row, 23),
                                .etag = column_str(row, 24),
                                .last_modified = column_str(row, 25),
                                .robots = (uint8_t)sqlite3_column_int(row, 26),
                                .previous = column_u64(row, 27),
                                .replaced_by = column_u64(row, 28)};
    page->first_relevant = sqlite3_column_type(row, 29) == SQLITE_NULL ? page->relevant : sqlite3_column_int(row, 29);
    page->first_score = sqlite3_column_type(row, 30) == SQLITE_NULL ? page->score : column_real(row, 30);
    page->first_judge =
        sqlite3_column_type(row, 31) == SQLITE_NULL ? page->judge_version : (uint32_t)column_u64(row, 31);
}

enum { PAGE_COLUMNS = 32 };

static scent_status page_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_page page;
    struct store_url url;

    SCENT_TRY(row_read_url(row, PAGE_COLUMNS, &url, err));
    read_page(row, &page);
    return caller->fn.page(caller->ctx, &page, &url);
}

scent_status store_each_page(struct store *store, uint64_t after, store_page_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_EACH_PAGE, after < INT64_MAX ? (int64_t)after : INT64_MAX, page_row, &caller,
                          err);
}

scent_status store_get_page(struct store *store, uint64_t number, store_page_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_GET_PAGE, (int64_t)number, page_row, &caller, err);
}

scent_status store_each_flagged_page(struct store *store, uint8_t flags, store_page_fn *fn, void *ctx,
                                     struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_EACH_FLAGGED_PAGE, flags, page_row, &caller, err);
}

scent_status store_each_stale_page(struct store *store, uint64_t after, uint32_t judge, store_page_fn *fn, void *ctx,
                                   struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, SCHEMA_EACH_STALE_PAGE, &statement, err));
    if (sqlite3_bind_int64(statement, 1, (int64_t)after) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 2, judge) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, page_row, &caller, err);
}

scent_status store_each_page_of(struct store *store, uint32_t url, store_page_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_EACH_PAGE_OF, row_id(url), page_row, &caller, err);
}

scent_status store_each_page_in(struct store *store, struct str warc_file, store_page_fn *fn, void *ctx,
                                struct errmsg *err)
{
    struct caller caller = {.fn.page = fn, .ctx = ctx};

    return walk_by_text(store, SCHEMA_EACH_PAGE_IN, warc_file, page_row, &caller, err);
}

/* ---- judges, and what they look at ---- */

static scent_status judge_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_judge judge = {.id = (uint32_t)column_u64(row, 0),
                                .made = sqlite3_column_int64(row, 1),
                                .digest = (uint64_t)sqlite3_column_int64(row, 2),
                                .relevant = column_str(row, 4),
                                .query = column_str(row, 5),
                                .counts = column_str(row, 6)};

    (void)err;
    return caller->fn.judge(caller->ctx, &judge);
}

scent_status store_each_judge(struct store *store, store_judge_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.judge = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_JUDGE, judge_row, &caller, err);
}

static scent_status blocks_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_blocks blocks = {
        .page = column_u64(row, 0), .host = column_id(row, 1), .blocks = column_str(row, 2)};

    (void)err;
    return caller->fn.blocks(caller->ctx, &blocks);
}

scent_status store_each_blocks(struct store *store, store_blocks_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.blocks = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_BLOCKS, blocks_row, &caller, err);
}

scent_status store_get_blocks(struct store *store, uint64_t page, store_blocks_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.blocks = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_GET_BLOCKS, (int64_t)page, blocks_row, &caller, err);
}

scent_status store_get_counted(struct store *store, uint64_t page, store_blocks_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.blocks = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_GET_COUNTED, (int64_t)page, blocks_row, &caller, err);
}

scent_status store_each_repeated(struct store *store, store_blocks_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.blocks = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_REPEATED, blocks_row, &caller, err);
}

static scent_status file_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;

    (void)err;
    return caller->fn.file(caller->ctx, column_str(row, 0));
}

scent_status store_each_file(struct store *store, scent_status (*fn)(void *ctx, struct str warc_file), void *ctx,
                             struct errmsg *err)
{
    struct caller caller = {.fn.file = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_FILE, file_row, &caller, err);
}

scent_status store_each_url_from(struct store *store, uint32_t id, store_url_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.url = fn, .ctx = ctx};

    return row_walk_from(store, SCHEMA_URLS_FROM, row_id(id), url_row, &caller, err);
}

static scent_status requisite_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_requisite requisite = {.page = column_u64(row, 0), .url = column_id(row, 1)};

    (void)err;
    return caller->fn.requisite(caller->ctx, &requisite);
}

scent_status store_each_requisite(struct store *store, store_requisite_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.requisite = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_REQUISITE, requisite_row, &caller, err);
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

    return row_walk_all(store, SCHEMA_EACH_ERROR, error_row, &caller, err);
}

static scent_status count_pages(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_counts *counts = ctx;

    (void)err;
    counts->responses = column_u64(row, 0);
    counts->pages = column_u64(row, 1);
    counts->relevant = column_u64(row, 2);
    counts->waiting = column_u64(row, 3);
    return SCENT_OK;
}

static scent_status count_judged(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_judged *judged = ctx;

    (void)err;
    *judged = (struct store_judged){column_u64(row, 0), column_u64(row, 1), (uint32_t)column_u64(row, 2)};
    return SCENT_OK;
}

scent_status store_count_judged(struct store *store, struct store_judged *out, struct errmsg *err)
{
    return row_walk_all(store, SCHEMA_COUNT_JUDGED, count_judged, out, err);
}

static scent_status count_state(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_counts *counts = ctx;
    enum store_url_state state;

    if (!store_parse_state(column_str(row, 0), &state))
        return errmsg_fail(err, SCENT_E_FORMAT, "url rows have the unknown state \"%.*s\"",
                           STR_ARG(column_str(row, 0)));
    ++*(sqlite3_column_int(row, 1) ? &counts->requisites[state] : &counts->urls[state]);
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
    status = row_walk_all(store, SCHEMA_COUNT_PAGES, count_pages, out, err);
    if (status == SCENT_OK)
        status = row_walk_all(store, SCHEMA_COUNT_URLS, count_state, out, err);
    if (status == SCENT_OK)
        status = row_walk_all(store, SCHEMA_COUNT_REST, count_rest, out, err);
    if (own)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

scent_status store_count_links(struct store *store, uint64_t *out, struct errmsg *err)
{
    struct store_counts counts = {0};
    scent_status status = row_walk_all(store, SCHEMA_COUNT_REST, count_rest, &counts, err);

    *out = counts.links;
    return status;
}

/* ---- robots, names, revisits ---- */

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

static scent_status robots_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_robots robots = {.host = column_id(row, 0),
                                  .secure = sqlite3_column_int(row, 1),
                                  .fetched = sqlite3_column_int64(row, 2),
                                  .expires = sqlite3_column_int64(row, 3),
                                  .status = sqlite3_column_int(row, 4),
                                  .rules = column_str(row, 5)};

    (void)err;
    return caller->fn.robots(caller->ctx, &robots);
}

scent_status store_each_robots(struct store *store, store_robots_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.robots = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_ROBOTS, robots_row, &caller, err);
}

static scent_status dns_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_dns dns = {.name = column_str(row, 0),
                            .addresses = column_str(row, 1),
                            .expires = sqlite3_column_int64(row, 2),
                            .failure = column_str(row, 3)};

    (void)err;
    return caller->fn.dns(caller->ctx, &dns);
}

scent_status store_each_dns(struct store *store, store_dns_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.dns = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_DNS, dns_row, &caller, err);
}

static scent_status revisit_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_revisit revisit = read_revisit(row);

    (void)err;
    return caller->fn.revisit(caller->ctx, &revisit);
}

scent_status store_each_revisit(struct store *store, store_revisit_fn *fn, void *ctx, struct errmsg *err)
{
    struct caller caller = {.fn.revisit = fn, .ctx = ctx};

    return row_walk_all(store, SCHEMA_EACH_REVISIT, revisit_row, &caller, err);
}

static scent_status due_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct caller *caller = ctx;
    struct store_revisit revisit = read_revisit(row);
    struct store_url url;

    SCENT_TRY(row_read_url(row, REVISIT_COLUMNS, &url, err));
    return caller->fn.due(caller->ctx, &revisit, &url);
}

scent_status store_each_due(struct store *store, const struct store_revisit *after, store_due_fn *fn, void *ctx,
                            struct errmsg *err)
{
    struct caller caller = {.fn.due = fn, .ctx = ctx};
    sqlite3_stmt *statement;

    SCENT_TRY(store_statement(store, SCHEMA_EACH_DUE, &statement, err));
    if (sqlite3_bind_int64(statement, 1, after->next) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 2, row_id(after->url)) != SQLITE_OK)
        return SCENT_E_NOMEM;
    return row_walk(store, statement, due_row, &caller, err);
}

static scent_status count_revisits(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct store_revisit_counts *counts = ctx;

    (void)err;
    counts->pages = column_u64(row, 0);
    counts->due = column_u64(row, 1);
    counts->next = sqlite3_column_int64(row, 2);
    return SCENT_OK;
}

scent_status store_count_revisits(struct store *store, int64_t now, struct store_revisit_counts *out,
                                  struct errmsg *err)
{
    *out = (struct store_revisit_counts){0};
    return row_walk_from(store, SCHEMA_COUNT_REVISITS, now, count_revisits, out, err);
}
