/* Rows on their way into the database; all inside a transaction of the caller. */
#include "store/store_parts.h"

#include <stdio.h>

/* ---- values are bound in order; the first failure is kept until row_end() ---- */

struct row {
    struct store *store;
    sqlite3_stmt *statement;
    int column, rc;
};

/* SCENT_E_IO outside of a transaction. */
static scent_status row_start(struct row *row, struct store *store, enum schema_statement which, struct errmsg *err)
{
    *row = (struct row){.store = store};
    SCENT_BUG_IF(store->mode < STORE_CHANGE);
    if (sqlite3_get_autocommit(store->db))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to %s: there is no transaction, or it has failed before",
                           store->path);
    return store_statement(store, which, &row->statement, err);
}

static scent_status row_end(struct row *row, struct errmsg *err)
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

static void row_add_int(struct row *row, int64_t value)
{
    note_result(row, sqlite3_bind_int64(row->statement, ++row->column, value));
}

/* NaN becomes NULL. */
static void row_add_real(struct row *row, double value)
{
    note_result(row, sqlite3_bind_double(row->statement, ++row->column, value));
}

static void row_add_null(struct row *row)
{
    note_result(row, sqlite3_bind_null(row->statement, ++row->column));
}

static void row_add_blob(struct row *row, struct str value)
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

/* What is not UTF-8, or holds a zero byte, is kept byte for byte as a blob: text functions would misread it. */
static void row_add_text(struct row *row, struct str value)
{
    if (!is_text(value))
        row_add_blob(row, value);
    else
        note_result(row, sqlite3_bind_text64(row->statement, ++row->column, value.len ? value.p : "", value.len,
                                             SQLITE_STATIC, SQLITE_UTF8));
}

/* NULL when there is none: one byte less, and what people expect. */
static void row_add_optional(struct row *row, struct str value)
{
    if (value.len)
        row_add_text(row, value);
    else
        row_add_null(row);
}

static void row_add_optional_int(struct row *row, uint64_t value)
{
    if (value)
        row_add_int(row, (int64_t)value);
    else
        row_add_null(row);
}

static struct str row_mark(uint64_t hash, char out[ROW_MARK])
{
    int len = snprintf(out, ROW_MARK, ROW_MARK_PREFIX "%016llx", (unsigned long long)hash);

    return (struct str){out, (size_t)len};
}

/* ---- tables ---- */

enum { ANCHOR_MAX = 256 };

static void add_own(struct row *row, const struct store_url *url)
{
    static const uint8_t zero[sizeof url->own];

    if (memcmp(url->own, zero, sizeof zero) == 0)
        row_add_null(row);
    else
        row_add_blob(row, (struct str){(const char *)url->own, sizeof url->own});
}

static void add_parts(struct row *row, const struct store_url *url)
{
    if (url->parts.len)
        row_add_blob(row, url->parts);
    else
        row_add_null(row);
}

static void add_state(struct row *row, const struct store_url *url)
{
    row_add_text(row, str_of(store_url_state_text(url->state)));
}

scent_status store_add_host(struct store *store, uint32_t id, struct str name, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_HOST, err));
    row_add_int(&row, row_id(id));
    row_add_text(&row, name);
    return row_end(&row, err);
}

scent_status store_add_url(struct store *store, const struct store_url *url, struct errmsg *err)
{
    char mark[ROW_MARK];
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_URL, err));
    row_add_int(&row, row_id(url->id));
    row_add_text(&row, url->state == STORE_PURGED ? row_mark(url->purged, mark) : url->url);
    row_add_int(&row, row_id(url->host));
    add_state(&row, url);
    row_add_real(&row, (double)url->priority);
    row_add_int(&row, url->depth);
    row_add_int(&row, url->off_domain);
    row_add_int(&row, url->redirects);
    row_add_int(&row, url->tries);
    row_add_int(&row, url->flags);
    if (url->parent == STORE_NO_PARENT)
        row_add_null(&row);
    else
        row_add_int(&row, row_id(url->parent));
    add_own(&row, url);
    row_add_optional(&row, url->error);
    add_parts(&row, url);
    return row_end(&row, err);
}

