#include "learn/evaluate.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    double score;
    bool positive;
};

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->score, y = ((const struct ranked *)b)->score;

    return x < y ? -1 : x > y;
}

double evaluate_auc(const double *score, const bool *positive, size_t n)
{
    struct ranked *all = malloc((n + 1) * sizeof *all);
    double below = 0, pairs = 0, npositive = 0;

    if (!all)
        return -1;
    for (size_t i = 0; i < n; i++)
        all[i] = (struct ranked){score[i], positive[i]};
    qsort(all, n, sizeof *all, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        double here = 0;

        for (end = i; end < n && all[end].score <= all[i].score; end++)
            here += all[end].positive;
        pairs += here * (below + (double)(end - i - here) / 2);
        below += (double)(end - i) - here;
        npositive += here;
    }
    free(all);
    return npositive > 0 && below > 0 ? pairs / (npositive * below) : .5;
}

double evaluate_brier(const double *p, const bool *positive, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (p[i] - positive[i]) * (p[i] - positive[i]);
    return n ? sum / (double)n : 0;
}

double evaluate_ece(const double *p, const bool *positive, size_t n)
{
    enum { BINS = 10 };
    double excess[BINS] = {0}, sum = 0; /* sum of p less the number of positives */

    for (size_t i = 0; i < n; i++) {
        int bin = (int)(p[i] * BINS);

        excess[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin] += p[i] - positive[i];
    }
    for (int bin = 0; bin < BINS; bin++)
        sum += fabs(excess[bin]);
    return n ? sum / (double)n : 0;
}
