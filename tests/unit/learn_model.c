/* All kinds of models behind one interface: they learn, repeat themselves, explain, and refuse what cannot teach. */
#include "learn_sample.h"

static const enum model_kind kinds[] = {MODEL_BAYES, MODEL_SVM, MODEL_LOGISTIC, MODEL_MLP};
enum { KINDS = 4 };

static struct model *train(const struct learn_set *set, const struct model_options *options)
{
    struct model *model;
    struct errmsg err;

    assert_ok(model_train(set, options, &model, &err), err);
    return model;
}

static struct model *train_kind(const struct learn_set *set, enum model_kind kind)
{
    struct model_options options = model_options_default(kind);

    return train(set, &options);
}

static double share_right(const struct model *model, const struct learn_set *set)
{
    double p[4], sum, right = 0;

    for (size_t i = 0; i < set->nexamples; i++) {
        model_predict(model, &set->examples[i].tf, p);
        sum = 0;
        for (uint32_t c = 0; c < set->nclasses; c++) {
            assert_true(p[c] >= 0 && p[c] <= 1);
            sum += p[c];
        }
        assert_near(sum, 1, 1e-9);
        right += model_best(p, set->nclasses) == set->examples[i].class;
    }
    return right / (double)set->nexamples;
}

static void test_new_pages_are_told_apart(void **state)
{
    struct sample *two = sample_new(2, 30, 1), *other_two = sample_new(2, 30, 2);
    struct sample *four = sample_new(4, 30, 3), *other_four = sample_new(4, 30, 4);

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *a = train_kind(&two->set, kinds[k]), *b = train_kind(&four->set, kinds[k]);

        assert_int_equal(model_kind_of(a), kinds[k]);
        assert_true(share_right(a, &other_two->set) > .9);
        assert_true(share_right(b, &other_four->set) > .8);
        model_free(a);
        model_free(b);
    }
    free(two);
    free(other_two);
    free(four);
    free(other_four);
}

/* A text whose words stand there once is what the model makes of its bag. */
static void test_sums_of_words(void **state)
{
    struct sample *sample = sample_new(2, 30, 1), *other = sample_new(2, 30, 2);

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *model = train_kind(&sample->set, kinds[k]);

        assert_int_equal(model_has_sums(model), kinds[k] != MODEL_MLP);
        for (size_t i = 0; i < other->set.nexamples && model_has_sums(model); i++) {
            struct text_vector tf = other->set.examples[i].tf;
            struct text_weight once[64];
            struct text_vector text = {once, tf.count < 64 ? tf.count : 64};
            struct model_sums sums = {0};
            double p[2];

            for (size_t w = 0; w < text.count; w++) {
                once[w] = (struct text_weight){tf.items[w].stem, 1};
                model_add_word(model, once[w].stem, &sums);
            }
            model_add_word(model, 12345, &sums); /* one that nobody knows */
            model_predict(model, &text, p);
            assert_near(model_sums_odds(model, &sums), log(p[1] / p[0]), 1e-5);
        }
        model_free(model);
    }
    free(sample);
    free(other);
}

static void test_same_seed_same_bytes(void **state)
{
    struct sample *sample = sample_new(3, 20, 5);

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *a = train_kind(&sample->set, kinds[k]), *b = train_kind(&sample->set, kinds[k]);
        struct buf x, y;

        buf_init(&x, 0);
        buf_init(&y, 0);
        assert_int_equal(model_write(a, &x), SCENT_OK);
        srand(k); /* nobody's business */
        assert_int_equal(model_write(b, &y), SCENT_OK);
        assert_int_equal(x.len, y.len);
        assert_memory_equal(x.p, y.p, x.len);
        buf_release(&x);
        buf_release(&y);
        model_free(a);
        model_free(b);
    }
    free(sample);
}

/* The words of class 1 are w2000 to w2019. */
static bool is_of_class_one(struct str text)
{
    return text.len == 5 && str_starts(text, STR("w20"));
}

