/* Visits that wait for their repetition come back in the order of their times, and no others. */
#include "engine/retries.h"
#include "test.h"

#include "base/rng.h"

static struct frontier *make_frontier(void)
{
    struct frontier *frontier = frontier_new(&(struct frontier_options){0});
    uint32_t host;
    bool is_new;

    assert_int_equal(frontier_host(frontier, STR("a.test"), &host, &is_new), SCENT_OK);
    return frontier;
}

static struct steer_visit make_visit(struct frontier *frontier, uint64_t number)
{
    struct steer_visit visit = {.candidate = {.tries = 1}};
    bool is_new;

    assert_int_equal(frontier_intern(frontier, number + 1, &visit.id, &is_new), SCENT_OK);
    frontier_mark_done(frontier, visit.id);
    return visit;
}

static void they_are_due_in_the_order_of_their_times(void **state)
{
    enum { COUNT = 500 };
    struct retries retries = {0};
    struct frontier *frontier = make_frontier();
    int64_t due[COUNT], now = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct steer_visit visit = make_visit(frontier, i);

        due[i] = 1 + (int64_t)rng_below(&rng, 1000);
        assert_true(retries_add(&retries, &visit, STR("http://a.test/x"), due[i], 0));
    }
    while (retries.count) {
        now += 7;
        assert_int_equal(retries_queue_due(&retries, frontier, now, false), SCENT_OK);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(frontier_state(frontier, i), due[i] <= now ? FRONTIER_QUEUED : FRONTIER_DONE);
    }
    assert_int_equal(frontier_queued(frontier), COUNT);
    retries_release(&retries);
    frontier_free(frontier);
}

static void they_may_come_earlier_when_nothing_else_is_left(void **state)
{
    struct retries retries = {0};
    struct frontier *frontier = make_frontier();

    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        struct steer_visit visit = make_visit(frontier, i);

        assert_true(retries_add(&retries, &visit, STR("http://a.test/x"), 1000, 10 * i));
    }
    assert_int_equal(retries_queue_due(&retries, frontier, 45, false), SCENT_OK);
    assert_int_equal(frontier_queued(frontier), 0);
    assert_int_equal(retries_queue_due(&retries, frontier, 45, true), SCENT_OK);
    assert_int_equal(frontier_queued(frontier), 5);
    assert_int_equal(frontier_state(frontier, 4), FRONTIER_QUEUED);
    assert_int_equal(frontier_state(frontier, 5), FRONTIER_DONE);
    retries_release(&retries);
    frontier_free(frontier);
}

static void there_is_a_bound(void **state)
{
    struct retries retries = {0};
    struct frontier *frontier = make_frontier();
    struct steer_visit visit = make_visit(frontier, 0);

    (void)state;
    for (int i = 0; i < RETRIES_MAX; i++)
        assert_true(retries_add(&retries, &visit, STR("http://a.test/"), i, i));
    assert_false(retries_add(&retries, &visit, STR("http://a.test/"), 0, 0));
    retries_release(&retries);
    frontier_free(frontier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_due_in_the_order_of_their_times),
        cmocka_unit_test(they_may_come_earlier_when_nothing_else_is_left),
        cmocka_unit_test(there_is_a_bound),
    };

    return cmocka_run_group_tests_name("engine/retries", tests, NULL, NULL);
}
