/* How long answers hold, which names are forgotten, and the way out and back in. */
#include "test.h"

#include "fetch/dnscache.h"

#define SECOND INT64_C(1000000)

static int64_t now;

static int64_t mono(void *ctx)
{
    (void)ctx;
    return now;
}

static int64_t wall(void *ctx)
{
    (void)ctx;
    return now + 1700000000 * SECOND;
}

static const struct clock clock_test = {.mono = mono, .wall = wall};

static struct fetch_ip ip(const char *text)
{
    struct fetch_ip out;

    assert_true(fetch_ip_parse(str_of(text), &out));
    return out;
}

static struct dnsname *answer(struct dnscache *cache, const char *name, const char *address, int64_t ttl)
{
    struct dnsname *entry = dnscache_get(cache, str_of(name));
    struct fetch_ip one = ip(address);

    assert_true(dnscache_answer(cache, entry, &one, 1, ttl));
    return entry;
}

/* It holds for `seconds`, and no longer. */
static void expect_lifetime(const struct dnscache *cache, const struct dnsname *name, int64_t seconds)
{
    int64_t start = now;

    assert_true(dnscache_is_fresh(cache, name));
    now = start + seconds * SECOND - 1;
    assert_true(dnscache_is_fresh(cache, name));
    now = start + seconds * SECOND;
    assert_false(dnscache_is_fresh(cache, name));
}

static void test_answers(void **state)
{
    static const int64_t cases[][2] = {
        {0, 60},      {1, 60},        {59, 60},       {60, 60},           {61, 61},
        {3600, 3600}, {86400, 86400}, {86401, 86400}, {INT32_MAX, 86400}, {-1, 60},
    };
    struct dnscache cache;

    (void)state;
    now = 5 * SECOND;
    dnscache_init(&cache, &clock_test, 10);
    assert_false(dnscache_is_fresh(&cache, dnscache_get(&cache, STR("new.test"))));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_lifetime(&cache, answer(&cache, "a.test", "192.0.2.1", cases[i][0]), cases[i][1]);
    assert_int_equal(cache.count, 2);
    dnscache_release(&cache);
}

static void test_failures(void **state)
{
    static const int64_t longer[] = {5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600};
    struct dnscache cache;
    struct dnsname *name;

    (void)state;
    dnscache_init(&cache, &clock_test, 10);
    name = dnscache_get(&cache, STR("a.test"));
    for (int i = 0; i < 3; i++) {
        dnscache_fail(&cache, name, i % 2 ? FETCH_NAME_EMPTY : FETCH_NAME_UNKNOWN);
        expect_lifetime(&cache, name, 300);
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        dnscache_fail(&cache, name, i % 2 ? FETCH_NAME_SILENT : FETCH_NAME_FAILED);
        expect_lifetime(&cache, name, longer[i]);
    }
    answer(&cache, "a.test", "192.0.2.1", 100); /* all is forgiven */
    dnscache_fail(&cache, name, FETCH_NAME_FAILED);
    expect_lifetime(&cache, name, 5);
    dnscache_release(&cache);
}

/* RFC 8767: nobody can tell where it is, but we know where it was. */
static void test_an_old_answer_outlives_silence(void **state)
{
    struct dnscache cache;
    struct dnsname *name;
    int64_t begin = now;

    (void)state;
    dnscache_init(&cache, &clock_test, 10);
    name = answer(&cache, "a.test", "192.0.2.1", 100);
    while (name->naddresses) {
        assert_int_equal(name->failure, FETCH_NAME_OK);
        assert_true(now - begin < 2 * 3600 * SECOND);
        now = name->expires;
        dnscache_fail(&cache, name, FETCH_NAME_SILENT);
    }
    assert_int_equal(name->failure, FETCH_NAME_SILENT);
    assert_true(now - begin > 3600 * SECOND);
    answer(&cache, "a.test", "192.0.2.1", 100);
    dnscache_fail(&cache, name, FETCH_NAME_UNKNOWN); /* this is certain */
    assert_int_equal(name->naddresses, 0);
    assert_int_equal(name->failure, FETCH_NAME_UNKNOWN);
    dnscache_release(&cache);
}

