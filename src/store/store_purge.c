/* Removing URLs and hosts. Rows that others count on stay as marks without content, so that ids have no gaps; what is
 * marked is collected in tables of the connection, so that a whole host costs one pass over each table. */
#include "store/store_parts.h"

#define PAGES_OF_MARKED "(SELECT number FROM page WHERE url_id IN (SELECT id FROM temp.purge_url))"

static const char *const removals[] = {
    "DELETE FROM link WHERE page_number IN " PAGES_OF_MARKED,
    "UPDATE link SET anchor = NULL WHERE anchor IS NOT NULL AND target_id IN (SELECT id FROM temp.purge_url)",
    "UPDATE page SET duplicate_of = NULL WHERE duplicate_of IN " PAGES_OF_MARKED,
    "DELETE FROM value WHERE name IN (SELECT 'example ' || id FROM temp.purge_url)",
    "DELETE FROM revisit WHERE url_id IN (SELECT id FROM temp.purge_url)",
    "UPDATE page SET fetched_us = 0, status = 0, counted = 0, relevant = 0, score = NULL, priority = NULL,"
    " judge_version = 0, mime = NULL, charset = NULL, lang = NULL, bytes = 0, words = 0, links = 0, took_us = 0,"
    " ip = NULL, digest = NULL, warc_file = NULL, warc_offset = NULL, warc_length = NULL, title = NULL,"
    " simhash = NULL, duplicate_of = NULL, etag = NULL, last_modified = NULL, robots = NULL,"
    " previous = NULL, replaced_by = NULL"
    " WHERE url_id IN (SELECT id FROM temp.purge_url)",
    "UPDATE url SET state = 'purged', priority = NULL, own = NULL, error = NULL,"
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
                             struct errmsg *err)
{
    struct row row;

    SCENT_TRY(row_start(&row, store, warc_file.len ? SCHEMA_MOVE_PAGE : SCHEMA_UNARCHIVE_PAGE, err));
    if (warc_file.len) {
        row_add_text(&row, warc_file);
        row_add_int(&row, (int64_t)offset);
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
