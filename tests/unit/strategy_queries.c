/* query-context and query-context-weighted, worked out by hand: max(bel(c), bel(u)), with
 * bel = .4 + .6 * tf/(tf + .5 + 1.5 len/avglen) * ln((D + .5)/df)/ln(D + 1). */
#include "strategy_fixture.h"

enum { DOCUMENTS = 99, DF = 10 };

static const uint64_t df[] = {DF, DF};
static double idf[2];
static struct query_stats stats = {.documents = DOCUMENTS, .avglen = 20, .df = df, .idf = idf};

static double belief(double tf, double length, double avglen)
{
    return .4 + .6 * tf / (tf + .5 + 1.5 * length / avglen) * log((DOCUMENTS + .5) / DF) / log(DOCUMENTS + 1);
}

static void open_query(struct strategy_fixture *f, const char *query, const char *strategy)
{
    char yaml[256];

    snprintf(yaml, sizeof yaml, "query: '%s'\nstrategy: %s", query, strategy);
    fixture_open(f, yaml);
    idf[0] = idf[1] = query_idf(DOCUMENTS, DF);
    f->judgement.stats = &stats;
    f->judgement.query = .4;
}

/* Leaves: 0 "hockey rink" 1 "one" 2 "two" 3 "three four" [4 "link"] 5 "five hockey" [6 "hockey" 7 "rink"] 8 "six" */
static const char PAGE[] = "<html lang=en><body><p>hockey rink</p><p>one</p><p>two</p><p>three four</p>"
                           "<p><a href=/a>link</a></p><p>five hockey</p><p><a href=/b>hockey <b>rink</b></a> six</p>";

