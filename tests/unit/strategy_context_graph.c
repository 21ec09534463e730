/* Layers of known pages, their Naive Bayes model and thresholds, worked out by hand.
 *
 * Pages 0 and 1 are the examples, "hockey puck" both. Pages 2 "rink hockey" and 3 "rink team" link to page 0, so they
 * are layer 1; nothing links to them. D = 4; df: hockey 3, puck 2, rink 2; "team" stands on one page only and counts as
 * unseen. Counts: layer 0: hockey 2, puck 2; layer 1: hockey 1, rink 2, unseen 1; 4 words each, 4 distinct words, and
 * .01 is added to each count:
 *
 *                 hockey            puck              rink              unseen
 *   layer 0   ln 2.01/4.04      ln 2.01/4.04      ln  .01/4.04      ln  .01/4.04
 *   layer 1   ln 1.01/4.04      ln  .01/4.04      ln 2.01/4.04      ln 1.01/4.04
 *
 * with ln 2.01/4.04 = -.698110, ln 1.01/4.04 = -1.386294, ln .01/4.04 = -6.001415. Layers have fewer than 5 pages, so
 * that none is held back; the thresholds are the smaller means of the layers' own pages: -.698110 for layer 0 and
 * (-.698110 - 1.386294) / 2 = -1.042202 for layer 1 (both of its pages). */
#include "known_pages_fixture.h"

static const struct known_row ROWS[] = {
    {"<html lang=en><p>hockey puck", {0}},
    {"<html lang=en><p>hockey puck", {0}},
    {"<html lang=en><p>rink hockey <a href=/x></a>", {0}},
    {"<html lang=en><p>rink team <a href=/x></a>", {0}},
};
#define NAME "strategy: {name: context-graph, terms: 2}"

static double priority(struct strategy_fixture *f, const char *words)
{
    char html[256];

    snprintf(html, sizeof html, "<html lang=en><p>%s <a href=/1></a> <a href=/2></a>", words);
    fixture_visit(f, html, 1, false, NULL);
    assert_close((double)fixture_score(f, 0).priority, (double)fixture_score(f, 1).priority);
    return (double)fixture_score(f, 1).priority;
}

static void links_wait_in_the_queue_of_their_pages_layer(void **state)
{
    struct strategy_fixture f;
    struct errmsg err = {0};
    double odds;

    (void)state;
    assert_ok(known_open(&f, NAME, ROWS, 4, 2, &err), err);
    /* Layer 0: mean -.698110, and -3.693855 under layer 1: 30 times the difference leaves no doubt. 2 queues above
     * "other": 2 + .999. */
    assert_close(priority(&f, "hockey puck"), 2.999);
    /* Layer 1, at its threshold. */
    assert_close(priority(&f, "rink hockey"), 1.999);
    /* Unseen twice: -1.386294 under layer 1, below its threshold. Nothing else is as likely. */
    assert_close(priority(&f, "cheese milk"), .999);
    /* (-.698110 - 6.001415) / 2 under both: below both thresholds, and each has half of the probability. */
    assert_close(priority(&f, "puck rink"), .4995);
    /* tf ln(D/df): milk 1.386, puck .693, hockey .288: hockey is not among the best two. Under layer 0 (-6.001415 -
     * .698110) / 2 = -3.349762, under layer 1 (-1.386294 - 6.001415) / 2 = -3.693855: "other" by its threshold, and
     * 1 / (1 + e^(30 * -.344092)) of the probability. */
    odds = exp(30 * (-3.693855 + 3.349762));
    assert_close(priority(&f, "milk puck hockey"), .999 / (1 + odds));
    assert_int_equal(fixture_score(&f, 0).nparts, 2);
    fixture_close(&f);
}

static void a_page_without_words_comes_last(void **state)
{
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_ok(known_open(&f, NAME, ROWS, 4, 2, &err), err);
    assert_close(priority(&f, ""), 0);
    fixture_close(&f);
}

static void it_needs_pages_that_link_to_the_examples(void **state)
{
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_int_equal(known_open(&f, NAME, ROWS, 2, 2, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "none of the 2 known pages does"));
    assert_int_equal(known_open(&f, NAME, ROWS, 4, 0, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "none of these is among the 4 known pages"));
}

static void what_was_learned_with_other_options_is_refused(void **state)
{
    struct strategy_fixture f;
    struct strategy_context context = {.seed = 1};
    struct strategy strategy;
    struct errmsg err = {0};

    (void)state;
    assert_ok(known_open(&f, NAME, ROWS, 4, 2, &err), err);
    f.topic->noptions = 0; /* terms: 40 */
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "terms: 2"));
    assert_non_null(strstr(err.text, "terms: 40"));
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_wait_in_the_queue_of_their_pages_layer),
        cmocka_unit_test(a_page_without_words_comes_last),
        cmocka_unit_test(it_needs_pages_that_link_to_the_examples),
        cmocka_unit_test(what_was_learned_with_other_options_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
