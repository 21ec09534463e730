#include "lab/compare.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "json/json.h"
#include "lab/stats.h"
#include "lab/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FILE = 16 << 20 };

struct results {
    const char *dir;
    struct json *json; /* its summary.json */
};

struct compare {
    struct results *results;
    size_t nresults;
    uint32_t *points; /* that all have */
    size_t npoints;
    size_t baseline; /* series of the first results */
};

struct value {
    double mean, error; /* NAN: not measured */
};

/* Against the baseline, paired by topic. */
struct test {
    size_t topics;                    /* in common; 0: another collection */
    double difference, better, worse; /* means over these topics; p of one-tailed t-tests. NAN: fewer than two topics */
};

/* ---- reading ---- */

static scent_status read_results(const char *dir, struct results *out, struct errmsg *err)
{
    struct errmsg why = {0};
    char path[4096];
    struct buf text;
    scent_status status;

    snprintf(path, sizeof path, "%s/summary.json", dir);
    out->dir = dir;
    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, &why);
    if (status == SCENT_E_NOTFOUND)
        errmsg_fail(err, status = SCENT_E_INVALID,
                    "%s has no summary.json: give folders that 'scent lab run' has finished", dir);
    else if (status != SCENT_OK)
        errmsg_fail(err, status, "%s", why.text);
    else if ((status = json_parse(buf_str(&text), &out->json, &why)) != SCENT_OK)
        errmsg_fail(err, status, "%s: %s", path, why.text);
    buf_release(&text);
    if (status == SCENT_OK &&
        (json_count(json_get(out->json, "series")) == 0 || json_count(json_get(out->json, "topics")) == 0))
        return errmsg_fail(err, SCENT_E_INVALID, "%s: not the summary of an experiment", path);
    return status;
}

static const struct json *series_at(const struct results *results, size_t series)
{
    return json_at(json_get(results->json, "series"), series);
}

static size_t count_series(const struct results *results)
{
    return json_count(json_get(results->json, "series"));
}

/* The values of a series after so many pages; NULL. */
static const struct json *point_of(const struct json *series, uint32_t pages)
{
    const struct json *points = json_get(series, "points");

    for (size_t i = 0; i < json_count(points); i++)
        if (json_as_int(json_get(json_at(points, i), "pages")) == pages)
            return json_at(points, i);
    return NULL;
}

static bool all_have(const struct compare *compare, uint32_t pages)
{
    for (size_t i = 0; i < compare->nresults; i++)
        if (!point_of(series_at(&compare->results[i], 0), pages))
            return false;
    return true;
}

static scent_status find_points(struct compare *compare, struct errmsg *err)
{
    const struct json *points = json_get(series_at(&compare->results[0], 0), "points");

    compare->points = calloc(json_count(points) + 1, sizeof *compare->points);
    SCENT_BUG_IF(!compare->points);
    for (size_t i = 0; i < json_count(points); i++) {
        uint32_t pages = (uint32_t)json_as_int(json_get(json_at(points, i), "pages"));

        if (pages && all_have(compare, pages))
            compare->points[compare->npoints++] = pages;
    }
    return compare->npoints ? SCENT_OK
                            : errmsg_fail(err, SCENT_E_INVALID,
                                          "no number of pages at which all of them were measured: run "
                                          "them with common 'points'");
}

static void find_baseline(struct compare *compare)
{
    struct str name = json_as_str(json_get(compare->results[0].json, "baseline"));

    for (size_t s = 0; s < count_series(&compare->results[0]); s++)
        if (str_eq(json_as_str(json_get(series_at(&compare->results[0], s), "name")), name))
            compare->baseline = s;
}

