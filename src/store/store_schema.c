/* Every line of SQL that the store runs. */
#include "store/store_parts.h"

#include <stddef.h>

/* Of a table, rows are only appended or changed in place, and the row id is the only key: that is the cheapest
 * insert that SQLite has. WITHOUT ROWID would save a link's row id (4 bytes) and cost a key comparison by
 * record and splits in the middle. A table holds numbers; the view with its plural's name shows texts and dates. */
/* What version 2 added, so that a new database and one that was brought up to it are the same. */
#define TABLES_OF_2                                                                                                    \
    "CREATE TABLE robots("                                                                                             \
    " host_id INTEGER PRIMARY KEY,"                                                                                    \
    " fetched_us INTEGER NOT NULL,"                                                                                    \
    " expires_us INTEGER NOT NULL,"                                                                                    \
    " status INTEGER NOT NULL,"                                                                                        \
    " rules BLOB);"                                                                                                    \
                                                                                                                       \
    "CREATE TABLE dns("                                                                                                \
    " name TEXT PRIMARY KEY,"                                                                                          \
    " addresses TEXT,"                                                                                                 \
    " expires_us INTEGER NOT NULL,"                                                                                    \
    " failure TEXT) WITHOUT ROWID;"                                                                                    \
                                                                                                                       \
    "CREATE TABLE revisit("                                                                                            \
    " url_id INTEGER PRIMARY KEY,"                                                                                     \
    " page_number INTEGER NOT NULL,"                                                                                   \
    " next_visit_us INTEGER NOT NULL,"                                                                                 \
    " visits INTEGER NOT NULL,"                                                                                        \
    " changes INTEGER NOT NULL);"

#define DATE(column) "strftime('%Y-%m-%dT%H:%M:%SZ', " column " / 1000000, 'unixepoch')"

#define VIEWS_OF_2                                                                                                     \
    "CREATE VIEW hosts AS"                                                                                             \
    " SELECT id, name, pages, failures, delay_us / 1000 AS delay_ms,"                                                  \
    "  CASE WHEN not_before_us THEN " DATE("not_before_us") " END AS not_before, ip FROM host;"                        \
                                                                                                                       \
    "CREATE VIEW revisits AS"                                                                                          \
    " SELECT url.url, " DATE("revisit.next_visit_us") " AS next_visit, revisit.visits, revisit.changes"                \
    " FROM revisit LEFT JOIN url ON url.id = revisit.url_id;"

#define VIEWS_OF_3                                                                                                     \
    "CREATE VIEW pages AS"                                                                                             \
    " SELECT page.number, " DATE("page.fetched_us") " AS fetched,"                                                     \
    "  page.status, page.counted, page.relevant, page.score, page.priority, url.url, page.title, host.name AS host,"   \
    "  url.depth, page.mime, page.charset, page.lang, page.bytes, page.words, page.links,"                             \
    "  page.took_us / 1000 AS took_ms, page.ip, page.digest, page.warc_file, page.warc_offset, page.warc_length,"      \
    "  page.duplicate_of, page.etag, page.last_modified, page.robots"                                                  \
    " FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN host ON host.id = url.host_id;"                        \
                                                                                                                       \
    "CREATE VIEW relevant AS"                                                                                          \
    " SELECT number, fetched, score, url, title, host, depth, lang, bytes, words, warc_file, warc_offset, warc_length" \
    " FROM pages WHERE relevant AND counted AND NOT coalesce(robots, 0) & 1;"

/* What version 4 added: pages are visited again. The index is the only one: who is due next is asked all the time, and
 * the rows are in the order of URLs. */
#define CHANGES_OF_4                                                                                                   \
    "ALTER TABLE page ADD COLUMN previous INTEGER;"                                                                    \
    "ALTER TABLE page ADD COLUMN replaced_by INTEGER;"                                                                 \
    "ALTER TABLE revisit ADD COLUMN first_visit_us INTEGER NOT NULL DEFAULT 0;"                                        \
    "ALTER TABLE revisit ADD COLUMN last_visit_us INTEGER NOT NULL DEFAULT 0;"                                         \
    "CREATE INDEX revisit_next ON revisit(next_visit_us);"                                                             \
    "DROP VIEW pages;"                                                                                                 \
    "CREATE VIEW pages AS"                                                                                             \
    " SELECT page.number, " DATE("page.fetched_us") " AS fetched,"                                                     \
    "  page.status, page.counted, page.relevant, page.score, page.priority, url.url, page.title, host.name AS host,"   \
    "  url.depth, page.mime, page.charset, page.lang, page.bytes, page.words, page.links,"                             \
    "  page.took_us / 1000 AS took_ms, page.ip, page.digest, page.warc_file, page.warc_offset, page.warc_length,"      \
    "  page.duplicate_of, page.etag, page.last_modified, page.robots, page.previous, page.replaced_by"                 \
    " FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN host ON host.id = url.host_id;"                        \
    "DROP VIEW revisits;"                                                                                              \
    "CREATE VIEW revisits AS"                                                                                          \
    " SELECT url.url, " DATE("revisit.next_visit_us") " AS next_visit, revisit.visits, revisit.changes,"               \
    "  " DATE("revisit.first_visit_us") " AS first_visit, " DATE("revisit.last_visit_us") " AS last_visit"             \
    " FROM revisit LEFT JOIN url ON url.id = revisit.url_id;"

