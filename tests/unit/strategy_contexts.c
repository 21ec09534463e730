/* The classifier-guided strategies, worked out by hand.
 *
 * The model is Naive Bayes with alpha 1 on the examples "hockey puck" and "cheese milk": a word of its own class has
 * (1 + 1)/(2 + 4) = 1/3, one of the other 1/6. So h words of the topic and n others give odds of 2^(h - n). */
#include "strategy_fixture.h"

#include "learn/model.h"
#include "strategy/evidence.h"

static double odds(int more)
{
    return pow(2, more) / (1 + pow(2, more));
}

static void take_words(struct page_fixture *page, struct arena *arena, const char *words, struct text_vector *out)
{
    char html[256];
    const struct page *read;

    snprintf(html, sizeof html, "<html lang=en>%s", words);
    read = fixture_html(page, html);
    *out = (struct text_vector){arena_array(arena, read->nbag, sizeof *out->items), read->nbag};
    for (uint32_t i = 0; i < read->nbag; i++)
        out->items[i] = (struct text_weight){read->bag[i].stem, read->bag[i].tf};
    fixture_release(page);
}

static struct model *train(const char *const *texts, const struct str *classes, uint32_t nclasses)
{
    struct learn_example examples[4];
    struct learn_set set = {.examples = examples, .nexamples = nclasses, .classes = classes, .nclasses = nclasses};
    struct model_options options = model_options_default(MODEL_BAYES);
    struct page_fixture page = {0};
    struct errmsg err = {0};
    struct model *model;
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (uint32_t i = 0; i < nclasses; i++) {
        examples[i].class = i;
        take_words(&page, &arena, texts[i], &examples[i].tf);
    }
    options.alpha = 1;
    options.flatten = 0;
    assert_ok(model_train(&set, &options, &model, &err), err);
    arena_release(&arena);
    return model;
}

static struct model *learn_from(const char *negative, const char *positive)
{
    const char *const texts[] = {negative, positive};
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};

    return train(texts, classes, 2);
}

static struct model *two_classes(void)
{
    return learn_from("cheese milk", "hockey puck");
}

static void open_guided(struct strategy_fixture *f, const char *strategy)
{
    char yaml[256];

    snprintf(yaml, sizeof yaml, "examples: {positive: here, negative: there}\nmodel: {kind: bayes}\nstrategy: %s",
             strategy);
    fixture_open_model(f, yaml, two_classes());
}

/* "of" and "the" are stop words: they fill a window and do not count in it. */
static const char PAGE[] = "<html lang=en><body><p>hockey milk puck the <a href=/a>hockey</a> of milk cheese puck</p>"
                           "<p>milk <i><a href=/b>puck hockey</a></i></p><p><a href=/c></a></p>";

static void parents(void **state)
{
    static const char *const names[] = {"full-page", "classifier", "soft-focus"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct strategy_fixture f;

        open_guided(&f, names[i]);
        f.judgement.classifier = .8125;
        fixture_visit(&f, PAGE, 1, true, NULL);
        for (uint32_t link = 0; link < 3; link++)
            assert_close(fixture_score(&f, link).priority, .8125);
        fixture_close(&f);
    }
}

/* Words: 0 hockey 1 milk 2 puck 3 the [4 hockey] 5 of 6 milk 7 cheese 8 puck | 9 milk [10 puck 11 hockey] | [] */
static void windows(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_guided(&f, "{name: text-window, words: 4}");
    f.judgement.classifier = .25; /* the page has no say */
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, odds(1)); /* 2 to 6: two of hockey, one of cheese */
    assert_close(fixture_score(&f, 1).priority, odds(0)); /* 6 to 11, nothing follows: three and three */
    assert_close(fixture_score(&f, 2).priority, odds(2)); /* 8 to 11: three and one */
    fixture_close(&f);
    open_guided(&f, "{name: text-window, words: 2}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, odds(1)); /* the [hockey] of */
    fixture_close(&f);
    open_guided(&f, "text-window");
    fixture_visit(&f, PAGE, 1, true, NULL);
    for (uint32_t link = 0; link < 3; link++) /* all 12 words: six and four */
        assert_close(fixture_score(&f, link).priority, odds(2));
    fixture_close(&f);
}

