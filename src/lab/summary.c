#include "lab/summary.h"

#include "base/hash.h"
#include "frontier/seen.h"
#include "lab/measure.h"
#include "lab/trial_session.h"
#include "url/url.h"

#include <math.h>
#include <stdlib.h>

enum { CURVE_POINTS = 60, BOOTSTRAP_ROUNDS = 2000, TESTED = 2 /* harvest and recall */ };

static const struct {
    const char *name, *text;
} measures[SUMMARY_MEASURES] = {
    {"harvest", "share of relevant pages among the first t (Pant, 1)"},
    {"recall", "share of the targets that were found among the first t (Pant, 2)"},
    {"committee", "harvest as the committee of evaluation classifiers sees it"},
    {"ratio", "mean probability of the topic by the committee (Altingövde, harvest ratio)"},
    {"area", "mean of the recall after 1, 2, … t pages"},
    {"precision", "share of relevant pages among those fetched (Liu)"},
    {"found", "relevant pages found (coverage)"},
    {"hosts", "distinct hosts among the first t"},
    {"oracle", "harvest as a share of the one-step oracle's"},
    {"lift", "harvest as a multiple of the share of relevant pages in the collection, which is what random pages give "
             "(Aggarwal)"},
    {"fluctuation", "standard deviation of the harvest of each 25 pages in a row, among the first t: how much it "
                    "fluctuates (Aggarwal)"},
    {"similarity", "mean cosine of the pages to the target that they are most like (Liu, maximum average similarity)"},
    {"own", "mean probability of the topic by the crawl's own model (Altingövde, harvest ratio)"},
};

const char *summary_measure_name(enum summary_measure measure)
{
    return measures[measure].name;
}

const char *summary_measure_text(enum summary_measure measure)
{
    return measures[measure].text;
}

uint32_t summary_best_of(const struct summary *summary, size_t series)
{
    return series < summary->nstrategies ? summary->lab->experiment->strategies[series].best_of : 1;
}

/* ---- values ---- */

static size_t place(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                    size_t series, size_t topic, size_t point)
{
    return ((measure * summary->nseries + series) * summary->lab->ntopics + topic) * grid->npoints + point;
}

double summary_value(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                     size_t series, size_t topic, size_t point)
{
    return grid->values[place(summary, grid, measure, series, topic, point)];
}

/* The values of all topics; the caller frees them. */
static double *by_topic(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                        size_t series, size_t point)
{
    size_t ntopics = summary->lab->ntopics;
    double *x = malloc(ntopics * sizeof *x);

    SCENT_BUG_IF(!x);
    for (size_t i = 0; i < ntopics; i++)
        x[i] = summary_value(summary, grid, measure, series, i, point);
    return x;
}

double summary_mean(const struct summary *summary, const struct summary_grid *grid, enum summary_measure measure,
                    size_t series, size_t point, double *error)
{
    double *x = by_topic(summary, grid, measure, series, point), mean = stats_mean(x, summary->lab->ntopics);

    if (error)
        *error = stats_standard_error(x, summary->lab->ntopics);
    free(x);
    return mean;
}

