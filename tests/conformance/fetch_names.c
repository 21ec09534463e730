/* Names: what a name server says, how long it holds, and that no answer leads where the crawl may not go. */
#include "fetching.h"

#include <stdatomic.h>
#include <sys/socket.h>

#define SECOND INT64_C(1000000)

static struct {
    struct server bad, names;
    char dns_server[40];
    _Atomic int64_t offset; /* of the clock that the fetcher sees */
} here;

static int64_t mono(void *ctx)
{
    (void)ctx;
    return clock_mono(&clock_system) + here.offset;
}

static int64_t wall(void *ctx)
{
    (void)ctx;
    return clock_wall(&clock_system) + here.offset;
}

static const struct clock clock_test = {.mono = mono, .wall = wall};

static struct fetch_options options_of(enum fetch_reach reach)
{
    return (struct fetch_options){
        .dns_server = here.dns_server, .dns_timeout_us = 150000, .clock = &clock_test, .reach = reach};
}

static struct fetch_exchange *get(struct fetching *fetching, const char *host, const char *path)
{
    char url[600];

    snprintf(url, sizeof url, "http://%s:%d%s", host, here.bad.port, path);
    return fetching_one(fetching, url);
}

/* How often the name server was asked for the name's A records. */
static int asked(const char *name)
{
    struct sockaddr_in address = server_address(here.names.port);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = 10};
    char text[300];
    ssize_t len;

    snprintf(text, sizeof text, "COUNT %s", name);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_true(sendto(fd, text, strlen(text), 0, (struct sockaddr *)&address, sizeof address) > 0);
    len = recv(fd, text, sizeof text - 1, 0);
    assert_true(len > 0);
    text[len] = 0;
    close(fd);
    return atoi(text);
}

static void expect(struct fetching *fetching, const char *host, enum fetch_outcome outcome, const char *error)
{
    struct fetch_exchange *exchange = get(fetching, host, "/echo");

    print_message("%s: %s %s\n", host, fetch_outcome_text(exchange->outcome), exchange->error);
    assert_int_equal(exchange->outcome, outcome);
    if (error)
        assert_string_equal(exchange->error, error);
    if (outcome == FETCH_RESPONSE)
        assert_non_null(strstr(buf_z(&exchange->body), host)); /* the server is still asked for this host */
    else
        assert_int_equal(exchange->request.len, 0);
    fetching_free(exchange);
}

static void test_answers(void **state)
{
    static const struct {
        const char *host;
        enum fetch_outcome outcome;
        const char *error;
        int asked; /* 0: not compared */
    } cases[] = {
        {"ok.a.test", FETCH_RESPONSE, "", 1},
        {"is.7f000001.a.test", FETCH_RESPONSE, "", 1},
        {"is.7f000001.00000000000000000000000000000001.a.test", FETCH_RESPONSE, "", 1},
        {"cname.a.test", FETCH_RESPONSE, "", 1},
        {"wrongid.a.test", FETCH_RESPONSE, "", 1},
        {"wrongname.a.test", FETCH_RESPONSE, "", 0},
        {"truncated.a.test", FETCH_RESPONSE, "", 1},
        {"lost.a.test", FETCH_RESPONSE, "", 2},
        {"late.a.test", FETCH_RESPONSE, "", 0},
        {"ok.under_score.test", FETCH_RESPONSE, "", 1},
        {"nxdomain.a.test", FETCH_E_DNS, "no such name", 1},
        {"nodata.a.test", FETCH_E_DNS, "the name has no address", 1},
        {"loop.a.test", FETCH_E_DNS, NULL, 0},
        {"servfail.a.test", FETCH_E_DNS, "the name servers failed", 0},
        {"refused.a.test", FETCH_E_DNS, "the name servers failed", 0},
        {"timeout.a.test", FETCH_E_DNS, "the name servers did not answer", 3},
        {"garbage.a.test", FETCH_E_DNS, NULL, 0},
        {"halfanswer.a.test", FETCH_E_DNS, NULL, 0},
        {"is.0a000001.a.test", FETCH_E_FORBIDDEN, "10.0.0.1 is not loopback", 1},
        {"is.0a000001.7f000001.a.test", FETCH_RESPONSE, "", 1}, /* the one that is allowed */
    };
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(fetching, cases[i].host, cases[i].outcome, cases[i].error);
        expect(fetching, cases[i].host, cases[i].outcome, cases[i].error);
        if (cases[i].asked)
            assert_int_equal(asked(cases[i].host), cases[i].asked);
    }
    fetching_stop(fetching);
}