static void window_combo(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    open_guided(&f, "{name: text-window-combo, words: 4}");
    f.judgement.classifier = .8;
    fixture_visit(&f, PAGE, 1, true, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .25 * .8 + .75 * odds(1));
    assert_int_equal(score.nparts, 3);
    assert_close(score.parts[0].value, odds(1));
    assert_close(score.parts[1].value, .8);
    assert_close(score.parts[2].value, .25);
    assert_close(fixture_score(&f, 1).priority, .25 * .8 + .75 * odds(0));
    fixture_close(&f);
    open_guided(&f, "{name: text-window-combo, words: 4, beta: 0.6}");
    f.judgement.classifier = .8;
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 2).priority, .6 * .8 + .4 * odds(2));
    fixture_close(&f);
}

static void tag_tree_combo(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_guided(&f, "tag-tree-combo");
    f.judgement.classifier = .4;
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, .1 + .75 * odds(1)); /* the paragraph: four and three */
    assert_close(fixture_score(&f, 1).priority, .1 + .75 * odds(1)); /* a and i hold 2, the paragraph 3: two and one */
    assert_close(fixture_score(&f, 2).priority, .1 + .75 * odds(2)); /* up to the body */
    fixture_close(&f);
    open_guided(&f, "{name: tag-tree-combo, beta: 0, min: 1, max: 6}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, odds(0)); /* 6 of 9: 2 before, the anchor, 3 after; two and two */
    assert_close(fixture_score(&f, 1).priority, odds(2)); /* the anchor is enough */
    fixture_close(&f);
}

static void formatting(void **state)
{
    static const char html[] = "<html lang=en><p>milk <i><a href=/a>hockey</a> puck</i>";
    struct strategy_fixture f;

    (void)state;
    open_guided(&f, "{name: tag-tree-combo, beta: 0, min: 1}");
    fixture_visit(&f, html, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, odds(2)); /* the i */
    fixture_close(&f);
    open_guided(&f, "{name: tag-tree-combo, beta: 0, min: 1, formatting: skip}");
    fixture_visit(&f, html, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, odds(1)); /* the paragraph */
    fixture_close(&f);
}

/* A word of its own class has 1/4, any other 1/8. The target is both sports. */
static void open_taxonomy(struct strategy_fixture *f, const char *strategy)
{
    static const char *const texts[] = {"cheese milk", "bat ball", "hockey puck"};
    const struct str classes[] = {STR("Cooking"), STR("Sports.Cricket"), STR("Sports.Hockey")};
    char yaml[256];

    snprintf(yaml, sizeof yaml, "taxonomy: {file: t.tsv, target: Sports}\nstrategy: %s", strategy);
    fixture_open_model(f, yaml, train(texts, classes, 3));
}

static void target_classes_add_up(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_taxonomy(&f, "{name: text-window, words: 2}");
    fixture_visit(&f, "<html lang=en>the <a href=/a>puck</a> of <a href=/b>milk</a>", 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, .5 + .25);
    assert_close(fixture_score(&f, 1).priority, .4 + .2); /* "puck of [milk]": 2 to 1 to 2 */
    fixture_close(&f);
}

/* The first page has odds of 4 for cooking against 2 for each sport: its best class is no target, though the targets
 * have half of the probability. */
static const char COOKING[] = "<html lang=en>puck bat milk cheese <a href=/a>of</a>",
                  CRICKET[] = "<html lang=en>bat ball bat milk <a href=/a>of</a>";

static void hard_focus(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_taxonomy(&f, "hard-focus");
    f.judgement.classifier = .5;
    fixture_visit(&f, COOKING, 1, true, NULL);
    assert_true(fixture_score(&f, 0).drop);
    f.judgement.classifier = .75;
    fixture_visit(&f, CRICKET, 2, false, NULL);
    assert_false(fixture_score(&f, 0).drop);
    assert_close(fixture_score(&f, 0).priority, .75);
    /* A copy is scored without being observed. */
    fixture_copy(&f, COOKING, 3, false, NULL);
    f.visit.number--; /* it is not counted either */
    assert_true(fixture_score(&f, 0).drop);
    fixture_close(&f);
    open_taxonomy(&f, "{name: hard-focus, by: probability}");
    f.judgement.classifier = .5;
    fixture_visit(&f, COOKING, 1, true, NULL);
    assert_false(fixture_score(&f, 0).drop);
    f.judgement.classifier = .49;
    fixture_visit(&f, CRICKET, 2, false, NULL);
    assert_true(fixture_score(&f, 0).drop);
    fixture_close(&f);
}