static void near_words(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_query(&f, "hockey", "{name: query-context, nodes: 2}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    /* Leaves 2 to 6, "two three four link five hockey hockey": 2 of 7 */
    assert_close(fixture_score(&f, 0).priority, belief(2, 7, 7));
    /* Leaves 4 to 8, "link five hockey hockey rink six": 2 of 6, and contexts have 6.5 in the mean */
    assert_close(fixture_score(&f, 1).priority, belief(2, 6, 6.5));
    fixture_close(&f);
    open_query(&f, "hockey", "{name: query-context, nodes: 2, avglen: pages}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, belief(2, 7, 20));
    fixture_close(&f);
    open_query(&f, "hockey", "query-context");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, belief(3, 12, 12)); /* 5 nodes reach all of it */
    fixture_close(&f);
}

static void the_larger_one(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    open_query(&f, "hockey", "{name: query-context, nodes: 2}");
    f.judgement.query = .875;
    fixture_visit(&f, PAGE, 1, true, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .875);
    assert_close(score.parts[0].value, belief(2, 7, 7));
    assert_close(score.parts[1].value, .875);
    fixture_close(&f);
}

/* A word d leaves away weighs 1 - d/6, in the frequency and in the length. */
static void weights_fall(void **state)
{
    struct strategy_fixture f;
    double length = 2 * 2 / 6. + 3 / 6. + 4 / 6. + 2 * 5 / 6. + 1 + 2 * 5 / 6. + 4 / 6. + 3 / 6. + 2 / 6.;

    (void)state;
    open_query(&f, "hockey", "query-context-weighted");
    fixture_visit(&f, PAGE, 1, true, NULL);
    /* hockey at 4, 1 and 2 leaves */
    assert_close(fixture_score(&f, 0).priority, belief(2 / 6. + 5 / 6. + 4 / 6., length, length));
    fixture_close(&f);
    open_query(&f, "hockey", "{name: query-context-weighted, nodes: 1}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    /* "five hockey [hockey rink] six", the outer ones weigh 1 - 1/2 */
    assert_close(fixture_score(&f, 1).priority, belief(.5 + 1, 3.5, 3.5));
    fixture_close(&f);
}

/* A window's match weighs the least of its words. */
static void phrases(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_query(&f, "#1(hockey hockey)", "{name: query-context-weighted, nodes: 1}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 1).priority, belief(.5, 3.5, 3.5));
    fixture_close(&f);
    open_query(&f, "#sum(hockey rink)", "{name: query-context, nodes: 0}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_close(fixture_score(&f, 1).priority, belief(1, 2, 2));
    fixture_close(&f);
}

/* Through the tree: a -> p -> text is 2, a -> p -> body -> p -> text 4. */
static const char TREE[] = "<html lang=en><body><p>hockey one</p><p>two <a href=/a><b>hockey</b></a> <i>hockey</i></p>";

static void tree_path(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_query(&f, "hockey", "{name: query-context, nodes: 3, distance: path}");
    fixture_visit(&f, TREE, 1, true, NULL);
    assert_close(fixture_score(&f, 0).priority, belief(2, 3, 3)); /* two [hockey] hockey */
    fixture_close(&f);
    open_query(&f, "hockey", "{name: query-context-weighted, nodes: 4, distance: path}");
    fixture_visit(&f, TREE, 1, true, NULL);
    /* 1 - 4/5 twice, 1 - 2/5, 1, and 1 - 3/5 in the i */
    assert_close(fixture_score(&f, 0).priority, belief(.2 + 1 + .4, .4 + .6 + 1 + .4, .4 + .6 + 1 + .4));
    fixture_close(&f);
}

/* A copy of a page is scored without being observed; here it has more leaves than the page before. */
static void copies(void **state)
{
    struct strategy_fixture f;
    double first;

    (void)state;
    open_query(&f, "hockey", "{name: query-context, nodes: 3, distance: path, avglen: pages}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    first = (double)fixture_score(&f, 0).priority;
    fixture_visit(&f, TREE, 2, false, NULL);
    assert_close(fixture_score(&f, 0).priority, belief(2, 3, 20));
    fixture_copy(&f, PAGE, 3, false, NULL);
    f.visit.number--; /* it is not counted either */
    assert_close(fixture_score(&f, 0).priority, first);
    fixture_close(&f);
}

static void kept(void **state)
{
    struct strategy_fixture f, other;
    struct errmsg err = {0};
    struct buf blob;

    (void)state;
    buf_init(&blob, 0);
    open_query(&f, "hockey", "{name: query-context, nodes: 2}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    (void)fixture_score(&f, 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
    open_query(&other, "hockey", "{name: query-context, nodes: 2}");
    assert_ok(other.strategy.ops->load(other.strategy.state, buf_str(&blob), &err), err);
    fixture_visit(&other, PAGE, 2, false, NULL);
    assert_close(fixture_score(&other, 1).priority, belief(2, 6, 6.5));
    /* What is cut, of another version or no number is refused. */
    assert_int_equal(other.strategy.ops->load(other.strategy.state, str_sub(buf_str(&blob), 0, 16), &err),
                     SCENT_E_FORMAT);
    blob.p[0]++;
    assert_int_equal(other.strategy.ops->load(other.strategy.state, buf_str(&blob), &err), SCENT_E_VERSION);
    blob.p[0]--;
    memset(blob.p + 1, 0xff, 8);
    assert_int_equal(other.strategy.ops->load(other.strategy.state, buf_str(&blob), &err), SCENT_E_FORMAT);
    buf_release(&blob);
    fixture_close(&f);
    fixture_close(&other);
}

/* Statistics of another snapshot: what was scored by the old ones is scored again, exactly once, and a candidate that
 * was found before ranks as one that is found now. A small change does nothing. */
static void scored_again(void **state)
{
    static const uint64_t rare[] = {1, 1};
    double rare_idf[2] = {query_idf(DOCUMENTS, 1), query_idf(DOCUMENTS, 1)}, little[2] = {0};
    struct query_stats later = {.documents = DOCUMENTS, .avglen = 20, .df = rare, .idf = rare_idf};
    struct strategy_score score = {0};
    static struct query_scratch scratch;
    struct strategy_fixture f;
    struct query_text page;
    uint32_t ids[4], far[] = {900, 901};
    double before;

    (void)state;
    open_query(&f, "hockey", "{name: query-context, nodes: 2, avglen: pages}");
    fixture_visit(&f, PAGE, 1, true, NULL);
    score = fixture_score(&f, 0);
    before = (double)score.priority;
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    little[0] = little[1] = idf[0] + .01;
    later.idf = little;
    f.judgement.stats = &later;
    f.judgement.version++;
    fixture_visit(&f, PAGE, 2, false, far);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    later.idf = rare_idf;
    f.judgement.version++;
    fixture_visit(&f, PAGE, 3, false, far);
    page = query_text_page(f.visit.page);
    f.judgement.query = query_belief(f.topic->query, &later, &page, &scratch);
    assert_true(f.strategy.ops->stale(f.strategy.state, ids, 4) == STRATEGY_ALL);
    assert_true(f.strategy.ops->rescore(f.strategy.state, 100, &score));
    assert_true((double)score.priority > before);
    assert_close(score.priority, fixture_score(&f, 0).priority);
    assert_false(f.strategy.ops->rescore(f.strategy.state, 100, &score));
    assert_false(f.strategy.ops->rescore(f.strategy.state, 777, &score)); /* nobody linked to it */
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    assert_true(f.strategy.ops->explain(f.strategy.state, 100, &score));
    assert_close(score.parts[1].value, f.judgement.query);
    fixture_close(&f);
}

static void needs_a_query(void **state)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {0};
    struct strategy strategy;
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: t\nseeds: [http://site.test/]\nstrategy: query-context\n"), "t.yaml", &topic, &err),
              err);
    context.topic = topic;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "query: '"));
    topic_free(topic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_words), cmocka_unit_test(the_larger_one), cmocka_unit_test(weights_fall),
        cmocka_unit_test(phrases),    cmocka_unit_test(tree_path),      cmocka_unit_test(copies),
        cmocka_unit_test(kept),       cmocka_unit_test(scored_again),   cmocka_unit_test(needs_a_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