void summary_rank(const struct summary *summary, size_t *order)
{
    size_t last = summary->points.npoints - 1;

    for (size_t i = 0; i < summary->nseries; i++) {
        double mean = summary_mean(summary, &summary->points, SUMMARY_HARVEST, i, last, NULL);
        size_t at = i;

        while (at > 0 && summary_mean(summary, &summary->points, SUMMARY_HARVEST, order[at - 1], last, NULL) < mean) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

/* ---- measuring one trial ---- */

/* What is measured against. */
struct yardstick {
    const struct lab_trial *place;
    const struct trial *trial; /* the one that was crawled: its targets count */
    const bool *relevant;
    size_t npages;
    struct measure_crawl oracle;
    const uint32_t *hosts; /* of every page; NULL: they are not counted (a curve does not show them) */
    const struct similarity *similarity; /* NULL: the same */
    const double *own; /* what the crawl's judge said of the pages that it fetched; NULL: it is no crawl */
};

static void measure_at(const struct yardstick *yard, const struct measure_crawl *crawl, size_t t,
                       double out[SUMMARY_MEASURES])
{
    const struct trial *trial = yard->trial;
    double oracle = measure_harvest(&yard->oracle, yard->relevant, t);

    out[SUMMARY_HARVEST] = measure_harvest(crawl, yard->relevant, t);
    out[SUMMARY_RECALL] = measure_recall(crawl, trial->target, trial->ntargets, t);
    out[SUMMARY_COMMITTEE] = yard->place->evaluated ? measure_harvest(crawl, yard->place->evaluated, t) : NAN;
    out[SUMMARY_RATIO] = yard->place->probability ? measure_ratio(crawl, yard->place->probability, t) : NAN;
    out[SUMMARY_AREA] = measure_recall_area(crawl, trial->target, trial->ntargets, t);
    out[SUMMARY_PRECISION] = measure_precision(crawl, yard->relevant, t);
    out[SUMMARY_FOUND] = (double)measure_count(crawl, yard->relevant, t);
    out[SUMMARY_HOSTS] = yard->hosts ? (double)measure_distinct(crawl, yard->hosts, t) : NAN;
    out[SUMMARY_ORACLE] = oracle > 0 ? out[SUMMARY_HARVEST] / oracle : NAN;
    out[SUMMARY_FLUCTUATION] = measure_fluctuation(crawl, yard->relevant, t);
    out[SUMMARY_SIMILARITY] =
        yard->similarity
            ? similarity_of(yard->similarity, crawl, trial->session ? trial->session->marked : trial->target, t)
            : NAN;
    out[SUMMARY_OWN] = yard->own ? measure_ratio(crawl, yard->own, t) : NAN;
    out[SUMMARY_LIFT] = measure_lift(crawl, yard->relevant, yard->npages, t);
}

static void add_values(const struct summary *summary, struct summary_grid *grid, size_t series, size_t topic,
                       size_t point, const double values[SUMMARY_MEASURES])
{
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        grid->values[place(summary, grid, m, series, topic, point)] += values[m] / summary->lab->experiment->repeats;
}

/* The crawls of this fusion's members; the caller frees them. */
static struct measure_crawl *members_of(const struct experiment_fusion *fusion, const struct measure_crawl *crawls)
{
    struct measure_crawl *parts = malloc(fusion->count * sizeof *parts);

    SCENT_BUG_IF(!parts);
    for (size_t i = 0; i < fusion->count; i++)
        parts[i] = crawls[fusion->members[i]];
    return parts;
}

/* What the members of a fusion all have among their first pages, as the share of this repeat in the mean. */
static void add_shared(const struct summary *summary, size_t fusion, size_t point, size_t topic, const bool *relevant,
                       const struct measure_crawl *crawls)
{
    const struct experiment *experiment = summary->lab->experiment;
    struct measure_crawl *parts = members_of(&experiment->fusions[fusion], crawls);
    struct summary_shared *shared =
        &summary->shared[(fusion * summary->points.npoints + point) * summary->lab->ntopics + topic];
    size_t sizes, pages = measure_shared(parts, experiment->fusions[fusion].count, relevant,
                                         collection_count(summary->lab->collection), summary->points.points[point],
                                         &sizes);

    shared->pages += (double)pages / experiment->repeats;
    shared->sizes += (double)sizes / experiment->repeats;
    free(parts);
}

/* One fusion's list for t pages, of the first m pages of its members together. `scores`: of each strategy. */
static struct measure_crawl fuse(const struct summary *summary, size_t fusion, const struct measure_crawl *crawls,
                                 const float *const *scores, size_t m, uint32_t *out, size_t *duplicates)
{
    const struct experiment_fusion *members = &summary->lab->experiment->fusions[fusion];
    struct measure_crawl *parts = members_of(members, crawls);
    const float **of_parts = malloc(members->count * sizeof *of_parts);
    size_t n;

    SCENT_BUG_IF(!of_parts);
    for (size_t i = 0; i < members->count; i++)
        of_parts[i] = scores[members->members[i]];
    n = measure_fuse_by((enum measure_fusion)members->by, parts, of_parts, members->count,
                        collection_count(summary->lab->collection), m, out, duplicates);
    free(parts);
    free(of_parts);
    return (struct measure_crawl){out, n};
}

/* A list by shares is another one at each point; the others are one ranking of all that the members fetched within the
 * budget of a crawl, of which the first t count. */
static void measure_fusion(const struct summary *summary, struct summary_grid *grid, const struct yardstick *yard,
                           size_t topic, size_t fusion, const struct measure_crawl *crawls, const float *const *scores)
{
    const struct experiment *experiment = summary->lab->experiment;
    bool by_shares = experiment->fusions[fusion].by == MEASURE_SHARES;
    size_t series = summary->nstrategies + fusion, duplicates = 0;
    uint32_t *fused = malloc((summary->lab->room + 1) * sizeof *fused);
    struct measure_crawl list = {0};
    double values[SUMMARY_MEASURES];

    SCENT_BUG_IF(!fused);
    for (size_t p = 0; p < grid->npoints; p++) {
        uint32_t t = grid->points[p];

        if (by_shares || p == 0)
            list = fuse(summary, fusion, crawls, scores, by_shares ? t : experiment->budget, fused, &duplicates);
        measure_at(yard, &list, t, values);
        add_values(summary, grid, series, topic, p, values);
        if (grid != &summary->points)
            continue;
        summary->duplicates[series * grid->npoints + p] +=
            (double)duplicates / (double)(summary->lab->ntopics * experiment->repeats);
        add_shared(summary, fusion, p, topic, yard->relevant, crawls);
    }
    free(fused);
}

/* `yards`: one a strategy, and one for fused lists behind them. */
static void measure_grid(const struct summary *summary, struct summary_grid *grid, const struct yardstick *yards,
                         size_t topic, const struct measure_crawl *crawls, const float *const *scores)
{
    double values[SUMMARY_MEASURES];

    for (size_t p = 0; p < grid->npoints; p++)
        for (size_t s = 0; s < summary->nstrategies; s++) {
            measure_at(&yards[s], &crawls[s], grid->points[p], values);
            add_values(summary, grid, s, topic, p, values);
        }
    for (size_t f = 0; f < summary->lab->experiment->nfusions; f++)
        measure_fusion(summary, grid, &yards[summary->nstrategies], topic, f, crawls, scores);
}

/* The orders of all strategies in a trial, as pages alone; one block. */
static struct measure_crawl *page_orders(const struct lab *lab, const struct lab_trial *trial)
{
    size_t nstrategies = lab->experiment->nstrategies, room = lab->room;
    struct measure_crawl *crawls = malloc(nstrategies * (sizeof *crawls + room * sizeof(uint32_t)));
    uint32_t *pages;

    SCENT_BUG_IF(!crawls);
    pages = (uint32_t *)(crawls + nstrategies);
    for (size_t s = 0; s < nstrategies; s++) {
        const struct lab_crawl *crawl = &trial->crawls[s];

        for (size_t i = 0; i < crawl->count; i++)
            pages[i] = crawl->visits[i].page;
        crawls[s] = (struct measure_crawl){pages, crawl->count};
        pages += room;
    }
    return crawls;
}

/* [strategy][i]: the priorities with which it chose its pages; one block. */
static const float **page_priorities(const struct lab *lab, const struct lab_trial *trial)
{
    size_t nstrategies = lab->experiment->nstrategies, room = lab->room;
    const float **scores = malloc(nstrategies * (sizeof *scores + room * sizeof(float)) + 1);
    float *next;

    SCENT_BUG_IF(!scores);
    next = (float *)(scores + nstrategies);
    for (size_t s = 0; s < nstrategies; s++, next += room) {
        for (size_t i = 0; i < trial->crawls[s].count; i++)
            next[i] = trial->crawls[s].visits[i].priority;
        scores[s] = next;
    }
    return scores;
}

/* [strategy][page]: what its judge said; 0 of pages that it did not fetch. */
static double *own_scores(const struct lab *lab, const struct lab_trial *trial)
{
    size_t npages = collection_count(lab->collection), nstrategies = lab->experiment->nstrategies;
    double *own = calloc(nstrategies * npages + 1, sizeof *own);

    SCENT_BUG_IF(!own);
    for (size_t s = 0; s < nstrategies; s++)
        for (size_t i = 0; i < trial->crawls[s].count; i++)
            own[s * npages + trial->crawls[s].visits[i].page] = trial->crawls[s].visits[i].score;
    return own;
}

static struct yardstick yardstick_of(const struct lab *lab, const struct lab_trial *place, const struct trial *trial,
                                     const uint32_t *hosts)
{
    uint32_t *oracle = malloc((lab->room + 1) * sizeof *oracle);

    SCENT_BUG_IF(!oracle);
    return (struct yardstick){
        .place = place,
        .trial = trial,
        .relevant = lab_relevant(lab, place),
        .npages = collection_count(lab->collection),
        .oracle = {oracle, replay_oracle(lab->collection, trial->starts, trial->nstarts, trial->relevant, lab->room,
                                         oracle)},
        .hosts = hosts,
        .similarity = lab->similarity,
    };
}

/* One a strategy, and that of the trial itself behind them. Those of the same seeds share their oracle. */
static struct yardstick *make_yardsticks(const struct summary *summary, const struct lab_trial *place,
                                         const uint32_t *hosts)
{
    size_t n = summary->nstrategies;
    struct yardstick *yards = malloc((n + 1) * sizeof *yards);

    SCENT_BUG_IF(!yards);
    yards[n] = yardstick_of(summary->lab, place, place->trial, hosts);
    for (size_t s = 0; s < n; s++)
        yards[s] = place->crawls[s].draw
                       ? yardstick_of(summary->lab, place, place->draws[place->crawls[s].draw], hosts)
                       : yards[n];
    return yards;
}

static void free_yardsticks(struct yardstick *yards, size_t n)
{
    for (size_t s = 0; s < n; s++)
        if (yards[s].oracle.pages != yards[n].oracle.pages)
            free((uint32_t *)yards[s].oracle.pages);
    free((uint32_t *)yards[n].oracle.pages);
    free(yards);
}

/* Adds what was possible in one trial, as its share of the mean. */
static void add_bounds(const struct summary *summary, const struct yardstick *yard)
{
    const struct lab *lab = summary->lab;
    uint32_t *pages = malloc((lab->room + 1) * sizeof *pages);
    double share = 1 / (double)(lab->ntopics * lab->experiment->repeats);
    struct measure_crawl breadth;

    SCENT_BUG_IF(!pages);
    breadth = (struct measure_crawl){
        pages, replay_oracle(lab->collection, yard->trial->starts, yard->trial->nstarts, NULL, lab->room, pages)};
    for (size_t p = 0; p < summary->points.npoints; p++) {
        uint32_t t = summary->points.points[p];

        summary->bounds[p].oracle += share * measure_harvest(&yard->oracle, yard->relevant, t);
        summary->bounds[p].breadth += share * measure_harvest(&breadth, yard->relevant, t);
    }
    free(pages);
}

/* Adds what the strategies of one trial have in common, as its share of the mean. `own`: as own_scores() has it. */
static void add_pairs(const struct summary *summary, const struct lab_trial *trial, const bool *relevant,
                      const struct measure_crawl *crawls, const double *own)
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
            struct summary_pair *pair = &summary->pairs[a * n + b];

            pair->overlap += share * measure_overlap(both, 2, relevant, npages, t);
            pair->url_overlap += share * measure_url_overlap(&both[0], &both[1], npages, t);
            pair->exclusive += share * measure_exclusive(&both[0], &both[1], weight, npages, t, &count);
            pair->exclusive_own += share * measure_exclusive(&both[0], &both[1], own + a * npages, npages, t, &count);
            pair->only += share * (double)measure_only(&both[0], &both[1], relevant, npages, t);
        }
    free(weight);
}