scent_status compare_open(char *const *dirs, size_t count, struct compare **out, struct errmsg *err)
{
    struct compare *compare = calloc(1, sizeof *compare);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!compare);
    compare->results = calloc(count + 1, sizeof *compare->results);
    SCENT_BUG_IF(!compare->results);
    while (compare->nresults < count && status == SCENT_OK) {
        status = read_results(dirs[compare->nresults], &compare->results[compare->nresults], err);
        compare->nresults++;
    }
    if (status == SCENT_OK)
        status = find_points(compare, err);
    if (status == SCENT_OK) {
        find_baseline(compare);
        *out = compare;
    } else {
        compare_free(compare);
    }
    return status;
}

void compare_free(struct compare *compare)
{
    if (!compare)
        return;
    for (size_t i = 0; i < compare->nresults; i++)
        json_free(compare->results[i].json);
    free(compare->points);
    free(compare->results);
    free(compare);
}

/* ---- comparing ---- */

static bool same_collection(const struct results *a, const struct results *b)
{
    return str_eq(json_as_str(json_get(a->json, "collection")), json_as_str(json_get(b->json, "collection")));
}

static bool find_topic(const struct results *results, struct str name, size_t *out)
{
    const struct json *topics = json_get(results->json, "topics");

    for (size_t i = 0; i < json_count(topics); i++)
        if (str_eq(json_as_str(json_get(json_at(topics, i), "name")), name)) {
            *out = i;
            return true;
        }
    return false;
}

static struct value value_of(const struct results *results, size_t series, uint32_t pages, const char *measure)
{
    const struct json *value = json_get(point_of(series_at(results, series), pages), measure);
    const struct json *mean = json_get(value, "mean");

    return json_is_none(mean) ? (struct value){NAN, NAN}
                              : (struct value){json_as_double(mean), json_as_double(json_get(value, "error"))};
}

static struct test test_of(const struct compare *compare, size_t number, size_t series, uint32_t pages,
                                 const char *measure)
{
    const struct results *own = &compare->results[number], *first = &compare->results[0];
    const struct json *topics = json_get(own->json, "topics");
    const struct json *values = json_get(json_get(point_of(series_at(own, series), pages), measure), "topics");
    const struct json *base =
        json_get(json_get(point_of(series_at(first, compare->baseline), pages), measure), "topics");
    struct test test = {.difference = NAN, .better = NAN, .worse = NAN};
    double *x = calloc(2 * json_count(topics) + 2, sizeof *x), *y = x + json_count(topics) + 1;

    SCENT_BUG_IF(!x);
    for (size_t i = 0, other; same_collection(own, first) && i < json_count(topics); i++) {
        if (!find_topic(first, json_as_str(json_get(json_at(topics, i), "name")), &other))
            continue;
        x[test.topics] = json_as_double(json_at(values, i));
        y[test.topics++] = json_as_double(json_at(base, other));
    }
    if (test.topics >= 2) {
        test.difference = stats_difference(stats_mean(x, test.topics), stats_mean(y, test.topics));
        test.better = stats_t_test(x, y, test.topics);
        test.worse = stats_t_test(y, x, test.topics);
    }
    free(x);
    return test;
}

static const char *const tested[] = {"harvest", "recall"};

static struct str name_of(const struct results *results, size_t series)
{
    return json_as_str(json_get(series_at(results, series), "name"));
}

static bool is_baseline(const struct compare *compare, size_t number, size_t series)
{
    return number == 0 && series == compare->baseline;
}

/* ---- what is different ---- */

static size_t count_missing(const struct results *of, const struct results *in)
{
    const struct json *topics = json_get(of->json, "topics");
    size_t missing = 0, at;

    for (size_t i = 0; i < json_count(topics); i++)
        missing += !find_topic(in, json_as_str(json_get(json_at(topics, i), "name")), &at);
    return missing;
}

static void remark_on(const struct results *first, const struct results *results, struct buf *out)
{
    static const char *const numbers[] = {"seeds", "negatives", "repeats", "budget", "seed"};
    size_t fewer = count_missing(first, results), more = count_missing(results, first);

    if (!same_collection(first, results))
        buf_printf(out, "%s: another collection than %s; their topics are not paired\n", results->dir, first->dir);
    if (fewer + more)
        buf_printf(out, "%s: lacks %zu topics of %s and has %zu others; the means are over different topics, the tests "
                        "over those in common\n", results->dir, fewer, first->dir, more);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t a = json_as_int(json_get(first->json, numbers[i]));
        int64_t b = json_as_int(json_get(results->json, numbers[i]));

        if (a != b)
            buf_printf(out, "%s: %s is %lld, in %s %lld\n", results->dir, numbers[i], (long long)b, first->dir,
                       (long long)a);
    }
}

