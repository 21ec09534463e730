/* Topics that are judged by a trained model. */
#include "topic/judge.h"
#include "topic_sample.h"

#include <math.h>

enum { CLASSES = 4, EXAMPLES = 3 };
static const char *const lessons[CLASSES][EXAMPLES] = {
    {"ice hockey puck rink goalie", "hockey stick puck skates ice", "goalie mask hockey rink"},
    {"football goal stadium striker", "striker kicks football pitch", "stadium pitch goal football"},
    {"soup potatoes onion boil", "bake bread flour oven", "onion soup boil pan"},
    {"novel poet chapter verse", "poet writes verse", "chapter novel print"},
};

/* A model of the first `nclasses` lessons. */
static struct model *train(enum model_kind kind, const char *const *names, uint32_t nclasses)
{
    struct model_options options = model_options_default(kind);
    struct learn_example examples[CLASSES * EXAMPLES];
    struct str classes[CLASSES];
    struct learn_set set = {.examples = examples, .classes = classes, .nclasses = nclasses};
    struct errmsg err = {{0}};
    struct model *model;
    struct arena arena;

    arena_init(&arena, 1 << 20);
    for (uint32_t c = 0; c < nclasses; c++) {
        classes[c] = str_of(names[c]);
        for (size_t i = 0; i < EXAMPLES; i++) {
            struct learn_example *example = &examples[set.nexamples++];
            struct page page;

            sample_page(&arena, "https://a.test/", "en", "", lessons[c][i], &page);
            *example = (struct learn_example){.class = c};
            example->tf.items = arena_array(&arena, page.nbag, sizeof *example->tf.items);
            for (uint32_t t = 0; t < page.nbag; t++)
                example->tf.items[example->tf.count++] = (struct text_weight){page.bag[t].stem, page.bag[t].tf};
        }
    }
    assert_ok(model_train(&set, &options, &model, &err), err);
    arena_release(&arena);
    return model;
}

static struct knowledge knowledge; /* of the topic that was made last */

static struct topic *make_topic(const char *keys, struct model *model)
{
    struct errmsg err = {{0}};
    struct topic *topic;
    char text[512];

    snprintf(text, sizeof text, "topic: x\n%s", keys);
    assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
    knowledge_release(&knowledge);
    knowledge.model = model;
    if (model)
        assert_ok(knowledge_check_model(topic, model, &err), err);
    return topic;
}

static struct judgement judge_text(const struct topic *topic, const char *text, unsigned wants, struct arena *arena)
{
    struct judge *judge = judge_new(&(struct judge_basis){.topic = topic, .knowledge = &knowledge, .wants = wants, .version = 1});
    struct judge_input input = {.bytes = 100, .arena = arena};
    struct judgement out;
    struct arena own;
    struct page page;

    arena_init(&own, 1 << 20);
    sample_page(&own, "https://a.test/sports/", "en", "", text, &page);
    input.page = &page;
    judge_page(judge, &input, &out);
    arena_release(&own);
    judge_unref(judge);
    return out;
}

static const char *const two[] = {"positive", "negative"};
static const char *const tree[] = {"Sports.Hockey", "Sports.Football", "Cooking", "Arts.Literature"};

static void a_classifier_decides_and_gives_the_score(void **state)
{
    static const enum model_kind kinds[] = {MODEL_BAYES, MODEL_SVM, MODEL_LOGISTIC, MODEL_MLP};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct topic *topic = make_topic("examples: {positive: a}\n", train(kinds[i], two, 2));
        struct judgement hockey = judge_text(topic, "the goalie and the puck on the ice rink", 0, NULL);
        struct judgement football = judge_text(topic, "a striker in the football stadium", 0, NULL);

        assert_str(topic->relevant, "classifier() > 0.5");
        if (!hockey.relevant || football.relevant)
            fail_msg("%s: hockey %g, football %g", model_kind_name(kinds[i]), hockey.classifier, football.classifier);
        assert_true(hockey.score == hockey.classifier && hockey.score > football.score);
        assert_true(hockey.similar == JUDGE_UNASKED && hockey.query == JUDGE_UNASKED);
        assert_null(hockey.classes);
        topic_free(topic);
    }
}

