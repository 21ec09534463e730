/* The parts of adaptive against what they stand for: the posterior against the closed form, counts that say as much as
 * they should, features worked out by hand, a crawl that learns what leads to the topic and goes on after a restart. */
#include "strategy/agreement.h"
#include "strategy/evidence.h"
#include "strategy/posterior.h"
#include "strategy/prior.h"
#include "strategy/shortlist.h"
#include "strategy_fixture.h"
#include "trace_fixture.h"

#include <stdlib.h>

enum { D = POSTERIOR_DIMS };

/* ---- the posterior ---- */

static struct posterior new_posterior(double mean, double variance)
{
    struct posterior_weight prior[D];
    struct posterior posterior;

    for (int i = 0; i < D; i++)
        prior[i] = (struct posterior_weight){mean, variance};
    posterior_init(&posterior, prior);
    return posterior;
}

/* One weight, n numbers of precision h: mean (m/v + h sum)/(1/v + h n), variance 1/(1/v + h n). */
static void numbers_move_a_weight_as_the_closed_form_says(void **state)
{
    struct posterior posterior = new_posterior(.5, 2);
    const double seen[] = {1, 3, 2.5, -1};
    float x[D] = {0};
    double sum = 0;

    (void)state;
    x[3] = 1;
    for (int i = 0; i < 4; i++) {
        posterior_learn_number(&posterior, x, seen[i], 10);
        sum += seen[i];
    }
    assert_close(posterior.mean[3], (.5 / 2 + 10 * sum) / (1 / 2. + 10 * 4));
    assert_close(posterior.spread[3][3], 1 / (1 / 2. + 10 * 4));
    assert_close(posterior.mean[4], .5);
    assert_close(posterior.spread[4][4], 2);
    assert_close(posterior_mean(&posterior, x), posterior.mean[3]);
}

static void probabilities_are_learned(void **state)
{
    struct posterior posterior = new_posterior(0, 1);
    float good[D] = {1, 1}, bad[D] = {1, 0, 1};

    (void)state;
    for (int i = 0; i < 200; i++) {
        posterior_learn_probability(&posterior, good, 1);
        posterior_learn_probability(&posterior, bad, .1);
    }
    assert_true(posterior_mean(&posterior, good) > 2.5);
    assert_true(fabs(1 / (1 + exp(-posterior_mean(&posterior, bad))) - .1) < .03);
}

/* Two crawls that each saw a half teach what one that saw all learned. */
static void lessons_add_up(void **state)
{
    struct posterior whole = new_posterior(.2, .5), halves[2] = {whole, whole}, taught = whole;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (int i = 0; i < 40; i++) {
        float x[D] = {1, (float)(i % 3), (float)(i % 5), (float)(i % 7) - 3};

        posterior_learn_number(&whole, x, i % 4, 3);
        posterior_learn_number(&halves[i % 2], x, i % 4, 3);
    }
    for (int i = 0; i < 2; i++) {
        struct bytes in;

        buf_clear(&out);
        posterior_learned(&halves[i], &out);
        in = bytes_of(buf_str(&out));
        posterior_recall(&taught, &in, 1);
        assert_null(in.wrong);
    }
    for (int i = 0; i < D; i++) {
        assert_close(taught.mean[i], whole.mean[i]);
        for (int k = 0; k < D; k++)
            assert_close(taught.spread[i][k], whole.spread[i][k]);
    }
    buf_release(&out);
}

/* Examples that came before the prior moved count as if it had been there. */
static void a_prior_moves_as_if_it_had_been_there(void **state)
{
    struct posterior moved = new_posterior(.2, .5), there = new_posterior(-.7, .5);
    double means[D];

    (void)state;
    for (int i = 0; i < D; i++)
        means[i] = -.7;
    for (int i = 0; i < 60; i++) {
        float x[D] = {1, (float)(i % 3), (float)(i % 5), (float)(i % 7) - 3};

        if (i == 40)
            posterior_move(&moved, means);
        posterior_learn_number(&moved, x, i % 4, 3);
        posterior_learn_number(&there, x, i % 4, 3);
    }
    for (int i = 0; i < D; i++) {
        assert_close(moved.mean[i], there.mean[i]);
        assert_close(moved.prior[i].mean, -.7);
    }
}

