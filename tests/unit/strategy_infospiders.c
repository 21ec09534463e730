/* One agent, worked out by hand: what it reads, learns, chooses, and when it divides or dies.
 *
 * The query is "hockey". The page "hockey puck team" has three stems, once each: its likeness is 1/sqrt(3) = .577350. Of
 * its links, "puck" is one word behind hockey (in = 1/1) and "team" two (in = 1/2). The net is tanh(w in + b); w is the
 * first number of the agent's draw, b begins with 0. An estimate is half net, half likeness. */
#include "strategy_fixture.h"

#include "base/hash.h"
#include "base/rng.h"

#define PAGE "<html lang=en><p>hockey <a href=/1>puck</a> <a href=/2>team</a>"
#define EMPTY "<html lang=en><p>cheese"
#define SIM .57735027

static void open_spiders(struct strategy_fixture *f, const char *options)
{
    char yaml[256];

    snprintf(yaml, sizeof yaml, "query: hockey\nstrategy: {name: infospiders%s}", options);
    fixture_open(f, yaml);
}

static double first_weight(void)
{
    struct rng rng;

    rng_seed(&rng, hash_mix(1, 1)); /* the seed, and the first draw */
    return (double)(float)rng_unit(&rng);
}

static void links_are_estimated_and_the_net_learns(void **state)
{
    struct strategy_fixture f;
    struct strategy_score scores[2];
    double w = first_weight(), in, out, step;
    uint32_t ids[4], chosen;
    size_t n;

    (void)state;
    open_spiders(&f, ", agents: 1, most: 1, cost: 0.1");
    fixture_visit(&f, PAGE, 1, true, NULL);
    for (uint32_t i = 0; i < 2; i++)
        scores[i] = fixture_score(&f, i);
    assert_close((double)scores[0].priority, .5 * tanh(w) + .5 * SIM);
    assert_close((double)scores[1].priority, .5 * tanh(w / 2) + .5 * SIM);
    n = f.strategy.ops->stale(f.strategy.state, ids, 4);
    assert_int_equal(n, 4); /* one id again and again, until it is known to be queued */
    chosen = ids[0] - 100;
    assert_true(chosen < 2 && ids[3] == ids[0]);
    assert_true(f.strategy.ops->rescore(f.strategy.state, ids[0], &scores[chosen]));
    assert_close((double)scores[chosen].priority, 2);
    assert_int_equal(scores[chosen].nparts, 3);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    /* A page without the word and without links: the net learns that its answer should have been 0, a tenth of the way
     * along the slope of tanh. */
    memcpy(f.own, scores[chosen].own, sizeof f.own);
    fixture_visit(&f, EMPTY, 100 + chosen, false, NULL);
    in = chosen ? .5 : 1;
    out = tanh(w * in);
    step = .1 * (0 - out) * (1 - out * out);
    fixture_visit(&f, PAGE, 3, true, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .5 * tanh(w + step * in + step) + .5 * SIM);
    assert_close((double)fixture_score(&f, 1).priority, .5 * tanh((w + step * in) / 2 + step) + .5 * SIM);
    fixture_close(&f);
}

/* The target is sim + m max(net of the page's links): a page like the first is worth .577350 + .5 tanh(w). */
static void what_lies_behind_a_page_counts(void **state)
{
    static const uint32_t targets[] = {200, 201};
    struct strategy_fixture f;
    struct strategy_score score;
    double w = first_weight(), in, out, step;
    uint32_t ids[1];

    (void)state;
    open_spiders(&f, ", agents: 1, most: 1");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 1), 1);
    score = fixture_score(&f, ids[0] - 100);
    f.strategy.ops->rescore(f.strategy.state, ids[0], &score);
    memcpy(f.own, score.own, sizeof f.own);
    fixture_visit(&f, PAGE, ids[0], false, targets);
    in = ids[0] == 100 ? 1 : .5;
    out = tanh(w * in);
    step = .1 * (SIM + .5 * tanh(w) - out) * (1 - out * out);
    assert_close((double)fixture_score(&f, 0).priority, .5 * tanh(w + step * in + step) + .5 * SIM);
    fixture_close(&f);
}

/* It begins with .25 and gains .577350 - .1: above .5 there are two, with .363675 each. Each page without the word
 * costs .1; the last one stays. */
static void agents_divide_and_die(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_spiders(&f, ", agents: 1, most: 2, divide: 0.5, cost: 0.1");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_int_equal(f.strategy.ops->batch(f.strategy.state), 2);
    memcpy(f.own, fixture_score(&f, 0).own, sizeof f.own); /* pages of the first */
    for (int i = 0; i < 3; i++) {
        fixture_visit(&f, EMPTY, 300, false, NULL);
        assert_int_equal(f.strategy.ops->batch(f.strategy.state), 2); /* .263675, .163675, .063675 */
    }
    fixture_visit(&f, EMPTY, 300, false, NULL);
    assert_int_equal(f.strategy.ops->batch(f.strategy.state), 1);
    for (int i = 0; i < 9; i++)
        fixture_visit(&f, EMPTY, 300, false, NULL);
    assert_int_equal(f.strategy.ops->batch(f.strategy.state), 1);
    fixture_close(&f);
}

/* A link that is no candidate (it was fetched, or a rule is against it) is given up for the other one. */
static void a_link_that_cannot_be_had_is_given_up(void **state)
{
    struct strategy_fixture f;
    uint32_t ids[4], first;

    (void)state;
    open_spiders(&f, ", agents: 1, most: 1");
    fixture_visit(&f, PAGE, 1, true, NULL);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 4);
    first = ids[0];
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 4);
    assert_int_equal(ids[0], first == 100 ? 101 : 100);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    fixture_close(&f);
}

/* Without a query or a model the words are the most frequent of the first page. */
static void words_come_from_the_first_seed(void **state)
{
    struct strategy_fixture f;

    (void)state;
    fixture_open(&f, "strategy: {name: infospiders, agents: 1}");
    fixture_visit(&f, "<html lang=en><p>rink rink <a href=/1>puck</a>", 1, true, NULL);
    /* rink and puck, both wished for alike: (2 + 1) / (sqrt(5) sqrt(2)). */
    assert_close(fixture_score(&f, 0).parts[0].value, 3 / sqrt(10));
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_estimated_and_the_net_learns),
        cmocka_unit_test(what_lies_behind_a_page_counts),
        cmocka_unit_test(agents_divide_and_die),
        cmocka_unit_test(a_link_that_cannot_be_had_is_given_up),
        cmocka_unit_test(words_come_from_the_first_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
