/* Marks of pages: what was said last counts, half a line hurts nobody, and nobody is led elsewhere. */
#include "test.h"

#include "base/file.h"
#include "crawldir/marks.h"

#include <stdio.h>
#include <unistd.h>

static char *dir;

static struct marks load(void)
{
    struct errmsg err = {{0}};
    struct marks marks;

    assert_ok(marks_load(dir, &marks, &err), err);
    return marks;
}

static void set(const char *url, enum mark mark)
{
    struct errmsg err = {{0}};

    assert_ok(marks_set(dir, str_of(url), mark, 1000000, &err), err);
}

static void put_file(struct str text)
{
    struct errmsg err = {{0}};
    char path[300];

    snprintf(path, sizeof path, "%s/" MARKS_FILE, dir);
    assert_ok(file_replace(path, text, &err), err);
}

static void the_last_mark_counts(void **state)
{
    struct marks marks = load();
    uint64_t before;

    (void)state;
    assert_int_equal(marks.count + marks.sum, 0);
    marks_release(&marks);
    set("http://a.test/1", MARK_YES);
    set("http://a.test/2", MARK_NO);
    marks = load();
    before = marks.sum;
    assert_int_equal(marks.yes, 1);
    assert_int_equal(marks.no, 1);
    assert_str(marks.items[0].when, "1970-01-01T00:00:01Z");
    marks_release(&marks);
    set("http://a.test/1", MARK_NO);
    marks = load();
    assert_int_equal(marks_of(&marks, STR("http://a.test/1")), MARK_NO);
    assert_int_equal(marks_of(&marks, STR("http://a.test/3")), MARK_NONE);
    assert_true(marks.sum != before);
    marks_release(&marks);
    set("http://a.test/1", MARK_YES);
    set("http://a.test/3", MARK_YES);
    set("http://a.test/3", MARK_NONE);
    marks = load();
    assert_true(marks.sum == before);
    assert_int_equal(marks.yes + marks.no, 2);
    marks_release(&marks);
}

static void broken_lines_are_passed_over(void **state)
{
    struct marks marks;

    (void)state;
    put_file(STR("x\nt\tyes\thttp://a.test/1\nt\tmaybe\thttp://a.test/2\nt\tno\t\nt\tno\ta b\n\0\n"
                 "t\tno\thttp://a.test/3\nt\tyes\thttp://a.te")); /* half a line is whole enough to be one */
    set("http://a.test/4", MARK_YES);
    marks = load();
    assert_int_equal(marks_of(&marks, STR("http://a.test/1")), MARK_YES);
    assert_int_equal(marks_of(&marks, STR("http://a.test/3")), MARK_NO);
    assert_int_equal(marks_of(&marks, STR("http://a.test/4")), MARK_YES);
    assert_int_equal(marks_of(&marks, STR("http://a.test/2")), MARK_NONE);
    assert_int_equal(marks.count, 4);
    marks_release(&marks);
}

static void hostile_directories(void **state)
{
    struct errmsg err = {{0}};
    char path[300];

    (void)state;
    snprintf(path, sizeof path, "%s/" MARKS_FILE, dir);
    unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(marks_set(dir, STR("http://a.test/"), MARK_YES, 0, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "symbolic link"));
    unlink(path);
    assert_int_equal(marks_set(dir, STR("http://a.test/\n2\tyes\tx"), MARK_YES, 0, &err), SCENT_E_INVALID);
    assert_int_equal(marks_set(dir, STR(""), MARK_YES, 0, &err), SCENT_E_INVALID);
}

static bool is_second(void *ctx, struct str url)
{
    (void)ctx;
    return str_ends(url, STR("/2"));
}

static void forgotten_urls_leave_no_trace(void **state)
{
    struct errmsg err = {{0}};
    struct buf text;
    char path[300];

    (void)state;
    put_file(STR("t\tyes\thttp://a.test/1\nt\tno\thttp://a.test/2\nt\tnone\thttp://a.test/2\n"));
    assert_ok(marks_forget(dir, is_second, NULL, &err), err);
    buf_init(&text, 1 << 16);
    snprintf(path, sizeof path, "%s/" MARKS_FILE, dir);
    assert_ok(file_read(path, &text, &err), err);
    assert_str(buf_str(&text), "t\tyes\thttp://a.test/1\n");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_mark_counts),
        cmocka_unit_test(broken_lines_are_passed_over),
        cmocka_unit_test(hostile_directories),
        cmocka_unit_test(forgotten_urls_leave_no_trace),
    };
    int failed;

    dir = test_make_dir();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_remove_dir(dir);
    return failed;
}