scent_status store_update_url(struct store *store, const struct store_url *url, struct errmsg *err)
{
    struct row row;
    scent_status status;

    SCENT_TRY(row_start(&row, store, SCHEMA_UPDATE_URL, err));
    add_state(&row, url);
    row_add_real(&row, (double)url->priority);
    row_add_int(&row, url->depth);
    row_add_int(&row, url->off_domain);
    row_add_int(&row, url->redirects);
    row_add_int(&row, url->tries);
    row_add_int(&row, url->flags);
    add_own(&row, url);
    row_add_optional(&row, url->error);
    add_parts(&row, url);
    row_add_int(&row, row_id(url->id));
    status = row_end(&row, err);
    if (status == SCENT_OK && sqlite3_changes64(store->db) != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no url row %lu", store->path, (unsigned long)url->id + 1);
    return status;
}

static void add_judgement(struct row *row, const struct store_page *page)
{
    row_add_int(row, page->counted);
    row_add_int(row, page->relevant);
    row_add_real(row, page->score);
    row_add_real(row, (double)page->priority);
    row_add_int(row, page->judge_version);
}

static void add_archive(struct row *row, const struct store_page *page)
{
    if (page->warc_length) {
        row_add_optional(row, page->warc_file);
        row_add_int(row, (int64_t)page->warc_offset);
        row_add_int(row, (int64_t)page->warc_length);
        return;
    }
    for (int i = 0; i < 3; i++)
        row_add_null(row);
}

scent_status store_add_page(struct store *store, const struct store_page *page, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_PAGE, err));
    row_add_int(&row, (int64_t)page->number);
    row_add_int(&row, row_id(page->url));
    row_add_int(&row, page->wall);
    row_add_int(&row, page->status);
    add_judgement(&row, page);
    row_add_optional(&row, page->mime);
    row_add_optional(&row, page->charset);
    row_add_optional(&row, page->lang);
    row_add_int(&row, (int64_t)page->bytes);
    row_add_int(&row, page->words);
    row_add_int(&row, page->links);
    row_add_int(&row, page->took_us);
    row_add_optional(&row, page->ip);
    row_add_optional(&row, page->digest);
    add_archive(&row, page);
    row_add_optional(&row, page->title);
    row_add_optional_int(&row, page->simhash);
    row_add_optional_int(&row, page->duplicate_of);
    row_add_optional(&row, page->etag);
    row_add_optional(&row, page->last_modified);
    row_add_optional_int(&row, page->robots);
    row_add_optional_int(&row, page->previous);
    row_add_optional_int(&row, page->replaced_by);
    for (int i = 0; i < 3; i++)
        row_add_null(&row); /* the first verdict: it is this one */
    return row_end(&row, err);
}

scent_status store_judge_page(struct store *store, uint64_t number, bool relevant, double score, uint32_t judge,
                              struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_JUDGE_PAGE, err));
    row_add_int(&row, relevant);
    row_add_real(&row, score);
    row_add_int(&row, judge);
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

scent_status store_stamp_page(struct store *store, uint64_t number, uint32_t judge, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_STAMP_PAGE, err));
    row_add_int(&row, judge);
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

scent_status store_add_judge(struct store *store, const struct store_judge *judge, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_JUDGE, err));
    row_add_int(&row, judge->id);
    row_add_int(&row, judge->made);
    row_add_int(&row, (int64_t)judge->digest);
    row_add_text(&row, judge->relevant);
    row_add_optional(&row, judge->query);
    if (judge->counts.len)
        row_add_blob(&row, judge->counts);
    else
        row_add_null(&row);
    return row_end(&row, err);
}

scent_status store_put_blocks(struct store *store, const struct store_blocks *blocks, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, blocks->page ? SCHEMA_PUT_BLOCKS : SCHEMA_PUT_REPEATED, err));
    if (blocks->page)
        row_add_int(&row, (int64_t)blocks->page);
    row_add_int(&row, row_id(blocks->host));
    row_add_blob(&row, blocks->blocks);
    return row_end(&row, err);
}

