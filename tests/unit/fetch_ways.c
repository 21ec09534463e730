/* What a URL says about the way, what a proxy is, and what of a request is kept. */
#include "test.h"

#include "fetch/transfer.h"

static void test_targets(void **state)
{
    static const struct {
        const char *url, *host, *place, *path;
        bool secure;
        int ip;
    } cases[] = {
        {"http://example.org/", "example.org", "example.org", "/", false, 0},
        {"https://example.org:8443/a/b?c=/d#e", "example.org", "example.org:8443", "/a/b", true, 0},
        {"http://example.org", "example.org", "example.org", "/", false, 0},
        {"http://example.org?x=http://other.test/", "example.org", "example.org", "/", false, 0},
        {"http://example.org#@other.test/", "example.org", "example.org", "/", false, 0},
        {"http://user:word@example.org/", "example.org", "example.org", "/", false, 0},
        {"http://a@b@example.org:1/", "example.org", "example.org:1", "/", false, 0},
        {"http://example.org\\@other.test/", "example.org", "example.org", "/", false, 0},
        {"http://192.0.2.1:80/", "192.0.2.1", "192.0.2.1:80", "/", false, 4},
        {"http://[2001:db8::1]:80/x", "[2001:db8::1]", "[2001:db8::1]:80", "/x", false, 16},
        {"http://1.2.3/", "1.2.3", "1.2.3", "/", false, 0},
        {"HTTPS://EXAMPLE.org/", "EXAMPLE.org", "EXAMPLE.org", "/", true, 0},
        {"ftp://example.org/", "example.org", "example.org", "/", false, 0},
        {"mailto:nobody@example.org", "", "", "/", false, 0},
        {"", "", "", "/", false, 0},
        {"http://", "", "", "/", false, 0},
        {"http://[", "[", "[", "/", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target target;

        target_parse(str_of(cases[i].url), &target);
        print_message("%s\n", cases[i].url);
        assert_str(target.host, cases[i].host);
        assert_str(target.place, cases[i].place);
        assert_str(target.path, cases[i].path);
        assert_int_equal(target.secure, cases[i].secure);
        assert_int_equal(target.ip.len, cases[i].ip);
    }
}

static void test_onion(void **state)
{
    static const char *const yes[] = {"onion", "a.onion", "a.b.ONION", "a.onion.", "onion."};
    static const char *const no[] = {"", ".", "nonion", "a.nonion", "onion.test", "a.onion.test", "onio"};

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(target_is_onion(str_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(target_is_onion(str_of(no[i])));
}

static void test_proxies(void **state)
{
    static const struct {
        const char *text, *url, *user, *password;
    } cases[] = {
        {"127.0.0.1:8080", "http://127.0.0.1:8080", NULL, NULL},
        {"proxy.example", "http://proxy.example", NULL, NULL},
        {"HTTP://proxy.example:3128/", "http://proxy.example:3128", NULL, NULL},
        {"[::1]:8080", "http://[::1]:8080", NULL, NULL},
        {"http://[::1]", "http://[::1]", NULL, NULL},
        {"socks5://127.0.0.1:1080", "socks5h://127.0.0.1:1080", NULL, NULL},
        {"socks5h://127.0.0.1:1080", "socks5h://127.0.0.1:1080", NULL, NULL},
        {"http://me:pass:word@h:1", "http://h:1", "me", "pass:word"},
        {"me:p@ss@h:1", "http://h:1", "me", "p@ss"},
        {"me@h:1", "http://h:1", "me", ""},
    };
    static const char *const bad[] = {
        "",         "http://", "ftp://secret@h:1",       "socks4://h:1",     "h:0",   "h:65536", "h:x", "h:", ":80",
        "h/secret", "h h:1",   "http://a:secret@h:port", "http://a:secret@", "h:1?x",
    };
    struct proxy proxy;
    struct errmsg err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("%s\n", cases[i].text);
        assert_ok(proxy_parse(cases[i].text, "http", "proxy", &proxy, &err), err);
        assert_string_equal(proxy.url, cases[i].url);
        assert_int_equal(proxy.user == NULL, cases[i].user == NULL);
        if (proxy.user) {
            assert_string_equal(proxy.user, cases[i].user);
            assert_string_equal(proxy.password, cases[i].password);
        }
        proxy_release(&proxy);
    }
    assert_ok(proxy_parse("h:1", "socks5", "proxy", &proxy, &err), err);
    assert_string_equal(proxy.url, "socks5h://h:1");
    proxy_release(&proxy);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        print_message("%s\n", bad[i]);
        assert_int_equal(proxy_parse(bad[i], "http", "proxy", &proxy, &err), SCENT_E_INVALID);
        assert_true(strncmp(err.text, "proxy: ", 7) == 0);
        assert_true(strchr(bad[i], '@') == NULL || strstr(err.text, "secret") == NULL);
    }
}

static void test_kept_requests(void **state)
{
    static const struct {
        const char *sent, *kept;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET / HTTP/2\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET /?HTTP/2 HTTP/1.0\r\n\r\n", "GET /?HTTP/2 HTTP/1.0\r\n\r\n"},
        {"GET / HTTP/1.1\r\nCookie: a=secret; b=secret\r\nHost: a\r\n\r\n",
         "GET / HTTP/1.1\r\nCookie:\r\nHost: a\r\n\r\n"},
        {"GET / HTTP/2\r\ncookie: secret\r\nauthorization: secret\r\n\r\n",
         "GET / HTTP/1.1\r\ncookie:\r\nauthorization:\r\n\r\n"},
        {"GET http://a/ HTTP/1.1\r\nProxy-Authorization: Basic secret\r\nAuthorization:secret\r\nX: y\r\n\r\n",
         "GET http://a/ HTTP/1.1\r\nProxy-Authorization:\r\nAuthorization:\r\nX: y\r\n\r\n"},
        {"GET / HTTP/1.1\r\nX-Cookie: kept\r\nCookies: kept\r\n\r\n",
         "GET / HTTP/1.1\r\nX-Cookie: kept\r\nCookies: kept\r\n\r\n"},
        {"GET / HTTP/1.1\r\nCookie: sec", "GET / HTTP/1.1\r\nCookie:\r\n"}, /* cut short */
        {"GET / HT", "GET / HT"},
        {"", ""},
    };
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        reply_keep_request(str_of(cases[i].sent), &out);
        assert_str(buf_str(&out), cases[i].kept);
    }
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_onion),
        cmocka_unit_test(test_proxies),
        cmocka_unit_test(test_kept_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