/* Names that lead into special ranges, in every form. Nothing but loopback is here, so nothing can answer either. */
static void test_refused_addresses(void **state)
{
    static const struct {
        const char *host, *error;
    } cases[] = {
        {"localhost", "127.0.0.1 is loopback"},
        {"is.7f000001.b.test", "127.0.0.1 is loopback"},
        {"is.0a000001.b.test", "10.0.0.1 is private"},
        {"is.a9fea9fe.b.test", "169.254.169.254 is link-local"},
        {"is.e0000001.ffffffff.b.test", "224.0.0.1 is multicast"},
        {"is.00000000000000000000000000000001.b.test", "::1 is loopback"},
        {"is.00000000000000000000ffff7f000001.b.test", "::ffff:127.0.0.1 is loopback in an IPv4-mapped address"},
        {"is.0064ff9b0000000000000000a9fea9fe.b.test", "64:ff9b::a9fe:a9fe is link-local in NAT64"},
        {"is.20020a00000100000000000000000001.b.test", "2002:a00:1::1 is private in 6to4"},
        {"is.fd000000000000000000000000000001.b.test", "fd00::1 is unique local"},
    };
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_PUBLIC));

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(fetching, cases[i].host, FETCH_E_FORBIDDEN, cases[i].error);
    fetching_stop(fetching);
}

/* First an allowed address, later a forbidden one: a page, then a refusal; a connection to the old address that is
 * still open does not help. */
static void test_rebinding(void **state)
{
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));

    (void)state;
    expect(fetching, "then.7f000001.0a000001.c.test", FETCH_RESPONSE, "");
    expect(fetching, "then.7f000001.0a000001.c.test", FETCH_RESPONSE, "");
    assert_int_equal(asked("then.7f000001.0a000001.c.test"), 1); /* what was checked is what was connected to */
    here.offset += 301 * SECOND;
    expect(fetching, "then.7f000001.0a000001.c.test", FETCH_E_FORBIDDEN, "10.0.0.1 is not loopback");
    fetching_stop(fetching);
}

static void test_answers_hold(void **state)
{
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));

    (void)state;
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 5; i++)
            expect(fetching, "ttl0.d.test", FETCH_RESPONSE, "");
        assert_int_equal(asked("ttl0.d.test"), round);
        here.offset += 59 * SECOND - round * 10000;
        expect(fetching, "ttl0.d.test", FETCH_RESPONSE, "");
        assert_int_equal(asked("ttl0.d.test"), round);
        here.offset += 2 * SECOND;
    }
    expect(fetching, "ttlmax.d.test", FETCH_RESPONSE, "");
    here.offset += 86300 * SECOND;
    expect(fetching, "ttlmax.d.test", FETCH_RESPONSE, "");
    assert_int_equal(asked("ttlmax.d.test"), 1);
    here.offset += 200 * SECOND;
    expect(fetching, "ttlmax.d.test", FETCH_RESPONSE, "");
    assert_int_equal(asked("ttlmax.d.test"), 2);
    expect(fetching, "cname.d.test", FETCH_RESPONSE, ""); /* the alias holds 120 s, what it stands for 600 s */
    here.offset += 130 * SECOND;
    expect(fetching, "cname.d.test", FETCH_RESPONSE, "");
    assert_int_equal(asked("cname.d.test"), 2);
    fetching_stop(fetching);
}

static void test_failures_hold(void **state)
{
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));
    int before;

    (void)state;
    expect(fetching, "nxdomain.e.test", FETCH_E_DNS, "no such name");
    here.offset += 290 * SECOND;
    expect(fetching, "nxdomain.e.test", FETCH_E_DNS, "no such name");
    assert_int_equal(asked("nxdomain.e.test"), 1);
    here.offset += 20 * SECOND;
    expect(fetching, "nxdomain.e.test", FETCH_E_DNS, "no such name");
    assert_int_equal(asked("nxdomain.e.test"), 2);

    expect(fetching, "servfail.e.test", FETCH_E_DNS, NULL);
    for (int seconds = 5; seconds <= 40; seconds *= 2) { /* twice as long each time */
        before = asked("servfail.e.test");
        here.offset += (seconds - 3) * SECOND;
        expect(fetching, "servfail.e.test", FETCH_E_DNS, NULL);
        assert_int_equal(asked("servfail.e.test"), before);
        here.offset += 4 * SECOND;
        expect(fetching, "servfail.e.test", FETCH_E_DNS, NULL);
        assert_true(asked("servfail.e.test") > before);
    }
    fetching_stop(fetching);
}