scent_status store_put_counted(struct store *store, uint64_t page, struct str counted, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_PUT_COUNTED, err));
    row_add_int(&row, (int64_t)page);
    row_add_blob(&row, counted);
    return row_end(&row, err);
}

static scent_status run_plain(struct store *store, enum schema_statement which, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, which, err));
    return row_end(&row, err);
}

scent_status store_clear_repeated(struct store *store, struct errmsg *err)
{
    return run_plain(store, SCHEMA_CLEAR_REPEATED, err);
}

scent_status store_settle_pages(struct store *store, struct errmsg *err)
{
    return run_plain(store, SCHEMA_SETTLE_PAGES, err);
}

/* At most ANCHOR_MAX bytes, not ending within a character. */
static struct str cut_anchor(struct str anchor)
{
    size_t len = ANCHOR_MAX;

    if (anchor.len <= ANCHOR_MAX)
        return anchor;
    while (len > ANCHOR_MAX - 4 && ((unsigned char)anchor.p[len] & 0xC0) == 0x80)
        len--;
    return str_sub(anchor, 0, len);
}

static void add_link(struct row *row, const struct store_link *link)
{
    row_add_int(row, (int64_t)link->page);
    row_add_int(row, row_id(link->target));
    row_add_real(row, (double)link->priority);
    row_add_int(row, link->rel);
    row_add_optional(row, cut_anchor(link->anchor));
}

/* `count` rows by one statement that takes so many. */
static scent_status add_links(struct store *store, enum schema_statement which, const struct store_link *links,
                              size_t count, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, which, err));
    for (size_t i = 0; i < count; i++)
        add_link(&row, &links[i]);
    return row_end(&row, err);
}

scent_status store_add_links(struct store *store, const struct store_link *links, size_t count, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (; status == SCENT_OK && count >= SCHEMA_LINKS; links += SCHEMA_LINKS, count -= SCHEMA_LINKS)
        status = add_links(store, SCHEMA_ADD_LINKS, links, SCHEMA_LINKS, err);
    for (; status == SCENT_OK && count; links++, count--)
        status = add_links(store, SCHEMA_ADD_LINK, links, 1, err);
    return status;
}

scent_status store_add_requisite(struct store *store, const struct store_requisite *requisite, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_REQUISITE, err));
    row_add_int(&row, (int64_t)requisite->page);
    row_add_int(&row, requisite->url == STORE_NO_URL ? 0 : row_id(requisite->url));
    return row_end(&row, err);
}

scent_status store_add_event(struct store *store, int64_t wall, const char *kind, struct str text, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADD_EVENT, err));
    row_add_int(&row, wall);
    row_add_text(&row, str_of(kind));
    row_add_optional(&row, text);
    return row_end(&row, err);
}

scent_status store_set(struct store *store, const char *name, struct str value, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_SET, err));
    row_add_text(&row, str_of(name));
    row_add_blob(&row, value);
    return row_end(&row, err);
}

scent_status store_unset(struct store *store, const char *name, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_UNSET, err));
    row_add_text(&row, str_of(name));
    return row_end(&row, err);
}

/* ---- what a crawl must know of hosts and names to be polite after a restart, and when pages are visited again ---- */

scent_status store_update_host(struct store *store, const struct store_host *host, struct errmsg *err)
{
    struct row row;
    scent_status status;

    SCENT_TRY(row_start(&row, store, SCHEMA_UPDATE_HOST, err));
    row_add_int(&row, host->delay_us);
    row_add_int(&row, host->not_before);
    row_add_int(&row, host->failures);
    row_add_optional(&row, host->ip);
    row_add_int(&row, host->pages);
    row_add_int(&row, row_id(host->id));
    status = row_end(&row, err);
    if (status == SCENT_OK && sqlite3_changes64(store->db) != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no host row %lu", store->path, host->id + 1ul);
    return status;
}

scent_status store_put_robots(struct store *store, const struct store_robots *robots, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_PUT_ROBOTS, err));
    row_add_int(&row, row_id(robots->host));
    row_add_int(&row, robots->secure);
    row_add_int(&row, robots->fetched);
    row_add_int(&row, robots->expires);
    row_add_int(&row, robots->status);
    row_add_blob(&row, robots->rules);
    return row_end(&row, err);
}

