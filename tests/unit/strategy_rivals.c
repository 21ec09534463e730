/* Rivals of the papers' strategies, worked out by hand: opic, larger-sites-first, tunnel. */
#include "strategy_fixture.h"

#include "base/buf.h"

#define LINK(url) "<a href=" url ">x</a>"

/* After a page: stale and rescore, for the candidates that are queued. */
static void settle(struct strategy_fixture *f, struct strategy_score *scores, const bool *queued, size_t n)
{
    uint32_t ids[FIXTURE_LINKS];
    size_t count = f->strategy.ops->stale(f->strategy.state, ids, FIXTURE_LINKS);

    for (size_t i = 0; i < (count == STRATEGY_ALL ? n : count); i++) {
        uint32_t id = count == STRATEGY_ALL ? (uint32_t)i : ids[i];

        if (id < n && queued[id])
            f->strategy.ops->rescore(f->strategy.state, id, &scores[id]);
    }
}

/* Seed 0 has 1 and links to 1 (twice), 2 and itself: 1/2 each.
 * 1 has 1/2 and links to 2, 3: 2 has 3/4, 3 has 1/4.
 * 2 has 3/4 and links to 0, 1, 3: 1/4 each; 3 has 1/2; 0 and 1 were fetched and keep theirs.
 * 3 has 1/2 and no links: it keeps it. */
static void cash(void **state)
{
    struct strategy_fixture f;
    struct strategy_score kept, found;
    struct errmsg err = {0};
    struct strategy again;
    struct buf blob;

    (void)state;
    fixture_open(&f, "strategy: opic");
    fixture_visit(&f, LINK("/1") LINK("/2") LINK("/0") LINK("/1"), 0, true, (const uint32_t[]){1, 2, 0, 1});
    assert_close(fixture_score(&f, 0).priority, .5);
    kept = fixture_score(&f, 1);
    assert_close(kept.priority, .5);
    fixture_visit(&f, LINK("/2") LINK("/3"), 1, false, (const uint32_t[]){2, 3});
    found = fixture_score(&f, 0);
    strategy_merge(&f.strategy, 2, &kept, &found);
    assert_close(found.priority, .75);
    assert_close(found.parts[1].value, 2); /* two pages gave it some */
    assert_close(fixture_score(&f, 1).priority, .25);
    fixture_visit(&f, LINK("/0") LINK("/1") LINK("/3"), 2, false, (const uint32_t[]){0, 1, 3});
    assert_close(fixture_score(&f, 0).priority, .25);
    assert_close(fixture_score(&f, 1).priority, .25);
    assert_close(fixture_score(&f, 2).priority, .5);
    fixture_visit(&f, "nothing", 3, false, NULL);
    fixture_copy(&f, LINK("/3"), 4, false, (const uint32_t[]){3});
    assert_close(fixture_score(&f, 0).priority, .5);
    /* The same after a restart. */
    buf_init(&blob, 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
    assert_ok(strategy_open(&(struct strategy_context){.topic = f.topic}, &again, &err), err);
    assert_ok(again.ops->load(again.state, buf_str(&blob), &err), err);
    again.ops->score(again.state, &f.visit, 0, &found);
    assert_close(found.priority, .5);
    strategy_close(&again);
    buf_release(&blob);
    fixture_close(&f);
}

/* Hosts a and b. Seed 0 links to 1, 2 on a and to 3, 4, 5 on b: b's first, 3, has 3, a's first, 1, has 2, all others 0.
 * 3 is fetched and links to 6, 7 on a: a has 4 waiting, b has 2 and its first is now 4.
 * Then 1 turns out to be gone without a word (it failed): a's first is 2, with 3. */
static void sites(void **state)
{
    struct strategy_fixture f;
    struct strategy_score scores[8] = {0};
    bool queued[8] = {0};

    (void)state;
    fixture_open(&f, "strategy: larger-sites-first\nscope: {exclude: [c.test]}");
    fixture_visit(&f,
                  LINK("http://a.test/1") LINK("http://a.test/2") LINK("http://b.test/3") LINK("http://b.test/4")
                      LINK("http://b.test/5") LINK("http://b.test/5") LINK("http://c.test/"),
                  0, true, (const uint32_t[]){1, 2, 3, 4, 5, 5, 60});
    for (uint32_t i = 0; i < 5; i++) {
        scores[i + 1] = fixture_score(&f, i);
        queued[i + 1] = true;
    }
    settle(&f, scores, queued, 8);
    assert_close(scores[1].priority, 2);
    assert_close(scores[2].priority, 0);
    assert_close(scores[3].priority, 3);
    assert_close(scores[4].priority, 0);
    assert_close(fixture_score(&f, 6).priority, 0); /* outside of the scope: it does not wait */
    queued[3] = false;
    fixture_visit(&f, LINK("http://a.test/6") LINK("http://a.test/7") LINK("http://b.test/3"), 3, false,
                  (const uint32_t[]){6, 7, 3});
    for (uint32_t i = 0; i < 2; i++) {
        scores[i + 6] = fixture_score(&f, i);
        queued[i + 6] = true;
    }
    queued[1] = false; /* it is under way, and fails */
    settle(&f, scores, queued, 8);
    assert_close(scores[4].priority, 2);
    assert_close(scores[5].priority, 0);
    assert_close(scores[2].priority, 0);
    fixture_visit(&f, "nothing", 61, false, NULL);
    settle(&f, scores, queued, 8);
    assert_close(scores[2].priority, 3); /* 2, 6, 7 */
    assert_close(scores[6].priority, 0);
    assert_true(f.strategy.ops->explain(f.strategy.state, 6, &scores[6]));
    assert_close(scores[6].parts[0].value, 3);
    fixture_close(&f);
}

/* C = 20. A nugget (c = .6) has distance 0, its links priority 1. A page with c = .3 behind it: .7 e^0 = .7, its links
 * .3. A page with c = .2 behind that one: .8 e^(2 * .7/20) = .858006545, its links .141993455. With c = 0 behind that:
 * e^.0858 > 1, so 1, beyond the cut-off of .95. By the paper's preset .7 is beyond it already. */
static void tunnels(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    fixture_open(&f, "strategy: tunnel");
    f.judgement.similar = .6;
    fixture_visit(&f, LINK("/a"), 1, true, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, 1);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.similar = .3;
    fixture_visit(&f, LINK("/a"), 2, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .3);
    assert_false(score.drop);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.similar = .2;
    fixture_visit(&f, LINK("/a"), 3, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .141993455);
    assert_false(score.drop);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.similar = 0;
    fixture_visit(&f, LINK("/a"), 4, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, 0);
    assert_true(score.drop);
    fixture_close(&f);

    fixture_open(&f, "strategy: {name: tunnel, preset: paper}");
    f.judgement.similar = .3;
    fixture_visit(&f, LINK("/a"), 2, false, NULL);
    assert_true(fixture_score(&f, 0).drop);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cash),
        cmocka_unit_test(sites),
        cmocka_unit_test(tunnels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
