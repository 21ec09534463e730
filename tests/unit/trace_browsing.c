/* Browsing: visits with where they came from, marks, and the files they are read from. */
#include "trace_fixture.h"

#include "trace/browsing.h"

static const char *dir;

/* A file of the test's folder with these bytes; the path is good until the next call. */
static const char *file_of(const char *name, struct str bytes)
{
    static char path[512];
    struct errmsg err;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(file_replace(path, bytes, &err), err);
    return path;
}

static scent_status load(const char *text, struct browsing **out, struct errmsg *err)
{
    struct log log;

    log_init_stderr(&log, LOG_ERROR);
    return browsing_load((const char *[]){file_of("b.jsonl", str_of(text))}, 1, &log, out, err);
}

static void assert_refused(const char *text, scent_status want, const char *says)
{
    struct browsing *browsing;
    struct errmsg err = {""};

    assert_int_equal(load(text, &browsing, &err), want);
    assert_null(browsing);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void visits_know_where_they_came_from(void **state)
{
    struct browsing *browsing;
    struct browsing_size size;
    struct errmsg err;
    uint32_t page;

    (void)state;
    assert_ok(load("{\"browsing\": 1}\n"
                   "{\"visit\": \"http://A.test/?utm_source=x#top\", \"time\": \"1970-01-01T00:00:05.250Z\"}\n"
                   "\n# a comment\n"
                   "{\"visit\": \"http://a.test/b\", \"from\": \"http://a.test/\", \"title\": \"B\", \"more\": [1]}\n"
                   "{\"visit\": \"http://a.test/\", \"from\": \"http://a.test/b\"}\n"
                   "{\"visit\": \"http://user:secret@a.test/c\", \"from\": \"http://a.test/\"}\n"
                   "{\"visit\": \"http://a.test/d\", \"from\": \"http://never.test/\"}\n"
                   "{\"visit\": \"http://a.test/e\", \"from\": \"about:blank\"}\r\n"
                   "{\"useful\": \"http://a.test/c#part\", \"time\": \"1970-01-01T00:00:09Z\"}\n"
                   "{\"useful\": \"http://a.test/d\"}\n"
                   "{\"not_useful\": \"http://a.test/d\"}\n"
                   "{\"not_useful\": \"http://a.test/unknown\"}\n"
                   "{\"useful\": \"http://b.test/\"}", &browsing, &err), err);
    size = browsing_size(browsing);
    assert_int_equal(size.visits, 6);
    assert_int_equal(size.pages, 6);
    assert_int_equal(size.useful, 2);
    assert_int_equal(size.only_marked, 1);
    assert_int_equal(size.linked, 3);
    assert_int_equal(size.first, 5250000);
    assert_int_equal(size.last, 5250000);
    assert_int_equal(browsing_at(browsing, 1)->from, 0);
    assert_int_equal(browsing_at(browsing, 2)->from, 1);
    assert_int_equal(browsing_at(browsing, 2)->page, 0);
    assert_int_equal(browsing_at(browsing, 3)->from, 2); /* the latest visit of that page */
    assert_int_equal(browsing_at(browsing, 4)->from, BROWSING_NONE);
    assert_true(browsing_find_page(browsing, STR("http://a.test/c"), &page)); /* the password is gone */
    assert_true(browsing_is_useful(browsing, page));
    assert_int_equal(browsing_marked_at(browsing, page), 9000000);
    assert_true(browsing_find_page(browsing, STR("http://a.test/d"), &page));
    assert_false(browsing_is_useful(browsing, page));
    assert_false(browsing_find_page(browsing, STR("http://a.test/unknown"), &page));
    browsing_free(browsing);
}

static void what_is_written_reads_back(void **state)
{
    struct browsing *browsing, *again;
    struct buf first, second;
    struct errmsg err;

    (void)state;
    buf_init(&first, 0);
    buf_init(&second, 0);
    assert_ok(load("{\"visit\": \"http://a.test/\", \"time\": \"2026-11-15T08:58:00.250Z\"}\n"
                   "{\"visit\": \"http://a.test/%22\\u00e9\", \"from\": \"http://a.test/\"}\n"
                   "{\"useful\": \"http://a.test/\", \"time\": \"2026-11-15T08:59:00+01:00\"}\n", &browsing, &err),
              err);
    assert_ok(browsing_write(browsing, &first), err);
    assert_str(buf_str(&first), "{\"browsing\":1}\n"
                                "{\"visit\":\"http://a.test/\",\"time\":\"2026-11-15T08:58:00.250Z\"}\n"
                                "{\"visit\":\"http://a.test/%22%C3%A9\",\"from\":\"http://a.test/\"}\n"
                                "{\"useful\":\"http://a.test/\",\"time\":\"2026-11-15T07:59:00.000Z\"}\n");
    assert_ok(load(buf_z(&first), &again, &err), err);
    assert_ok(browsing_write(again, &second), err);
    assert_true(str_eq(buf_str(&first), buf_str(&second)));
    browsing_free(browsing);
    browsing_free(again);
    buf_release(&first);
    buf_release(&second);
}

static void bad_lines_are_named(void **state)
{
    static const char good[] = "{\"visit\": \"http://a.test/\"}\n";
    struct browsing *browsing;
    struct errmsg err;
    char text[512];

    (void)state;
    assert_refused("http://a.test/\n", SCENT_E_INVALID, "b.jsonl:1: not JSON");
    assert_refused("# x\n\n[]\n", SCENT_E_INVALID, "b.jsonl:3: neither a visit nor a mark");
    assert_refused("{\"visit\": \"http://a.test/\", \"useful\": \"http://a.test/\"}\n", SCENT_E_INVALID, "several");
    assert_refused("{\"visit\": 5}\n", SCENT_E_INVALID, "is not a URL");
    assert_refused("{\"visit\": \"ftp://a.test/\"}\n", SCENT_E_INVALID,
                   "'ftp://a.test/' is not a URL of http or https");
    assert_refused("{\"visit\": \"http://a.test/\", \"time\": \"today\"}\n", SCENT_E_INVALID, "not a date");
    assert_refused("{\"visit\": \"http://a.test/\", \"time\": 5}\n", SCENT_E_INVALID, "not a date");
    assert_refused("{\"visit\": \"http://a.test/\", \"from\": 5}\n", SCENT_E_INVALID, "strings");
    assert_refused("{\"browsing\": 2}\n", SCENT_E_VERSION, "version 2");
    assert_refused("{\"browsing\": \"x\"}\n", SCENT_E_INVALID, "version 0");
    assert_refused("{\"visit\": \"http://a.te", SCENT_E_INVALID, "not JSON"); /* nothing good before it */
    snprintf(text, sizeof text, "%s{\"visit\": \"http://a.te\n%s", good, good);
    assert_refused(text, SCENT_E_INVALID, "b.jsonl:2");
    snprintf(text, sizeof text, "%s{\"visit\": \"http://a.te", good); /* cut off by a crash */
    assert_ok(load(text, &browsing, &err), err);
    assert_int_equal(browsing_size(browsing).visits, 1);
    browsing_free(browsing);
    assert_int_equal(browsing_load((const char *[]){"/nowhere/x"}, 1, NULL, &browsing, &err), SCENT_E_NOTFOUND);
}

static void long_lines_and_urls_are_refused(void **state)
{
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    buf_addz(&text, "{\"visit\": \"http://a.test/");
    for (int i = 0; i < 9000; i++)
        buf_addc(&text, 'x');
    buf_addz(&text, "\"}\n");
    assert_refused(buf_z(&text), SCENT_E_INVALID, "b.jsonl:1: the URL 'http://a.test/xxx");
    buf_clear(&text);
    buf_addz(&text, "\n{\"visit\": \"http://a.test/");
    for (int i = 0; i < 100000; i++)
        buf_addc(&text, 'x');
    assert_refused(buf_z(&text), SCENT_E_INVALID, "b.jsonl:2: longer than");
    buf_release(&text);
}

static void lists_are_visits_in_order(void **state)
{
    struct browsing *browsing = browsing_new();
    struct errmsg err;

    (void)state;
    assert_ok(browsing_read_list(browsing, file_of("list", STR("# mine\nhttp://a.test/\n"
                                                               "http://a.test/b\thttp://a.test/\n\n"
                                                               "  http://a.test/c \t http://a.test/b \r\n")), &err),
              err);
    assert_ok(browsing_read_marks(browsing, file_of("marks", STR("http://a.test/c\nhttp://x.test/\n")), &err), err);
    assert_int_equal(browsing_size(browsing).visits, 3);
    assert_int_equal(browsing_at(browsing, 2)->from, 1);
    assert_int_equal(browsing_size(browsing).useful, 2);
    assert_int_equal(browsing_size(browsing).only_marked, 1);
    assert_int_equal(browsing_read_list(browsing, file_of("list", STR("http://a.test/\nnothing\n")), &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "list:2: 'nothing' is not a URL"));
    assert_int_equal(browsing_read_marks(browsing, file_of("marks", STR("\0\1\2\n")), &err), SCENT_E_INVALID);
    browsing_free(browsing);
}

static void accesses_come_from_the_one_before(void **state)
{
    struct trace *trace = trace_of_text("1 u http://a.test/1\n2 u http://a.test/2\n9000 u http://a.test/3\n"
                                        "9001 u http://a.test/1\n1 v http://a.test/9\n", keeping_users());
    struct browsing *browsing = browsing_new();
    struct errmsg err;

    (void)state;
    assert_ok(browsing_add_accesses(browsing, trace, trace_of_user(trace, 1)), err);
    assert_ok(browsing_add_accesses(browsing, trace, trace_of_user(trace, 0)), err);
    assert_int_equal(browsing_size(browsing).visits, 5);
    assert_int_equal(browsing_at(browsing, 1)->from, BROWSING_NONE); /* another user */
    assert_int_equal(browsing_at(browsing, 2)->from, 1);
    assert_int_equal(browsing_at(browsing, 3)->from, BROWSING_NONE); /* another session */
    assert_int_equal(browsing_at(browsing, 4)->from, 3);
    assert_int_equal(browsing_at(browsing, 4)->time, 9001000000);
    browsing_free(browsing);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_know_where_they_came_from), cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(bad_lines_are_named),              cmocka_unit_test(long_lines_and_urls_are_refused),
        cmocka_unit_test(lists_are_visits_in_order),        cmocka_unit_test(accesses_come_from_the_one_before),
    };
    char *made = test_make_dir();
    int failed;

    dir = made;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_remove_dir(made);
    return failed;
}