static void test_unreachable_addresses_are_doubted(void **state)
{
    struct dnscache cache;
    struct dnsname *name;

    (void)state;
    dnscache_init(&cache, &clock_test, 10);
    name = answer(&cache, "a.test", "192.0.2.1", 100);
    assert_true(dnscache_is_fresh(&cache, name));
    dnsname_doubt(name);
    assert_false(dnscache_is_fresh(&cache, name));
    dnscache_fail(&cache, name, FETCH_NAME_UNKNOWN);
    dnsname_doubt(name); /* there is nothing to doubt */
    expect_lifetime(&cache, name, 300);
    dnscache_release(&cache);
}

static void test_the_oldest_is_forgotten(void **state)
{
    struct dnscache cache;
    struct dnsname *busy;
    char name[20];

    (void)state;
    dnscache_init(&cache, &clock_test, 100);
    busy = dnscache_get(&cache, STR("busy"));
    busy->state = DNSNAME_ASKED;
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        answer(&cache, name, "192.0.2.1", 60);
        dnscache_get(&cache, STR("n0")); /* in use all the time */
        assert_true(cache.count <= 100);
    }
    assert_ptr_equal(dnscache_get(&cache, STR("busy")), busy);
    assert_true(dnscache_is_fresh(&cache, dnscache_get(&cache, STR("n0"))));
    assert_true(dnscache_is_fresh(&cache, dnscache_get(&cache, STR("n4999"))));
    assert_true(dnscache_is_fresh(&cache, dnscache_get(&cache, STR("n4910"))));
    assert_false(dnscache_is_fresh(&cache, dnscache_get(&cache, STR("n4800"))));
    dnscache_release(&cache);
}

static void test_many_names(void **state)
{
    struct dnscache cache;
    char name[20];

    (void)state;
    dnscache_init(&cache, &clock_test, 20000);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            snprintf(name, sizeof name, "n%d", i);
            if (round == 0)
                answer(&cache, name, "192.0.2.1", 60);
            else
                assert_true(dnscache_is_fresh(&cache, dnscache_get(&cache, str_of(name))));
        }
    assert_int_equal(cache.count, 20000);
    dnscache_release(&cache);
}

static void test_preference(void **state)
{
    struct fetch_ip list[3] = {ip("192.0.2.1"), ip("2001:db8::1"), ip("192.0.2.3")};
    struct fetch_ip turned[3] = {ip("192.0.2.1"), ip("192.0.2.3"), ip("2001:db8::1")};
    struct fetch_ip stranger = ip("192.0.2.9");
    struct dnscache cache;
    struct dnsname *name;

    (void)state;
    dnscache_init(&cache, &clock_test, 10);
    name = dnscache_get(&cache, STR("a.test"));
    assert_true(dnscache_answer(&cache, name, list, 3, 60));
    dnsname_prefer(name, &stranger);
    assert_true(fetch_ip_eq(&name->addresses[0], &list[0]));
    dnsname_prefer(name, &list[2]);
    assert_true(fetch_ip_eq(&name->addresses[0], &list[2]));
    assert_true(fetch_ip_eq(&name->addresses[1], &list[0]));
    assert_true(fetch_ip_eq(&name->addresses[2], &list[1]));
    /* A new answer in another order: the preferred one stays where it is. */
    assert_true(dnscache_answer(&cache, name, turned, 3, 60));
    assert_true(fetch_ip_eq(&name->addresses[0], &list[2]));
    assert_true(dnscache_answer(&cache, name, &stranger, 1, 60));
    assert_true(fetch_ip_eq(&name->addresses[0], &stranger));
    dnscache_release(&cache);
}

