/* Opening: locks, versions, damage, missing and read-only places. */
#include "store/store.h"

#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct errmsg err;

static int set_up(void **state)
{
    *state = test_make_dir();
    err.text[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    test_remove_dir(*state);
    return 0;
}

static void assert_says(const char *part)
{
    if (!strstr(err.text, part)) {
        print_error("\"%s\" does not say \"%s\"\n", err.text, part);
        fail();
    }
}

static void assert_fails(const char *dir, enum store_mode mode, scent_status want, const char *part)
{
    struct store *store = (struct store *)&err;

    assert_int_equal(store_open(dir, mode, &store, &err), want);
    assert_null(store);
    assert_says(part);
}

static void add_host(struct store *store, uint32_t id)
{
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_add_host(store, id, STR("a.test"), &err), err);
    assert_ok(store_commit(store, &err), err);
}

static uint64_t count_hosts(struct store *store)
{
    struct store_counts counts;

    assert_ok(store_count(store, &counts, &err), err);
    return counts.hosts;
}

/* A crawl that ended well. */
static void make_crawl(const char *dir)
{
    struct store *store;

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    add_host(store, 0);
    store_close(store);
}

static char *path_in(const char *dir, const char *name)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void run_sql(const char *dir, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path_in(dir, "crawl.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void a_missing_crawl_says_what_to_do(void **state)
{
    assert_fails(*state, STORE_READ, SCENT_E_NOTFOUND, "run 'scent crawl' first");
    assert_says(*state);
    assert_fails(path_in(*state, "nowhere"), STORE_READ, SCENT_E_NOTFOUND, "no crawl in");
}

static void writing_makes_the_directory(void **state)
{
    char *dir = strdup(path_in(*state, "new"));

    make_crawl(dir);
    make_crawl(path_in(*state, "one%20two?three#four"));
    free(dir);
}

static void a_file_in_its_place_is_an_error(void **state)
{
    int fd = open(path_in(*state, "file"), O_CREAT | O_WRONLY, 0666);
    struct store *store;

    close(fd);
    assert_int_not_equal(store_open(path_in(*state, "file"), STORE_WRITE, &store, &err), SCENT_OK);
    assert_int_equal(store_open(path_in(*state, "file"), STORE_READ, &store, &err), SCENT_E_NOTFOUND);
}

static void another_process_is_locked_out(void **state)
{
    struct store *store;
    char pid[32];
    int status;
    pid_t child;

    assert_ok(store_open(*state, STORE_WRITE, &store, &err), err);
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    child = fork();
    if (child == 0) {
        struct store *second;
        bool right = store_open(*state, STORE_WRITE, &second, &err) == SCENT_E_LOCKED && strstr(err.text, pid) &&
                     strstr(err.text, *state);

        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_fails(*state, STORE_WRITE, SCENT_E_LOCKED, pid); /* nor this process */
    store_close(store);
    make_crawl(*state);
}

static void the_lock_goes_with_its_process(void **state)
{
    int ready[2], status;
    pid_t child;
    char c;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        struct store *store;

        if (store_open(*state, STORE_WRITE, &store, &err) != SCENT_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_fails(*state, STORE_WRITE, SCENT_E_LOCKED, "another crawl is using");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    make_crawl(*state);
    close(ready[0]);
    close(ready[1]);
}

static void readers_see_what_is_committed(void **state)
{
    struct store *writer, *reader;

    assert_ok(store_open(*state, STORE_WRITE, &writer, &err), err);
    assert_ok(store_open(*state, STORE_READ, &reader, &err), err);
    assert_int_equal(count_hosts(reader), 0);
    add_host(writer, 0);
    assert_int_equal(count_hosts(reader), 1);
    assert_ok(store_begin(writer, &err), err);
    assert_ok(store_add_host(writer, 1, STR("b.test"), &err), err);
    assert_int_equal(count_hosts(reader), 1);
    assert_ok(store_commit(writer, &err), err);
    assert_int_equal(count_hosts(reader), 2);
    store_close(writer);
    assert_int_equal(count_hosts(reader), 2);
    store_close(reader);
}

static void other_databases_are_refused(void **state)
{
    run_sql(*state, "CREATE TABLE recipes(name)");
    assert_fails(*state, STORE_WRITE, SCENT_E_FORMAT, "another program");
    assert_fails(*state, STORE_READ, SCENT_E_FORMAT, "another program");
}

static void newer_versions_are_refused(void **state)
{
    make_crawl(*state);
    run_sql(*state, "PRAGMA user_version = 99");
    assert_fails(*state, STORE_WRITE, SCENT_E_VERSION, "99");
    assert_fails(*state, STORE_READ, SCENT_E_VERSION, "use a newer scent");
    run_sql(*state, "PRAGMA user_version = 1");
    make_crawl(path_in(*state, "other"));
}

static void files_that_are_no_databases_are_refused(void **state)
{
    FILE *file = fopen(path_in(*state, "crawl.db"), "w");

    for (int i = 0; i < 1000; i++)
        fputs("this is not a database\n", file);
    fclose(file);
    assert_fails(*state, STORE_WRITE, SCENT_E_FORMAT, "not a database");
    assert_fails(*state, STORE_READ, SCENT_E_FORMAT, "not a database");
}

/* ---- damage ---- */

static void make_large_crawl(const char *dir)
{
    struct store *store;

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_ok(store_begin(store, &err), err);
    for (uint32_t i = 0; i < 5000; i++)
        assert_ok(store_add_url(store, &(struct store_url){.id = i, .url = STR("http://a.test/page")}, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
}

static scent_status count_url(void *ctx, const struct store_url *url)
{
    (void)url;
    ++*(int *)ctx;
    return SCENT_OK;
}

static scent_status read_all(const char *dir)
{
    struct store *store;
    scent_status status = store_open(dir, STORE_READ, &store, &err);
    int calls = 0;

    if (status == SCENT_OK)
        status = store_each_url(store, count_url, &calls, &err);
    store_close(store);
    return status;
}

static void a_cut_file_is_damage(void **state)
{
    struct stat info;

    make_large_crawl(*state);
    assert_ok(read_all(*state), err);
    assert_int_equal(stat(path_in(*state, "crawl.db"), &info), 0);
    assert_int_equal(truncate(path_in(*state, "crawl.db"), info.st_size / 2), 0);
    assert_int_equal(read_all(*state), SCENT_E_FORMAT);
    assert_says("restore");
    assert_int_equal(truncate(path_in(*state, "crawl.db"), 1000), 0);
    assert_int_not_equal(read_all(*state), SCENT_OK);
    assert_int_equal(truncate(path_in(*state, "crawl.db"), 0), 0);
    assert_int_equal(read_all(*state), SCENT_E_NOTFOUND);
}

static void an_overwritten_page_is_damage(void **state)
{
    int fd;
    char junk[4096];

    make_large_crawl(*state);
    memset(junk, 0xA5, sizeof junk);
    fd = open(path_in(*state, "crawl.db"), O_WRONLY);
    for (int i = 10; i < 20; i++)
        assert_int_equal(pwrite(fd, junk, sizeof junk, i * 4096), sizeof junk);
    close(fd);
    assert_int_equal(read_all(*state), SCENT_E_FORMAT);
}

static void an_unknown_state_is_damage(void **state)
{
    make_large_crawl(*state);
    run_sql(*state, "UPDATE url SET state = 'asleep' WHERE id = 7");
    assert_int_equal(read_all(*state), SCENT_E_FORMAT);
    assert_says("asleep");
}

/* ---- without permission to write ---- */

/* In a child that is nobody: root may write anywhere. */
static void as_nobody(const char *dir, int (*fn)(const char *dir))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(100);
        _exit(fn(dir));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int read_there(const char *dir)
{
    struct store *store;
    struct store_counts counts;

    if (store_open(dir, STORE_READ, &store, &err) != SCENT_OK || store_count(store, &counts, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    store_close(store);
    return counts.hosts == 1 ? 0 : 2;
}

static int cannot_write_there(const char *dir)
{
    struct store *store;
    scent_status status = store_open(dir, STORE_WRITE, &store, &err);

    return status == SCENT_E_IO && strstr(err.text, "cannot write to") ? 0 : 1;
}

static void a_read_only_directory_can_be_read(void **state)
{
    make_crawl(*state);
    assert_int_equal(chmod(path_in(*state, "crawl.db"), 0444), 0);
    assert_int_equal(chmod(path_in(*state, "lock"), 0444), 0);
    assert_int_equal(chmod(*state, 0555), 0);
    as_nobody(*state, read_there);
    as_nobody(*state, cannot_write_there);
    assert_int_equal(chmod(*state, 0755), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_missing_crawl_says_what_to_do),
        TEST(writing_makes_the_directory),
        TEST(a_file_in_its_place_is_an_error),
        TEST(another_process_is_locked_out),
        TEST(the_lock_goes_with_its_process),
        TEST(readers_see_what_is_committed),
        TEST(other_databases_are_refused),
        TEST(newer_versions_are_refused),
        TEST(files_that_are_no_databases_are_refused),
        TEST(a_cut_file_is_damage),
        TEST(an_overwritten_page_is_damage),
        TEST(an_unknown_state_is_damage),
        TEST(a_read_only_directory_can_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