/* What version 5 changed: a robots.txt is for a host and a scheme. The rules, which are valid for a day, are read
 * again. */
#define CHANGES_OF_5                                                                                                   \
    "DROP TABLE robots;"                                                                                               \
    "CREATE TABLE robots("                                                                                             \
    " host_id INTEGER NOT NULL,"                                                                                       \
    " secure INTEGER NOT NULL,"                                                                                        \
    " fetched_us INTEGER NOT NULL,"                                                                                    \
    " expires_us INTEGER NOT NULL,"                                                                                    \
    " status INTEGER NOT NULL,"                                                                                        \
    " rules BLOB,"                                                                                                     \
    " PRIMARY KEY(host_id, secure)) WITHOUT ROWID;"

/* What version 7 added: which judge has judged a page, and what it takes to judge it again. Blocks are in a table of
 * their own, since most walks over the pages have no use for them. */
#define CHANGES_OF_7                                                                                                   \
    "ALTER TABLE page ADD COLUMN first_relevant INTEGER;"                                                              \
    "ALTER TABLE page ADD COLUMN first_score REAL;"                                                                    \
    "ALTER TABLE page ADD COLUMN first_judge INTEGER;"                                                                 \
    "CREATE TABLE judge("                                                                                              \
    " id INTEGER PRIMARY KEY,"                                                                                         \
    " made_us INTEGER NOT NULL,"                                                                                       \
    " digest INTEGER NOT NULL,"                                                                                        \
    " repeated INTEGER NOT NULL,"                                                                                      \
    " relevant TEXT NOT NULL,"                                                                                         \
    " query TEXT,"                                                                                                     \
    " counts BLOB);"                                                                                                   \
    "CREATE TABLE block("                                                                                              \
    " page_number INTEGER PRIMARY KEY,"                                                                                \
    " host_id INTEGER NOT NULL,"                                                                                       \
    " blocks BLOB NOT NULL);"                                                                                          \
    "CREATE TABLE repeated("                                                                                           \
    " host_id INTEGER PRIMARY KEY,"                                                                                    \
    " blocks BLOB NOT NULL);"                                                                                          \
    "CREATE VIEW judges AS"                                                                                            \
    " SELECT judge.id, " DATE("judge.made_us") " AS made, judge.relevant, judge.query, count(page.number) AS pages"    \
    " FROM judge LEFT JOIN page ON page.judge_version = judge.id AND page.counted GROUP BY judge.id;"                  \
    "DROP VIEW pages;"                                                                                                 \
    "CREATE VIEW pages AS"                                                                                             \
    " SELECT page.number, " DATE("page.fetched_us") " AS fetched,"                                                     \
    "  page.status, page.counted, page.relevant, page.score, page.judge_version AS judge, page.priority, url.url,"     \
    "  page.title, host.name AS host,"                                                                                 \
    "  url.depth, page.mime, page.charset, page.lang, page.bytes, page.words, page.links,"                             \
    "  page.took_us / 1000 AS took_ms, page.ip, page.digest, page.warc_file, page.warc_offset, page.warc_length,"      \
    "  page.duplicate_of, page.etag, page.last_modified, page.robots, page.previous, page.replaced_by,"                \
    "  page.first_relevant, page.first_score, page.first_judge"                                                        \
    " FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN host ON host.id = url.host_id;"

/* What version 8 added: what a priority was made of when it was given. */
#define CHANGES_OF_8 "ALTER TABLE url ADD COLUMN parts BLOB;"

