/* summary.json and summary.csv, for `scent lab compare` and other programs; times.csv for people. */
#include "base/buf.h"
#include "base/vec.h"
#include "json/json.h"
#include "lab/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- JSON ---- */

static void put_topics(struct json_writer *w, const struct summary *summary)
{
    json_key(w, "topics");
    json_array_begin(w);
    for (size_t i = 0; i < summary->lab->ntopics; i++) {
        const struct trial *trial = lab_trial(summary->lab, i, 0)->trial;

        json_object_begin(w);
        json_put_str(w, "name", trial->name);
        json_put_str(w, "category", trial->category);
        json_put_int(w, "relevant", trial->nrelevant);
        json_put_int(w, "targets", trial->ntargets);
        json_put_int(w, "quartile", summary->quartile[i] + 1);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_test(struct json_writer *w, const char *key, const struct summary_test *test)
{
    json_key(w, key);
    json_object_begin(w);
    json_put_double(w, "difference", test->difference);
    json_put_double(w, "low", test->interval.low);
    json_put_double(w, "high", test->interval.high);
    json_put_double(w, "p", test->t);
    json_put_double(w, "p_holm", test->t_holm);
    json_put_double(w, "p_wilcoxon", test->wilcoxon);
    json_put_double(w, "p_worse", test->worse);
    json_put_int(w, "wins", test->wins);
    json_put_int(w, "ties", test->ties);
    json_put_int(w, "losses", test->losses);
    json_object_end(w);
}

static void put_measure(struct json_writer *w, const struct summary *summary, enum summary_measure measure,
                        size_t series, size_t point)
{
    double error, mean = summary_mean(summary, &summary->points, measure, series, point, &error);

    json_key(w, summary_measure_name(measure));
    json_object_begin(w);
    json_put_double(w, "mean", mean);
    json_put_double(w, "error", error);
    json_key(w, "topics");
    json_array_begin(w);
    for (size_t i = 0; i < summary->lab->ntopics; i++)
        json_double(w, summary_value(summary, &summary->points, measure, series, i, point));
    json_array_end(w);
    json_object_end(w);
}

static void put_point(struct json_writer *w, const struct summary *summary, size_t series, size_t point)
{
    json_object_begin(w);
    json_put_int(w, "pages", summary->points.points[point]);
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        if (summary->has[m])
            put_measure(w, summary, m, series, point);
    put_test(w, "harvest_test", summary_test_of(summary, SUMMARY_HARVEST, series, point));
    put_test(w, "recall_test", summary_test_of(summary, SUMMARY_RECALL, series, point));
    if (series >= summary->nstrategies)
        json_put_double(w, "duplicates", summary->duplicates[series * summary->points.npoints + point]);
    json_object_end(w);
}

/* What a fused list is made of. */
static void put_members(struct json_writer *w, const struct summary *summary, const struct experiment_fusion *fusion)
{
    json_key(w, "members");
    json_array_begin(w);
    for (size_t i = 0; i < fusion->count; i++)
        json_str(w, summary->series[fusion->members[i]]);
    json_array_end(w);
    json_put_str(w, "by", str_of(measure_fusion_words[fusion->by]));
}

/* Which of several crawls counts: for each topic, of each repeat, the number of its draw from 1. */
static void put_chosen(struct json_writer *w, const struct summary *summary, size_t series)
{
    json_put_int(w, "best_of", summary_best_of(summary, series));
    json_key(w, "chosen");
    json_array_begin(w);
    for (size_t i = 0; i < summary->lab->ntopics; i++) {
        json_array_begin(w);
        for (uint32_t r = 0; r < summary->lab->experiment->repeats; r++)
            json_int(w, lab_trial(summary->lab, i, r)->crawls[series].draw + 1);
        json_array_end(w);
    }
    json_array_end(w);
}

static void put_workers(struct json_writer *w, const struct summary *summary, size_t series)
{
    const struct experiment_strategy *strategy = &summary->lab->experiment->strategies[series];

    json_put_int(w, "workers", strategy->workers);
    json_put_str(w, "divided_by", str_of(division_word(division_kind(summary->lab->collection))));
    json_put_str(w, "counts", strategy->shares ? STR("shared") : STR("own"));
    if (strategy->shares)
        json_put_int(w, "exchange", strategy->exchange);
}

static void put_series(struct json_writer *w, const struct summary *summary)
{
    json_key(w, "series");
    json_array_begin(w);
    for (size_t s = 0; s < summary->nseries; s++) {
        json_object_begin(w);
        json_put_str(w, "name", summary->series[s]);
        if (s >= summary->nstrategies)
            put_members(w, summary, &summary->lab->experiment->fusions[s - summary->nstrategies]);
        else if (summary->lab->experiment->strategies[s].workers > 1)
            put_workers(w, summary, s);
        if (summary_best_of(summary, s) > 1)
            put_chosen(w, summary, s);
        json_key(w, "points");
        json_array_begin(w);
        for (size_t p = 0; p < summary->points.npoints; p++)
            put_point(w, summary, s, p);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_bounds(struct json_writer *w, const struct summary *summary)
{
    json_key(w, "bounds");
    json_array_begin(w);
    for (size_t p = 0; p < summary->points.npoints; p++) {
        json_object_begin(w);
        json_put_int(w, "pages", summary->points.points[p]);
        json_put_double(w, "oracle", summary->bounds[p].oracle);
        json_put_double(w, "breadth_first", summary->bounds[p].breadth);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_pairs(struct json_writer *w, const struct summary *summary)
{
    size_t n = summary->nstrategies;

    json_key(w, "pairs");
    json_array_begin(w);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            const struct summary_pair *pair = &summary->pairs[a * n + b];

            if (a == b)
                continue;
            json_object_begin(w);
            json_put_str(w, "first", summary->series[a]);
            json_put_str(w, "second", summary->series[b]);
            json_put_double(w, "overlap", pair->overlap);
            json_put_double(w, "url_overlap", pair->url_overlap);
            json_put_double(w, "exclusive", pair->exclusive);
            json_put_double(w, "exclusive_own", pair->exclusive_own);
            json_put_double(w, "only", pair->only);
            json_put_double(w, "p_better", pair->better);
            json_object_end(w);
        }
    json_array_end(w);
}

/* As the series of the whole, without the values of topics; p is not corrected. */
static void put_group_point(struct json_writer *w, const struct summary *summary, const struct summary_group *group,
                            size_t series, size_t point)
{
    static const enum summary_measure shown[] = {SUMMARY_HARVEST, SUMMARY_RECALL, SUMMARY_FOUND};
    static const char *const tests[] = {"harvest_test", "recall_test"};
    size_t baseline = summary->lab->experiment->baseline;

    json_object_begin(w);
    json_put_int(w, "pages", summary->points.points[point]);
    for (size_t m = 0; m < sizeof shown / sizeof *shown; m++) {
        double error, mean = summary_group_mean(summary, group, shown[m], series, point, &error);

        json_key(w, summary_measure_name(shown[m]));
        json_object_begin(w);
        json_put_double(w, "mean", mean);
        json_put_double(w, "error", error);
        json_object_end(w);
    }
    for (size_t m = 0; m < sizeof tests / sizeof *tests; m++) {
        json_key(w, tests[m]);
        json_object_begin(w);
        json_put_double(w, "p", summary_group_better(summary, group, shown[m], series, baseline, point));
        json_put_double(w, "p_worse", summary_group_better(summary, group, shown[m], baseline, series, point));
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_group_series(struct json_writer *w, const struct summary *summary, const struct summary_group *group)
{
    json_key(w, "series");
    json_array_begin(w);
    for (size_t s = 0; s < summary->nseries; s++) {
        json_object_begin(w);
        json_put_str(w, "name", summary->series[s]);
        json_key(w, "points");
        json_array_begin(w);
        for (size_t p = 0; p < summary->points.npoints; p++)
            put_group_point(w, summary, group, s, p);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

/* p that the first is better than the second, in harvest and recall, at every point. */
static void put_group_pairs(struct json_writer *w, const struct summary *summary, const struct summary_group *group)
{
    json_key(w, "pairs");
    json_array_begin(w);
    for (size_t a = 0; a < summary->nstrategies; a++)
        for (size_t b = a + 1; b < summary->nstrategies; b++) {
            json_object_begin(w);
            json_put_str(w, "first", summary->series[a]);
            json_put_str(w, "second", summary->series[b]);
            for (size_t m = 0; m < 2; m++) {
                json_key(w, summary_measure_name(m));
                json_array_begin(w);
                for (size_t p = 0; p < summary->points.npoints; p++)
                    json_double(w, summary_group_better(summary, group, m, a, b, p));
                json_array_end(w);
            }
            json_object_end(w);
        }
    json_array_end(w);
}

static void put_groups(struct json_writer *w, const struct summary *summary)
{
    static const char *const by[] = {[GROUP_OF_ALL] = "all", [GROUP_BY_DIFFICULTY] = "difficulty",
                                     [GROUP_BY_DOMAIN] = "domain"};

    json_key(w, "groups");
    json_array_begin(w);
    for (size_t g = 0; g < summary->ngroups; g++) {
        const struct summary_group *group = &summary->groups[g];

        json_object_begin(w);
        json_put_str(w, "name", group->name);
        json_put_str(w, "by", str_of(by[group->by]));
        json_put_int(w, "topics", group->count);
        put_group_series(w, summary, group);
        put_group_pairs(w, summary, group);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_overlap(struct json_writer *w, const struct summary *summary, size_t fusion, size_t point,
                        const struct summary_group *group)
{
    struct summary_overlap overlap = summary_overlap_of(summary, fusion, point, group);

    json_object_begin(w);
    json_put_str(w, "domain", group ? group->name : STR("all"));
    json_put_double(w, "shared", overlap.pages);
    json_put_double(w, "rate", overlap.rate);
    json_object_end(w);
}

/* What the members of each fusion all found: two of them, or three (Pirkola and Talvensaari, Table 1). */
static void put_overlaps(struct json_writer *w, const struct summary *summary)
{
    json_key(w, "overlaps");
    json_array_begin(w);
    for (size_t f = 0; f < summary->nseries - summary->nstrategies; f++)
        for (size_t p = 0; p < summary->points.npoints; p++) {
            json_object_begin(w);
            put_members(w, summary, &summary->lab->experiment->fusions[f]);
            json_put_int(w, "pages", summary->points.points[p]);
            json_key(w, "domains");
            json_array_begin(w);
            for (size_t g = 0; g < summary->ngroups; g++)
                if (summary->groups[g].by == GROUP_BY_DOMAIN)
                    put_overlap(w, summary, f, p, &summary->groups[g]);
            put_overlap(w, summary, f, p, NULL);
            json_array_end(w);
            json_object_end(w);
        }
    json_array_end(w);
}

scent_status summary_write_json(const struct summary *summary, struct buf *out)
{
    const struct experiment *experiment = summary->lab->experiment;
    struct json_writer w;
    char digest[20];

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "experiment", experiment->name);
    json_put_str(&w, "version", STR(SCENT_VERSION));
    snprintf(digest, sizeof digest, "%016" PRIx64, collection_digest(summary->lab->collection));
    json_put_str(&w, "collection", str_of(digest));
    json_put_int(&w, "pages", collection_count(summary->lab->collection));
    json_put_int(&w, "seeds", experiment->seeds);
    json_put_int(&w, "negatives", experiment->negatives);
    json_put_int(&w, "repeats", experiment->repeats);
    json_put_int(&w, "budget", experiment->budget);
    json_put_int(&w, "seed", experiment->seed);
    json_put_int(&w, "topics_left_out", summary->lab->skipped);
    json_put_str(&w, "baseline", summary->series[experiment->baseline]);
    put_topics(&w, summary);
    put_series(&w, summary);
    put_bounds(&w, summary);
    put_pairs(&w, summary);
    put_groups(&w, summary);
    put_overlaps(&w, summary);
    json_object_end(&w);
    buf_addc(out, '\n');
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- CSV (RFC 4180) ---- */

static void put_row(const struct summary *summary, size_t series, size_t topic, size_t point, struct buf *out)
{
    escape_csv(out, lab_trial(summary->lab, topic, 0)->trial->name);
    buf_addc(out, ',');
    escape_csv(out, summary->series[series]);
    buf_printf(out, ",%u", summary->points.points[point]);
    for (size_t m = 0; m < SUMMARY_MEASURES; m++) {
        double x = summary_value(summary, &summary->points, m, series, topic, point);

        if (!summary->has[m])
            continue;
        buf_addc(out, ',');
        if (isfinite(x))
            buf_printf(out, "%.6g", x);
    }
    buf_addz(out, "\r\n");
}

scent_status summary_write_csv(const struct summary *summary, struct buf *out)
{
    buf_addz(out, "topic,strategy,pages");
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        if (summary->has[m])
            buf_printf(out, ",%s", summary_measure_name(m));
    buf_addz(out, "\r\n");
    for (size_t i = 0; i < summary->lab->ntopics; i++)
        for (size_t s = 0; s < summary->nseries; s++)
            for (size_t p = 0; p < summary->points.npoints; p++)
                put_row(summary, s, i, p, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* Of the crawls of this run alone: those that an earlier one left in their files cost nothing now. The median, since
 * the first crawl of a trial pays for reading the pages. */
scent_status summary_write_times(const struct summary *summary, struct buf *out)
{
    const struct lab *lab = summary->lab;
    size_t ntrials = lab->ntopics * lab->experiment->repeats;
    double *times = malloc(ntrials * sizeof *times);

    if (!times)
        return SCENT_E_NOMEM;
    buf_addz(out, "strategy,crawls,pages,cpu_ms_page\r\n");
    for (size_t s = 0; s < lab->experiment->nstrategies; s++) {
        uint64_t pages = 0;
        size_t n = 0;

        for (size_t i = 0; i < ntrials; i++) {
            const struct lab_crawl *crawl = &lab->trials[i].crawls[s];

            if (crawl->cpu_ns > 0 && crawl->count > 0) {
                times[n++] = (double)crawl->cpu_ns / 1e6 / (double)crawl->count;
                pages += crawl->count;
            }
        }
        qsort(times, n, sizeof *times, order_double);
        escape_csv(out, lab->experiment->strategies[s].label);
        buf_printf(out, ",%zu,%" PRIu64 ",%.4f\r\n", n, pages, n ? (times[n / 2] + times[(n - 1) / 2]) / 2 : 0.);
    }
    free(times);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
