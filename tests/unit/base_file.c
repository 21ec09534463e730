/* Whole files: reading with a cap, replacing without a moment in which there is none. */
#include "base/file.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

static char *path_in(const char *dir, const char *name)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void a_file_is_replaced_whole(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct file_list list;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_ok(file_replace(path_in(dir, "x"), STR("old"), &err), err);
    assert_ok(file_replace(path_in(dir, "x"), STR("newer"), &err), err);
    assert_ok(file_read(path_in(dir, "x"), &buf, &err), err);
    assert_str(buf_str(&buf), "newer");
    assert_ok(file_list(dir, "", &list, &err), err);
    assert_int_equal(list.count, 1); /* nothing is left beside it */
    file_list_release(&list);
    buf_release(&buf);
    test_remove_dir(dir);
}

/* A rename would put a file in the place of a device. In a folder that somebody else made, a pipe to which nobody
 * listens, or a link to a device without an end, would hold us for ever: they are replaced. */
static void devices_stay_and_traps_are_replaced(void **state)
{
    static const char *const traps[] = {"pipe", "link"};
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct stat st;
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    assert_ok(file_replace("/dev/null", STR("gone"), &err), err);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(mkfifo(path_in(dir, "pipe"), 0600), 0);
    assert_int_equal(symlink("/dev/zero", path_in(dir, "link")), 0);
    for (int i = 0; i < 2; i++) {
        assert_ok(file_replace(path_in(dir, traps[i]), STR("here"), &err), err);
        assert_int_equal(lstat(path_in(dir, traps[i]), &st), 0);
        assert_true(S_ISREG(st.st_mode));
        buf_clear(&text);
        assert_ok(file_read(path_in(dir, traps[i]), &text, &err), err);
        assert_string_equal(buf_z(&text), "here");
    }
    buf_release(&text);
    test_remove_dir(dir);
}

static void what_has_no_end_is_refused(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct buf buf;
    int fd;

    (void)state;
    buf_init(&buf, 100);
    assert_int_equal(file_read("/dev/zero", &buf, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "/dev/zero: it is a device"));
    assert_ok(file_read("/dev/null", &buf, &err), err);
    assert_int_equal(file_open(dir, FILE_STREAM, &fd, &err), SCENT_E_INVALID);
    assert_int_equal(mkfifo(path_in(dir, "pipe"), 0600), 0);
    assert_int_equal(file_open(path_in(dir, "pipe"), FILE_REGULAR, &fd, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "it is a pipe"));
    buf_release(&buf);
    test_remove_dir(dir);
}

static void a_foreign_file_is_not_read_to_its_end(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct buf buf;

    (void)state;
    assert_ok(file_replace(path_in(dir, "x"), STR("other"), &err), err);
    assert_int_equal(truncate(path_in(dir, "x"), (off_t)1 << 40), 0);
    buf_init(&buf, 1 << 20);
    assert_ok(file_read_as(path_in(dir, "x"), STR("magic"), &buf, &err), err);
    assert_true(buf.len > 5 && buf.len <= 64 << 10);
    buf_clear(&buf);
    assert_int_equal(file_read_as(path_in(dir, "x"), STR("oth"), &buf, &err), SCENT_E_LIMIT);
    assert_true(buf.len <= 64 << 10);
    buf_release(&buf);
    test_remove_dir(dir);
}

static scent_status count_lines(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    size_t *lines = ctx;

    assert_int_equal(number, ++*lines);
    return line.len < 4 ? SCENT_OK : errmsg_fail(err, SCENT_E_INVALID, "line %zu", number);
}

static void lines_come_one_by_one(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    size_t lines = 0;
    struct buf long_line;

    (void)state;
    assert_ok(file_replace(path_in(dir, "x"), STR("a\n\nbc\nd"), &err), err);
    assert_ok(file_each_line(path_in(dir, "x"), 100, count_lines, &lines, &err), err);
    assert_int_equal(lines, 4);
    lines = 0;
    assert_int_equal(file_each_line(path_in(dir, "x"), 6, count_lines, &lines, &err), SCENT_E_LIMIT);
    assert_ok(file_replace(path_in(dir, "x"), STR("a\nlong\nb"), &err), err);
    lines = 0;
    assert_int_equal(file_each_line(path_in(dir, "x"), 100, count_lines, &lines, &err), SCENT_E_INVALID);
    assert_int_equal(lines, 2);
    buf_init(&long_line, 0);
    while (long_line.len <= FILE_LINE_MAX)
        buf_addz(&long_line, "0123456789");
    assert_ok(file_replace(path_in(dir, "x"), buf_str(&long_line), &err), err);
    lines = 0;
    assert_int_equal(file_each_line(path_in(dir, "x"), 1 << 20, count_lines, &lines, &err), SCENT_E_INVALID);
    assert_int_equal(lines, 0);
    buf_release(&long_line);
    test_remove_dir(dir);
}

