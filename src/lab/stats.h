/* stats - is the difference between two strategies more than chance?
 *
 * All tests are paired by topic and one-tailed: the answer p is the probability of a difference at least so large in
 * favour of `a` if there were none. Pure. */
#ifndef SCENT_LAB_STATS_H
#define SCENT_LAB_STATS_H

#include <stddef.h>
#include <stdint.h>

double stats_mean(const double *x, size_t n);           /* 0 for none */
double stats_standard_error(const double *x, size_t n); /* of the mean; 0 for fewer than two */

/* a - b; 0 where they differ by rounding alone, as means of the same values in another order do. All tests use it. */
double stats_difference(double a, double b);

/* P(T >= t) of Student's t with `df` degrees of freedom. */
double stats_student_tail(double t, double df);
/* Paired t-test that mean(a) > mean(b). No difference at all: .5; all differences the same and not 0: 0 or 1. */
double stats_t_test(const double *a, const double *b, size_t n);
/* Wilcoxon's signed-rank test of the same; zeros are left out, ties get mean ranks. Exact up to STATS_EXACT pairs, with
 * a normal approximation (corrected for ties and continuity) beyond. */
enum { STATS_EXACT = 40 };
double stats_wilcoxon(const double *a, const double *b, size_t n);

/* Replaces the p of a family of tests by Holm's adjusted ones. At most STATS_FAMILY of them. */
enum { STATS_FAMILY = 4096 };
void stats_holm(double *p, size_t n);

/* The interval that holds the mean of x in `level` (.95) of `rounds` samples with replacement; seeded. */
struct stats_interval {
    double low, high;
};
struct stats_interval stats_bootstrap(const double *x, size_t n, uint32_t rounds, double level, uint64_t seed);

#endif