/* What version 9 added: the files that pages need to look as they did. No index by URL: who asks, asks for all. */
#define CHANGES_OF_9                                                                                                   \
    "CREATE TABLE requisite("                                                                                          \
    " page_number INTEGER NOT NULL,"                                                                                   \
    " url_id INTEGER NOT NULL,"                                                                                        \
    " PRIMARY KEY(page_number, url_id)) WITHOUT ROWID;"                                                                \
    "CREATE VIEW requisites AS"                                                                                        \
    " SELECT source.url AS source, target.url, target.state, target.error"                                             \
    " FROM requisite JOIN url AS target ON target.id = requisite.url_id"                                               \
    " JOIN page ON page.number = requisite.page_number JOIN url AS source ON source.id = page.url_id;"

/* What version 10 added: what a worker tells the others, and how far it has read what they told. */
#define CHANGES_OF_10                                                                                                  \
    "CREATE TABLE outgoing("                                                                                           \
    " id INTEGER PRIMARY KEY,"                                                                                         \
    " kind INTEGER NOT NULL,"                                                                                          \
    " part INTEGER NOT NULL,"                                                                                          \
    " body BLOB NOT NULL);"                                                                                            \
    "CREATE TABLE place("                                                                                              \
    " part INTEGER PRIMARY KEY,"                                                                                       \
    " epoch INTEGER NOT NULL,"                                                                                         \
    " xid INTEGER NOT NULL,"                                                                                           \
    " row INTEGER NOT NULL,"                                                                                           \
    " applied INTEGER NOT NULL);"

/* What version 11 added: the counts of the query's terms on each page, so that its pages need not be read again when
 * only the statistics have changed. */
#define CHANGES_OF_11 "CREATE TABLE counted( page_number INTEGER PRIMARY KEY, counts BLOB NOT NULL);"

const char schema_create[] =
    "CREATE TABLE host("
    " id INTEGER PRIMARY KEY,"
    " name TEXT NOT NULL,"
    " delay_us INTEGER NOT NULL DEFAULT 0,"
    " not_before_us INTEGER NOT NULL DEFAULT 0,"
    " failures INTEGER NOT NULL DEFAULT 0,"
    " ip TEXT,"
    " pages INTEGER NOT NULL DEFAULT 0);"

    "CREATE TABLE url("
    " id INTEGER PRIMARY KEY,"
    " url TEXT NOT NULL,"
    " host_id INTEGER NOT NULL,"
    " state TEXT NOT NULL,"
    " priority REAL,"
    " depth INTEGER NOT NULL,"
    " off_domain INTEGER NOT NULL,"
    " redirects INTEGER NOT NULL,"
    " tries INTEGER NOT NULL,"
    " flags INTEGER NOT NULL,"
    " parent_id INTEGER,"
    " own BLOB,"
    " error TEXT);"

    "CREATE TABLE page("
    " number INTEGER PRIMARY KEY,"
    " url_id INTEGER NOT NULL,"
    " fetched_us INTEGER NOT NULL,"
    " status INTEGER NOT NULL,"
    " counted INTEGER NOT NULL,"
    " relevant INTEGER NOT NULL,"
    " score REAL,"
    " priority REAL,"
    " judge_version INTEGER NOT NULL,"
    " mime TEXT,"
    " charset TEXT,"
    " lang TEXT,"
    " bytes INTEGER NOT NULL,"
    " words INTEGER NOT NULL,"
    " links INTEGER NOT NULL,"
    " took_us INTEGER NOT NULL,"
    " ip TEXT,"
    " digest TEXT,"
    " warc_file TEXT,"
    " warc_offset INTEGER,"
    " warc_length INTEGER,"
    " title TEXT,"
    " simhash INTEGER,"
    " duplicate_of INTEGER,"
    " etag TEXT,"
    " last_modified TEXT,"
    " robots INTEGER);"

    "CREATE TABLE link("
    " id INTEGER PRIMARY KEY,"
    " page_number INTEGER NOT NULL,"
    " target_id INTEGER NOT NULL,"
    " priority REAL,"
    " rel INTEGER NOT NULL,"
    " anchor TEXT);"

    "CREATE TABLE event("
    " id INTEGER PRIMARY KEY,"
    " time_us INTEGER NOT NULL,"
    " kind TEXT NOT NULL,"
    " text TEXT);"

    "CREATE TABLE value("
    " name TEXT PRIMARY KEY,"
    " value BLOB);"

    "CREATE VIEW urls AS"
    " SELECT url.id, url.url, host.name AS host, url.state, url.priority, url.depth, url.tries,"
    "  parent.url AS found_on, url.error"
    " FROM url LEFT JOIN host ON host.id = url.host_id LEFT JOIN url AS parent ON parent.id = url.parent_id;"

    "CREATE VIEW links AS"
    " SELECT link.id, source.url AS source, target.url AS target, link.anchor, link.priority, link.rel"
    " FROM link LEFT JOIN page ON page.number = link.page_number"
    " LEFT JOIN url AS source ON source.id = page.url_id LEFT JOIN url AS target ON target.id = link.target_id;"

    "CREATE VIEW events AS"
    " SELECT id, " DATE("time_us") " AS time, kind, text FROM event;"

    TABLES_OF_2 VIEWS_OF_2 VIEWS_OF_3 CHANGES_OF_4 CHANGES_OF_5 CHANGES_OF_7 CHANGES_OF_8 CHANGES_OF_9
    CHANGES_OF_10 CHANGES_OF_11;

