#include "strategy/posterior.h"

#include "strategy/saved.h"

#include <math.h>
#include <string.h>

enum { D = POSTERIOR_DIMS };
#define FLATTEN .3927 /* pi/8: a sigmoid of an uncertain number, as a sigmoid of its mean (MacKay) */
#define LEAST_PRECISION .02 /* of an example that surprises nobody */
#define LARGEST 1e12

static double number_of(const double a[D], const float b[D])
{
    double sum = 0;

    for (int i = 0; i < D; i++)
        sum += a[i] * (double)b[i];
    return sum;
}

void posterior_init(struct posterior *posterior, const struct posterior_weight prior[D])
{
    memset(posterior, 0, sizeof *posterior);
    memcpy(posterior->prior, prior, sizeof posterior->prior);
    for (int i = 0; i < D; i++) {
        posterior->mean[i] = prior[i].mean;
        posterior->spread[i][i] = prior[i].variance;
    }
}

void posterior_move(struct posterior *posterior, const double means[D])
{
    double by[D];

    for (int i = 0; i < D; i++) {
        by[i] = (means[i] - posterior->prior[i].mean) / posterior->prior[i].variance;
        posterior->prior[i].mean = means[i];
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            posterior->mean[i] += posterior->spread[i][j] * by[j];
}

double posterior_mean(const struct posterior *posterior, const float x[D])
{
    return number_of(posterior->mean, x);
}

/* The covariance of each weight with the answer; returns the answer's variance. By columns, which are the rows: sums of
 * one row would wait for each other. */
static double project(const struct posterior *posterior, const float x[D], double out[D])
{
    memset(out, 0, D * sizeof *out);
    for (int j = 0; j < D; j++)
        for (int i = 0; i < D; i++)
            out[i] += posterior->spread[j][i] * (double)x[j];
    return number_of(out, x);
}

/* An example whose answer was off by `error` (times its precision), seen with this precision. */
static void learn(struct posterior *posterior, const float x[D], const double sx[D], double variance, double error,
                  double precision)
{
    double step = error / (1 + precision * variance), shrink = precision / (1 + precision * variance);
    double shift = precision * posterior_mean(posterior, x) + error;
    double *told = posterior->learned.precision, features[D];

    for (int i = 0; i < D; i++)
        features[i] = (double)x[i];
    for (int i = 0; i < D; i++) {
        double by = precision * features[i];

        posterior->mean[i] += step * sx[i];
        posterior->learned.shift[i] += shift * features[i];
        for (int j = 0; j < D; j++) /* the same to the bit for j and i */
            posterior->spread[i][j] -= shrink * (sx[i] * sx[j]);
        for (int j = 0; j <= i; j++)
            told[j] += by * features[j];
        told += i + 1;
    }
}

void posterior_learn_probability(struct posterior *posterior, const float x[D], double y)
{
    double sx[D], variance = project(posterior, x, sx);
    double p = 1 / (1 + exp(-posterior_mean(posterior, x) / sqrt(1 + FLATTEN * variance)));

    learn(posterior, x, sx, variance, y - p, fmax(p * (1 - p), LEAST_PRECISION));
}

void posterior_learn_number(struct posterior *posterior, const float x[D], double y, double precision)
{
    double sx[D], variance = project(posterior, x, sx);

    learn(posterior, x, sx, variance, precision * (y - posterior_mean(posterior, x)), precision);
}

/* ---- from what was told to what is believed ---- */

/* The lower half of a matrix becomes that of its Cholesky factor. False: it is not positive definite. */
static bool factorise(double a[D][D])
{
    for (int j = 0; j < D; j++)
        for (int i = j; i < D; i++) {
            double sum = a[i][j];

            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 1e-9 && sum < LARGEST))
                return false;
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    return true;
}

static void solve(double factor[D][D], double b[D])
{
    for (int i = 0; i < D; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= factor[i][k] * b[k];
        b[i] /= factor[i][i];
    }
    for (int i = D - 1; i >= 0; i--) {
        for (int k = i + 1; k < D; k++)
            b[i] -= factor[k][i] * b[k];
        b[i] /= factor[i][i];
    }
}

/* Its own rounded, so that others can take it away. */
static struct posterior_told sum_told(const struct posterior *posterior)
{
    struct posterior_told sum = posterior->recalled;

    for (size_t i = 0; i < POSTERIOR_PAIRS; i++)
        sum.precision[i] += saved_round(posterior->learned.precision[i]);
    for (size_t i = 0; i < D; i++)
        sum.shift[i] += saved_round(posterior->learned.shift[i]);
    return sum;
}

/* False: such examples cannot have been. */
static bool believe(struct posterior *posterior)
{
    struct posterior_told sum = sum_told(posterior);
    double factor[D][D], (*spread)[D] = posterior->spread;
    const double *told = sum.precision;

    for (int i = 0; i < D; i++)
        for (int j = 0; j <= i; j++)
            factor[i][j] = *told++ + (i == j ? 1 / posterior->prior[i].variance : 0);
    if (!factorise(factor))
        return false;
    for (int i = 0; i < D; i++) {
        memset(spread[i], 0, sizeof spread[i]);
        spread[i][i] = 1;
        solve(factor, spread[i]);
        posterior->mean[i] = posterior->prior[i].mean / posterior->prior[i].variance + sum.shift[i];
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < i; j++)
            spread[j][i] = spread[i][j];
    solve(factor, posterior->mean);
    return true;
}

/* ---- keeping ---- */

static void put_numbers(struct buf *out, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_put_double(out, numbers[i]);
}

static void get_numbers(struct bytes *in, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = bytes_get_double(in);
        bytes_check(in, fabs(numbers[i]) < LARGEST, "a number is out of range");
    }
}

static void put_told(struct buf *out, const struct posterior_told *told)
{
    put_numbers(out, told->precision, POSTERIOR_PAIRS);
    put_numbers(out, told->shift, D);
}

static void get_told(struct bytes *in, struct posterior_told *told)
{
    get_numbers(in, told->precision, POSTERIOR_PAIRS);
    get_numbers(in, told->shift, D);
}

void posterior_save(const struct posterior *posterior, struct buf *out)
{
    put_numbers(out, posterior->mean, D);
    for (size_t i = 0; i < D; i++)
        put_numbers(out, posterior->spread[i], i + 1);
    put_told(out, &posterior->learned);
    put_told(out, &posterior->recalled);
}

void posterior_load(struct posterior *posterior, struct bytes *in)
{
    get_numbers(in, posterior->mean, D);
    for (size_t i = 0; i < D; i++) {
        get_numbers(in, posterior->spread[i], i + 1);
        for (size_t j = 0; j < i; j++)
            posterior->spread[j][i] = posterior->spread[i][j];
    }
    get_told(in, &posterior->learned);
    get_told(in, &posterior->recalled);
}

void posterior_learned(const struct posterior *posterior, struct buf *out)
{
    struct posterior_told sum = sum_told(posterior);

    put_told(out, &sum);
}

void posterior_recall(struct posterior *posterior, struct bytes *in, double weight)
{
    struct posterior sum = *posterior;
    double by = weight != 0 ? weight : 1;
    struct posterior_told told;

    get_told(in, &told);
    for (size_t i = 0; i < POSTERIOR_PAIRS; i++)
        sum.recalled.precision[i] += saved_weigh(told.precision[i], by);
    for (size_t i = 0; i < D; i++)
        sum.recalled.shift[i] += saved_weigh(told.shift[i], by);
    if (bytes_check(in, believe(&sum), "the examples contradict each other") && weight != 0)
        *posterior = sum;
}
