/* The interest ratios, worked out by hand. */
#include "ratios_once.h"
#include "strategy_fixture.h"

/* P(C) = .1 */
static const struct ratios TENTH = {.pages = 100, .relevant = 10, .links = {7, 5, 13, 75}, .t = 2,
                                    .siblings = RATIOS_SIBLINGS_BOTH, RATIOS_OURS};

static void an_event(void **state)
{
    const struct ratios rare = {.pages = 1000, .relevant = 10, .t = 2, RATIOS_OURS};

    (void)state;
    assert_close(ratios_of_event(&TENTH, 4, 2), log(4.2)); /* 2.1/5 against .1 */
    assert_close(ratios_of_event(&TENTH, 4, 0), log(.2));  /* .1/5 */
    assert_close(ratios_of_event(&TENTH, 0, 0), 0);        /* never seen */
    assert_close(ratios_of_event(&TENTH, 99, 0), -3);      /* ln .01 is clipped */
    assert_close(ratios_of_event(&rare, 9, 9), 3);         /* ln 90.1 is clipped */
}

static void significance(void **state)
{
    struct ratios printed = TENTH;

    (void)state;
    printed.n = RATIOS_N_RELEVANT;
    assert_close(ratios_significance(&TENTH, 9, 3), (1. / 3 - .1) / .1);
    assert_close(ratios_significance(&TENTH, 4, 1), 1);
    assert_close(ratios_significance(&TENTH, 16, 0), .1 / .075); /* both signs */
    assert_close(ratios_significance(&printed, 4, 1), .15 / sqrt(.009));
    assert_close(ratios_significance(&TENTH, 0, 0), 0);
}

static void only_what_is_telling_counts(void **state)
{
    struct ratios printed = TENTH;

    (void)state;
    printed.n = RATIOS_N_RELEVANT;
    assert_close(ratios_if_significant(&TENTH, 9, 3), log(3.1));
    assert_close(ratios_if_significant(&TENTH, 4, 1), 0);          /* S = 1 */
    assert_close(ratios_if_significant(&TENTH, 2, 2), 0);          /* S = 4.2, on two pages */
    assert_close(ratios_if_significant(&TENTH, 3, 3), log(7.75));  /* 3.1/4 */
    assert_close(ratios_if_significant(&TENTH, 10, 3), log(3.1 / 1.1)); /* S = 2.1 */
    assert_close(ratios_if_significant(&TENTH, 6, 2), 0);          /* S = 1.91; with n(C) = 10 it is 2.46 */
    assert_close(ratios_if_significant(&printed, 6, 2), log(3));   /* 2.1/7 */
}

static void links(void **state)
{
    const struct ratios none = {.pages = 100, .relevant = 10, RATIOS_OURS};
    double p = 7.5 / 102 / .01, q = 13.5 / 102 / .09;

    (void)state;
    assert_close(ratios_of_links(&TENTH, 0, 0), 0);
    assert_close(ratios_of_links(&TENTH, 3, 2), 2 * log(p) + log(q));
    assert_close(ratios_of_links(&TENTH, 9, 9), 9 * log(p)); /* the sum is not clipped */
    assert_close(ratios_of_links(&none, 2, 1), log(.25 / .01) + log(.25 / .09));
    assert_int_equal(ratios_link_kind(true, true), RATIOS_PRED_PRED);
    assert_int_equal(ratios_link_kind(true, false), RATIOS_PRED_NON);
    assert_int_equal(ratios_link_kind(false, true), RATIOS_NON_PRED);
    assert_int_equal(ratios_link_kind(false, false), RATIOS_NON_NON);
}

static void siblings(void **state)
{
    struct ratios above = TENTH;

    (void)state;
    above.siblings = RATIOS_SIBLINGS_ABOVE;
    assert_close(ratios_of_siblings(&TENTH, 15, 9), log(9.1 / 1.6));
    assert_close(ratios_of_siblings(&TENTH, 15, 0), log(1. / 16));
    assert_close(ratios_of_siblings(&TENTH, 0, 0), 0);
    assert_close(ratios_of_siblings(&above, 15, 9), log(9.1 / 1.6));
    assert_close(ratios_of_siblings(&above, 15, 0), 0);
    above.siblings = RATIOS_SIBLINGS_SIGNIFICANT;
    assert_close(ratios_of_siblings(&above, 15, 9), log(9.1 / 1.6));
    assert_close(ratios_of_siblings(&above, 35, 0), 0); /* .1 is 1.97 deviations from 0 of 35 */
    assert_close(ratios_of_siblings(&above, 36, 0), -3); /* 2 of 36: ln 1/37 is clipped */
    above.clip = 0;
    assert_close(ratios_of_siblings(&above, 36, 0), -log(37));
}

static void nothing_is_learned_from_all_or_none(void **state)
{
    const struct ratios ks[] = {{.t = 2, RATIOS_OURS}, {.pages = 20, .t = 2, RATIOS_OURS},
                                {.pages = 20, .relevant = 20, .t = 2, RATIOS_OURS}};

    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        assert_false(ratios_can_learn(&ks[i]));
        assert_close(ratios_significance(&ks[i], 5, 5), 0);
        assert_close(ratios_of_event(&ks[i], 5, 5), 0);
        assert_close(ratios_if_significant(&ks[i], 5, 5), 0);
        assert_close(ratios_of_links(&ks[i], 5, 5), 0);
        assert_close(ratios_of_siblings(&ks[i], 5, 5), 0);
    }
}

/* Every feature of a crawl of up to 60 pages whose significance is exactly t: (rN - pc)^2 n = t^2 c (N - c) p^2. */
static void exact_ties_count(void **state)
{
    unsigned ties = 0;

    (void)state;
    assert_true(ratios_significance(&(struct ratios){.pages = 24, .relevant = 8, .t = 2}, 8, 0) == 2);
    for (uint64_t all = 2; all <= 60; all++)
        for (uint64_t good = 1; good < all; good++)
            for (uint64_t pages = 3; pages <= all; pages++)
                for (uint64_t relevant = 0; relevant <= pages && relevant <= good; relevant++)
                    for (unsigned n = RATIOS_N_EVENT; n <= RATIOS_N_ALL; n++) {
                        struct ratios k = {.pages = (double)all, .relevant = (double)good, .t = 2, .n = n,
                                           RATIOS_OURS};
                        int64_t off = (int64_t)(relevant * all) - (int64_t)(pages * good);
                        uint64_t over = n == RATIOS_N_EVENT ? pages : n == RATIOS_N_RELEVANT ? good : all;
                        uint64_t left = (uint64_t)(off * off) * over, right = 4 * good * (all - good) * pages * pages;

                        assert_true((ratios_significance(&k, (double)pages, (double)relevant) >= 2) == (left >= right));
                        assert_true((ratios_if_significant(&k, (double)pages, (double)relevant) != 0) == (left >= right));
                        ties += left == right;
                    }
    assert_true(ties > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event),
        cmocka_unit_test(significance),
        cmocka_unit_test(only_what_is_telling_counts),
        cmocka_unit_test(links),
        cmocka_unit_test(siblings),
        cmocka_unit_test(nothing_is_learned_from_all_or_none),
        cmocka_unit_test(exact_ties_count),
    };

    return cmocka_run_group_tests_name("strategy/ratios", tests, NULL, NULL);
}