static void measure_trial(struct summary *summary, size_t topic, uint32_t repeat, const uint32_t *hosts)
{
    const struct lab *lab = summary->lab;
    const struct lab_trial *place = lab_trial(lab, topic, repeat);
    struct measure_crawl *crawls = page_orders(lab, place);
    struct yardstick *yards = make_yardsticks(summary, place, hosts);
    const float **scores = page_priorities(lab, place);
    double *own = own_scores(lab, place);

    for (size_t s = 0; s < summary->nstrategies; s++)
        yards[s].own = own + s * collection_count(lab->collection);
    measure_grid(summary, &summary->points, yards, topic, crawls, scores);
    for (size_t s = 0; s <= summary->nstrategies; s++) {
        yards[s].hosts = NULL;
        yards[s].similarity = NULL;
    }
    measure_grid(summary, &summary->curve, yards, topic, crawls, scores);
    add_bounds(summary, &yards[summary->nstrategies]);
    add_pairs(summary, place, yards[summary->nstrategies].relevant, crawls, own);
    free(own);
    free(scores);
    free_yardsticks(yards, summary->nstrategies);
    free(crawls);
}

/* ---- tests ---- */

const char *summary_stars(double p)
{
    return p < .001 ? "***" : p < .01 ? "**" : p < .05 ? "*" : "";
}