void compare_remarks(const struct compare *compare, struct buf *out)
{
    for (size_t i = 1; i < compare->nresults; i++)
        remark_on(&compare->results[0], &compare->results[i], out);
}

/* ---- a table ---- */

static int widest(const struct compare *compare, int (*width)(const struct results *results, size_t series))
{
    int most = 8;

    for (size_t r = 0; r < compare->nresults; r++)
        for (size_t s = 0; s < count_series(&compare->results[r]); s++) {
            int own = width(&compare->results[r], s);

            most = own > most ? own : most;
        }
    return most < 60 ? most : 60;
}

static int name_width(const struct results *results, size_t series)
{
    return (int)name_of(results, series).len;
}

static int dir_width(const struct results *results, size_t series)
{
    (void)series;
    return (int)strlen(results->dir);
}

static void put_value(struct buf *out, struct value value)
{
    if (isnan(value.mean))
        buf_printf(out, " %17s", "-");
    else
        buf_printf(out, " %7.4f +- %6.4f", value.mean, value.error);
}

static void put_row(const struct compare *compare, size_t r, size_t s, int names, int dirs, struct buf *out)
{
    uint32_t pages = compare->points[compare->npoints - 1];
    const struct results *results = &compare->results[r];
    struct test test = test_of(compare, r, s, pages, "harvest");
    double p = test.difference < 0 ? test.worse : test.better;

    buf_printf(out, "%-*.*s %-*s", names, STR_ARG(name_of(results, s)), dirs, results->dir);
    put_value(out, value_of(results, s, pages, "harvest"));
    put_value(out, value_of(results, s, pages, "recall"));
    if (is_baseline(compare, r, s))
        buf_addz(out, "   baseline\n");
    else if (isnan(test.difference))
        buf_addz(out, "   not paired\n");
    else
        buf_printf(out, "   %+.4f  p %s%.4f  over %zu topics\n", test.difference, p < .0001 ? "< " : "", fmax(p, .0001),
                   test.topics);
}

void compare_write_table(const struct compare *compare, struct buf *out)
{
    int names = widest(compare, name_width), dirs = widest(compare, dir_width);

    buf_printf(out, "%-*s %-*s %17s %17s   harvest against the baseline\n", names, "strategy", dirs, "results",
               "harvest", "recall");
    for (size_t r = 0; r < compare->nresults; r++)
        for (size_t s = 0; s < count_series(&compare->results[r]); s++)
            put_row(compare, r, s, names, dirs, out);
    buf_printf(out, "after %u pages, means over topics +- standard error; p: one-tailed t-test in the direction of the "
                    "difference, paired by topic, not corrected\n", compare->points[compare->npoints - 1]);
}

/* ---- data ---- */

static void put_number(struct buf *out, double x)
{
    buf_addc(out, ',');
    if (isfinite(x))
        buf_printf(out, "%.6g", x);
}

