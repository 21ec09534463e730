/* The traces of an experiment: pages by the collection's names, parts by time and share, read once. */
#include "lab_pages_fixture.h"

#include "lab/lab.h"

static const struct pages_row rows[] = {
    {"index.htm", "<html lang=en><body>home"}, {"a.html", "<html lang=en><body>a"}, {NULL, NULL}};

static const char visits[] = "1000 u http://pages.test/index.htm?utm_source=x\n" /* other names of the page */
                             "1010 u http://pages.test/./index.htm\n"
                             "1020 v http://pages.test/a.html#x\n"
                             "1030 v http://pages.test/gone.html\n"  /* not in the collection */
                             "1040 v http://PAGES.test/a.html\n";

static struct experiment *experiment_of(const struct pages_fixture *fixture, const char *more)
{
    struct experiment *experiment;
    struct errmsg err = {0};
    char text[1000], path[600];

    snprintf(path, sizeof path, "%s/visits.log", fixture->dir);
    assert_ok(file_replace(path, str_of(visits), &err), err);
    snprintf(path, sizeof path, "%s/e.yaml", fixture->dir);
    snprintf(text, sizeof text, "collection: c\n%s", more);
    assert_ok(experiment_parse(str_of(text), path, &experiment, &err), err);
    return experiment;
}

static void parts(void **state)
{
    struct pages_fixture fixture;
    struct lab_traces *traces;
    struct errmsg err = {0};
    struct experiment *e;
    const struct trace *all, *first, *second;
    uint32_t page;

    (void)state;
    pages_open(&fixture, rows);
    e = experiment_of(&fixture, "traces: visits.log\nstrategies:\n- random\n- {name: random, as: b, traces: {until: 50%}}\n"
                                "- {name: random, as: c, traces: {from: 50%}}\n- {name: random, as: d, traces: {from: 50%}}\n");
    assert_ok(lab_traces_new(e, fixture.collection, NULL, NULL, &traces, &err), err);
    all = lab_traces_find(traces, &e->strategies[0].traces);
    first = lab_traces_find(traces, &e->strategies[1].traces);
    second = lab_traces_find(traces, &e->strategies[2].traces);
    assert_int_equal(trace_size(all).accesses, 4);
    assert_int_equal(trace_size(all).pages, 2);
    assert_true(trace_find_page(all, collection_url(fixture.collection, pages_find(&fixture, "index.htm")), &page));
    assert_int_equal(trace_size(first).accesses, 2); /* halves of what the collection has */
    assert_int_equal(trace_size(second).accesses, 2);
    assert_int_equal(trace_size(second).first, 1020 * (int64_t)1000000);
    assert_true(second == lab_traces_find(traces, &e->strategies[3].traces)); /* cut once */
    assert_true(lab_traces_digest(traces) != 0);
    lab_traces_free(traces);
    experiment_free(e);
    pages_close(&fixture);
}

static void expect_failure(const struct pages_fixture *fixture, const char *more, const char *message)
{
    struct experiment *e = experiment_of(fixture, more);
    struct lab_traces *traces;
    struct errmsg err = {0};

    assert_int_not_equal(lab_traces_new(e, fixture->collection, NULL, NULL, &traces, &err), SCENT_OK);
    if (!strstr(err.text, message) || !strstr(err.text, "e.yaml:"))
        fail_msg("got %s, want %s", err.text, message);
    experiment_free(e);
}

static void failures(void **state)
{
    struct pages_fixture fixture;
    struct lab_traces *traces;
    struct errmsg err = {0};
    struct experiment *e;

    (void)state;
    pages_open(&fixture, rows);
    expect_failure(&fixture, "strategies: [random]\ntraces: nowhere.log\n", "e.yaml:3: traces:");
    expect_failure(&fixture, "strategies: [random]\ntraces: {files: visits.log, from: 2020-01-01}\n",
                   "no access of a page of the collection in this part of the files");
    e = experiment_of(&fixture, "strategies: [random]\n");
    assert_ok(lab_traces_new(e, fixture.collection, NULL, NULL, &traces, &err), err);
    assert_null(lab_traces_find(traces, &e->strategies[0].traces));
    assert_int_equal(lab_traces_digest(traces), 0);
    lab_traces_free(traces);
    experiment_free(e);
    pages_close(&fixture);
}

