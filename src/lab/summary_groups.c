/* summary_groups - results by groups of topics: quarters by difficulty, and domains; what crawls have in common
 * there. */
#include "lab/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUARTERS = 4 };

/* ---- groups ---- */

/* A topic is as difficult as the baseline finds it: by its recall of the targets at the end (Pant and Srinivasan,
 * 10.2). Harvest would order topics by their size. */
static void find_quartiles(struct summary *summary)
{
    size_t ntopics = summary->lab->ntopics, last = summary->points.npoints - 1;
    size_t baseline = summary->lab->experiment->baseline;

    for (size_t i = 0; i < ntopics; i++) {
        double own = summary_value(summary, &summary->points, SUMMARY_RECALL, baseline, i, last);
        size_t easier = 0;

        for (size_t k = 0; k < ntopics; k++) {
            double difference = stats_difference(
                summary_value(summary, &summary->points, SUMMARY_RECALL, baseline, k, last), own);

            easier += difference > 0 || (difference == 0 && k < i);
        }
        summary->quartile[i] = easier * QUARTERS / ntopics;
    }
}

static struct summary_group *add_group(struct summary *summary, struct str name, enum summary_grouping by)
{
    struct summary_group *group = &summary->groups[summary->ngroups++];

    *group = (struct summary_group){name, by, summary_need(summary, summary->lab->ntopics, sizeof(bool)), 0};
    return group;
}

static void add_all(struct summary *summary)
{
    struct summary_group *group = add_group(summary, STR("all topics"), GROUP_OF_ALL);

    group->count = summary->lab->ntopics;
    memset(group->topics, 1, group->count * sizeof *group->topics);
}

static void add_quarters(struct summary *summary)
{
    static const char *const names[QUARTERS] = {"quartile 1", "quartile 2", "quartile 3", "quartile 4"};

    for (size_t q = 0; q < QUARTERS; q++) {
        struct summary_group *group = add_group(summary, str_of(names[q]), GROUP_BY_DIFFICULTY);

        for (size_t i = 0; i < summary->lab->ntopics; i++)
            group->count += group->topics[i] = summary->quartile[i] == q;
        summary->ngroups -= group->count == 0;
    }
}

/* The first part of the topic's category: a domain of a directory, or the type of a topic. */
static struct str domain_of(const struct lab *lab, size_t topic)
{
    struct str category = lab_trial(lab, topic, 0)->trial->category;

    return str_sub(category, 0, str_find(category, '.'));
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct summary_group *)a)->name, ((const struct summary_group *)b)->name);
}

/* In alphabetical order; one domain is no group. */
static void add_domains(struct summary *summary)
{
    size_t first = summary->ngroups;

    for (size_t i = 0; i < summary->lab->ntopics; i++) {
        struct str name = domain_of(summary->lab, i);
        size_t g = first;

        while (g < summary->ngroups && !str_eq(summary->groups[g].name, name))
            g++;
        if (g == summary->ngroups)
            add_group(summary, name, GROUP_BY_DOMAIN);
        summary->groups[g].topics[i] = true;
        summary->groups[g].count++;
    }
    qsort(summary->groups + first, summary->ngroups - first, sizeof *summary->groups, by_name);
    if (summary->ngroups == first + 1)
        summary->ngroups = first;
}

void summary_make_groups(struct summary *summary)
{
    summary->quartile = summary_need(summary, summary->lab->ntopics, sizeof *summary->quartile);
    summary->groups = summary_need(summary, 1 + QUARTERS + summary->lab->ntopics, sizeof *summary->groups);
    find_quartiles(summary);
    add_all(summary);
    add_quarters(summary);
    add_domains(summary);
}

/* ---- means and tests inside a group ---- */

/* The values of the group's topics; the caller frees them. */
static double *values_of(const struct summary *summary, const struct summary_group *group,
                         enum summary_measure measure, size_t series, size_t point)
{
    double *x = malloc((group->count + 1) * sizeof *x);
    size_t n = 0;

    SCENT_BUG_IF(!x);
    for (size_t i = 0; i < summary->lab->ntopics; i++)
        if (group->topics[i])
            x[n++] = summary_value(summary, &summary->points, measure, series, i, point);
    return x;
}

double summary_group_mean(const struct summary *summary, const struct summary_group *group,
                          enum summary_measure measure, size_t series, size_t point, double *error)
{
    double *x = values_of(summary, group, measure, series, point), mean = stats_mean(x, group->count);

    if (error)
        *error = stats_standard_error(x, group->count);
    free(x);
    return mean;
}

double summary_group_better(const struct summary *summary, const struct summary_group *group,
                            enum summary_measure measure, size_t a, size_t b, size_t point)
{
    double *x, *y, p;

    if (group->count < 2)
        return NAN;
    x = values_of(summary, group, measure, a, point);
    y = values_of(summary, group, measure, b, point);
    p = stats_t_test(x, y, group->count);
    free(x);
    free(y);
    return p;
}

/* ---- overlap ---- */

struct summary_overlap summary_overlap_of(const struct summary *summary, size_t fusion, size_t point,
                                          const struct summary_group *group)
{
    const struct summary_shared *row =
        &summary->shared[(fusion * summary->points.npoints + point) * summary->lab->ntopics];
    double pages = 0, sizes = 0;

    for (size_t i = 0; i < summary->lab->ntopics; i++) {
        if (group && !group->topics[i])
            continue;
        pages += row[i].pages;
        sizes += row[i].sizes;
    }
    return (struct summary_overlap){pages, sizes > 0 ? pages / sizes : 0};
}
