/* Patterns against targets: by hand, and against a matcher that is slow and plain. */
#include "base/rng.h"
#include "robots/robots.h"
#include "test.h"

static bool matches(const char *pattern, const char *target)
{
    return path_pattern_matches(str_of(pattern), str_of(target));
}

static void test_wildcards(void **state)
{
    (void)state;
    assert_true(matches("/", "/anything"));
    assert_true(matches("/fish", "/fishheads/yummy.html"));
    assert_false(matches("/fish/", "/fish"));
    assert_true(matches("/fish*", "/fish"));
    assert_true(matches("/*.php", "/folder/filename.php?parameters"));
    assert_false(matches("/*.php$", "/filename.php?parameters"));
    assert_true(matches("/*.php$", "/a.php/b.php"));
    assert_true(matches("/a*b*c$", "/abbcc"));
    assert_false(matches("/a*bc$", "/abcb"));
    assert_false(matches("/ab*b$", "/ab")); /* one character cannot be used twice */
    assert_true(matches("*", "/"));
    assert_true(matches("/*$", "/"));
    assert_true(matches("/***x", "/x"));
    assert_false(matches("/a$", "/ab"));
    assert_true(matches("/a$", "/a"));
}

static void assert_spelled(enum path_pattern_reading reading, const char *pattern, const char *want)
{
    struct buf out, again;

    buf_init(&out, 0);
    buf_init(&again, 0);
    path_pattern_spell(str_of(pattern), reading, &out);
    assert_str(buf_str(&out), want);
    path_pattern_spell(buf_str(&out), reading, &again);
    assert_str(buf_str(&again), want);
    buf_release(&out);
    buf_release(&again);
}

static void test_spelling(void **state)
{
    (void)state;
    assert_spelled(PATH_RFC, "/%7ejoe/%c3%A9\xC3\xA9", "/~joe/%C3%A9%C3%A9");
    assert_spelled(PATH_AS_WRITTEN, "/%7ejoe/%c3%A9\xC3\xA9", "/%7Ejoe/%C3%A9%C3%A9");
    assert_spelled(PATH_RFC, "/a%2Fb%3f%3Ac:", "/a%2Fb%3F:c:");
    assert_spelled(PATH_RFC, "/a?b=https%3A%2F%2Fc%26", "/a?b=https://c%26");
    assert_spelled(PATH_RFC, "/*%2a$%24$", "/*%2A%24%24$");
    assert_spelled(PATH_RFC, "/100%/%zz%4", "/100%/%zz%4");
    assert_spelled(PATH_RFC, "/a b\"<{|}>\x7F", "/a%20b%22%3C%7B%7C%7D%3E%7F");
}

static bool allows(const char *rules, const char *target)
{
    struct robots *robots = NULL;
    char text[256];
    bool allowed;

    snprintf(text, sizeof text, "User-agent: *\n%s\n", rules);
    assert_int_equal(robots_parse(str_of(text), STR("scent"), &robots), SCENT_OK);
    allowed = robots_allows(robots, str_of(target), NULL);
    robots_free(robots);
    return allowed;
}

/* RFC 9309 2.2.2 and 2.2.3, rules that forbid: any spelling of a forbidden path is forbidden. */
static void test_spellings_of_one_path(void **state)
{
    (void)state;
    assert_false(allows("Disallow: /%7Ejoe/", "/~joe/x"));
    assert_false(allows("Disallow: /~joe/", "/%7ejoe/x"));
    assert_false(allows("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz"));
    assert_false(allows("Disallow: /\xE3\x83\x84", "/%E3%83%84"));
    assert_false(allows("Disallow: /%e3%83%84", "/\xE3\x83\x84"));
    assert_false(allows("Disallow: /a?b=https://c", "/a?b=https%3A%2F%2Fc"));
    assert_false(allows("Disallow: /a b", "/a%20b"));
    assert_false(allows("Disallow: /a%2Ab", "/a*b"));
    assert_false(allows("Disallow: /a%24", "/a$/x"));
    assert_false(allows("Disallow: /a$b", "/a$b"));
    assert_true(allows("Disallow: /a%2Fb", "/a/b"));
    assert_true(allows("Disallow: /a/b", "/a%2Fb"));
    assert_true(allows("Disallow: /a%2A", "/ab"));
}

/* Where the RFC and the rule as it is written disagree, the stricter counts. */
static void test_readings_that_disagree(void **state)
{
    (void)state;
    assert_false(allows("Disallow: /\nAllow: /foo/bar/%62%61%7A", "/foo/bar/baz"));
    assert_true(allows("Disallow: /\nAllow: /foo/bar/%62%61%7A", "/foo/bar/%62%61%7A"));
    assert_true(allows("Disallow: /%7Ejoe/\nAllow: /%7Ejoe/open/", "/~joe/open/x"));
    assert_false(allows("Disallow: /%7Ejoe/\nAllow: /%7Ejoe/open/", "/~joe/x"));
}

/* Tries everything: exponential, short, and plainly what section 2.2.3 says. */
static bool naive(const char *pattern, const char *target)
{
    if (!*pattern)
        return true;
    if (*pattern == '$' && !pattern[1])
        return !*target;
    if (*pattern == '*')
        return naive(pattern + 1, target) || (*target && naive(pattern, target + 1));
    return *pattern == *target && naive(pattern + 1, target + 1);
}

static void random_string(struct rng *rng, const char *letters, size_t max, char *out)
{
    size_t len = rng_below(rng, max);

    *out++ = '/';
    while (len--)
        *out++ = letters[rng_below(rng, strlen(letters))];
    *out = 0;
}

static void test_against_the_naive_matcher(void **state)
{
    struct rng rng;
    char pattern[16], target[16];
    size_t positive = 0;

    (void)state;
    rng_seed(&rng, 9309);
    for (int i = 0; i < 300000; i++) {
        random_string(&rng, "ab/**", 8, pattern);
        random_string(&rng, "ab/", 10, target);
        if (rng_below(&rng, 2))
            strcat(pattern, "$");
        positive += naive(pattern, target);
        if (matches(pattern, target) != naive(pattern, target))
            print_error("pattern %s, target %s\n", pattern, target);
        assert_int_equal(matches(pattern, target), naive(pattern, target));
    }
    assert_true(positive > 20000 && positive < 280000);
}

/* With backtracking this would take longer than the universe has existed. */
static void test_hostile_patterns(void **state)
{
    struct buf pattern, target;

    (void)state;
    buf_init(&pattern, 0);
    buf_init(&target, 0);
    for (int i = 0; i < 2000; i++)
        buf_addz(&pattern, i ? "*a" : "/");
    for (int i = 0; i < 8000; i++)
        buf_addc(&target, i ? 'a' : '/');
    assert_true(path_pattern_matches(buf_str(&pattern), buf_str(&target)));
    buf_addz(&pattern, "*b");
    assert_false(path_pattern_matches(buf_str(&pattern), buf_str(&target)));
    buf_release(&pattern);
    buf_release(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wildcards),
        cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_spellings_of_one_path),
        cmocka_unit_test(test_readings_that_disagree),
        cmocka_unit_test(test_against_the_naive_matcher),
        cmocka_unit_test(test_hostile_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