/* ---- two judges ---- */

/* Pages of which the one says -1, 0, 1 in turn; the other says the same, something else, or always the same. */
static struct agreement compare(int pages, bool same, bool varies)
{
    struct agreement agreement = {0};

    for (int i = 0; i < pages; i++) {
        int other = same ? i % 3 : i / 3 % 3;

        agreement_add(&agreement, i % 3 - 1, varies ? .1 + .05 * other : .2);
    }
    return agreement;
}

static void judges_are_trusted_where_they_agree(void **state)
{
    struct agreement agreement = compare(12, true, true), again = {0};
    struct buf out;
    struct bytes in;

    (void)state;
    assert_true(agreement_trust(&again) == 0); /* nothing is known */
    assert_true(compare(1, true, true).pages == 1 && agreement_trust(&(struct agreement){.pages = 1}) == 0);
    /* (12 + .5 * 10)/22, between .65 and .8 */
    assert_close(agreement_trust(&agreement), (17 / 22. - .65) / .15);
    agreement = compare(90, true, true);
    assert_true(agreement_trust(&agreement) == 1);
    /* half of the 93 pages are above the mean, .15 less what three pages draw it */
    assert_true(agreement_place(&agreement, .2) > .8 && agreement_place(&agreement, .1) < -.5);
    assert_true(agreement_place(&agreement, 9) == 3 && agreement_place(&agreement, -9) == -3);
    buf_init(&out, 0);
    agreement_save(&agreement, &out);
    in = bytes_of(buf_str(&out));
    agreement_load(&again, &in);
    assert_null(in.wrong);
    assert_memory_equal(&again, &agreement, sizeof again);
    agreement.products = NAN;
    buf_clear(&out);
    agreement_save(&agreement, &out);
    in = bytes_of(buf_str(&out));
    agreement_load(&again, &in);
    assert_non_null(in.wrong);
    buf_release(&out);
    agreement = compare(90, false, true);
    assert_true(agreement_trust(&agreement) == 0);
    agreement = compare(90, true, false);
    assert_true(agreement_trust(&agreement) == 0); /* the one says nothing */
}

/* ---- the best that were met ---- */

static size_t times_on(const struct shortlist *list, uint32_t id)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        count += list->items[i].id == id;
    return count;
}

/* Also those that share a bit, after a restart, and after all were forgotten. */
static void who_is_on_the_list_is_met_once(void **state)
{
    struct shortlist list = {0}, again = {0};
    struct buf out;
    struct bytes in;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        shortlist_meet(&list, (float)(i % 10), i / 2);
    for (uint32_t id = 0; id < 50; id++)
        assert_true(times_on(&list, id) == 1);
    shortlist_meet(&list, 8, 7 + SHORTLIST_BITS);
    assert_true(times_on(&list, 7 + SHORTLIST_BITS) == 1);
    buf_init(&out, 0);
    shortlist_save(&list, &out);
    in = bytes_of(buf_str(&out));
    shortlist_load(&again, &in);
    shortlist_meet(&again, 9, 7);
    assert_true(times_on(&again, 7) == 1 && again.count == list.count);
    shortlist_clear(&again);
    shortlist_meet(&again, 9, 7);
    assert_true(again.count == 1);
    buf_release(&out);
}

/* ---- counts ---- */

static void counts_say_as_much_as_they_should(void **state)
{
    const struct tally_base base = {3, .25f, logf(.25f / .75f)};
    struct tally tally;

    (void)state;
    tally_init(&tally);
    assert_true(tally_say(&tally, 77) == 0);
    for (int i = 0; i < 5; i++)
        tally_count(&tally, 77, i < 4, &base);
    assert_close((double)tally_say(&tally, 77), log((4 + .75) / (1 + 2.25)) - log(.25 / .75));
    tally_count(&tally, 0, 1, &base);
    assert_null(tally_find(&tally, 0));
    tally_release(&tally);
}

