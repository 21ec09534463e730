/* A web behind a port, seen by a client that speaks bytes: what is on the wire is what is tested. */
#include "test.h"

#include "base/buf.h"
#include "base/clock.h"
#include "http/http.h"
#include "serve/webserver.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>

static const char spec[] = "hosts: 200\npages_per_host: 5\nwords: 50\ngzip: 0.5\n"
                           "slow_hosts: {share: 0.2, delay_ms: 300}\ndead_hosts: 0.2\ntraps: 0\n";

struct fixture {
    struct web *web;
    struct webserver *server;
    struct arena arena;
    struct str fine, slow, dead[WEB_NO_HOST + 1]; /* home pages, by what their host does */
};

static struct webserver *start(struct web *web, uint32_t threads, const char *default_host)
{
    struct webserver_options options = {.threads = threads, .default_host = default_host};
    struct webserver *server;
    struct errmsg err = {""};

    assert_ok(webserver_start(web, &options, &server, &err), err);
    assert_int_not_equal(webserver_port(server), 0);
    return server;
}

static void find_homes(struct fixture *f)
{
    struct buf buf;

    buf_init(&buf, 0);
    for (uint64_t host = 0; host < web_hosts(f->web); host++) {
        struct str href = web_page_url(f->web, host, 0, &f->arena);
        struct web_response r;

        assert_int_equal(web_get(f->web, href, &buf, &r, NULL), SCENT_OK);
        if (r.fault != WEB_FINE)
            f->dead[r.fault] = href;
        else
            *(r.delay_ms ? &f->slow : &f->fine) = href;
    }
    buf_release(&buf);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct errmsg err = {""};

    arena_init(&f->arena, 16 << 20);
    assert_ok(web_open_spec(str_of(spec), "spec", &f->web, &err), err);
    find_homes(f);
    f->server = start(f->web, 2, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    webserver_stop(f->server);
    web_free(f->web);
    arena_release(&f->arena);
    free(f);
    return 0;
}

/* ---- the client ---- */

static int dial(const struct webserver *server)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(webserver_port(server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {20, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, struct str text)
{
    assert_int_equal(send(fd, text.p, text.len, MSG_NOSIGNAL), (ssize_t)text.len);
}

/* Up to the end of the connection. */
static void hear(int fd, struct buf *out)
{
    char bytes[4096];
    ssize_t len;

    while ((len = recv(fd, bytes, sizeof bytes, 0)) > 0)
        buf_add(out, (struct str){bytes, (size_t)len});
}

/* One request on a connection of its own; the answer is appended to `out`. */
static void ask(const struct webserver *server, struct str request, struct buf *out)
{
    int fd = dial(server);

    say(fd, request);
    hear(fd, out);
    close(fd);
}

static struct str request_for(struct fixture *f, const char *method, struct str target, struct str host)
{
    return arena_printf(&f->arena, "%s %.*s HTTP/1.1\r\nHost: %.*s\r\nAccept-Encoding: gzip\r\n"
                                   "Connection: close\r\n\r\n", method, STR_ARG(target), STR_ARG(host));
}

static struct str host_of(struct str href)
{
    struct str rest = str_sub(href, 7, href.len);

    return str_sub(rest, 0, str_find(rest, '/'));
}

static bool contains(const struct buf *buf, const char *what)
{
    return buf->len && memmem(buf->p, buf->len, what, strlen(what)) != NULL;
}

static struct str body_of(const struct buf *buf)
{
    const char *end = buf->len ? memmem(buf->p, buf->len, "\r\n\r\n", 4) : NULL;

    assert_non_null(end);
    return str_sub(buf_str(buf), (size_t)(end - buf->p) + 4, buf->len);
}

/* `href` through the proxy form is the web's own answer: status, head lines, body. */
static void assert_same(struct fixture *f, const struct webserver *server, struct str href, struct str request)
{
    struct web_response want;
    struct buf got, buf;
    struct str line, head;

    buf_init(&got, 0);
    buf_init(&buf, 0);
    ask(server, request, &got);
    assert_int_equal(web_get(f->web, href, &buf, &want, NULL), SCENT_OK);
    head = want.head;
    while (str_split(&head, '\n', &line))
        assert_true(contains(&got, arena_printf(&f->arena, "%.*s\n", STR_ARG(line)).p));
    assert_true(str_eq(body_of(&got), want.body));
    buf_release(&got);
    buf_release(&buf);
}

/* ---- tests ---- */

static void proxy_form_gives_the_web(void **state)
{
    struct fixture *f = *state;

    for (uint64_t host = 0; host < 40; host++) {
        struct str href = web_page_url(f->web, host, web_host_pages(f->web, host) - 1, &f->arena);
        struct buf buf;
        struct web_response r;

        buf_init(&buf, 0);
        assert_int_equal(web_get(f->web, href, &buf, &r, NULL), SCENT_OK);
        buf_release(&buf);
        if (r.fault == WEB_FINE)
            assert_same(f, f->server, href, request_for(f, "GET", href, host_of(href)));
    }
}

static void host_header_gives_the_web(void **state)
{
    struct fixture *f = *state;
    struct str host = arena_printf(&f->arena, "%.*s:8080", STR_ARG(host_of(f->fine)));

    assert_same(f, f->server, f->fine, request_for(f, "GET", STR("/"), host_of(f->fine)));
    assert_same(f, f->server, f->fine, request_for(f, "GET", STR("/"), host));
    assert_same(f, f->server, f->fine, request_for(f, "GET", STR("/?a=%41&b"), host)); /* a query is ignored by pages */
}

/* Clients that do not say that they can unpack get what is inside. */
static void gzip_is_for_those_who_accept_it(void **state)
{
    struct fixture *f = *state;
    unsigned packed = 0;

    for (uint64_t host = 0; host < 40; host++) {
        struct str href = web_page_url(f->web, host, 0, &f->arena), body;
        struct web_response r;
        struct buf buf, room, got;
        enum http_end end;

        buf_init(&buf, 0);
        buf_init(&room, 0);
        buf_init(&got, 0);
        assert_int_equal(web_get(f->web, href, &buf, &r, NULL), SCENT_OK);
        if (r.fault == WEB_FINE && http_header(r.head, STR("Content-Encoding")).len) {
            packed++;
            assert_int_equal(http_decode_body(r.head, r.body, &room, &body, &end), SCENT_OK);
            ask(f->server, arena_printf(&f->arena, "GET %.*s HTTP/1.1\r\nHost: x\r\n%sConnection: close\r\n\r\n",
                                        STR_ARG(href), packed % 2 ? "Accept-Encoding: br, gzip;q=0\r\n" : ""), &got);
            assert_false(contains(&got, "Content-Encoding"));
            assert_true(contains(&got, arena_printf(&f->arena, "Content-Length: %zu\r\n", body.len).p));
            assert_true(str_eq(body_of(&got), body));
        }
        buf_release(&buf);
        buf_release(&room);
        buf_release(&got);
    }
    assert_true(packed > 2);
}

static void unknown_hosts(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *target, *host, *status;
    } cases[] = {
        {"http://nobody.test/", "nobody.test", "HTTP/1.1 502 "},
        {"https://nobody.test/", "nobody.test", "HTTP/1.1 502 "},
        {"/", "nobody.test", "HTTP/1.1 404 "},
        {"/", "127.0.0.1", "HTTP/1.1 404 "},
        {"/", "localhost:80", "HTTP/1.1 404 "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf got;

        buf_init(&got, 0);
        ask(f->server, request_for(f, "GET", str_of(cases[i].target), str_of(cases[i].host)), &got);
        assert_true(str_starts(buf_str(&got), str_of(cases[i].status)));
        buf_release(&got);
    }
}

static void default_host_is_served(void **state)
{
    struct fixture *f = *state;
    struct str name = arena_str(&f->arena, host_of(f->fine));
    struct webserver *server = start(f->web, 1, name.p);

    assert_same(f, server, f->fine, request_for(f, "GET", STR("/"), STR("127.0.0.1:9")));
    assert_same(f, server, f->fine, request_for(f, "GET", STR("/"), STR("localhost")));
    webserver_stop(server);
}

static void other_methods(void **state)
{
    struct fixture *f = *state;
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS"};
    struct buf got;

    buf_init(&got, 0);
    ask(f->server, request_for(f, "HEAD", f->fine, STR("x")), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 OK\r\n")));
    assert_true(contains(&got, "Content-Length: ") && !contains(&got, "Content-Length: 0\r"));
    assert_int_equal(body_of(&got).len, 0);
    for (size_t i = 0; i < 4; i++) {
        buf_clear(&got);
        ask(f->server, request_for(f, methods[i], f->fine, STR("x")), &got);
        assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 405 ")) && contains(&got, "Allow: GET, HEAD\r\n"));
    }
    buf_clear(&got);
    ask(f->server, request_for(f, "CONNECT", STR("nobody.test:443"), STR("nobody.test:443")), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 501 ")));
    buf_release(&got);
}

static void unchanged_pages(void **state)
{
    struct fixture *f = *state;
    struct web_response r;
    struct buf buf, got;
    const char *tag;

    buf_init(&buf, 0);
    buf_init(&got, 0);
    assert_int_equal(web_get(f->web, f->fine, &buf, &r, NULL), SCENT_OK);
    tag = memmem(r.head.p, r.head.len, "ETag: ", 6);
    ask(f->server, arena_printf(&f->arena, "GET %.*s HTTP/1.1\r\nHost: x\r\nIf-None-Match: %.18s\r\n"
                                           "Connection: close\r\n\r\n", STR_ARG(f->fine), tag + 6), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 304 ")));
    assert_int_equal(body_of(&got).len, 0);
    buf_release(&buf);
    buf_release(&got);
}

static void connections_are_kept(void **state)
{
    struct fixture *f = *state;
    struct str one = arena_printf(&f->arena, "HEAD %.*s HTTP/1.1\r\nHost: x\r\n\r\n", STR_ARG(f->fine));
    int fd = dial(f->server);
    struct buf got;
    size_t answers = 0;

    buf_init(&got, 0);
    for (int i = 0; i < 3; i++)
        say(fd, one);
    say(fd, request_for(f, "HEAD", f->fine, STR("x")));
    hear(fd, &got);
    close(fd);
    for (const char *p = got.p; (p = memmem(p, (size_t)(got.p + got.len - p), "HTTP/1.1 200", 12)) != NULL; p++)
        answers++;
    assert_int_equal(answers, 4);
    buf_release(&got);
}

static void faults_are_shown(void **state)
{
    struct fixture *f = *state;
    struct buf got;

    buf_init(&got, 0);
    ask(f->server, request_for(f, "GET", f->dead[WEB_DROP], STR("x")), &got);
    assert_int_equal(got.len, 0);
    ask(f->server, request_for(f, "GET", STR("/"), host_of(f->dead[WEB_REFUSE])), &got);
    assert_int_equal(got.len, 0);
    ask(f->server, request_for(f, "GET", f->dead[WEB_REFUSE], STR("x")), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 502 ")));
    buf_clear(&got);
    ask(f->server, request_for(f, "GET", f->dead[WEB_NO_HOST], STR("x")), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 502 ")));
    buf_release(&got);
}

/* One thread serves: while it has promised an answer to a slow host's client, others are served, in that order. */
static void slow_hosts_hold_up_nobody(void **state)
{
    struct fixture *f = *state;
    struct webserver *server = start(f->web, 1, NULL);
    int slow = dial(server), hung = dial(server);
    int64_t began = clock_mono(&clock_system);
    struct buf got;
    char byte;

    buf_init(&got, 0);
    say(slow, request_for(f, "GET", f->slow, STR("x")));
    say(hung, request_for(f, "GET", f->dead[WEB_HANG], STR("x")));
    ask(server, request_for(f, "GET", f->fine, STR("x")), &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 ")));
    buf_clear(&got);
    hear(slow, &got);
    assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 ")));
    assert_true(clock_mono(&clock_system) - began >= 300 * 1000);
    assert_int_equal(recv(hung, &byte, 1, MSG_DONTWAIT), -1); /* neither an answer nor an end */
    webserver_stop(server);                                   /* must not wait for those who hang */
    assert_true(recv(hung, &byte, 1, 0) <= 0);
    close(slow);
    close(hung);
    buf_release(&got);
}

struct client {
    struct fixture *fixture;
    pthread_t thread;
    struct str request, href;
    size_t good;
};

static void *be_client(void *ctx)
{
    struct client *client = ctx;
    struct web_response want;
    struct buf got, buf;

    buf_init(&got, 0);
    buf_init(&buf, 0);
    if (web_get(client->fixture->web, client->href, &buf, &want, NULL) != SCENT_OK)
        return NULL;
    for (int i = 0; i < 50; i++) {
        buf_clear(&got);
        ask(client->fixture->server, client->request, &got);
        client->good += str_ends(buf_str(&got), want.body) && str_starts(buf_str(&got), STR("HTTP/1.1 200 "));
    }
    buf_release(&got);
    buf_release(&buf);
    return NULL;
}

static void many_clients(void **state)
{
    struct fixture *f = *state;
    struct client clients[8];

    for (size_t i = 0; i < 8; i++) {
        clients[i] = (struct client){.fixture = f, .href = f->fine};
        clients[i].request = request_for(f, "GET", f->fine, STR("x"));
        assert_int_equal(pthread_create(&clients[i].thread, NULL, be_client, &clients[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].good, 50);
    }
}

static void only_loopback(void **state)
{
    struct fixture *f = *state;
    static const char *const addresses[] = {"0.0.0.0", "192.0.2.1", "::", "example.org"};
    struct webserver *server;
    struct errmsg err;

    for (size_t i = 0; i < 4; i++) {
        struct webserver_options options = {.address = addresses[i]};

        assert_int_equal(webserver_start(f->web, &options, &server, &err), SCENT_E_INVALID);
    }
    struct webserver_options taken = {.port = webserver_port(f->server)};

    assert_int_equal(webserver_start(f->web, &taken, &server, &err), SCENT_E_IO);
    assert_non_null(strstr(err.text, "cannot listen on 127.0.0.1 port"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxy_form_gives_the_web), cmocka_unit_test(host_header_gives_the_web),
        cmocka_unit_test(unknown_hosts),            cmocka_unit_test(default_host_is_served),
        cmocka_unit_test(other_methods),            cmocka_unit_test(unchanged_pages),
        cmocka_unit_test(connections_are_kept),     cmocka_unit_test(faults_are_shown),
        cmocka_unit_test(slow_hosts_hold_up_nobody), cmocka_unit_test(many_clients),
        cmocka_unit_test(only_loopback),            cmocka_unit_test(gzip_is_for_those_who_accept_it),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
