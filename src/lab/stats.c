#include "lab/stats.h"

#include "base/rng.h"
#include "base/status.h"
#include "base/vec.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

double stats_mean(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : 0;
}

/* The sample's standard deviation (n - 1). */
static double deviation(const double *x, size_t n)
{
    double mean = stats_mean(x, n), sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

double stats_standard_error(const double *x, size_t n)
{
    return n > 1 ? deviation(x, n) / sqrt((double)n) : 0;
}

/* Two differences that rounding made unequal are one tie. */
static bool is_tie(double x, double y)
{
    return fabs(fabs(x) - fabs(y)) <= 1e-12 * (1 + fabs(x));
}

double stats_difference(double a, double b)
{
    return is_tie(a - b, 0) ? 0 : a - b;
}

/* ---- Student ---- */

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated from the front (modified Lentz). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), value;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    value = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double before = value;

        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        if (fabs(value - before) <= 1e-15 * fabs(value))
            break;
    }
    return value;
}

static double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double x, double a, double b)
{
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double stats_student_tail(double t, double df)
{
    double half;

    if (isinf(t))
        return t > 0 ? 0 : 1;
    half = incomplete_beta(df / (df + t * t), df / 2, .5) / 2;
    return t > 0 ? half : 1 - half;
}

static double *differences(const double *a, const double *b, size_t n)
{
    double *d = malloc((n + 1) * sizeof *d);

    SCENT_BUG_IF(!d);
    for (size_t i = 0; i < n; i++)
        d[i] = stats_difference(a[i], b[i]);
    return d;
}

double stats_t_test(const double *a, const double *b, size_t n)
{
    double *d = differences(a, b, n);
    double mean = stats_mean(d, n), error = stats_standard_error(d, n);

    free(d);
    if (n < 2 || mean == 0)
        return .5;
    return stats_student_tail(error > 0 ? mean / error : copysign(INFINITY, mean), (double)n - 1);
}

/* ---- Wilcoxon ---- */

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

    return (x > y) - (x < y);
}

struct signed_ranks {
    size_t n;        /* differences that are not 0 */
    double positive; /* sum of the ranks of positive differences */
    double ties;     /* sum of t^3 - t over groups of t equal ones */
    size_t twice[STATS_EXACT]; /* twice the ranks: whole numbers, ties too; of the first STATS_EXACT */
};

static void rank(double *d, size_t n, struct signed_ranks *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i] != 0)
            d[kept++] = d[i];
    qsort(d, kept, sizeof *d, by_size);
    *out = (struct signed_ranks){.n = kept};
    for (size_t i = 0, end; i < kept; i = end) {
        double size;

        for (end = i + 1; end < kept && is_tie(d[i], d[end]);)
            end++;
        size = (double)(end - i);
        out->ties += size * size * size - size;
        for (size_t k = i; k < end; k++) {
            out->positive += d[k] > 0 ? (double)(i + 1 + end) / 2 : 0;
            if (k < STATS_EXACT)
                out->twice[k] = i + 1 + end;
        }
    }
}

/* Counts the sign patterns whose sum is at least what was seen, by adding one rank after the other. */
static double exact_tail(const struct signed_ranks *ranks)
{
    enum { SUMS = STATS_EXACT * (STATS_EXACT + 1) + 1 };
    double *ways = calloc(SUMS, sizeof *ways);
    double seen = 2 * ranks->positive, tail = 0;
    size_t top = 0;

    SCENT_BUG_IF(!ways);
    ways[0] = 1;
    for (size_t i = 0; i < ranks->n; i++) {
        top += ranks->twice[i];
        for (size_t sum = top; sum >= ranks->twice[i]; sum--)
            ways[sum] += ways[sum - ranks->twice[i]];
    }
    for (size_t sum = 0; sum <= top; sum++)
        if ((double)sum >= seen - .5)
            tail += ways[sum];
    free(ways);
    return tail / pow(2, (double)ranks->n);
}

static double normal_tail(const struct signed_ranks *ranks)
{
    double n = (double)ranks->n;
    double mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ranks->ties / 48;

    return erfc((ranks->positive - .5 - mean) / sqrt(2 * variance)) / 2;
}

double stats_wilcoxon(const double *a, const double *b, size_t n)
{
    double *d = differences(a, b, n);
    struct signed_ranks ranks;

    rank(d, n, &ranks);
    free(d);
    if (ranks.n == 0)
        return .5;
    return ranks.n <= STATS_EXACT ? exact_tail(&ranks) : normal_tail(&ranks);
}

/* ---- many tests ---- */

void stats_holm(double *p, size_t n)
{
    bool done[STATS_FAMILY] = {false};
    double floor = 0;

    SCENT_BUG_IF(n > STATS_FAMILY);
    for (size_t round = 0; round < n; round++) {
        size_t least = SIZE_MAX;

        for (size_t i = 0; i < n; i++)
            if (!done[i] && (least == SIZE_MAX || p[i] < p[least]))
                least = i;
        done[least] = true;
        floor = fmax(floor, fmin(1, p[least] * (double)(n - round)));
        p[least] = floor;
    }
}

/* ---- intervals ---- */

struct stats_interval stats_bootstrap(const double *x, size_t n, uint32_t rounds, double level, uint64_t seed)
{
    struct stats_interval interval = {0, 0};
    double *means = malloc((rounds + 1) * sizeof *means);
    size_t cut = (size_t)floor((1 - level) / 2 * rounds);
    struct rng rng;

    SCENT_BUG_IF(!means);
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < rounds && n; i++) {
        double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += x[rng_below(&rng, n)];
        means[i] = sum / (double)n;
    }
    if (n && rounds) {
        qsort(means, rounds, sizeof *means, order_double);
        interval = (struct stats_interval){means[cut], means[rounds - 1 - cut]};
    }
    free(means);
    return interval;
}
