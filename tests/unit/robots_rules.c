/* What a robots.txt says: groups, records, lines, values. */
#include "robots/robots.h"
#include "test.h"

static struct robots *parse_for(const char *text, const char *agent)
{
    struct robots *robots = NULL;

    assert_int_equal(robots_parse(str_of(text), str_of(agent), &robots), SCENT_OK);
    return robots;
}

static bool allows(const char *text, const char *agent, const char *target)
{
    struct robots *robots = parse_for(text, agent);
    bool allowed = robots_allows(robots, str_of(target), NULL);

    robots_free(robots);
    return allowed;
}

static int64_t delay(const char *text)
{
    struct robots *robots = parse_for(text, "scent");
    int64_t usec = robots_crawl_delay(robots);

    robots_free(robots);
    return usec;
}

#define assert_allowed(text, target) assert_true(allows(text, "scent", target))
#define assert_forbidden(text, target) assert_false(allows(text, "scent", target))

static void test_groups(void **state)
{
    (void)state;
    const char *text = "User-agent: *\nDisallow: /all\n\nUser-agent: a\nUser-agent: scent\nDisallow: /x\n"
                       "User-agent: b\nDisallow: /b\nUser-agent: SCENT\nDisallow: /y\n";

    assert_forbidden(text, "/x");
    assert_forbidden(text, "/y"); /* groups of one name are one */
    assert_allowed(text, "/all"); /* the group for all is for those that have none */
    assert_allowed(text, "/b");
    assert_false(allows(text, "other", "/all"));
    assert_true(allows(text, "other", "/x"));
    assert_allowed("Disallow: /\nUser-agent: other\nDisallow: /\n", "/");
    assert_forbidden("User-agent: *\nAllow: /a\n\nUser-agent: *\nDisallow: /\n", "/b");
    assert_allowed("User-agent: scent\n\nUser-agent: *\nDisallow:\n", "/");
    assert_allowed("User-agent: *\nDisallow: /\nUser-agent: scent\n", "/"); /* an empty group of its own */
}

static void test_product_tokens(void **state)
{
    (void)state;
    assert_forbidden("User-agent: Scent/2.0 (+http://x)\nDisallow: /", "/");
    assert_forbidden("User-agent: scent bot\nDisallow: /", "/");
    assert_allowed("User-agent: scentbot\nDisallow: /", "/");
    assert_allowed("User-agent: scen\nDisallow: /", "/");
    assert_allowed("User-agent: my-scent\nDisallow: /", "/");
    assert_forbidden("User-agent: * # all\nDisallow: /", "/");
    assert_allowed("User-agent: *bot\nDisallow: /", "/");
    assert_allowed("User-agent:\nDisallow: /", "/");
    assert_false(allows("User-agent: bot2\nDisallow: /", "bot2", "/"));
    assert_true(allows("User-agent: bot\nDisallow: /", "bot2", "/"));
    assert_true(allows("User-agent:\nDisallow: /", "", "/"));
}

static void test_lines(void **state)
{
    (void)state;
    assert_forbidden("\xEF\xBB\xBFUser-agent: *\nDisallow: /", "/");
    assert_forbidden("User-agent: *\rDisallow: /a\r\nDisallow: /b\n\n\rDisallow: /c", "/c");
    assert_forbidden("User-agent: *\rDisallow: /a\r\nDisallow: /b", "/a");
    assert_forbidden(" \tUser-agent \t:\t * \n\tDisAllow : /a \t# why\n", "/a");
    assert_allowed("User-agent: *\nDisallow: /a # why\n", "/b");
    assert_forbidden("user-agent *\ndisallow /a\n", "/a");
    assert_allowed("user-agent *\ndisallow /a /b\n", "/a");
    assert_forbidden("useragent: *\ndissallow: /a\n", "/a");
    assert_forbidden("User-agent: *\nNoindex: /x\nHost: y\n:\n: /z\nfoo\nDisallow: /a\n", "/a");
    assert_allowed("User-agent: *\nDisallowed: /\n", "/a");
    assert_forbidden("User-agent: a\nFoo: 1\nSitemap: x\nCrawl-delay: 1\nUser-agent: scent\nDisallow: /", "/");
}

static void test_values(void **state)
{
    (void)state;
    assert_allowed("User-agent: *\nDisallow:\n", "/a");
    assert_allowed("User-agent: *\nDisallow: a\n", "/a"); /* no path */
    assert_forbidden("User-agent: *\nDisallow: *a\n", "/xa");
    assert_allowed("User-agent: *\nDisallow: /A\n", "/a");
    assert_forbidden("User-agent: *\nDisallow: /\n", "");
    assert_allowed("User-agent: *\nDisallow: /\n", "/robots.txt");
    assert_forbidden("User-agent: *\nDisallow: /\n", "/robots.txt.bak");
}

static void test_the_longest_match_decides(void **state)
{
    const char *text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d$\nDisallow: /d\n"
                       "Disallow: /tie\nAllow: /tie\n";
    struct robots *robots = parse_for(text, "scent");
    struct str rule;

    (void)state;
    assert_false(robots_allows(robots, STR("/a/x"), &rule));
    assert_str(rule, "/a");
    assert_true(robots_allows(robots, STR("/a/bb"), &rule));
    assert_str(rule, "/a/b");
    assert_false(robots_allows(robots, STR("/a/b/cc"), &rule));
    assert_str(rule, "/a/b/c");
    assert_true(robots_allows(robots, STR("/d"), &rule));
    assert_str(rule, "/d$");
    assert_false(robots_allows(robots, STR("/d?"), &rule));
    assert_true(robots_allows(robots, STR("/tie"), &rule));
    assert_true(robots_allows(robots, STR("/elsewhere"), &rule));
    assert_int_equal(rule.len, 0);
    robots_free(robots);
}

