/* Rounds: what was met is new again in the next, and stays so when their number starts over. */
#include "test.h"

#include "strategy/usercounts.h"

static void once_a_round(void **state)
{
    struct rounds rounds;

    (void)state;
    rounds_init(&rounds, 3);
    for (int i = 0; i < 2; i++) {
        rounds_begin(&rounds);
        assert_true(rounds_first(&rounds, 0));
        assert_true(rounds_first(&rounds, 2));
        assert_false(rounds_first(&rounds, 0));
        assert_false(rounds_first(&rounds, 2));
    }
    assert_true(rounds_first(&rounds, 1));
    rounds_release(&rounds);
}

static void starts_over(void **state)
{
    struct rounds rounds;

    (void)state;
    rounds_init(&rounds, 3);
    rounds_begin(&rounds);
    assert_true(rounds_first(&rounds, 0)); /* in a round with the number that the one after the last gets */
    rounds.now = UINT32_MAX - 1;
    rounds_begin(&rounds);
    assert_true(rounds_first(&rounds, 1));
    rounds_begin(&rounds);
    for (size_t i = 0; i < 3; i++) {
        assert_true(rounds_first(&rounds, i));
        assert_false(rounds_first(&rounds, i));
    }
    rounds_release(&rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(once_a_round), cmocka_unit_test(starts_over)};

    return cmocka_run_group_tests_name("strategy/rounds", tests, NULL, NULL);
}
