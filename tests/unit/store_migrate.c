/* A database of version 1 is read as it is, and brought up to the newest: whole or not at all. */
#include "store/store.h"

#include "test.h"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct errmsg err;

/* The schema as version 1 had it; never change it. */
static const char version_1[] =
    "CREATE TABLE host("
    " id INTEGER PRIMARY KEY,"
    " name TEXT NOT NULL);"

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
    " title TEXT);"

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

    "CREATE VIEW pages AS"
    " SELECT page.number, strftime('%Y-%m-%dT%H:%M:%SZ', page.fetched_us / 1000000, 'unixepoch') AS fetched,"
    "  page.status, page.counted, page.relevant, page.score, page.priority, url.url, page.title, host.name AS host,"
    "  url.depth, page.mime, page.charset, page.lang, page.bytes, page.words, page.links,"
    "  page.took_us / 1000 AS took_ms, page.ip, page.digest, page.warc_file, page.warc_offset, page.warc_length"
    " FROM page LEFT JOIN url ON url.id = page.url_id LEFT JOIN host ON host.id = url.host_id;"

    "CREATE VIEW relevant AS"
    " SELECT number, fetched, score, url, title, host, depth, lang, bytes, words, warc_file, warc_offset, warc_length"
    " FROM pages WHERE relevant AND counted;"

    "CREATE VIEW links AS"
    " SELECT link.id, source.url AS source, target.url AS target, link.anchor, link.priority, link.rel"
    " FROM link LEFT JOIN page ON page.number = link.page_number"
    " LEFT JOIN url AS source ON source.id = page.url_id LEFT JOIN url AS target ON target.id = link.target_id;"

    "CREATE VIEW events AS"
    " SELECT id, strftime('%Y-%m-%dT%H:%M:%SZ', time_us / 1000000, 'unixepoch') AS time, kind, text FROM event;";

/* Rows with the columns that version 1 had. */
static const char rows_1[] =
    "INSERT INTO host VALUES(1, 'a.test'), (2, 'b.test:8080');"
    "INSERT INTO url VALUES(1, 'http://a.test/', 1, 'fetched', 0.5, 0, 0, 0, 1, 1, NULL, NULL, NULL);"
    "INSERT INTO url VALUES(2, 'http://b.test:8080/x', 2, 'queued', 0.25, 1, 1, 0, 0, 0, 1, NULL, NULL);"
    "INSERT INTO page VALUES(1, 1, 1763197080123456, 200, 1, 1, 0.9, 0.5, 1, 'text/html', 'utf-8', 'en', 100, 10, 1,"
    " 5000, '127.0.0.1', 'ABC', 'x.warc.gz', 300, 200, 'Ice');"
    "INSERT INTO link VALUES(1, 1, 2, 0.25, 0, 'rink');"
    "INSERT INTO event VALUES(1, 1763197080123456, 'start', 'run');"
    "INSERT INTO value VALUES('key', '17');";

static char *path_in(const char *dir, const char *name)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static sqlite3 *open_plain(const char *dir)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path_in(dir, "crawl.db"), &db), SQLITE_OK);
    return db;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        print_error("%s\n", why);
        fail();
    }
}

/* Until the handle is closed everything lies in the WAL. */
static sqlite3 *make_version_1(const char *dir)
{
    sqlite3 *db = open_plain(dir);

    run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; BEGIN");
    run_sql(db, version_1);
    run_sql(db, rows_1);
    run_sql(db, "PRAGMA application_id = 1396919892; PRAGMA user_version = 1; COMMIT");
    return db;
}

static int set_up(void **state)
{
    *state = test_make_dir();
    sqlite3_close(make_version_1(*state));
    return 0;
}

static int tear_down(void **state)
{
    test_remove_dir(*state);
    return 0;
}

/* What a query finds, rows and columns one after the other. */
static void describe(const char *dir, const char *sql, struct buf *out)
{
    sqlite3 *db = open_plain(dir);
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            buf_printf(out, "%s|", text ? text : "");
        }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static int version_of(const char *dir)
{
    struct buf out;
    int version;

    buf_init(&out, 0);
    describe(dir, "PRAGMA user_version", &out);
    version = atoi(buf_z(&out));
    buf_release(&out);
    return version;
}

