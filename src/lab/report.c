#include "lab/report.h"

#include "base/escape.h"
#include "lab/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

/* What an arm was given that others were not. */
static void put_favours(struct buf *out, const struct summary *summary)
{
    for (size_t s = 0; s < summary->nstrategies; s++) {
        uint32_t best_of = summary_best_of(summary, s);

        put_reuse(out, summary->series[s], &summary->lab->experiment->strategies[s].reuse);
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
    if (experiment->schooled)
        buf_printf(
            out,
            "%.0f %% of the pages, by a hash of their URLs, are taught: the model of all categories and the rules between "
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
                    "<th>harvest against the baseline [95 %%]</th><th>topics won / tied / lost</th></tr></thead><tbody>\n",
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
    report_chart(out, summary, SUMMARY_HARVEST, "Harvest (lift curve)");
    report_chart(out, summary, SUMMARY_RECALL, "Target recall");
    if (summary->has[SUMMARY_COMMITTEE])
        report_chart(out, summary, SUMMARY_COMMITTEE, "Harvest by the committee");
    put_tests(out, summary, SUMMARY_HARVEST, "Harvest, tested against the baseline at each point");
    put_tests(out, summary, SUMMARY_RECALL, "Recall, tested against the baseline at each point");
    buf_addz(
        out,
        "<p class=soft>↓: worse than the baseline with p &lt; .05 (not corrected). Hold the pointer over a cell for its "
        "p values, those of Wilcoxon's signed-rank test among them.</p>\n");
}

/* ---- pairs ---- */

static void put_matrix(struct buf *out, const struct summary *summary, const char *title, const char *what,
                       double (*value)(const struct summary_pair *pair))
{
    size_t n = summary->nstrategies;

    buf_printf(out, "<h3>%s</h3><p class=soft>%s</p>\n", title, what);
    head_of_series(out, summary, "", n);
    for (size_t a = 0; a < n; a++) {
        buf_addz(out, "<tr><td>");
        escape_markup(out, summary->series[a]);
        buf_addz(out, "</td>");
        for (size_t b = 0; b < n; b++)
            cell(out, a == b ? NAN : value(&summary->pairs[a * n + b]), 3, false);
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

static double overlap_of(const struct summary_pair *pair)
{
    return pair->overlap;
}

static double url_overlap_of(const struct summary_pair *pair)
{
    return pair->url_overlap;
}

static double exclusive_of(const struct summary_pair *pair)
{
    return pair->exclusive;
}

static double only_of(const struct summary_pair *pair)
{
    return pair->only;
}

static double better_of(const struct summary_pair *pair)
{
    return pair->better;
}

static void put_pairs(struct buf *out, const struct summary *summary)
{
    if (summary->nstrategies < 2)
        return;
    buf_addz(out, "<h2>Do they find the same pages?</h2>\n");
    put_matrix(out, summary, "Overlap of relevant pages",
               "Relevant pages that both found, divided by the sum of what each found "
               "(Pirkola and Talvensaari); .5 means the same pages.",
               overlap_of);
    put_matrix(out, summary, "Overlap of all pages",
               "Pages that both fetched, as a share of the budget (Altingövde and Ulusoy).", url_overlap_of);
    put_matrix(out, summary, "What only one of them has",
               "Mean relevance of the pages that the strategy of the row fetched and the "
               "one of the column did not (exclusive harvest ratio).",
               exclusive_of);
    put_matrix(out, summary, "Relevant pages that only one of them found",
               "How many the strategy of the row found and the one of the "
               "column did not, mean over topics (Aggarwal). Which ones they are is in <code>runs/</code>.",
               only_of);
    put_matrix(out, summary, "Is the row better than the column?",
               "p of the one-tailed t-test on harvest at the last point, paired by "
               "topic, not corrected.",
               better_of);
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

            cell(out, x, 3, x == best && best > 0);
        }
        buf_addz(out, "</tr>\n");
    }
    end_table(out);
}

typedef bool pick_fn(const struct summary *summary, size_t topic, size_t which);

static size_t count_topics(const struct summary *summary, pick_fn *pick, size_t which)
{
    size_t n = 0;

    for (size_t i = 0; i < summary->lab->ntopics; i++)
        n += pick(summary, i, which);
    return n;
}

static void put_group(struct buf *out, const struct summary *summary, struct str name, pick_fn *pick, size_t which)
{
    size_t last = summary->points.npoints - 1, topics = count_topics(summary, pick, which);

    if (!topics)
        return;
    buf_addz(out, "<tr><td>");
    escape_markup(out, name);
    buf_printf(out, " (%zu)</td>", topics);
    for (size_t s = 0; s < summary->nseries; s++)
        buf_printf(out, "<td>%.3f / %.3f</td>", summary_mean_of(summary, SUMMARY_HARVEST, s, last, pick, which),
                   summary_mean_of(summary, SUMMARY_RECALL, s, last, pick, which));
    buf_addz(out, "</tr>\n");
}

static void put_groups(struct buf *out, const struct summary *summary)
{
    static const char *const quartiles[] = {"easiest", "second", "third", "hardest"};

    buf_addz(
        out,
        "<h2>Easy and difficult topics</h2><p class=soft>Harvest / recall at the last point. A topic is as difficult as the "
        "baseline finds it: quarters of the topics by its harvest (Pant and Srinivasan).</p>\n");
    head_of_series(out, summary, "quarter (topics)", summary->nseries);
    for (size_t q = 0; q < 4; q++)
        put_group(out, summary, str_of(quartiles[q]), summary_in_quartile, q);
    end_table(out);
    if (summary->ndomains < 2)
        return;
    buf_addz(
        out,
        "<h2>Domains</h2><p class=soft>Harvest / recall at the last point by the first part of the topic's category.</p>\n");
    head_of_series(out, summary, "domain (topics)", summary->nseries);
    for (size_t d = 0; d < summary->ndomains; d++)
        put_group(out, summary, summary->domains[d], summary_in_domain, d);
    end_table(out);
}

/* ---- fusion ---- */

static void put_fusions(struct buf *out, const struct summary *summary)
{
    size_t npoints = summary->points.npoints;

    if (summary->nseries == summary->nstrategies)
        return;
    buf_addz(
        out,
        "<h2>Fused results</h2><p class=soft>The first t/k pages of each of k strategies, duplicates counted once (Pirkola and "
        "Talvensaari). Mean number of duplicates:</p>\n<div class=wide><table><thead><tr><th>fusion</th>");
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
}

/* ---- how to do it again ---- */

static void put_method(struct buf *out, const struct summary *summary)
{
    buf_addz(out, "<h2>What was run, and how to run it again</h2>\n<p>scent " SCENT_VERSION);
    buf_printf(out, "; collection %016" PRIx64 ". The order of every crawl is in <code>runs/</code>, all figures in "
                    "<code>summary.json</code> and <code>summary.csv</code>. Save this as <code>experiment.yaml</code> and run "
                    "<code>scent lab run experiment.yaml -o results</code>; the same collection gives the same figures to the "
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
    report_style(out);
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
