#include "test.h"
#include "url/url.h"

static struct arena arena;

static int start(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 20);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct url parse(const char *text, const struct url *base)
{
    struct url url;

    assert_int_equal(url_parse(&arena, str_of(text), base, &url), SCENT_OK);
    return url;
}

static void absolute_urls(void **state)
{
    static const char *const cases[][2] = {
        {"http://example.org", "http://example.org/"},
        {"  HTTPS://EXAMPLE.org:443/A\n", "https://example.org/A"},
        {"http:example.org", "http://example.org/"},
        {"http:\\\\/example.org\\a\\b", "http://example.org/a/b"},
        {"ht\ntp://exa\tmple.org/\rx", "http://example.org/x"},
        {"http://h:/", "http://h/"},
        {"http://h:0080/", "http://h/"},
        {"http://h:00081/", "http://h:81/"},
        {"http://h:0/", "http://h:0/"},
        {"http://h?q", "http://h/?q"},
        {"http://h#f", "http://h/#f"},
        {"http://h/?#", "http://h/?#"},
        {"http://h/a/./b/../../c/%2e%2E/d/.", "http://h/d/"},
        {"http://h/../../a/..", "http://h/"},
        {"http://h/a/...", "http://h/a/..."},
        {"http://h/.%2", "http://h/.%2"},
        {"http://h//a//", "http://h//a//"},
        {"http://h/a b\"<>`{}^|'?a b\"<>`{}^|'#a b\"<>`{}^|'",
         "http://h/a%20b%22%3C%3E%60%7B%7D%5E|'?a%20b%22%3C%3E`{}^|%27#a%20b%22%3C%3E%60{}^|'"},
        {"http://h/\xC3\xA9\xFF", "http://h/%C3%A9%EF%BF%BD"},
        {"http://h/%zz%4", "http://h/%zz%4"},
        {"http://h/a?b?c/../d#e#f", "http://h/a?b?c/../d#e#f"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(parse(cases[i][0], NULL).href, cases[i][1]);
}

static void relative_references(void **state)
{
    static const char *const cases[][2] = {
        {"", "http://u@h:81/a/b/c?q"},
        {"#n", "http://u@h:81/a/b/c?q#n"},
        {"?n", "http://u@h:81/a/b/c?n"},
        {"?", "http://u@h:81/a/b/c?"},
        {"d", "http://u@h:81/a/b/d"},
        {"./d/", "http://u@h:81/a/b/d/"},
        {".", "http://u@h:81/a/b/"},
        {"..", "http://u@h:81/a/"},
        {"../../../../d", "http://u@h:81/d"},
        {"/d?x#y", "http://u@h:81/d?x#y"},
        {"\\d", "http://u@h:81/d"},
        {"//other/d", "http://other/d"},
        {"/\\other", "http://other/"},
        {"http:d", "http://u@h:81/a/b/d"},
        {"http:/d", "http://u@h:81/d"},
        {"https:d", "https://d/"},
        {"d:e/f", NULL}, /* a scheme that is not ours */
        {"1:e", "http://u@h:81/a/b/1:e"},
        {"./d:e", "http://u@h:81/a/b/d:e"},
        {" \t d \n", "http://u@h:81/a/b/d"},
    };
    struct url base = parse("http://u@h:81/a/b/c?q#f", NULL), url;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i][1])
            assert_str(parse(cases[i][0], &base).href, cases[i][1]);
        else
            assert_int_equal(url_parse(&arena, str_of(cases[i][0]), &base, &url), SCENT_E_UNSUPPORTED);
    }
}

static void parts_are_ranges(void **state)
{
    struct url url = parse("https://us%20er:pa:s@Example.org:8443/p/a?q=1#frag", NULL);

    (void)state;
    assert_str(url_scheme(&url), "https");
    assert_str(url_host(&url), "example.org");
    assert_str(url_path(&url), "/p/a");
    assert_str(url_query(&url), "q=1");
    assert_str(url_fragment(&url), "frag");
    assert_int_equal(url_port(&url), 8443);
    assert_true(url_has_credentials(&url));
    assert_str(str_sub(url.href, url.scheme_end + 3u, url.user_end), "us%20er");
    assert_str(str_sub(url.href, url.user_end + 1u, url.pass_end), "pa%3As");
    assert_int_equal(url.href.p[url.href.len], 0);

    url = parse("http://h", NULL);
    assert_str(url_origin(&url), "http://h");
    assert_str(url_query(&url), "");
    assert_str(url_fragment(&url), "");
    assert_int_equal(url_port(&url), 80);
    assert_false(url_has_credentials(&url));
    assert_int_equal(url.user_end, url.scheme_end + 3);
    url = parse("https://h:444/x", NULL);
    assert_str(url_origin(&url), "https://h:444");
    url = parse("https://h", NULL);
    assert_int_equal(url_port(&url), 443);
}