const struct summary_test *summary_test_of(const struct summary *summary, enum summary_measure measure, size_t series,
                                           size_t point)
{
    return &summary->tests[(measure * summary->nseries + series) * summary->points.npoints + point];
}

static struct summary_test test_series(const struct summary *summary, enum summary_measure measure, size_t series,
                                size_t point)
{
    size_t ntopics = summary->lab->ntopics;
    double *a = by_topic(summary, &summary->points, measure, series, point);
    double *b = by_topic(summary, &summary->points, measure, summary->lab->experiment->baseline, point);
    struct summary_test out = {
        .t = stats_t_test(a, b, ntopics),
        .worse = stats_t_test(b, a, ntopics),
        .wilcoxon = stats_wilcoxon(a, b, ntopics),
    };

    for (size_t i = 0; i < ntopics; i++) {
        a[i] = stats_difference(a[i], b[i]);
        out.wins += a[i] > 0;
        out.losses += a[i] < 0;
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
static void correct_family(struct summary *summary, enum summary_measure measure, size_t point)
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
                summary->tests[(m * summary->nseries + s) * npoints + p] = test_series(summary, m, s, p);
            correct_family(summary, m, p);
        }
}

static void compare_pairs(struct summary *summary)
{
    size_t n = summary->nstrategies, last = summary->points.npoints - 1;

    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double *x = by_topic(summary, &summary->points, SUMMARY_HARVEST, a, last);
            double *y = by_topic(summary, &summary->points, SUMMARY_HARVEST, b, last);

            summary->pairs[a * n + b].better = stats_t_test(x, y, summary->lab->ntopics);
            free(x);
            free(y);
        }
}

