/* docs/internals/formats.md tells the truth: each query in it runs and finds something, each column is told. */
#include "store/store.h"

#include "base/file.h"
#include "test.h"

#include <sqlite3.h>

struct fixture {
    char *dir;
    sqlite3 *db;
    struct buf docs;
};

static struct errmsg err;

static void add_url(struct store *store, uint32_t id, const char *text, enum store_url_state state, const char *error)
{
    struct store_url url = {.id = id,
                            .url = str_of(text),
                            .state = state,
                            .priority = 0.5f,
                            .parent = id ? id - 1 : STORE_NO_PARENT,
                            .error = str_of(error)};

    assert_ok(store_add_url(store, &url, &err), err);
}

/* A seed that links to a relevant page, a URL that failed and one that waits. */
static void fill(const char *dir)
{
    struct store *store;
    struct store_page page = {.number = 1,
                              .url = 1,
                              .wall = 1763197080123456,
                              .status = 200,
                              .title = STR("Ice rink"),
                              .counted = true,
                              .relevant = true,
                              .score = 0.9,
                              .warc_file = STR("a.warc.gz"),
                              .warc_length = 10};

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_add_host(store, 0, STR("example.org"), &err), err);
    add_url(store, 0, "http://example.org/", STORE_FETCHED, NULL);
    add_url(store, 1, "http://example.org/rink.html", STORE_FETCHED, NULL);
    add_url(store, 2, "http://example.org/gone", STORE_FAILED, "http 404");
    add_url(store, 3, "http://example.org/later", STORE_QUEUED, NULL);
    assert_ok(store_add_page(store, &page, &err), err);
    assert_ok(store_add_links(store, &(struct store_link){.page = 1, .target = 1, .anchor = STR("rink")}, 1, &err), err);
    assert_ok(store_add_links(store, &(struct store_link){.page = 1, .target = 2, .anchor = STR("\xE9t\xE9")}, 1, &err), err);
    assert_ok(store_add_event(store, page.wall, "start", STR("run"), &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
}

static int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);
    char path[600];

    t->dir = test_make_dir();
    fill(t->dir);
    snprintf(path, sizeof path, "%s/crawl.db", t->dir);
    assert_int_equal(sqlite3_open_v2(path, &t->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    buf_init(&t->docs, 1 << 20);
    assert_ok(file_read(SCENT_TESTS "/../docs/internals/formats.md", &t->docs, &err), err);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;

    sqlite3_close(t->db);
    buf_release(&t->docs);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

/* The number of rows. */
static int run_query(struct fixture *t, const char *sql, const char **rest)
{
    sqlite3_stmt *statement;
    int rows = 0, rc = sqlite3_prepare_v2(t->db, sql, -1, &statement, rest);

    if (rc != SQLITE_OK || !statement) {
        print_error("%s\n%.200s\n", sqlite3_errmsg(t->db), sql);
        fail();
    }
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
        rows++;
    assert_int_equal(rc, SQLITE_DONE);
    sqlite3_finalize(statement);
    return rows;
}

static void each_query_finds_something(void **state)
{
    struct fixture *t = *state;
    const char *p = buf_z(&t->docs);
    int queries = 0;

    while ((p = strstr(p, "```sql\n"))) {
        const char *sql = p + strlen("```sql\n");

        if (run_query(t, sql, &p) == 0) {
            print_error("finds nothing:\n%.*s\n", (int)(p - sql), sql);
            fail();
        }
        queries++;
    }
    assert_true(queries >= 10);
}

static void assert_told(struct fixture *t, const char *table, const char *column)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, "`%s`", column);
    if (!strstr(buf_z(&t->docs), quoted)) {
        print_error("docs/internals/formats.md does not tell %s of %s\n", quoted, table);
        fail();
    }
}

static void each_column_is_told(void **state)
{
    struct fixture *t = *state;
    sqlite3_stmt *statement;
    int columns = 0;

    assert_int_equal(sqlite3_prepare_v2(t->db,
                                        "SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c"
                                        " WHERE s.type IN ('table', 'view')",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(statement) == SQLITE_ROW; columns++) {
        const char *table = (const char *)sqlite3_column_text(statement, 0);

        assert_told(t, table, (const char *)sqlite3_column_text(statement, 1));
    }
    assert_true(columns > 60);
    sqlite3_finalize(statement);
}

static void times_are_readable(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(run_query(t, "SELECT * FROM relevant WHERE fetched = '2025-11-15T08:58:00Z'", NULL), 1);
    assert_int_equal(run_query(t, "SELECT * FROM events WHERE time = '2025-11-15T08:58:00Z'", NULL), 1);
}

static void what_is_not_utf8_is_a_blob(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(run_query(t, "SELECT * FROM link WHERE typeof(anchor) = 'blob'", NULL), 1);
    assert_int_equal(run_query(t, "SELECT * FROM link WHERE typeof(anchor) = 'text' AND anchor = 'rink'", NULL), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_query_finds_something),
        TEST(each_column_is_told),
        TEST(times_are_readable),
        TEST(what_is_not_utf8_is_a_blob),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
