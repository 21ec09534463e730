/* Experiment files: what they mean when they are short, and what is said when they are wrong. */
#include "test.h"

#include "lab/experiment.h"
#include "lab/measure.h"

static struct experiment *parse(const char *text)
{
    struct experiment *experiment;
    struct errmsg err = {0};

    assert_ok(experiment_parse(str_of(text), "dir/e.yaml", &experiment, &err), err);
    return experiment;
}

static void defaults(void **state)
{
    struct experiment *e = parse("collection: pages\nstrategies: [breadth-first]\n");

    (void)state;
    assert_str(e->collection, "dir/pages"); /* beside the file */
    assert_int_equal(e->labels.len, 0);
    assert_int_equal(e->seeds, 20);
    assert_int_equal(e->negatives, 40); /* twice as many (Pant) */
    assert_int_equal(e->level, 2);
    assert_int_equal(e->min_pages, 50);
    assert_int_equal(e->budget, 1000);
    assert_int_equal(e->npoints, 10);
    assert_int_equal(e->points[0], 100);
    assert_int_equal(e->points[9], 1000);
    assert_int_equal(e->strategies[0].model.options.kind, MODEL_SVM);
    assert_false(e->committee);
    experiment_free(e);
}

static void all_keys(void **state)
{
    struct experiment *e = parse(
        "experiment: x\ncollection: /abs\nlabels: l.tsv\nmax_pages: 9\nseeds: 5\nrepeats: 3\nbudget: 60\npoints: [10, 60]\n"
        "seed: 4\nsimilarity: true\nrelevance: committee\njudge: label\nmodel: {kind: logistic, C: 10}\nbaseline: w\nfusions: [[full-page, w], {of: [w, full-page], by: combmnz}]\n"
        "topics:\n- A.b\n- {category: A.c, name: c, seeds: ['http://a/'], negatives: ['http://b/', 'http://c/']}\n"
        "strategies: [full-page, {name: text-window, as: w, words: 10, model: bayes}]\n");

    (void)state;
    assert_str(e->collection, "/abs");
    assert_str(e->labels, "dir/l.tsv");
    assert_int_equal(e->negatives, 10);
    assert_int_equal(e->npoints, 2);
    assert_true(e->similarity);
    assert_true(e->committee); /* relevance needs it */
    assert_int_equal(e->relevance, RELEVANT_BY_COMMITTEE);
    assert_int_equal(e->judge, JUDGED_BY_LABEL);
    assert_int_equal(e->ntopics, 2);
    assert_str(e->topics[0].name, "A.b");
    assert_str(e->topics[1].name, "c");
    assert_int_equal(e->topics[1].nnegatives, 2);
    assert_int_equal(e->strategies[0].model.options.kind, MODEL_LOGISTIC);
    assert_true(e->strategies[0].model.options.C == 10);
    assert_int_equal(e->strategies[1].model.options.kind, MODEL_BAYES);
    assert_str(e->strategies[1].label, "w");
    assert_int_equal(e->strategies[1].noptions, 1); /* name, as and model are not the strategy's */
    assert_str(e->strategies[1].options[0].key, "words");
    assert_int_equal(e->baseline, 1);
    assert_int_equal(e->seeding, SEEDS_FROM_TOPIC);
    assert_int_equal(e->fusions[0].count, 2);
    assert_int_equal(e->fusions[0].by, MEASURE_SHARES);
    assert_int_equal(e->fusions[1].members[0], 1);
    assert_int_equal(e->fusions[1].by, MEASURE_COMBMNZ);
    experiment_free(e);
}

/* preset: paper brings the paper's model, unless the strategy names one; limits of what is read. */
static void papers(void **state)
{
    struct experiment *e = parse("collection: c\npage_bytes: 10KiB\npage_links: 50\nmodel: {kind: svm, C: 10}\nstrategies:\n"
                                 "- full-page\n- {name: full-page, as: p, preset: paper}\n"
                                 "- {name: text-window, preset: paper, model: {kind: svm, loss: hinge}}\n"
                                 "- {name: classifier, preset: paper}\n- {name: tag-tree-combo, preset: ours}\n"
                                 "- {name: full-page, as: b, preset: paper, model: bayes}\n");

    (void)state;
    assert_int_equal(e->page_bytes, 10240);
    assert_int_equal(e->page_links, 50);
    assert_int_equal(e->strategies[0].model.options.loss, MODEL_SQUARED_HINGE);
    assert_int_equal(e->strategies[1].model.options.loss, MODEL_HINGE);
    assert_int_equal(e->strategies[1].model.options.weighting, TEXT_ATN);
    assert_true(e->strategies[1].model.options.C == 1);
    assert_false(experiment_same_model(&e->strategies[0].model, &e->strategies[1].model));
    assert_int_equal(e->strategies[2].model.options.loss, MODEL_HINGE);
    assert_int_equal(e->strategies[2].model.options.weighting, TEXT_LTC);
    assert_int_equal(e->strategies[3].model.options.kind, MODEL_LOGISTIC);
    assert_int_equal(e->strategies[4].model.options.loss, MODEL_SQUARED_HINGE);
    assert_int_equal(e->strategies[5].model.options.kind, MODEL_BAYES);
    experiment_free(e);
}

