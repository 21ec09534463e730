#include "test.h"
#include "url/url_trap.h"

static uint64_t pattern_of(const char *text, uint64_t key)
{
    struct arena arena;
    struct url url;
    uint64_t pattern;

    arena_init(&arena, 1 << 16);
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_OK);
    pattern = url_pattern(&url, key);
    arena_release(&arena);
    return pattern;
}

static void one_shape(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/day/2026-11-15?id=3&view=week", "http://h/day/2031-01-02?view=day&id=77"},
        {"http://h/item7.html", "http://h/item12345.html"},
        {"http://h/a1b22c", "http://h/a99b0c"},
        {"http://h/d41d8cd98f00b204", "http://h/0cc175b9c0f1b6a8"},
        {"http://h/x/123e4567-e89b-12d3-a456-426614174000/y", "http://h/x/ffffffff-ffff-4fff-8fff-fffffffffff0/y"},
        {"http://h/v/dQw4w9WgXcQabcdefg", "http://h/v/0zZzZzZzZzZzZzZz0zZzZz"},
        {"http://h/?a=1&a=2&a=3", "http://h/?a=9"},
        {"http://h/?f1=x&f2=y", "http://h/?f7=x"},
        {"http://h/?b&a", "http://h/?a=1&b=2"},
        {"http://h/x#a", "https://h/x#b"}, /* the server is the same; the scheme is no shape */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pattern_of(cases[i][0], 1) != pattern_of(cases[i][1], 1))
            fail_msg("%s and %s are of one pattern", cases[i][0], cases[i][1]);
}

static void other_shapes(void **state)
{
    static const char *const cases[] = {
        "http://h/", "http://i/", "http://h:81/", "http://h/0", "http://h/a", "http://h/A", "http://h/b", "http://h/a/",
        "http://h/a/0", "http://h/0/a", "http://h/a0", "http://h/0a", "http://h/0-0", "http://h/deadbeef", /* a word */
        "http://h/0/deadbeef", "http://h/0/cafebabe", "http://h/0/internationalisation", "http://h/0/deadbee",
        "http://h/1eadbeef1", "http://h/?", "http://h/?a", "http://h/?b", "http://h/?a&b", "http://h/?a0", "http://h/a?a",
        "http://h/wiki/Ice", "http://h/wiki/Snow", "http://h/internationalisation", "http://h/123e4567-e89b-12d3-a456",
        "http://h/a%20b",
    };
    size_t count = sizeof cases / sizeof *cases;

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (pattern_of(cases[i], 1) == pattern_of(cases[k], 1))
                fail_msg("%s and %s are of two patterns", cases[i], cases[k]);
}

static void the_key_counts(void **state)
{
    (void)state;
    assert_true(pattern_of("http://h/a", 1) != pattern_of("http://h/a", 2));
    assert_true(pattern_of("http://h/a?b", 1) != pattern_of("http://h/a?b", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_shape),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(the_key_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
