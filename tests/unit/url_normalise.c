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

static void nothing_is_copied_without_need(void **state)
{
    static const char *const cases[] = {"http://h/", "https://h:81/a/b?c=d&e", "http://h/%2F%C3%A9?%3D"};
    struct url url, normal;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(url_parse(&arena, str_of(cases[i]), NULL, &url), SCENT_OK);
        assert_int_equal(url_normalise(&arena, &url, URL_STRIP_TRACKING, &normal), SCENT_OK);
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
        cmocka_unit_test_setup_teardown(nothing_is_copied_without_need, start, stop),
        cmocka_unit_test_setup_teardown(idempotent_on_random_urls, start, stop),
        cmocka_unit_test(fingerprints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
