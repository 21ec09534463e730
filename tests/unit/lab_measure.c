/* The measures of the lab on a web of ten pages, worked out by hand.
 *
 * Relevant: 0 2 4 6 8. Seeds: 0. Targets: 2 4 6 8. */
#include "test.h"

#include "lab/measure.h"

#include <math.h>

enum { PAGES = 10 };

static const bool relevant[PAGES] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
static const bool target[PAGES] = {0, 0, 1, 0, 1, 0, 1, 0, 1, 0};
static const double probability[PAGES] = {1, .1, .9, .2, .8, 0, .7, 0, .6, .5};
static const uint32_t pages_a[] = {0, 2, 1, 4, 3, 6}, pages_b[] = {0, 1, 3, 2, 8}, pages_c[] = {4, 2, 0};
static const struct measure_crawl a = {pages_a, 6}, b = {pages_b, 5}, c = {pages_c, 3}, empty = {pages_a, 0};

static void close_to(double got, double want)
{
    if (fabs(got - want) > 1e-12)
        fail_msg("got %.15f, want %.15f", got, want);
}

static void harvest_and_recall(void **state)
{
    (void)state;
    close_to(measure_harvest(&a, relevant, 4), 3.0 / 4);
    close_to(measure_harvest(&a, relevant, 6), 4.0 / 6);
    close_to(measure_harvest(&a, relevant, 8), 4.0 / 8); /* it ran out of links */
    close_to(measure_harvest(&a, relevant, 0), 0);
    close_to(measure_precision(&a, relevant, 8), 4.0 / 6);
    close_to(measure_precision(&empty, relevant, 8), 0);
    close_to(measure_recall(&a, target, 4, 6), 3.0 / 4);
    close_to(measure_recall(&a, target, 0, 6), 0);
    assert_int_equal(measure_count(&a, relevant, 100), 4);
    close_to(measure_lift(&a, relevant, PAGES, 4), 3.0 / 4 / (5.0 / 10));
    close_to(measure_lift(&a, (bool[PAGES]){0}, PAGES, 4), 0);
}

/* 60 pages: windows of 25 with 20 and 5 relevant ones, and 10 pages that make no window. */
static void fluctuation(void **state)
{
    uint32_t order[60];
    bool good[60] = {0};
    struct measure_crawl crawl = {order, 60}, ended = {order, 30};

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        order[i] = 59 - i; /* the first page fetched is number 59 */
        good[59 - i] = i < 20 || (i >= 25 && i < 30) || i >= 50;
    }
    close_to(measure_fluctuation(&crawl, good, 60), .3); /* .8 and .2, mean .5 */
    close_to(measure_fluctuation(&crawl, good, 50), .3);
    close_to(measure_fluctuation(&crawl, good, 75), sqrt((.3 * .3 + .3 * .3 + .1 * .1) / 3 - .1 * .1 / 9));
    close_to(measure_fluctuation(&ended, good, 50), .3);     /* what was not fetched is not relevant */
    close_to(measure_fluctuation(&ended, good, 100), sqrt((.55 * .55 + .05 * .05 + 2 * .25 * .25) / 4));
    assert_true(isnan(measure_fluctuation(&crawl, good, 49)));
    assert_true(isnan(measure_fluctuation(&crawl, good, 0)));
    close_to(measure_fluctuation(&crawl, (bool[60]){0}, 60), 0);
}

static void only(void **state)
{
    (void)state;
    assert_int_equal(measure_only(&a, &b, relevant, PAGES, 6), 2); /* 4 and 6 */
    assert_int_equal(measure_only(&b, &a, relevant, PAGES, 6), 1); /* 8 */
    assert_int_equal(measure_only(&a, &b, relevant, PAGES, 2), 1); /* 2, which b has later */
    assert_int_equal(measure_only(&a, &a, relevant, PAGES, 6), 0);
    assert_int_equal(measure_only(&a, &empty, relevant, PAGES, 6), 4);
}

static void area(void **state)
{
    (void)state;
    /* R(1..6) of a: 0, 1/4, 1/4, 2/4, 2/4, 3/4 */
    close_to(measure_recall_area(&a, target, 4, 6), (0 + .25 + .25 + .5 + .5 + .75) / 6);
    /* and R(7) = R(8) = 3/4 */
    close_to(measure_recall_area(&a, target, 4, 8), (0 + .25 + .25 + .5 + .5 + .75 + .75 + .75) / 8);
}

