/* A crawl directory that somebody else made: nothing outside of it is removed, truncated or written. */
#include "crawldir/check.h"
#include "crawldir/crawldir.h"
#include "crawldir/learned.h"
#include "crawldir/purge.h"

#include "base/file.h"
#include "test.h"

#include <sys/stat.h>

static struct errmsg err;

/* DIR/crawl is the crawl directory, DIR/victim and DIR/folder/victim are what must stay as it is. */
struct fixture {
    char *dir, crawl[600], victim[600], folder[600];
};

static void set_value(struct fixture *t, const char *name, const char *value)
{
    struct store *store;

    assert_ok(store_open(t->crawl, STORE_WRITE, &store, &err), err);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_set(store, name, str_of(value), &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
}

static int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);
    char path[700];

    t->dir = test_make_dir();
    snprintf(t->crawl, sizeof t->crawl, "%s/crawl", t->dir);
    snprintf(t->victim, sizeof t->victim, "%s/victim", t->dir);
    snprintf(t->folder, sizeof t->folder, "%s/folder", t->dir);
    snprintf(path, sizeof path, "%s/crawl/warc", t->dir);
    assert_ok(file_make_dir(path, &err), err);
    assert_ok(file_make_dir(t->folder, &err), err);
    assert_ok(file_replace(t->victim, STR("dear"), &err), err);
    snprintf(path, sizeof path, "%s/scent-00007.warc.gz", t->folder);
    assert_ok(file_replace(path, STR("dear"), &err), err);
    snprintf(path, sizeof path, "%s/fish.learned", t->folder);
    assert_ok(file_replace(path, STR("dear"), &err), err);
    set_value(t, "key", "5");
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;

    test_remove_dir(t->dir);
    free(t);
    return 0;
}

static void assert_dear(const char *path)
{
    struct buf text;

    buf_init(&text, 100);
    assert_ok(file_read(path, &text, &err), err);
    assert_str(buf_str(&text), "dear");
    buf_release(&text);
}

static void assert_untouched(struct fixture *t)
{
    struct file_list list;
    char path[700];

    assert_dear(t->victim);
    assert_ok(file_list(t->folder, "", &list, &err), err);
    assert_int_equal(list.count, 2);
    for (size_t i = 0; i < list.count; i++) {
        snprintf(path, sizeof path, "%s/%s", t->folder, list.names[i]);
        assert_dear(path);
    }
    file_list_release(&list);
}

/* In place of what is there. */
static void link_to(struct fixture *t, const char *target, const char *name)
{
    char path[700], command[800];

    snprintf(path, sizeof path, "%s/%s", t->crawl, name);
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(symlink(target, path), 0);
}

static void ignore_line(void *ctx, const char *line)
{
    (void)ctx, (void)line;
}

static void ignore_item(void *ctx, const char *kind, struct str text)
{
    (void)ctx, (void)kind, (void)text;
}

static scent_status run_check(struct fixture *t, bool repair, struct check_report *report)
{
    struct check_options options = {.dir = t->crawl, .repair = repair, .problem = ignore_line, .repaired = ignore_line};

    return check_run(&options, report, &err);
}

static scent_status run_purge(struct fixture *t)
{
    char text[] = "example.org", *name = text;
    struct purge_options options = {
        .dir = t->crawl, .names = &name, .count = 1, .item = ignore_item, .unknown = ignore_line};
    struct purge_report report;

    return purge_run(&options, &report, &err);
}

static scent_status write_records(struct fixture *t)
{
    struct warc_writer *writer;
    struct warc_position end;
    struct store *store;
    struct rng rng;
    scent_status status = crawldir_open(t->crawl, STORE_CHANGE, &store, &err);

    if (status != SCENT_OK)
        return status;
    rng_seed(&rng, 1);
    status = crawldir_open_writer(store, t->crawl, WARC_PLAIN, &rng, &writer, &err);
    if (status == SCENT_OK)
        status = warc_writer_close(writer, &end, &err);
    store_close(store);
    return status;
}