/* ---- the frame ---- */

void *summary_need(struct summary *summary, size_t count, size_t size)
{
    void *p = arena_zalloc(&summary->arena, (count + 1) * size);

    SCENT_BUG_IF(!p);
    return p;
}

static void make_grid(struct summary *summary, struct summary_grid *grid, const uint32_t *points, size_t npoints)
{
    size_t count = SUMMARY_MEASURES * summary->nseries * summary->lab->ntopics * npoints;

    *grid = (struct summary_grid){points, npoints, summary_need(summary, count, sizeof(double))};
}

static void make_curve(struct summary *summary)
{
    uint32_t budget = summary->lab->experiment->budget, *points = summary_need(summary, CURVE_POINTS, sizeof *points);
    size_t n = 0;

    for (uint32_t i = 1; i <= CURVE_POINTS; i++) {
        uint32_t point = (uint32_t)((uint64_t)budget * i / CURVE_POINTS);

        if (point && (n == 0 || point > points[n - 1]))
            points[n++] = point;
    }
    make_grid(summary, &summary->curve, points, n);
}

static void name_series(struct summary *summary)
{
    const struct experiment *experiment = summary->lab->experiment;

    summary->nstrategies = experiment->nstrategies;
    summary->nseries = experiment->nstrategies + experiment->nfusions;
    summary->series = summary_need(summary, summary->nseries, sizeof *summary->series);
    for (size_t i = 0; i < experiment->nstrategies; i++)
        summary->series[i] = experiment->strategies[i].label;
    for (size_t f = 0; f < experiment->nfusions; f++) {
        struct buf name;

        buf_init(&name, 0);
        for (size_t i = 0; i < experiment->fusions[f].count; i++)
            buf_printf(&name, "%s%.*s", i ? " + " : "", STR_ARG(summary->series[experiment->fusions[f].members[i]]));
        if (experiment->fusions[f].by != MEASURE_SHARES)
            buf_printf(&name, " (%s)", measure_fusion_words[experiment->fusions[f].by]);
        summary->series[experiment->nstrategies + f] = arena_str(&summary->arena, buf_str(&name));
        buf_release(&name);
    }
}