static void test_telling_words(void **state)
{
    struct sample *sample = sample_new(3, 40, 6);
    struct model_term terms[8];

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *model = train_kind(&sample->set, kinds[k]);

        assert_int_equal(model_telling(model, 1, terms, 8), 8);
        for (int i = 0; i < 8; i++) {
            assert_true(is_of_class_one(terms[i].text));
            assert_true(terms[i].weight > 0 && (i == 0 || terms[i].weight <= terms[i - 1].weight));
        }
        assert_int_equal(model_explain(model, &sample->examples[1].tf, 1, terms, 3), 3);
        assert_true(is_of_class_one(terms[0].text) && terms[0].weight > 0);
        assert_true(fabs(terms[0].weight) >= fabs(terms[1].weight));
        assert_int_equal(model_explain(model, &sample->examples[1].tf, 1, terms, 0), 0);
        model_free(model);
    }
    free(sample);
}

/* With two classes the score is b + the sum of what explain gives. */
static void test_explanation_adds_up(void **state)
{
    struct sample *sample = sample_new(2, 20, 7);
    struct model_term terms[SAMPLE_WORDS];
    struct text_vector none = {0};

    (void)state;
    for (int k = 1; k < 3; k++) {
        struct model *model = train_kind(&sample->set, kinds[k]);
        double bias[2], scores[2], sum = 0;
        size_t n = model_explain(model, &sample->examples[0].tf, 1, terms, SAMPLE_WORDS);

        for (size_t i = 0; i < n; i++)
            sum += terms[i].weight;
        model_decision(model, &none, bias);
        model_decision(model, &sample->examples[0].tf, scores);
        assert_near(scores[1], bias[1] + sum, 1e-9);
        assert_near(scores[0], -scores[1], 0);
        model_free(model);
    }
    free(sample);
}

/* Three pages; stem 1 in two of them, 2 in all, 3 and 4 in one. */
static struct text_weight v1[] = {{1, 3}, {2, 1}}, v2[] = {{1, .5}, {2, 2}, {3, 1}}, v3[] = {{2, 5}, {4, 1}};
static const struct learn_example three[] = {{{v1, 2}, 0}, {{v2, 3}, 1}, {{v3, 2}, 1}};
static const struct str two_names[] = {{"no", 2}, {"yes", 3}};
static const struct learn_set three_set = {.examples = three, .nexamples = 3, .classes = two_names, .nclasses = 2};

/* The weight that a page's word has, found from outside: explain(page) / w, where w = explain of a page of that word
 * alone (ltc gives it weight 1, tf its frequency). */
static void test_weights_by_hand(void **state)
{
    struct model_options options = model_options_default(MODEL_LOGISTIC);
    struct text_weight items[] = {{1, 4}, {3, 1}, {99, 50}}, lone[] = {{1, 1}};
    struct text_vector page = {items, 3}, word = {lone, 1};
    double ltc1 = (1 + log(4)) * log(3. / 2), ltc3 = log(3);
    struct model_term terms[3], unit[1];
    struct model *model = train(&three_set, &options);

    (void)state;
    assert_int_equal(model_explain(model, &page, 1, terms, 3), 2);
    assert_int_equal(model_explain(model, &word, 1, unit, 1), 1);
    for (int i = 0; i < 2; i++)
        if (terms[i].stem == 1)
            assert_near(terms[i].weight / unit[0].weight, ltc1 / sqrt(ltc1 * ltc1 + ltc3 * ltc3), 1e-6);
    model_free(model);

    options.weighting = TEXT_ATN;
    model = train(&three_set, &options);
    model_explain(model, &page, 1, terms, 3);
    model_explain(model, &word, 1, unit, 1);
    for (int i = 0; i < 2; i++)
        if (terms[i].stem == 1)
            assert_near(terms[i].weight / unit[0].weight, .5 + .5 * 4 / 50, 1e-6);
    model_free(model);
}