static void test_crawl_delay(void **state)
{
    (void)state;
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 10\n"), 10000000);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 0.25\n"), 250000);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: .5\nCrawl-delay: 2.\n"), 2000000);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 0\n"), 0);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 1.00000099999\n"), 1000000);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 99999999999999999999999\n"), 86400 * INT64_C(1000000));
    assert_int_equal(delay("User-agent: *\nCrawl-delay: -1\nCrawl-delay: 1s\nCrawl-delay: .\nCrawl-delay:\n"), -1);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 1.2.3\nCrawl-delay: nan\nCrawl-delay: 1e3\n"), -1);
    assert_int_equal(delay("User-agent: other\nCrawl-delay: 5\nUser-agent: *\nDisallow: /\n"), -1);
    assert_int_equal(delay("User-agent: *\nCrawl-delay: 5\nUser-agent: scent\nDisallow: /\n"), -1);
}

static void test_sitemaps(void **state)
{
    struct robots *robots = parse_for("Sitemap: http://a/1\nUser-agent: x\nDisallow: /\nsite-map: http://a/2 # c\n"
                                      "SITEMAP:\nSitemap: /rel\n", "scent");

    (void)state;
    assert_str(robots_sitemap(robots, 0), "http://a/1");
    assert_str(robots_sitemap(robots, 1), "http://a/2");
    assert_str(robots_sitemap(robots, 2), "/rel");
    assert_int_equal(robots_sitemap(robots, 3).len, 0);
    assert_int_equal(robots_sitemap(robots, SIZE_MAX).len, 0);
    robots_free(robots);
}

static void test_caps(void **state)
{
    struct buf text;
    struct robots *robots;

    (void)state;
    buf_init(&text, 0);
    for (int i = 0; i < 1200; i++)
        buf_printf(&text, "Sitemap: http://a/%d\n", i);
    buf_addz(&text, "User-agent: *\nDisallow: /first\n");
    while (text.len < ROBOTS_MAX_BYTES - 12)
        buf_addz(&text, "#\n");
    buf_addz(&text, "Disallow: /cut/in/two\nDisallow: /last\n");
    assert_int_equal(robots_parse(buf_str(&text), STR("scent"), &robots), SCENT_OK);
    assert_str(robots_sitemap(robots, 999), "http://a/999");
    assert_int_equal(robots_sitemap(robots, 1000).len, 0);
    assert_false(robots_allows(robots, STR("/first"), NULL));
    assert_true(robots_allows(robots, STR("/cut/in/two"), NULL));
    assert_true(robots_allows(robots, STR("/c"), NULL));
    assert_true(robots_allows(robots, STR("/last"), NULL));
    robots_free(robots);
    buf_release(&text);
}

static void test_fixed_rules(void **state)
{
    struct robots *all = robots_allow_all(), *none = parse_for("User-agent: *\nDisallow: /\n", "scent");

    (void)state;
    assert_true(robots_allows(all, STR("/x"), NULL));
    assert_false(robots_allows(none, STR("/x"), NULL));
    assert_true(robots_allows(none, STR("/robots.txt"), NULL));
    assert_int_equal(robots_crawl_delay(all), -1);
    assert_true(robots_bytes(all) > 0 && robots_bytes(none) > robots_bytes(all));
    robots_free(all);
    robots_free(none);
    robots_free(NULL);
}

static void test_saved_form(void **state)
{
    struct robots *robots = parse_for("User-agent: *\nDisallow: /\xC3\xA9*x\nAllow: /%7eb$\nCrawl-delay: 1.5\n"
                                      "Sitemap: http://a/s\n", "scent"), *again;
    struct buf blob, second;

    (void)state;
    buf_init(&blob, 0);
    buf_init(&second, 0);
    assert_int_equal(robots_save(robots, &blob), SCENT_OK);
    assert_non_null(strstr(buf_z(&blob), "\nD/%C3%A9*x\nA/%7Eb$\nShttp://a/s\nC1500000\n"));
    assert_int_equal(robots_load(buf_str(&blob), &again), SCENT_OK);
    assert_int_equal(robots_save(again, &second), SCENT_OK);
    assert_true(str_eq(buf_str(&blob), buf_str(&second)));
    assert_int_equal(robots_bytes(robots), robots_bytes(again));
    robots_free(again);
    for (size_t i = 0; i < blob.len; i++) {
        blob.p[i] ^= 1;
        assert_int_equal(robots_load(buf_str(&blob), &again), SCENT_E_FORMAT);
        blob.p[i] ^= 1;
        assert_int_equal(robots_load(str_sub(buf_str(&blob), 0, i), &again), SCENT_E_FORMAT);
    }
    robots_free(robots);
    buf_release(&blob);
    buf_release(&second);
}

static void test_decimals(void **state)
{
    (void)state;
    assert_int_equal(robots_millionths(STR("0.8")), 800000);
    assert_int_equal(robots_millionths(STR("12")), 12000000);
    assert_int_equal(robots_millionths(STR("1.0000019")), 1000001);
    assert_int_equal(robots_millionths(STR("99999999999999999999999999")), ROBOTS_MILLIONTHS_MAX);
    assert_int_equal(robots_millionths(STR("1,5")), -1);
    assert_int_equal(robots_millionths(STR("")), -1);
    assert_int_equal(robots_millionths(STR(".")), -1);
    assert_int_equal(robots_millionths(STR("+1")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_product_tokens),
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_values),
        cmocka_unit_test(test_the_longest_match_decides), cmocka_unit_test(test_crawl_delay),
        cmocka_unit_test(test_sitemaps),     cmocka_unit_test(test_caps),
        cmocka_unit_test(test_fixed_rules),  cmocka_unit_test(test_saved_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
