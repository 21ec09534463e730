/* TLS and HTTP/2 against nginx with a certificate authority made for the occasion. */
#include "fetching.h"

#include "http/http.h"

static struct {
    char *folder;
    char ca_file[600];
    struct server nginx, proxy;
} here;

static const char *url_of(const char *path)
{
    static char url[200];

    snprintf(url, sizeof url, "https://localhost:%d%s", here.nginx.port, path);
    return url;
}

static struct fetch_options trusting(bool http2)
{
    /* A busy machine may need longer than the default for a handshake. */
    return (struct fetch_options){.ca_file = here.ca_file, .http2 = http2, .user_agent = "t",
                                  .connect_timeout_us = 300 * INT64_C(1000000), .total_timeout_us = 600 * INT64_C(1000000)};
}

static void expect(struct fetching *fetching, const char *path, int status, const char *protocol,
                   const char *first_line)
{
    struct fetch_exchange *exchange = fetching_one(fetching, url_of(path));
    char want[300];

    print_message("%s: %s %s\n", path, fetch_outcome_text(exchange->outcome), exchange->error);
    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    assert_int_equal(exchange->cut, FETCH_WHOLE);
    assert_int_equal(exchange->status, status);
    assert_string_equal(exchange->protocol, protocol);
    assert_false(exchange->chunked);
    assert_true(str_starts(buf_str(&exchange->head), str_of(first_line)));
    assert_true(str_ends(buf_str(&exchange->head), STR("\r\n\r\n")));
    /* HTTP/2 sends names in lower case (RFC 9113 section 8.2); the record says so. */
    snprintf(want, sizeof want, "GET %s HTTP/1.1\r\nHost: localhost:%d\r\n%s" HTTP_ACCEPT_ENCODING "\r\n\r\n", path,
             here.nginx.port,
             strcmp(protocol, "h2") == 0 ? "user-agent: t\r\naccept: " FETCHING_ACCEPT "accept-encoding: "
                                         : "User-Agent: t\r\nAccept: " FETCHING_ACCEPT "Accept-Encoding: ");
    assert_str(buf_str(&exchange->request), want);
    fetching_free(exchange);
}

static void test_http2(void **state)
{
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    fetching = fetching_start(trusting(true));
    expect(fetching, "/who", 200, "h2", "HTTP/1.1 200 OK\r\n");
    expect(fetching, "/nowhere", 404, "h2", "HTTP/1.1 404 Not Found\r\n");
    expect(fetching, "/moved", 301, "h2", "HTTP/1.1 301 Moved Permanently\r\n");
    expect(fetching, "/odd", 299, "h2", "HTTP/1.1 299 Unknown\r\n");
    exchange = fetching_one(fetching, url_of("/who"));
    assert_true(str_starts(buf_str(&exchange->body), STR("HTTP/2.0 t gzip, deflate, br, zstd ")));
    fetching_free(exchange);
    fetching_stop(fetching);
}

static void test_http1_when_not_asked_for_more(void **state)
{
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start(trusting(false));
    expect(fetching, "/who", 200, "http/1.1", "HTTP/1.1 200 OK\r\n");
    expect(fetching, "/odd", 299, "http/1.1", "HTTP/1.1 299 \r\n"); /* nginx knows no phrase; nor do we add one */
    fetching_stop(fetching);
}

/* The last word of /who is nginx's number of the connection. */
static long connection_of(struct fetch_exchange *exchange)
{
    long connection = 0;

    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    assert_int_equal(sscanf(buf_z(&exchange->body), "HTTP/2.0 t gzip, deflate, br, zstd %ld", &connection), 1);
    fetching_free(exchange);
    return connection;
}

static void test_one_connection_carries_many(void **state)
{
    enum { COUNT = 80 }; /* at most 100 streams on a connection */
    struct fetching *fetching;
    long connection;

    (void)state;
    fetching = fetching_start(trusting(true));
    connection = connection_of(fetching_one(fetching, url_of("/who")));
    for (int i = 0; i < COUNT; i++)
        fetching_submit(fetching, url_of("/who"));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(connection_of(fetching_take(fetching)), connection);
    fetching_stop(fetching);
}

/* The others wait to see whether the first connection can carry them. */
static void test_a_cold_start_shares_too(void **state)
{
    enum { COUNT = 40 };
    struct fetching *fetching;
    long connection;

    (void)state;
    fetching = fetching_start(trusting(true));
    for (int i = 0; i < COUNT; i++)
        fetching_submit(fetching, url_of("/who"));
    connection = connection_of(fetching_take(fetching));
    for (int i = 1; i < COUNT; i++)
        assert_int_equal(connection_of(fetching_take(fetching)), connection);
    fetching_stop(fetching);
}

static void test_more_than_a_connection_carries(void **state)
{
    enum { COUNT = 400 };
    struct fetching *fetching;

    (void)state;
    fetching = fetching_start(trusting(true));
    for (int i = 0; i < COUNT; i++)
        fetching_submit(fetching, url_of("/who"));
    for (int i = 0; i < COUNT; i++)
        assert_true(connection_of(fetching_take(fetching)) > 0);
    fetching_stop(fetching);
}