void compare_write_csv(const struct compare *compare, struct buf *out)
{
    buf_addz(out, "results,strategy,pages");
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        buf_printf(out, ",%s,%s_error", summary_measure_name(m), summary_measure_name(m));
    for (size_t k = 0; k < 2; k++)
        buf_printf(out, ",%s_difference,%s_p_better,%s_p_worse,%s_topics", tested[k], tested[k], tested[k], tested[k]);
    buf_addz(out, "\r\n");
    for (size_t r = 0; r < compare->nresults; r++)
        for (size_t s = 0; s < count_series(&compare->results[r]); s++)
            for (size_t p = 0; p < compare->npoints; p++) {
                escape_csv(out, str_of(compare->results[r].dir));
                buf_addc(out, ',');
                escape_csv(out, name_of(&compare->results[r], s));
                buf_printf(out, ",%u", compare->points[p]);
                for (size_t m = 0; m < SUMMARY_MEASURES; m++) {
                    struct value value =
                        value_of(&compare->results[r], s, compare->points[p], summary_measure_name(m));

                    put_number(out, value.mean);
                    put_number(out, value.error);
                }
                for (size_t k = 0; k < 2; k++) {
                    struct test test = test_of(compare, r, s, compare->points[p], tested[k]);

                    put_number(out, test.difference);
                    put_number(out, test.better);
                    put_number(out, test.worse);
                    buf_printf(out, ",%zu", test.topics);
                }
                buf_addz(out, "\r\n");
            }
}

static void put_point(struct json_writer *w, const struct compare *compare, size_t r, size_t s, uint32_t pages)
{
    json_object_begin(w);
    json_put_str(w, "results", str_of(compare->results[r].dir));
    json_put_str(w, "strategy", name_of(&compare->results[r], s));
    json_put_int(w, "pages", pages);
    for (size_t m = 0; m < SUMMARY_MEASURES; m++) {
        struct value value = value_of(&compare->results[r], s, pages, summary_measure_name(m));

        if (isnan(value.mean))
            continue;
        json_key(w, summary_measure_name(m));
        json_object_begin(w);
        json_put_double(w, "mean", value.mean);
        json_put_double(w, "error", value.error);
        json_object_end(w);
    }
    for (size_t k = 0; k < 2; k++) {
        struct test test = test_of(compare, r, s, pages, tested[k]);

        json_key(w, k == 0 ? "harvest_test" : "recall_test");
        json_object_begin(w);
        json_put_double(w, "difference", test.difference);
        json_put_double(w, "p", test.better);
        json_put_double(w, "p_worse", test.worse);
        json_put_int(w, "topics", (int64_t)test.topics);
        json_object_end(w);
    }
    json_object_end(w);
}

void compare_write_json(const struct compare *compare, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    for (size_t r = 0; r < compare->nresults; r++)
        for (size_t s = 0; s < count_series(&compare->results[r]); s++)
            for (size_t p = 0; p < compare->npoints; p++)
                put_point(&w, compare, r, s, compare->points[p]);
    buf_addc(out, '\n');
}

/* ---- one strategy against all others ---- */

static bool find_series(const struct results *results, struct str name, size_t *out)
{
    for (size_t s = 0; s < count_series(results); s++)
        if (str_eq(name_of(results, s), name)) {
            *out = s;
            return true;
        }
    return false;
}

/* Neither the strategy itself nor a variant of it: "adaptive, plain prior" and "adaptive without words" are variants of
 * "adaptive"; "text-window-combo" is not one of "text-window". */
static bool is_rival(const struct results *results, size_t series, size_t own)
{
    struct str name = name_of(results, series), of = name_of(results, own);

    return name.len < of.len || !str_eq((struct str){name.p, of.len}, of) ||
           (name.len > of.len && name.p[of.len] != ',' && name.p[of.len] != ' ');
}

struct match {
    size_t won, lost;
    double difference;
    double p, p_holm; /* two-sided; the second corrected for all matches of the point */
};

static void read_topics(const struct results *results, size_t series, uint32_t pages, const char *measure, double *out)
{
    const struct json *values = json_get(json_get(point_of(series_at(results, series), pages), measure), "topics");

    for (size_t i = 0; i < json_count(json_get(results->json, "topics")); i++) {
        double value = json_as_double(json_at(values, i));

        out[i] = isfinite(value) ? value : 0;
    }
}

