/* A whole experiment in memory: its report names what was run and lets no name become markup; its tables are whole. */
#include "lab_fixture.h"

#include "base/buf.h"
#include "lab/lab.h"
#include "lab/model_quality.h"
#include "lab/summary.h"

static const char EXPERIMENT[] = "experiment: 'Tom & <b>Jerry</b>'\ncollection: web.yaml\nseeds: 3\nbudget: 40\npoints: [10, 40]\n"
                                 "strategies: [breadth-first, {name: random, as: '<script>alert(1)</script>'}]\n"
                                 "fusions: [[breadth-first, '<script>alert(1)</script>']]\n%s";

static struct lab *run(const struct lab_fixture *fixture, const char *more, struct experiment **experiment)
{
    struct lab_options options = {.cache = fixture->dir, .threads = 1};
    struct errmsg err = {0};
    char text[1000], name[600];
    struct lab *lab;

    snprintf(text, sizeof text, EXPERIMENT, more);
    snprintf(name, sizeof name, "%s/e.yaml", fixture->dir);
    assert_ok(experiment_parse(str_of(text), name, experiment, &err), err);
    assert_ok(lab_run(*experiment, &options, &lab, &err), err);
    return lab;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

static void check(const struct lab_fixture *fixture, const char *more, size_t topics)
{
    struct experiment *experiment;
    struct lab *lab = run(fixture, more, &experiment);
    struct summary *summary = summary_make(lab);
    struct buf html, csv, json;

    buf_init(&html, 0);
    buf_init(&csv, 0);
    buf_init(&json, 0);
    assert_int_equal(report_write(summary, &html), SCENT_OK);
    assert_int_equal(summary_write_csv(summary, &csv), SCENT_OK);
    assert_int_equal(summary_write_json(summary, &json), SCENT_OK);
    if (topics)
        assert_int_equal(lab->ntopics, topics);
    assert_int_equal(count(buf_z(&html), "<script"), 0);
    assert_true(count(buf_z(&html), "&lt;script&gt;alert(1)&lt;/script&gt;") > 5);
    assert_int_equal(count(buf_z(&html), "<b>Jerry"), 0);
    assert_int_equal(count(buf_z(&html), "<table"), count(buf_z(&html), "</table>"));
    assert_int_equal(count(buf_z(&html), "nan"), 0);
    assert_int_equal(count(buf_z(&json), "nan"), 0);
    assert_int_equal(count(buf_z(&csv), "\r\n"), 1 + lab->ntopics * 3 * 2);
    buf_release(&html);
    buf_release(&csv);
    buf_release(&json);
    summary_free(summary);
    lab_free(lab);
    experiment_free(experiment);
}

static void names(void **state)
{
    check(*state, "topics: {level: 1, min_pages: 8}\n", 0);
}

/* One topic has no standard error, and nothing can be tested. */
static void one_topic(void **state)
{
    check(*state, "topics: {level: 1, min_pages: 8, max: 1}\n", 1);
}

/* The same crawls in another order of repeats have the same means but for rounding, and nobody wins. */
static void rounding_wins_nothing(void **state)
{
    struct experiment *experiment;
    struct lab *lab = run(*state, "repeats: 3\ntopics: {level: 1, min_pages: 8}\n", &experiment);
    struct summary *summary;
    size_t points = experiment->npoints;

    for (size_t i = 0; i < lab->ntopics; i++)
        for (uint32_t r = 0; r < 3; r++) {
            const struct lab_crawl *from = &lab_trial(lab, i, (r + 1) % 3)->crawls[0];
            struct lab_crawl *to = &lab_trial(lab, i, r)->crawls[1];

            memcpy(to->visits, from->visits, from->count * sizeof *from->visits);
            to->count = from->count;
        }
    summary = summary_make(lab);
    for (size_t p = 0; p < points; p++) {
        const struct summary_test *test = summary_test_of(summary, SUMMARY_HARVEST, 1, p);

        assert_int_equal(test->ties, lab->ntopics);
        assert_true(test->t == .5 && test->worse == .5 && test->wilcoxon == .5 && test->difference == 0);
    }
    summary_free(summary);
    lab_free(lab);
    experiment_free(experiment);
}

/* Each kind of model once, whatever the number of strategies that have it. */
static void models(void **state)
{
    struct lab_fixture *fixture = *state;
    struct lab_options options = {.cache = fixture->dir, .threads = 1};
    struct model_quality_table table;
    struct experiment *experiment;
    struct errmsg err = {0};
    char name[600];
    struct lab *lab;
    struct buf text;

    snprintf(name, sizeof name, "%s/e.yaml", fixture->dir);
    assert_ok(experiment_parse(STR("collection: web.yaml\nseeds: 5\ntopics: {level: 1, min_pages: 12}\nstrategies:\n"
                                   "- full-page\n- text-window\n- {name: full-page, as: p, preset: paper}\n"
                                   "- {name: full-page, as: b, model: {kind: bayes, train: backlinks}}\n"
                                   "- {name: full-page, as: l, model: {weighting: lsc}}\n"),
                               name, &experiment, &err), err);
    assert_ok(lab_open(experiment, &options, &lab, &err), err);
    assert_ok(model_quality_measure(lab, 5, &table, &err), err);
    assert_int_equal(table.nrows, 4);
    assert_str(table.rows[0].name, "svm");
    assert_str(table.rows[1].name, "svm, atn, hinge");
    assert_str(table.rows[2].name, "bayes, back-links");
    assert_str(table.rows[3].name, "svm, lsc");
    assert_true(table.rows[0].examples == 15);
    for (size_t i = 0; i < table.nrows; i++) {
        assert_true(table.rows[i].accuracy > .5 && table.rows[i].accuracy <= 1);
        assert_true(table.rows[i].seconds > 0);
    }
    buf_init(&text, 0);
    model_quality_write_json(&table, &text);
    assert_non_null(strstr(buf_z(&text), "\"folds\":5,\"models\":[{\"model\":\"svm\",\"examples\":15,"));
    buf_clear(&text);
    model_quality_print(&table, &text);
    assert_non_null(strstr(buf_z(&text), "svm, atn, hinge                  15.0 "));
    buf_release(&text);
    model_quality_release(&table);
    lab_free(lab);
    experiment_free(experiment);
}

static void nothing_to_run(void **state)
{
    struct lab_fixture *fixture = *state;
    struct lab_options options = {.cache = fixture->dir, .threads = 2};
    struct experiment *experiment;
    struct errmsg err = {0};
    char text[1000], name[600];
    struct lab *lab;

    snprintf(text, sizeof text, EXPERIMENT, "topics: [nowhere, neither]\n");
    snprintf(name, sizeof name, "%s/e.yaml", fixture->dir);
    assert_ok(experiment_parse(str_of(text), name, &experiment, &err), err);
    assert_int_equal(lab_run(experiment, &options, &lab, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "no topic can be run: 2 were left out"));
    experiment_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(one_topic),
        cmocka_unit_test(rounding_wins_nothing),
        cmocka_unit_test(models),
        cmocka_unit_test(nothing_to_run),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
