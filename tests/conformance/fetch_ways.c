/* Ways out: proxies, .onion, cookies and logins; and that no secret comes back in an exchange. */
#include "fetching.h"

#include "base/file.h"

static struct {
    char *folder;
    struct server bad, socks, locked_socks, names;
    char dns_server[40];
} here;

static struct fetch_options options_of(enum fetch_reach reach)
{
    return (struct fetch_options){.reach = reach, .dns_server = here.dns_server, .dns_timeout_us = 150000};
}

/* Good until the fourth call after it. */
SCENT_PRINTF(1, 2) static const char *format(const char *pattern, ...)
{
    static char text[4][200];
    static int next;
    char *out = text[next++ % 4];
    va_list args;

    va_start(args, pattern);
    vsnprintf(out, sizeof text[0], pattern, args);
    va_end(args);
    return out;
}

static void expect_no_secret(const struct fetch_exchange *exchange)
{
    assert_true(exchange->request.len == 0 || !memmem(exchange->request.p, exchange->request.len, "secret", 6));
    assert_true(exchange->request.len == 0 || !memmem(exchange->request.p, exchange->request.len, "c2VjcmV0", 8));
    assert_true(exchange->head.len == 0 || !memmem(exchange->head.p, exchange->head.len, "secret", 6));
    assert_null(strstr(exchange->error, "secret"));
}

static struct fetch_exchange *get(struct fetching *fetching, const char *url)
{
    struct fetch_exchange *exchange = fetching_one(fetching, url);

    print_message("%s: %s %s\n", url, fetch_outcome_text(exchange->outcome), exchange->error);
    expect_no_secret(exchange);
    return exchange;
}

static void expect(struct fetching *fetching, const char *url, enum fetch_outcome outcome, const char *error)
{
    struct fetch_exchange *exchange = get(fetching, url);

    assert_int_equal(exchange->outcome, outcome);
    if (error)
        assert_string_equal(exchange->error, error);
    fetching_free(exchange);
}

/* What the server saw of a request has (or has not) this line. */
static void expect_line(struct fetching *fetching, const char *url, const char *name, const char *line)
{
    struct fetch_exchange *exchange = get(fetching, url);

    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    if (line)
        assert_non_null(strstr(buf_z(&exchange->body), line));
    else
        assert_null(strstr(buf_z(&exchange->body), name));
    /* The record says that there was one, not which. */
    assert_int_equal(strstr(buf_z(&exchange->request), name) != NULL, line != NULL);
    fetching_free(exchange);
}

/* Everything the SOCKS server was asked for so far. */
static const char *asked_socks(const struct server *server)
{
    static char text[4000];
    struct sockaddr_in address = server_address(server->port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t len = 0;
    ssize_t n;

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(fd, "ASKED", 5), 5);
    while ((n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    text[len] = 0;
    close(fd);
    return text;
}

static int asked_names(const char *name)
{
    struct sockaddr_in address = server_address(here.names.port);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char text[300];
    ssize_t len;

    snprintf(text, sizeof text, "COUNT %s", name);
    assert_true(sendto(fd, text, strlen(text), 0, (struct sockaddr *)&address, sizeof address) > 0);
    len = recv(fd, text, sizeof text - 1, 0);
    close(fd);
    assert_true(len > 0);
    text[len] = 0;
    return atoi(text);
}

static void test_http_proxy(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_PUBLIC); /* the proxy itself is loopback: no matter */
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    options.proxy = format("http://me:secret@127.0.0.1:%d", here.bad.port);
    fetching = fetching_start(options);
    exchange = get(fetching, "http://ok.proxied.test/echo");
    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    assert_non_null(strstr(buf_z(&exchange->body), "GET http://ok.proxied.test/echo HTTP/1.1\r\n"));
    assert_non_null(strstr(buf_z(&exchange->body), "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"));
    assert_null(strstr(buf_z(&exchange->request), "bWU6c2VjcmV0"));
    assert_string_equal(exchange->ip, "127.0.0.1");
    fetching_free(exchange);
    assert_int_equal(asked_names("ok.proxied.test"), 0);
    /* What is plainly meant for the proxy's own network does not go there. */
    expect(fetching, "http://10.0.0.1/echo", FETCH_E_FORBIDDEN, "10.0.0.1 is private");
    expect(fetching, "http://[::ffff:a00:1]/echo", FETCH_E_FORBIDDEN, NULL);
    expect(fetching, "http://localhost/echo", FETCH_E_FORBIDDEN, "the host is loopback");
    expect(fetching, "http://a.onion/echo", FETCH_E_FORBIDDEN, "no proxy for .onion");
    fetching_stop(fetching);
}

static void test_dead_proxy(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;

    (void)state;
    options.proxy = "me:secret@127.0.0.1:1";
    fetching = fetching_start(options);
    expect(fetching, "http://ok.dead.test/echo", FETCH_E_CONNECT, NULL);
    expect(fetching, "https://ok.dead.test/echo", FETCH_E_CONNECT, NULL);
    fetching_stop(fetching);
}

static void test_socks_proxy(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_PUBLIC);
    struct fetching *fetching;
    char want[100];

    (void)state;
    options.proxy = format("socks5://127.0.0.1:%d", here.socks.port);
    fetching = fetching_start(options);
    expect_line(fetching, format("http://ok.socks.test:%d/echo", here.bad.port), "Host:", "Host: ok.socks.test:");
    snprintf(want, sizeof want, "name ok.socks.test %d\n", here.bad.port);
    assert_non_null(strstr(asked_socks(&here.socks), want)); /* by name: nobody here looked it up */
    assert_int_equal(asked_names("ok.socks.test"), 0);
    expect(fetching, format("http://refused.socks.test:%d/echo", here.bad.port), FETCH_E_CONNECT, NULL);
    expect(fetching, "http://192.168.0.1/", FETCH_E_FORBIDDEN, "192.168.0.1 is private");
    assert_null(strstr(asked_socks(&here.socks), "192.168.0.1"));
    fetching_stop(fetching);
}