/* lsc of two words that stand in 2 and 1 of 3 pages. */
static void test_smoothed_weights_by_hand(void **state)
{
    struct model_options options = model_options_default(MODEL_LOGISTIC);
    struct text_weight items[] = {{1, 4}, {3, 1}, {99, 50}}, lone[] = {{1, 1}};
    struct text_vector page = {items, 3}, word = {lone, 1};
    double lsc1 = (1 + log(4)) * (1 + log(4. / 3)), lsc3 = 1 + log(4. / 2);
    struct model_term terms[3], unit[1];
    struct model *model;

    (void)state;
    options.weighting = TEXT_LSC;
    model = train(&three_set, &options);
    assert_int_equal(model_explain(model, &page, 1, terms, 3), 2);
    assert_int_equal(model_explain(model, &word, 1, unit, 1), 1);
    for (int i = 0; i < 2; i++)
        if (terms[i].stem == 1)
            assert_near(terms[i].weight / unit[0].weight, lsc1 / sqrt(lsc1 * lsc1 + lsc3 * lsc3), 1e-6);
    model_free(model);
}

/* One page of each side and six weak ones that weigh as much together as the two: the two count three times at a third
 * of C, which is what a set without weak pages says that has them three times. */
static void test_weak_examples(void **state)
{
    static struct text_weight yes[] = {{1, 2}, {2, 1}}, no[] = {{3, 1}}, weak[] = {{2, 1}, {4, 2}};
    struct learn_example examples[8] = {{{no, 1}, 0}, {{yes, 2}, 1}}, copies[12];
    struct learn_set set = {.examples = examples, .nexamples = 8, .nweak = 6, .classes = two_names, .nclasses = 2};
    struct learn_set plain = {.examples = copies, .nexamples = 12, .classes = two_names, .nclasses = 2};
    static const enum model_kind weighed[] = {MODEL_SVM, MODEL_LOGISTIC, MODEL_BAYES};

    (void)state;
    for (int i = 0; i < 6; i++) {
        examples[2 + i] = (struct learn_example){{weak, 2}, 0};
        copies[i] = examples[i % 2];
        copies[6 + i] = examples[2 + i];
    }
    for (size_t i = 0; i < sizeof weighed / sizeof *weighed; i++)
        for (int hinge = 0; hinge < 2; hinge++) {
            struct model_options options = model_options_default(weighed[i]);
            struct model *a, *b;
            double x[2], y[2];

            options.weighting = TEXT_TF;
            options.loss = hinge ? MODEL_HINGE : MODEL_SQUARED_HINGE;
            options.alpha = 1;
            a = train(&set, &options);
            options.C /= 3;
            options.alpha *= 3;
            b = train(&plain, &options);
            for (int page = 0; page < 3; page++) {
                model_decision(a, &examples[page].tf, x);
                model_decision(b, &examples[page].tf, y);
                assert_near(x[1], y[1], 1e-3);
            }
            model_free(a);
            model_free(b);
        }
}

/* One page in three is of the second class; where one in ten will be, the odds fall by (1/9) / (1/2). */
static void test_prior(void **state)
{
    static struct text_weight words[6][2];
    struct learn_example examples[6];
    struct learn_set set = {.examples = examples, .nexamples = 6, .classes = two_names, .nclasses = 2};

    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        words[i][0] = (struct text_weight){1 + i % 3 / 2, 1};
        words[i][1] = (struct text_weight){10 + i, 1};
        examples[i] = (struct learn_example){{words[i], 2}, i % 3 == 2};
    }
    for (enum model_kind kind = MODEL_BAYES; kind <= MODEL_MLP; kind++) {
        struct model_options options = model_options_default(kind);
        struct model *plain, *moved;
        double x[2], y[2];

        plain = train(&set, &options);
        options.prior = .1;
        moved = train(&set, &options);
        for (int page = 0; page < 3; page++) {
            model_predict(plain, &examples[page].tf, x);
            model_predict(moved, &examples[page].tf, y);
            assert_near(y[1] / y[0], x[1] / x[0] * 2 / 9, 1e-5 * x[1] / x[0]);
            assert_near(y[0] + y[1], 1, 1e-9);
        }
        model_free(plain);
        model_free(moved);
    }
}

