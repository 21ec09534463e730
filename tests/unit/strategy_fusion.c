/* Fusion: lanes by themselves, and the order in which a small crawl takes its candidates. */
#include "strategy_fixture.h"

#include "strategy/turns.h"

static void turns(void **state)
{
    struct turns lanes;
    uint32_t ids[8];

    (void)state;
    turns_init(&lanes, 2);
    for (uint32_t id = 1; id <= 4; id++) {
        turns_put(&lanes, 0, id, (float)id);
        turns_put(&lanes, 1, id, (float)(10 - id));
    }
    assert_int_equal(turns_next(&lanes, 0, ids, 8), 4);
    assert_memory_equal(ids, ((uint32_t[]){4, 1, 3, 2}), 4 * sizeof *ids); /* 4 | 1 | 3 | 2 */
    assert_int_equal(turns_next(&lanes, 1, ids, 2), 2);
    assert_memory_equal(ids, ((uint32_t[]){1, 4}), 2 * sizeof *ids);
    turns_remove(&lanes, 1);
    turns_put(&lanes, 1, 1, 99); /* what is gone stays away */
    turns_put(&lanes, 1, 4, 50);
    assert_int_equal(turns_next(&lanes, 1, ids, 8), 3);
    assert_memory_equal(ids, ((uint32_t[]){4, 3, 2}), 3 * sizeof *ids);
    turns_release(&lanes);
}

/* Equal priorities: first found first; a higher one replaces a lower one and not the other way. */
static void order(void **state)
{
    struct turns lanes;
    uint32_t ids[4];

    (void)state;
    turns_init(&lanes, 1);
    turns_put(&lanes, 0, 9, 1);
    turns_put(&lanes, 0, 3, 1);
    turns_put(&lanes, 0, 70000, 2);
    turns_put(&lanes, 0, 70000, 0);
    assert_int_equal(turns_next(&lanes, 0, ids, 4), 3);
    assert_memory_equal(ids, ((uint32_t[]){70000, 3, 9}), 3 * sizeof *ids);
    turns_put(&lanes, 0, 9, 5);
    assert_int_equal(turns_next(&lanes, 0, ids, 4), 3);
    assert_int_equal(ids[0], 9);
    turns_release(&lanes);
}

/* The frontier's part: what is queued, taken by priority. */
struct queue {
    struct strategy_score scores[FIXTURE_LINKS];
    bool queued[FIXTURE_LINKS];
};

static void settle(struct strategy_fixture *f, struct queue *queue)
{
    const struct strategy *strategy = &f->strategy;
    uint32_t ids[256];
    size_t n = strategy->ops->stale(strategy->state, ids, 256);

    for (size_t i = 0; i < n; i++)
        if (queue->queued[ids[i] - 100])
            strategy->ops->rescore(strategy->state, ids[i], &queue->scores[ids[i] - 100]);
}

static uint32_t take(struct queue *queue)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < FIXTURE_LINKS; i++)
        if (queue->queued[i] && (best == UINT32_MAX || queue->scores[i].priority > queue->scores[best].priority))
            best = i;
    queue->queued[best] = false;
    return best;
}

/* breadth-first wants 100, 101, …; random has its own order. Together they alternate. */
static void crawl_in_turns(void **state)
{
    struct strategy_fixture f;
    struct queue queue = {0};
    uint32_t taken[6], first_of_random = 0, breadth = 0;

    (void)state;
    fixture_open(&f, "strategy: {name: fusion, of: 'breadth-first + random'}");
    fixture_visit(&f, "<p><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a>", 1,
                  true, NULL);
    for (uint32_t i = 0; i < 6; i++) {
        queue.scores[i] = fixture_score(&f, i);
        queue.queued[i] = true;
        assert_true(queue.scores[i].priority <= 1);
    }
    for (uint32_t i = 1; i < 6; i++)
        if (queue.scores[i].parts[1].value > queue.scores[first_of_random].parts[1].value)
            first_of_random = i;
    settle(&f, &queue);
    for (size_t i = 0; i < 6; i++) {
        taken[i] = take(&queue);
        fixture_visit(&f, "nothing", 100 + taken[i], false, NULL);
        settle(&f, &queue);
        while (breadth < 6 && !queue.queued[breadth])
            breadth++;
    }
    assert_int_equal(taken[0], 0);
    if (first_of_random != 0)
        assert_int_equal(taken[1], first_of_random);
    assert_true(taken[2] < 3); /* the first that is left */
    assert_int_equal(breadth, 6);
    fixture_close(&f);
}

