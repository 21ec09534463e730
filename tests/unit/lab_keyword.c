/* Topics that are a category together with a keyword, and topics with a predicate instead of examples. */
#include "lab_pages_fixture.h"

#include "lab/labels.h"
#include "lab/trial.h"
#include "lab/trial_judge.h"

static const struct pages_row rows[] = {
    {"a.html", "<html lang=en><title>Cells</title><body>Plants have many cells of one kind."},
    {"b.html", "<html lang=en><body>A prison cell for one."},
    {"c.html", "<html lang=en><body>Cellular phones, and the plant."},
    {"d.html", "<html lang=en><body>The cell is near the plant cells."},
    {NULL, NULL},
};

static void expect(const struct pages_fixture *fixture, const char *keyword, const char *want)
{
    bool marks[4] = {true, true, true, true};
    size_t count = trial_keyword_keep(fixture->collection, str_of(keyword), marks);

    assert_int_equal(count, strlen(want));
    for (size_t i = 0; want[i]; i++) {
        char name[8] = {want[i], '.', 'h', 't', 'm', 'l'};

        assert_true(marks[pages_find(fixture, name)]);
    }
}

static void by_stem(void **state)
{
    struct pages_fixture fixture;
    bool none[4] = {false, false, false, false};

    (void)state;
    pages_open(&fixture, rows);
    expect(&fixture, "cell", "abd");
    expect(&fixture, "Cells", "abd");
    expect(&fixture, "plant cell", "d"); /* in a row */
    expect(&fixture, "river", "");
    assert_int_equal(trial_keyword_keep(fixture.collection, STR("cell"), none), 0); /* only those that were marked */
    assert_int_equal(trial_keyword_check(STR("ice rink")), SCENT_OK);
    assert_int_equal(trial_keyword_check(STR("a\"b")), SCENT_E_INVALID);
    assert_int_equal(trial_keyword_check(STR("")), SCENT_E_INVALID);
    assert_int_equal(trial_keyword_check(STR("--")), SCENT_E_INVALID);
    pages_close(&fixture);
}

static struct experiment *experiment_of(const char *more)
{
    struct experiment *experiment;
    struct errmsg err = {0};
    char text[1000];

    snprintf(text, sizeof text, "collection: c\nseeds: 1\nnegatives: 1\nstrategies: [random, default]\n%s", more);
    assert_ok(experiment_parse(str_of(text), "e.yaml", &experiment, &err), err);
    return experiment;
}

static void make_labels(const struct pages_fixture *fixture, struct labels *labels)
{
    struct errmsg err = {0};
    char path[600];

    snprintf(path, sizeof path, "%s/labels.tsv", fixture->dir);
    assert_ok(file_replace(path, STR("http://pages.test/a.html\tlife.plants\nhttp://pages.test/b.html\tlaw\n"
                                     "http://pages.test/c.html\tlife.plants\nhttp://pages.test/d.html\tlife.animals\n"), &err), err);
    assert_ok(labels_read(fixture->collection, path, NULL, labels, &err), err);
}