/* Two pages of one word each, on opposite sides: w = (a, -a) and b = 0. The hinge loss a a + 2 C (1 - a) has its minimum
 * at a = C, at most 1; the squared hinge loss a a + 2 C (1 - a)^2 at 2 C / (1 + 2 C). */
static void test_losses_by_hand(void **state)
{
    static struct text_weight yes[] = {{1, 1}}, no[] = {{2, 1}};
    static const struct learn_example two[] = {{{no, 1}, 0}, {{yes, 1}, 1}};
    const struct learn_set set = {.examples = two, .nexamples = 2, .classes = two_names, .nclasses = 2};
    static const struct {
        double C, hinge, squared;
    } rows[] = {{.25, .25, 1. / 3}, {1, 1, 2. / 3}, {4, 1, 8. / 9}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int hinge = 0; hinge < 2; hinge++) {
            struct model_options options = model_options_default(MODEL_SVM);
            struct model *model;
            double scores[2];

            options.C = rows[i].C;
            options.loss = hinge ? MODEL_HINGE : MODEL_SQUARED_HINGE;
            model = train(&set, &options);
            model_decision(model, &two[1].tf, scores);
            assert_near(scores[1], hinge ? rows[i].hinge : rows[i].squared, 1e-3);
            model_decision(model, &two[0].tf, scores);
            assert_near(scores[1], hinge ? -rows[i].hinge : -rows[i].squared, 1e-3);
            model_free(model);
        }
}

/* The hinge loss tells pages apart, too, and the same bytes come out whatever rand() was left at. */
static void test_hinge_loss_learns_and_repeats(void **state)
{
    struct sample *sample = sample_new(2, 30, 1), *others = sample_new(2, 30, 2);
    struct model_options options = model_options_default(MODEL_SVM);
    struct model *models[2];
    struct buf bytes[2];

    (void)state;
    options.loss = MODEL_HINGE;
    options.weighting = TEXT_ATN;
    for (int i = 0; i < 2; i++) {
        srand((unsigned)i);
        models[i] = train(&sample->set, &options);
        assert_true(share_right(models[i], &others->set) > .9);
        buf_init(&bytes[i], 0);
        assert_int_equal(model_write(models[i], &bytes[i]), SCENT_OK);
    }
    assert_true(str_eq(buf_str(&bytes[0]), buf_str(&bytes[1])));
    for (int i = 0; i < 2; i++) {
        buf_release(&bytes[i]);
        model_free(models[i]);
    }
    free(sample);
    free(others);
}

static void test_odd_frequencies_are_skipped(void **state)
{
    struct sample *sample = sample_new(2, 20, 8);
    struct text_weight items[] = {{sample_stem(5), 2}, {sample_stem(1001), NAN}, {sample_stem(1002), -3},
                                  {sample_stem(1003), INFINITY}, {sample_stem(1004), 0}, {sample_stem(1005), 1e300}};
    struct text_vector odd = {items, 6}, plain = {items, 1};

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *model = train_kind(&sample->set, kinds[k]);
        double p[2], q[2];

        model_predict(model, &odd, p);
        model_predict(model, &plain, q);
        assert_near(p[1], q[1], 0);
        model_free(model);
    }
    free(sample);
}

/* Labels drawn by lot: the SVM separates its own pages all the same, and a sigmoid that was fitted to them would be a
 * step. Fitted to pages that were held out it knows that it knows nothing. */
