/* The classics, worked out by hand. */
#include "strategy_fixture.h"

static const char FIVE[] = "<p><a href=/a>1</a> <a href=/b>2</a> <a href=/c>3</a> <a href=/d>4</a> <a href=/e>5</a>";

static void fish_potential(void **state)
{
    struct strategy_fixture f;

    (void)state;
    fixture_open(&f, "strategy: {name: fish, width: 2, depth: 3}");
    f.judgement.relevant = true;
    fixture_visit(&f, FIVE, 1, true, NULL);
    for (uint32_t i = 0; i < 5; i++) /* 1.5 * 2 = 3 get 1 */
        assert_close(fixture_score(&f, i).priority, i < 3 ? 1 : 0);
    assert_int_equal(fixture_score(&f, 4).own[0], 3);
    f.judgement.relevant = false;
    for (uint32_t i = 0; i < 5; i++)
        assert_close(fixture_score(&f, i).priority, i < 2 ? .5 : 0);
    fixture_close(&f);
}

static void fish_depth(void **state)
{
    struct strategy_fixture f;
    struct strategy_score kept = {.priority = .5f, .own = {2}}, found = {.priority = 1, .own = {1}};

    (void)state;
    fixture_open(&f, "strategy: {name: fish, width: 2, depth: 3}");
    f.own[0] = 2;
    fixture_visit(&f, FIVE, 1, false, NULL);
    assert_int_equal(fixture_score(&f, 0).own[0], 1);
    assert_false(fixture_score(&f, 0).drop);
    f.own[0] = 0;
    assert_true(fixture_score(&f, 0).drop); /* an irrelevant page at the end of its depth */
    f.judgement.relevant = true;
    assert_false(fixture_score(&f, 0).drop);
    assert_int_equal(fixture_score(&f, 0).own[0], 3);
    strategy_merge(&f.strategy, 7, &kept, &found);
    assert_close(found.priority, 1);
    assert_int_equal(found.own[0], 2);
    fixture_close(&f);
}

/* q is the seed page {x, y}, each with weight 1/sqrt 2. */
static void shark_formula(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;
    float inherited = .4f;

    (void)state;
    fixture_open(&f, "strategy: {name: shark, inherit: 0.5, anchor: 0.8, mix: 0.5, window: 2}");
    fixture_visit(&f, "<html lang=en>xylo yard", 1, true, NULL);
    fixture_visit(&f, "<html lang=en>xylo <a href=/a>yard</a> zebra zinc quartz <a href=/b>quilt</a> xylo", 2, false, NULL);
    /* The page {xylo 2, yard 1, zebra, zinc, quartz, quilt}: xylo weighs 1 + ln 2 */
    double xylo = 1 + log(2), norm = sqrt(xylo * xylo + 5), page = (xylo + 1) / (norm * sqrt(2));
    score = fixture_score(&f, 0); /* the anchor matches: its context counts 1 */
    assert_close(score.priority, .5 * .5 * page + .5 * (.8 / sqrt(2) + .2 * 1));
    /* quilt does not match; the window "quartz quilt xylo" does: one of three words */
    score = fixture_score(&f, 1);
    assert_close(score.priority, .5 * .5 * page + .5 * (.8 * 0 + .2 * (1 / (sqrt(3) * sqrt(2)))));
    /* A page without any match hands on what it inherited. */
    memcpy(f.own, &inherited, sizeof inherited);
    f.own[4] = 2;
    fixture_visit(&f, "<html lang=en>zebra <a href=/a>zinc</a>", 3, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .5 * .5 * .4);
    assert_int_equal(score.own[4], 1);
    fixture_close(&f);
}

/* The same seed; the page says .2, the anchor .6, the words around it .2. */
static void anchor_by_seeds(void **state)
{
    struct strategy_fixture f;
    struct buf saved;

    (void)state;
    fixture_open(&f, "strategy: {name: anchor-text, words: 2}");
    fixture_visit(&f, "<html lang=en>xylo yard", 1, true, NULL);
    for (int restored = 0; restored < 2; restored++) {
        double page = 2 / (sqrt(6) * sqrt(2));

        fixture_visit(&f, "<html lang=en>xylo <a href=/a>yard</a> zebra zinc quartz <a href=/b>quilt</a>", 2, false,
                      NULL);
        assert_close(fixture_score(&f, 0).priority, .6 / sqrt(2) + .2 * 2 / (sqrt(3) * sqrt(2)) + .2 * page);
        assert_close(fixture_score(&f, 1).priority, .2 * page);
        if (restored)
            break;
        buf_init(&saved, 0);
        assert_int_equal(f.strategy.ops->save(f.strategy.state, &saved), SCENT_OK);
        fixture_close(&f);
        fixture_open(&f, "strategy: {name: anchor-text, words: 2}");
        assert_int_equal(f.strategy.ops->load(f.strategy.state, buf_str(&saved), &(struct errmsg){0}), SCENT_OK);
        buf_release(&saved);
    }
    fixture_close(&f);
}