static struct match match_of(const struct results *results, size_t own, size_t other, uint32_t pages,
                             const char *measure)
{
    size_t n = json_count(json_get(results->json, "topics"));
    double *x = calloc(2 * n + 2, sizeof *x), *y = x + n + 1;
    struct match match = {0};

    SCENT_BUG_IF(!x);
    read_topics(results, own, pages, measure, x);
    read_topics(results, other, pages, measure, y);
    match.difference = stats_difference(stats_mean(x, n), stats_mean(y, n));
    match.p = fmin(1, 2 * fmin(stats_wilcoxon(x, y, n), stats_wilcoxon(y, x, n)));
    for (size_t i = 0; i < n; i++) {
        double difference = stats_difference(x[i], y[i]);

        match.won += difference > 0;
        match.lost += difference < 0;
    }
    free(x);
    return match;
}

/* [series][point]; those of the strategy itself and of its variants are empty. The caller frees them. */
static struct match *match_all(const struct compare *compare, const struct results *results, size_t own,
                               const char *measure)
{
    size_t nseries = count_series(results), npoints = compare->npoints;
    struct match *matches = calloc(nseries * npoints + 1, sizeof *matches);
    double p[STATS_FAMILY];

    SCENT_BUG_IF(!matches);
    for (size_t k = 0; k < npoints; k++) {
        size_t n = 0;

        for (size_t s = 0; s < nseries && n < STATS_FAMILY; s++) {
            if (!is_rival(results, s, own))
                continue;
            matches[s * npoints + k] = match_of(results, own, s, compare->points[k], measure);
            p[n++] = matches[s * npoints + k].p;
        }
        stats_holm(p, n);
        n = 0;
        for (size_t s = 0; s < nseries && n < STATS_FAMILY; s++)
            if (is_rival(results, s, own))
                matches[s * npoints + k].p_holm = p[n++];
    }
    return matches;
}

/* .703, as figures stand in tables. */
static void put_figure(struct buf *out, double x, int digits)
{
    char text[40];

    snprintf(text, sizeof text, "%.*f", digits, fabs(x));
    buf_printf(out, "%s%s", x < 0 ? "-" : "", text[0] == '0' ? text + 1 : text);
}

static void put_p(struct buf *out, double p)
{
    if (p < .0005)
        buf_printf(out, "%.0e", p);
    else
        put_figure(out, p, 3);
}

static void put_best_other(const struct compare *compare, const struct results *results, size_t own,
                           const char *measure, const struct match *matches, struct buf *out)
{
    buf_addz(out, "| best other, by itself |");
    for (size_t k = 0; k < compare->npoints; k++) {
        size_t best = SIZE_MAX;
        double most = 0;

        for (size_t s = 0; s < count_series(results); s++) {
            double mean = value_of(results, s, compare->points[k], measure).mean;

            if (is_rival(results, s, own) && mean >= most) {
                most = mean;
                best = s;
            }
        }
        if (best == SIZE_MAX) {
            buf_addz(out, " |");
            continue;
        }
        buf_printf(out, " %.*s, ", STR_ARG(name_of(results, best)));
        put_figure(out, matches[best * compare->npoints + k].difference, 3);
        buf_addz(out, ", ");
        put_p(out, matches[best * compare->npoints + k].p);
        buf_addz(out, " |");
    }
    buf_addz(out, "\n");
}

static void put_matches(const struct compare *compare, const struct results *results, size_t own, const char *measure,
                        struct buf *out)
{
    struct match *matches = match_all(compare, results, own, measure);

    buf_printf(out, "| %s, %zu topics |", measure, json_count(json_get(results->json, "topics")));
    for (size_t k = 0; k < compare->npoints; k++)
        buf_printf(out, " %u |", compare->points[k]);
    buf_addz(out, "\n|---|");
    for (size_t k = 0; k < compare->npoints; k++)
        buf_addz(out, "---|");
    buf_addc(out, '\n');
    for (size_t s = 0; s < count_series(results); s++) {
        buf_printf(out, "| %.*s |", STR_ARG(name_of(results, s)));
        for (size_t k = 0; k < compare->npoints; k++) {
            const struct match *match = &matches[s * compare->npoints + k];

            buf_addc(out, ' ');
            put_figure(out, value_of(results, s, compare->points[k], measure).mean, 3);
            if (is_rival(results, s, own)) {
                buf_printf(out, ", %zu–%zu, ", match->won, match->lost);
                put_p(out, match->p_holm);
            }
            buf_addz(out, " |");
        }
        buf_addc(out, '\n');
    }
    put_best_other(compare, results, own, measure, matches, out);
    free(matches);
}

