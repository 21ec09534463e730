#include "base/escape.h"
#include "lab/compare_parts.h"
#include "lab/summary.h"

#include <math.h>

static const char *const tested[] = {"harvest", "recall"};

static struct str name_of(const struct compare_run *run, size_t series)
{
    return json_as_str(json_get(compare_series(run, series), "name"));
}

static bool is_baseline(const struct compare *compare, size_t run, size_t series)
{
    return run == 0 && series == compare->baseline;
}

/* ---- what is different ---- */

static size_t count_missing(const struct compare_run *of, const struct compare_run *in)
{
    const struct json *topics = json_get(of->json, "topics");
    size_t missing = 0, at;

    for (size_t i = 0; i < json_count(topics); i++)
        missing += !compare_find_topic(in, json_as_str(json_get(json_at(topics, i), "name")), &at);
    return missing;
}

static void remark_on(const struct compare_run *first, const struct compare_run *run, struct buf *out)
{
    static const char *const numbers[] = {"seeds", "negatives", "repeats", "budget", "seed"};
    size_t fewer = count_missing(first, run), more = count_missing(run, first);

    if (!compare_same_collection(first, run))
        buf_printf(out, "%s: another collection than %s; their topics are not paired\n", run->dir, first->dir);
    if (fewer + more)
        buf_printf(out, "%s: lacks %zu topics of %s and has %zu others; the means are over different topics, the tests "
                        "over those in common\n", run->dir, fewer, first->dir, more);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t a = json_as_int(json_get(first->json, numbers[i])), b = json_as_int(json_get(run->json, numbers[i]));

        if (a != b)
            buf_printf(out, "%s: %s is %lld, in %s %lld\n", run->dir, numbers[i], (long long)b, first->dir,
                       (long long)a);
    }
}

void compare_remarks(const struct compare *compare, struct buf *out)
{
    for (size_t i = 1; i < compare->nruns; i++)
        remark_on(&compare->runs[0], &compare->runs[i], out);
}

/* ---- a table ---- */

static int widest(const struct compare *compare, int (*width)(const struct compare_run *run, size_t series))
{
    int most = 8;

    for (size_t r = 0; r < compare->nruns; r++)
        for (size_t s = 0; s < compare_nseries(&compare->runs[r]); s++) {
            int own = width(&compare->runs[r], s);

            most = own > most ? own : most;
        }
    return most < 60 ? most : 60;
}

static int name_width(const struct compare_run *run, size_t series)
{
    return (int)name_of(run, series).len;
}

static int dir_width(const struct compare_run *run, size_t series)
{
    (void)series;
    return (int)strlen(run->dir);
}

static void put_value(struct buf *out, struct compare_value value)
{
    if (isnan(value.mean))
        buf_printf(out, " %17s", "-");
    else
        buf_printf(out, " %7.4f +- %6.4f", value.mean, value.error);
}

static void put_row(const struct compare *compare, size_t r, size_t s, int names, int dirs, struct buf *out)
{
    uint32_t pages = compare->points[compare->npoints - 1];
    const struct compare_run *run = &compare->runs[r];
    struct compare_test test = compare_test(compare, r, s, pages, "harvest");
    double p = test.difference < 0 ? test.worse : test.better;

    buf_printf(out, "%-*.*s %-*s", names, STR_ARG(name_of(run, s)), dirs, run->dir);
    put_value(out, compare_value(run, s, pages, "harvest"));
    put_value(out, compare_value(run, s, pages, "recall"));
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
    for (size_t r = 0; r < compare->nruns; r++)
        for (size_t s = 0; s < compare_nseries(&compare->runs[r]); s++)
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
    for (size_t r = 0; r < compare->nruns; r++)
        for (size_t s = 0; s < compare_nseries(&compare->runs[r]); s++)
            for (size_t p = 0; p < compare->npoints; p++) {
                escape_csv(out, str_of(compare->runs[r].dir));
                buf_addc(out, ',');
                escape_csv(out, name_of(&compare->runs[r], s));
                buf_printf(out, ",%u", compare->points[p]);
                for (size_t m = 0; m < SUMMARY_MEASURES; m++) {
                    struct compare_value value =
                        compare_value(&compare->runs[r], s, compare->points[p], summary_measure_name(m));

                    put_number(out, value.mean);
                    put_number(out, value.error);
                }
                for (size_t k = 0; k < 2; k++) {
                    struct compare_test test = compare_test(compare, r, s, compare->points[p], tested[k]);

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
    json_put_str(w, "results", str_of(compare->runs[r].dir));
    json_put_str(w, "strategy", name_of(&compare->runs[r], s));
    json_put_int(w, "pages", pages);
    for (size_t m = 0; m < SUMMARY_MEASURES; m++) {
        struct compare_value value = compare_value(&compare->runs[r], s, pages, summary_measure_name(m));

        if (isnan(value.mean))
            continue;
        json_key(w, summary_measure_name(m));
        json_object_begin(w);
        json_put_double(w, "mean", value.mean);
        json_put_double(w, "error", value.error);
        json_object_end(w);
    }
    for (size_t k = 0; k < 2; k++) {
        struct compare_test test = compare_test(compare, r, s, pages, tested[k]);

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
    for (size_t r = 0; r < compare->nruns; r++)
        for (size_t s = 0; s < compare_nseries(&compare->runs[r]); s++)
            for (size_t p = 0; p < compare->npoints; p++)
                put_point(&w, compare, r, s, compare->points[p]);
    buf_addc(out, '\n');
}
