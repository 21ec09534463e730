#include "learn/platt.h"

#include <math.h>

enum { ROUNDS = 100 };
#define SIGMA 1e-12 /* added to the Hessian's diagonal, so that it stays positive definite */
#define SMALLEST_STEP 1e-10

struct targets {
    double positive, negative;
};

/* The two forms are one; each is used where its exponential cannot overflow. */
double platt_probability(struct sigmoid sigmoid, double f)
{
    double z = sigmoid.a * f + sigmoid.b;

    return z >= 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z));
}

static double loss_of(struct sigmoid s, const double *f, const bool *positive, size_t n, struct targets targets)
{
    double loss = 0;

    for (size_t i = 0; i < n; i++) {
        double t = positive[i] ? targets.positive : targets.negative, z = s.a * f[i] + s.b;

        loss += z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z));
    }
    return loss;
}

struct derivatives {
    double g1, g2, h11, h22, h21;
};

static struct derivatives derive(struct sigmoid s, const double *f, const bool *positive, size_t n,
                                 struct targets targets)
{
    struct derivatives d = {.h11 = SIGMA, .h22 = SIGMA};

    for (size_t i = 0; i < n; i++) {
        double p = platt_probability(s, f[i]), d1 = (positive[i] ? targets.positive : targets.negative) - p;
        double d2 = p * (1 - p);

        d.h11 += f[i] * f[i] * d2;
        d.h22 += d2;
        d.h21 += f[i] * d2;
        d.g1 += f[i] * d1;
        d.g2 += d1;
    }
    return d;
}

struct sigmoid platt_fit(const double *f, const bool *positive, size_t n)
{
    size_t npositive = 0;
    struct targets targets;
    struct sigmoid s;
    double loss;

    for (size_t i = 0; i < n; i++)
        npositive += positive[i];
    targets = (struct targets){(npositive + 1.) / (npositive + 2.), 1 / (n - npositive + 2.)};
    s = (struct sigmoid){0, log((n - npositive + 1.) / (npositive + 1.))};
    loss = loss_of(s, f, positive, n, targets);
    for (int round = 0; round < ROUNDS; round++) {
        struct derivatives d = derive(s, f, positive, n, targets);
        double det = d.h11 * d.h22 - d.h21 * d.h21, step = 1;
        double da = -(d.h22 * d.g1 - d.h21 * d.g2) / det, db = -(-d.h21 * d.g1 + d.h11 * d.g2) / det;
        double slope = d.g1 * da + d.g2 * db;

        if (fabs(d.g1) < 1e-5 && fabs(d.g2) < 1e-5)
            break;
        for (; step >= SMALLEST_STEP; step /= 2) {
            struct sigmoid next = {s.a + step * da, s.b + step * db};
            double next_loss = loss_of(next, f, positive, n, targets);

            if (next_loss < loss + 1e-4 * step * slope) {
                s = next;
                loss = next_loss;
                break;
            }
        }
        if (step < SMALLEST_STEP)
            break;
    }
    return s;
}
