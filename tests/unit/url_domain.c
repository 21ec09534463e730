#include "test.h"
#include "url/url.h"

static void registered_domains(void **state)
{
    static const char *const cases[][2] = {
        {"www.example.co.uk", "example.co.uk"},
        {"example.co.uk", "example.co.uk"},
        {"co.uk", "co.uk"},
        {"a.b.c.example.com", "example.com"},
        {"a.b.c.example.com.", "example.com"},
        {"com", "com"},
        {"localhost", "localhost"},
        {"a.b.unknown-suffix", "b.unknown-suffix"},
        {"www.xn--bcher-kva.de", "xn--bcher-kva.de"},
        {"www.shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"},
        {"a.b.kobe.jp", "a.b.kobe.jp"},  /* *.kobe.jp */
        {"www.city.kobe.jp", "city.kobe.jp"}, /* !city.kobe.jp */
        {"127.0.0.1", "127.0.0.1"},
        {"[::1]", "[::1]"},
        {"", ""},
        {".", "."},
        {"..", ".."},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str host = str_of(cases[i][0]), domain = url_registered_domain(host);

        assert_str(domain, cases[i][1]);
        assert_true(domain.p >= host.p && domain.p + domain.len <= host.p + host.len);
    }
}

static void hostile_names_are_bounded(void **state)
{
    static char name[8000];
    struct str host = {name, sizeof name};

    (void)state;
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = i % 2 ? '.' : 'a';
    assert_ptr_equal(url_registered_domain(host).p, name);
    assert_int_equal(url_registered_domain(host).len, sizeof name);
}

static void loopback(void **state)
{
    static const char *const yes[] = {"127.0.0.1", "127.255.0.9", "[::1]", "localhost", "localhost.", "a.b.localhost",
                                      "LOCALHOST", "localhost.localdomain", "Localhost.LocalDomain.", "ip6-localhost"};
    static const char *const no[] = {"", ".", "128.0.0.1", "126.255.255.255", "[::2]", "[::ffff:7f00:1]",
                                     "localhost.org", "notlocalhost", ".localhost", "127.0.0.1.org", "0.0.0.0",
                                     "localdomain", "localhost.localdomain.org", "a.localhost.localdomain"};

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!url_host_is_loopback(str_of(yes[i])))
            fail_msg("%s is loopback", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (url_host_is_loopback(str_of(no[i])))
            fail_msg("%s is not loopback", no[i]);
}

static void surts(void **state)
{
    static const char *const cases[][2] = {
        {"http://www.example.org/path?query", "org,example)/path?query"},
        {"http://www12.Example.org/Some/Path/?b=2&A=1&a", "org,example)/some/path?a&a=1&b=2"},
        {"http://wwwx.example.org/", "org,example,wwwx)/"},
        {"http://www./?", "www)/"},
        {"https://user:pass@Example.org:8443/#fragment", "org,example:8443)/"},
        {"http://h", "h)/"},
        {"http://a.b./x", "b,a)/x"},
        {"http://127.0.0.1:81/x", "127.0.0.1:81)/x"},
        {"http://[::1]/x?y", "[::1])/x?y"},
        {"http://a..b/", "b,,a)/"},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct url url;
        struct str surt;

        assert_int_equal(url_parse(&arena, str_of(cases[i][0]), NULL, &url), SCENT_OK);
        assert_int_equal(url_surt(&arena, &url, &surt), SCENT_OK);
        assert_str(surt, cases[i][1]);
        assert_int_equal(surt.p[surt.len], 0);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_domains),
        cmocka_unit_test(hostile_names_are_bounded),
        cmocka_unit_test(loopback),
        cmocka_unit_test(surts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