/* ---- the rows, as our interface shows them ---- */

static scent_status check_host(void *ctx, const struct store_host *host)
{
    ++*(int *)ctx;
    assert_str(host->name, host->id ? "b.test:8080" : "a.test");
    assert_true(host->delay_us == 0 && host->not_before == 0 && host->failures == 0 && host->pages == 0);
    assert_true(host->ip.len == 0 && host->purged == 0);
    return SCENT_OK;
}

static scent_status check_url(void *ctx, const struct store_url *url)
{
    ++*(int *)ctx;
    assert_str(url->url, url->id ? "http://b.test:8080/x" : "http://a.test/");
    assert_int_equal(url->state, url->id ? STORE_QUEUED : STORE_FETCHED);
    return SCENT_OK;
}

static scent_status check_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    ++*(int *)ctx;
    assert_str(page->title, "Ice");
    assert_true(page->warc_offset == 300 && page->warc_length == 200 && page->score == 0.9);
    assert_true(page->simhash == 0 && page->duplicate_of == 0 && page->etag.len == 0 && page->last_modified.len == 0);
    assert_int_equal(page->robots, 0);
    assert_true(page->first_relevant && page->first_score == 0.9);
    assert_str(url->url, "http://a.test/");
    return SCENT_OK;
}

static scent_status no_judge(void *ctx, const struct store_judge *judge)
{
    (void)ctx, (void)judge;
    fail();
    return SCENT_OK;
}

static scent_status no_blocks(void *ctx, const struct store_blocks *blocks)
{
    (void)ctx, (void)blocks;
    fail();
    return SCENT_OK;
}

static scent_status no_requisite(void *ctx, const struct store_requisite *requisite)
{
    (void)ctx, (void)requisite;
    fail();
    return SCENT_OK;
}

static scent_status no_place(void *ctx, const struct store_place *place)
{
    (void)ctx, (void)place;
    fail();
    return SCENT_OK;
}

static scent_status no_robots(void *ctx, const struct store_robots *robots)
{
    (void)ctx, (void)robots;
    fail();
    return SCENT_OK;
}

static scent_status no_dns(void *ctx, const struct store_dns *dns)
{
    (void)ctx, (void)dns;
    fail();
    return SCENT_OK;
}

static scent_status no_revisit(void *ctx, const struct store_revisit *revisit)
{
    (void)ctx, (void)revisit;
    fail();
    return SCENT_OK;
}

static void check_rows(struct store *store)
{
    int hosts = 0, urls = 0, pages = 0;
    struct store_counts counts;

    assert_ok(store_each_host(store, check_host, &hosts, &err), err);
    assert_ok(store_each_url(store, check_url, &urls, &err), err);
    assert_ok(store_each_page(store, 0, check_page, &pages, &err), err);
    assert_true(hosts == 2 && urls == 2 && pages == 1);
    assert_ok(store_each_dns(store, no_dns, NULL, &err), err);
    assert_ok(store_each_revisit(store, no_revisit, NULL, &err), err);
    assert_ok(store_each_robots(store, no_robots, NULL, &err), err);
    assert_ok(store_each_judge(store, no_judge, NULL, &err), err);
    assert_ok(store_each_blocks(store, no_blocks, NULL, &err), err);
    assert_ok(store_each_repeated(store, no_blocks, NULL, &err), err);
    assert_ok(store_get_counted(store, 1, no_blocks, NULL, &err), err);
    assert_ok(store_each_requisite(store, no_requisite, NULL, &err), err);
    assert_ok(store_each_place(store, no_place, NULL, &err), err);
    assert_ok(store_count(store, &counts, &err), err);
    assert_true(counts.pages == 1 && counts.waiting == 1 && counts.links == 1 && counts.hosts == 2 && counts.urls[STORE_QUEUED] == 1);
}

