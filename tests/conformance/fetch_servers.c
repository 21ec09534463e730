/* What comes back from a server that misbehaves, path by path: outcome, cut, status, bytes. */
#include "fetching.h"

#include "http/http.h"

#include <pthread.h>

#define PAGE "<!doctype html><title>A page</title><p>Some text of a page.</p>\n"
#define HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

static struct server bad;

static const char *url_of(const char *path)
{
    static char url[4096];

    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", bad.port, path);
    return url;
}

struct expected {
    const char *path;
    enum fetch_outcome outcome;
    enum fetch_cut cut;
    int status;
    const char *head, *body; /* NULL: not compared */
    bool chunked;
};

#define FAILS(path_, outcome_)                                                                                         \
    {                                                                                                                  \
        .path = path_, .outcome = outcome_, .head = "", .body = ""                                                     \
    }
#define ANSWERS(path_, cut_, status_, head_, body_)                                                                    \
    {                                                                                                                  \
        .path = path_, .outcome = FETCH_RESPONSE, .cut = cut_, .status = status_, .head = head_, .body = body_         \
    }
#define CHUNKED(path_, cut_, head_, body_)                                                                             \
    {                                                                                                                  \
        .path = path_, .outcome = FETCH_RESPONSE, .cut = cut_, .status = 200, .head = head_, .body = body_,            \
        .chunked = true                                                                                                \
    }
#define UNWANTED(path_, head_)                                                                                         \
    {                                                                                                                  \
        .path = path_, .outcome = FETCH_UNWANTED, .status = 200, .head = head_, .body = ""                             \
    }

static void check(const struct expected *want, struct fetch_exchange *got)
{
    print_message("%s: %s %s\n", want->path, fetch_outcome_text(got->outcome), got->error);
    assert_int_equal(got->outcome, want->outcome);
    assert_int_equal(got->cut, want->cut);
    assert_int_equal(got->status, want->status);
    assert_int_equal(got->chunked, want->chunked);
    if (want->head)
        assert_str(buf_str(&got->head), want->head);
    if (want->body)
        assert_str(buf_str(&got->body), want->body);
    assert_int_equal(got->error[0] == 0, got->outcome == FETCH_RESPONSE && got->cut == FETCH_WHOLE);
    assert_true(got->started_wall > 0 && got->took_us > 0);
    assert_string_equal(got->ip, "127.0.0.1");
    assert_true(str_starts(buf_str(&got->request), STR("GET /")));
}

/* All of them at once, as in a crawl. */
static void check_all(struct fetch_options options, const struct expected *wants, size_t count)
{
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    fetching = fetching_start(options);
    for (size_t i = 0; i < count; i++)
        fetch_submit(fetching->fetch, fetch_exchange_new((void *)&wants[i], strdup(url_of(wants[i].path))));
    for (size_t i = 0; i < count; i++) {
        exchange = fetching_take(fetching);
        check(exchange->owner, exchange);
        free((char *)exchange->url);
        fetch_exchange_free(exchange);
    }
    assert_int_equal(fetching_stop(fetching), 0);
}
#define CHECK_ALL(options, wants) check_all(options, wants, sizeof(wants) / sizeof *(wants))