scent_status compare_write_against(const struct compare *compare, const char *name, const char *measure,
                                   struct buf *out, struct errmsg *err)
{
    for (size_t r = 0; r < compare->nresults; r++) {
        const struct results *results = &compare->results[r];
        size_t own;

        if (!find_series(results, str_of(name), &own))
            return errmsg_fail(err, SCENT_E_INVALID, "%s has no strategy '%s'", results->dir, name);
        if (compare->nresults > 1)
            buf_printf(out, "%s%s:\n\n", r ? "\n" : "", results->dir);
        put_matches(compare, results, own, measure, out);
    }
    return SCENT_OK;
}

/* ---- as a share of what is possible ---- */

static bool find_bounds(const struct results *results, uint32_t pages, double *oracle, double *breadth)
{
    const struct json *bounds = json_get(results->json, "bounds");

    for (size_t i = 0; i < json_count(bounds); i++)
        if (json_as_int(json_get(json_at(bounds, i), "pages")) == pages) {
            *oracle = json_as_double(json_get(json_at(bounds, i), "oracle"));
            *breadth = json_as_double(json_get(json_at(bounds, i), "breadth_first"));
            return true;
        }
    return false;
}

static void put_share(const struct results *results, struct str name, uint32_t pages, struct buf *out)
{
    double oracle, breadth;
    size_t series;

    buf_addc(out, ' ');
    if (find_series(results, name, &series) && find_bounds(results, pages, &oracle, &breadth) && oracle > breadth)
        put_figure(out, (value_of(results, series, pages, "harvest").mean - breadth) / (oracle - breadth), 2);
    buf_addz(out, " |");
}

static bool is_shown_before(const struct compare *compare, size_t number, struct str name)
{
    size_t at;

    for (size_t r = 0; r < number; r++)
        if (find_series(&compare->results[r], name, &at))
            return true;
    return false;
}

scent_status compare_write_possible(const struct compare *compare, uint32_t pages, struct buf *out, struct errmsg *err)
{
    double oracle, breadth;

    for (size_t r = 0; r < compare->nresults; r++)
        if (!find_bounds(&compare->results[r], pages, &oracle, &breadth))
            return errmsg_fail(err, SCENT_E_INVALID,
                               "%s does not say what was possible after %u pages: run its experiment again with this "
                               "point",
                               compare->results[r].dir, pages);
    buf_addz(out, "| strategy |");
    for (size_t r = 0; r < compare->nresults; r++)
        buf_printf(out, " %s |", compare->results[r].dir);
    buf_addz(out, "\n|---|");
    for (size_t r = 0; r < compare->nresults; r++)
        buf_addz(out, "---|");
    buf_addz(out, "\n| breadth-first, one-step oracle |");
    for (size_t r = 0; r < compare->nresults; r++) {
        find_bounds(&compare->results[r], pages, &oracle, &breadth);
        buf_addc(out, ' ');
        put_figure(out, breadth, 3);
        buf_addz(out, ", ");
        put_figure(out, oracle, 3);
        buf_addz(out, " |");
    }
    buf_addc(out, '\n');
    for (size_t r = 0; r < compare->nresults; r++)
        for (size_t s = 0; s < count_series(&compare->results[r]); s++) {
            struct str name = name_of(&compare->results[r], s);

            if (is_shown_before(compare, r, name))
                continue;
            buf_printf(out, "| %.*s |", STR_ARG(name));
            for (size_t other = 0; other < compare->nresults; other++)
                put_share(&compare->results[other], name, pages, out);
            buf_addc(out, '\n');
        }
    return SCENT_OK;
}