/* What `scent trace import` made is the same as its log. */
static void saved(void **state)
{
    struct pages_fixture fixture;
    struct trace_options options = trace_options_default();
    struct lab_traces *a, *b;
    struct errmsg err = {0};
    struct experiment *from_log, *from_file;
    struct trace *trace;
    char log[600], file[600];
    const char *logs[] = {log};

    (void)state;
    options.keep_users = true;
    pages_open(&fixture, rows);
    from_log = experiment_of(&fixture, "strategies: [random]\ntraces: visits.log\n");
    from_file = experiment_of(&fixture, "strategies: [random]\ntraces: [visits.trace]\n");
    snprintf(log, sizeof log, "%s/visits.log", fixture.dir);
    snprintf(file, sizeof file, "%s/visits.trace", fixture.dir);
    assert_ok(trace_import(logs, 1, &options, NULL, &trace, &err), err);
    assert_ok(trace_save(trace, file, &err), err);
    trace_free(trace);
    assert_ok(lab_traces_new(from_log, fixture.collection, NULL, NULL, &a, &err), err);
    assert_ok(lab_traces_new(from_file, fixture.collection, NULL, NULL, &b, &err), err);
    assert_true(lab_traces_digest(a) == lab_traces_digest(b));
    lab_traces_free(a);
    lab_traces_free(b);
    experiment_free(from_log);
    experiment_free(from_file);
    pages_close(&fixture);
}

/* Three quarters of the accesses of each reader lie in one of four categories, and a quarter of the others by chance;
 * the same seed gives the same readers. */
static void readers(void **state)
{
    enum { PAGES = 40, READERS = 50, EACH = 40 };
    static struct pages_row many[PAGES + 1];
    static char names[PAGES][16];
    struct labels_row sorted[PAGES];
    struct labels labels = {.rows = sorted, .count = PAGES};
    struct pages_fixture fixture;
    struct lab_traces *traces[3];
    struct errmsg err = {0};
    uint32_t own = 0, lead[4] = {0};

    (void)state;
    for (uint32_t i = 0; i < PAGES; i++) {
        snprintf(names[i], sizeof names[i], "p%02u.html", (unsigned)i);
        many[i] = (struct pages_row){names[i], "<html lang=en><body>x"};
    }
    pages_open(&fixture, many);
    for (uint32_t i = 0; i < PAGES; i++) /* four categories of ten pages each */
        sorted[i] = (struct labels_row){i, str_of((const char *const[]){"T.A", "T.B", "T.C", "T.D"}[i / 10])};
    for (int i = 0; i < 3; i++) {
        struct experiment *e = experiment_of(
            &fixture, i < 2 ? "strategies: [random]\ntraces: {readers: 50, accesses: 40, interest: 0.75}\n"
                            : "strategies: [random]\ntraces: {readers: 50, accesses: 40, interest: 0.75}\nseed: 9\n");
        const struct trace *trace;

        assert_ok(lab_traces_new(e, fixture.collection, &labels, NULL, &traces[i], &err), err);
        trace = lab_traces_find(traces[i], &e->strategies[0].traces);
        assert_int_equal(trace_size(trace).users, READERS);
        assert_int_equal(trace_size(trace).accesses, READERS * EACH);
        assert_int_equal(trace_size(trace).sessions, READERS);
        for (uint32_t user = 0; i == 0 && user < READERS; user++) {
            struct trace_range range = trace_of_user(trace, user);
            uint32_t in[4] = {0}, most = 0;

            for (uint32_t at = range.begin; at < range.end; at++) {
                uint32_t page;

                assert_true(collection_find(fixture.collection, trace_url(trace, trace_at(trace, at)->page), &page));
                in[page / 10]++;
            }
            for (uint32_t k = 1; k < 4; k++)
                most = in[k] > in[most] ? k : most;
            own += in[most];
            lead[most]++;
        }
        experiment_free(e);
    }
    assert_true(own > .78 * READERS * EACH && own < .85 * READERS * EACH); /* .75 + .25/4 = .8125 */
    for (int k = 0; k < 4; k++)
        assert_true(lead[k] > 3); /* every category has readers */
    assert_true(lab_traces_digest(traces[0]) == lab_traces_digest(traces[1]));
    assert_true(lab_traces_digest(traces[0]) != lab_traces_digest(traces[2]));
    for (int i = 0; i < 3; i++)
        lab_traces_free(traces[i]);
    pages_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts), cmocka_unit_test(failures), cmocka_unit_test(saved), cmocka_unit_test(readers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
