#include "base/str.h"
#include "test.h"

static void globs_match(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"*.org", "www.example.org", true},  {"*.org", "org", false},
        {"*", "", true},                     {"", "", true},
        {"", "x", false},                    {"a*b*c", "axxbyyc", true},
        {"a*b*c", "axxbyy", false},          {"*/login*", "host/x/LOGIN?next", true},
        {"?.test", "a.test", true},          {"?.test", ".test", false},
        {"*aab", "aaaaab", true},            {"**", "any", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(str_glob(str_of(cases[i].pattern), str_of(cases[i].text)), cases[i].match);
}

static void numbers_do_not_overflow(void **state)
{
    uint64_t n = 7;

    (void)state;
    assert_true(str_parse_u64(STR("18446744073709551615"), &n));
    assert_true(n == UINT64_MAX);
    assert_false(str_parse_u64(STR("18446744073709551616"), &n));
    assert_false(str_parse_u64(STR(""), &n));
    assert_false(str_parse_u64(STR("-1"), &n));
    assert_false(str_parse_u64(STR("1 "), &n));
}

static void splitting_keeps_empty_parts(void **state)
{
    struct str rest = STR("a,,b,"), part;
    const char *want[] = {"a", "", "b", ""};
    size_t n = 0;

    (void)state;
    while (str_split(&rest, ',', &part)) {
        assert_true(n < 4);
        assert_str(part, want[n]);
        n++;
    }
    assert_int_equal(n, 4);
}

static void trims_html_white_space(void **state)
{
    (void)state;
    assert_str(str_trim(STR(" \t\r\n\fa b\f ")), "a b");
    assert_str(str_trim(STR("  ")), "");
}

static void distances_count_edits(void **state)
{
    char a[200], b[200];

    (void)state;
    assert_int_equal(str_distance(STR(""), STR("abc")), 3);
    assert_int_equal(str_distance(STR("Kitten"), STR("sitting")), 3);
    assert_int_equal(str_distance(STR("dealy"), STR("delay")), 1); /* a swap */
    assert_int_equal(str_distance(STR("dELay"), STR("delay")), 0);
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    assert_int_equal(str_distance((struct str){a, sizeof a}, (struct str){b, sizeof b}), STR_DISTANCE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_match),
        cmocka_unit_test(numbers_do_not_overflow),
        cmocka_unit_test(splitting_keeps_empty_parts),
        cmocka_unit_test(trims_html_white_space),
        cmocka_unit_test(distances_count_edits),
    };

    return cmocka_run_group_tests_name("base/str", tests, NULL, NULL);
}
