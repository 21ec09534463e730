/* The measures on numbers worked out by hand, and cross-validation with its corner cases. */
#include "learn_sample.h"

#include "learn/evaluate.h"
#include "learn/dataset.h"

static void test_auc(void **state)
{
    const double s[] = {.1, .4, .4, .8}, same[] = {1, 1, 1, 1};
    const bool y[] = {0, 1, 0, 1}, all[] = {1, 1, 1, 1}, reversed[] = {1, 0, 0, 0};

    (void)state;
    assert_near(evaluate_auc(s, y, 4), (1 + .5 + 1 + 1) / 4, 1e-12);
    assert_near(evaluate_auc(s, reversed, 4), 0, 1e-12);
    assert_near(evaluate_auc(same, y, 4), .5, 1e-12);
    assert_near(evaluate_auc(s, all, 4), .5, 0);
    assert_near(evaluate_auc(s, y, 0), .5, 0);
}

static void test_brier_and_calibration(void **state)
{
    const double p[] = {.9, .8, .3, 1};
    const bool y[] = {1, 0, 0, 1};
    const double q[] = {.72, .78, .71, .04};
    const bool z[] = {1, 1, 0, 0};

    (void)state;
    assert_near(evaluate_brier(p, y, 4), (.01 + .64 + .09 + 0) / 4, 1e-12);
    /* bin .7: mean p .73667, 2 of 3 positive; bin 0: .04, none */
    assert_near(evaluate_ece(q, z, 4), 3. / 4 * (2.21 / 3 - 2. / 3) + 1. / 4 * .04, 1e-12);
}

static void test_folds_are_stratified(void **state)
{
    uint32_t class[100], fold[100], again[100], count[3][5] = {{0}};

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        class[i] = i < 7 ? 0 : i < 50 ? 1 : 2;
    assert_int_equal(folds_split(class, 100, 3, 5, 1, fold), SCENT_OK);
    assert_int_equal(folds_split(class, 100, 3, 5, 1, again), SCENT_OK);
    assert_memory_equal(fold, again, sizeof fold);
    for (uint32_t i = 0; i < 100; i++)
        count[class[i]][fold[i]]++;
    for (int f = 0; f < 5; f++) {
        assert_in_range(count[0][f], 1, 2);
        assert_in_range(count[1][f], 8, 9);
        assert_in_range(count[2][f], 10, 10);
        assert_int_equal(count[0][f] + count[1][f] + count[2][f], 20);
    }
}

static struct evaluate_result evaluate(const struct learn_set *set, uint32_t folds)
{
    struct model_options options = model_options_default(MODEL_BAYES);
    struct evaluate_result result;
    struct errmsg err;

    assert_ok(evaluate_model(set, &options, folds, &result, &err), err);
    return result;
}

static void test_cross_validation(void **state)
{
    struct sample *sample = sample_new(4, 25, 31);
    struct evaluate_result result = evaluate(&sample->set, 5);
    uint32_t sum = 0, diagonal = 0;

    (void)state;
    assert_int_equal(result.folds, 5);
    assert_int_equal(result.pages, 100);
    assert_int_equal(result.classes[2].pages, 25);
    for (int i = 0; i < 16; i++) {
        sum += result.confusion[i];
        diagonal += i % 5 == 0 ? result.confusion[i] : 0;
    }
    assert_int_equal(sum, 100);
    assert_near(result.accuracy, diagonal / 100., 1e-9);
    assert_true(result.accuracy > .85 && result.mean.auc > .95 && result.mean.brier < .1);
    assert_near(result.classes[1].recall, result.confusion[5] / 25., 1e-12);
    evaluate_release(&result);
    free(sample);
}

/* Labels without any relation to the words: whoever tests on what was trained on would look good here. */
static void test_noise_is_not_learnt(void **state)
{
    struct sample *sample = sample_new(2, 60, 32);
    struct evaluate_result result;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 33);
    for (size_t i = 0; i < sample->set.nexamples; i++)
        sample->examples[i].class = (uint32_t)rng_below(&rng, 2);
    result = evaluate(&sample->set, 5);
    assert_in_range((int)(100 * result.classes[1].auc), 30, 70);
    evaluate_release(&result);
    free(sample);
}

