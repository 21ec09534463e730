#include "test.h"
#include "topic/topic.h"

static const struct str include[] = {{"*.org", 5}, {"a.uk/sports/*", 13}};
static const struct str exclude[] = {{"*/login*", 8}, {"bad.example.org", 15}};
static const struct scope scope = {.include = include, .ninclude = 2, .exclude = exclude, .nexclude = 2};

static enum scope_verdict check(const struct scope *s, const char *text)
{
    enum scope_verdict verdict;
    struct arena arena;
    struct url url;

    arena_init(&arena, 1 << 20);
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_OK);
    verdict = scope_check(s, &url);
    arena_release(&arena);
    return verdict;
}

static void patterns_decide(void **state)
{
    static const struct {
        const char *url;
        enum scope_verdict verdict;
    } cases[] = {
        {"https://www.example.org/", SCOPE_IN},
        {"https://www.EXAMPLE.ORG:8080/x", SCOPE_IN},
        {"https://a.uk/sports/hockey", SCOPE_IN},
        {"https://a.uk/Sports/hockey", SCOPE_IN},
        {"https://a.uk/news", SCOPE_NOT_INCLUDED},
        {"https://b.uk/?u=x.org", SCOPE_NOT_INCLUDED},
        {"https://b.uk/x.org", SCOPE_NOT_INCLUDED},
        {"https://www.a.uk/sports/", SCOPE_NOT_INCLUDED},
        {"https://www.example.org/a/LOGIN.php", SCOPE_EXCLUDED},
        {"https://www.example.org/a#/login", SCOPE_IN},
        {"https://login.example.org/", SCOPE_IN},
        {"https://bad.example.org/", SCOPE_EXCLUDED},
        {"https://very.bad.example.org/", SCOPE_IN},
        {"https://a.uk/sports/login", SCOPE_EXCLUDED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (check(&scope, cases[i].url) != cases[i].verdict)
            fail_msg("%s: %s", cases[i].url, scope_verdict_text(check(&scope, cases[i].url)));
}

static void without_patterns_everything_is_in(void **state)
{
    const struct scope all = {0};

    (void)state;
    assert_int_equal(check(&all, "http://127.0.0.1:99/"), SCOPE_IN);
    assert_int_equal(check(&all, "http://[::1]/"), SCOPE_IN);
}

static void types(void **state)
{
    static const struct str wanted[] = {{"text/*", 6}, {"application/pdf", 15}};
    const struct scope own = {.types = wanted, .ntypes = 2}, usual = {0};

    (void)state;
    assert_true(scope_wants_type(&usual, STR("text/html")));
    assert_true(scope_wants_type(&usual, STR("Text/HTML; charset=utf-8")));
    assert_true(scope_wants_type(&usual, STR("application/xhtml+xml")));
    assert_true(scope_wants_type(&usual, STR_NONE));
    assert_true(scope_wants_type(&usual, STR(" ; x")));
    assert_false(scope_wants_type(&usual, STR("text/plain")));
    assert_false(scope_wants_type(&usual, STR("image/png")));
    assert_true(scope_wants_type(&own, STR("text/plain")));
    assert_true(scope_wants_type(&own, STR("application/pdf")));
    assert_false(scope_wants_type(&own, STR("application/xhtml+xml")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_decide),
        cmocka_unit_test(without_patterns_everything_is_in),
        cmocka_unit_test(types),
    };

    return cmocka_run_group_tests_name("topic/scope", tests, NULL, NULL);
}
