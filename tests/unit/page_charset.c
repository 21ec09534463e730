/* BOM, header, meta, guess; labels; repair. */
#include "page_fixture.h"

#include "page/charset.h"

static void check(const char *headers, struct str body, const char *charset, const char *text)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_analyse(&fixture, headers, body);

    assert_str(page->charset, charset);
    assert_str(page->text, text);
    fixture_release(&fixture);
}

static void test_bom_comes_first(void **state)
{
    (void)state;
    check("Content-Type: text/html; charset=iso-8859-1\r\n", STR("\xEF\xBB\xBF<p>caf\xC3\xA9"), "utf-8", "café");
    check("", STR("\xFF\xFE<\0p\0>\0h\0i\0"), "utf-16le", "hi");
    check("", STR("\xFE\xFF\0<\0p\0>\0h\0i"), "utf-16be", "hi");
}

static void test_header_before_meta(void **state)
{
    (void)state;
    check("Content-Type: text/html; charset=iso-8859-1\r\n", STR("<meta charset=utf-8><p>caf\xE9 \x93x\x94"),
          "windows-1252", "café “x”");
    check("content-type: text/html;charset=\"KOI8-R\"\n", STR("<p>\xD7\xCF\xC4\xC1"), "koi8-r", "вода");
    check("Content-Type: text/html; charset=nonsense\r\n", STR("<meta charset=koi8-r><p>\xD7\xCF\xC4\xC1"), "koi8-r",
          "вода");
}

static void test_meta(void **state)
{
    (void)state;
    check("", STR("<html><head><meta charset='windows-1251'><p>\xE2\xEE\xE4\xE0"), "windows-1251", "вода");
    check("", STR("<meta http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\"><p>\x93\x8C\x8B\x9E"),
          "shift_jis", "東京");
    check("", STR("<!-- <meta charset=koi8-r> --><meta charset=iso-8859-2><p>\xB1"), "iso-8859-2", "ą");
    check("", STR("<meta charset=utf-16><p>caf\xC3\xA9"), "utf-8", "café");
    check("", STR("<?xml version='1.0' encoding='iso-8859-15'?><p>\xA4"), "iso-8859-15", "€");
    check("", STR("<meta name=charset content=koi8><p>caf\xC3\xA9"), "utf-8", "café");
}

static void test_guess(void **state)
{
    (void)state;
    check("", STR("<p>plain"), "utf-8", "plain");
    check("", STR("<p>caf\xC3\xA9"), "utf-8", "café");
    check("", STR("<p>Le caf\xE9 est tr\xE8s bon, d\xE9j\xE0 vu \xE0 No\xEBl, l'\xE9t\xE9 pass\xE9."), "windows-1252",
          "Le café est très bon, déjà vu à Noël, l'été passé.");
    check("", STR("<p>\xD0\xF3\xF1\xF1\xEA\xE8\xE9 \xFF\xE7\xFB\xEA \xEF\xF0\xE5\xEA\xF0\xE0\xF1\xE5\xED \xE8 "
                  "\xEC\xEE\xE3\xF3\xF7, \xEE\xED \xE6\xE8\xE2\xE5\xF2 \xE2 \xED\xE0\xF1"),
          "windows-1251", "Русский язык прекрасен и могуч, он живет в нас");
}

static void test_invalid_bytes_are_replaced(void **state)
{
    (void)state;
    check("Content-Type: text/html; charset=utf-8\r\n", STR("<p>a\xFF" "b\xE2\x82 c\xC3"), "utf-8", "a�b� c�");
    check("Content-Type: text/html; charset=utf-8\r\n", STR("<p>a\0b\x01" "c"), "utf-8", "ab c");
    check("Content-Type: text/html; charset=windows-1252\r\n", STR("<p>a\0b\x01" "c"), "windows-1252", "ab c");
    check("Content-Type: text/html; charset=koi8-r\r\n", STR("<p>a\0b\x01" "c\0"), "koi8-r", "ab c");
    check("Content-Type: text/html; charset=euc-jp\r\n", STR("<p>\xC5\xEC\xFF\xB5\xFE"), "euc-jp", "東�京");
    check("Content-Type: text/html; charset=euc-jp\r\n", STR("<p>\xC5"), "euc-jp", "�");
    check("Content-Type: text/html; charset=utf-8\r\n", STR("<p>a\xEF\xBF\xBF"), "utf-8", "a�");
    check("Content-Type: text/html; charset=latin1\r\n", STR("<p>\x81" "a"), "windows-1252", "\xC2\x81" "a");
}

static void test_labels(void **state)
{
    static const char *const cases[][2] = {
        {"UTF8", "utf-8"},        {"latin1", "windows-1252"}, {"us-ascii", "windows-1252"}, {" GB2312 ", "gbk"},
        {"x-sjis", "shift_jis"},  {"tis-620", "windows-874"}, {"iso-8859-9", "windows-1254"},
        {"ks_c_5601-1987", "euc-kr"}, {"Big5-HKSCS", "big5"}, {"unicode", "utf-16le"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(charset_find(str_of(cases[i][0])), cases[i][1]);
    assert_null(charset_find(STR("")).p);
    assert_null(charset_find(STR("iso")).p);
    assert_null(charset_find(STR("latin1 latin2")).p);
    assert_str(charset_parameter(STR("text/html; Charset = 'x' ; a=b")), "x");
    assert_str(charset_parameter(STR("text/html;charset=utf-8;a=b")), "utf-8");
    assert_null(charset_parameter(STR("text/html")).p);
}

/* Long enough to leave the path that works on whole chunks, at every offset. */
static void test_errors_at_every_offset(void **state)
{
    (void)state;
    for (size_t at = 0; at < 200; at++) {
        char body[200], want[256];

        memset(body, 'a', sizeof body);
        memset(want, 'a', sizeof want);
        body[at] = (char)0xFF;
        memcpy(want + at, "�", 3);
        want[sizeof body + 2] = 0;
        check("Content-Type: text/plain; charset=utf-8\r\n", (struct str){body, sizeof body}, "utf-8", want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bom_comes_first),
        cmocka_unit_test(test_header_before_meta),
        cmocka_unit_test(test_meta),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_invalid_bytes_are_replaced),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_errors_at_every_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