/* Every page is there twice, under two classes: it is one page, and either class is right. */
static void test_several_labels(void **state)
{
    struct sample *sample = sample_new(4, 15, 34);
    struct evaluate_result result;

    (void)state;
    for (size_t i = 0; i < 60; i++) {
        sample->examples[60 + i] = sample->examples[i];
        sample->examples[60 + i].class = sample->examples[i].class ^ 1;
    }
    sample->set.nexamples = 120;
    result = evaluate(&sample->set, 5);
    assert_int_equal(result.pages, 60);
    assert_int_equal(result.classes[0].pages, 30);
    assert_true(result.accuracy > .9);
    evaluate_release(&result);
    free(sample);
}

static void test_small_classes(void **state)
{
    struct sample *sample = sample_new(2, 20, 35);
    struct model_options options = model_options_default(MODEL_BAYES);
    struct evaluate_result result;
    struct errmsg err;

    (void)state;
    sample->set.nexamples = 6; /* three of each */
    result = evaluate(&sample->set, 10);
    assert_int_equal(result.folds, 3);
    evaluate_release(&result);
    sample->set.nexamples = 3;
    assert_int_equal(evaluate_model(&sample->set, &options, 10, &result, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "class \"Sports.Hockey\" has 1 example, too few"));
    free(sample);

    sample = sample_new(3, 20, 36);
    for (size_t i = 0; i < 60; i++) /* of the third class only one page is left */
        if (sample->examples[i].class == 2 && i > 2)
            sample->examples[i].class = 0;
    result = evaluate(&sample->set, 5);
    assert_int_equal(result.folds, 5);
    assert_int_equal(result.classes[2].pages, 1);
    assert_near(result.classes[2].recall, 0, 0);
    evaluate_release(&result);
    free(sample);
}

/* The labelled pages of both are the same; weak ones that are like the pages to come make the better model. */
static void test_rivals(void **state)
{
    enum { LABELLED = 12, WEAK = 30, ALL = LABELLED + WEAK };
    static struct text_weight words[2][ALL][3];
    static struct learn_example examples[2][ALL];
    static const struct str names[] = {{"no", 2}, {"yes", 3}};
    struct learn_set sets[2];
    struct model_options options = model_options_default(MODEL_SVM);
    struct evaluate_rival rivals[2];
    struct errmsg err = {{0}};
    double p[ALL];

    (void)state;
    options.weighting = TEXT_LSC;
    for (int set = 0; set < 2; set++) {
        for (uint64_t i = 0; i < ALL; i++) {
            bool weak = i >= LABELLED;

            /* all pages share word 5; those of the topic have 7; weak ones of the first set know neither */
            words[set][i][0] = (struct text_weight){weak && set == 0 ? 100 + i : 5, 3};
            words[set][i][1] = (struct text_weight){weak ? 200 : 7, 1};
            words[set][i][2] = (struct text_weight){1000 + i, 1};
            examples[set][i] = (struct learn_example){{words[set][i], 3}, !weak};
        }
        sets[set] = (struct learn_set){.examples = examples[set], .nexamples = ALL, .nweak = WEAK, .classes = names,
                                       .nclasses = 2};
        rivals[set] = (struct evaluate_rival){.set = &sets[set], .options = &options};
    }
    rivals[1].p = p;
    assert_ok(evaluate_rivals(rivals, 2, 5, &err), err);
    assert_true(rivals[1].auc > .999 && rivals[1].right > .99);
    assert_true(rivals[0].right < rivals[1].right);
    assert_true(p[0] > .5 && p[LABELLED] < .5);
    sets[1].nexamples = 1;
    sets[1].nweak = 0;
    assert_int_equal(evaluate_rivals(rivals + 1, 1, 5, &err), SCENT_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auc),
        cmocka_unit_test(test_brier_and_calibration),
        cmocka_unit_test(test_folds_are_stratified),
        cmocka_unit_test(test_cross_validation),
        cmocka_unit_test(test_noise_is_not_learnt),
        cmocka_unit_test(test_several_labels),
        cmocka_unit_test(test_rivals),
        cmocka_unit_test(test_small_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