/* Two keys have room where three want it: who came once gives way. */
static void rare_keys_give_way(void **state)
{
    const struct tally_base base = {3, .25f, logf(.25f / .75f)};
    const uint32_t first = 10, second = 10 + TALLY_SLOTS, third = 10 + 2 * TALLY_SLOTS;
    struct tally tally;

    (void)state;
    tally_init(&tally);
    tally_count(&tally, first, 1, &base);
    tally_count(&tally, first, 1, &base);
    tally_count(&tally, second, 0, &base);
    assert_non_null(tally_find(&tally, second));
    tally_count(&tally, third, 1, &base);
    assert_non_null(tally_find(&tally, first));
    assert_null(tally_find(&tally, second));
    tally_count(&tally, third, 1, &base);
    tally_count(&tally, second, 1, &base);
    assert_null(tally_find(&tally, second));
    tally_release(&tally);
}

/* Of two keys that want the same place one was counted once, the other twice: both are there after a load, and the same
 * one gives way to a third. */
static void a_load_keeps_keys_that_share_a_place(void **state)
{
    const struct tally_base base = {3, .25f, logf(.25f / .75f)};
    const uint32_t keys[] = {10 + TALLY_SLOTS, 10, 10 + 2 * TALLY_SLOTS};
    struct tally tally, loaded;
    struct bytes in;
    struct buf out;

    (void)state;
    tally_init(&tally);
    tally_init(&loaded);
    buf_init(&out, 0);
    for (int i = 0; i < 3; i++)
        tally_count(&tally, keys[i / 2], 1, &base);
    tally_save(&tally, &out);
    in = bytes_of(buf_str(&out));
    tally_load(&loaded, &in);
    assert_null(in.wrong);
    assert_true(tally_find(&loaded, keys[0]) && tally_find(&loaded, keys[1]));
    tally_count(&tally, keys[2], 0, &base);
    tally_count(&loaded, keys[2], 0, &base);
    for (int i = 0; i < 3; i++)
        assert_true(tally_say(&loaded, keys[i]) == tally_say(&tally, keys[i]));
    buf_release(&out);
    tally_release(&tally);
    tally_release(&loaded);
}

/* ---- priors ---- */

static void priors_are_read_and_written(void **state)
{
    struct prior prior = prior_built_in(PRIOR_FITTED), agreed = prior_built_in(PRIOR_AGREED), again;
    struct errmsg err = {0};
    struct buf out;

    (void)state;
    assert_close(prior_built_in(PRIOR_PLAIN).weights[PRIOR_EXACT][EVIDENCE_BIAS].mean, -1);
    for (int i = 0; i < EVIDENCE_FEATURES; i++) /* adaptive mixes the means of two */
        assert_close(agreed.weights[PRIOR_LEARNED][i].variance, prior.weights[PRIOR_LEARNED][i].variance);
    buf_init(&out, 0);
    prior_write(&prior, &out);
    assert_ok(prior_read(buf_str(&out), "again", &again, &err), err);
    assert_close(again.weights[PRIOR_LEARNED][3].mean, prior.weights[PRIOR_LEARNED][3].mean);
    for (size_t len = 0; len + 1 < out.len; len += 7) /* the last line end may be missing */
        assert_int_not_equal(prior_read((struct str){out.p, len}, "cut", &again, &err), SCENT_OK);
    assert_int_equal(prior_read(STR("scent-priors 9 adaptive 35\n"), "newer", &again, &err), SCENT_E_VERSION);
    assert_non_null(strstr(err.text, "newer:1: "));
    buf_release(&out);
}

/* ---- the strategy ---- */

static const char HUB[] = "<p>ski <a href=/ski/1>ski one</a><p>ski <a href=/ski/2>ski two</a><p>ski <a href=/ski/3>ski three</a>"
                          "<p>sea <a href=/sea/1>sea one</a><p>sea <a href=/sea/2>sea two</a><p>sea <a href=/sea/3>sea three</a>";

/* The predicate is exact, and the topic has no examples. */
static void open_exact(struct strategy_fixture *f)
{
    fixture_open(f, "strategy: adaptive\nrelevant: 'snow and not water'");
}

