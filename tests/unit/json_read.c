#include "json/json.h"
#include "test.h"

static struct json *parse(struct str text)
{
    struct json *root = NULL;
    struct errmsg err = {""};

    assert_ok(json_parse(text, &root, &err), err);
    return root;
}

static void values_are_found(void **state)
{
    struct json *root = parse(STR("{\"s\":\"x\\u0000y\",\"n\":-7,\"d\":2.5,\"t\":true,\"z\":null,\"a\":[1,\"two\"]}"));

    (void)state;
    assert_true(str_eq(json_as_str(json_get(root, "s")), (struct str){"x\0y", 3}));
    assert_int_equal(json_as_int(json_get(root, "n")), -7);
    assert_true(json_as_double(json_get(root, "n")) == -7.0);
    assert_true(json_as_double(json_get(root, "d")) == 2.5);
    assert_int_equal(json_as_int(json_get(root, "d")), 2);
    assert_true(json_as_bool(json_get(root, "t")));
    assert_int_equal(json_count(json_get(root, "a")), 2);
    assert_int_equal(json_members(json_get(root, "a")), 0);
    assert_int_equal(json_members(root), 6);
    assert_str(json_as_str(json_at(json_get(root, "a"), 1)), "two");
    assert_true(json_is_str(json_at(json_get(root, "a"), 1)));
    json_free(root);
}

static void absent_and_mistyped_values_are_harmless(void **state)
{
    struct json *root = parse(STR("[{}, 1e300]"));

    (void)state;
    assert_null(json_get(root, "x"));
    assert_null(json_at(root, 2));
    assert_null(json_get(json_get(json_at(root, 0), "x"), "y"));
    assert_null(json_as_str(root).p);
    assert_false(json_is_str(NULL));
    assert_int_equal(json_count(json_at(root, 0)), 0);
    assert_int_equal(json_members(json_at(root, 0)), 0);
    assert_int_equal(json_as_int(json_at(root, 1)), 0);
    assert_int_equal(json_as_int(NULL), 0);
    assert_false(json_as_bool(NULL));
    json_free(root);
    json_free(NULL);
}

static void bad_text_is_repaired(void **state)
{
    static const struct {
        struct str in;
        const char *want;
    } cases[] = {
        {{"\"a\xFFz\"", 5}, "a\xEF\xBF\xBDz"},
        {{"\"\\uD800x\"", 9}, "\xEF\xBF\xBDx"},
        {{"\"\\udc00\\ud83d\\ude00\"", 20}, "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {{"\"\\uD83D\\uD83D\\uDE00\"", 20}, "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {{"\"\\\\uD800\"", 9}, "\\uD800"}, /* an escaped backslash, no surrogate */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json *root = parse(cases[i].in);

        assert_str(json_as_str(root), cases[i].want);
        json_free(root);
    }
}

static void broken_text_is_refused(void **state)
{
    static const char *const cases[] = {"",    "{",      "[1,]",   "{\"a\" 1}", "nul",  "\"\\x\"",
                                        "[1]]", "\"\\u12\"", "\"open", "\"\\",      "01", "\"\n\""};
    struct json *root;
    struct errmsg err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(json_parse(str_of(cases[i]), &root, &err), SCENT_E_INVALID);
        assert_null(root);
    }
    assert_int_equal(json_parse(STR("[1,\n  oops]"), &root, &err), SCENT_E_INVALID);
    assert_memory_equal(err.text, "line 2, ", 8);
    assert_int_equal(json_parse(STR("["), &root, NULL), SCENT_E_INVALID);
}

static void depth_is_capped(void **state)
{
    enum { TOO_DEEP = 100000 };
    char *text = malloc(TOO_DEEP);
    struct json *root;
    struct errmsg err;

    (void)state;
    assert_non_null(text);
    memset(text, '[', TOO_DEEP);
    assert_int_equal(json_parse((struct str){text, TOO_DEEP}, &root, &err), SCENT_E_LIMIT);
    memset(text + SCENT_JSON_READ_DEPTH, ']', SCENT_JSON_READ_DEPTH);
    assert_ok(json_parse((struct str){text, 2 * SCENT_JSON_READ_DEPTH}, &root, &err), err);
    json_free(root);
    memset(text, '[', TOO_DEEP);
    text[0] = text[TOO_DEEP - 1] = '"'; /* brackets in a string do not nest */
    assert_ok(json_parse((struct str){text, TOO_DEEP}, &root, &err), err);
    json_free(root);
    free(text);
}

static void what_is_written_reads_back(void **state)
{
    static const double numbers[] = {0.1, 1e-310, 123456789012345680.0, 3.141592653589793, -1e-7};
    struct buf out;
    struct json_writer w;
    struct json *root;

    (void)state;
    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_array_begin(&w);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_double(&w, numbers[i]);
    json_str(&w, (struct str){"\0\x1f\"\\\xC3\xA9", 6});
    json_array_end(&w);
    root = parse(buf_str(&out));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(json_as_double(json_at(root, i)) == numbers[i]);
    assert_true(str_eq(json_as_str(json_at(root, 5)), (struct str){"\0\x1f\"\\\xC3\xA9", 6}));
    json_free(root);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found),     cmocka_unit_test(absent_and_mistyped_values_are_harmless),
        cmocka_unit_test(bad_text_is_repaired), cmocka_unit_test(broken_text_is_refused),
        cmocka_unit_test(depth_is_capped),      cmocka_unit_test(what_is_written_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