static void traces(void **state)
{
    struct experiment *e = parse("collection: c\ntraces: {files: [a.log, /b.trace], from: 25%, until: 2011-06-01}\nstrategies:\n"
                                 "- random\n- {name: random, as: second, traces: {from: 50%}}\n"
                                 "- {name: random, as: other, traces: c.log, best_of: 5}\n");
    const struct experiment_traces *own = &e->strategies[0].traces, *second = &e->strategies[1].traces;

    (void)state;
    assert_int_equal(own->nfiles, 2);
    assert_str(own->files[0], "dir/a.log");
    assert_str(own->files[1], "/b.trace");
    assert_int_equal(own->from.kind, BORDER_SHARE);
    assert_true(own->from.share == .25);
    assert_int_equal(own->until.kind, BORDER_TIME);
    assert_int_equal(own->until.time, 1306886400 * (int64_t)1000000);
    assert_int_equal(second->nfiles, 2); /* the files of all, and borders of its own */
    assert_true(second->from.share == .5);
    assert_int_equal(second->until.kind, BORDER_NONE);
    assert_str(e->strategies[2].traces.files[0], "dir/c.log");
    assert_int_equal(e->strategies[0].best_of, 1);
    assert_int_equal(e->strategies[2].best_of, 5);
    assert_int_equal(e->strategies[2].noptions, 0); /* none of it is the strategy's */
    experiment_free(e);
}

static void reuse(void **state)
{
    struct experiment *e = parse("collection: c\nbudget: 70\npoints: [70]\ntraces: {files: a.log, from: 50%}\nstrategies:\n- intelligent\n"
                                 "- {name: intelligent, as: b, reuse: {}}\n"
                                 "- {name: intelligent, as: c, reuse: {seeds: same, budget: 9, weight: 0.5, traces: {until: 50%}}}\n");
    const struct experiment_reuse *plain = &e->strategies[1].reuse, *full = &e->strategies[2].reuse;

    (void)state;
    assert_false(e->strategies[0].reuse.wanted);
    assert_true(plain->wanted && !plain->same_seeds && plain->weight == 1);
    assert_int_equal(plain->budget, 70);
    assert_true(plain->traces.from.share == .5);
    assert_true(full->same_seeds && full->weight == .5);
    assert_int_equal(full->budget, 9);
    assert_int_equal(full->traces.from.kind, BORDER_NONE);
    assert_true(full->traces.until.share == .5);
    assert_int_equal(e->strategies[2].noptions, 0);
    experiment_free(e);
}

static void keywords(void **state)
{
    struct experiment *e = parse("collection: c\nstrategies: [random]\ntopics:\n- {category: A, keyword: ice rink}\n"
                                 "- {category: A, keyword: puck, name: p}\n- A\n");

    (void)state;
    assert_str(e->topics[0].name, "A + ice rink");
    assert_str(e->topics[0].keyword, "ice rink");
    assert_str(e->topics[1].name, "p");
    assert_int_equal(e->topics[2].keyword.len, 0);
    experiment_free(e);
    e = parse("collection: c\nstrategies: [random]\ntopics: {level: 1, keywords: [ice, snow]}\n");
    assert_int_equal(e->nkeywords, 2);
    assert_str(e->keywords[1], "snow");
    experiment_free(e);
}