static void credentials(void **state)
{
    static const char *const cases[][2] = {
        {"http://@h", "http://h/"},          {"http://:@h", "http://h/"},
        {"http://a@h", "http://a@h/"},       {"http://a:@h", "http://a@h/"},
        {"http://:b@h", "http://:b@h/"},     {"http://a@b@h", "http://a%40b@h/"},
        {"http://a:b:c@h", "http://a:b%3Ac@h/"}, {"http://a;=[]|:b@h", "http://a%3B%3D%5B%5D%7C:b@h/"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(parse(cases[i][0], NULL).href, cases[i][1]);
}

static void failures(void **state)
{
    static const char *const cases[] = {
        "", "x", "/x", "//h", "?", "http:", "http://", "http:///", "http://?", "http://#", "http://:80", "http://a@",
        "http://a@/x", "http://h:65536", "http://h:8a", "http://h:-1", "http://h h/", "http://h<", "http://h%00",
        "http://h%20", "http://h|", "http://%", "http://h]", "http://[", "http://[::1", "http://[::1]x", ":80",
        "1http://h",
    };
    struct url url;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (url_parse(&arena, str_of(cases[i]), NULL, &url) != SCENT_E_INVALID)
            fail_msg("\"%s\" must be invalid", cases[i]);
    assert_int_equal(url_parse(&arena, STR_NONE, NULL, &url), SCENT_E_INVALID);
}

static void other_schemes(void **state)
{
    static const char *const cases[] = {"mailto:a@b", "javascript:void(0)", "data:,x", "ftp://h/", "tel:1", "file:///x",
                                        "JAVA\tSCRIPT:x", "about:blank", "httpx://h", "ws://h", "a+b-c.d:x"};
    struct url base = parse("http://h/", NULL), url;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(url_parse(&arena, str_of(cases[i]), NULL, &url), SCENT_E_UNSUPPORTED);
        assert_int_equal(url_parse(&arena, str_of(cases[i]), &base, &url), SCENT_E_UNSUPPORTED);
    }
}

/* "http://h/" and then `fill` up to `len` bytes. */
static struct str long_url(char *text, size_t len, char fill)
{
    memset(text, fill, len);
    memcpy(text, "http://h/", 9);
    return (struct str){text, len};
}

static void length_is_capped(void **state)
{
    enum { HUGE_LEN = 1 << 20 };
    char *text = malloc(HUGE_LEN);
    struct url url;

    (void)state;
    assert_non_null(text);
    assert_int_equal(url_parse(&arena, long_url(text, SCENT_URL_MAX, 'x'), NULL, &url), SCENT_OK);
    assert_int_equal(url.href.len, SCENT_URL_MAX);
    assert_int_equal(url.path_end, SCENT_URL_MAX);
    assert_int_equal(url_parse(&arena, STR("#"), &url, &url), SCENT_E_LIMIT);
    assert_int_equal(url_parse(&arena, long_url(text, SCENT_URL_MAX + 1, 'x'), NULL, &url), SCENT_E_LIMIT);
    assert_int_equal(url_parse(&arena, long_url(text, HUGE_LEN, 'x'), NULL, &url), SCENT_E_LIMIT);
    /* Each byte becomes three: what fits as input does not as an href. */
    assert_int_equal(url_parse(&arena, long_url(text, 8000, '"'), NULL, &url), SCENT_E_LIMIT);
    assert_int_equal(url_parse(&arena, long_url(text, 8000, '\xFF'), NULL, &url), SCENT_E_LIMIT);
    /* A long host, a long input that is all line breaks, a long URL of another scheme. */
    memset(text, 'a', HUGE_LEN);
    memcpy(text, "http://", 7);
    assert_int_equal(url_parse(&arena, (struct str){text, SCENT_URL_MAX}, NULL, &url), SCENT_E_LIMIT);
    memset(text + 8, '\n', HUGE_LEN - 8);
    text[HUGE_LEN - 1] = 'a';
    assert_int_equal(url_parse(&arena, (struct str){text, HUGE_LEN}, NULL, &url), SCENT_OK);
    assert_str(url.href, "http://aa/");
    memcpy(text, "data:,x", 7);
    assert_int_equal(url_parse(&arena, (struct str){text, HUGE_LEN}, NULL, &url), SCENT_E_UNSUPPORTED);
    free(text);
}

static void a_full_arena_is_reported(void **state)
{
    struct arena none;
    struct url url;

    (void)state;
    arena_init(&none, 0);
    assert_int_equal(url_parse(&none, STR("http://h/"), NULL, &url), SCENT_E_NOMEM);
    arena_release(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(absolute_urls, start, stop),
        cmocka_unit_test_setup_teardown(relative_references, start, stop),
        cmocka_unit_test_setup_teardown(parts_are_ranges, start, stop),
        cmocka_unit_test_setup_teardown(credentials, start, stop),
        cmocka_unit_test_setup_teardown(failures, start, stop),
        cmocka_unit_test_setup_teardown(other_schemes, start, stop),
        cmocka_unit_test_setup_teardown(length_is_capped, start, stop),
        cmocka_unit_test_setup_teardown(a_full_arena_is_reported, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