/* A number for each host name. */
static uint32_t *number_hosts(const struct collection *collection)
{
    uint32_t npages = collection_count(collection), *hosts = malloc((npages + 1) * sizeof *hosts), id;
    struct arena arena;
    struct seen seen;
    struct url url;
    bool is_new;

    SCENT_BUG_IF(!hosts);
    arena_init(&arena, SIZE_MAX);
    seen_init(&seen);
    for (uint32_t i = 0; i < npages; i++) {
        arena_reset(&arena);
        hosts[i] = 0;
        if (url_parse(&arena, collection_url(collection, i), NULL, &url) == SCENT_OK &&
            seen_add(&seen, hash_str(url_host(&url), 1), &id, &is_new) == SCENT_OK)
            hosts[i] = id;
    }
    seen_release(&seen);
    arena_release(&arena);
    return hosts;
}

struct summary *summary_make(const struct lab *lab)
{
    struct summary *summary = calloc(1, sizeof *summary);
    const struct experiment *experiment = lab->experiment;
    uint32_t *hosts = number_hosts(lab->collection);

    SCENT_BUG_IF(!summary);
    summary->lab = lab;
    arena_init(&summary->arena, SIZE_MAX);
    name_series(summary);
    make_grid(summary, &summary->points, experiment->points, experiment->npoints);
    make_curve(summary);
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        summary->has[m] = m == SUMMARY_SIMILARITY ? experiment->similarity
                          : m == SUMMARY_OWN      ? experiment->trains_on_labels
                                             : experiment->committee || (m != SUMMARY_COMMITTEE && m != SUMMARY_RATIO);
    summary->duplicates = summary_need(summary, summary->nseries * experiment->npoints, sizeof *summary->duplicates);
    summary->bounds = summary_need(summary, experiment->npoints, sizeof *summary->bounds);
    summary->tests = summary_need(summary, 2 * summary->nseries * experiment->npoints, sizeof *summary->tests);
    summary->pairs = summary_need(summary, summary->nstrategies * summary->nstrategies, sizeof *summary->pairs);
    summary->shared = summary_need(summary, experiment->nfusions * experiment->npoints * lab->ntopics,
                                   sizeof *summary->shared);
    for (size_t i = 0; i < lab->ntopics; i++)
        for (uint32_t r = 0; r < experiment->repeats; r++)
            measure_trial(summary, i, r, hosts);
    run_tests(summary);
    compare_pairs(summary);
    summary_make_groups(summary);
    free(hosts);
    return summary;
}

void summary_free(struct summary *summary)
{
    if (!summary)
        return;
    arena_release(&summary->arena);
    free(summary);
}
