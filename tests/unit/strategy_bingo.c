/* bingo: tunnels, phases and its training, worked out by hand; the authorities by which it chooses archetypes. */
#include "strategy_fixture.h"

#include "base/buf.h"
#include "learn/model.h"
#include "strategy/linkgraph.h"

#define TOPIC "examples: {positive: here, negative: there}\nstrategy: "

/* A model that says something; what the pages are is told by the judgement. */
static struct model *some_model(void)
{
    struct text_weight words[] = {{1, 1}, {2, 1}};
    const struct learn_example examples[] = {{{&words[0], 1}, 0}, {{&words[1], 1}, 1}};
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    struct learn_set set = {.examples = examples, .nexamples = 2, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(MODEL_BAYES);
    struct errmsg err = {0};
    struct model *model;

    assert_ok(model_train(&set, &options, &model, &err), err);
    return model;
}

static struct strategy_score show(struct strategy_fixture *f, const char *html, double classifier, uint32_t id)
{
    struct strategy_score score;

    f->judgement.classifier = classifier;
    fixture_visit(f, html, id, false, NULL);
    score = fixture_score(f, 0);
    memcpy(f->own, score.own, sizeof f->own);
    return score;
}

/* An accepted page (.8) gives its links .8. Behind it pages are rejected: the links of the first have .8/2, of the
 * second .8/4, those of a third are dropped. An accepted page (.6) begins anew. */
static void tunnel(void **state)
{
    static const char link[] = "<a href=/a>x</a>";
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    fixture_open_model(&f, TOPIC "bingo", some_model());
    assert_close(show(&f, link, .8f, 1).priority, .8f);
    assert_close(show(&f, link, .3f, 2).priority, .4f);
    score = show(&f, link, .2f, 3);
    assert_close(score.priority, .2f);
    assert_false(score.drop);
    assert_true(show(&f, link, .4f, 4).drop);
    score = show(&f, link, .6f, 5);
    assert_close(score.priority, .6f);
    assert_false(score.drop);
    fixture_close(&f);
}

/* Ten hockey pages are accepted, five on cheese rejected: the tenth trains. From then on the topic's own model has no
 * say: a page on cheese that it likes is rejected, one on hockey that it does not like accepted. Before that a link of
 * the page at depth 3 has 1 + 3 by the paper's preset; the new phase gives it its confidence, .9. */
static void phases(void **state)
{
    struct strategy_fixture f;
    struct strategy_score kept = {0}, score;
    struct errmsg err = {0};
    struct strategy_context context = {.seed = 1};
    struct strategy again;
    struct buf blob, resaved;
    char html[256];

    (void)state;
    fixture_open_model(&f, TOPIC "{name: bingo, preset: paper, first: 10}", some_model());
    for (uint32_t i = 0; i < 15; i++) {
        bool hockey = i >= 5;

        snprintf(html, sizeof html, "<html lang=en>%s number%u <a href=/a>x</a>",
                 hockey ? "hockey rink puck skates" : "cheese milk rennet curd", i);
        assert_true(f.strategy.ops->stale(f.strategy.state, NULL, 0) == 0);
        memset(f.own, 0, sizeof f.own);
        f.judgement.classifier = hockey ? .9 : .1;
        fixture_visit(&f, html, i, false, NULL);
        f.visit.depth = 3;
        if (i < 14)
            kept = fixture_score(&f, 0);
    }
    assert_close(kept.priority, 4);
    assert_true(f.strategy.ops->stale(f.strategy.state, NULL, 0) == STRATEGY_ALL);
    assert_true(f.strategy.ops->rescore(f.strategy.state, 100, &kept));
    assert_close(kept.priority, .9f);
    score = show(&f, "<html lang=en>cheese milk rennet curd <a href=/a>x</a>", .9, 20);
    assert_true(score.parts[0].value < .5);
    assert_close(score.parts[3].value, 1);
    score = show(&f, "<html lang=en>hockey rink puck skates <a href=/a>x</a>", .1, 21);
    assert_true(score.priority > .5f);
    /* The model survives a restart, and so does all that was counted. */
    buf_init(&blob, 0);
    buf_init(&resaved, 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_ok(strategy_open(&context, &again, &err), err);
    assert_ok(again.ops->load(again.state, buf_str(&blob), &err), err);
    assert_int_equal(again.ops->save(again.state, &resaved), SCENT_OK);
    assert_true(str_eq(buf_str(&blob), buf_str(&resaved)));
    kept = (struct strategy_score){0};
    again.ops->score(again.state, &f.visit, 0, &kept);
    assert_close(kept.priority, score.priority);
    strategy_close(&again);
    buf_release(&blob);
    buf_release(&resaved);
    fixture_close(&f);
}

/* 0 -> 2, 1 -> 2 and 1 -> 3. The authority of 3 is x times that of 2, h(0) : h(1) = 1 : 1 + x, so x = (1 + x)/(2 + x):
 * x^2 + x = 1, x = .618034. A page that is not relevant has none. */
static void authorities(void **state)
{
    const uint32_t to_two[] = {2}, to_both[] = {2, 3};
    float relevance[] = {1, 1, 1, 1}, *authority;
    struct page_fixture page = {0};
    struct linkgraph graph = {0};
    struct strategy_visit visit = {.page = fixture_html(&page, "<a href=/2>2</a>"), .id = 0, .targets = to_two};

    (void)state;
    assert_int_equal(linkgraph_add(&graph, &visit, NULL), 1);
    fixture_release(&page);
    visit = (struct strategy_visit){
        .page = fixture_html(&page, "<a href=/2>2</a><a href=/3>3</a>"), .id = 1, .targets = to_both};
    assert_int_equal(linkgraph_add(&graph, &visit, NULL), 2);
    authority = linkgraph_authorities(&graph, relevance);
    assert_close(authority[2], 1);
    assert_close(authority[3], .618034);
    assert_close(authority[0], 0);
    free(authority);
    relevance[2] = 0;
    authority = linkgraph_authorities(&graph, relevance);
    assert_close(authority[2], 0);
    assert_close(authority[3], 1);
    free(authority);
    linkgraph_release(&graph);
    fixture_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunnel),
        cmocka_unit_test(phases),
        cmocka_unit_test(authorities),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
