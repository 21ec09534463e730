/* The apprentice's features, counts and probabilities, worked out by hand.
 *
 * The first page has two links; between them and the words are text leaves:
 *
 *   alpha | puck (link 1) | cheese (link 2) | omega
 *
 * Link 1 has the features puck 0, alpha -1, cheese +1, omega +2 and the class of the page; link 2 has cheese 0, omega +1,
 * puck -1, alpha -2 and the class. Link 1 leads to a page with probability 1, link 2 to one with 0: of 9 distinct
 * features each side has 5, the class in common. With 1 added to each count a feature of link 1 weighs ln (2/14)/(1/14) =
 * ln 2, one of link 2 -ln 2, the class 0; the prior is ln (1 + 1)/(1 + 1) = 0. */
#include "strategy_fixture.h"

#define PAGE "<html lang=en><p>alpha <a href=/1>puck</a><p><a href=/2>cheese</a> omega"

static struct model *two_classes(void)
{
    static const struct str names[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    struct text_weight on = {text_word_hash(STR("on")), 1}, off = {text_word_hash(STR("off")), 1};
    struct learn_example examples[] = {{{&off, 1}, 0}, {{&on, 1}, 1}};
    struct learn_set set = {.examples = examples, .nexamples = 2, .classes = names, .nclasses = 2};
    struct model_options options = model_options_default(MODEL_BAYES);
    struct errmsg err = {0};
    struct model *model;

    assert_ok(model_train(&set, &options, &model, &err), err);
    return model;
}

static void open_apprentice(struct strategy_fixture *f, const char *options)
{
    char yaml[256];

    snprintf(yaml, sizeof yaml, "examples: {positive: a, negative: b}\nstrategy: {name: apprentice, flatten: 0, %s}", options);
    fixture_open_model(f, yaml, two_classes());
    f->judgement.classifier = .7;
}

/* The candidate becomes a page without links, of this probability. */
static void follow(struct strategy_fixture *f, const struct strategy_score *score, double probability)
{
    memcpy(f->own, score->own, sizeof f->own);
    f->judgement.classifier = probability;
    fixture_visit(f, "<html lang=en><p>x", 2, false, NULL);
    f->judgement.classifier = .7;
}

static void words_and_their_places_are_learned(void **state)
{
    struct strategy_fixture f;
    struct strategy_score first, second;
    uint32_t ids[8];

    (void)state;
    open_apprentice(&f, "after: 2");
    fixture_visit(&f, PAGE, 1, true, NULL);
    first = fixture_score(&f, 0);
    second = fixture_score(&f, 1);
    assert_close((double)first.priority, .7); /* soft focus */
    follow(&f, &first, 1);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 8), 0);
    follow(&f, &second, 0);
    assert_true(f.strategy.ops->stale(f.strategy.state, ids, 8) == STRATEGY_ALL);
    /* All four words speak against: 1 / (1 + 2^4). */
    assert_true(f.strategy.ops->rescore(f.strategy.state, 101, &second));
    assert_close((double)second.priority, 1. / 17);
    /* puck 0 and alpha -1: odds of 4. */
    fixture_visit(&f, "<html lang=en><p>alpha <a href=/3>puck</a>", 3, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .8);
    /* cheese 0 and alpha -2; beta is not known: odds of 1/4. */
    fixture_visit(&f, "<html lang=en><p>alpha<p>beta<p><a href=/4>cheese</a>", 3, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .2);
    /* alpha in the anchor was never seen: the prior. */
    fixture_visit(&f, "<html lang=en><p><a href=/5>alpha</a>", 3, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .5);
    first = fixture_score(&f, 0);
    assert_int_equal(first.nparts, 6);
    assert_int_equal(first.parts[5].count, 1);
    assert_int_equal(first.parts[5].of, 2);
    fixture_close(&f);
}

/* A probability of .25 counts .25 on the topic and .75 off it. Features: puck 0 and the class; (1 + .25) / (.5 + 2) on
 * the topic and (1 + .75) / (1.5 + 2) off it, .5 each: they weigh nothing, and the prior is ln 1.25/1.75. */
static void a_label_is_a_probability(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    open_apprentice(&f, "after: 1");
    fixture_visit(&f, "<html lang=en><p><a href=/1>puck</a>", 1, true, NULL);
    score = fixture_score(&f, 0);
    follow(&f, &score, .25);
    assert_true(f.strategy.ops->rescore(f.strategy.state, 100, &score));
    assert_close((double)score.priority, 1.25 / 3);
    fixture_close(&f);
}

/* More features than `flatten` count as so many: two words of ln 2 as one, odds of 2. The class was met on both sides. */
static void many_features_count_as_fewer(void **state)
{
    struct strategy_fixture f;
    struct strategy_score first, second;

    (void)state;
    fixture_open_model(&f, "examples: {positive: a, negative: b}\nstrategy: {name: apprentice, flatten: 1, after: 2}", two_classes());
    f.judgement.classifier = .7;
    fixture_visit(&f, PAGE, 1, true, NULL);
    first = fixture_score(&f, 0);
    second = fixture_score(&f, 1);
    follow(&f, &first, 1);
    follow(&f, &second, 0);
    fixture_visit(&f, "<html lang=en><p>alpha <a href=/3>puck</a>", 3, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, 2. / 3);
    fixture_close(&f);
}

static void links_that_are_not_remembered_come_last(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    open_apprentice(&f, "after: 1");
    fixture_visit(&f, "<html lang=en><p><a href=/1>puck</a>", 1, true, NULL);
    score = fixture_score(&f, 0);
    follow(&f, &score, 1);
    fixture_copy(&f, PAGE, 5, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .7 - 1);
    fixture_close(&f);
}

/* The first link is forgotten when 32,768 others have come. */
static void what_is_remembered_is_bounded(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;
    uint32_t ids[64];
    size_t told = 0;

    (void)state;
    open_apprentice(&f, "after: 1");
    fixture_visit(&f, "<html lang=en><p><a href=/1>puck</a><a href=/2>puck</a>", 1, true, NULL);
    score = fixture_score(&f, 0);
    follow(&f, &score, 1);
    assert_true(f.strategy.ops->stale(f.strategy.state, ids, 64) == STRATEGY_ALL);
    score = fixture_score(&f, 0);
    fixture_visit(&f, "<html lang=en><p><a href=/1>puck</a>", 1, true, NULL);
    score = fixture_score(&f, 0);
    assert_true(score.priority > 0);
    for (int i = 0; i < 1 << 14; i++)
        fixture_visit(&f, "<html lang=en><p><a href=/3>rink</a><a href=/4>rink</a>", 3, true, NULL);
    for (size_t n = 64; n == 64; told += n)
        n = f.strategy.ops->stale(f.strategy.state, ids, 64);
    assert_int_equal(told, 3); /* the links of the first two pages */
    assert_true(f.strategy.ops->rescore(f.strategy.state, 100, &score));
    assert_close((double)score.priority, .7 - 1);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_their_places_are_learned),
        cmocka_unit_test(a_label_is_a_probability),
        cmocka_unit_test(many_features_count_as_fewer),
        cmocka_unit_test(links_that_are_not_remembered_come_last),
        cmocka_unit_test(what_is_remembered_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
