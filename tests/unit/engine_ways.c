/* Logins and proxies, from their files to what is handed to the fetcher. */
#include "base/file.h"
#include "engine/ways.h"
#include "test.h"

#include <sys/stat.h>

static void note(void *ctx, enum log_level level, const char *line)
{
    (void)level;
    snprintf(ctx, 1024, "%s", line);
}

struct scene {
    char *dir, path[600], said[1024];
    struct log log;
};

static struct scene *scene_of(void **state)
{
    return *state;
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);

    scene->dir = test_make_dir();
    snprintf(scene->path, sizeof scene->path, "%s/logins.yaml", scene->dir);
    scene->log = (struct log){LOG_INFO, note, scene->said};
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    test_remove_dir(scene_of(state)->dir);
    free(*state);
    return 0;
}

static scent_status open_ways(struct scene *scene, const char *text, const char *proxy, const char *proxy_login,
                              struct ways *out, struct errmsg *err)
{
    struct topic_network asked = {.proxy = str_of(proxy), .logins = str_of(scene->path)};

    assert_ok(file_replace(scene->path, str_of(text), err), *err);
    assert_int_equal(chmod(scene->path, 0600), 0);
    return ways_open(&asked, proxy_login, &scene->log, out, err);
}

static void hosts_are_spelled_as_in_urls(void **state)
{
    static const char *const hosts[][2] = {
        {"WWW.Example.org", "www.example.org"}, {"a.test:8080", "a.test:8080"}, {"a.test:80", "a.test:80"},
        {"a.test:443", "a.test:443"},           {"b\xC3\xBC.test", "xn--b-eha.test"}, {"'[::1]:80'", "[::1]:80"},
        {"127.0.0.1", "127.0.0.1"},
    };
    struct errmsg err = {{0}};
    struct ways ways;
    char text[200];

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        snprintf(text, sizeof text, "hosts:\n  %s: {user: me, password: '0 #:'}\n", hosts[i][0]);
        assert_ok(open_ways(scene_of(state), text, NULL, NULL, &ways, &err), err);
        assert_int_equal(ways.nlogins, 1);
        assert_string_equal(ways.logins[0].host, hosts[i][1]);
        assert_string_equal(ways.logins[0].user, "me");
        assert_string_equal(ways.logins[0].password, "0 #:");
        ways_release(&ways);
    }
    assert_string_equal(scene_of(state)->said, "");
}

static void the_proxy_gets_its_login(void **state)
{
    static const char text[] = "proxy: {user: me, password: 'a@b:c/d'}\n";
    struct errmsg err = {{0}};
    struct ways ways;

    assert_ok(open_ways(scene_of(state), text, "socks5://h:1", NULL, &ways, &err), err);
    assert_string_equal(ways.proxy, "socks5://me:a@b:c/d@h:1");
    ways_release(&ways);
    assert_ok(open_ways(scene_of(state), text, "h:1", "you:x://y", &ways, &err), err);
    assert_string_equal(ways.proxy, "http://you:x://y@h:1");
    ways_release(&ways);
    assert_ok(open_ways(scene_of(state), "hosts: {}\n", "h:1", NULL, &ways, &err), err);
    assert_string_equal(ways.proxy, "h:1");
    ways_release(&ways);
    /* A file of logins may be shared with topics that have a proxy. */
    assert_ok(open_ways(scene_of(state), text, NULL, "you:x", &ways, &err), err);
    assert_null(ways.proxy);
    ways_release(&ways);
    assert_int_equal(open_ways(scene_of(state), text, "h:1", "hush", &ways, &err), SCENT_E_INVALID);
    assert_null(strstr(err.text, "hush"));
}

static void open_files_are_named(void **state)
{
    struct scene *scene = scene_of(state);
    struct topic_network asked = {.logins = str_of(scene->path)};
    struct errmsg err = {{0}};
    struct ways ways;

    assert_ok(open_ways(scene, "hosts: {}\n", NULL, NULL, &ways, &err), err);
    ways_release(&ways);
    assert_int_equal(chmod(scene->path, 0640), 0);
    assert_ok(ways_open(&asked, NULL, &scene->log, &ways, &err), err);
    assert_non_null(strstr(scene->said, "chmod 600"));
    ways_release(&ways);
}

static void nothing_is_asked_for(void **state)
{
    struct scene *scene = scene_of(state);
    struct topic_network asked = {0};
    struct errmsg err = {{0}};
    struct ways ways;

    assert_ok(ways_open(&asked, NULL, &scene->log, &ways, &err), err);
    assert_true(!ways.proxy && !ways.onion && !ways.cookies && ways.nlogins == 0);
    ways_release(&ways);
    ways_release(&ways);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hosts_are_spelled_as_in_urls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_proxy_gets_its_login, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open_files_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_asked_for, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("engine/ways", tests, NULL, NULL);
}