static void an_old_one_can_be_read(void **state)
{
    struct store *store;

    assert_ok(store_open(*state, STORE_READ, &store, &err), err);
    check_rows(store);
    store_close(store);
    assert_int_equal(version_of(*state), 1);
}

static void writing_brings_it_up_to_date(void **state)
{
    struct store *store;

    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    check_rows(store);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_update_host(store, &(struct store_host){.id = 1, .failures = 3}, &err), err);
    assert_ok(store_put_robots(store, &(struct store_robots){.host = 1}, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    assert_int_equal(version_of(*state), STORE_VERSION);
}

/* What versions 7 to 11 added. */
#define FORGET_JUDGES                                                                                                  \
    "ALTER TABLE url DROP COLUMN parts;"                                                                               \
    "DROP TABLE counted; DROP TABLE outgoing; DROP TABLE place; DROP VIEW requisites; DROP TABLE requisite;"           \
    "DROP VIEW judges; DROP TABLE judge; DROP TABLE block; DROP TABLE repeated;"                                       \
    "DROP VIEW IF EXISTS relevant; DROP VIEW IF EXISTS pages;"                                                         \
    "ALTER TABLE page DROP COLUMN first_relevant; ALTER TABLE page DROP COLUMN first_score;"                           \
    "ALTER TABLE page DROP COLUMN first_judge;"                                                                        \
    "CREATE VIEW pages AS SELECT *, 0 AS fetched, 0 AS url, 0 AS host, 0 AS depth FROM page;"                          \
    "CREATE VIEW relevant AS SELECT number FROM pages;"

/* What later versions added is taken away again. */
static void make_version(const char *dir, int version)
{
    sqlite3 *db;
    struct store *store;

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    store_close(store);
    db = open_plain(dir);
    run_sql(db, FORGET_JUDGES "DROP VIEW relevant; DROP VIEW pages; DROP VIEW revisits; DROP INDEX revisit_next;"
                "ALTER TABLE page DROP COLUMN previous; ALTER TABLE page DROP COLUMN replaced_by;"
                "ALTER TABLE revisit DROP COLUMN first_visit_us; ALTER TABLE revisit DROP COLUMN last_visit_us");
    run_sql(db, "DROP TABLE robots; CREATE TABLE robots(host_id INTEGER PRIMARY KEY, fetched_us INTEGER NOT NULL,"
                " expires_us INTEGER NOT NULL, status INTEGER NOT NULL, rules BLOB)");
    if (version == 2)
        run_sql(db, "ALTER TABLE page DROP COLUMN robots");
    run_sql(db, "CREATE VIEW pages AS SELECT *, 0 AS fetched, 0 AS url, 0 AS host, 0 AS depth FROM page;"
                "CREATE VIEW relevant AS SELECT number, fetched, score, url, title, host, depth, lang, bytes, words,"
                " warc_file, warc_offset, warc_length FROM pages WHERE relevant AND counted;"
                "CREATE VIEW revisits AS SELECT url_id FROM revisit");
    run_sql(db, version == 2 ? "PRAGMA user_version = 2" : "PRAGMA user_version = 3");
    sqlite3_close(db);
}

static void version_3_becomes_4(void **state)
{
    struct store *store;
    struct store_revisit_counts counts;

    make_version(*state, 3);
    assert_ok(store_open(*state, STORE_READ, &store, &err), err);
    check_rows(store);
    assert_ok(store_count_revisits(store, 0, &counts, &err), err);
    store_close(store);
    assert_int_equal(version_of(*state), 3);
    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    check_rows(store);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_fill_revisits(store, 5, &err), err);
    assert_ok(store_count_revisits(store, INT64_MAX, &counts, &err), err);
    assert_true(counts.pages == 1 && counts.due == 1 && counts.next == 1763197080123461);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    assert_int_equal(version_of(*state), STORE_VERSION);
}

static scent_status see_robots(void *ctx, const struct store_robots *robots)
{
    assert_int_equal(robots->host, 1);
    assert_int_equal(robots->expires, 6);
    assert_false(robots->secure);
    ++*(int *)ctx;
    return SCENT_OK;
}