static void categories_add_up(void **state)
{
    struct topic *topic = make_topic("taxonomy: {file: t.tsv, target: [Sports.Hockey, Cooking]}\n"
                                     "relevant: 'category(\"Sports\") > 0.5 and not category(\"Arts\")'\n",
                                     train(MODEL_BAYES, tree, CLASSES));
    struct judgement sport, soup;
    struct arena arena;
    bool wanted[CLASSES] = {0};

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_int_equal(knowledge_wanted_classes(topic, knowledge.model, wanted), 2);
    assert_true(wanted[0] && !wanted[1] && wanted[2] && !wanted[3]);
    sport = judge_text(topic, "football and hockey: a goal in the stadium, a puck on the ice", JUDGE_CLASSES, &arena);
    soup = judge_text(topic, "onion soup", JUDGE_CLASSES, &arena);
    assert_true(sport.relevant && !soup.relevant);
    assert_non_null(sport.classes);
    assert_true(fabs(sport.classes[0] + sport.classes[1] + sport.classes[2] + sport.classes[3] - 1) < 1e-9);
    assert_true(fabs(sport.score - (sport.classes[0] + sport.classes[2])) < 1e-12);
    assert_true(soup.score > 0.5 && soup.score == soup.classifier);
    arena_release(&arena);
    topic_free(topic);
}

/* Without a target the categories that are asked for are what counts. */
static void the_best_category_is_the_score(void **state)
{
    struct topic *topic = make_topic("taxonomy: t.tsv\nrelevant: 'category(\"Cooking\") or category(\"Arts\")'\n",
                                     train(MODEL_BAYES, tree, CLASSES));
    struct judgement soup, sport;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    soup = judge_text(topic, "onion soup", JUDGE_CLASSES, &arena);
    sport = judge_text(topic, "hockey puck rink", JUDGE_CLASSES, &arena);
    assert_true(soup.relevant && soup.score == soup.classes[2]);
    assert_true(!sport.relevant && sport.score < 0.5 && sport.classifier == JUDGE_UNASKED);
    arena_release(&arena);
    topic_free(topic);
}

static void only_what_is_wanted_is_computed(void **state)
{
    struct topic *topic = make_topic("query: hockey\nrelevant: 'url ~ \"/shop/\" and similar() and query()'\n", NULL);
    struct judgement out = judge_text(topic, "hockey", 0, NULL);

    (void)state;
    assert_true(!out.relevant && out.similar == JUDGE_UNASKED);
    assert_true(out.query > 0.4 && out.score == out.query); /* it is the score */
    assert_non_null(out.stats);
    out = judge_text(topic, "hockey", JUDGE_COSINE, NULL);
    assert_true(out.cosine == 0 && out.similar == JUDGE_UNASKED);
    topic_free(topic);
    topic = make_topic("examples: {positive: a}\nquery: hockey\n", train(MODEL_BAYES, two, 2));
    out = judge_text(topic, "hockey", 0, NULL);
    assert_true(out.query == JUDGE_UNASKED && out.score == out.classifier);
    out = judge_text(topic, "hockey", JUDGE_QUERY, NULL);
    assert_true(out.query > 0.4 && out.score == out.classifier);
    topic_free(topic);
}