static void needs_a_model(void **state)
{
    static const char *const names[] = {"full-page",   "text-window", "text-window-combo", "tag-tree-combo",
                                        "soft-focus", "hard-focus",  "classifier"};
    struct strategy_context context = {.seed = 1};
    struct strategy strategy;
    struct topic *topic;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct errmsg err = {0};

        assert_ok(topic_parse(STR("topic: t\nseeds: [http://site.test/]\n"), "t.yaml", &topic, &err), err);
        assert_ok(topic_set_strategy(topic, str_of(names[i]), &err), err);
        context.topic = topic;
        assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
        assert_non_null(strstr(err.text, names[i]));
        assert_non_null(strstr(err.text, "scent train"));
        topic_free(topic);
    }
}

/* ---- models that people have taught ---- */

static const char FIRST[] = "<html lang=en><p>ice <a href=/a>hockey puck</a></p><p>warm <a href=/b>cheese milk</a></p>";
static const char SECOND[] = "<html lang=en><p><a href=/c>milk</a></p><p>puck <a href=/a>puck</a></p>";

/* A page that was observed comes back, and links of a page that is new are read by the same model. */
static void taught_models_are_adopted(void **state)
{
    static const char *const names[] = {"{name: text-window, words: 2}", "tag-tree-combo", "adaptive"};
    const uint32_t others[] = {200, 201};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct knowledge taught = {.model = learn_from("hockey puck", "cheese milk")};
        struct strategy_fixture f;

        open_guided(&f, names[i]);
        f.judgement.classifier = .5;
        fixture_visit(&f, FIRST, 1, true, NULL);
        assert_true(fixture_score(&f, 0).priority > fixture_score(&f, 1).priority);
        assert_true(f.strategy.ops->adopt(f.strategy.state, &taught));
        fixture_copy(&f, FIRST, 1, true, NULL);
        assert_true(fixture_score(&f, 0).priority < fixture_score(&f, 1).priority);
        fixture_visit(&f, FIRST, 2, false, others);
        assert_true(fixture_score(&f, 0).priority < fixture_score(&f, 1).priority);
        fixture_close(&f);
        knowledge_release(&taught);
    }
}

static void open_evidence(struct evidence *evidence, const struct strategy_fixture *f, const struct knowledge *knowledge)
{
    struct strategy_context context = {.topic = f->topic, .knowledge = knowledge};
    struct errmsg err = {{0}};

    *evidence = (struct evidence){0};
    assert_ok(evidence_init(evidence, &context, &err), err);
}

/* URL 100 is linked from two pages, 101 and 102 from one. After these were read again, however often the models change
 * on the way, they are what they would have been with the last model from the beginning. */