scent_status store_put_dns(struct store *store, const struct store_dns *dns, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_PUT_DNS, err));
    row_add_text(&row, dns->name);
    row_add_optional(&row, dns->addresses);
    row_add_int(&row, dns->expires);
    row_add_optional(&row, dns->failure);
    return row_end(&row, err);
}

scent_status store_put_revisit(struct store *store, const struct store_revisit *revisit, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_PUT_REVISIT, err));
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

    SCENT_TRY(row_start(&row, store, SCHEMA_REPLACE_PAGE, err));
    row_add_int(&row, (int64_t)by);
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

scent_status store_set_page_robots(struct store *store, uint64_t number, uint8_t robots, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ASK_PAGE, err));
    row_add_int(&row, robots);
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

scent_status store_fill_revisits(struct store *store, int64_t interval, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_FILL_REVISITS, err));
    row_add_int(&row, interval);
    return row_end(&row, err);
}

scent_status store_bound_revisits(struct store *store, int64_t latest, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_BOUND_REVISITS, err));
    row_add_int(&row, latest);
    return row_end(&row, err);
}

scent_status store_advance_revisits(struct store *store, int64_t by, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, SCHEMA_ADVANCE_REVISITS, err));
    row_add_int(&row, by);
    return row_end(&row, err);
}

/* ---- removing URLs and hosts ----
 *
 * Rows that others count on stay as marks without content, so that ids have no gaps; what is marked is collected in
 * tables of the connection, so that a whole host costs one pass over each table. */

#define PAGES_OF_MARKED "(SELECT number FROM page WHERE url_id IN (SELECT id FROM temp.purge_url))"

static const char *const removals[] = {
    "DELETE FROM link WHERE page_number IN " PAGES_OF_MARKED,
    "UPDATE link SET anchor = NULL WHERE anchor IS NOT NULL AND target_id IN (SELECT id FROM temp.purge_url)",
    "UPDATE page SET duplicate_of = NULL WHERE duplicate_of IN " PAGES_OF_MARKED,
    "DELETE FROM value WHERE name IN (SELECT 'example ' || id FROM temp.purge_url)",
    "DELETE FROM requisite WHERE page_number IN " PAGES_OF_MARKED " OR url_id IN (SELECT id FROM temp.purge_url)",
    "DELETE FROM revisit WHERE url_id IN (SELECT id FROM temp.purge_url)",
    "DELETE FROM block WHERE page_number IN " PAGES_OF_MARKED,
    "DELETE FROM counted WHERE page_number IN " PAGES_OF_MARKED,
    "DELETE FROM repeated WHERE host_id IN (SELECT id FROM temp.purge_host)",
    "UPDATE page SET fetched_us = 0, status = 0, counted = 0, relevant = 0, score = NULL, priority = NULL,"
    " judge_version = 0, mime = NULL, charset = NULL, lang = NULL, bytes = 0, words = 0, links = 0, took_us = 0,"
    " ip = NULL, digest = NULL, warc_file = NULL, warc_offset = NULL, warc_length = NULL, title = NULL,"
    " simhash = NULL, duplicate_of = NULL, etag = NULL, last_modified = NULL, robots = NULL,"
    " previous = NULL, replaced_by = NULL, first_relevant = NULL, first_score = NULL,"
    " first_judge = NULL"
    " WHERE url_id IN (SELECT id FROM temp.purge_url)",
    "UPDATE url SET state = 'purged', priority = NULL, own = NULL, error = NULL, parts = NULL,"
    " url = (SELECT mark FROM temp.purge_url AS marked WHERE marked.id = url.id)"
    " WHERE id IN (SELECT id FROM temp.purge_url)",
    "DELETE FROM robots WHERE host_id IN (SELECT id FROM temp.purge_host)",
    "DELETE FROM dns WHERE EXISTS (SELECT 1 FROM host JOIN temp.purge_host AS marked ON marked.id = host.id"
    " WHERE host.name = dns.name OR host.name GLOB dns.name || ':[0-9]*')",
    "UPDATE host SET delay_us = 0, not_before_us = 0, failures = 0, ip = NULL, pages = 0,"
    " name = (SELECT mark FROM temp.purge_host AS marked WHERE marked.id = host.id)"
    " WHERE id IN (SELECT id FROM temp.purge_host)",
    /* From now on the largest id of a link is not their number. */
    "INSERT OR REPLACE INTO value VALUES('purged', '1')",
};