/* Only what the schema says is changed, no row: it costs the same for any number of rows. */
const char *const schema_migrations[STORE_VERSION] = {
    [1] = "ALTER TABLE host ADD COLUMN delay_us INTEGER NOT NULL DEFAULT 0;"
          "ALTER TABLE host ADD COLUMN not_before_us INTEGER NOT NULL DEFAULT 0;"
          "ALTER TABLE host ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;"
          "ALTER TABLE host ADD COLUMN ip TEXT;"
          "ALTER TABLE host ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;"
          "ALTER TABLE page ADD COLUMN simhash INTEGER;"
          "ALTER TABLE page ADD COLUMN duplicate_of INTEGER;"
          "ALTER TABLE page ADD COLUMN etag TEXT;"
          "ALTER TABLE page ADD COLUMN last_modified TEXT;"
          TABLES_OF_2 VIEWS_OF_2,
    [2] = "ALTER TABLE page ADD COLUMN robots INTEGER;"
          "DROP VIEW pages; DROP VIEW relevant;" VIEWS_OF_3,
    [3] = CHANGES_OF_4,
    [4] = CHANGES_OF_5,
    [5] = "", /* pages with checksums: of new databases alone (page_sums.h) */
    [6] = CHANGES_OF_7,
    [7] = CHANGES_OF_8,
    [8] = CHANGES_OF_9,
    [9] = CHANGES_OF_10,
    [10] = CHANGES_OF_11,
};

#define URL_AS_IF_NEW "CREATE TEMP VIEW url AS SELECT *, NULL AS parts FROM main.url;"
#define ROBOTS_AS_IF_NEW                                                                                               \
    "CREATE TEMP VIEW robots AS SELECT host_id, 0 AS secure, fetched_us, expires_us, status, rules FROM main.robots;"
#define REVISIT_AS_IF_NEW                                                                                              \
    "CREATE TEMP VIEW revisit AS SELECT *, 0 AS first_visit_us, 0 AS last_visit_us FROM main.revisit;"
#define COUNTED_AS_IF_NEW "CREATE TEMP VIEW counted AS SELECT 0 AS page_number, NULL AS counts WHERE 0;"
#define PLACES_AS_IF_NEW                                                                                               \
    "CREATE TEMP VIEW outgoing AS SELECT 0 AS id, 0 AS kind, 0 AS part, NULL AS body WHERE 0;"                         \
    "CREATE TEMP VIEW place AS SELECT 0 AS part, 0 AS epoch, 0 AS xid, 0 AS row, 0 AS applied WHERE 0;"                \
    COUNTED_AS_IF_NEW
#define REQUISITES_AS_IF_NEW                                                                                           \
    "CREATE TEMP VIEW requisite AS SELECT 0 AS page_number, 0 AS url_id WHERE 0;" PLACES_AS_IF_NEW
#define JUDGES_AS_IF_NEW                                                                                               \
    "CREATE TEMP VIEW judge AS SELECT 0 AS id, 0 AS made_us, 0 AS digest, 0 AS repeated, '' AS relevant,"              \
    " NULL AS query, NULL AS counts WHERE 0;"                                                                          \
    "CREATE TEMP VIEW block AS SELECT 0 AS page_number, 0 AS host_id, NULL AS blocks WHERE 0;"                         \
    "CREATE TEMP VIEW repeated AS SELECT 0 AS host_id, NULL AS blocks WHERE 0;"                                        \
    REQUISITES_AS_IF_NEW
#define PAGE_AS_IF_NEW(columns)                                                                                        \
    "CREATE TEMP VIEW page AS SELECT *, " columns "NULL AS first_relevant, NULL AS first_score, NULL AS first_judge"   \
    " FROM main.page;"                                                                                                 \
    JUDGES_AS_IF_NEW URL_AS_IF_NEW

/* Views in the connection's own schema, which come before the tables of the file: a reader sees an old database as if
 * it were a new one. */