static void test_socks_login(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;

    (void)state;
    options.proxy = format("socks5://me:secret@127.0.0.1:%d", here.locked_socks.port);
    fetching = fetching_start(options);
    expect(fetching, format("http://ok.locked.test:%d/echo", here.bad.port), FETCH_RESPONSE, "");
    fetching_stop(fetching);
    options.proxy = format("socks5://me:secretwrong@127.0.0.1:%d", here.locked_socks.port);
    fetching = fetching_start(options);
    expect(fetching, format("http://ok.locked.test:%d/echo", here.bad.port), FETCH_E_CONNECT, NULL);
    fetching_stop(fetching);
}

/* Two ways at once, by turns on the same handles. */
static void test_onion(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching = fetching_start(options);
    char want[100];

    (void)state;
    expect(fetching, "http://abc.onion/", FETCH_E_FORBIDDEN, "no proxy for .onion");
    expect(fetching, "https://ABC.Onion./", FETCH_E_FORBIDDEN, "no proxy for .onion");
    fetching_stop(fetching);
    options.max_transfers = 1;
    options.onion_proxy = format("127.0.0.1:%d", here.socks.port);
    fetching = fetching_start(options);
    for (int i = 0; i < 3; i++) {
        expect_line(fetching, format("http://abc.onion:%d/echo", here.bad.port), "Host:", "Host: abc.onion");
        expect_line(fetching, format("http://ok.clear.test:%d/echo", here.bad.port), "Host:", "Host: ok.clear.test");
    }
    expect(fetching, "http://10.0.0.1/", FETCH_E_FORBIDDEN, "10.0.0.1 is not loopback"); /* the guard is still there */
    snprintf(want, sizeof want, "name abc.onion %d\n", here.bad.port);
    assert_non_null(strstr(asked_socks(&here.socks), want));
    assert_null(strstr(asked_socks(&here.socks), "clear.test"));
    assert_int_equal(asked_names("abc.onion"), 0);
    assert_int_equal(asked_names("ok.clear.test"), 1);
    fetching_stop(fetching);
}

static const char *write_file(const char *name, const char *text)
{
    static char path[600];
    struct errmsg err;

    snprintf(path, sizeof path, "%s/%s", here.folder, name);
    assert_ok(file_replace(path, str_of(text), &err), err);
    return path;
}

static void test_cookies(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;

    (void)state;
    options.max_transfers = 1; /* one handle for all: nothing may stick to it */
    options.cookies_file = write_file("cookies.txt", "127.0.0.1\tFALSE\t/echo/in\tFALSE\t0\tid\tsecret1\n"
                                                     ".ok.test\tTRUE\t/\tFALSE\t4000000000\tsid\tsecret2\n"
                                                     ".ok.test\tTRUE\t/\tTRUE\t4000000000\tsafe\tsecret3\n"
                                                     ".ok.test\tTRUE\t/\tFALSE\t1\told\tsecret4\n");
    fetching = fetching_start(options);
    expect_line(fetching, format("http://127.0.0.1:%d/echo/in/x?a=b", here.bad.port),
                "Cookie:", "Cookie: id=secret1\r\n");
    expect_line(fetching, format("http://127.0.0.1:%d/echo", here.bad.port), "Cookie:", NULL);
    expect_line(fetching, format("http://ok.ok.test:%d/echo", here.bad.port), "Cookie:", "Cookie: sid=secret2\r\n");
    expect_line(fetching, format("http://ok.other.test:%d/echo", here.bad.port), "Cookie:", NULL);
    expect_line(fetching, format("http://127.0.0.1:%d/set-cookie", here.bad.port), "Cookie: ", NULL);
    expect_line(fetching, format("http://127.0.0.1:%d/echo", here.bad.port), "Cookie:", NULL); /* nor what it set */
    fetching_stop(fetching);
}