static void test_probability_is_calibrated_on_held_out_pages(void **state)
{
    struct sample *sample = sample_new(2, 60, 10), *others = sample_new(2, 60, 11);
    double p[2], confidence = 0;
    struct model *model;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 12);
    for (size_t i = 0; i < sample->set.nexamples; i++)
        sample->examples[i].class = (uint32_t)rng_below(&rng, 2);
    model = train_kind(&sample->set, MODEL_SVM);
    for (size_t i = 0; i < others->set.nexamples; i++) {
        model_predict(model, &others->examples[i].tf, p);
        confidence += fabs(p[1] - .5) / (double)others->set.nexamples;
    }
    assert_true(confidence < .1);
    model_free(model);
    free(sample);
    free(others);
}

static struct log_lines {
    int count;
    char last[256];
} lines;

static void count_line(void *ctx, enum log_level level, const char *line)
{
    struct log_lines *to = ctx;

    assert_int_equal(level, LOG_WARN);
    to->count++;
    snprintf(to->last, sizeof to->last, "%s", line);
}

/* Trains and expects a message with `want` in it: an error, or a warning when `warns`. */
static void expect(struct learn_example *examples, size_t n, uint32_t nclasses, bool warns, const char *want)
{
    struct log log = {LOG_INFO, count_line, &lines};
    struct learn_set set = {.examples = examples, .nexamples = n, .classes = two_names, .nclasses = nclasses};

    for (int k = 0; k < KINDS; k++) {
        struct model_options options = model_options_default(kinds[k]);
        struct model *model;
        struct errmsg err = {""};
        scent_status status;

        lines = (struct log_lines){0};
        options.log = &log;
        status = model_train(&set, &options, &model, &err);
        assert_int_equal(status, warns ? SCENT_OK : SCENT_E_INVALID);
        assert_true(warns == (model != NULL));
        if (!strstr(warns ? lines.last : err.text, want)) {
            print_error("%s: \"%s\" \"%s\" lacks \"%s\"\n", model_kind_name(kinds[k]), err.text, lines.last, want);
            fail();
        }
        model_free(model);
    }
}

static void test_bad_examples(void **state)
{
    struct text_weight nan[] = {{1, NAN}}, minus[] = {{1, -1}}, unsorted[] = {{2, 1}, {1, 1}}, zero[] = {{1, 0}};
    struct text_vector a = {v1, 2}, b = {v2, 3}, c = {v3, 2};

    (void)state;
    expect((struct learn_example[]){{a, 0}, {b, 0}}, 2, 2, false, "class \"yes\" has no example");
    expect((struct learn_example[]){{a, 0}}, 1, 2, false, "class \"yes\" has no example");
    expect((struct learn_example[]){{a, 0}}, 0, 2, false, "class \"no\" has no example");
    expect((struct learn_example[]){{a, 0}, {b, 0}}, 2, 1, false, "at least two classes");
    expect((struct learn_example[]){{a, 0}, {a, 1}}, 2, 2, false, "same words");
    expect((struct learn_example[]){{a, 0}, {b, 1}, {a, 1}}, 3, 2, true, "");
    expect((struct learn_example[]){{{NULL, 0}, 0}, {{NULL, 0}, 1}}, 2, 2, false, "no example with any words");
    expect((struct learn_example[]){{a, 0}, {{zero, 1}, 1}}, 2, 2, false, "class \"yes\" has no example with any words");
    expect((struct learn_example[]){{a, 0}, {{nan, 1}, 1}}, 2, 2, false, "example 2 (class \"yes\")");
    expect((struct learn_example[]){{a, 0}, {{minus, 1}, 1}}, 2, 2, false, "not a number");
    expect((struct learn_example[]){{a, 0}, {{unsorted, 2}, 1}}, 2, 2, false, "not sorted");
    expect((struct learn_example[]){{a, 0}, {b, 2}}, 2, 2, false, "class number 2");
    expect((struct learn_example[]){{a, 0}, {a, 1}, {b, 1}, {c, 1}, {b, 0}, {c, 0}}, 6, 2, true, "more than one class");
}

