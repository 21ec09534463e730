/* summary - everything that is measured in an experiment, as numbers: what summary.json, summary.csv and the report
 * show.
 *
 * Topics are the unit: repeats are averaged first. Series are the strategies, followed by the fused result lists.
 * Immutable after making. */
#ifndef SCENT_LAB_SUMMARY_H
#define SCENT_LAB_SUMMARY_H

#include "base/buf.h"
#include "lab/lab.h"
#include "lab/stats.h"

enum summary_measure {
    SUMMARY_HARVEST,   /* H(t) by label, or by the committee where the experiment says so */
    SUMMARY_RECALL,    /* R(t) */
    SUMMARY_COMMITTEE, /* H(t) by the committee */
    SUMMARY_RATIO,     /* mean probability by the committee */
    SUMMARY_AREA,      /* below R(1..t) */
    SUMMARY_PRECISION,
    SUMMARY_FOUND,     /* relevant pages: coverage */
    SUMMARY_HOSTS,     /* distinct hosts */
    SUMMARY_ORACLE,    /* share of the one-step oracle's harvest */
    SUMMARY_LIFT,      /* harvest against that of random pages */
    SUMMARY_FLUCTUATION, /* standard deviation of harvest over windows of pages */
    SUMMARY_SIMILARITY, /* maximum average similarity to a target; where the experiment asks for it */
    SUMMARY_OWN,       /* mean relevance by the crawl's own judge; where a model learns from the labels */
    SUMMARY_MEASURES
};
/* "harvest", and what it is in a sentence; NULL after the last. */
const char *summary_measure_name(enum summary_measure measure);
const char *summary_measure_text(enum summary_measure measure);

/* Values at some numbers of pages. */
struct summary_grid {
    const uint32_t *points;
    size_t npoints;
    double *values; /* [measure][series][topic][point] */
};

/* One series against the baseline, in one measure at one point. */
struct summary_test {
    double difference;              /* mean of series - baseline */
    struct stats_interval interval; /* 95 %, bootstrap over topics */
    double t, t_holm;               /* p of the paired t-test that the series is better; corrected for the series */
    double wilcoxon;
    double worse;                   /* p that it is worse */
    size_t wins, ties, losses;      /* topics */
};

struct summary_pair { /* two series, at the last point, means over topics and repeats */
    double overlap;     /* Pirkola: relevant pages */
    double url_overlap; /* Altingovde: all pages */
    double exclusive;   /* mean relevance (probability where the committee was asked) of what only the first has */
    double exclusive_own; /* the same by the first one's own judge */
    double only;        /* relevant pages that the first found and the second did not (Aggarwal) */
    double better;      /* p of the paired t-test that the first has the higher harvest */
};

/* What a crawl could have had at a point: harvest, means over topics and repeats. */
struct summary_bounds {
    double oracle;  /* of the one-step oracle */
    double breadth; /* of breadth-first, which goes by nothing */
};

/* Topics that have something in common: a quarter of them by difficulty, or the first part of their categories. */
enum summary_grouping { GROUP_OF_ALL, GROUP_BY_DIFFICULTY, GROUP_BY_DOMAIN };
struct summary_group {
    struct str name; /* "all topics"; "quartile 1" (the easiest) … "quartile 4"; the domain */
    enum summary_grouping by;
    bool *topics;    /* which belong to it */
    size_t count;
};

/* Relevant pages that several crawls of a topic all have, and the sum of their numbers of relevant pages; means over
 * repeats. */
struct summary_shared {
    double pages, sizes;
};

struct summary {
    struct arena arena;
    const struct lab *lab;
    struct str *series;
    size_t nseries, nstrategies;
    bool has[SUMMARY_MEASURES]; /* committee measures only where it was asked */
    struct summary_grid points; /* the experiment's */
    struct summary_grid curve;  /* evenly, for drawing */
    struct summary_test *tests; /* [measure][series][point]: harvest and recall (the first two measures) */
    struct summary_pair *pairs; /* [series][series] of the strategies */
    struct summary_bounds *bounds; /* [point] */
    double *duplicates;         /* [series][point]: of fused lists */
    struct summary_shared *shared; /* [fusion][point][topic]: of the members of a fusion */
    size_t *quartile;           /* of each topic: 0 the easiest for the baseline … 3 */
    struct summary_group *groups; /* all topics, the quarters, and the domains where there are several */
    size_t ngroups;
};

struct summary *summary_make(const struct lab *lab); /* never NULL */
void summary_free(struct summary *summary); /* NULL is fine */

/* Of the crawls that count for a series: the best of so many; 1 for all others and for fused lists. */
uint32_t summary_best_of(const struct summary *summary, size_t series);

double summary_value(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                     size_t series, size_t topic, size_t point);
/* Mean and standard error over topics. */
double summary_mean(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                    size_t series, size_t point, double *error);
const struct summary_test *summary_test_of(const struct summary *summary, enum summary_measure measure, size_t series,
                                           size_t point);

/* ---- groups of topics (summary_groups.c) ---- */

/* Zeroed, and one more than asked for. */
void *summary_need(struct summary *summary, size_t count, size_t size);
void summary_make_groups(struct summary *summary); /* once the points are measured */
double summary_group_mean(const struct summary *summary, const struct summary_group *group,
                          enum summary_measure measure, size_t series, size_t point, double *error);
/* p of the t-test, paired by the topics of the group, that series `a` is better than `b`; NAN for fewer than two. */
double summary_group_better(const struct summary *summary, const struct summary_group *group,
                            enum summary_measure measure, size_t a, size_t b, size_t point);
/* What the members of a fusion all found, summed over the topics of a group (NULL: all), as in Pirkola's Table 1. */
struct summary_overlap {
    double pages, rate; /* the rate: pages / sum of the members' relevant pages */
};
struct summary_overlap summary_overlap_of(const struct summary *summary, size_t fusion, size_t point,
                                          const struct summary_group *group);

/* The series by mean harvest at the last point, best first; room for nseries. */
void summary_rank(const struct summary *summary, size_t *order);

/* "***" where p is below .001, "**" .01, "*" .05. */
const char *summary_stars(double p);

/* summary.json and summary.csv; docs/internals/formats.md. */
SCENT_NODISCARD scent_status summary_write_json(const struct summary *summary, struct buf *out);
SCENT_NODISCARD scent_status summary_write_csv(const struct summary *summary, struct buf *out);
/* CPU time of the crawls. Unlike all other results it differs from run to run. */
SCENT_NODISCARD scent_status summary_write_times(const struct summary *summary, struct buf *out);

/* The report: one HTML file for a person who has not seen the program; no script, no other file, light and dark,
 * printable. The same summary gives the same bytes. */
SCENT_NODISCARD scent_status report_write(const struct summary *summary, struct buf *out);

#endif
