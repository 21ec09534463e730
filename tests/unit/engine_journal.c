/* The log of a crawl: bounded in lines and bytes, harmless to a terminal, and no plain file in its place is needed. */
#include "test.h"

#include "base/file.h"
#include "crawldir/logfile.h"
#include "engine/journal.h"
#include "json/json.h"

#include <sys/stat.h>

static char *dir;

static size_t count_of(struct str text, const char *what)
{
    size_t count = 0, len = strlen(what);

    for (size_t i = 0; i + len <= text.len; i++)
        count += memcmp(text.p + i, what, len) == 0;
    return count;
}

static void read_part(const char *name, struct buf *out)
{
    struct errmsg err = {{0}};
    char path[600];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    buf_clear(out);
    assert_ok(file_read(path, out, &err), err);
}

static struct journal *start(bool json)
{
    return journal_start(&(struct journal_options){.dir = dir, .clock = &clock_system, .json = json});
}

static void too_many_lines_of_a_kind_are_counted(void **state)
{
    struct journal *journal = start(false);
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    for (int i = 0; i < 1000; i++)
        journal_tell(journal, JOURNAL_HOST, LOG_INFO, STR("a.test"), "failure %d", i);
    journal_tell(journal, JOURNAL_CONTROL, LOG_INFO, STR_NONE, "another kind");
    log_line(journal_log(journal), LOG_WARN, "a warning");
    journal_stop(journal);
    read_part(LOGFILE_NAME, &text);
    assert_int_equal(count_of(buf_str(&text), "host a.test - failure"), JOURNAL_PER_HOUR);
    assert_int_equal(count_of(buf_str(&text), "host 800 more lines of this kind were left out\n"), 1);
    assert_int_equal(count_of(buf_str(&text), "control another kind\n"), 1);
    assert_int_equal(count_of(buf_str(&text), "note warning a warning\n"), 1);
    buf_release(&text);
}

static void servers_do_not_command_a_terminal(void **state)
{
    const char *evil = "\x1b[2J\r\n2026 forged \x9b \xc2\x9b \x7f ä 漢";
    struct str rest, line;
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    for (int json = 0; json < 2; json++) {
        struct journal *journal = start(json);

        journal_tell(journal, JOURNAL_SEED, LOG_INFO, str_of(evil), "%s", evil);
        journal_stop(journal);
    }
    read_part(LOGFILE_NAME, &text);
    assert_int_equal(count_of(buf_str(&text), "\n"), 2);
    for (size_t i = 0; i < text.len; i++)
        assert_true((unsigned char)text.p[i] >= ' ' || text.p[i] == '\n');
    assert_int_equal(count_of(buf_str(&text), "\x9b"), 0);
    assert_int_equal(count_of(buf_str(&text), "\x7f"), 0);
    assert_int_equal(count_of(buf_str(&text), "ä 漢"), 4);
    rest = buf_str(&text);
    (void)str_split(&rest, '\n', &line);
    assert_int_equal(count_of(line, "\\x1b[2J\\x0d\\x0a2026 forged \\x9b \\xc2\\x9b \\x7f"), 2);
    (void)str_split(&rest, '\n', &line);
    struct json *root;
    struct errmsg err = {{0}};
    assert_ok(json_parse(line, &root, &err), err);
    assert_str(json_as_str(json_get(root, "kind")), "seed");
    assert_str(json_as_str(json_get(root, "level")), "info");
    json_free(root);
    buf_release(&text);
}

static void parts_are_put_aside_and_bounded(void **state)
{
    struct logfile log;
    struct stat info;
    struct buf text;
    char path[600], line[32];

    (void)state;
    logfile_open(&log, dir);
    log.limit = 100;
    for (int i = 0; i < 100; i++) {
        snprintf(line, sizeof line, "line %03d\n", i);
        assert_true(logfile_append(&log, str_of(line)));
    }
    logfile_close(&log);
    buf_init(&text, 0);
    read_part(LOGFILE_NAME, &text);
    assert_int_equal(count_of(buf_str(&text), "line 099\n"), 1);
    for (int part = 1; part <= LOGFILE_PARTS + 1; part++) {
        snprintf(path, sizeof path, "%s/" LOGFILE_NAME ".%d", dir, part);
        assert_int_equal(stat(path, &info), part <= LOGFILE_PARTS ? 0 : -1);
        assert_true(part > LOGFILE_PARTS || info.st_size <= 100);
    }
    buf_release(&text);
}

static void nothing_else_is_written_to(void **state)
{
    char path[600], victim[600];
    struct logfile log;
    struct stat info;

    (void)state;
    snprintf(path, sizeof path, "%s/" LOGFILE_NAME, dir);
    snprintf(victim, sizeof victim, "%s/victim", dir);
    assert_int_equal(symlink(victim, path), 0);
    logfile_open(&log, dir);
    assert_false(logfile_append(&log, STR("line\n")));
    assert_int_equal(lstat(victim, &info), -1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody reads it */
    assert_false(logfile_append(&log, STR("line\n")));
    assert_int_equal(unlink(path), 0);
    assert_true(logfile_append(&log, STR("line\n"))); /* it is tried again */
    logfile_close(&log);
}

static int set_up(void **state)
{
    (void)state;
    dir = test_make_dir();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_remove_dir(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(too_many_lines_of_a_kind_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(servers_do_not_command_a_terminal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_are_put_aside_and_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_else_is_written_to, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