/* Several categories are one topic; sessions of either kind. */
static void sessions(void **state)
{
    struct experiment *e;
    struct errmsg err = {0};

    (void)state;
    assert_ok(experiment_parse(STR("collection: c\nrelevance: browsing\ntopics: [{category: [A, B.C]}, D]\n"
                                   "sessions: {traces: a.log, interest: 3, held_out: 0.25, pages: 99, clusters: 7, gamma: 0.8}\n"
                                   "strategies: [hmm, {name: best-first, by: browsing}]\n"), "dir/e.yaml", &e, &err), err);
    assert_int_equal(e->relevance, RELEVANT_BY_BROWSING);
    assert_int_equal(e->topics[0].ncategories, 2);
    assert_str(e->topics[0].category, "A");
    assert_str(e->topics[0].categories[1], "B.C");
    assert_str(e->topics[0].name, "A, B.C");
    assert_int_equal(e->topics[1].ncategories, 1);
    assert_int_equal(e->sessions.kind, SESSIONS_OF_USERS);
    assert_str(e->sessions.traces.files[0], "dir/a.log");
    assert_true(e->sessions.interest == 3 && e->sessions.held_out == .25 && e->sessions.pages == 99);
    assert_true(e->sessions.gamma == .8 && e->sessions.clusters == 7);
    experiment_free(e);
    assert_ok(experiment_parse(STR("collection: c\nsessions: {walks: 7, steps: 8, wander: 0.5, begin: seeds}\nstrategies: [hmm]\n"),
                               "e.yaml", &e, &err), err);
    assert_int_equal(e->sessions.kind, SESSIONS_OF_WALKS);
    assert_true(e->sessions.walks == 7 && e->sessions.steps == 8 && e->sessions.wander == .5 && e->sessions.at_seeds);
    experiment_free(e);
}