/* A chosen candidate that the frontier does not have (refused) does not hold up its lane. */
static void lost_candidates(void **state)
{
    struct strategy_fixture f;
    struct queue queue = {0};

    (void)state;
    fixture_open(&f, "strategy: {name: fusion, of: 'breadth-first + best-first'}");
    fixture_visit(&f, "<p><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>", 1, true, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        queue.scores[i] = fixture_score(&f, i);
        queue.queued[i] = i != 0;
    }
    settle(&f, &queue);
    settle(&f, &queue);
    assert_int_equal(take(&queue), 1);
    fixture_close(&f);
}

static void refusals(void **state)
{
    static const char *const bad[] = {"fish + full-page", "best-first", "", "nonsense + best-first", "fusion + best-first",
                                      "random + random + random + random + random", "best-first:by + random"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct strategy_context context = {.seed = 1};
        struct strategy strategy;
        struct topic *topic;
        struct errmsg err = {0};
        char text[256];

        snprintf(text, sizeof text, "topic: t\nseeds: [http://site.test/]\nstrategy: {name: fusion, of: '%s'}\n", bad[i]);
        assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
        context.topic = topic;
        assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
        assert_true(strlen(err.text) > 10);
        topic_free(topic);
    }
}

/* Of a link, when so many others were scored before: two strategies give a page's links one score each. */
static double number(const char *by, const float scores[][2], size_t n, size_t which)
{
    struct strategy_fixture f;
    struct strategy_score score = {0};
    char yaml[128];

    snprintf(yaml, sizeof yaml, "strategy: {name: fusion, of: 'best-first:by=score + best-first', by: %s}", by);
    fixture_open(&f, yaml);
    for (size_t i = 0; i < n; i++) {
        f.judgement.score = (double)scores[i][0];
        f.judgement.cosine = (double)scores[i][1];
        fixture_visit(&f, "<a href=/1>1</a>", (uint32_t)i, i == 0, NULL);
        score = fixture_score(&f, 0);
        if (i == which)
            break;
    }
    fixture_close(&f);
    return (double)score.priority;
}

/* Scores of four candidates by two strategies: (0, .2), (1, .6), (.5, .2), (.25, .4).
 * After the first all are the same: 1 + 1. The second is the largest of both: 2. The third: (.5 - 0)/1 + (.2 - .2)/.4 =
 * .5, which one strategy likes: .5 * 1. The fourth: .25 + (.4 - .2)/(.6 - .2) = .75, by two: 1.5.
 * By majority: the first has nobody to beat: .5. The second beats the first, 1 of 1. The third beats the first (better,
 * same) and loses to the second (worse, worse): 1 of 2. The fourth beats the first, loses to the second, and has a draw
 * with the third (worse, better): 1.5 of 3. */
static void combinations(void **state)
{
    static const float scores[][2] = {{0, .2f}, {1, .6f}, {.5f, .2f}, {.25f, .4f}};
    static const double sum[] = {2, 2, .5, .75}, mnz[] = {4, 4, .5, 1.5}, copeland[] = {.5, 1, .5, .5};
    /* p, by the first and by the second: 1 and 1; 2/3 and 2/3; 3/4 and 4/4; 4/5 and 3/5 */
    const double fisher[] = {0, -2 * log(2. / 3), -log(.75), -log(.8) - log(.6)};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_close(number("combsum", scores, 4, i), sum[i]);
        assert_close(number("combmnz", scores, 4, i), mnz[i]);
        assert_close(number("condorcet", scores, 4, i), copeland[i]);
        assert_close(number("fisher", scores, 4, i), fisher[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns),           cmocka_unit_test(order),    cmocka_unit_test(crawl_in_turns),
        cmocka_unit_test(lost_candidates), cmocka_unit_test(refusals), cmocka_unit_test(combinations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
