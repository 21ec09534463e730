/* What comes back from an HTTP/2 server that misbehaves: each ends with a reason, none takes the others along. */
#include "fetching.h"

static struct {
    char *folder;
    char ca_file[600], certificate[600], key[600];
    struct server server;
} here;

struct expected {
    const char *name;
    enum fetch_outcome outcome;
    enum fetch_cut cut;
    const char *body;
};

#define FAILS(name_, outcome_)                                                                                         \
    {                                                                                                                  \
        .name = name_, .outcome = outcome_, .body = ""                                                                 \
    }
#define ANSWERS(name_, cut_, body_)                                                                                    \
    {                                                                                                                  \
        .name = name_, .outcome = FETCH_RESPONSE, .cut = cut_, .body = body_                                           \
    }

/* Where libcurl only knows that the connection broke, the outcome is "closed". */
static const struct expected wants[] = {
    ANSWERS("ok", FETCH_WHOLE, "hello"),
    FAILS("silent", FETCH_E_TIMEOUT),
    FAILS("drop", FETCH_E_CLOSED),
    FAILS("goaway", FETCH_E_PROTOCOL),
    FAILS("goaway-calm", FETCH_E_CLOSED),
    ANSWERS("goaway-after", FETCH_WHOLE, "hello"),
    FAILS("rst", FETCH_E_PROTOCOL),
    FAILS("refuse", FETCH_E_CLOSED),
    ANSWERS("rst-in-body", FETCH_CUT_CLOSED, "part"),
    ANSWERS("wrong-length", FETCH_CUT_CLOSED, ""),
    FAILS("huge-headers", FETCH_E_CLOSED),
    FAILS("many-headers", FETCH_E_PROTOCOL),
    FAILS("hpack-bomb", FETCH_E_CLOSED),
    ANSWERS("endless", FETCH_CUT_SIZE, "xxxxxxxxxx"),
    FAILS("window-overflow", FETCH_E_PROTOCOL),
    FAILS("push", FETCH_E_CLOSED),
    FAILS("no-status", FETCH_E_PROTOCOL),
    FAILS("bad-hpack", FETCH_E_CLOSED),
    FAILS("stream-zero", FETCH_E_CLOSED),
    ANSWERS("long-frame", FETCH_WHOLE, ""), /* libcurl 7.88 takes this for the end of the body */
    FAILS("http1", FETCH_E_CLOSED),
    FAILS("garbage", FETCH_E_CLOSED),
};

static struct fetching *start(int64_t total_timeout_us)
{
    return fetching_start((struct fetch_options){
        .ca_file = here.ca_file, .http2 = true, .max_body = 10, .total_timeout_us = total_timeout_us});
}

static void submit(struct fetching *fetching, const char *name, const void *owner)
{
    char url[100];

    snprintf(url, sizeof url, "https://%s.h2.localhost:%d/", name, here.server.port);
    fetch_submit(fetching->fetch, fetch_exchange_new((void *)owner, strdup(url)));
}

/* Here the owner is what was expected, so the URL goes by itself. */
static void release(struct fetch_exchange *exchange)
{
    free((char *)exchange->url);
    fetch_exchange_free(exchange);
}

static void check(const struct expected *want, const struct fetch_exchange *got)
{
    print_message("%s: %s, cut %d, %zu bytes: %s\n", want->name, fetch_outcome_text(got->outcome), got->cut,
                  got->body.len, got->error);
    assert_int_equal(got->outcome, want->outcome);
    assert_int_equal(got->cut, want->cut);
    assert_str(buf_str(&got->body), want->body);
    assert_int_equal(got->error[0] == 0, got->outcome == FETCH_RESPONSE && got->cut == FETCH_WHOLE);
}

/* Each twice, all at once. */
static void test_misbehaviour(void **state)
{
    enum { COUNT = 2 * sizeof wants / sizeof *wants };
    struct fetching *fetching = start(3000000);

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        submit(fetching, wants[i / 2].name, &wants[i / 2]);
    for (size_t i = 0; i < COUNT; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        check(exchange->owner, exchange);
        release(exchange);
    }
    fetching_stop(fetching);
}

/* A flood ends when libcurl or we have had enough of it, long before its time is up; so do floods at the same time, in
 * which libcurl reads one connection on being told of another. Nobody else is kept waiting by them. */
static void test_floods(void **state)
{
    static const char *const floods[] = {"endless-continuation", "empty-continuation", "interim-flood",
                                         "settings-flood",       "ping-flood",         "empty-data"};
    enum { FLOODS = sizeof floods / sizeof *floods };
    struct fetching *fetching = start(100000000);

    (void)state;
    for (size_t i = 0; i < FLOODS; i++)
        submit(fetching, floods[i], floods[i]);
    submit(fetching, "ok", NULL);
    for (size_t i = 0; i < FLOODS + 1; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);
        const char *flood = exchange->owner;

        print_message("%s: %s %s\n", flood ? flood : "ok", fetch_outcome_text(exchange->outcome), exchange->error);
        if (flood) {
            assert_true(exchange->outcome == FETCH_E_CLOSED || exchange->outcome == FETCH_E_PROTOCOL ||
                        (exchange->outcome == FETCH_RESPONSE && exchange->cut == FETCH_CUT_CLOSED));
            assert_int_equal(exchange->body.len, 0);
        } else
            assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        release(exchange);
    }
    fetching_stop(fetching);
}

static bool run(const char *command)
{
    char text[2000];

    snprintf(text, sizeof text, "cd '%s' && (%s) >openssl.log 2>&1", here.folder, command);
    return system(text) == 0;
}

static bool start_server(void)
{
    char *argv[] = {(char *)"python3", (char *)SCENT_TESTS "/crawl/h2server.py", here.certificate, here.key, NULL};

    snprintf(here.ca_file, sizeof here.ca_file, "%s/ca.pem", here.folder);
    snprintf(here.certificate, sizeof here.certificate, "%s/server.pem", here.folder);
    snprintf(here.key, sizeof here.key, "%s/server.key", here.folder);
    return run("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem && "
               "openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr && "
               "echo 'subjectAltName=DNS:*.h2.localhost' >san.txt && openssl x509 -req -in server.csr -CA ca.pem "
               "-CAkey ca.key -CAcreateserial -days 2 -extfile san.txt -out server.pem") &&
           server_start_script(&here.server, argv);
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(&here.server);
    test_remove_dir(here.folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_misbehaviour), cmocka_unit_test(test_floods)};

    here.folder = test_make_dir();
    if (!start_server()) {
        printf("skipped: needs the openssl command and python3\n");
        tear_down(NULL);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