static scent_status run_purge(struct store *store, const char *sql, struct errmsg *err)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? SCENT_OK : store_fail(store, rc, "purge", err);
}

scent_status store_purge_begin(struct store *store, struct errmsg *err)
{
    /* What is overwritten or freed becomes zeroes at once. */
    SCENT_TRY(run_purge(store, "PRAGMA secure_delete = ON", err));
    SCENT_TRY(store_begin(store, err));
    return run_purge(store,
                     "CREATE TEMP TABLE IF NOT EXISTS purge_url(id INTEGER PRIMARY KEY, mark TEXT);"
                     "CREATE TEMP TABLE IF NOT EXISTS purge_host(id INTEGER PRIMARY KEY, mark TEXT);"
                     "DELETE FROM temp.purge_url; DELETE FROM temp.purge_host",
                     err);
}

static scent_status add_mark(struct store *store, enum schema_statement which, uint32_t id, uint64_t hash,
                             struct errmsg *err)
{
    char mark[ROW_MARK];
    struct row row;

    SCENT_TRY(row_start(&row, store, which, err));
    row_add_int(&row, row_id(id));
    row_add_text(&row, row_mark(hash, mark));
    return row_end(&row, err);
}

scent_status store_purge_url(struct store *store, uint32_t id, uint64_t fingerprint, struct errmsg *err)
{
    return add_mark(store, SCHEMA_MARK_URL, id, fingerprint, err);
}

scent_status store_purge_host(struct store *store, uint32_t id, uint64_t hash, struct errmsg *err)
{
    return add_mark(store, SCHEMA_MARK_HOST, id, hash, err);
}

static scent_status forget_text(struct store *store, enum schema_statement which, struct str text, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, which, err));
    row_add_text(&row, text);
    return row_end(&row, err);
}

scent_status store_purge_text(struct store *store, struct str text, struct errmsg *err)
{
    SCENT_TRY(forget_text(store, SCHEMA_FORGET_EVENT, text, err));
    return forget_text(store, SCHEMA_FORGET_ERROR, text, err);
}

scent_status store_purge_rows(struct store *store, struct errmsg *err)
{
    for (size_t i = 0; i < sizeof removals / sizeof *removals; i++)
        SCENT_TRY(run_purge(store, removals[i], err));
    return SCENT_OK;
}

scent_status store_move_page(struct store *store, uint64_t number, struct str warc_file, uint64_t offset,
                             uint64_t length, struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, warc_file.len ? SCHEMA_MOVE_PAGE : SCHEMA_UNARCHIVE_PAGE, err));
    if (warc_file.len) {
        row_add_text(&row, warc_file);
        row_add_int(&row, (int64_t)offset);
        row_add_int(&row, (int64_t)length);
    }
    row_add_int(&row, (int64_t)number);
    return row_end(&row, err);
}

/* Before secure_delete was on, rows that grew or moved left copies of themselves behind: only a database that is
 * written anew holds none. Its WAL held everything too. */
scent_status store_scrub(struct store *store, struct errmsg *err)
{
    SCENT_BUG_IF(!sqlite3_get_autocommit(store->db));
    return run_purge(store, "PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", err);
}
