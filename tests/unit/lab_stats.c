/* The statistics of the lab, on values that can be worked out by hand. */
#include "test.h"

#include "lab/stats.h"

#include <math.h>

static void close_to(double got, double want)
{
    if (fabs(got - want) > 1e-9)
        fail_msg("got %.12f, want %.12f", got, want);
}

static void means(void **state)
{
    const double x[] = {1, 2, 3, 4};

    (void)state;
    close_to(stats_mean(x, 4), 2.5);
    close_to(stats_standard_error(x, 4), sqrt(5.0 / 3) / 2);
    close_to(stats_standard_error(x, 1), 0);
    close_to(stats_mean(x, 0), 0);
}

/* With 1 and 2 degrees of freedom the tail has a closed form. */
static void student(void **state)
{
    (void)state;
    for (double t = -30; t <= 30; t += .37) {
        close_to(stats_student_tail(t, 1), .5 - atan(t) / acos(-1));
        close_to(stats_student_tail(t, 2), .5 - t / (2 * sqrt(2 + t * t)));
    }
    close_to(stats_student_tail(0, 99), .5);
    assert_true(fabs(stats_student_tail(1.8124611, 10) - .05) < 1e-7); /* the table's 5 % point */
    assert_true(fabs(stats_student_tail(1.6576509, 120) - .05) < 1e-7);
}

static void paired_t(void **state)
{
    const double a[] = {3, 5, 4, 8}, b[] = {2, 3, 3, 4}; /* differences 1 2 1 4: mean 2, s = sqrt 2, t = sqrt 8 */
    const double c[] = {2, 4, 3, 7};

    (void)state;
    close_to(stats_t_test(a, b, 4), stats_student_tail(sqrt(8), 3));
    close_to(stats_t_test(a, b, 4) + stats_t_test(b, a, 4), 1);
    close_to(stats_t_test(a, a, 4), .5);
    close_to(stats_t_test(a, c, 4), 0); /* always 1 more: certain */
    close_to(stats_t_test(a, b, 1), .5);
}

static void wilcoxon(void **state)
{
    const double a[] = {5, 6, 7, 8, 9}, zero[5] = {0};
    const double mixed[] = {1, -2, 3, 4};   /* W+ = 8 of 10: patterns with a sum >= 8: 10, 9, 8 -> 3 of 16 */
    const double tied[] = {1, 1, -1};       /* ranks 2 2 2: W+ = 4; sums >= 4: three with two, one with three */
    double many[60], none[60] = {0};

    (void)state;
    close_to(stats_wilcoxon(a, zero, 5), 1.0 / 32);
    close_to(stats_wilcoxon(zero, a, 5), 1);
    close_to(stats_wilcoxon(mixed, zero, 4), 3.0 / 16);
    close_to(stats_wilcoxon(tied, zero, 3), 4.0 / 8);
    close_to(stats_wilcoxon(zero, zero, 5), .5);
    for (int i = 0; i < 60; i++)
        many[i] = i % 3 ? i + 1 : -(i + 1);
    /* W+ = 1,240 of 1,830 (the negative ones are 1, 4, ..., 58): mean 915, variance 18,452.5 */
    close_to(stats_wilcoxon(many, none, 60), erfc((1240 - .5 - 915) / sqrt(2 * 18452.5)) / 2);
}

static void holm(void **state)
{
    double p[] = {.01, .04, .03, .005}, large[] = {.9, .8};

    (void)state;
    stats_holm(p, 4);
    close_to(p[3], .02);
    close_to(p[0], .03);
    close_to(p[2], .06);
    close_to(p[1], .06); /* never below an earlier one */
    stats_holm(large, 2);
    close_to(large[0], 1);
    stats_holm(large, 0);
}

static void bootstrap(void **state)
{
    double x[200], same[] = {.25, .25, .25};
    struct stats_interval first, again;

    (void)state;
    for (int i = 0; i < 200; i++)
        x[i] = i % 2;
    first = stats_bootstrap(x, 200, 2000, .95, 1);
    again = stats_bootstrap(x, 200, 2000, .95, 1);
    close_to(first.low, again.low);
    /* The normal approximation: .5 -+ 1.96 * .5 / sqrt(200) = .5 -+ .0693 */
    assert_true(fabs(first.low - .4307) < .01 && fabs(first.high - .5693) < .01);
    first = stats_bootstrap(same, 3, 100, .95, 2);
    close_to(first.low, .25);
    close_to(first.high, .25);
    close_to(stats_bootstrap(x, 0, 100, .95, 3).high, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means),    cmocka_unit_test(student), cmocka_unit_test(paired_t),
        cmocka_unit_test(wilcoxon), cmocka_unit_test(holm),    cmocka_unit_test(bootstrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