static void test_one_question_for_all(void **state)
{
    enum { COUNT = 50 };
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));
    char url[100];

    (void)state;
    snprintf(url, sizeof url, "http://late.f.test:%d/keepalive", here.bad.port);
    for (int i = 0; i < COUNT; i++)
        fetching_submit(fetching, url);
    for (int i = 0; i < COUNT; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        fetching_free(exchange);
    }
    assert_int_equal(asked("late.f.test"), 2); /* once, and once more while the answer was late */
    fetching_stop(fetching);
}

/* More names at once than may be asked for at once. */
static void test_many_names(void **state)
{
    enum { COUNT = 2500 };
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;
    char url[100];

    (void)state;
    options.dns_timeout_us = 2 * SECOND;
    options.max_transfers = 400; /* the server is one process, and may have no more than 1,024 connections */
    fetching = fetching_start(options);
    for (int i = 0; i < COUNT; i++) {
        snprintf(url, sizeof url, "http://%s.n%d.test:%d/close", i % 2 ? "nxdomain" : "ok", i, here.bad.port);
        fetching_submit(fetching, url);
    }
    for (int i = 0; i < COUNT; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);
        bool exists = strstr(exchange->url, "/ok.");

        if (exchange->outcome != (exists ? FETCH_RESPONSE : FETCH_E_DNS))
            print_error("%s: %s %s\n", exchange->url, fetch_outcome_text(exchange->outcome), exchange->error);
        assert_int_equal(exchange->outcome, exists ? FETCH_RESPONSE : FETCH_E_DNS);
        fetching_free(exchange);
    }
    fetching_stop(fetching);
}

static void test_names_without_a_question(void **state)
{
    static const char *const hosts[] = {"localhost", "LocalHost", "localhost.", "a.b.localhost", "127.0.0.1"};
    static const char *const nonsense[] = {"a..b", ".test", "a!b.test", "%20.test"};
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;
    char text[600], label[64];

    (void)state;
    options.dns_server = "127.0.0.1:1"; /* nobody is there */
    fetching = fetching_start(options);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        expect(fetching, hosts[i], FETCH_RESPONSE, "");
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct fetch_exchange *exchange = get(fetching, nonsense[i], "/echo");

        assert_true(exchange->outcome == FETCH_E_DNS && strcmp(exchange->error, "no such name") == 0);
        fetching_free(exchange);
    }
    memset(label, 'a', 63), label[63] = 0;
    snprintf(text, sizeof text, "%s.%s.%s.%s", label, label, label, label); /* 255 bytes */
    expect(fetching, text, FETCH_E_DNS, "no such name");
    expect(fetching, "ok.g.test", FETCH_E_DNS, NULL); /* and a real question fails */
    fetching_stop(fetching);
}

static void test_next_address(void **state)
{
    struct fetching *fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));
    struct fetch_exchange *exchange;
    int connection = 0, n, request;

    (void)state;
    /* Nobody listens at 127.0.0.2 to 127.0.0.9, nor at ::1. */
    for (int i = 1; i <= 3; i++) {
        exchange = get(fetching, "is.7f000002.7f000003.7f000001.h.test", "/keepalive");
        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        assert_string_equal(exchange->ip, "127.0.0.1");
        assert_string_equal(exchange->error, "");
        assert_int_equal(sscanf(buf_z(&exchange->body), "connection %d, request %d", &n, &request), 2);
        connection = connection ? connection : n;
        assert_int_equal(n, connection); /* what worked is tried first from then on */
        assert_int_equal(request, i);
        fetching_free(exchange);
    }
    expect(fetching, "is.7f000002.00000000000000000000000000000001.7f000001.h.test", FETCH_RESPONSE, "");
    expect(fetching, "is.7f000002.7f000003.7f000004.7f000001.h.test", FETCH_E_CONNECT, NULL); /* three tries */
    expect(fetching, "is.7f000002.0a000001.h.test", FETCH_E_CONNECT, NULL);
    expect(fetching, "is.7f000002.0a000001.7f000001.h.test", FETCH_RESPONSE, "");
    exchange = get(fetching, "is.7f000001.7f000002.h.test", "/drop"); /* reached: no reason to try another */
    assert_int_equal(exchange->outcome, FETCH_E_CLOSED);
    assert_string_equal(exchange->ip, "127.0.0.1");
    fetching_free(exchange);
    fetching_stop(fetching);
}