static void test_misbehaviour(void **state)
{
    static const struct expected wants[] = {
        FAILS("/drop", FETCH_E_CLOSED),
        FAILS("/reset", FETCH_E_CLOSED),
        FAILS("/drop-in-head", FETCH_E_CLOSED),
        FAILS("/drop-before-empty-line", FETCH_E_CLOSED),
        CHUNKED("/drop-in-body", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "firstsecond"),
        ANSWERS("/reset-in-body", FETCH_CUT_CLOSED, 200, HTML "Content-Length: 1000\r\n\r\n", "part"),
        ANSWERS("/partial", FETCH_CUT_CLOSED, 200, HTML "Content-Length: 1000\r\n\r\n", "0123456789"),
        ANSWERS("/long", FETCH_WHOLE, 200, HTML "Content-Length: 10\r\n\r\n", "0123456789"),
        CHUNKED("/broken-chunked", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "first"),
        CHUNKED("/trailers", FETCH_WHOLE, HTML "Transfer-Encoding: chunked\r\n\r\n", "hello"),
        CHUNKED("/length-and-chunked", FETCH_WHOLE, HTML "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                "hello"),
        ANSWERS("/two-lengths", FETCH_CUT_CLOSED, 200, NULL, "hello"),
        FAILS("/negative-length", FETCH_E_PROTOCOL),
        ANSWERS("/huge-length", FETCH_CUT_CLOSED, 200, HTML "Content-Length: 4611686018427387904\r\n\r\n", "hello"),
        ANSWERS("/overflow-length", FETCH_WHOLE, 200, HTML "Content-Length: 99999999999999999999\r\n\r\n", "hello"),
        CHUNKED("/tiny-chunks", FETCH_WHOLE, HTML "Transfer-Encoding: chunked\r\n\r\n", PAGE),
        CHUNKED("/chunk-extensions", FETCH_WHOLE, HTML "Transfer-Encoding: chunked\r\n\r\n", "firstsecond"),
        CHUNKED("/endless-extension", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "first"),
        CHUNKED("/huge-chunk", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "first"),
        CHUNKED("/negative-chunk", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "first"),
        CHUNKED("/endless-trailers", FETCH_CUT_CLOSED, HTML "Transfer-Encoding: chunked\r\n\r\n", "hello"),
        CHUNKED("/transfer-gzip", FETCH_WHOLE, HTML "Transfer-Encoding: gzip, chunked\r\n\r\n", PAGE),
        ANSWERS("/transfer-unknown", FETCH_CUT_CLOSED, 200, HTML "Transfer-Encoding: rot13\r\n\r\n", ""),
        FAILS("/garbage", FETCH_E_PROTOCOL),
        FAILS("/http09", FETCH_E_PROTOCOL),
        FAILS("/huge-header", FETCH_E_PROTOCOL),
        FAILS("/many-headers", FETCH_E_PROTOCOL),
        FAILS("/interim-flood", FETCH_E_PROTOCOL),
        FAILS("/many-short-headers", FETCH_E_PROTOCOL),
        FAILS("/endless-header", FETCH_E_PROTOCOL),
        FAILS("/endless-status-line", FETCH_E_PROTOCOL),
        FAILS("/switching", FETCH_E_CLOSED), /* what follows is of another protocol: no HTTP ever comes */
        FAILS("/null-header", FETCH_E_PROTOCOL),
    };

    (void)state;
    CHECK_ALL((struct fetch_options){0}, wants);
}

/* A head that begins with a folded line, on a connection and in a transfer that have seen other heads: libcurl before
 * 8.1 continued a line that it had freed. */
static void test_folded_first_lines(void **state)
{
    static const char *const paths[] = {"/no-reason", "/no-reason", "/fold-first"};
    struct fetching *fetching = fetching_start((struct fetch_options){0});
    struct fetch_exchange *exchange;

    (void)state;
    for (int i = 0; i < 12; i++) {
        fetch_submit(fetching->fetch, fetch_exchange_new(NULL, strdup(url_of(paths[i % 3]))));
        exchange = fetching_take(fetching);
        if (i % 3 < 2)
            assert_int_equal(exchange->status, 200);
        else
            assert_true(exchange->status == 200 || exchange->outcome == FETCH_E_PROTOCOL);
        free((char *)exchange->url);
        fetch_exchange_free(exchange);
    }
    assert_int_equal(fetching_stop(fetching), 0);
}

static void test_heads_and_bodies(void **state)
{
    static const struct expected wants[] = {
        ANSWERS("/interim", FETCH_WHOLE, 200, HTML "Content-Length: 64\r\n\r\n", PAGE),
        ANSWERS("/latin1-header", FETCH_WHOLE, 200, HTML "X-Name: caf\xe9 \xa0\xff\r\nContent-Length: 64\r\n\r\n",
                PAGE),
        ANSWERS("/obs-fold", FETCH_WHOLE, 200, HTML "X-Folded: one\r\n  two\r\n\tthree\r\nContent-Length: 64\r\n\r\n",
                PAGE),
        ANSWERS("/bare-lf", FETCH_WHOLE, 200, HTML "Content-Length: 5\r\n\r\n", "hello"),
        ANSWERS("/no-reason", FETCH_WHOLE, 200, "HTTP/1.1 200\r\nContent-Type: text/html\r\nContent-Length: 64\r\n\r\n",
                PAGE),
        ANSWERS("/no-content-type", FETCH_WHOLE, 200, "HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n", PAGE),
        ANSWERS("/not-gzip", FETCH_WHOLE, 200, HTML "Content-Encoding: gzip\r\nContent-Length: 64\r\n\r\n", PAGE),
        ANSWERS("/empty", FETCH_WHOLE, 200, HTML "Content-Length: 0\r\n\r\n", ""),
        ANSWERS("/close", FETCH_WHOLE, 200, HTML "Connection: close\r\n\r\n", PAGE),
        ANSWERS("/redirect", FETCH_WHOLE, 302,
                "HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /keepalive\r\nContent-Length: 0\r\n\r\n",
                ""),
        ANSWERS("/loop", FETCH_WHOLE, 302, NULL, ""),
        ANSWERS("/status/200", FETCH_WHOLE, 200, NULL, PAGE),
        ANSWERS("/status/401", FETCH_WHOLE, 401, NULL, PAGE),
        ANSWERS("/status/404", FETCH_WHOLE, 404, NULL, PAGE),
        ANSWERS("/status/429", FETCH_WHOLE, 429, NULL, PAGE),
        ANSWERS("/status/503", FETCH_WHOLE, 503,
                "HTTP/1.1 503 Said So\r\nContent-Type: text/html\r\nContent-Length: 64\r\n\r\n", PAGE),
        ANSWERS("/status/999", FETCH_WHOLE, 999, NULL, PAGE),
    };

    (void)state;
    CHECK_ALL((struct fetch_options){0}, wants);
}

static void test_out_of_time(void **state)
{
    static const struct expected wants[] = {
        FAILS("/hang", FETCH_E_TIMEOUT),
        FAILS("/slow-head", FETCH_E_TIMEOUT),
        FAILS("/slow-interim", FETCH_E_TIMEOUT),
        ANSWERS("/hang-in-body", FETCH_CUT_TIME, 200, HTML "Content-Length: 10\r\n\r\n", "hello"),
        ANSWERS("/slow-drip", FETCH_CUT_TIME, 200, HTML "\r\n", NULL),
    };

    (void)state;
    CHECK_ALL(((struct fetch_options){.total_timeout_us = 2000000}), wants);
}

static void test_size_cap(void **state)
{
    static const struct expected wants[] = {
        ANSWERS("/size/10", FETCH_WHOLE, 200, NULL, "xxxxxxxxxx"),
        ANSWERS("/size/11", FETCH_CUT_SIZE, 200, HTML "Content-Length: 11\r\n\r\n", "xxxxxxxxxx"),
        ANSWERS("/size/5000000", FETCH_CUT_SIZE, 200, NULL, "xxxxxxxxxx"),
        ANSWERS("/endless", FETCH_CUT_SIZE, 200, HTML "\r\n", "xxxxxxxxxx"),
        CHUNKED("/endless-chunked", FETCH_CUT_SIZE, NULL, "xxxxxxxxxx"),
    };

    (void)state;
    CHECK_ALL((struct fetch_options){.max_body = 10}, wants);
}

static void test_head_cap_is_exact(void **state)
{
    static const struct expected fits[] = {ANSWERS("/empty", FETCH_WHOLE, 200, NULL, "")};
    static const struct expected bursts[] = {FAILS("/empty", FETCH_E_PROTOCOL)};
    uint64_t len = sizeof(HTML "Content-Length: 0\r\n\r\n") - 1;

    (void)state;
    CHECK_ALL((struct fetch_options){.max_head = len}, fits);
    CHECK_ALL((struct fetch_options){.max_head = len - 1}, bursts);
}

/* The default cap holds for a bomb's packed form; what it unpacks to is the decoder's business. */
static void test_bodies_are_kept_as_they_came(void **state)
{
    static const char *const paths[] = {"/gzip", "/deflate", "/br"};
    static const char *const encodings[] = {"gzip", "deflate", "br"};
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    fetching = fetching_start((struct fetch_options){0});
    for (size_t i = 0; i < 3; i++) {
        struct buf plain;
        enum http_end end;

        exchange = fetching_one(fetching, url_of(paths[i]));
        buf_init(&plain, 1000);
        assert_false(str_eq(buf_str(&exchange->body), STR(PAGE)));
        assert_int_equal(http_decode(str_of(encodings[i]), buf_str(&exchange->body), &plain, &end), SCENT_OK);
        assert_str(buf_str(&plain), PAGE);
        buf_release(&plain);
        fetching_free(exchange);
    }
    exchange = fetching_one(fetching, url_of("/bomb"));
    assert_int_equal(exchange->cut, FETCH_WHOLE);
    assert_in_range(exchange->body.len, 90000, 110000);
    fetching_free(exchange);
    exchange = fetching_one(fetching, url_of("/binary"));
    assert_int_equal(exchange->body.len, 256);
    for (int i = 0; i < 256; i++)
        assert_int_equal((unsigned char)exchange->body.p[i], i);
    fetching_free(exchange);
    fetching_stop(fetching);
}

static bool wants_html(void *ctx, struct str mime)
{
    ++*(int *)ctx;
    return str_eq(mime, STR("text/html"));
}

static void test_unwanted_types(void **state)
{
    static const struct expected wants[] = {
        UNWANTED("/binary", "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 256\r\n\r\n"),
        UNWANTED("/echo", NULL),
        ANSWERS("/odd-content-type", FETCH_WHOLE, 200, NULL, PAGE),
        ANSWERS("/interim", FETCH_WHOLE, 200, NULL, PAGE),
        ANSWERS("/no-content-type", FETCH_WHOLE, 200, NULL, PAGE),
        ANSWERS("/nowhere", FETCH_WHOLE, 404, NULL, "no such path\n"), /* text/plain, but no 2xx */
    };
    int asked = 0;

    (void)state;
    CHECK_ALL(((struct fetch_options){.wants = wants_html, .wants_ctx = &asked}), wants);
    assert_int_equal(asked, 4);
}

/* The target and the Host header are those of the URL, byte for byte, and `request` is what the server saw. */
static void test_request_bytes(void **state)
{
    static const char *const targets[] = {
        "/echo",
        "/echo?",
        "/echo?a=b&c=%2F?/x",
        "/echo/a/../b/./c",
        "/echo//double//",
        "/echo/%7Euser%41%2e%2E",
        "/echo/a|b^c`d{e}",
        "/echo/;p=1,'()*!$&+:@",
        "/echo/%C3%A9?q=\"<>",
        "/echo/..",
        "/echo/back\\slash[1]",
    };
    struct fetching *fetching;
    char want[1024];

    (void)state;
    fetching =
        fetching_start((struct fetch_options){.user_agent = "tester/1 (+http://x.test/)"});
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct fetch_exchange *exchange = fetching_one(fetching, url_of(targets[i]));

        snprintf(want, sizeof want,
                 "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: tester/1 (+http://x.test/)\r\n"
                 "Accept: " FETCHING_ACCEPT "Accept-Encoding: " HTTP_ACCEPT_ENCODING "\r\n\r\n",
                 targets[i], bad.port);
        assert_str(buf_str(&exchange->body), want);
        assert_str(buf_str(&exchange->request), want);
        assert_string_equal(exchange->protocol, "http/1.1");
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

/* A fragment stays at home; a cookie is not kept; a server of HTTP/1.0 is asked in its own version the second time. */
static void test_request_has_no_memory(void **state)
{
    static const char *const paths[] = {"/echo#part", "/set-cookie", "/set-cookie", "/http10", "/http10", "/echo"};
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start((struct fetch_options){0});
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct fetch_exchange *exchange = fetching_one(fetching, url_of(paths[i]));

        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        assert_true(str_eq(buf_str(&exchange->body), buf_str(&exchange->request)));
        assert_null(memmem(exchange->body.p, exchange->body.len, "Cookie", 6));
        assert_null(memmem(exchange->body.p, exchange->body.len, "#", 1));
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

static void test_environment_has_no_say(void **state)
{
    static const char *const names[] = {"http_proxy", "all_proxy", "ALL_PROXY", "HTTP_PROXY"};
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        setenv(names[i], "http://127.0.0.1:1", 1);
    fetching = fetching_start((struct fetch_options){0});
    exchange = fetching_one(fetching, url_of("/echo"));
    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    fetching_free(exchange);
    fetching_stop(fetching);
    for (size_t i = 0; i < 4; i++)
        unsetenv(names[i]);
}

static struct fetch_exchange *fetch_host(struct fetching *fetching, const char *format)
{
    char url[200];
    struct str text = str_of(format);
    size_t at = str_find(text, '%');

    snprintf(url, sizeof url, "%.*s%d%s", (int)at, format, bad.port, at < text.len ? format + at + 1 : "");
    return fetching_one(fetching, url);
}

static void test_hosts(void **state)
{
    static const struct {
        const char *url; /* % is the server's port */
        enum fetch_outcome outcome;
        const char *host;
    } cases[] = {
        {"http://localhost:%/echo", FETCH_RESPONSE, "Host: localhost:"},
        {"http://a.b.localhost:%/echo", FETCH_RESPONSE, "Host: a.b.localhost:"},
        {"http://127.1.2.3:%/echo", FETCH_E_CONNECT, NULL}, /* allowed, but nobody is there */
        {"http://[::1]:%/echo", FETCH_E_CONNECT, NULL},
        {"http://127.0.0.1:1/", FETCH_E_CONNECT, NULL},
        {"http://192.0.2.1:%/", FETCH_E_FORBIDDEN, NULL},
        {"http://10.0.0.1/", FETCH_E_FORBIDDEN, NULL},
        {"http://0.0.0.0:%/echo", FETCH_E_FORBIDDEN, NULL},
        {"http://[2001:db8::1]/", FETCH_E_FORBIDDEN, NULL},
        {"http://[::ffff:192.0.2.1]/", FETCH_E_FORBIDDEN, NULL},
        {"https://127.0.0.1:%/echo", FETCH_E_TLS, NULL},
        {"ftp://127.0.0.1:%/echo", FETCH_E_PROTOCOL, NULL},
        /* A label of 64 bytes: no resolver needs to ask anybody. */
        {"http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.test/", FETCH_E_DNS, NULL},
        {"http://user:word@127.0.0.1:%/echo", FETCH_E_INTERNAL, NULL},
    };
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start((struct fetch_options){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fetch_exchange *exchange = fetch_host(fetching, cases[i].url);

        print_message("%s: %s %s\n", cases[i].url, fetch_outcome_text(exchange->outcome), exchange->error);
        assert_int_equal(exchange->outcome, cases[i].outcome);
        assert_true(exchange->outcome == FETCH_RESPONSE || exchange->error[0]);
        if (cases[i].host)
            assert_non_null(strstr(buf_z(&exchange->body), cases[i].host));
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

/* The guard is asked for each socket, and its answer names the range. */
static void test_reach(void **state)
{
    static const struct {
        const char *url;
        const char *error;
    } cases[] = {
        {"http://127.0.0.1:%/echo", "127.0.0.1 is loopback"},
        {"http://[::1]:%/echo", "::1 is loopback"},
        {"http://[::ffff:127.0.0.1]:%/echo", "::ffff:127.0.0.1 is loopback in an IPv4-mapped address"},
        {"http://0.0.0.0:%/echo", "0.0.0.0 is this network"},
        {"http://10.1.2.3:%/echo", "10.1.2.3 is private"},
        {"http://[64:ff9b::a9fe:a9fe]/latest", "64:ff9b::a9fe:a9fe is link-local in NAT64"},
        {"https://[fd00::1]/", "fd00::1 is unique local"},
    };
    struct fetching *fetching = fetching_start((struct fetch_options){.reach = FETCH_REACH_PUBLIC});
    struct fetch_exchange *exchange;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        exchange = fetch_host(fetching, cases[i].url);
        assert_int_equal(exchange->outcome, FETCH_E_FORBIDDEN);
        assert_string_equal(exchange->error, cases[i].error);
        assert_int_equal(exchange->request.len, 0);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
    fetching = fetching_start((struct fetch_options){.reach = FETCH_REACH_ANY});
    exchange = fetching_one(fetching, url_of("/echo"));
    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    fetching_free(exchange);
    fetching_stop(fetching);
}

static void test_connections_are_used_again(void **state)
{
    struct fetching *fetching;
    int connection = 0;

    (void)state;
    fetching = fetching_start((struct fetch_options){0});
    for (int i = 1; i <= 5; i++) {
        struct fetch_exchange *exchange = fetching_one(fetching, url_of("/keepalive"));
        int n = 0, request = 0;

        assert_int_equal(sscanf(buf_z(&exchange->body), "connection %d, request %d", &n, &request), 2);
        assert_int_equal(request, i);
        connection = connection ? connection : n;
        assert_int_equal(n, connection);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

/* The server closes what lies idle. The next request notices and takes a new connection; where it was sent already it
 * comes back unread, and is not sent again by itself. */
static void test_connections_that_died(void **state)
{
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start((struct fetch_options){0});
    for (int i = 0; i < 100; i++) {
        struct fetch_exchange *exchange = fetching_one(fetching, url_of("/close-after"));

        if (exchange->unread) {
            assert_int_equal(exchange->outcome, FETCH_E_CLOSED);
            fetching_free(exchange);
            exchange = fetching_one(fetching, url_of("/close-after"));
        }
        if (exchange->error[0])
            print_error("%s\n", exchange->error);
        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        assert_str(buf_str(&exchange->body), PAGE);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

static void test_proxy(void **state)
{
    struct fetching *fetching;
    struct fetch_exchange *exchange;
    char proxy[40], want[500];

    (void)state;
    snprintf(proxy, sizeof proxy, "127.0.0.1:%d", bad.port);
    setenv("no_proxy", "*", 1); /* has no say either */
    fetching = fetching_start((struct fetch_options){.proxy = proxy, .user_agent = "t"});
    snprintf(want, sizeof want,
             "GET http://somewhere.test:81/echo?a=b HTTP/1.1\r\nHost: somewhere.test:81\r\nUser-Agent: t\r\n"
             "Accept: " FETCHING_ACCEPT "Accept-Encoding: " HTTP_ACCEPT_ENCODING "\r\n\r\n");
    exchange = fetching_one(fetching, "http://somewhere.test:81/echo?a=b");
    assert_str(buf_str(&exchange->body), want);
    assert_str(buf_str(&exchange->request), want);
    fetching_free(exchange);
    exchange = fetching_one(fetching, "https://refused.test/");
    assert_int_equal(exchange->outcome, FETCH_E_CONNECT);
    assert_int_equal(exchange->request.len, 0);
    assert_int_equal(exchange->head.len, 0);
    fetching_free(exchange);
    fetching_stop(fetching);
    unsetenv("no_proxy");
}

static void test_more_than_may_run_wait(void **state)
{
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start((struct fetch_options){.max_transfers = 3});
    for (int i = 0; i < 60; i++)
        fetching_submit(fetching, url_of("/delay/2"));
    for (int i = 0; i < 60; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

/* An address that is refused ends its transfer at once, without any socket: the next one must still start. */
static void test_next_starts_after_instant_failure(void **state)
{
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start((struct fetch_options){.max_transfers = 1});
    for (int i = 0; i < 20; i++)
        fetching_submit(fetching, "http://192.0.2.1/");
    for (int i = 0; i < 20; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        assert_int_equal(exchange->outcome, FETCH_E_FORBIDDEN);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

/* Bodies that do not fit memory together come one after the other, and all of them come. */
static void test_memory_of_bodies(void **state)
{
    enum { COUNT = 40, SIZE = 200000 };
    static const uint64_t limits[] = {1, 300000, 2000000, 100000000};

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct fetching *fetching = fetching_start((struct fetch_options){.max_held = limits[i]});
        uint64_t peak;

        for (int j = 0; j < COUNT; j++)
            fetching_submit(fetching, url_of("/hesitate/200000"));
        for (int j = 0; j < COUNT; j++) {
            struct fetch_exchange *exchange = fetching_take(fetching);

            assert_int_equal(exchange->outcome, FETCH_RESPONSE);
            assert_int_equal(exchange->cut, FETCH_WHOLE);
            assert_int_equal(exchange->body.len, SIZE);
            fetching_free(exchange);
        }
        peak = fetch_held_peak(fetching->fetch);
        print_message("limit %lu: %lu bytes at most\n", (unsigned long)limits[i], (unsigned long)peak);
        assert_true(peak >= SIZE);
        assert_true(peak <= limits[i] + SIZE + COUNT); /* one body more, and the ends of strings */
        assert_true(limits[i] < 100000000 || peak > 20 * SIZE); /* without the limit they would all be here at once */
        fetching_stop(fetching);
    }
}

/* Those that pause are given back too; who hangs with all the memory in hand runs out of time. */
static void test_paused_transfers_end(void **state)
{
    struct fetching *fetching;
    int ended = 0;

    (void)state;
    fetching = fetching_start((struct fetch_options){.max_held = 1, .total_timeout_us = 1000000});
    for (int i = 0; i < 10; i++)
        fetching_submit(fetching, url_of("/hang-in-body"));
    for (int i = 0; i < 10; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        ended += exchange->outcome == FETCH_RESPONSE && exchange->cut == FETCH_CUT_TIME;
        fetching_free(exchange);
    }
    assert_int_equal(ended, 10);
    for (int i = 0; i < 10; i++)
        fetching_submit(fetching, url_of("/slow-drip"));
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    assert_int_equal(fetching_stop(fetching), 10);
}

static void test_stop_gives_everything_back(void **state)
{
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    fetching = fetching_start((struct fetch_options){.max_transfers = 10});
    for (int i = 0; i < 9; i++)
        fetching_submit(fetching, url_of(i % 2 ? "/hang" : "/slow-drip"));
    exchange = fetching_one(fetching, url_of("/keepalive")); /* the others run by now */
    assert_int_equal(exchange->status, 200);
    fetching_free(exchange);
    for (int i = 0; i < 20; i++)
        fetching_submit(fetching, url_of("/hang"));
    assert_int_equal(fetching_stop(fetching), 29);
    fetching = fetching_start((struct fetch_options){0});
    assert_int_equal(fetching_stop(fetching), 0);
}

enum { SUBMITTERS = 4, EACH = 100 };

static void *submit_some(void *ctx)
{
    char url[100];

    snprintf(url, sizeof url, "http://127.0.0.1:%d/keepalive", bad.port);
    for (int i = 0; i < EACH; i++)
        fetching_submit(ctx, url);
    return NULL;
}

static void test_many_submitters(void **state)
{
    struct fetching *fetching;
    pthread_t threads[SUBMITTERS];

    (void)state;
    fetching = fetching_start((struct fetch_options){.max_transfers = 50});
    for (int i = 0; i < SUBMITTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_some, fetching), 0);
    for (int i = 0; i < SUBMITTERS * EACH; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        fetching_free(exchange);
    }
    for (int i = 0; i < SUBMITTERS; i++)
        pthread_join(threads[i], NULL);
    assert_true(fetch_cpu_ns(fetching->fetch) > 0);
    fetching_stop(fetching);
}

static void test_bad_options(void **state)
{
    struct fetch_options options = {.done = fetching_done, .user_agent = "a\r\nX-Injected: b"};
    struct fetch *fetch = NULL;
    struct errmsg err;

    (void)state;
    assert_int_equal(fetch_start(&options, &fetch, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "User-Agent"));
    options = (struct fetch_options){.done = fetching_done, .ca_file = "no/such/file.pem"};
    assert_int_equal(fetch_start(&options, &fetch, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "no/such/file.pem"));
}

static int start_server(void **state)
{
    (void)state;
    return server_start_bad(&bad, SCENT_TESTS "/crawl/badserver.py") ? 0 : -1;
}

static int stop_server(void **state)
{
    (void)state;
    server_stop(&bad);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misbehaviour),
        cmocka_unit_test(test_folded_first_lines),
        cmocka_unit_test(test_heads_and_bodies),
        cmocka_unit_test(test_out_of_time),
        cmocka_unit_test(test_size_cap),
        cmocka_unit_test(test_head_cap_is_exact),
        cmocka_unit_test(test_bodies_are_kept_as_they_came),
        cmocka_unit_test(test_unwanted_types),
        cmocka_unit_test(test_request_bytes),
        cmocka_unit_test(test_request_has_no_memory),
        cmocka_unit_test(test_environment_has_no_say),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_connections_are_used_again),
        cmocka_unit_test(test_connections_that_died),
        cmocka_unit_test(test_proxy),
        cmocka_unit_test(test_more_than_may_run_wait),
        cmocka_unit_test(test_next_starts_after_instant_failure),
        cmocka_unit_test(test_memory_of_bodies),
        cmocka_unit_test(test_paused_transfers_end),
        cmocka_unit_test(test_stop_gives_everything_back),
        cmocka_unit_test(test_many_submitters),
        cmocka_unit_test(test_bad_options),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
