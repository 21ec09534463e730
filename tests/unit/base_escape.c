/* Text inside of text: CSV fields, markup, hexadecimal digits. */
#include "base/buf.h"
#include "test.h"

static void check(void (*escape)(struct buf *, struct str), struct str s, const char *want)
{
    struct buf out;

    buf_init(&out, 0);
    escape(&out, s);
    assert_string_equal(buf_z(&out), want);
    buf_release(&out);
}

static void csv_fields_are_quoted(void **state)
{
    (void)state;
    check(escape_csv, STR_NONE, "\"\"");
    check(escape_csv, STR("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    check(escape_csv, STR("=1+2"), "\"'=1+2\"");
    check(escape_csv, STR("\tx"), "\"'\tx\"");
    check(escape_csv, STR("a=b"), "\"a=b\"");
}

static void markup_holds_no_markup(void **state)
{
    (void)state;
    check(escape_markup, STR("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    check(escape_markup, STR("a\tb\nc\001d\rcaf\xC3\xA9"), "a\tb\ncdcaf\xC3\xA9");
    check(escape_markup, STR("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "\xEF\xBF\xBD");
    check(escape_markup, STR("\xFF<\xE2\x82"), "\xEF\xBF\xBD&lt;\xEF\xBF\xBD");
}

static void hex_is_read_and_written(void **state)
{
    char text[5] = "";

    (void)state;
    escape_hex((const unsigned char *)"\x0F\xA5", 2, text);
    assert_string_equal(text, "0fa5");
    assert_int_equal(ascii_hex('7'), 7);
    assert_int_equal(ascii_hex('a'), 10);
    assert_int_equal(ascii_hex('F'), 15);
    assert_int_equal(ascii_hex('g'), -1);
    assert_int_equal(ascii_hex('/'), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_fields_are_quoted),
        cmocka_unit_test(markup_holds_no_markup),
        cmocka_unit_test(hex_is_read_and_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