/* Words that the predicate asks for, rare ones more than common ones; not those that it excludes. */
static void anchor_by_predicate(void **state)
{
    static const char page[] = "<html lang=en><p><a href=/a>transistor</a><p><a href=/b>water</a><p><a href=/c>shop</a>"
                               "<p><a href=/d>transistor and water</a>";
    struct strategy_fixture f;
    double score[4];

    (void)state;
    fixture_open(&f, "relevant: '(transistor and water) and not \"shop\"'\nstrategy: {name: anchor-text, words: 0, page: 0}");
    fixture_visit(&f, "<html lang=en>shop shop shop", 1, true, NULL);
    fixture_visit(&f, page, 2, false, NULL);
    for (uint32_t i = 0; i < 4; i++)
        score[i] = (double)fixture_score(&f, i).priority;
    assert_true(score[0] > score[1] && score[1] > 0);
    assert_close(score[2], 0);
    assert_true(score[3] > score[0]);
    fixture_close(&f);
}

static void degree(void **state)
{
    struct strategy_fixture f;
    struct strategy_score kept, found;

    (void)state;
    fixture_open(&f, "strategy: in-degree");
    fixture_visit(&f, FIVE, 1, true, NULL);
    kept = fixture_score(&f, 0);
    found = fixture_score(&f, 1); /* the same page says it again */
    strategy_merge(&f.strategy, 100, &kept, &found);
    assert_close(found.priority, 1);
    kept = found;
    fixture_visit(&f, FIVE, 2, false, NULL); /* the same page under another worker's id */
    found = fixture_score(&f, 0);
    strategy_merge(&f.strategy, 100, &kept, &found);
    assert_close(found.priority, 1);
    fixture_rename(&f, "http://site.test/2");
    found = fixture_score(&f, 0);
    strategy_merge(&f.strategy, 100, &kept, &found);
    assert_close(found.priority, 2);
    fixture_close(&f);
}

/* 0 -> 1, 2;  1 -> 2;  2 is not fetched: what it has goes to all alike.
 * r0 = b, r1 = b + d r0/2, r2 = b + d r0/2 + d r1, with b so that they add up to 3. */
static void ranks(void **state)
{
    struct strategy_fixture f;
    const uint32_t two[] = {1, 2}, one[] = {2};
    struct strategy_score score = {0};
    double d = .85, r1 = 1 + d / 2, r2 = 1 + d / 2 + d * (1 + d / 2), scale = 3 / (1 + r1 + r2);

    (void)state;
    fixture_open(&f, "strategy: pagerank");
    fixture_visit(&f, "<a href=/1>a</a> <a href=/2>b</a>", 0, true, two);
    fixture_visit(&f, "<a href=/2>b</a>", 1, false, one);
    assert_true(f.strategy.ops->stale(f.strategy.state, NULL, 0) == STRATEGY_ALL);
    assert_true(f.strategy.ops->stale(f.strategy.state, NULL, 0) == 0);
    assert_true(f.strategy.ops->rescore(f.strategy.state, 2, &score));
    assert_true(fabs((double)score.priority - r2 * scale) < 1e-3);
    score.priority = 0;
    assert_true(f.strategy.ops->rescore(f.strategy.state, 1, &score));
    assert_true(fabs((double)score.priority - r1 * scale) < 1e-3);
    fixture_close(&f);
}

static void batches(void **state)
{
    struct strategy_fixture f;

    (void)state;
    fixture_open(&f, "strategy: {name: best-n-first, n: 17}");
    assert_int_equal(f.strategy.ops->batch(f.strategy.state), 17);
    f.judgement.cosine = .625;
    fixture_visit(&f, FIVE, 1, true, NULL);
    assert_close(fixture_score(&f, 3).priority, .625);
    fixture_close(&f);
}

/* Every strategy takes the preset "paper", and no other. */
static void presets(void **state)
{
    struct strategy_context context = {.seed = 1};
    struct strategy strategy;
    struct errmsg err = {0};

    (void)state;
    for (int bad = 0; bad < 2; bad++) {
        struct topic *topic;

        assert_ok(topic_parse(bad ? STR("topic: t\nseeds: [http://a.test/]\nstrategy: {name: fish, preset: rod}\n")
                                  : STR("topic: t\nseeds: [http://a.test/]\nstrategy: {name: fish, preset: paper}\n"),
                              "t.yaml", &topic, &err), err);
        context.topic = topic;
        assert_int_equal(strategy_open(&context, &strategy, &err), bad ? SCENT_E_INVALID : SCENT_OK);
        if (!bad)
            strategy_close(&strategy);
        topic_free(topic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fish_potential), cmocka_unit_test(fish_depth), cmocka_unit_test(shark_formula),
        cmocka_unit_test(anchor_by_seeds), cmocka_unit_test(anchor_by_predicate),
        cmocka_unit_test(degree),         cmocka_unit_test(ranks),      cmocka_unit_test(batches),
        cmocka_unit_test(presets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