static void unknown_categories_are_named_with_the_nearest(void **state)
{
    struct errmsg err = {{0}};
    struct topic *topic = make_topic("taxonomy: t.tsv\nrelevant: 'puck and category(\"Sport.Hokey\") > 0.5'\n", NULL);
    struct model *model = train(MODEL_BAYES, tree, CLASSES);

    (void)state;
    assert_int_equal(knowledge_check_model(topic, model, &err), SCENT_E_INVALID);
    model_free(model);
    assert_string_equal(err.text, "topic 'x': relevant: 1:10: the model has no category 'Sport.Hokey'; the nearest it has: "
                                  "'Sports.Hockey', 'Sports', 'Cooking'\n"
                                  "    puck and category(\"Sport.Hokey\") > \n             ^");
    assert_int_equal(knowledge_check(topic, &knowledge, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "topic 'x' is judged by a classifier that is not trained; run 'scent train' with its "
                                  "file first");
    topic_free(topic);
    topic = make_topic("examples: {positive: a}\nrelevant: hockey\n", NULL);
    assert_ok(knowledge_check(topic, &knowledge, &err), err); /* nobody asks for the model */
    topic_free(topic);
}

static void measures_without_their_basis_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"topic: x\nrelevant: 'classifier() > 0.5'\n",
         "t.yaml:2: relevant: 1:1: classifier() needs examples to learn from; add the key 'examples' to the topic file\n"
         "    classifier() > 0.5\n    ^"},
        {"topic: x\ntaxonomy: t.tsv\nrelevant: 'classifier()'\n",
         "t.yaml:3: relevant: 1:1: classifier() needs the wanted categories; add taxonomy.target, or ask for "
         "category(\"…\") instead\n    classifier()\n    ^"},
        {"topic: x\ntaxonomy: {file: t.tsv, target: A}\nmodel: svm\nrelevant: 'category(\"A\")'\n",
         "t.yaml:4: relevant: 1:1: category() needs a model of all categories, and this topic's learns one against the "
         "rest; write 'model: bayes', or ask for classifier()\n    category(\"A\")\n    ^"},
        {"topic: x\nexamples: {positive: a}\nrelevant: 'category(\"A\")'\n",
         "t.yaml:3: relevant: 1:1: category() needs categories to learn; add the key 'taxonomy' to the topic file\n"
         "    category(\"A\")\n    ^"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {{0}};
        struct topic *topic;

        assert_int_equal(topic_parse(str_of(cases[i].text), "t.yaml", &topic, &err), SCENT_E_INVALID);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void the_reasons_name_words_and_beliefs(void **state)
{
    struct topic *topic = make_topic("examples: {positive: a}\nquery: 'hockey (puck OR stick)'\n"
                                     "relevant: 'classifier() and query()'\n",
                                     train(MODEL_BAYES, two, 2));
    struct judge *judge = judge_new(&(struct judge_basis){.topic = topic, .knowledge = &knowledge, .version = 1});
    struct judge_input input = {0};
    struct arena arena;
    struct page page;
    struct buf out;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&out, 0);
    sample_page(&arena, "https://a.test/", "en", "", "hockey hockey pucks in a stadium", &page);
    input.page = &page;
    assert_int_equal(judge_explain(judge, &input, &out), SCENT_OK);
    assert_true(str_starts(buf_str(&out), STR("relevant, score 0.")));
    assert_non_null(strstr(buf_z(&out), ": the classifier's probability\nyes  all of:\n     yes  classifier()  "
                                        "(classifier() is 0."));
    assert_non_null(strstr(buf_z(&out), "  positive, by hockey +"));
    assert_non_null(strstr(buf_z(&out), "pucks +"));
    assert_non_null(strstr(buf_z(&out), "stadium -"));
    assert_non_null(strstr(buf_z(&out), "hockey (puck OR stick)\n"));
    assert_non_null(strstr(buf_z(&out), "  hockey  (2 on the page, in 0 of 0 pages)\n"));
    assert_non_null(strstr(buf_z(&out), "  puck OR stick  (1 on the page, in 0 of 0 pages)\n"));
    buf_release(&out);
    judge_unref(judge);
    arena_release(&arena);
    topic_free(topic);
}

static int forget(void **state)
{
    (void)state;
    knowledge_release(&knowledge);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classifier_decides_and_gives_the_score),
        cmocka_unit_test(categories_add_up),
        cmocka_unit_test(the_best_category_is_the_score),
        cmocka_unit_test(only_what_is_wanted_is_computed),
        cmocka_unit_test(unknown_categories_are_named_with_the_nearest),
        cmocka_unit_test(measures_without_their_basis_are_refused),
        cmocka_unit_test(the_reasons_name_words_and_beliefs),
    };

    return cmocka_run_group_tests_name("topic/model", tests, NULL, forget);
}