static void a_folder_of_others_is_not_ours(void **state)
{
    static const char *const names[] = {"crawl.db", "warc", NULL};
    struct errmsg err = {0};
    char *dir = test_make_dir();

    (void)state;
    assert_ok(file_expect_only(path_in(dir, "none"), names, "thing", &err), err);
    assert_ok(file_expect_only(dir, names, "thing", &err), err);
    assert_ok(file_replace(path_in(dir, "crawl.db-wal"), STR("x"), &err), err);
    assert_ok(file_expect_only(dir, names, "thing", &err), err);
    assert_ok(file_replace(path_in(dir, "warcs"), STR("x"), &err), err);
    assert_int_equal(file_expect_only(dir, names, "thing", &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "'warcs'"));
    test_remove_dir(dir);
}

static void errors_name_the_path(void **state)
{
    struct errmsg err = {0};
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_int_equal(file_read("no/such/file", &buf, &err), SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, "no/such/file"));
    assert_int_not_equal(file_replace("no/such/folder/x", STR("x"), &err), SCENT_OK);
    assert_non_null(strstr(err.text, "no/such/folder/x: the folder no/such/folder does not exist"));
    buf_release(&buf);
}

static void a_file_beyond_the_cap_is_refused(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct buf buf;

    (void)state;
    assert_ok(file_replace(path_in(dir, "x"), STR("123456"), &err), err);
    buf_init(&buf, 6);
    assert_ok(file_read(path_in(dir, "x"), &buf, &err), err);
    assert_str(buf_str(&buf), "123456");
    buf_release(&buf);
    buf_init(&buf, 5);
    assert_int_equal(file_read(path_in(dir, "x"), &buf, &err), SCENT_E_LIMIT);
    buf_release(&buf);
    test_remove_dir(dir);
}

static void folders_are_made_with_their_parents(void **state)
{
    struct errmsg err = {0};
    char *dir = test_make_dir();
    struct file_list list;

    (void)state;
    assert_ok(file_make_dir(path_in(dir, "a/b/c"), &err), err);
    assert_ok(file_make_dir(path_in(dir, "a/b/c"), &err), err);
    assert_true(file_is_dir(path_in(dir, "a/b/c")));
    assert_ok(file_replace(path_in(dir, "a/file.warc"), STR(""), &err), err);
    assert_int_not_equal(file_make_dir(path_in(dir, "a/file.warc"), &err), SCENT_OK);
    assert_non_null(strstr(err.text, "file.warc"));
    assert_ok(file_list(path_in(dir, "a"), ".warc", &list, &err), err);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.names[0], "file.warc");
    file_list_release(&list);
    test_remove_dir(dir);
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

static void what_is_private_is_for_its_owner_alone(void **state)
{
    char *dir = test_make_dir();
    struct errmsg err = {0};
    mode_t old = umask(022);
    const char *path;

    (void)state;
    assert_ok(file_replace(path_in(dir, "visits.new"), STR("left by a crash"), &err), err);
    path = path_in(dir, "visits");
    assert_ok(file_replace_private(path, STR("she went there"), &err), err);
    assert_int_equal(mode_of(path), 0600);
    assert_ok(file_replace(path, STR("all may know"), &err), err);
    assert_int_equal(mode_of(path), 0644);
    umask(old);
    test_remove_dir(dir);
}

static void paths_are_seen_from_the_file_that_names_them(void **state)
{
    static const struct {
        const char *name, *path, *want;
    } cases[] = {
        {"topic.yaml", "seeds.txt", "seeds.txt"},
        {"a/topic.yaml", "seeds.txt", "a/seeds.txt"},
        {"/a/b/topic.yaml", "../seeds.txt", "/a/b/../seeds.txt"},
        {"/topic.yaml", "seeds.txt", "/seeds.txt"},
        {"a/topic.yaml", "/seeds.txt", "/seeds.txt"},
        {"a/topic.yaml", "", "a/"},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(file_beside(&arena, cases[i].name, str_of(cases[i].path)).p, cases[i].want);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_whole),
        cmocka_unit_test(devices_stay_and_traps_are_replaced),
        cmocka_unit_test(errors_name_the_path),
        cmocka_unit_test(what_has_no_end_is_refused),
        cmocka_unit_test(a_foreign_file_is_not_read_to_its_end),
        cmocka_unit_test(lines_come_one_by_one),
        cmocka_unit_test(a_folder_of_others_is_not_ours),
        cmocka_unit_test(a_file_beyond_the_cap_is_refused),
        cmocka_unit_test(folders_are_made_with_their_parents),
        cmocka_unit_test(what_is_private_is_for_its_owner_alone),
        cmocka_unit_test(paths_are_seen_from_the_file_that_names_them),
    };

    return cmocka_run_group_tests_name("base/file", tests, NULL, NULL);
}
