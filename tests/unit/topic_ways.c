/* The section `ways` of a topic file: what it takes, and that nothing secret may stand in it. */
#include "topic/topic.h"
#include "test.h"

static void reads_every_key(void **state)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: x\nways: {proxy: 'SOCKS5://[::1]:1080', onion: 127.0.0.1:9050,\n"
                              "       cookies: a/cookies.txt, logins: /etc/logins.yaml}\n"),
                          "some/where/topic.yaml", &topic, &err),
              err);
    assert_str(topic->network.proxy, "SOCKS5://[::1]:1080");
    assert_str(topic->network.onion, "127.0.0.1:9050");
    assert_str(topic->network.cookies, "some/where/a/cookies.txt");
    assert_str(topic->network.logins, "/etc/logins.yaml");
    topic_free(topic);
    assert_ok(topic_parse(STR("topic: x\nways: {cookies: c.txt}\n"), "topic.yaml", &topic, &err), err);
    assert_str(topic->network.cookies, "c.txt");
    assert_null(topic->network.proxy.p);
    assert_null(topic->network.onion.p);
    assert_null(topic->network.logins.p);
    topic_free(topic);
}

static void proxies(void **state)
{
    static const char *const good[] = {"proxy.example.org", "proxy.example.org:3128", "http://h:1", "socks5h://h", "[::1]:1"};
    static const char *const bad[] = {"''",  "'http://'", "'h:x'", "'h:65536'",     "'h h'",    "'h/path'",
                                      "'h?', 'h#x'", "'ftp://h:1'", "'socks4://h:1'", "'://h'", "[h]", "{a: b}"};
    struct errmsg err;
    struct topic *topic;
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "topic: x\nways: {proxy: '%s'}\n", good[i]);
        assert_ok(topic_parse(str_of(text), "topic.yaml", &topic, &err), err);
        assert_str(topic->network.proxy, good[i]);
        topic_free(topic);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "topic: x\nways:\n  proxy: %s\n", bad[i]);
        print_message("%s\n", bad[i]);
        assert_int_equal(topic_parse(str_of(text), "topic.yaml", &topic, &err), SCENT_E_INVALID);
        assert_true(strncmp(err.text, "topic.yaml:3:", 13) == 0);
    }
}

static void secrets_are_refused_and_not_shown(void **state)
{
    static const char *const texts[] = {
        "ways: {proxy: 'http://me:hush@h:1'}",
        "ways: {proxy: 'hush@h:1'}",
        "ways: {proxy: 'socks9://me:hush@h'}",
        "ways: {onion: 'me:hush@127.0.0.1:9050'}",
        "ways: {logins: {hosts: {a.test: {user: me, password: hush}}}}",
        "ways: {logins: [hush]}",
        "ways: {cookies: {name: hush}}",
        "seeds: ['http://me:hush@a.test/']",
        "seeds: ['https://hush@a.test/']",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct errmsg err = {{0}};
        struct topic *topic;
        char text[200];

        snprintf(text, sizeof text, "topic: x\n%s\n", texts[i]);
        assert_int_equal(topic_parse(str_of(text), "topic.yaml", &topic, &err), SCENT_E_INVALID);
        print_message("%s\n", err.text);
        assert_non_null(strstr(err.text, "topic.yaml:2: "));
        assert_non_null(strstr(err.text, "kept with the crawl"));
        assert_null(strstr(err.text, "hush"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(proxies),
        cmocka_unit_test(secrets_are_refused_and_not_shown),
    };

    return cmocka_run_group_tests_name("topic/ways", tests, NULL, NULL);
}