/* Rules are read as they are; a crawl asks for them again. */
static void version_4_becomes_5(void **state)
{
    struct store *store;
    sqlite3 *db;
    int rows = 0;

    make_version(*state, 3);
    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    store_close(store);
    db = open_plain(*state);
    run_sql(db, FORGET_JUDGES
                "DROP TABLE robots; CREATE TABLE robots(host_id INTEGER PRIMARY KEY, fetched_us INTEGER NOT NULL,"
                " expires_us INTEGER NOT NULL, status INTEGER NOT NULL, rules BLOB);"
                "INSERT INTO robots VALUES(2, 5, 6, 200, NULL); PRAGMA user_version = 4");
    sqlite3_close(db);
    assert_ok(store_open(*state, STORE_READ, &store, &err), err);
    assert_ok(store_each_robots(store, see_robots, &rows, &err), err);
    assert_int_equal(rows, 1);
    store_close(store);
    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    assert_ok(store_each_robots(store, see_robots, &rows, &err), err);
    assert_int_equal(rows, 1);
    store_close(store);
    assert_int_equal(version_of(*state), STORE_VERSION);
}

static void version_2_becomes_3(void **state)
{
    struct store *store;

    make_version(*state, 2);
    assert_ok(store_open(*state, STORE_READ, &store, &err), err);
    check_rows(store);
    store_close(store);
    assert_int_equal(version_of(*state), 2);
    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    check_rows(store);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_add_page(store, &(struct store_page){.number = 2, .counted = true, .relevant = true,
                                                         .robots = STORE_NOINDEX}, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    assert_int_equal(version_of(*state), STORE_VERSION);
}

/* Nobody can tell a database that grew old from a new one. */
static void it_is_like_a_new_one(void **state)
{
    static const char columns[] = "SELECT s.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk"
                                  " FROM sqlite_schema AS s, pragma_table_info(s.name) AS c WHERE s.type <> 'index'"
                                  " ORDER BY s.name, c.cid";
    static const char indexes[] = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name";
    char *fresh = strdup(path_in(*state, "new"));
    struct store *store;
    struct buf old, new;

    buf_init(&old, 0);
    buf_init(&new, 0);
    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    store_close(store);
    assert_ok(store_open(fresh, STORE_WRITE, &store, &err), err);
    store_close(store);
    describe(*state, columns, &old);
    describe(fresh, columns, &new);
    describe(*state, indexes, &old);
    describe(fresh, indexes, &new);
    assert_true(old.len > 2000);
    assert_string_equal(buf_z(&old), buf_z(&new));
    buf_release(&old);
    buf_release(&new);
    free(fresh);
}

/* The kernel ends a process that writes beyond the limit: a crash in the middle of a write. */
static void open_with_limit(const char *dir, rlim_t bytes)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct store *store;

        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
        if (store_open(dir, STORE_WRITE, &store, &err) == SCENT_OK)
            store_close(store);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void a_crash_leaves_the_old_or_the_new(void **state)
{
    int old = 0, new = 0;

    /* From where the WAL ends on, a write at a time and within writes. */
    for (rlim_t bytes = 36 * 1024; bytes < 120 * 1024; bytes += 1500) {
        char *dir = test_make_dir();
        sqlite3 *db = make_version_1(dir);
        struct store *store;
        int version;

        open_with_limit(dir, bytes);
        sqlite3_close(db);
        version = version_of(dir);
        assert_true(version == 1 || version == STORE_VERSION);
        *(version == 1 ? &old : &new) += 1;
        assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
        check_rows(store);
        store_close(store);
        test_remove_dir(dir);
    }
    assert_true(old >= 10 && new >= 10);
    (void)state;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_old_one_can_be_read),
        TEST(writing_brings_it_up_to_date),
        TEST(version_2_becomes_3),
        TEST(version_3_becomes_4),
        TEST(version_4_becomes_5),
        TEST(it_is_like_a_new_one),
        TEST(a_crash_leaves_the_old_or_the_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