static void visit(struct strategy_fixture *f, const char *html, uint32_t id, bool relevant, bool seed, const uint32_t *targets)
{
    f->judgement.relevant = relevant;
    f->judgement.score = relevant;
    fixture_visit(f, html, id, seed, targets);
}

static float priority_of(struct strategy_fixture *f, uint32_t id)
{
    struct strategy_score score = {0};

    (void)f->strategy.ops->rescore(f->strategy.state, id, &score);
    return score.priority;
}

/* Of six links of a page, one of each directory was fetched: the others of its directory rise, and the rest fall. */
static void siblings_learn_from_a_page(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_exact(&f);
    visit(&f, HUB, 1, true, true, NULL);
    visit(&f, "<p>snow", 100, true, false, NULL);
    visit(&f, "<p>water", 103, false, false, NULL);
    assert_true(priority_of(&f, 101) > priority_of(&f, 104));
    assert_true(priority_of(&f, 102) > priority_of(&f, 105));
    assert_true(priority_of(&f, 101) > 0 && priority_of(&f, 101) < 2);
    fixture_close(&f);
}

/* What was fetched is told as stale with all that shares its page, once. */
static void siblings_are_scored_again(void **state)
{
    struct strategy_fixture f;
    uint32_t ids[64];
    size_t n, seen = 0;

    (void)state;
    open_exact(&f);
    visit(&f, HUB, 1, true, true, NULL);
    while (f.strategy.ops->stale(f.strategy.state, ids, 64))
        ;
    visit(&f, "<p>snow", 100, true, false, NULL);
    n = f.strategy.ops->stale(f.strategy.state, ids, 64);
    for (size_t i = 0; i < n; i++) {
        assert_int_not_equal(ids[i], 100);
        seen |= (size_t)1 << (ids[i] - 100);
    }
    assert_int_equal(seen, 0x3e); /* 101 to 105 */
    fixture_close(&f);
}

/* Links to one target count once a page; features by hand. */
static void features_are_what_they_say(void **state)
{
    const uint32_t twice[] = {7, 8, 7}, once[] = {7};
    float x[EVIDENCE_FEATURES];
    struct strategy_context context = {0};
    struct evidence evidence = {0};
    struct strategy_fixture f;
    struct errmsg err = {{0}};

    (void)state;
    open_exact(&f);
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_ok(evidence_init(&evidence, &context, &err), err);
    fixture_copy(&f, "<p><a href=/x>a</a> <a href=/y>b</a> <a href=/x>c</a>", 1, true, twice);
    evidence_add(&evidence, &f.visit, 1);
    fixture_copy(&f, "<ul><li><a href=/x>a</a></ul>", 2, false, once);
    evidence_add(&evidence, &f.visit, .25f);
    assert_int_equal(evidence_url(&evidence, 7)->linking, 2);
    for (int i = 0; i < EVIDENCE_FEATURES; i++)
        x[i] = NAN;
    evidence_weigh(&evidence, evidence_url(&evidence, 7), x);
    for (int i = 0; i < EVIDENCE_FEATURES; i++)
        assert_false(isnan(x[i])); /* all are written */
    assert_close((double)x[EVIDENCE_RELEVANT], log(1 + 1.25));
    assert_close((double)x[EVIDENCE_OTHERS], log(1 + .75));
    assert_close((double)x[EVIDENCE_SHARE], 1.25 / 2);
    assert_close((double)x[EVIDENCE_NEWEST], .25);
    assert_close((double)x[EVIDENCE_HOPS], 0);
    assert_close((double)x[EVIDENCE_SAME_HOST], 1);
    /* Page 8 is a child of page 1, in the same place as 7. It is worth 1: of 2 pages that were found 1.25 counts. */
    fixture_copy(&f, "<p>end", 8, false, NULL);
    evidence_add(&evidence, &f.visit, 1);
    evidence_weigh(&evidence, evidence_url(&evidence, 7), x);
    {
        double share = (.25 + 1) / (1 + 3), said = log((1 + 6 * share) / (6 * (1 - share))) - log(share / (1 - share));

        assert_close((double)x[EVIDENCE_SIBLINGS_BEST], said);
        assert_close((double)x[EVIDENCE_SIBLINGS_MEAN], said / 2);
        assert_close((double)x[EVIDENCE_VISITED], log(2) / 3);
        assert_true((double)x[EVIDENCE_PLACE_BEST] > said); /* drawn to the page's own share */
    }
    evidence_release(&evidence);
    fixture_close(&f);
}

