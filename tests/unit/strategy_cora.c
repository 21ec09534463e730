/* The values of known links, their bins, and the priority of a link by its text, worked out by hand.
 *
 * Pages 0 and 1 are examples. The links and their anchors:
 *
 *   1 -> 0 "hockey"    2 -> 1 "hockey"    2 -> 0 "puck"    3 -> 2 "rink"    4 -> 3 "cheese"
 *
 * With g = .5: page 0 is worth 1 (it has no links), page 1 is worth 1 + .5 (page 0 comes next), page 2 is worth
 * .5 + .25 (page 1, the first of the two nearest, then page 0), page 3 .25 + .125. A link is worth what its target is:
 *
 *   bin 0 (at least 1):    1, 1.5, 1    mean 7/6    hockey 2, puck 1
 *   bin 1 (at least .5):   .75          mean .75    rink 1
 *   bin 2 (the rest):      .375         mean .375   cheese 1
 *
 * Naive Bayes with .01 added to each of the 4 words' counts; priors 3/5, 1/5, 1/5. For "hockey" the bins have
 * .6 * 2.01/3.04 = .396711, .2 * .01/1.04 = .001923 and .001923, which are .990398, .004801 and .004801 of the whole:
 * .990398 * 7/6 + .004801 * .75 + .004801 * .375 = 1.160866. For "rink" .6 * .01/3.04 = .001974, .2 * 1.01/1.04 =
 * .194231, .001923; that is .009962, .980332, .009706: .750511. */
#include "known_pages_fixture.h"

#define LINK(path, anchor) "<a href=/" path ">" anchor "</a>"

static const struct known_row ROWS[] = {
    {"<html lang=en><p>", {0}},
    {"<html lang=en><p>" LINK("0", "hockey"), {0}},
    {"<html lang=en><p>" LINK("1", "hockey") " " LINK("0", "puck"), {1, 0}},
    {"<html lang=en><p>" LINK("2", "rink"), {2}},
    {"<html lang=en><p>" LINK("3", "cheese"), {3}},
};

static void a_link_is_worth_what_its_text_promises(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;
    struct errmsg err = {0};
    double sum = 0;

    (void)state;
    assert_ok(known_open(&f, "strategy: {name: cora, words: 0}", ROWS, 5, 2, &err), err);
    fixture_visit(&f, "<html lang=en><p>" LINK("1", "hockey") LINK("2", "rink") LINK("3", "soup"), 1, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, 1.160866);
    assert_close((double)fixture_score(&f, 1).priority, .750511);
    /* A word that is not known says nothing: the priors, 3/5 * 7/6 + 1/5 * .75 + 1/5 * .375. */
    assert_close((double)fixture_score(&f, 2).priority, .925);
    score = fixture_score(&f, 0);
    assert_int_equal(score.nparts, 3);
    for (unsigned i = 0; i < 3; i++)
        sum += score.parts[i].value * (double)score.parts[i].weight;
    assert_close(sum, 1.160866);
    assert_close(score.parts[0].value, .990398);
    assert_non_null(strstr(score.parts[0].name, "at once"));
    assert_non_null(strstr(score.parts[1].name, "one link further"));
    assert_non_null(strstr(score.parts[2].name, "never"));
    fixture_close(&f);
}

/* Two examples that link to each other are worth 1 + .5 each, and not more for going round. 0 -> 1, 1 -> 0 and 2 -> 0
 * are worth 1.5; 3 -> 2 is worth .5 + .25. A word that is not known has the priors: 3/4 * 1.5 + 1/4 * .75. */
static void an_example_is_met_once(void **state)
{
    static const struct known_row rows[] = {
        {"<html lang=en><p>" LINK("1", "hockey"), {1}},
        {"<html lang=en><p>" LINK("0", "hockey"), {0}},
        {"<html lang=en><p>" LINK("0", "hockey"), {0}},
        {"<html lang=en><p>" LINK("2", "rink"), {2}},
    };
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_ok(known_open(&f, "strategy: {name: cora, words: 0}", rows, 4, 2, &err), err);
    fixture_visit(&f, "<html lang=en><p>" LINK("1", "soup"), 1, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, 1.3125);
    fixture_close(&f);
}

/* With g = 0 the links to the examples are worth 1 and the others nothing: the priority is the probability of the first
 * bin, .6 * 2.01/3.04 = .396711 against .4 * .01/2.04 = .001961 (rink and cheese are in one bin). */
static void the_immediate_variant_looks_one_link_ahead(void **state)
{
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_ok(known_open(&f, "strategy: {name: cora, words: 0, gamma: 0}", ROWS, 5, 2, &err), err);
    fixture_visit(&f, "<html lang=en><p>" LINK("1", "hockey"), 1, false, NULL);
    assert_close((double)fixture_score(&f, 0).priority, .396711 / (.396711 + .0019608));
    assert_int_equal(fixture_score(&f, 0).nparts, 2);
    fixture_close(&f);
}

/* The anchors are all the same: what differs is the heading above, the title, the words around. */
static void headings_titles_and_neighbours_are_read(void **state)
{
    static const struct known_row rows[] = {
        {"<html lang=en><p>", {0}},
        {"<html lang=en><title>pitch</title><h2>hockey</h2><p>puck " LINK("0", "more"), {0}},
        {"<html lang=en><title>farm</title><h2>cheese</h2><p>milk " LINK("1", "more"), {1}},
    };
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_ok(known_open(&f, "strategy: {name: cora, words: 2}", rows, 3, 1, &err), err);
    fixture_visit(&f, "<html lang=en><h1>cheese</h1><p>more " LINK("1", "more") " <h3>hockey</h3> <p>more "
                  LINK("2", "more") " more more <p>puck " LINK("3", "more") " <h2>x</h2> <p>more " LINK("4", "more"),
                  1, false, NULL);
    assert_true(fixture_score(&f, 1).priority > fixture_score(&f, 0).priority);
    assert_true(fixture_score(&f, 2).priority > fixture_score(&f, 1).priority);
    assert_true(fixture_score(&f, 3).priority < fixture_score(&f, 1).priority);
    fixture_visit(&f, "<html lang=en><title>farm</title><p>more " LINK("1", "more"), 1, false, NULL);
    assert_true(fixture_score(&f, 0).priority < .6);
    fixture_visit(&f, "<html lang=en><title>pitch</title><p>more " LINK("1", "more"), 1, false, NULL);
    assert_true(fixture_score(&f, 0).priority > .9);
    fixture_close(&f);
}

static void links_that_are_all_alike_teach_nothing(void **state)
{
    struct strategy_fixture f;
    struct errmsg err = {0};

    (void)state;
    assert_int_equal(known_open(&f, "strategy: cora", ROWS, 2, 1, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "worth the same"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_worth_what_its_text_promises),
        cmocka_unit_test(an_example_is_met_once),
        cmocka_unit_test(the_immediate_variant_looks_one_link_ahead),
        cmocka_unit_test(headings_titles_and_neighbours_are_read),
        cmocka_unit_test(links_that_are_all_alike_teach_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