static void test_etc_hosts(void **state)
{
    char line[1000], address[100], name[200] = "";
    FILE *f = fopen("/etc/hosts", "r");
    struct fetching *fetching;

    (void)state;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, " %99s %199s", address, name) == 2 && strcmp(address, "127.0.0.1") == 0 &&
            !strstr(name, "localhost"))
            break;
        else
            name[0] = 0;
    if (f)
        fclose(f);
    if (!name[0]) {
        print_message("skipped: /etc/hosts gives 127.0.0.1 no other name than localhost\n");
        skip();
    }
    fetching = fetching_start(options_of(FETCH_REACH_LOOPBACK));
    expect(fetching, name, FETCH_RESPONSE, "");
    assert_int_equal(asked(name), 0);
    fetching_stop(fetching);
}

/* ---- prefetching and keeping ---- */

enum { KEPT_MAX = 20 };

struct notes {
    _Atomic int resolved;
    struct fetch_name answers[KEPT_MAX]; /* by owner */
    bool answered[KEPT_MAX];
    char names[KEPT_MAX][100];
    int next, known;
};

static void on_resolved(void *ctx, void *owner, const struct fetch_name *name)
{
    struct notes *notes = ctx;
    size_t at = (size_t)(uintptr_t)owner;

    assert_false(notes->answered[at]);
    notes->answered[at] = true;
    notes->answers[at] = *name;
    snprintf(notes->names[at], sizeof notes->names[at], "%.*s", STR_ARG(name->name));
    notes->answers[at].name = str_of(notes->names[at]);
    notes->resolved++;
}

static bool give_known(void *ctx, struct fetch_name *name)
{
    struct notes *notes = ctx;

    if (notes->next == notes->known)
        return false;
    *name = notes->answers[notes->next++];
    return true;
}

