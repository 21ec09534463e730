/* The keys examples, taxonomy and model: what they give, and what is wrong with them. */
#include "test.h"
#include "topic/topic.h"

static struct topic *parse(const char *text)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    assert_ok(topic_parse(str_of(text), "some/where/topic.yaml", &topic, &err), err);
    return topic;
}

static void paths_lie_beside_the_topic(void **state)
{
    struct topic *topic = parse("topic: x\nexamples: {positive: [a, /abs/b, ../c, 'https://x.test/y'], negative: d}\n");

    (void)state;
    assert_int_equal(topic->examples.npositive, 4);
    assert_str(topic->examples.positive[3], "https://x.test/y");
    assert_str(topic->examples.positive[0], "some/where/a");
    assert_str(topic->examples.positive[1], "/abs/b");
    assert_str(topic->examples.positive[2], "some/where/../c");
    assert_int_equal(topic->examples.nnegative, 1);
    assert_str(topic->examples.negative[0], "some/where/d");
    assert_true(topic->examples.ratio == 2);
    assert_int_equal(topic->model.kind, MODEL_SVM);
    assert_int_equal(topic_classes(topic), TOPIC_TWO_CLASSES);
    topic_free(topic);
}

static void taxonomies_are_for_bayes(void **state)
{
    struct topic *topic = parse("topic: x\ntaxonomy: t.tsv\n");

    (void)state;
    assert_str(topic->taxonomy.file, "some/where/t.tsv");
    assert_int_equal(topic->model.kind, MODEL_BAYES);
    assert_int_equal(topic->taxonomy.per_class, 500);
    assert_int_equal(topic_classes(topic), TOPIC_CATEGORIES);
    topic_free(topic);
    topic = parse("topic: x\nseed: 9\ntaxonomy: {file: /t, collection: w, target: [A.B, C], min_leaf: 20, levels: 2, per_class: 50}\n"
                  "model: {kind: svm, C: 10, weighting: atn, folds: 5}\n");
    assert_str(topic->taxonomy.collection, "some/where/w");
    assert_int_equal(topic->taxonomy.ntargets, 2);
    assert_int_equal(topic->taxonomy.min_leaf, 20);
    assert_int_equal(topic->taxonomy.levels, 2);
    assert_int_equal(topic->model.weighting, TEXT_ATN);
    assert_int_equal(topic->model.folds, 5);
    assert_int_equal(topic->model.seed, 9);
    assert_int_equal(topic_classes(topic), TOPIC_TWO_CLASSES);
    topic_free(topic);
    topic = parse("topic: x\nexamples: {positive: p}\ntaxonomy: t.tsv\n");
    assert_int_equal(topic_classes(topic), TOPIC_TWO_CLASSES);
    topic_free(topic);
    topic = parse("topic: x\n");
    assert_int_equal(topic_classes(topic), TOPIC_NO_MODEL);
    topic_free(topic);
}

static void defaults_are_for_few_examples(void **state)
{
    struct topic *topic = parse("topic: x\nexamples: {positive: p}\n");

    (void)state;
    assert_int_equal(topic->model.kind, MODEL_SVM);
    assert_int_equal(topic->model.weighting, TEXT_LSC);
    assert_true(topic->model.C == 1 && topic->model.prior == .2);
    topic_free(topic);
    topic = parse("topic: x\nexamples: {positive: p}\nmodel: logistic\n");
    assert_int_equal(topic->model.weighting, TEXT_LSC);
    assert_true(topic->model.C == 10 && topic->model.prior == .2);
    topic_free(topic);
}

static void mistakes_name_line_and_fix(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"topic: x\nexamples: dir\n", "t.yaml:2: examples: expected a map such as {positive:"},
        {"topic: x\nexamples: {negative: a}\n", "t.yaml:2: examples: the key 'positive' is missing"},
        {"topic: x\nexamples: {positiv: a}\n", "examples.positiv: unknown key; did you mean 'positive'?"},
        {"topic: x\nexamples: {positive: []}\n", "examples.positive: expected 1 to 1000 paths"},
        {"topic: x\nexamples: {positive: ['']}\n", "examples.positive #1: expected the path"},
        {"topic: x\nexamples: {positive: \"a\\0b\"}\n", "examples.positive: expected the path"},
        {"topic: x\nexamples: {positive: {a: b}}\n", "examples.positive: expected the path"},
        {"topic: x\nexamples: {positive: a, negative: b, ratio: 3}\n", "examples.ratio: it counts"},
        {"topic: x\nexamples: {positive: a, ratio: 0}\n", "examples.ratio: must be at least 0.1"},
        {"topic: x\ntaxonomy: [a]\n", "t.yaml:2: taxonomy: expected a path, or a map"},
        {"topic: x\ntaxonomy: {target: A}\n", "taxonomy: the key 'file' is missing"},
        {"topic: x\ntaxonomy: {file: a, target: ' '}\n", "taxonomy.target: expected the name of a category"},
        {"topic: x\ntaxonomy: {file: a, min_leaf: 600}\n", "taxonomy.min_leaf: 600 is more than per_class"},
        {"topic: x\ntaxonomy: {file: a, levels: 99}\n", "taxonomy.levels: must be at most 32"},
        {"topic: x\nmodel: svm\n", "t.yaml:2: model: there is nothing to train it with; add 'examples' or 'taxonomy'"},
        {"topic: x\nexamples: {positive: a}\nmodel: tree\n", "t.yaml:3: model: expected svm, logistic, bayes or mlp"},
        {"topic: x\nexamples: {positive: a}\nmodel: {kind: deep}\n", "t.yaml:3: model.kind: expected svm, logistic"},
        {"topic: x\nexamples: {positive: a}\nmodel: {kind: bayes, C: 1}\n", "model.C: an option of svm and logistic; a model"},
        {"topic: x\nexamples: {positive: a}\nmodel: {hidden: 4}\n", "model.hidden: an option of mlp; a model of kind svm"},
        {"topic: x\nexamples: {positive: a}\nmodel: {C: -1}\n", "model.C: must be at least"},
        {"topic: x\nexamples: {positive: a}\nmodel: {weighting: bm25}\n", "model.weighting: expected ltc, atn, tf or lsc, got 'bm25'"},
        {"topic: x\nexamples: {positive: a}\nmodel: [svm]\n", "model: expected svm, logistic, bayes or mlp, or a map"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {{0}};
        struct topic *topic;

        assert_int_equal(topic_parse(str_of(cases[i].text), "t.yaml", &topic, &err), SCENT_E_INVALID);
        assert_null(topic);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lie_beside_the_topic),
        cmocka_unit_test(taxonomies_are_for_bayes),
        cmocka_unit_test(defaults_are_for_few_examples),
        cmocka_unit_test(mistakes_name_line_and_fix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