static void test_one_example_cannot_be_calibrated(void **state)
{
    struct log log = {LOG_INFO, count_line, &lines};
    struct model_options options = model_options_default(MODEL_SVM);
    struct model *model;
    double p[2];

    (void)state;
    lines = (struct log_lines){0};
    options.log = &log;
    model = train(&three_set, &options);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, "too few examples to calibrate"));
    model_predict(model, &three[2].tf, p);
    assert_true(p[1] > .5);
    model_free(model);
}

static void test_bad_options(void **state)
{
    struct model_options base = model_options_default(MODEL_SVM), bad[6];
    struct model *model;
    struct errmsg err;

    (void)state;
    for (int i = 0; i < 6; i++)
        bad[i] = base;
    bad[0].C = 0;
    bad[1].alpha = -1;
    bad[2].folds = 1;
    bad[3].hidden = 0;
    bad[4].hidden = MODEL_HIDDEN_MAX + 1;
    bad[5].flatten = NAN;
    for (int i = 0; i < 6; i++)
        assert_int_equal(model_train(&three_set, &bad[i], &model, &err), SCENT_E_INVALID);
}

static void test_features_are_limited_by_df(void **state)
{
    struct sample *sample = sample_new(2, 40, 9);
    struct model_options options = model_options_default(MODEL_LOGISTIC);
    struct model *model;

    (void)state;
    for (options.max_features = 1; options.max_features < 400; options.max_features *= 3) {
        model = train(&sample->set, &options);
        assert_int_equal(model_nfeatures(model), options.max_features < 340 ? options.max_features : 340);
        model_free(model);
    }
    free(sample);
}

/* Four examples: w and x in both of the topic; w in the others, too; y in one of each; z in one of the topic. Mutual
 * information with the class: x ln 2, z .25 ln 2 + .25 ln(2/3) + .5 ln(4/3) = .2158, w and y 0. By frequency w and x
 * (before y, as its stem is smaller) would stay. */
static void test_informative_words_stay(void **state)
{
    enum { W = 1, X, Y, Z };
    struct text_weight words[][4] = {{{W, 1}, {X, 2}, {Y, 1}, {Z, 1}}, {{W, 3}, {X, 1}}, {{W, 1}, {Y, 1}}, {{W, 2}}};
    const struct learn_example examples[] = {
        {{words[0], 4}, 1}, {{words[1], 2}, 1}, {{words[2], 2}, 0}, {{words[3], 1}, 0}};
    const struct str classes[] = {STR("others"), STR("topic")};
    const struct learn_set set = {.examples = examples, .nexamples = 4, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(MODEL_LOGISTIC);
    struct model_term terms[4];
    struct errmsg err = {0};
    struct model *model;

    (void)state;
    options.max_features = 2;
    options.weighting = TEXT_TF;
    options.selection = MODEL_BY_INFORMATION;
    assert_ok(model_train(&set, &options, &model, &err), err);
    assert_int_equal(model_nfeatures(model), 2);
    assert_int_equal(model_telling(model, 1, terms, 4), 2);
    assert_int_equal(terms[0].stem, X);
    assert_int_equal(terms[1].stem, Z);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_informative_words_stay),
        cmocka_unit_test(test_new_pages_are_told_apart),
        cmocka_unit_test(test_sums_of_words),
        cmocka_unit_test(test_same_seed_same_bytes),
        cmocka_unit_test(test_telling_words),
        cmocka_unit_test(test_explanation_adds_up),
        cmocka_unit_test(test_weights_by_hand),
        cmocka_unit_test(test_smoothed_weights_by_hand),
        cmocka_unit_test(test_weak_examples),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_losses_by_hand),
        cmocka_unit_test(test_hinge_loss_learns_and_repeats),
        cmocka_unit_test(test_odd_frequencies_are_skipped),
        cmocka_unit_test(test_probability_is_calibrated_on_held_out_pages),
        cmocka_unit_test(test_bad_examples),
        cmocka_unit_test(test_one_example_cannot_be_calibrated),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_features_are_limited_by_df),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
