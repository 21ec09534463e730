#include "json/json.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static struct buf out;
static struct json_writer w;

static int start(void **state)
{
    (void)state;
    buf_init(&out, 1 << 20);
    json_writer_init(&w, &out);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    buf_release(&out);
    return 0;
}

static void commas_and_nesting(void **state)
{
    (void)state;
    json_object_begin(&w);
    json_key(&w, "a");
    json_array_begin(&w);
    json_int(&w, 1);
    json_array_begin(&w);
    json_array_end(&w);
    json_object_begin(&w);
    json_object_end(&w);
    json_bool(&w, true);
    json_array_end(&w);
    json_key(&w, "b\"");
    json_none(&w);
    json_key(&w, "c");
    json_bool(&w, false);
    json_object_end(&w);
    assert_str(buf_str(&out), "{\"a\":[1,[],{},true],\"b\\\"\":null,\"c\":false}");
}

static void keys_with_their_values(void **state)
{
    (void)state;
    json_object_begin(&w);
    json_put_str(&w, "s", STR("x"));
    json_put_int(&w, "n", -7);
    json_put_double(&w, "x", .5);
    json_put_bool(&w, "b", true);
    json_object_end(&w);
    assert_str(buf_str(&out), "{\"s\":\"x\",\"n\":-7,\"x\":0.5,\"b\":true}");
}

static void values_on_lines(void **state)
{
    (void)state;
    json_object_begin(&w);
    json_object_end(&w);
    json_int(&w, INT64_MIN);
    json_int(&w, INT64_MAX);
    assert_str(buf_str(&out), "{}\n-9223372036854775808\n9223372036854775807");
}

static void strings_are_escaped(void **state)
{
    static const struct {
        struct str in;
        const char *want;
    } cases[] = {
        {{"", 0}, "\"\""},
        {{NULL, 0}, "\"\""},
        {{"a\"b\\c/", 6}, "\"a\\\"b\\\\c/\""},
        {{"\b\f\n\r\t\0\x1f\x7f", 8}, "\"\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\""},
        {{"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9}, "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {{"\xFFx", 2}, "\"\xEF\xBF\xBDx\""},
        {{"\xE2\x82", 2}, "\"\xEF\xBF\xBD\""},                               /* cut short */
        {{"\xC0\xAF", 2}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                   /* overlong */
        {{"\xED\xA0\x80", 3}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},   /* a surrogate */
        {{"\xF4\x90\x80\x80", 4}, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {{"\xF0\x9F\x98x", 4}, "\"\xEF\xBF\xBDx\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        json_writer_init(&w, &out);
        json_str(&w, cases[i].in);
        assert_str(buf_str(&out), cases[i].want);
    }
}

static void doubles_are_short_and_exact(void **state)
{
    static const struct {
        double x;
        const char *want;
    } cases[] = {
        {0, "0"}, {-0.0, "-0"}, {1, "1"}, {0.1, "0.1"}, {0.1 + 0.2, "0.30000000000000004"},
        {1e300, "1e+300"}, {5e-324, "5e-324"}, {DBL_MAX, "1.7976931348623157e+308"},
        {1.0 / 3, "0.3333333333333333"}, {-2.5, "-2.5"}, {NAN, "null"}, {INFINITY, "null"}, {-INFINITY, "null"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        json_writer_init(&w, &out);
        json_double(&w, cases[i].x);
        assert_str(buf_str(&out), cases[i].want);
    }
}

static void a_full_buffer_is_reported(void **state)
{
    struct buf small;

    (void)state;
    buf_init(&small, 8);
    json_writer_init(&w, &small);
    json_str(&w, STR("longer than eight"));
    assert_true(small.failed);
    buf_release(&small);
}

static void value_without_key(void)
{
    json_object_begin(&w);
    json_int(&w, 1);
}

static void key_in_array(void)
{
    json_array_begin(&w);
    json_key(&w, "k");
}

static void wrong_end(void)
{
    json_array_begin(&w);
    json_object_end(&w);
}

static void key_without_value(void)
{
    json_object_begin(&w);
    json_key(&w, "k");
    json_object_end(&w);
}

static void too_deep(void)
{
    for (int i = 0; i <= SCENT_JSON_WRITE_DEPTH; i++)
        json_array_begin(&w);
}

static void misuse_aborts(void **state)
{
    void (*const misuses[])(void) = {value_without_key, key_in_array, wrong_end, key_without_value, too_deep};

    (void)state;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        int status;
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
            signal(SIGABRT, SIG_DFL); /* not cmocka's: the child must die */
            if (!freopen("/dev/null", "w", stderr))
                _exit(1);
            misuses[i]();
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commas_and_nesting, start, stop),
        cmocka_unit_test_setup_teardown(keys_with_their_values, start, stop),
        cmocka_unit_test_setup_teardown(values_on_lines, start, stop),
        cmocka_unit_test_setup_teardown(strings_are_escaped, start, stop),
        cmocka_unit_test_setup_teardown(doubles_are_short_and_exact, start, stop),
        cmocka_unit_test_setup_teardown(a_full_buffer_is_reported, start, stop),
        cmocka_unit_test_setup_teardown(misuse_aborts, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