const char *const schema_as_if_new[STORE_VERSION] = {
    [1] = "CREATE TEMP VIEW host AS SELECT id, name, 0 AS delay_us, 0 AS not_before_us, 0 AS failures, NULL AS ip,"
          " 0 AS pages FROM main.host;"
          PAGE_AS_IF_NEW("NULL AS simhash, NULL AS duplicate_of, NULL AS etag, NULL AS last_modified, NULL AS robots,"
                         " NULL AS previous, NULL AS replaced_by, ")
          "CREATE TEMP VIEW robots AS SELECT NULL AS host_id, 0 AS secure, 0 AS fetched_us, 0 AS expires_us,"
          " 0 AS status, NULL AS rules WHERE 0;"
          "CREATE TEMP VIEW dns AS SELECT NULL AS name, NULL AS addresses, 0 AS expires_us, NULL AS failure WHERE 0;"
          "CREATE TEMP VIEW revisit AS SELECT NULL AS url_id, 0 AS page_number, 0 AS next_visit_us, 0 AS visits,"
          " 0 AS changes, 0 AS first_visit_us, 0 AS last_visit_us WHERE 0;",
    [2] = PAGE_AS_IF_NEW("NULL AS robots, NULL AS previous, NULL AS replaced_by, ") REVISIT_AS_IF_NEW ROBOTS_AS_IF_NEW,
    [3] = PAGE_AS_IF_NEW("NULL AS previous, NULL AS replaced_by, ") REVISIT_AS_IF_NEW ROBOTS_AS_IF_NEW,
    [4] = PAGE_AS_IF_NEW("") ROBOTS_AS_IF_NEW,
    [5] = PAGE_AS_IF_NEW(""),
    [6] = PAGE_AS_IF_NEW(""),
    [7] = URL_AS_IF_NEW REQUISITES_AS_IF_NEW,
    [8] = REQUISITES_AS_IF_NEW,
    [9] = PLACES_AS_IF_NEW,
    [10] = COUNTED_AS_IF_NEW,
};

const char schema_before_create[] = "PRAGMA page_size = 4096;"
                                    "PRAGMA journal_mode = WAL;";

/* Measured by tests/perf/store_write (60 to 75 us of CPU a page): page sizes of 8 and 16 KiB are no faster, and a url
 * row that changes costs a page of WAL each; checkpoints at every 1000 pages, SQLite's default, cost 4 us more; a
 * cache of 2 MB costs 5 us more, and 30 where ten scattered url rows change with each page.
 *
 * busy_timeout: who recovers or closes the WAL is in the way for a moment. It comes first: the others may already
 * read the file.
 * synchronous FULL: a commit is on the disk when it returns.
 * wal_autocheckpoint: a page that changes often is copied into the database once for many commits.
 * journal_size_limit: after a burst the WAL gives its space back.
 * cache_size: the right edges of the tables and the url rows that change; 64 MiB.
 * secure_delete: Debian's default is on; nothing that we overwrite is secret, and zeroing costs. */
const char schema_settings_write[] = "PRAGMA busy_timeout = 10000;"
                                     "PRAGMA synchronous = FULL;"
                                     "PRAGMA wal_autocheckpoint = 8192;"
                                     "PRAGMA journal_size_limit = 67108864;"
                                     "PRAGMA cache_size = -65536;"
                                     "PRAGMA secure_delete = OFF;"
                                     "PRAGMA temp_store = MEMORY;";

const char schema_settings_read[] = "PRAGMA busy_timeout = 10000;"
                                    "PRAGMA cache_size = -65536;"
                                    "PRAGMA temp_store = MEMORY;";

#define LINK "(NULL, ?, ?, ?, ?, ?)"
#define FOUR_LINKS LINK "," LINK "," LINK "," LINK

#define OF_REVISITED                                                                                                   \
    "page.fetched_us, page.digest, page.etag, page.last_modified, page.relevant, page.score, page.robots"

#define PAGES "SELECT page.*, url.* FROM page LEFT JOIN url ON url.id = page.url_id"
#define LINKS                                                                                                          \
    "SELECT link.page_number, link.target_id, link.priority, link.rel, link.anchor, source.url, target.url"            \
    " FROM link LEFT JOIN page ON page.number = link.page_number LEFT JOIN url AS source ON source.id = page.url_id"   \
    " LEFT JOIN url AS target ON target.id = link.target_id"