/* Labelled so and with the word: seeds and targets are drawn from these alone. */
static void in_a_trial(void **state)
{
    struct experiment *e = experiment_of("topics: [{category: life, keyword: cell}, {category: law, keyword: cell}]\n");
    struct pages_fixture fixture;
    struct labels labels;
    struct trial *trial;
    struct errmsg err = {0};

    (void)state;
    pages_open(&fixture, rows);
    make_labels(&fixture, &labels);
    assert_ok(trial_make(e, fixture.collection, &labels, &e->topics[0], 0, 0, &trial, &err), err);
    assert_int_equal(trial->nrelevant, 2);
    assert_true(trial->relevant[pages_find(&fixture, "a.html")] && trial->relevant[pages_find(&fixture, "d.html")]);
    assert_int_equal(trial->ntargets, 1);
    assert_true(trial->relevant[trial->seeds[0]]);
    trial_free(trial);
    assert_int_equal(trial_make(e, fixture.collection, &labels, &e->topics[1], 0, 0, &trial, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "topic law + cell: it has 1 pages: too few for 1 seeds and a target");
    labels_release(&labels);
    pages_close(&fixture);
    experiment_free(e);
}

static void expect_topics(const struct pages_fixture *fixture, const struct labels *labels, const char *rule,
                          const char *want)
{
    struct experiment *e = experiment_of(rule);
    struct experiment_topic *topics;
    char got[1100] = "";
    struct errmsg err = {0};
    struct arena arena;
    size_t count = 0;

    arena_init(&arena, SIZE_MAX);
    if (trial_topics(e, fixture->collection, labels, &arena, &topics, &count, &err) != SCENT_OK)
        snprintf(got, sizeof got, "%s", err.text);
    else
        for (size_t i = 0; i < count; i++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s;", STR_ARG(topics[i].name));
    assert_string_equal(got, want);
    arena_release(&arena);
    experiment_free(e);
}

static void by_a_rule(void **state)
{
    struct pages_fixture fixture;
    struct labels labels;

    (void)state;
    pages_open(&fixture, rows);
    make_labels(&fixture, &labels);
    expect_topics(&fixture, &labels, "topics: {level: 1, min_pages: 2, keywords: [cell, plant]}\n",
                  "life + cell;life + plant;");
    expect_topics(&fixture, &labels, "topics: {level: 1, min_pages: 3, keywords: [cell, plant]}\n", "life + plant;");
    expect_topics(&fixture, &labels, "topics: {level: 1, min_pages: 2, keywords: [cell, plant], max: 1}\n", "life + cell;");
    expect_topics(&fixture, &labels, "topics: {level: 1, min_pages: 2, keywords: river}\n",
                  "no category of level 1 has 2 pages with one of the keywords: lower topics.min_pages");
    labels_release(&labels);
    pages_close(&fixture);
}

/* Without examples there is no model, and the default strategy is that of a topic file with this predicate alone. */
static void without_examples(void **state)
{
    struct experiment *e = experiment_of("examples: false\nrelevant: '\"river\"'\n"
                                         "topics: [{category: life, relevant: '\"plant cell\"'}, {category: life, name: b}]\n");
    const struct experiment_model *model = &e->strategies[1].model;
    struct trial_judge_basis basis = {.experiment = e};
    struct pages_fixture fixture;
    struct trial_judge *judge;
    struct labels labels;
    struct trial *trial;
    struct errmsg err = {0};

    (void)state;
    pages_open(&fixture, rows);
    make_labels(&fixture, &labels);
    basis.collection = fixture.collection;
    for (size_t i = 0; i < 2; i++) {
        assert_ok(trial_make(e, fixture.collection, &labels, &e->topics[i], 0, 0, &trial, &err), err);
        assert_ok(trial_judge_new(&basis, trial, model, &judge, &err), err);
        assert_ok(trial_judge_prepare(judge, &e->strategies[1], NULL, &err), err);
        assert_null(trial_judge_knowledge(judge)->model);
        assert_string_equal(trial_judge_topic(judge)->chosen, "the topic names none");
        for (size_t k = 0; k < 4; k++) {
            uint32_t number = pages_find(&fixture, rows[k].name);
            const struct page *page = collection_page(fixture.collection, number, NULL);

            assert_int_equal(trial_judge_page(judge, number, page, false)->relevant, i == 0 && k == 3);
        }
        assert_ok(trial_judge_prepare(judge, &e->strategies[0], NULL, &err), err);
        assert_true(str_eq(trial_judge_topic(judge)->strategy, STR("random")));
        trial_judge_free(judge);
        trial_free(trial);
    }
    labels_release(&labels);
    pages_close(&fixture);
    experiment_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_stem), cmocka_unit_test(in_a_trial), cmocka_unit_test(by_a_rule),
        cmocka_unit_test(without_examples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
