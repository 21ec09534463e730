/* Transfers wait for descriptors, they do not fail for want of them. A program of its own: it lowers its limits. */
#include "fetching.h"

#include <sys/resource.h>

enum { LIMIT = 64, TRANSFERS = 200 };

static struct server bad;

static void expect_pages(struct fetching *fetching, int count)
{
    for (int i = 0; i < count; i++) {
        struct fetch_exchange *exchange = fetching_take(fetching);

        if (exchange->outcome != FETCH_RESPONSE)
            print_error("%s: %s\n", fetch_outcome_text(exchange->outcome), exchange->error);
        assert_int_equal(exchange->outcome, FETCH_RESPONSE);
        assert_int_equal(exchange->status, 200);
        fetching_free(exchange);
    }
}

static void submit_pages(struct fetching *fetching, int count)
{
    char url[100];

    /* Many names, so that idle connections are of no use to the next transfer. */
    for (int i = 0; i < count; i++) {
        snprintf(url, sizeof url, "http://h%d.localhost:%d/delay/20", i, bad.port);
        fetching_submit(fetching, url);
    }
}

static void test_limit_is_respected(void **state)
{
    struct fetching *fetching = fetching_start((struct fetch_options){.max_transfers = 1000});
    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limit.rlim_cur, limit.rlim_max);
    submit_pages(fetching, TRANSFERS);
    expect_pages(fetching, TRANSFERS);
    fetching_stop(fetching);
}

/* Somebody else takes what is left, and gives it back later. */
static void test_starved_transfers_wait(void **state)
{
    struct fetching *fetching = fetching_start((struct fetch_options){.max_transfers = 1000});
    struct fetch_exchange *exchange;
    int taken[LIMIT], count = 0, fd;

    (void)state;
    while ((fd = dup(0)) >= 0)
        taken[count++] = fd;
    submit_pages(fetching, 20);
    exchange = queue_pop_for(fetching->done, 500000);
    assert_null(exchange); /* none could start, and none failed */
    while (count > 0)
        close(taken[--count]);
    expect_pages(fetching, 20);
    submit_pages(fetching, TRANSFERS);
    expect_pages(fetching, TRANSFERS);
    fetching_stop(fetching);
}

/* Not for ever: after the time for a transfer it is a failure of ours. */
static void test_starved_for_too_long(void **state)
{
    struct fetching *fetching = fetching_start((struct fetch_options){.total_timeout_us = 300000});
    struct fetch_exchange *exchange;
    int taken[LIMIT], count = 0, fd;

    (void)state;
    while ((fd = dup(0)) >= 0)
        taken[count++] = fd;
    submit_pages(fetching, 1);
    exchange = fetching_take(fetching);
    while (count > 0)
        close(taken[--count]);
    assert_int_equal(exchange->outcome, FETCH_E_INTERNAL);
    assert_string_equal(exchange->error, "out of descriptors");
    fetching_free(exchange);
    fetching_stop(fetching);
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
        cmocka_unit_test(test_limit_is_respected),
        cmocka_unit_test(test_starved_transfers_wait),
        cmocka_unit_test(test_starved_for_too_long),
    };

    if (!server_start_bad(&bad, SCENT_TESTS "/crawl/badserver.py")) {
        printf("skipped: needs python3\n");
        return TEST_SKIPPED;
    }
    if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){LIMIT / 2, LIMIT}) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, stop_server);
}
