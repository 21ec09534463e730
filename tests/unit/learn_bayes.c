/* Naive Bayes against posteriors worked out by hand. */
#include "learn_sample.h"

/* Two pages of class A: "1 1 2", "1 3"; one of class B: "2 4". */
static struct text_weight a1[] = {{1ull << 60, 2}, {2ull << 60, 1}};
static struct text_weight a2[] = {{1ull << 60, 1}, {3ull << 60, 1}};
static struct text_weight b1[] = {{2ull << 60, 1}, {4ull << 60, 1}};
static const struct learn_example examples[] = {{{a1, 2}, 0}, {{a2, 2}, 0}, {{b1, 2}, 1}};
static const struct str classes[] = {{"Sports.Hockey", 13}, {"Arts", 4}};
static const struct learn_set set = {.examples = examples, .nexamples = 3, .classes = classes, .nclasses = 2};

static struct model *train(double alpha, double flatten)
{
    struct model_options options = model_options_default(MODEL_BAYES);
    struct model *model;
    struct errmsg err;

    options.alpha = alpha;
    options.flatten = flatten;
    assert_int_equal(model_train(&set, &options, &model, &err), SCENT_OK);
    return model;
}

/* alpha 1: A has 5 words, B 2, the vocabulary 4. P(1|A) = 4/9, P(2|A) = 2/9, P(2|B) = 2/6, P(1|B) = 1/6. */
static void test_posterior(void **state)
{
    struct text_weight items[] = {{1ull << 60, 1}, {2ull << 60, 2}, {5ull << 60, 7}}; /* 5 is unknown */
    struct text_vector page = {items, 3};
    struct model *model = train(1, 0);
    double a = 2. / 3 * (4. / 9) * (2. / 9) * (2. / 9), b = 1. / 3 * (1. / 6) * (2. / 6) * (2. / 6);
    double p[2], scores[2];

    (void)state;
    model_predict(model, &page, p);
    assert_near(p[0], a / (a + b), 1e-7);
    assert_near(p[0] + p[1], 1, 1e-12);
    model_decision(model, &page, scores);
    assert_near(scores[0], log(a), 1e-6);
    assert_near(scores[1], log(b), 1e-6);
    assert_int_equal(model_best(scores, 2), 0);
    model_free(model);
}

/* Length 60: the log likelihood counts half; length 2: it is left alone. */
static void test_flattening(void **state)
{
    struct text_weight items[] = {{1ull << 60, 20}, {2ull << 60, 40}}, few[] = {{1ull << 60, 2}};
    struct text_vector page = {items, 2}, brief = {few, 1};
    struct model *model = train(1, 30);
    double odds = log(2) + (20 * log(4. / 9 * 6) + 40 * log(2. / 9 * 3)) / 2;
    double p[2];

    (void)state;
    model_predict(model, &page, p);
    assert_near(log(p[0] / p[1]), odds, 1e-4);
    model_predict(model, &brief, p);
    assert_near(p[0] / p[1], 2 * pow(4. / 9 * 6, 2), 1e-4);
    model_free(model);
}

static void test_alpha(void **state)
{
    struct text_weight items[] = {{4ull << 60, 1}};
    struct text_vector page = {items, 1};
    struct model *model = train(.1, 0);
    double a = 2. / 3 * (.1 / 5.4), b = 1. / 3 * (1.1 / 2.4), p[2];

    (void)state;
    model_predict(model, &page, p);
    assert_near(p[1], b / (a + b), 1e-7);
    model_free(model);
}

/* Without a given alpha: 1 for two classes, .01 for more. */
static void test_default_alpha(void **state)
{
    struct text_weight items[] = {{4ull << 60, 1}};
    struct text_vector page = {items, 1};
    const struct str three[] = {STR("a"), STR("b"), STR("c")};
    const struct learn_example more[] = {{{a1, 2}, 0}, {{b1, 2}, 1}, {{a2, 2}, 2}};
    struct learn_set many = {.examples = more, .nexamples = 3, .classes = three, .nclasses = 3};
    struct model_options options = model_options_default(MODEL_BAYES);
    struct model *two = train(0, 0), *model;
    struct errmsg err;
    double scores[3];

    (void)state;
    model_decision(two, &page, scores);
    assert_near(scores[1], log(1. / 3 * 2 / 6), 1e-6);
    assert_ok(model_train(&many, &options, &model, &err), err);
    model_decision(model, &page, scores);
    assert_near(scores[1], log(1. / 3 * 1.01 / 2.04), 1e-6);
    model_free(two);
    model_free(model);
}

static void test_taxonomy(void **state)
{
    struct model *model = train(1, 0);
    bool members[2];

    (void)state;
    assert_int_equal(model_class_members(model, STR("Sports"), members), 1);
    assert_true(members[0] && !members[1]);
    assert_int_equal(model_class_members(model, STR("Sports.Hockey"), members), 1);
    assert_true(members[0] && !members[1]);
    assert_int_equal(model_class_members(model, STR("Sport"), members), 0);
    assert_true(!members[0] && !members[1]);
    assert_int_equal(model_class_members(model, STR("Arts"), members), 1);
    assert_true(!members[0] && members[1]);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posterior),
        cmocka_unit_test(test_flattening),
        cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_default_alpha),
        cmocka_unit_test(test_taxonomy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
