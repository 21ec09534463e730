#include "test.h"
#include "url/url.h"

static struct arena arena;

static int start(void **state)
{
    (void)state;
    arena_init(&arena, 4 << 20);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct url normal_of(const char *text, unsigned flags)
{
    struct url url, normal, again, parsed;

    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_OK);
    assert_int_equal(url_normalise(&arena, &url, flags, &normal), SCENT_OK);
    /* Idempotent, and the offsets are those that parsing gives. */
    assert_int_equal(url_normalise(&arena, &normal, flags, &again), SCENT_OK);
    assert_ptr_equal(again.href.p, normal.href.p);
    assert_int_equal(url_parse(&arena, normal.href, NULL, &parsed), SCENT_OK);
    assert_str(parsed.href, normal.href.p);
    assert_memory_equal(&parsed.scheme_end, &normal.scheme_end,
                        offsetof(struct url, port) + sizeof(uint16_t) - offsetof(struct url, scheme_end));
    return normal;
}

static void one_spelling(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/a?b", "http://h/a?b"},
        {"http://h/a?b#c", "http://h/a?b"},
        {"http://h/a?#", "http://h/a"},
        {"http://u:p@h:81/a?#c", "http://h:81/a"},
        {"http://h/%7euser/%41%2f%c3%a9?%7E=%3d", "http://h/~user/A%2F%C3%A9?~=%3D"},
        {"http://h/%2e%2ex/%2E", "http://h/..x/"},
        {"http://h/%", "http://h/%"},
        {"http://h/%4", "http://h/%4"},
        {"http://h/%25%34%31", "http://h/%2541"},
        {"http://h/%%34%31", "http://h/%%341"},   /* must not become %41 */
        {"http://h/%4%31", "http://h/%4%31"},
        {"http://h/%%%34%31", "http://h/%%%341"},
        {"http://h/%%47", "http://h/%G"},
        {"http://h/?%%34%31&%4%31", "http://h/?%%341&%4%31"},
        {"http://h/?utm_source=x", "http://h/?utm_source=x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(normal_of(cases[i][0], 0).href, cases[i][1]);
}

static void tracking_is_removed(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/?utm_source=x", "http://h/"},
        {"http://h/?utm_source=x#f", "http://h/"},
        {"http://h/?a=1&utm_medium=x&b=2", "http://h/?a=1&b=2"},
        {"http://h/?UTM_X&a", "http://h/?a"},
        {"http://h/?a&gclid=1&fbclid=2", "http://h/?a"},
        {"http://h/?%75tm_source=x&a", "http://h/?a"},
        {"http://h/?a=utm_source", "http://h/?a=utm_source"},
        {"http://h/?a&&b&", "http://h/?a&&b&"},
        {"http://h/?&utm_x=1&", "http://h/?&"},
        {"http://h/?gclidx=1", "http://h/?gclidx=1"},
        {"http://h/utm_source=x", "http://h/utm_source=x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(normal_of(cases[i][0], URL_STRIP_TRACKING).href, cases[i][1]);
}

static void sessions_are_removed(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/a;jsessionid=0AB1CD2EF3", "http://h/a"},
        {"http://h/a;JSESSIONID=0AB1CD2EF3.node1!-42?b=1", "http://h/a?b=1"},
        {"http://h/a;jsessionid=0AB1CD2EF3;v=2/b", "http://h/a;v=2/b"},
        {"http://h/a;v=2;jsessionid=0AB1CD2EF3;jsessionid=1AB1CD2EF3", "http://h/a;v=2"},
        {"http://h/;jsessionid=0AB1CD2EF3", "http://h/"},
        {"http://h/a/..;jsessionid=0AB1CD2EF3", "http://h/a/..;jsessionid=0AB1CD2EF3"}, /* not the parent */
        {"http://h/a/%2e;jsessionid=0AB1CD2EF3/b", "http://h/a/.;jsessionid=0AB1CD2EF3/b"},
        {"http://h/a/...;jsessionid=0AB1CD2EF3", "http://h/a/..."},
        {"http://h/(S(lit3py55t21z5v55vlm25s55))/shop/(x)", "http://h/shop/(x)"},
        {"http://h/(S(lit3py55t21z5v55vlm25s55))", "http://h/"},
        {"http://h/a/(S(lit3py55t21z5v55vlm25s55))/", "http://h/a/"},
        {"http://h/(S(lit3py55t21z5v55vlm25s55));jsessionid=0AB1CD2EF3", "http://h/"},
        {"http://h/Mercury_(planet);x", "http://h/Mercury_(planet);x"},
        {"http://h/?PHPSESSID=9a8b7c6d5e4f", "http://h/"},
        {"http://h/?PHPSESSID=", "http://h/"},
        {"http://h/?a=1&PhpSessId=9a8b7c6d5e4f&b=2", "http://h/?a=1&b=2"},
        {"http://h/?%70hpsessid=9a8b7c6d5e4f&b=2", "http://h/?b=2"},
        {"http://h/?ASPSESSIONIDQQACBDTS=EGHIJK1LMNOP", "http://h/"},
        {"http://h/?CFID=123&CFTOKEN=84739201&p=1", "http://h/?p=1"},
        {"http://h/?osCsid=1f0d2b3c4a5e&cPath=2", "http://h/?cPath=2"},
        {"http://h/?zenid=1f0d2b3c4a5e", "http://h/"},
        {"http://h/?sid=0123456789abcdef0123456789abcdef&t=4", "http://h/?t=4"},
        {"http://h/?s=0123456789abcdef0123456789abcdef&t=4", "http://h/?t=4"},
        /* what is no session */
        {"http://h/?sid=12345", "http://h/?sid=12345"},
        {"http://h/?sid=a-story-about-2000-cats", "http://h/?sid=a-story-about-2000-cats"},
        {"http://h/?s=hockey", "http://h/?s=hockey"},
        {"http://h/?session=spring2026", "http://h/?session=spring2026"},
        {"http://h/?session=pneumonoultramicroscopic", "http://h/?session=pneumonoultramicroscopic"},
        {"http://h/?PHPSESSID", "http://h/?PHPSESSID"},
        {"http://h/?sessionid=7", "http://h/?sessionid=7"}, /* of a conference */
        {"http://h/?token=0123456789abcdef", "http://h/?token=0123456789abcdef"},
        {"http://h/?utm_source=x", "http://h/?utm_source=x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(normal_of(cases[i][0], URL_STRIP_SESSION).href, cases[i][1]);
    assert_str(normal_of("http://h/?PHPSESSID=9a8b7c6d5e4f", URL_STRIP_TRACKING).href, "http://h/?PHPSESSID=9a8b7c6d5e4f");
    assert_str(normal_of("http://h/;jsessionid=9a8b7c6d5e4f", 0).href, "http://h/;jsessionid=9a8b7c6d5e4f");
    assert_str(normal_of("http://h/a;jsessionid=9a8b7c6d5e4f?utm_x=1&sid=9a8b7c6d5e4f0a1b&q",
                         URL_STRIP_TRACKING | URL_STRIP_SESSION).href, "http://h/a?q");
}

static void nothing_is_copied_without_need(void **state)
{
    static const char *const cases[] = {"http://h/", "https://h:81/a/b?c=d&e", "http://h/%2F%C3%A9?%3D"};
    struct url url, normal;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(url_parse(&arena, str_of(cases[i]), NULL, &url), SCENT_OK);
        assert_int_equal(url_normalise(&arena, &url, URL_STRIP_TRACKING | URL_STRIP_SESSION, &normal), SCENT_OK);
        assert_ptr_equal(normal.href.p, url.href.p);
    }
}

/* Random URLs of the bytes that matter: normalising twice is normalising once (checked in normal_of). */
static void idempotent_on_random_urls(void **state)
{
    static const char bytes[] = "%%%%0123456789abcdefEF./?&=#-~utm_";
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[40] = "http://h/";

        for (size_t i = 9; i < sizeof text - 1; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        }
        normal_of(text, round % 2 ? URL_STRIP_TRACKING : 0);
        if (round % 1000 == 0)
            arena_reset(&arena);
    }
}

/* The same of the pieces that sessions are made of. */
static void idempotent_on_random_sessions(void **state)
{
    static const char *const pieces[] = {"/", ";", "jsessionid=", "0123456789abcdef", "?", "&", "sid=", "..", "%2e", "%",
                                         "(S(lit3py55t21z5v55vlm25s55))", "a", "=", "cfid=1", "PHPSESSID="};
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[400] = "http://h/";

        for (int i = 0; i < 10; i++) {
            seed = seed * 1664525 + 1013904223;
            strcat(text, pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        normal_of(text, round % 2 ? URL_STRIP_SESSION : URL_STRIP_SESSION | URL_STRIP_TRACKING);
        if (round % 1000 == 0)
            arena_reset(&arena);
    }
}

static void fingerprints(void **state)
{
    (void)state;
    assert_true(url_fingerprint(STR("http://h/"), 1) == url_fingerprint(STR("http://h/"), 1));
    assert_true(url_fingerprint(STR("http://h/"), 1) != url_fingerprint(STR("http://h/"), 2));
    assert_true(url_fingerprint(STR("http://h/"), 1) != url_fingerprint(STR("http://h/x"), 1));
    assert_true(url_fingerprint(STR_NONE, 0) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_spelling, start, stop),
        cmocka_unit_test_setup_teardown(tracking_is_removed, start, stop),
        cmocka_unit_test_setup_teardown(sessions_are_removed, start, stop),
        cmocka_unit_test_setup_teardown(nothing_is_copied_without_need, start, stop),
        cmocka_unit_test_setup_teardown(idempotent_on_random_urls, start, stop),
        cmocka_unit_test_setup_teardown(idempotent_on_random_sessions, start, stop),
        cmocka_unit_test(fingerprints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