static void ratio(void **state)
{
    size_t count;

    (void)state;
    close_to(measure_ratio(&b, probability, 5), (1 + .1 + .2 + .9 + .6) / 5);
    close_to(measure_ratio(&b, probability, 2), 1.1 / 2);
    close_to(measure_exclusive(&a, &b, probability, PAGES, 6, &count), (.8 + .7) / 2);
    assert_int_equal(count, 2);
    close_to(measure_exclusive(&b, &a, probability, PAGES, 6, &count), .6);
    close_to(measure_exclusive(&a, &a, probability, PAGES, 6, &count), 0);
    assert_int_equal(count, 0);
}

static void overlap(void **state)
{
    const struct measure_crawl two[] = {a, b}, three[] = {a, b, c}, none[] = {empty, empty};

    (void)state;
    /* relevant of a: 0 2 4 6; of b: 0 2 8; of c: 4 2 0 */
    close_to(measure_overlap(two, 2, relevant, PAGES, 6), 2.0 / 7);
    close_to(measure_overlap(three, 3, relevant, PAGES, 6), 2.0 / 10);
    close_to(measure_overlap(none, 2, relevant, PAGES, 6), 0);
    /* all of a and b: 0 1 2 3 in both */
    close_to(measure_url_overlap(&a, &b, PAGES, 6), 4.0 / 6);
    close_to(measure_url_overlap(&a, &b, PAGES, 2), 1.0 / 2);
}

static void fusion(void **state)
{
    const struct measure_crawl three[] = {a, b, c};
    const uint32_t want[] = {0, 2, 1, 4};
    uint32_t out[10];
    size_t duplicates, n = measure_fuse(three, 3, PAGES, 7, out, &duplicates); /* 0 2 | 0 1 | 4 2 0 */

    (void)state;
    assert_int_equal(n, 4);
    assert_int_equal(duplicates, 3);
    assert_memory_equal(out, want, sizeof want);
}

/* Two crawls of four pages: 0 (seed), 1 (1), 2 (.3), 4 (0) and 0 (seed), 3 (3), 2 (1.8), 5 (1). Scaled: 1, 1, .3, 0 and
 * 1, 1, .4, 0. Sums: 0 has 2, 1 and 3 have 1, 2 has .7, 4 and 5 have 0. Times the crawls that like it: 4, 1, 1, 1.4, 0, 0.
 * By majority: 0 beats all. 2 beats 4 and 5 and has a draw with 1 and 3: 3. 1 beats 4 and has a draw with 2, 3, 5: 2.5;
 * 3 likewise. 4 has a draw with 3 and 5: 1; 5 likewise. Equals: 1 before 3, 4 before 5, as the crawls stand. */
static void fusion_by_scores(void **state)
{
    static const uint32_t pages_x[] = {0, 1, 2, 4}, pages_y[] = {0, 3, 2, 5};
    static const float scores_x[] = {INFINITY, 1, .3f, 0}, scores_y[] = {INFINITY, 3, 1.8f, 1};
    const struct measure_crawl two[] = {{pages_x, 4}, {pages_y, 4}};
    const float *const scores[] = {scores_x, scores_y};
    static const uint32_t want[][6] = {[MEASURE_SHARES] = {0, 1, 2, 4, 3, 5},
                                       [MEASURE_COMBSUM] = {0, 1, 3, 2, 4, 5},
                                       [MEASURE_COMBMNZ] = {0, 2, 1, 3, 4, 5},
                                       [MEASURE_CONDORCET] = {0, 2, 1, 3, 4, 5}};
    uint32_t out[8];
    size_t duplicates;

    (void)state;
    for (unsigned by = 0; measure_fusion_words[by]; by++) {
        assert_int_equal(measure_fuse_by((enum measure_fusion)by, two, scores, 2, PAGES, 8, out, &duplicates), 6);
        assert_int_equal(duplicates, 2);
        assert_memory_equal(out, want[by], sizeof want[by]);
    }
    /* Of two pages each 1 and 3 stand behind 0 alike: all scores are the same. */
    assert_int_equal(measure_fuse_by(MEASURE_COMBSUM, two, scores, 2, PAGES, 4, out, &duplicates), 3);
    assert_memory_equal(out, ((uint32_t[]){0, 1, 3}), 3 * sizeof *out);
}

static void others(void **state)
{
    const uint32_t hosts[PAGES] = {7, 7, 8, 8, 9, 9, 7, 7, 7, 7};

    (void)state;
    assert_int_equal(measure_distinct(&a, hosts, 6), 3);
    assert_int_equal(measure_distinct(&a, hosts, 1), 1);
    assert_int_equal(measure_distinct(&empty, hosts, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harvest_and_recall), cmocka_unit_test(area),   cmocka_unit_test(fluctuation), cmocka_unit_test(only), cmocka_unit_test(ratio),
        cmocka_unit_test(overlap),            cmocka_unit_test(fusion), cmocka_unit_test(fusion_by_scores), cmocka_unit_test(others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