/* Whole files and a part of what is said about them. */
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "e.yaml: the file is empty"},
    {"strategies: [breadth-first]\n", "the key 'collection' is missing"},
    {"collection: c\n", "e.yaml:1: the key 'strategies' is missing"},
    {"collection: c\nstrategies: []\n", "e.yaml:2: strategies: expected a list of 1 to"},
    {"collection: c\nstrategies: [breadth-frist]\n", "there is no strategy 'breadth-frist'; there are breadth-first"},
    {"collection: c\nstrategies: [breadth-first, breadth-first]\n", "'breadth-first' stands here twice"},
    {"collection: c\nstrategies: [{as: x}]\n", "the key 'name' is missing"},
    {"collection: c\nstrategies: [random]\nbudgte: 5\n", "budgte"},
    {"collection: c\nstrategies: [random]\nbudget: 0\n", "budget"},
    {"collection: c\nstrategies: [random]\nbudget: many\n", "e.yaml:3: budget"},
    {"collection: c\nstrategies: [random]\npoints: [100, 50]\n", "points must grow; 50 follows 100"},
    {"collection: c\nstrategies: [random]\npoints: [100, 100]\n", "points must grow"},
    {"collection: c\nstrategies: [random]\nbudget: 50\npoints: [100]\n", "e.yaml:4: points #1"},
    {"collection: c\nstrategies: [random]\npoints: 100\n", "expected a list of 1 to 1000 numbers"},
    {"collection: c\nstrategies: [random]\nbaseline: fish\n", "'fish' is none of the strategies above"},
    {"collection: c\nstrategies: [random]\nfusions: [[random]]\n", "two or more strategies"},
    {"collection: c\nstrategies: [random, fish]\nfusions: [{by: combsum}]\n", "name two or more strategies"},
    {"collection: c\nstrategies: [random, fish]\nfusions: [{of: [random, fish], by: borda}]\n", "condorcet"},
    {"collection: c\nstrategies: [random]\nmodel: forest\n", "expected svm, logistic, bayes or mlp, got 'forest'"},
    {"collection: c\nstrategies: [random]\nmodel: {kind: svm, c: 1}\n", "model.c: unknown key; did you mean 'C'?"},
    {"collection: c\nstrategies: [random]\nrelevance: luck\n", "expected label, committee, query or browsing, got 'luck'"},
    {"collection: c\nstrategies: [random]\njudge: luck\n", "expected model or label"},
    {"collection: c\nstrategies: [random]\nseeds_from: luck\n", "expected topic or core"},
    {"collection: c\nstrategies: [hmm]\n", "e.yaml:2: strategies #1: it follows somebody's browsing, and there is none"},
    {"collection: c\nstrategies: [{name: best-first, by: browsing}]\n", "write 'sessions: {walks: 40}'"},
    {"collection: c\nstrategies: [random]\nrelevance: browsing\n", "e.yaml:3: relevance: relevance by browsing needs"},
    {"collection: c\nstrategies: [random]\nsessions: {}\n", "e.yaml:3: sessions: whose sessions?"},
    {"collection: c\nstrategies: [random]\nsessions: many\n", "e.yaml:3: sessions: whose sessions?"},
    {"collection: c\nstrategies: [random]\nsessions: {walks: 5, clusters: 17}\n", "e.yaml:3: sessions.clusters"},
    {"collection: c\nstrategies: [random]\nsessions: {walks: 5, begin: home}\n", "expected anywhere or seeds"},
    {"collection: c\nstrategies: [random]\nsessions: {walks: 0}\n", "e.yaml:3: sessions.walks"},
    {"collection: c\nstrategies: [random]\nsessions: {walks: 5, held_out: 0.5}\n", "sessions.held_out: unknown key"},
    {"collection: c\nstrategies: [random]\nsessions: {traces: a.log, held_out: 1}\n", "e.yaml:3: sessions.held_out"},
    {"collection: c\nstrategies: [random]\ntopics: [{category: []}]\n", "expected a list of categories"},
    {"collection: c\nstrategies: [random]\ntopics: []\n", "no topic"},
    {"collection: c\nstrategies: [random]\ntopics: [A, B, A]\n", "the topic 'A' stands here twice"},
    {"collection: c\nstrategies: [random]\ntopics: [{name: x}]\n", "the key 'category' is missing"},
    {"collection: c\nstrategies: [random]\ntopics: {level: 0}\n", "topics.level"},
    {"collection: c\nstrategies: [random]\ntopics: all\n", "expected a list of categories"},
    {"collection: c\nstrategies: [random]\ntopics: [{category: A, seeds: []}]\n", "expected a list of URLs"},
    {"collection: c\nstrategies: [random]\ntopics: [{category: A, keyword: '\"'}]\n", "e.yaml:3: topics #1.keyword: a keyword is a word"},
    {"collection: c\nstrategies: [random]\ntopics: [{category: A, keyword: '...'}]\n", "without quotes; got '...'"},
    {"collection: c\nstrategies: [random]\ntopics: {keywords: []}\n", "expected a list of words"},
    {"collection: c\nstrategies: [random]\ntopics: {keywords: [a, '-']}\n", "a keyword is a word"},
    {"collection: c\nstrategies: [random]\nrelevance: query\ntopics: [{category: A, keyword: x}]\n", "put it into the query"},
    {"collection: c\nstrategies: [random]\ntraces: {until: 50%}\n", "e.yaml:3: traces: expected 'files'"},
    {"collection: c\nstrategies: [random]\ntraces: []\n", "expected a list of access logs or traces"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, form: 1}\n", "did you mean 'from'"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, from: half}\n", "traces.from: expected a date such as 2011-06-01"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, from: 101%}\n", "or a share of the accesses such as 50%"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, from: 2011-13-01}\n", "expected a date"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, from: 50%, until: 50%}\n", "'from' must lie before 'until'"},
    {"collection: c\nstrategies: [random]\ntraces: {files: a, from: 2012-01-01, until: 2011-01-01}\n", "must lie before"},
    {"collection: c\nstrategies: [{name: random, best_of: 0}]\n", "e.yaml:2: strategies #1.best_of"},
    {"collection: c\nstrategies: [{name: random, best_of: 2}, fish]\nfusions: [[random, fish]]\n", "cannot be fused"},
    {"collection: c\nstrategies: [{name: random, reuse: {}}]\n", "e.yaml:2: strategies #1.reuse: random learns nothing"},
    {"collection: c\nstrategies: [{name: intelligent, reuse: {seeds: new}}]\n", "expected other or same, got 'new'"},
    {"collection: c\nstrategies: [{name: intelligent, reuse: {wieght: 1}}]\n", "did you mean 'weight'"},
    {"collection: c\nstrategies: [{name: intelligent, reuse: {weight: 2}}]\n", "reuse.weight"},
    {"collection: ''\nstrategies: [random]\n", "collection: expected a folder of WARC files"},
    {"collection: c\nstrategies: [random]\n  x: [\n", "e.yaml:"},
};

static void wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct experiment *experiment = NULL;
        struct errmsg err = {0};

        assert_int_equal(experiment_parse(str_of(bad[i].text), "e.yaml", &experiment, &err), SCENT_E_INVALID);
        if (!strstr(err.text, bad[i].message) || !strstr(err.text, "e.yaml"))
            fail_msg("%s\ngot:  %s\nwant: %s", bad[i].text, err.text, bad[i].message);
    }
}

static void absent(void **state)
{
    struct experiment *experiment;
    struct errmsg err = {0};

    (void)state;
    assert_int_equal(experiment_load("/nowhere.yaml", &experiment, &err), SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, "/nowhere.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults), cmocka_unit_test(all_keys), cmocka_unit_test(sessions), cmocka_unit_test(wrong), cmocka_unit_test(absent),
        cmocka_unit_test(papers),
        cmocka_unit_test(traces),   cmocka_unit_test(keywords), cmocka_unit_test(reuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
