#include "test.h"

#include "base/rng.h"
#include "frontier/caps.h"

#include <sys/resource.h>

enum { PATTERNS = 5000, LIMIT = 20 };

static struct caps caps;

static int start(void **state)
{
    (void)state;
    caps_init(&caps);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    caps_release(&caps);
    return 0;
}

static void stops_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(caps_count(&caps, 7), 0);
    for (uint32_t i = 0; i < CAPS_DEFAULT_LIMIT; i++) {
        assert_int_equal(caps_count(&caps, 7), i);
        assert_true(caps_take(&caps, 7, CAPS_DEFAULT_LIMIT));
    }
    assert_false(caps_take(&caps, 7, CAPS_DEFAULT_LIMIT));
    assert_int_equal(caps_count(&caps, 7), CAPS_DEFAULT_LIMIT);
    assert_true(caps_take(&caps, 8, CAPS_DEFAULT_LIMIT));
    assert_true(caps_take(&caps, 7, 0));
    assert_true(caps_take(&caps, 7, CAPS_DEFAULT_LIMIT + 2));
}

/* While there is room the counts are exact. */
static void agrees_with_a_model(void **state)
{
    uint32_t model[PATTERNS] = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (int i = 0; i < 100000; i++) {
        uint64_t pattern = rng_below(&rng, PATTERNS);
        bool want = model[pattern] < LIMIT;

        assert_int_equal(caps_take(&caps, pattern * 4096, LIMIT), want);
        model[pattern] += want;
    }
    for (uint64_t i = 0; i < PATTERNS; i++)
        assert_int_equal(caps_count(&caps, i * 4096), model[i]);
}

/* Four times as many patterns as fit, each seen once or a few times, and a trap among them: the trap is stopped, and no
 * count is too large. */
static void a_trap_stands_out_when_full(void **state)
{
    enum { TRAP_EVERY = 1000, OTHERS = 4 << 20 };
    uint32_t taken = 0;

    (void)state;
    for (uint32_t i = 1; i <= OTHERS; i++) {
        assert_true(caps_take(&caps, (uint64_t)i << 20, LIMIT));
        if (i % 3 == 0)
            caps_take(&caps, (uint64_t)i << 20, LIMIT);
        if (i % TRAP_EVERY == 0)
            taken += caps_take(&caps, 5, LIMIT);
    }
    assert_in_range(taken, LIMIT, 2 * LIMIT);
    assert_int_equal(caps_count(&caps, 5), LIMIT);
    for (uint32_t i = 1; i <= OTHERS; i++)
        assert_true(caps_count(&caps, (uint64_t)i << 20) <= 1 + (i % 3 == 0));
}

/* Of its 2,048 pages only those are in memory that a pattern lies in: most crawls are small. */
static void memory_is_touched_as_patterns_come(void **state)
{
    struct rusage before, after;

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    start(NULL);
    assert_true(caps_take(&caps, 7, LIMIT));
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_minflt - before.ru_minflt, 0, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stops_at_the_limit, start, stop),
        cmocka_unit_test_setup_teardown(agrees_with_a_model, start, stop),
        cmocka_unit_test_setup_teardown(a_trap_stands_out_when_full, start, stop),
        cmocka_unit_test_teardown(memory_is_touched_as_patterns_come, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