static const char *const statements[SCHEMA_STATEMENTS] = {
    [SCHEMA_BEGIN] = "BEGIN IMMEDIATE",
    [SCHEMA_COMMIT] = "COMMIT",
    [SCHEMA_ADD_HOST] = "INSERT INTO host(id, name) VALUES(?, ?)",
    [SCHEMA_ADD_URL] = "INSERT INTO url VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    /* Where the priority stays what it was it is made of the same. */
    [SCHEMA_UPDATE_URL] = "UPDATE url SET state = ?1, priority = ?2, depth = ?3, off_domain = ?4, redirects = ?5,"
                          " tries = ?6, flags = ?7, own = ?8, error = ?9,"
                          " parts = CASE WHEN priority IS ?2 THEN coalesce(parts, ?10) ELSE ?10 END WHERE id = ?11",
    [SCHEMA_UPDATE_HOST] = "UPDATE host SET delay_us = ?, not_before_us = ?, failures = ?, ip = ?, pages = ?"
                           " WHERE id = ?",
    [SCHEMA_ADD_PAGE] = "INSERT INTO page VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                        " ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    /* The first verdict is what the strategy learned from: it stays. */
    [SCHEMA_JUDGE_PAGE] = "UPDATE page SET first_relevant = coalesce(first_relevant, relevant),"
                          " first_score = coalesce(first_score, score),"
                          " first_judge = coalesce(first_judge, judge_version),"
                          " relevant = ?, score = ?, judge_version = ? WHERE number = ?",
    [SCHEMA_STAMP_PAGE] = "UPDATE page SET judge_version = ? WHERE number = ?",
    [SCHEMA_SETTLE_PAGES] = "UPDATE page SET first_relevant = NULL, first_score = NULL, first_judge = NULL"
                            " WHERE first_judge IS NOT NULL",
    [SCHEMA_ADD_JUDGE] = "INSERT INTO judge VALUES(?, ?, ?, 0, ?, ?, ?)",
    [SCHEMA_EACH_JUDGE] = "SELECT * FROM judge ORDER BY id",
    [SCHEMA_PUT_BLOCKS] = "INSERT OR REPLACE INTO block VALUES(?, ?, ?)",
    [SCHEMA_EACH_BLOCKS] = "SELECT block.* FROM block JOIN page ON page.number = block.page_number"
                           " WHERE page.counted ORDER BY block.page_number",
    [SCHEMA_GET_BLOCKS] = "SELECT * FROM block WHERE page_number = ?",
    [SCHEMA_PUT_COUNTED] = "INSERT OR REPLACE INTO counted VALUES(?, ?)",
    [SCHEMA_GET_COUNTED] = "SELECT page_number, NULL, counts FROM counted WHERE page_number = ?",
    [SCHEMA_CLEAR_REPEATED] = "DELETE FROM repeated",
    [SCHEMA_PUT_REPEATED] = "INSERT INTO repeated VALUES(?, ?)",
    [SCHEMA_EACH_REPEATED] = "SELECT 0, host_id, blocks FROM repeated ORDER BY host_id",
    [SCHEMA_ADD_LINK] = "INSERT INTO link VALUES" LINK,
    /* A statement for 16 rows costs two thirds of 16 statements. */
    [SCHEMA_ADD_LINKS] = "INSERT INTO link VALUES" FOUR_LINKS "," FOUR_LINKS "," FOUR_LINKS "," FOUR_LINKS,
    [SCHEMA_ADD_REQUISITE] = "INSERT OR IGNORE INTO requisite VALUES(?, ?)",
    [SCHEMA_EACH_REQUISITE] = "SELECT * FROM requisite ORDER BY page_number, url_id",
    [SCHEMA_ADD_EVENT] = "INSERT INTO event VALUES(NULL, ?, ?, ?)",
    [SCHEMA_SET] = "INSERT INTO value VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
    [SCHEMA_GET] = "SELECT value FROM value WHERE name = ?",
    [SCHEMA_UNSET] = "DELETE FROM value WHERE name GLOB ?",
    [SCHEMA_PUT_ROBOTS] = "INSERT OR REPLACE INTO robots VALUES(?, ?, ?, ?, ?, ?)",
    [SCHEMA_EACH_ROBOTS] = "SELECT * FROM robots ORDER BY host_id, secure",
    [SCHEMA_PUT_DNS] = "INSERT OR REPLACE INTO dns VALUES(?, ?, ?, ?)",
    [SCHEMA_EACH_DNS] = "SELECT * FROM dns ORDER BY name",
    [SCHEMA_PUT_REVISIT] = "INSERT OR REPLACE INTO revisit VALUES(?, ?, ?, ?, ?, ?, ?)",
    [SCHEMA_EACH_REVISIT] = "SELECT revisit.*, " OF_REVISITED " FROM revisit"
                            " LEFT JOIN page ON page.number = revisit.page_number ORDER BY revisit.url_id",
    [SCHEMA_EACH_DUE] = "SELECT revisit.*, " OF_REVISITED ", url.* FROM revisit"
                        " JOIN url ON url.id = revisit.url_id LEFT JOIN page ON page.number = revisit.page_number"
                        " WHERE (revisit.next_visit_us, revisit.url_id) > (?, ?)"
                        " ORDER BY revisit.next_visit_us, revisit.url_id",
    [SCHEMA_COUNT_REVISITS] = "SELECT (SELECT count(*) FROM revisit),"
                              " (SELECT count(*) FROM revisit WHERE next_visit_us <= ?),"
                              " (SELECT coalesce(min(next_visit_us), 0) FROM revisit)",
    [SCHEMA_FILL_REVISITS] = "INSERT OR IGNORE INTO revisit SELECT url_id, number, fetched_us + ?, 1, 0, fetched_us,"
                             " fetched_us FROM page WHERE counted",
    [SCHEMA_BOUND_REVISITS] = "UPDATE revisit SET next_visit_us = ?1 WHERE next_visit_us > ?1",
    [SCHEMA_ADVANCE_REVISITS] = "UPDATE revisit SET next_visit_us = next_visit_us - ?1",
    [SCHEMA_REPLACE_PAGE] = "UPDATE page SET counted = 0, replaced_by = ? WHERE number = ?",
    [SCHEMA_ASK_PAGE] = "UPDATE page SET robots = ? WHERE number = ?",
    [SCHEMA_EACH_HOST] = "SELECT * FROM host ORDER BY id",
    [SCHEMA_EACH_URL] = "SELECT * FROM url ORDER BY id",
    [SCHEMA_GET_URL] = "SELECT * FROM url WHERE id = ?",
    [SCHEMA_URLS_FROM] = "SELECT * FROM url WHERE id >= ? ORDER BY id",
    /* The page before a robots.txt, a sitemap or a requisite of this URL. Texts have no index: the walk ends with the
     * first. */
    [SCHEMA_FIND_URL] = "SELECT * FROM (SELECT * FROM url WHERE url = ?1 AND flags & 26 = 0 ORDER BY id LIMIT 1)"
                        " UNION ALL SELECT * FROM (SELECT * FROM url WHERE url = ?1 ORDER BY id LIMIT 1) LIMIT 1",
    [SCHEMA_EACH_PAGE] = PAGES " WHERE page.number > ? ORDER BY page.number",
    [SCHEMA_GET_PAGE] = PAGES " WHERE page.number = ?",
    /* The rows of pages come first: there is no index on their URLs. */
    [SCHEMA_EACH_FLAGGED_PAGE] = "SELECT page.*, url.* FROM page CROSS JOIN url ON url.id = page.url_id"
                                 " WHERE url.flags & ? ORDER BY page.number",
    [SCHEMA_EACH_STALE_PAGE] = PAGES " WHERE page.number > ?1 AND page.judge_version <> ?2 AND page.counted"
                                     " AND page.warc_length > 0 ORDER BY page.number",
    [SCHEMA_EACH_PAGE_OF] = PAGES " WHERE page.url_id = ? ORDER BY page.number",
    [SCHEMA_EACH_PAGE_IN] = PAGES " WHERE page.warc_file = ? ORDER BY page.warc_offset",
    [SCHEMA_EACH_FILE] = "SELECT DISTINCT warc_file FROM page WHERE warc_file IS NOT NULL ORDER BY warc_file",
    [SCHEMA_EACH_LINK] = LINKS " ORDER BY link.id",
    [SCHEMA_EACH_LINK_TO] = LINKS " WHERE link.target_id = ? ORDER BY link.id",
    [SCHEMA_LINKS_FROM] = "SELECT page_number, target_id, priority, rel, anchor, id FROM link WHERE id >= ?"
                          " ORDER BY id",
    [SCHEMA_FIND_LINK] = "SELECT page_number FROM link WHERE id >= ? ORDER BY id LIMIT 1",
    [SCHEMA_EACH_ERROR] = "SELECT error, count(*) AS n FROM url WHERE error <> ''"
                          " AND state NOT IN ('queued', 'fetched') AND flags & 18 <> 16"
                          " GROUP BY error ORDER BY n DESC, error",
    /* What was not kept cannot be judged again. */
    [SCHEMA_COUNT_PAGES] = "SELECT count(*), total(counted),"
                           " total(counted AND relevant AND NOT coalesce(robots, 0) & 1),"
                           " total(counted AND warc_length > 0"
                           "  AND judge_version <> (SELECT coalesce(max(id), 0) FROM judge)) FROM page",
    [SCHEMA_COUNT_JUDGED] = "SELECT total(warc_length > 0), total(coalesce(warc_length, 0) = 0),"
                            " coalesce(max(judge_version), 0) FROM page WHERE counted",
    /* GROUP BY would sort them: a gigabyte for 10^8 rows, and slower. */
    [SCHEMA_COUNT_URLS] = "SELECT state, flags & 18 = 16 FROM url",
    /* Links are only appended, so the largest row id is their number, unless some were purged; counting 10^8 of them
     * takes seconds. */
    [SCHEMA_COUNT_REST] = "SELECT CASE WHEN EXISTS(SELECT 1 FROM value WHERE name = 'purged')"
                          " THEN (SELECT count(*) FROM link) ELSE (SELECT coalesce(max(id), 0) FROM link) END,"
                          " (SELECT coalesce(max(id), 0) FROM host)",
    [SCHEMA_MARK_URL] = "INSERT OR REPLACE INTO temp.purge_url VALUES(?, ?)",
    [SCHEMA_MARK_HOST] = "INSERT OR REPLACE INTO temp.purge_host VALUES(?, ?)",
    [SCHEMA_FORGET_EVENT] = "UPDATE event SET text = NULL WHERE instr(text, ?)",
    [SCHEMA_FORGET_ERROR] = "UPDATE url SET error = NULL WHERE error IS NOT NULL AND instr(error, ?)",
    [SCHEMA_MOVE_PAGE] = "UPDATE page SET warc_file = ?, warc_offset = ?, warc_length = ? WHERE number = ?",
    [SCHEMA_UNARCHIVE_PAGE] = "UPDATE page SET warc_file = NULL, warc_offset = NULL, warc_length = NULL"
                              " WHERE number = ?",
    [SCHEMA_ADD_OUTGOING] = "INSERT INTO outgoing VALUES(?, ?, ?, ?)",
    [SCHEMA_DROP_OUTGOING] = "DELETE FROM outgoing WHERE id <= ?",
    /* An id is never used twice, though the table may be empty. */
    [SCHEMA_NOTE_OUTGOING] = "INSERT INTO value VALUES('outgoing', ?1)"
                             " ON CONFLICT(name) DO UPDATE SET value = max(value, ?1)",
    [SCHEMA_LAST_OUTGOING] = "SELECT max(coalesce((SELECT max(id) FROM outgoing), 0),"
                             " coalesce((SELECT value FROM value WHERE name = 'outgoing'), 0))",
    [SCHEMA_EACH_OUTGOING] = "SELECT id, kind, part, body FROM outgoing WHERE id > ? ORDER BY id",
    [SCHEMA_CANCEL_OUTGOING] = "DELETE FROM outgoing WHERE kind = ? AND part = ? AND id > ?",
    [SCHEMA_DISOWN_PAGE] = "UPDATE page SET counted = 0, relevant = 0 WHERE number = ?",
    [SCHEMA_DISOWN_URL] = "UPDATE url SET state = 'seen', error = CAST(?2 AS TEXT)"
                          " WHERE id = (SELECT url_id FROM page WHERE number = ?1 AND previous IS NULL)",
    [SCHEMA_DISOWN_REFUSED] = "UPDATE url SET state = 'seen', error = CAST(?2 AS TEXT) WHERE id = ?1"
                              " AND state IN ('dropped', 'failed', 'redirected')",
    /* A page that lies with another worker is its own previous one. */
    [SCHEMA_OLD_PAGE_AGAIN] = "UPDATE page SET counted = coalesce(previous, 0) <> number, replaced_by = NULL"
                              " WHERE number = (SELECT previous FROM page WHERE number = ?1) AND replaced_by = ?1",
    [SCHEMA_OLD_REVISIT_AGAIN] = "UPDATE revisit SET page_number = (SELECT previous FROM page WHERE number = ?1)"
                                 " WHERE url_id = (SELECT url_id FROM page WHERE number = ?1 AND previous IS NOT NULL)"
                                 " AND page_number = ?1",
    [SCHEMA_REVISITED_PAGE] = "SELECT page.number, page.fetched_us, page.counted FROM revisit"
                              " JOIN page ON page.number = revisit.page_number WHERE revisit.url_id = ?",
    [SCHEMA_PUT_PLACE] = "INSERT OR REPLACE INTO place VALUES(?, ?, ?, ?, ?)",
    [SCHEMA_EACH_PLACE] = "SELECT part, epoch, xid, row, applied FROM place ORDER BY part",
};

const char *schema_sql(enum schema_statement statement)
{
    return statements[statement];
}