static void test_logins(void **state)
{
    char with_port[60];
    const struct fetch_login logins[] = {
        {"ok.login.test", "me", "secret"},
        {with_port, "other", "secret:2"},
        {"127.0.0.1:1", "nobody", "secret"},
    };
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;

    (void)state;
    snprintf(with_port, sizeof with_port, "OK.port.test:%d", here.bad.port);
    options.max_transfers = 1;
    options.logins = logins;
    options.nlogins = 3;
    fetching = fetching_start(options);
    for (int i = 0; i < 2; i++) {
        expect_line(fetching, format("http://ok.login.test:%d/echo", here.bad.port),
                    "Authorization:", "Authorization: Basic bWU6c2VjcmV0\r\n");
        expect_line(fetching, format("http://127.0.0.1:%d/echo", here.bad.port), "Authorization:", NULL);
        expect_line(fetching, format("http://ok.port.test:%d/echo", here.bad.port),
                    "Authorization:", "Authorization: Basic b3RoZXI6c2VjcmV0OjI=\r\n");
        expect_line(fetching, format("http://ok.sub.login.test:%d/echo", here.bad.port), "Authorization:", NULL);
    }
    expect(fetching, format("http://ok.login.test:%d/status/401", here.bad.port), FETCH_RESPONSE, "");
    fetching_stop(fetching);
}

static void expect_refused(struct fetch_options options, const char *part)
{
    struct fetch *fetch = NULL;
    struct errmsg err = {""};

    options.done = fetching_done;
    assert_int_equal(fetch_start(&options, &fetch, &err), SCENT_E_INVALID);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, part));
    assert_null(strstr(err.text, "secret"));
}

static void test_bad_options(void **state)
{
    const struct fetch_login colon = {"a.test", "me:secret", "x"}, line = {"b.test", "me", "secret\r\nX: y"};

    (void)state;
    expect_refused((struct fetch_options){.proxy = "me:secret@host:port"}, "proxy: \"host:port\"");
    expect_refused((struct fetch_options){.onion_proxy = "gopher://x"}, "onion proxy");
    expect_refused((struct fetch_options){.logins = &colon, .nlogins = 1}, "a.test");
    expect_refused((struct fetch_options){.logins = &line, .nlogins = 1}, "b.test");
    expect_refused((struct fetch_options){.cookies_file = write_file("bad.txt", "\nsecret\n")}, "bad.txt:2");
}

static void on_resolved(void *ctx, void *owner, const struct fetch_name *name)
{
    assert_int_equal(name->failure, FETCH_NAME_OK);
    assert_int_equal(name->naddresses, 0);
    assert_true(queue_push(ctx, owner));
}

/* Prefetching must not tell the name servers what the proxy was meant to hide. */
static void test_no_look_ups_behind_the_proxys_back(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_PUBLIC);
    struct queue *answers = queue_new(10);
    struct fetching *fetching;

    (void)state;
    options.proxy = "127.0.0.1:1";
    options.resolved = on_resolved;
    options.names_ctx = answers;
    fetching = fetching_start(options);
    fetch_resolve(fetching->fetch, STR("ok.hidden.test"), &here);
    fetch_resolve(fetching->fetch, STR("hidden.onion"), &here);
    assert_ptr_equal(queue_pop(answers), &here);
    assert_ptr_equal(queue_pop(answers), &here);
    fetching_stop(fetching);
    queue_free(answers);
    assert_int_equal(asked_names("ok.hidden.test"), 0);
    assert_int_equal(asked_names("hidden.onion"), 0);
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(&here.bad);
    server_stop(&here.socks);
    server_stop(&here.locked_socks);
    server_stop(&here.names);
    test_remove_dir(here.folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_http_proxy),
        cmocka_unit_test(test_dead_proxy),
        cmocka_unit_test(test_socks_proxy),
        cmocka_unit_test(test_socks_login),
        cmocka_unit_test(test_onion),
        cmocka_unit_test(test_cookies),
        cmocka_unit_test(test_logins),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_no_look_ups_behind_the_proxys_back),
    };
    char *const locked[] = {(char *)"python3", (char *)SCENT_TESTS "/crawl/socksserver.py", (char *)"--login",
                            (char *)"me:secret", NULL};

    here.folder = test_make_dir();
    if (!server_start_bad(&here.bad, SCENT_TESTS "/crawl/badserver.py") ||
        !server_start_bad(&here.socks, SCENT_TESTS "/crawl/socksserver.py") ||
        !server_start_script(&here.locked_socks, locked) ||
        !server_start_bad(&here.names, SCENT_TESTS "/crawl/dnsserver.py")) {
        printf("skipped: needs python3\n");
        tear_down(NULL);
        return TEST_SKIPPED;
    }
    snprintf(here.dns_server, sizeof here.dns_server, "127.0.0.1:%d", here.names.port);
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