static void wait_until(_Atomic int *value, int want)
{
    for (int i = 0; i < 1000 && *value < want; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    assert_int_equal(*value, want);
}

static void test_prefetch(void **state)
{
    static const struct {
        const char *host, *first;
        size_t naddresses;
        enum fetch_name_failure failure;
    } cases[] = {
        {"ok.i.test", "127.0.0.1", 1, FETCH_NAME_OK},
        {"OK.i.test.", "127.0.0.1", 1, FETCH_NAME_OK},
        {"is.0a000001.fd000000000000000000000000000001.i.test", "10.0.0.1", 2,
         FETCH_NAME_OK}, /* to know, not to visit */
        {"nxdomain.i.test", NULL, 0, FETCH_NAME_UNKNOWN},
        {"timeout.i.test", NULL, 0, FETCH_NAME_SILENT},
        {"localhost", "127.0.0.1", 2, FETCH_NAME_OK},
        {"192.0.2.7", "192.0.2.7", 1, FETCH_NAME_OK},
        {"[2001:db8::7]", "2001:db8::7", 1, FETCH_NAME_OK},
        {"", NULL, 0, FETCH_NAME_UNKNOWN},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    struct notes *notes = calloc(1, sizeof *notes);
    struct fetch_options options = options_of(FETCH_REACH_PUBLIC);
    struct fetching *fetching;
    char text[FETCH_IP_TEXT];

    (void)state;
    options.resolved = on_resolved;
    options.names_ctx = notes;
    fetching = fetching_start(options);
    for (size_t i = 0; i < COUNT; i++)
        fetch_resolve(fetching->fetch, str_of(cases[i].host), (void *)i);
    wait_until(&notes->resolved, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(notes->answers[i].failure, cases[i].failure);
        assert_int_equal(notes->answers[i].naddresses, cases[i].naddresses);
        assert_true(notes->answers[i].expires_wall > wall(NULL));
        if (cases[i].first) {
            fetch_ip_print(&notes->answers[i].addresses[0], text);
            assert_string_equal(text, cases[i].first);
        }
    }
    assert_int_equal(asked("ok.i.test"), 1);
    fetching_stop(fetching);
    free(notes);
}

static void test_stop_answers_everybody(void **state)
{
    struct notes *notes = calloc(1, sizeof *notes);
    struct fetch_options options = options_of(FETCH_REACH_PUBLIC);
    struct fetching *fetching;
    char url[100];

    (void)state;
    options.resolved = on_resolved;
    options.names_ctx = notes;
    options.dns_timeout_us = 10 * SECOND;
    fetching = fetching_start(options);
    snprintf(url, sizeof url, "http://timeout.j.test:%d/", here.bad.port);
    for (size_t i = 0; i < 5; i++) {
        fetch_resolve(fetching->fetch, STR("timeout.j.test"), (void *)i);
        fetching_submit(fetching, url);
    }
    while (asked("timeout.j.test") == 0)
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    assert_int_equal(fetching_stop(fetching), 5);
    assert_int_equal(notes->resolved, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(notes->answers[i].failure, FETCH_NAME_STOPPED);
    free(notes);
}

static void test_kept_names(void **state)
{
    struct notes *notes = calloc(1, sizeof *notes);
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetching *fetching;

    (void)state;
    options.known = give_known;
    options.resolved = on_resolved;
    options.names_ctx = notes;
    options.dns_timeout_us = 10 * SECOND; /* who is impatient asks twice */
    for (int life = 0; life < 3; life++) { /* the third is a day later */
        notes->next = 0;
        fetching = fetching_start(options);
        for (int i = 0; i < 2; i++) {
            expect(fetching, "ok.k.test", FETCH_RESPONSE, "");
            expect(fetching, "nxdomain.k.test", FETCH_E_DNS, "no such name");
            expect(fetching, "a.localhost", FETCH_RESPONSE, "");
        }
        memset(notes->answered, 0, sizeof notes->answered);
        fetch_resolve(fetching->fetch, STR("ok.k.test"), (void *)0);
        fetch_resolve(fetching->fetch, STR("nxdomain.k.test"), (void *)1);
        wait_until(&notes->resolved, 2 * (life + 1));
        notes->known = 2;
        fetching_stop(fetching);
        assert_int_equal(asked("ok.k.test"), life < 2 ? 1 : 2);
        assert_int_equal(asked("nxdomain.k.test"), life < 2 ? 1 : 2);
        here.offset += life == 1 ? 90000 * SECOND : SECOND;
    }
    assert_str(notes->answers[0].name, "ok.k.test");
    assert_int_equal(notes->answers[1].failure, FETCH_NAME_UNKNOWN);
    free(notes);
}

static void test_bad_server(void **state)
{
    struct fetch_options options = options_of(FETCH_REACH_LOOPBACK);
    struct fetch *fetch = NULL;
    struct errmsg err;

    (void)state;
    options.done = fetching_done;
    options.dns_server = "not an address";
    assert_int_equal(fetch_start(&options, &fetch, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "not an address"));
}

static int tear_down(void **state)
{
    (void)state;
    server_stop(&here.bad);
    server_stop(&here.names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),       cmocka_unit_test(test_refused_addresses),
        cmocka_unit_test(test_rebinding),     cmocka_unit_test(test_answers_hold),
        cmocka_unit_test(test_failures_hold), cmocka_unit_test(test_one_question_for_all),
        cmocka_unit_test(test_many_names),    cmocka_unit_test(test_names_without_a_question),
        cmocka_unit_test(test_next_address),  cmocka_unit_test(test_etc_hosts),
        cmocka_unit_test(test_prefetch),      cmocka_unit_test(test_stop_answers_everybody),
        cmocka_unit_test(test_kept_names),    cmocka_unit_test(test_bad_server),
    };

    if (!server_start_bad(&here.bad, SCENT_TESTS "/crawl/badserver.py") ||
        !server_start_bad(&here.names, SCENT_TESTS "/crawl/dnsserver.py")) {
        printf("skipped: needs python3\n");
        tear_down(NULL);
        return TEST_SKIPPED;
    }
    snprintf(here.dns_server, sizeof here.dns_server, "127.0.0.1:%d", here.names.port);
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