/* /x and /y were looked at in one session, /z by the same person on another day, /w by somebody else. */
static void people_speak_for_what_else_they_looked_at(void **state)
{
    const uint32_t links[] = {5, 6, 7, 8};
    struct strategy_context context = {0};
    struct evidence evidence = {0}, again = {0};
    float x[EVIDENCE_FEATURES];
    struct strategy_fixture f;
    struct errmsg err = {{0}};
    struct bytes in;
    struct buf out;

    (void)state;
    open_exact(&f);
    f.knowledge.trace = trace_of_bytes(STR("1000 ann http://site.test/x\n1010 ann http://site.test/y\n"
                                           "999000 ann http://site.test/z\n1000 bob http://site.test/w\n"), keeping_users());
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_ok(evidence_init(&evidence, &context, &err), err);
    fixture_copy(&f, "<p><a href=/x>1</a> <a href=/y>2</a> <a href=/z>3</a> <a href=/w>4</a>", 1, true, links);
    evidence_add(&evidence, &f.visit, 1);
    fixture_copy(&f, "<p>of /x", 5, false, NULL);
    evidence_add(&evidence, &f.visit, 1);
    evidence_weigh(&evidence, evidence_url(&evidence, 6), x);
    assert_true(x[EVIDENCE_SESSIONS] > 0 && x[EVIDENCE_USERS] > 0);
    evidence_weigh(&evidence, evidence_url(&evidence, 7), x);
    assert_true(x[EVIDENCE_SESSIONS] == 0 && x[EVIDENCE_USERS] > 0);
    evidence_weigh(&evidence, evidence_url(&evidence, 8), x);
    assert_true(x[EVIDENCE_SESSIONS] == 0 && x[EVIDENCE_USERS] == 0);
    buf_init(&out, 0);
    evidence_save(&evidence, &out);
    assert_ok(evidence_init(&again, &context, &err), err);
    in = bytes_of(buf_str(&out));
    assert_ok(evidence_load(&again, &in, &err), err);
    assert_null(in.wrong);
    evidence_weigh(&again, evidence_url(&again, 6), x);
    assert_true(x[EVIDENCE_SESSIONS] > 0);
    buf_release(&out);
    evidence_release(&again);
    evidence_release(&evidence);
    fixture_close(&f);
}

/* Words of pages that counted much speak for a page that has them, those of the others against it, at most so much. */
static void words_of_pages_say_what_they_stood_for(void **state)
{
    struct strategy_context context = {0};
    struct evidence evidence = {0};
    struct strategy_fixture f;
    struct errmsg err = {{0}};

    (void)state;
    open_exact(&f);
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_ok(evidence_init(&evidence, &context, &err), err);
    for (uint32_t i = 1; i < 9; i++) {
        fixture_copy(&f, i % 4 ? "<p>harbour crane" : "<p>glacier crevasse", i, false, NULL);
        assert_true(i > 1 || evidence_words(&evidence, &f.visit) == 0);
        evidence_count_words(&evidence, &f.visit, i % 4 ? 0 : 1);
        evidence_add(&evidence, &f.visit, i % 4 ? 0 : 1);
    }
    fixture_copy(&f, "<p>glacier crevasse", 20, false, NULL);
    assert_true(evidence_words(&evidence, &f.visit) > .1f);
    fixture_copy(&f, "<p>harbour crane", 21, false, NULL);
    assert_true(evidence_words(&evidence, &f.visit) < -.1f);
    fixture_copy(&f, "<p>meadow", 22, false, NULL);
    assert_true(evidence_words(&evidence, &f.visit) == 0);
    evidence_release(&evidence);
    fixture_close(&f);
}