/* A stream that is cut leaves the connection to the others. */
static void test_cut_stream(void **state)
{
    struct fetch_options options = trusting(true);
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    options.max_body = 100;
    fetching = fetching_start(options);
    exchange = fetching_one(fetching, url_of("/large.html"));
    assert_int_equal(exchange->outcome, FETCH_RESPONSE);
    assert_int_equal(exchange->cut, FETCH_CUT_SIZE);
    assert_int_equal(exchange->body.len, 100);
    fetching_free(exchange);
    expect(fetching, "/who", 200, "h2", "HTTP/1.1 200 OK\r\n");
    fetching_stop(fetching);
}

static bool wants_nothing(void *ctx, struct str mime)
{
    (void)ctx;
    (void)mime;
    return false;
}

static void test_unwanted_stream(void **state)
{
    struct fetch_options options = trusting(true);
    struct fetching *fetching;
    struct fetch_exchange *exchange;

    (void)state;
    options.wants = wants_nothing;
    fetching = fetching_start(options);
    exchange = fetching_one(fetching, url_of("/large.html"));
    assert_int_equal(exchange->outcome, FETCH_UNWANTED);
    assert_int_equal(exchange->status, 200);
    assert_int_equal(exchange->body.len, 0);
    fetching_free(exchange);
    fetching_stop(fetching);
}

static void expect_tls_failure(struct fetch_options options, const char *format)
{
    struct fetching *fetching;
    struct fetch_exchange *exchange;
    char url[100];

    snprintf(url, sizeof url, "https://%s:%d/who", format, here.nginx.port);
    fetching = fetching_start(options);
    exchange = fetching_one(fetching, url);
    print_message("%s: %s %s\n", url, fetch_outcome_text(exchange->outcome), exchange->error);
    assert_int_equal(exchange->outcome, FETCH_E_TLS);
    assert_int_equal(exchange->request.len, 0);
    fetching_free(exchange);
    fetching_stop(fetching);
}

static void test_certificates_are_verified(void **state)
{
    (void)state;
    expect_tls_failure((struct fetch_options){0}, "localhost"); /* an unknown authority */
    expect_tls_failure(trusting(true), "127.0.0.1");            /* another name than the certificate's */
}

/* The proxy's answer to CONNECT is not the page's head, and CONNECT is not the request. */
static void test_tunnel(void **state)
{
    struct fetch_options options = trusting(true);
    struct fetching *fetching;
    struct fetch_exchange *exchange;
    char proxy[40];

    (void)state;
    snprintf(proxy, sizeof proxy, "127.0.0.1:%d", here.proxy.port);
    options.proxy = proxy;
    fetching = fetching_start(options);
    expect(fetching, "/who", 200, "h2", "HTTP/1.1 200 OK\r\n");
    exchange = fetching_one(fetching, url_of("/who"));
    assert_null(strstr(buf_z(&exchange->head), "X-Proxy"));
    fetching_free(exchange);
    fetching_stop(fetching);
}

static bool run(const char *format, const char *folder)
{
    char command[2000];

    snprintf(command, sizeof command, "cd '%s' && (%s) >openssl.log 2>&1", folder, format);
    return system(command) == 0;
}

static bool make_certificates(const char *folder)
{
    return run("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem && "
               "openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr && "
               "echo subjectAltName=DNS:localhost >san.txt && openssl x509 -req -in server.csr -CA ca.pem "
               "-CAkey ca.key -CAcreateserial -days 2 -extfile san.txt -out server.pem && "
               "head -c 1000000 /dev/zero >large.html",
               folder);
}

static bool start_servers(void)
{
    char http[3000];
    int port = server_free_port();

    snprintf(
        http, sizeof http,
        "server { listen 127.0.0.1:%d ssl http2; root %s; ssl_certificate %s/server.pem;\n"
        " ssl_certificate_key %s/server.key;\n"
        " location = /who { return 200 \"$server_protocol $http_user_agent $http_accept_encoding $connection \\n\"; }\n"
        " location = /moved { return 301 /who; }\n location = /odd { return 299 odd; } }",
        port, here.folder, here.folder, here.folder);
    return server_start_nginx(&here.nginx, here.folder, port, http) &&
           server_start_bad(&here.proxy, SCENT_TESTS "/crawl/badserver.py");
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(&here.nginx);
    server_stop(&here.proxy);
    test_remove_dir(here.folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_http2),
        cmocka_unit_test(test_http1_when_not_asked_for_more),
        cmocka_unit_test(test_one_connection_carries_many),
        cmocka_unit_test(test_a_cold_start_shares_too),
        cmocka_unit_test(test_more_than_a_connection_carries),
        cmocka_unit_test(test_cut_stream),
        cmocka_unit_test(test_unwanted_stream),
        cmocka_unit_test(test_certificates_are_verified),
        cmocka_unit_test(test_tunnel),
    };

    here.folder = test_make_dir();
    snprintf(here.ca_file, sizeof here.ca_file, "%s/ca.pem", here.folder);
    if (!make_certificates(here.folder) || !start_servers()) {
        printf("skipped: needs the openssl command, nginx and python3\n");
        tear_down(NULL);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
