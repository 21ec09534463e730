/* report - a summary as an HTML page: curves, tables and tests, drawn and laid out here. */
#include "lab/summary.h"

#include "base/buf.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- how it looks ---- */

/* Ten colours with five dashes: curves look alike after so many series. */
enum { COLOURS = 10, DASHES = 5, STYLES = COLOURS * DASHES };

static const char SHEET[] =
    ":root{color-scheme:light dark;--fg:#1c1c1c;--bg:#fff;--soft:#5f6368;--line:#dadce0;--mark:#fff3c4;"
    "--code:#f3f4f6}\n"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--bg:#17191c;--soft:#a6a9ae;--line:#3a3d42;--mark:#4a4220;"
    "--code:#22252a}}\n"
    "*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);"
    "max-width:72rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}\n"
    "p,ul{max-width:52rem}h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}h2{font-size:1.25rem;margin:2.5rem 0 "
    ".6rem}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    "table{border-collapse:collapse;font-size:.875rem}th,td{padding:.28rem .6rem;border-bottom:1px solid var(--line);"
    "text-align:right;font-variant-numeric:tabular-nums}td{white-space:nowrap}\n"
    "th{font-weight:600;vertical-align:bottom;line-height:1.25;min-width:5.8rem;max-width:9rem}thead "
    "th{border-bottom:2px solid var(--soft)}\n"
    "th:first-child,td:first-child{text-align:left;white-space:normal;min-width:8rem;max-width:16rem;position:sticky;"
    "left:0;"
    "background:var(--bg)}\n"
    "tbody tr:hover td{background:var(--code)}td.best{background:var(--mark);font-weight:600}.pm{color:var(--soft);"
    "font-size:.8em}.stars{display:inline-block;width:1.6em;text-align:left}\n"
    ".wide{overflow-x:auto;max-width:100%}.soft{color:var(--soft);font-size:.875rem}figure{margin:1.2rem 0;"
    "max-width:52rem}"
    "svg{max-width:100%;height:auto}figcaption{font-size:.875rem}\n"
    "svg text{font-size:12px;fill:var(--soft)}.grid{stroke:var(--line)}.curve{fill:none;stroke-width:2}"
    ".bar{stroke-width:1;opacity:.55}.key{display:inline-block;margin-right:1.1rem}.key svg{vertical-align:middle}\n"
    "pre{background:var(--code);border-radius:4px;padding:.8rem;overflow-x:auto;font-size:.85rem;"
    "overflow-wrap:normal}\n";

static const char PRINT[] =
    "@media print{body{max-width:none;margin:0;font-size:10pt}h2,h3{break-after:avoid}tr,figure{break-inside:avoid}"
    "thead{display:table-header-group}.wide{overflow:visible}table{font-size:7pt}th,td{padding:.15rem .3rem}"
    "td{white-space:normal}th:first-child,td:first-child{min-width:0}pre{white-space:pre-wrap}}\n";

/* A class s0, s1, … for each style. Series of one colour differ by their dashes. */
static void put_style(struct buf *out)
{
    static const char *const light[COLOURS] = {"#1b6ca8", "#c8501e", "#2c8c4c", "#8a4fb0", "#a8861b",
                                               "#c02b5b", "#2a9c9c", "#6b6b6b", "#5b7f12", "#8c4b2a"};
    static const char *const dark[COLOURS] = {"#6fb7ec", "#f0905f", "#74cf92", "#c89be6", "#e0c25e",
                                              "#f27ba0", "#6fd6d6", "#b5b5b5", "#b0d060", "#d69a78"};
    static const char *const dashes[DASHES] = {"0", "7 3", "2 2", "9 3 2 3", "5 2"};

    buf_addz(out, SHEET);
    for (size_t i = 0; i < STYLES; i++)
        buf_printf(out, ".s%zu{stroke:%s;stroke-dasharray:%s}.bar.s%zu{stroke-dasharray:0}\n", i, light[i % COLOURS],
                   dashes[(i + i / COLOURS) % DASHES], i);
    buf_addz(out, "@media(prefers-color-scheme:dark){");
    for (size_t i = 0; i < STYLES; i++)
        buf_printf(out, ".s%zu{stroke:%s}", i, dark[i % COLOURS]);
    buf_addz(out, "}\n");
    buf_addz(out, PRINT);
}

/* ---- charts: SVG that needs no script ---- */

enum { WIDTH = 720, HEIGHT = 360, LEFT = 56, RIGHT = 24, TOP = 12, BOTTOM = 40, BARS = 6 };

struct chart {
    const struct summary *summary;
    enum summary_measure measure;
    double x_max, y_max;
};

static double x_of(const struct chart *chart, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * x / chart->x_max;
}

static double y_of(const struct chart *chart, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / chart->y_max;
}

/* The steps of an axis: 1, 2 or 5 times a power of ten, four to ten of them. */
static double step_of(double range)
{
    double unit = pow(10, floor(log10(range))), steps[] = {.1, .2, .5, 1};

    for (size_t i = 0; i < 4; i++)
        if (range / (steps[i] * unit) <= 8)
            return steps[i] * unit;
    return 2 * unit;
}

static void find_range(struct chart *chart)
{
    const struct summary_grid *grid = &chart->summary->curve;
    double most = 0;

    for (size_t s = 0; s < chart->summary->nseries; s++)
        for (size_t p = 0; p < grid->npoints; p++) {
            double error, mean = summary_mean(chart->summary, grid, chart->measure, s, p, &error);

            most = fmax(most, mean + error);
        }
    chart->x_max = grid->points[grid->npoints - 1];
    chart->y_max = most > 0 ? ceil(most / step_of(most)) * step_of(most) : 1;
}

static void put_axes(struct buf *out, const struct chart *chart)
{
    double dx = step_of(chart->x_max), dy = step_of(chart->y_max);

    for (double y = 0; y <= chart->y_max * 1.0001; y += dy)
        buf_printf(out,
                   "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f /><text x=%d y=%.1f text-anchor=end>%.4g</text>\n",
                   LEFT, WIDTH - RIGHT, y_of(chart, y), y_of(chart, y), LEFT - 6, y_of(chart, y) + 4, y);
    for (double x = 0; x <= chart->x_max * 1.0001; x += dx)
        buf_printf(out,
                   "<line class=grid x1=%.1f x2=%.1f y1=%d y2=%d /><text x=%.1f y=%d text-anchor=middle>%.0f</text>\n",
                   x_of(chart, x), x_of(chart, x), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4, x_of(chart, x),
                   HEIGHT - BOTTOM + 18, x);
    buf_printf(out, "<text x=%d y=%d text-anchor=middle>pages fetched</text>\n", (LEFT + WIDTH) / 2, HEIGHT - 4);
}

/* Bars of different series stand beside each other, so that all can be seen. */
static void put_bars(struct buf *out, const struct chart *chart, size_t series)
{
    const struct summary_grid *grid = &chart->summary->curve;
    size_t every = grid->npoints / BARS ? grid->npoints / BARS : 1;

    for (size_t p = every - 1; p < grid->npoints; p += every) {
        double error, mean = summary_mean(chart->summary, grid, chart->measure, series, p, &error);
        double x = x_of(chart, grid->points[p]) + 3 * ((double)(series % 5) - 2);

        buf_printf(out, "<line class='bar s%zu' x1=%.1f x2=%.1f y1=%.1f y2=%.1f />\n", series % STYLES, x, x,
                   y_of(chart, fmax(0, mean - error)), y_of(chart, mean + error));
    }
}

static void put_curve(struct buf *out, const struct chart *chart, size_t series)
{
    const struct summary_grid *grid = &chart->summary->curve;

    buf_printf(out, "<polyline class='curve s%zu' points='", series % STYLES);
    for (size_t p = 0; p < grid->npoints; p++)
        buf_printf(out, "%.1f,%.1f ", x_of(chart, grid->points[p]),
                   y_of(chart, summary_mean(chart->summary, grid, chart->measure, series, p, NULL)));
    buf_addz(out, "'><title>");
    escape_markup(out, chart->summary->series[series]);
    buf_addz(out, "</title></polyline>\n");
    put_bars(out, chart, series);
}

static void put_legend(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<figcaption>");
    for (size_t s = 0; s < summary->nseries; s++) {
        buf_printf(out,
                   "<span class=key><svg width=28 height=10><line class='curve s%zu' x1=0 x2=28 y1=5 y2=5 /></svg> ",
                   s % STYLES);
        escape_markup(out, summary->series[s]);
        buf_addz(out, "</span> ");
    }
    buf_addz(out, "</figcaption>");
}

/* A curve for each series with error bars, and a legend. */
static void put_chart(struct buf *out, const struct summary *summary, enum summary_measure measure, const char *title)
{
    struct chart chart = {.summary = summary, .measure = measure};

    find_range(&chart);
    buf_printf(out, "<figure><h3>%s</h3><svg viewBox='0 0 %d %d' role=img aria-label='%s'>\n", title, WIDTH, HEIGHT,
               title);
    put_axes(out, &chart);
    for (size_t s = 0; s < summary->nseries; s++)
        put_curve(out, &chart, s);
    buf_addz(out, "</svg>");
    put_legend(out, summary);
    buf_addz(out, "</figure>\n");
}

/* ---- small parts ---- */

/* ".123", "–" for what is no number. */
static void add_number(struct buf *out, double x, int digits)
{
    if (isfinite(x))
        buf_printf(out, "%.*f", digits, x);
    else
        buf_addz(out, "–");
}

static void cell(struct buf *out, double x, int digits, bool best)
{
    buf_addz(out, best ? "<td class=best>" : "<td>");
    add_number(out, x, digits);
    buf_addz(out, "</td>");
}

static void head_of_series(struct buf *out, const struct summary *summary, const char *first, size_t nseries)
{
    buf_printf(out, "<div class=wide><table><thead><tr><th>%s</th>", first);
    for (size_t s = 0; s < nseries; s++) {
        buf_addz(out, "<th>");
        escape_markup(out, summary->series[s]);
        buf_addz(out, "</th>");
    }
    buf_addz(out, "</tr></thead><tbody>\n");
}

static void end_table(struct buf *out)
{
    buf_addz(out, "</tbody></table></div>\n");
}

/* ---- what was done ---- */

static void put_reuse(struct buf *out, struct str name, const struct experiment_reuse *reuse)
{
    if (!reuse->wanted)
        return;
    buf_addz(out, "<p><b>");
    escape_markup(out, name);
    buf_printf(out,
               "</b> begins with what it learned in an earlier crawl of up to %u pages from %s seeds, times %g. The "
               "pages of that crawl do not count, and it may fetch them again.</p>\n",
               reuse->budget, reuse->same_seeds ? "the same" : "other", reuse->weight);
}

static void put_workers(struct buf *out, const struct summary *summary, size_t series)
{
    const struct experiment_strategy *strategy = &summary->lab->experiment->strategies[series];

    if (strategy->workers < 2)
        return;
    buf_addz(out, "<p><b>");
    escape_markup(out, summary->series[series]);
    buf_printf(out, "</b> is the crawl of %u workers side by side, to which pages belong by their %s; ",
               strategy->workers, division_word(division_kind(summary->lab->collection)));
    if (strategy->shares)
        buf_printf(out, "what they count is summed after every %u pages of each.</p>\n", strategy->exchange);
    else
        buf_addz(out, "each has only its own counts.</p>\n");
}

/* What a strategy was given that others were not. */
static void put_favours(struct buf *out, const struct summary *summary)
{
    for (size_t s = 0; s < summary->nstrategies; s++) {
        uint32_t best_of = summary_best_of(summary, s);

        put_reuse(out, summary->series[s], &summary->lab->experiment->strategies[s].reuse);
        put_workers(out, summary, s);
        if (best_of < 2)
            continue;
        buf_addz(out, "<p><b>");
        escape_markup(out, summary->series[s]);
        buf_printf(out,
                   "</b> is, for each topic, the best of %u crawls from different seeds, chosen by its harvest at the "
                   "last point. To choose by the outcome favours it: no user knows it before.</p>\n",
                   best_of);
    }
}

static void put_introduction(struct buf *out, const struct summary *summary)
{
    const struct lab *lab = summary->lab;
    const struct experiment *experiment = lab->experiment;
    const struct trial *first = lab_trial(lab, 0, 0)->trial;

    buf_printf(out,
               "<p>%zu %s the same closed collection of %u pages for each of %zu %s%s, up to %u pages a crawl. A crawl "
               "starts from %zu %s (its seeds). ",
               experiment->nstrategies, experiment->nstrategies == 1 ? "strategy crawled" : "strategies crawled",
               collection_count(lab->collection), lab->ntopics, lab->ntopics == 1 ? "topic" : "topics",
               experiment->repeats > 1 ? ", several times from other seeds" : "", experiment->budget, first->nseeds,
               first->nseeds == 1 ? "page of the topic" : "pages of the topic");
    if (experiment->trains_on_labels)
        buf_printf(
            out,
            "%.0f %% of the pages, by a hash of their URLs, are taught: the model of all categories and the rules "
            "between "
            "them come from those, and so do the seeds. The other pages of a topic are its targets, which only "
            "the evaluation knows.</p>\n",
            100 * experiment->taxonomy.share);
    else
        buf_printf(
            out,
            "Where a strategy is guided by a classifier, that was trained on the seeds and %zu other pages, and on "
            "nothing else. The other pages of a topic are its targets, which only the evaluation knows.</p>\n",
            first->nnegatives);
    buf_printf(
        out,
        "<p><b>Harvest</b> is the share of relevant pages among those fetched so far, <b>recall</b> the share of the "
        "targets that were found. Relevant is what %s. Figures are means over the topics ± standard error.</p>\n",
        experiment->relevance == RELEVANT_BY_COMMITTEE ? "the committee of evaluation classifiers says"
        : experiment->relevance == RELEVANT_BY_QUERY   ? "the topic's query believes in, by one index of the collection"
                                                       : "carries the topic's label");
    put_favours(out, summary);
    if (lab->skipped)
        buf_printf(out,
                   "<p><b>%zu topics were left out</b> because they could not be run (too few pages, or pages that are "
                   "not in the collection).</p>\n",
                   lab->skipped);
}

/* ---- the ranking ---- */

enum { NOT_TESTED = 2 }; /* no p is so large */

static void put_measured(struct buf *out, const struct summary *summary, enum summary_measure measure, size_t s,
                         double p)
{
    double error, mean = summary_mean(summary, &summary->points, measure, s, summary->points.npoints - 1, &error);

    buf_addz(out, "<td>");
    add_number(out, mean, 4);
    if (summary->lab->ntopics > 1 && isfinite(mean))
        buf_printf(out, " <span class=pm>± %.4f</span>", error);
    if (p < NOT_TESTED)
        buf_printf(out, "<span class=stars>%s</span>", summary_stars(p));
    buf_addz(out, "</td>");
}

static void put_rank(struct buf *out, const struct summary *summary, size_t s)
{
    size_t last = summary->points.npoints - 1;
    const struct summary_test *harvest = summary_test_of(summary, SUMMARY_HARVEST, s, last);
    const struct summary_test *recall = summary_test_of(summary, SUMMARY_RECALL, s, last);
    bool is_baseline = s == summary->lab->experiment->baseline;

    buf_addz(out, "<tr><td>");
    escape_markup(out, summary->series[s]);
    buf_addz(out, is_baseline ? " (baseline)</td>" : "</td>");
    put_measured(out, summary, SUMMARY_HARVEST, s, is_baseline ? 1 : harvest->t_holm);
    put_measured(out, summary, SUMMARY_RECALL, s, is_baseline ? 1 : recall->t_holm);
    if (summary->has[SUMMARY_COMMITTEE])
        put_measured(out, summary, SUMMARY_COMMITTEE, s, NOT_TESTED);
    put_measured(out, summary, SUMMARY_AREA, s, NOT_TESTED);
    cell(out, 100 * summary_mean(summary, &summary->points, SUMMARY_ORACLE, s, last, NULL), 1, false);
    if (is_baseline)
        buf_addz(out, "<td>–</td><td>–</td></tr>\n");
    else if (summary->lab->ntopics < 2)
        buf_printf(out, "<td>%+.4f</td><td>%zu / %zu / %zu</td></tr>\n", harvest->difference, harvest->wins,
                   harvest->ties, harvest->losses);
    else
        buf_printf(out, "<td>%+.4f [%+.4f, %+.4f]</td><td>%zu / %zu / %zu</td></tr>\n", harvest->difference,
                   harvest->interval.low, harvest->interval.high, harvest->wins, harvest->ties, harvest->losses);
}

static void put_ranking(struct buf *out, const struct summary *summary)
{
    size_t *order = malloc(summary->nseries * sizeof *order);

    SCENT_BUG_IF(!order);
    summary_rank(summary, order);
    buf_printf(out, "<h2>Ranking after %u pages</h2>\n<div class=wide><table id=ranking><thead><tr><th>strategy</th>"
                    "<th>harvest</th><th>recall</th>%s<th>area under recall</th><th>%% of the oracle</th>"
                    "<th>harvest against the baseline [95 %%]</th><th>topics won / tied / "
                    "lost</th></tr></thead><tbody>\n",
               summary->points.points[summary->points.npoints - 1],
               summary->has[SUMMARY_COMMITTEE] ? "<th>harvest (committee)</th>" : "");
    for (size_t i = 0; i < summary->nseries; i++)
        put_rank(out, summary, order[i]);
    end_table(out);
    buf_addz(
        out,
        "<p class=soft>* ** ***: better than the baseline with p &lt; .05, .01, .001 (one-tailed t-test, paired by "
        "topic, corrected for the number of strategies after Holm). In brackets the 95 % bootstrap interval over "
        "topics. The oracle knows the label of every link that it has seen, and nothing beyond.</p>\n");
    free(order);
}

/* ---- along the crawl ---- */

static void put_tests(struct buf *out, const struct summary *summary, enum summary_measure measure, const char *title)
{
    buf_printf(out, "<h3>%s</h3>\n", title);
    head_of_series(out, summary, "pages", summary->nseries);
    for (size_t p = 0; p < summary->points.npoints; p++) {
        buf_printf(out, "<tr><td>%u</td>", summary->points.points[p]);
        for (size_t s = 0; s < summary->nseries; s++) {
            const struct summary_test *test = summary_test_of(summary, measure, s, p);
            double mean = summary_mean(summary, &summary->points, measure, s, p, NULL);
            bool is_baseline = s == summary->lab->experiment->baseline;

            buf_printf(out, "<td title='p %.4g, after Holm %.4g, Wilcoxon %.4g; worse: p %.4g'>%.4f%s%s</td>", test->t,
                       test->t_holm, test->wilcoxon, test->worse, mean, is_baseline ? "" : summary_stars(test->t_holm),
                       !is_baseline && test->worse < .05 ? "↓" : "");
        }
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

static void put_along(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<h2>Along the crawl</h2>\n");
    put_chart(out, summary, SUMMARY_HARVEST, "Harvest (lift curve)");
    put_chart(out, summary, SUMMARY_RECALL, "Target recall");
    if (summary->has[SUMMARY_COMMITTEE])
        put_chart(out, summary, SUMMARY_COMMITTEE, "Harvest by the committee");
    put_tests(out, summary, SUMMARY_HARVEST, "Harvest, tested against the baseline at each point");
    put_tests(out, summary, SUMMARY_RECALL, "Recall, tested against the baseline at each point");
    buf_addz(
        out,
        "<p class=soft>↓: worse than the baseline with p &lt; .05 (not corrected). Hold the pointer over a cell for "
        "its "
        "p values, those of Wilcoxon's signed-rank test among them.</p>\n");
}

/* ---- pairs ---- */

/* `offset`: of a double in struct summary_pair. */
static void put_matrix(struct buf *out, const struct summary *summary, const char *title, const char *what,
                       size_t offset)
{
    size_t n = summary->nstrategies;

    buf_printf(out, "<h3>%s</h3><p class=soft>%s</p>\n", title, what);
    head_of_series(out, summary, "", n);
    for (size_t a = 0; a < n; a++) {
        buf_addz(out, "<tr><td>");
        escape_markup(out, summary->series[a]);
        buf_addz(out, "</td>");
        for (size_t b = 0; b < n; b++)
            cell(out, a == b ? NAN : *(const double *)((const char *)&summary->pairs[a * n + b] + offset), 3, false);
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

static void put_pairs(struct buf *out, const struct summary *summary)
{
    if (summary->nstrategies < 2)
        return;
    buf_addz(out, "<h2>Do they find the same pages?</h2>\n");
    put_matrix(out, summary, "Overlap of relevant pages",
               "Relevant pages that both found, divided by the sum of what each found "
               "(Pirkola and Talvensaari); .5 means the same pages.",
               offsetof(struct summary_pair, overlap));
    put_matrix(out, summary, "Overlap of all pages",
               "Pages that both fetched, as a share of the budget (Altingövde and Ulusoy).",
               offsetof(struct summary_pair, url_overlap));
    put_matrix(out, summary, "What only one of them has",
               "Mean relevance of the pages that the strategy of the row fetched and the "
               "one of the column did not (exclusive harvest ratio).",
               offsetof(struct summary_pair, exclusive));
    put_matrix(out, summary, "Relevant pages that only one of them found",
               "How many the strategy of the row found and the one of the "
               "column did not, mean over topics (Aggarwal). Which ones they are is in <code>runs/</code>.",
               offsetof(struct summary_pair, only));
    put_matrix(out, summary, "Is the row better than the column?",
               "p of the one-tailed t-test on harvest at the last point, paired by "
               "topic, not corrected.",
               offsetof(struct summary_pair, better));
}

/* ---- topics ---- */

static void put_topics(struct buf *out, const struct summary *summary)
{
    size_t last = summary->points.npoints - 1;

    buf_printf(out,
               "<h2>Topic by topic</h2><p class=soft>Harvest after %u pages; the best of each topic is marked.</p>\n",
               summary->points.points[last]);
    head_of_series(out, summary, "topic (targets)", summary->nseries);
    for (size_t i = 0; i < summary->lab->ntopics; i++) {
        const struct trial *trial = lab_trial(summary->lab, i, 0)->trial;
        double best = 0;

        for (size_t s = 0; s < summary->nseries; s++)
            best = fmax(best, summary_value(summary, &summary->points, SUMMARY_HARVEST, s, i, last));
        buf_addz(out, "<tr><td>");
        escape_markup(out, trial->name);
        buf_printf(out, " (%zu)</td>", trial->ntargets);
        for (size_t s = 0; s < summary->nseries; s++) {
            double x = summary_value(summary, &summary->points, SUMMARY_HARVEST, s, i, last);

            cell(out, x, 3, stats_difference(x, best) == 0 && best > 0);
        }
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

/* Topics whose number in `groups` is `which`. */
static void put_group_rows(struct buf *out, const struct summary *summary, enum summary_grouping by)
{
    size_t last = summary->points.npoints - 1, baseline = summary->lab->experiment->baseline;

    for (size_t g = 0; g < summary->ngroups; g++) {
        const struct summary_group *group = &summary->groups[g];

        if (group->by != by)
            continue;
        buf_addz(out, "<tr><td>");
        escape_markup(out, group->name);
        buf_printf(out, " (%zu)</td>", group->count);
        for (size_t s = 0; s < summary->nseries; s++)
            buf_printf(out, "<td>%.3f%s / %.3f%s</td>",
                       summary_group_mean(summary, group, SUMMARY_HARVEST, s, last, NULL),
                       summary_stars(summary_group_better(summary, group, SUMMARY_HARVEST, s, baseline, last)),
                       summary_group_mean(summary, group, SUMMARY_RECALL, s, last, NULL),
                       summary_stars(summary_group_better(summary, group, SUMMARY_RECALL, s, baseline, last)));
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

static void put_groups(struct buf *out, const struct summary *summary)
{
    bool domains = summary->groups[summary->ngroups - 1].by == GROUP_BY_DOMAIN;

    buf_addz(
        out,
        "<h2>Easy and difficult topics</h2><p class=soft>Harvest / recall at the last point. A topic is as difficult "
        "as the baseline finds it: quarters of the topics by its recall, the first the easiest (Pant and "
        "Srinivasan). "
        "* ** ***: better than the baseline inside the group, p &lt; .05 .01 .001 (paired t-test, not "
        "corrected).</p>\n");
    head_of_series(out, summary, "quarter (topics)", summary->nseries);
    put_group_rows(out, summary, GROUP_BY_DIFFICULTY);
    if (!domains)
        return;
    buf_addz(
        out,
        "<h2>Domains</h2><p class=soft>Harvest / recall at the last point by the first part of the topic's "
        "category, with the same tests.</p>\n");
    head_of_series(out, summary, "domain (topics)", summary->nseries);
    put_group_rows(out, summary, GROUP_BY_DOMAIN);
}

/* ---- fusion ---- */

static void put_overlap_row(struct buf *out, const struct summary *summary, const struct summary_group *group)
{
    buf_addz(out, "<tr><td>");
    escape_markup(out, group ? group->name : STR("all topics"));
    buf_addz(out, "</td>");
    for (size_t f = 0; f < summary->nseries - summary->nstrategies; f++) {
        struct summary_overlap overlap = summary_overlap_of(summary, f, summary->points.npoints - 1, group);

        buf_printf(out, "<td>%.0f</td><td>%.1f%%</td>", overlap.pages, 100 * overlap.rate);
    }
    buf_addz(out, "</tr>\n");
}

/* Pirkola and Talvensaari, Table 1. */
static void put_overlaps(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<p class=soft>Relevant pages that all members found among the pages of the last point, summed over "
                  "topics, and as a share of the sum of what each found:</p>\n<div class=wide><table><thead><tr>"
                  "<th>topics</th>");
    for (size_t s = summary->nstrategies; s < summary->nseries; s++) {
        buf_addz(out, "<th>");
        escape_markup(out, summary->series[s]);
        buf_addz(out, "</th><th>overlap</th>");
    }
    buf_addz(out, "</tr></thead><tbody>\n");
    for (size_t g = 0; g < summary->ngroups; g++)
        if (summary->groups[g].by == GROUP_BY_DOMAIN)
            put_overlap_row(out, summary, &summary->groups[g]);
    put_overlap_row(out, summary, NULL);
    end_table(out);
}

static void put_fusions(struct buf *out, const struct summary *summary)
{
    size_t npoints = summary->points.npoints;

    if (summary->nseries == summary->nstrategies)
        return;
    buf_addz(
        out,
        "<h2>Fused results</h2><p class=soft>The first t/k pages of each of k strategies, duplicates counted once "
        "(Pirkola and Talvensaari). With combsum, combmnz or condorcet: the first t of one ranking of what the k "
        "strategies fetched with the k-th part of the budget each. Mean number of duplicates:</p>\n"
        "<div class=wide><table><thead><tr><th>fusion</th>");
    for (size_t p = 0; p < npoints; p++)
        buf_printf(out, "<th>%u pages</th>", summary->points.points[p]);
    buf_addz(out, "</tr></thead><tbody>\n");
    for (size_t s = summary->nstrategies; s < summary->nseries; s++) {
        buf_addz(out, "<tr><td>");
        escape_markup(out, summary->series[s]);
        buf_addz(out, "</td>");
        for (size_t p = 0; p < npoints; p++)
            cell(out, summary->duplicates[s * npoints + p], 1, false);
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
    put_overlaps(out, summary);
}

/* ---- how to do it again ---- */

static void put_method(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<h2>What was run, and how to run it again</h2>\n<p>scent " SCENT_VERSION);
    buf_printf(out, "; collection %016" PRIx64 ". The order of every crawl is in <code>runs/</code>, all figures in "
                    "<code>summary.json</code> and <code>summary.csv</code>. Save this as <code>experiment.yaml</code> "
                    "and run "
                    "<code>scent lab run experiment.yaml -o results</code>; the same collection gives the same figures "
                    "to the "
                    "last digit:</p>\n<pre>", collection_digest(summary->lab->collection));
    escape_markup(out, summary->lab->experiment->source);
    buf_addz(out, "</pre>\n<h3>Measures</h3><ul>\n");
    for (size_t m = 0; m < SUMMARY_MEASURES; m++)
        if (summary->has[m])
            buf_printf(out, "<li><b>%s</b>: %s</li>\n", summary_measure_name(m), summary_measure_text(m));
    buf_addz(out, "</ul>\n");
}

scent_status report_write(const struct summary *summary, struct buf *out)
{
    buf_addz(out, "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport "
                  "content='width=device-width,initial-scale=1'><title>");
    escape_markup(out, summary->lab->experiment->name);
    buf_addz(out, "</title><style>\n");
    put_style(out);
    buf_addz(out, "</style></head><body>\n<h1>");
    escape_markup(out, summary->lab->experiment->name);
    buf_addz(out, "</h1>\n");
    put_introduction(out, summary);
    put_ranking(out, summary);
    put_along(out, summary);
    put_fusions(out, summary);
    put_pairs(out, summary);
    put_topics(out, summary);
    put_groups(out, summary);
    put_method(out, summary);
    buf_addz(out, "</body></html>\n");
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