/* A page in the middle of a crawl: state saved, loaded, and both go on. */
static void a_restart_changes_nothing(void **state)
{
    const uint32_t back[] = {102, 105, 200};
    struct strategy_fixture one, two;
    struct errmsg err = {0};
    struct buf blob;

    (void)state;
    open_exact(&one);
    open_exact(&two);
    buf_init(&blob, 0);
    visit(&one, HUB, 1, true, true, NULL);
    visit(&one, "<p>snow <a href=/a>ski</a> <a href=/b>sea</a> <a href=/c>snow</a>", 100, true, false, back);
    assert_int_equal(one.strategy.ops->save(one.strategy.state, &blob), SCENT_OK);
    assert_ok(two.strategy.ops->load(two.strategy.state, buf_str(&blob), &err), err);
    two.visit.number = one.visit.number;
    for (uint32_t id = 101; id < 104; id++) {
        visit(&one, "<p>snow <a href=/d>ski</a>", id, id == 102, false, NULL);
        visit(&two, "<p>snow <a href=/d>ski</a>", id, id == 102, false, NULL);
        for (uint32_t other = 100; other < 201; other++)
            assert_true(priority_of(&one, other) == priority_of(&two, other));
    }
    buf_clear(&blob);
    fixture_close(&one);
    fixture_close(&two);
    buf_release(&blob);
}

/* A copy teaches nothing: its links are scored, by themselves or by what is known of their targets. */
static void copies_teach_nothing(void **state)
{
    const uint32_t targets[] = {100, 300};
    struct strategy_fixture f;
    struct buf before, after;

    (void)state;
    open_exact(&f);
    buf_init(&before, 0);
    buf_init(&after, 0);
    visit(&f, HUB, 1, true, true, NULL);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &before), SCENT_OK);
    fixture_copy(&f, "<p><a href=/ski/1>ski one</a> <a href=/ski/9>ski nine</a>", 2, false, targets);
    assert_true(fixture_score(&f, 0).priority > 0);
    assert_true(fixture_score(&f, 1).priority > 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &after), SCENT_OK);
    assert_true(str_eq(buf_str(&before), buf_str(&after)));
    buf_release(&before);
    buf_release(&after);
    fixture_close(&f);
}

/* What people are told adds up, and names counts. */
static void the_explanation_adds_up(void **state)
{
    struct strategy_score score = {0};
    struct strategy_fixture f;
    double odds;

    (void)state;
    open_exact(&f);
    visit(&f, HUB, 1, true, true, NULL);
    visit(&f, "<p>snow", 100, true, false, NULL);
    assert_true(f.strategy.ops->explain(f.strategy.state, 101, &score));
    assert_int_equal(score.nparts, 7);
    assert_close((double)score.priority, score.parts[0].value);
    assert_int_equal(score.parts[3].count, 1); /* of the visited links of page 1 */
    assert_int_equal(score.parts[3].of, 1);
    assert_int_equal(score.parts[2].of, 1);
    odds = log(score.parts[0].value / (1 - score.parts[0].value));
    for (unsigned i = 1; i < score.nparts; i++)
        odds -= score.parts[i].value;
    assert_true(odds < 1 && odds > -6); /* what is left is the bias */
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_move_a_weight_as_the_closed_form_says),
        cmocka_unit_test(probabilities_are_learned),
        cmocka_unit_test(lessons_add_up),
        cmocka_unit_test(a_prior_moves_as_if_it_had_been_there),
        cmocka_unit_test(judges_are_trusted_where_they_agree),
        cmocka_unit_test(who_is_on_the_list_is_met_once),
        cmocka_unit_test(counts_say_as_much_as_they_should),
        cmocka_unit_test(rare_keys_give_way),
        cmocka_unit_test(a_load_keeps_keys_that_share_a_place),
        cmocka_unit_test(priors_are_read_and_written),
        cmocka_unit_test(siblings_learn_from_a_page),
        cmocka_unit_test(siblings_are_scored_again),
        cmocka_unit_test(features_are_what_they_say),
        cmocka_unit_test(people_speak_for_what_else_they_looked_at),
        cmocka_unit_test(words_of_pages_say_what_they_stood_for),
        cmocka_unit_test(a_restart_changes_nothing),
        cmocka_unit_test(copies_teach_nothing),
        cmocka_unit_test(the_explanation_adds_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