static void links_that_are_read_again_forget_the_old_model(void **state)
{
    const uint32_t targets[2][2] = {{100, 101}, {102, 100}};
    const char *const pages[] = {FIRST, SECOND};
    struct knowledge taught = {.model = learn_from("hockey puck", "cheese milk")};
    struct evidence changed, fresh;
    struct strategy_fixture f;

    (void)state;
    open_guided(&f, "adaptive");
    open_evidence(&changed, &f, &f.knowledge);
    open_evidence(&fresh, &f, &taught);
    for (uint32_t i = 0; i < 2; i++) {
        fixture_copy(&f, pages[i], 1 + i, true, targets[i]);
        f.judgement.classifier = .2 + i * .3;
        evidence_add(&changed, &f.visit, 1);
        f.judgement.classifier = .9 - i * .3;
        evidence_add(&fresh, &f.visit, 1);
        assert_false(evidence_read_again(&changed, &f.visit, 0)); /* nothing has changed */
    }
    assert_true(changed.urls[100].best[LINK_ANCHOR] > 0 && fresh.urls[100].best[LINK_ANCHOR] < 0);
    for (uint32_t i = 0; i < 4; i++) {
        if (i % 2 == 0)
            evidence_adopt(&changed, &taught);
        fixture_copy(&f, pages[i % 2], 1 + i % 2, true, targets[i % 2]);
        f.judgement.classifier = .9 - i % 2 * .3;
        assert_true(evidence_read_again(&changed, &f.visit, 0) && evidence_read_again(&changed, &f.visit, 1));
    }
    for (uint32_t id = 100; id < 103; id++) {
        const struct evidence_url *one = &changed.urls[id], *two = &fresh.urls[id];

        for (int i = 0; i < LINK_CONTEXTS; i++) {
            assert_close((double)one->best[i], (double)two->best[i]);
            assert_close((double)one->sum[i], (double)two->sum[i]);
        }
        assert_close((double)one->parent_best, (double)two->parent_best);
        assert_close((double)one->parent_sum, (double)two->parent_sum);
        assert_int_equal(one->linking, two->linking);
    }
    fixture_copy(&f, FIRST, 9, false, NULL); /* a copy, which was not added */
    assert_false(evidence_read_again(&changed, &f.visit, 0));
    evidence_release(&changed);
    evidence_release(&fresh);
    fixture_close(&f);
    knowledge_release(&taught);
}

/* Pages in turn: those that speak as the seed does, of which the judge says the same or its contrary, and the others. */
static void crawl_on(struct strategy_fixture *f, uint32_t from, uint32_t to, bool agree)
{
    for (uint32_t id = from; id < to; id++) {
        bool like = id % 2;

        f->judgement.classifier = like == agree ? .9 : .1;
        fixture_visit(f, like ? "<html lang=en>hockey puck <a href=/x>hockey</a>" : "<html lang=en>cheese milk <a href=/y>milk</a>",
                      id, false, (uint32_t[]){like ? 7 : 8});
    }
}

static float rank_of(struct strategy_fixture *f, uint32_t id)
{
    struct strategy_score score = {0};

    (void)f->strategy.ops->rescore(f->strategy.state, id, &score);
    return score.priority;
}

/* What adaptive believes changes where the judge agrees with the words of the seeds, and there alone; a restart keeps
 * the words, and the order. */
static void judges_that_agree_are_believed(void **state)
{
    (void)state;
    for (int agree = 0; agree < 2; agree++) {
        struct strategy_fixture f, alone, again;
        struct errmsg err = {0};
        struct buf blob;

        open_guided(&f, "adaptive");
        open_guided(&alone, "{name: adaptive, without: agreement}");
        open_guided(&again, "adaptive");
        fixture_visit(&f, "<html lang=en>hockey puck <a href=/x>puck</a>", 1, true, (uint32_t[]){7});
        fixture_visit(&alone, "<html lang=en>hockey puck <a href=/x>puck</a>", 1, true, (uint32_t[]){7});
        crawl_on(&f, 20, 60, agree);
        crawl_on(&alone, 20, 60, agree);
        assert_true((rank_of(&f, 7) != rank_of(&alone, 7)) == agree);
        buf_init(&blob, 0);
        assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
        assert_ok(again.strategy.ops->load(again.strategy.state, buf_str(&blob), &err), err);
        again.visit.number = f.visit.number;
        crawl_on(&f, 60, 66, agree);
        crawl_on(&again, 60, 66, agree);
        assert_true(rank_of(&f, 7) == rank_of(&again, 7) && rank_of(&f, 8) == rank_of(&again, 8));
        buf_release(&blob);
        fixture_close(&f);
        fixture_close(&alone);
        fixture_close(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents),        cmocka_unit_test(windows),    cmocka_unit_test(window_combo),
        cmocka_unit_test(tag_tree_combo), cmocka_unit_test(formatting), cmocka_unit_test(target_classes_add_up),
        cmocka_unit_test(hard_focus),     cmocka_unit_test(needs_a_model),
        cmocka_unit_test(taught_models_are_adopted),
        cmocka_unit_test(links_that_are_read_again_forget_the_old_model),
        cmocka_unit_test(judges_that_agree_are_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