static void test_names_of_a_purge(void **state)
{
    static const char *const names[] = {"../../victim\n", "../../folder/scent-00007.warc.gz", "..", ".", "topic.yaml"};
    struct fixture *t = *state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct check_report report;
        struct store *store;

        set_value(t, "purge_pending", names[i]);
        assert_ok(crawldir_open(t->crawl, STORE_CHANGE, &store, &err), err);
        assert_int_equal(purge_finish(store, t->crawl, &err), SCENT_E_FORMAT);
        store_close(store);
        assert_untouched(t);
        assert_int_equal(run_purge(t), SCENT_E_FORMAT);
        assert_ok(run_check(t, true, &report), err);
        assert_true(report.problems > report.repaired);
        assert_untouched(t);
    }
}

static void test_linked_lock(void **state)
{
    struct fixture *t = *state;
    struct check_report report;
    struct store *store = NULL;

    link_to(t, t->victim, "lock");
    assert_int_not_equal(run_check(t, false, &report), SCENT_OK);
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_int_not_equal(run_check(t, true, &report), SCENT_OK);
    assert_int_not_equal(run_purge(t), SCENT_OK);
    assert_int_not_equal(store_open(t->crawl, STORE_WRITE, &store, &err), SCENT_OK);
    assert_untouched(t);
}

static void test_linked_database(void **state)
{
    static const char *const names[] = {"crawl.db", "crawl.db-wal", "crawl.db-shm", "crawl.db-journal"};
    struct fixture *t = *state;
    struct check_report report;

    for (size_t i = sizeof names / sizeof *names; i-- > 0;) {
        link_to(t, t->victim, names[i]);
        assert_int_not_equal(run_check(t, true, &report), SCENT_OK);
        assert_int_not_equal(write_records(t), SCENT_OK);
        assert_untouched(t);
    }
}

/* What is written beside a file and renamed. */
static void test_linked_new_files(void **state)
{
    static const char *const names[] = {"topic.yaml.new", "run.json.new", "index.cdxj.new", "topic.yaml"};
    struct fixture *t = *state;
    struct check_report report;
    struct store *store;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        link_to(t, t->victim, names[i]);
    assert_ok(crawldir_open(t->crawl, STORE_CHANGE, &store, &err), err);
    assert_ok(crawldir_replace(t->crawl, CRAWLDIR_TOPIC, STR("topic: x"), &err), err);
    assert_ok(crawldir_add_run(store, t->crawl, STR("{}"), &err), err);
    store_close(store);
    assert_ok(run_check(t, true, &report), err);
    assert_untouched(t);
}

static void test_linked_folders(void **state)
{
    struct fixture *t = *state;
    struct check_report report;

    set_value(t, "warc_end", "scent-00001.warc.gz 0");
    link_to(t, t->folder, "warc");
    assert_int_not_equal(run_check(t, true, &report), SCENT_OK);
    assert_int_not_equal(write_records(t), SCENT_OK);
    assert_int_not_equal(run_purge(t), SCENT_OK);
    assert_untouched(t);
}

static void test_linked_learned(void **state)
{
    struct fixture *t = *state;

    link_to(t, t->folder, "learned");
    assert_int_not_equal(learned_make_folder(t->crawl, &err), SCENT_OK);
    assert_int_not_equal(learned_forget(t->crawl, &err), SCENT_OK);
    assert_untouched(t);
}

static void test_linked_warc_file(void **state)
{
    static const char *const names[] = {"warc/scent-00001.warc.gz", "warc/scent-00001.warc.gz.open"};
    struct fixture *t = *state;

    set_value(t, "warc_end", "scent-00001.warc.gz 2");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        link_to(t, t->victim, names[i]);
        assert_int_not_equal(write_records(t), SCENT_OK);
        assert_untouched(t);
    }
    set_value(t, "warc_end", "../../victim 2");
    assert_int_not_equal(write_records(t), SCENT_OK);
    assert_untouched(t);
}

/* The directory itself may be reached through a link: its user made it. */
static void test_linked_directory(void **state)
{
    struct fixture *t = *state;
    struct check_report report;
    char path[700];

    snprintf(path, sizeof path, "%s/elsewhere", t->dir);
    assert_int_equal(symlink(t->crawl, path), 0);
    snprintf(t->crawl, sizeof t->crawl, "%s/elsewhere", t->dir);
    assert_ok(write_records(t), err);
    assert_ok(run_check(t, true, &report), err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_of_a_purge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_lock, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_database, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_new_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_folders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_learned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_warc_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_linked_directory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
