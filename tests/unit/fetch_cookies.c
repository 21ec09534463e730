/* A browser's cookie file: what is read, what is refused, and which request gets what. */
#include "test.h"

#include "fetch/cookies.h"

#define NOW (1700000000 * INT64_C(1000000))

static const char jar[] = "# Netscape HTTP Cookie File\n"
                          "\n"
                          ".example.org\tTRUE\t/\tFALSE\t1800000000\twide\t1\n"
                          "example.org\tFALSE\t/\tFALSE\t0\texact\t2\n"
                          "#HttpOnly_.example.org\tTRUE\t/\tFALSE\t0\thidden\t3\r\n"
                          ".example.org\tTRUE\t/deep\tFALSE\t0\tdeep\t4\n"
                          ".example.org\tTRUE\t/deep/er/\tFALSE\t0\tdeeper\t5\n"
                          ".example.org\tTRUE\t/\tTRUE\t0\tsafe\t6\n"
                          ".example.org\tTRUE\t/\tFALSE\t1700000000\tgone\t7\n"
                          ".example.org\tTRUE\t/\tFALSE\t1700000001.5\tlast\t8\n"
                          ".WWW.Example.Org\tTRUE\t/\tFALSE\t-1\tloud\t9\n"
                          "127.0.0.1\tFALSE\t/\tFALSE\t0\tip\ta=b\n"
                          ".0.0.1\tTRUE\t/\tFALSE\t0\tpart\tx\n"
                          "[::1]\tFALSE\t/\tFALSE\t0\tsix\t6\n"
                          "empty.test\tFALSE\t/\tFALSE\t0\tnothing\n"
                          "nopath.test\tFALSE\t\tFALSE\t0\tn\tv\n"
                          "# .example.org\tTRUE\t/\tFALSE\t0\tcommented\tout\n";

static struct cookies *read_jar(const char *text)
{
    struct cookies *cookies = NULL;
    struct errmsg err;

    assert_ok(cookies_parse(str_of(text), "jar", &cookies, &err), err);
    return cookies;
}

static void test_matching(void **state)
{
    static const struct {
        const char *host, *path;
        bool secure;
        const char *want;
    } cases[] = {
        {"example.org", "/", false, "wide=1; exact=2; hidden=3; last=8"},
        {"example.org", "/", true, "wide=1; exact=2; hidden=3; safe=6; last=8"},
        {"example.org", "/deep", false, "deep=4; wide=1; exact=2; hidden=3; last=8"},
        {"example.org", "/deep/er", false, "deep=4; wide=1; exact=2; hidden=3; last=8"},
        {"example.org", "/deep/er/x", false, "deeper=5; deep=4; wide=1; exact=2; hidden=3; last=8"},
        {"example.org", "/deeper", false, "wide=1; exact=2; hidden=3; last=8"},
        {"sub.example.org", "/", false, "wide=1; hidden=3; last=8"},
        {"www.example.org", "/", false, "wide=1; hidden=3; last=8; loud=9"},
        {"a.b.www.example.org", "/", false, "wide=1; hidden=3; last=8; loud=9"},
        {"badexample.org", "/", false, ""},
        {"example.org.evil.test", "/", true, ""},
        {"org", "/", false, ""},
        {"127.0.0.1", "/", false, "ip=a=b"},    /* an address has no parents */
        {"10.127.0.0.1", "/", false, "part=x"}, /* but this is none */
        {"[::1]", "/", false, "six=6"},
        {"empty.test", "/", false, "nothing="},
        {"nopath.test", "/anything", false, "n=v"},
        {"other.test", "/", true, ""},
    };
    struct cookies *cookies = read_jar(jar);
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cookies_request request = {
            .host = str_of(cases[i].host), .path = str_of(cases[i].path), .secure = cases[i].secure, .now = NOW};

        buf_clear(&out);
        cookies_for(cookies, &request, &out);
        print_message("%s%s\n", cases[i].host, cases[i].path);
        assert_str(buf_str(&out), cases[i].want);
    }
    buf_release(&out);
    cookies_free(cookies);
}

static void test_bad_lines(void **state)
{
    static const char *const lines[] = {
        "secret",
        "a.test\tTRUE\t/\tFALSE\t0",
        "a.test\tMAYBE\t/\tFALSE\t0\tname\tsecret",
        "a.test\tTRUE\t/\tPERHAPS\t0\tname\tsecret",
        "a.test\tTRUE\t/\tFALSE\tsoon\tname\tsecret",
        "a.test\tTRUE\t/\tFALSE\t-2\tname\tsecret",
        "a.test\tTRUE\t/\tFALSE\t99999999999999999999\tname\tsecret",
        "\tTRUE\t/\tFALSE\t0\tname\tsecret",
        ".\tTRUE\t/\tFALSE\t0\tname\tsecret",
        "a.test\tTRUE\t/\tFALSE\t0\t\t",
        "a.test\tTRUE\t/\tFALSE\t0\tname\tsecret\tmore",
        "a.test\tTRUE\t/\tFALSE\t0\tname\tsec\rret",
        "a.test\tTRUE\t/\tFALSE\t0\tname\tsec\x01ret",
        "a.test\tTRUE\t/\tFALSE\t0\tname\tsecret; other=1",
        "a.test\tTRUE\t/\tFALSE\t0\tna;me\tsecret",
    };
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct cookies *cookies = NULL;
        struct errmsg err = {""};

        snprintf(text, sizeof text, "# a comment\n%s\n", lines[i]);
        print_message("%s\n", lines[i]);
        assert_int_equal(cookies_parse(str_of(text), "jar", &cookies, &err), SCENT_E_INVALID);
        assert_non_null(strstr(err.text, "jar:2:"));
        assert_null(strstr(err.text, "secret")); /* what stands there is nobody's business */
    }
}

static void test_empty_files(void **state)
{
    static const char *const texts[] = {"", "\n", "# only this", "\r\n\r\n", " \t \n"};
    struct cookies_request request = {.host = STR("a.test"), .path = STR("/"), .now = NOW};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cookies *cookies = read_jar(texts[i]);

        cookies_for(cookies, &request, &out);
        assert_int_equal(out.len, 0);
        cookies_free(cookies);
    }
    buf_release(&out);
}

/* A header has an end, however many cookies there are: whole cookies are left out. */
static void test_too_many(void **state)
{
    struct cookies_request request = {.host = STR("a.test"), .path = STR("/"), .now = NOW};
    struct cookies *cookies;
    struct buf text, out;

    (void)state;
    buf_init(&text, 0);
    buf_init(&out, 0);
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "a.test\tFALSE\t/\tFALSE\t0\tname%03d\t%0100d\n", i, i);
    cookies = read_jar(buf_z(&text));
    cookies_for(cookies, &request, &out);
    assert_in_range(out.len, 7000, 8192);
    assert_true(str_starts(buf_str(&out), STR("name000=0000")));
    assert_int_equal((out.len + 2) % 110, 0);
    cookies_free(cookies);
    buf_release(&text);
    buf_release(&out);
}

static void test_no_file(void **state)
{
    struct cookies *cookies = NULL;
    struct errmsg err;

    (void)state;
    assert_int_equal(cookies_read("no/such/cookies.txt", &cookies, &err), SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, "no/such/cookies.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching), cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_too_many), cmocka_unit_test(test_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