static void test_out_and_in(void **state)
{
    struct fetch_ip list[2] = {ip("192.0.2.1"), ip("2001:db8::1")};
    struct fetch_name good, bad, kept;
    struct dnscache from, to;
    struct dnsname *name;

    (void)state;
    dnscache_init(&from, &clock_test, 10);
    dnscache_init(&to, &clock_test, 10);
    name = dnscache_get(&from, STR("good.test"));
    assert_true(dnscache_answer(&from, name, list, 2, 1000));
    dnscache_describe(&from, name, &good);
    assert_int_equal(good.expires_wall, wall(NULL) + 1000 * SECOND);
    assert_str(good.name, "good.test");
    name = dnscache_get(&from, STR("bad.test"));
    dnscache_fail(&from, name, FETCH_NAME_SILENT);
    dnscache_fail(&from, name, FETCH_NAME_SILENT);
    dnscache_describe(&from, name, &bad);

    now += 7 * SECOND;
    dnscache_load(&to, &good);
    dnscache_load(&to, &bad);
    dnscache_describe(&to, dnscache_get(&to, STR("good.test")), &kept);
    assert_int_equal(kept.naddresses, 2);
    assert_true(fetch_ip_eq(&kept.addresses[1], &list[1]));
    assert_int_equal(kept.expires_wall, good.expires_wall);
    expect_lifetime(&to, dnscache_get(&to, STR("good.test")), 993);
    name = dnscache_get(&to, STR("bad.test"));
    assert_int_equal(name->failure, FETCH_NAME_SILENT);
    dnscache_fail(&to, name, FETCH_NAME_SILENT);
    expect_lifetime(&to, name, 20); /* the third in a row */
    dnscache_release(&from);
    dnscache_release(&to);
}

/* What a damaged store might hold. */
static void test_nonsense_is_not_taken(void **state)
{
    struct fetch_name good = {.name = STR("a.test"), .naddresses = 1, .addresses = {ip("192.0.2.1")}}, bad;
    struct dnscache cache;
    char longest[300];

    (void)state;
    memset(longest, 'a', sizeof longest);
    dnscache_init(&cache, &clock_test, 10);
    good.expires_wall = wall(NULL) + 100 * SECOND;
    bad = good, bad.expires_wall = wall(NULL);
    dnscache_load(&cache, &bad);
    bad = good, bad.name.len = 0;
    dnscache_load(&cache, &bad);
    bad = good, bad.name = (struct str){longest, DNSCACHE_NAME_MAX + 1};
    dnscache_load(&cache, &bad);
    bad = good, bad.naddresses = FETCH_ADDRESSES_MAX + 1;
    dnscache_load(&cache, &bad);
    bad = good, bad.naddresses = 0;
    dnscache_load(&cache, &bad);
    bad = good, bad.failure = FETCH_NAME_UNKNOWN;
    dnscache_load(&cache, &bad);
    assert_int_equal(cache.count, 0);
    good.expires_wall = INT64_MAX; /* for ever is a day */
    dnscache_load(&cache, &good);
    expect_lifetime(&cache, dnscache_get(&cache, STR("a.test")), 86400);
    dnscache_release(&cache);
}

static void test_addresses(void **state)
{
    static const char *const good[] = {"192.0.2.1", "::1", "[::1]", "2001:db8::1", "::ffff:192.0.2.1", "0.0.0.0"};
    static const char *const bad[] = {"",
                                      "[",
                                      "[]",
                                      "a",
                                      "1.2.3",
                                      "1.2.3.4.5",
                                      "[192.0.2.1",
                                      "::1]",
                                      "1.2.3.4 ",
                                      "::g",
                                      "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"};
    struct fetch_ip out;
    char text[FETCH_IP_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(fetch_ip_parse(str_of(good[i]), &out));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fetch_ip_parse(str_of(bad[i]), &out));
        assert_int_equal(out.len, 0);
    }
    assert_true(fetch_ip_parse(STR("[2001:DB8:0::1]"), &out));
    fetch_ip_print(&out, text);
    assert_string_equal(text, "2001:db8::1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_an_old_answer_outlives_silence),
        cmocka_unit_test(test_unreachable_addresses_are_doubted),
        cmocka_unit_test(test_the_oldest_is_forgotten),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_preference),
        cmocka_unit_test(test_out_and_in),
        cmocka_unit_test(test_nonsense_is_not_taken),
        cmocka_unit_test(test_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
