#include "lab/summary_parts.h"

#include <math.h>
#include <stdlib.h>

enum { BOOTSTRAP_ROUNDS = 2000, TESTED = 2 /* harvest and recall */ };

/* ---- pairs of strategies ---- */

void summary_add_pairs(const struct summary *summary, const struct lab_trial *trial, const bool *relevant,
                       const struct measure_crawl *crawls, const double *own, struct summary_pair *sums)
{
    const struct lab *lab = summary->lab;
    size_t n = summary->nstrategies, npages = collection_count(lab->collection);
    size_t t = summary->points.points[summary->points.npoints - 1], count;
    double share = 1 / (double)(lab->ntopics * lab->experiment->repeats);
    double *weight = malloc(npages * sizeof *weight);

    SCENT_BUG_IF(!weight);
    for (size_t i = 0; i < npages; i++)
        weight[i] = trial->probability ? trial->probability[i] : relevant[i];
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            const struct measure_crawl both[] = {crawls[a], crawls[b]};
            struct summary_pair *pair = &sums[a * n + b];

            pair->overlap += share * measure_overlap(both, 2, relevant, npages, t);
            pair->url_overlap += share * measure_url_overlap(&both[0], &both[1], npages, t);
            pair->exclusive += share * measure_exclusive(&both[0], &both[1], weight, npages, t, &count);
            pair->exclusive_own += share * measure_exclusive(&both[0], &both[1], own + a * npages, npages, t, &count);
            pair->only += share * (double)measure_only(&both[0], &both[1], relevant, npages, t);
        }
    free(weight);
}

/* ---- tests ---- */

const char *summary_stars(double p)
{
    return p < .001 ? "***" : p < .01 ? "**" : p < .05 ? "*" : "";
}

static double *by_topic(const struct summary *summary, enum summary_measure measure, size_t series, size_t point)
{
    size_t ntopics = summary->lab->ntopics;
    double *x = malloc(ntopics * sizeof *x);

    SCENT_BUG_IF(!x);
    for (size_t i = 0; i < ntopics; i++)
        x[i] = summary_value(summary, &summary->points, measure, series, i, point);
    return x;
}

const struct summary_test *summary_test_of(const struct summary *summary, enum summary_measure measure, size_t series,
                                           size_t point)
{
    return &summary->tests[(measure * summary->nseries + series) * summary->points.npoints + point];
}

static struct summary_test test(const struct summary *summary, enum summary_measure measure, size_t series,
                                size_t point)
{
    size_t ntopics = summary->lab->ntopics;
    double *a = by_topic(summary, measure, series, point);
    double *b = by_topic(summary, measure, summary->lab->experiment->baseline, point);
    struct summary_test out = {
        .t = stats_t_test(a, b, ntopics),
        .worse = stats_t_test(b, a, ntopics),
        .wilcoxon = stats_wilcoxon(a, b, ntopics),
    };

    for (size_t i = 0; i < ntopics; i++) {
        out.wins += a[i] > b[i];
        out.losses += a[i] < b[i];
        a[i] -= b[i];
    }
    out.ties = ntopics - out.wins - out.losses;
    out.t_holm = out.t;
    out.difference = stats_mean(a, ntopics);
    out.interval = stats_bootstrap(a, ntopics, BOOTSTRAP_ROUNDS, .95, summary->lab->experiment->seed);
    free(a);
    free(b);
    return out;
}

/* All series but the baseline are one family of tests at a point. */
static void correct(struct summary *summary, enum summary_measure measure, size_t point)
{
    double p[STATS_FAMILY];
    size_t n = 0, baseline = summary->lab->experiment->baseline;

    for (size_t s = 0; s < summary->nseries; s++)
        if (s != baseline)
            p[n++] = summary_test_of(summary, measure, s, point)->t;
    stats_holm(p, n);
    n = 0;
    for (size_t s = 0; s < summary->nseries; s++)
        if (s != baseline)
            ((struct summary_test *)summary_test_of(summary, measure, s, point))->t_holm = p[n++];
}

static void run_tests(struct summary *summary)
{
    size_t npoints = summary->points.npoints;

    for (size_t m = 0; m < TESTED; m++)
        for (size_t p = 0; p < npoints; p++) {
            for (size_t s = 0; s < summary->nseries; s++)
                summary->tests[(m * summary->nseries + s) * npoints + p] = test(summary, m, s, p);
            correct(summary, m, p);
        }
}

static void compare_pairs(struct summary *summary)
{
    size_t n = summary->nstrategies, last = summary->points.npoints - 1;

    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double *x = by_topic(summary, SUMMARY_HARVEST, a, last), *y = by_topic(summary, SUMMARY_HARVEST, b, last);

            summary->pairs[a * n + b].better = stats_t_test(x, y, summary->lab->ntopics);
            free(x);
            free(y);
        }
}

/* ---- difficulty ---- */

/* A topic is as difficult as the baseline finds it (Pant and Srinivasan, 5.4). */
static void find_quartiles(struct summary *summary)
{
    size_t ntopics = summary->lab->ntopics, last = summary->points.npoints - 1;
    double *x = by_topic(summary, SUMMARY_HARVEST, summary->lab->experiment->baseline, last);

    for (size_t i = 0; i < ntopics; i++) {
        size_t easier = 0;

        for (size_t k = 0; k < ntopics; k++)
            easier += x[k] > x[i] || (x[k] == x[i] && k < i);
        summary->quartile[i] = easier * 4 / ntopics;
    }
    free(x);
}

void summary_compare(struct summary *summary)
{
    run_tests(summary);
    compare_pairs(summary);
    find_quartiles(summary);
}
