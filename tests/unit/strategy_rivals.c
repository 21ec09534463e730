/* Rivals of the papers' strategies, worked out by hand: opic, larger-sites-first, tunnel, hot-queue, wtms. */
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
    assert_close(fixture_score(&f, 0).priority, 1); /* with which they were fetched */
    assert_close(fixture_score(&f, 1).priority, .5);
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
    f.judgement.cosine = .6;
    fixture_visit(&f, LINK("/a"), 1, true, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, 1);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.cosine = .3;
    fixture_visit(&f, LINK("/a"), 2, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .3);
    assert_false(score.drop);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.cosine = .2;
    fixture_visit(&f, LINK("/a"), 3, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, .141993455);
    assert_false(score.drop);
    memcpy(f.own, score.own, sizeof f.own);
    f.judgement.cosine = 0;
    fixture_visit(&f, LINK("/a"), 4, false, NULL);
    score = fixture_score(&f, 0);
    assert_close(score.priority, 0);
    assert_true(score.drop);
    fixture_close(&f);

    fixture_open(&f, "strategy: {name: tunnel, preset: paper}");
    f.judgement.cosine = .3;
    fixture_visit(&f, LINK("/a"), 2, false, NULL);
    assert_true(fixture_score(&f, 0).drop);
    fixture_close(&f);
}

/* Topic word: hockey. A page with 9 of them is not hot, one with 10 is, and so is one with hockey in its title.
 * Links of a hot page are 1 link away from it, of the next page 2, then 3, and of the fourth no longer near. A hot URL
 * has 1024 and the number of pages that link to it. */
static void queues(void **state)
{
#define EIGHT "hockey hockey hockey hockey hockey hockey hockey hockey "
#define LINKS "<a href=/a>skates</a> <a href=/b>Hockeys</a> <a href=/hockey-rinks>there</a>"
    struct strategy_fixture f;
    struct strategy_score score, kept;

    (void)state;
    fixture_open(&f, "strategy: {name: hot-queue, words: hockey}");
    fixture_visit(&f, "<html lang=en><p>" EIGHT LINKS, 1, true, NULL);
    kept = fixture_score(&f, 0);
    assert_close(kept.priority, 1);
    assert_close(fixture_score(&f, 1).priority, 1025); /* the anchor */
    assert_close(fixture_score(&f, 2).priority, 1025); /* the URL */
    fixture_visit(&f, "<html lang=en><p>hockey " EIGHT LINKS, 7, true, NULL);
    assert_close(fixture_score(&f, 0).priority, 1025);
    assert_close(fixture_score(&f, 0).parts[1].value, 1); /* by its page */
    fixture_visit(&f, "<title>On hockey</title><a href=/a>x</a>", 2, false, NULL);
    for (unsigned distance = 1; distance <= 3; distance++) {
        score = fixture_score(&f, 0);
        assert_close(score.priority, 1025);
        assert_close(score.parts[2].value, distance);
        memcpy(f.own, score.own, sizeof f.own);
        fixture_visit(&f, "<a href=/a>x</a>", 2 + distance, false, NULL);
    }
    score = fixture_score(&f, 0);
    assert_close(score.priority, 1);
    /* Cold by page 1, hot by page 2, which are two pages; hot stays hot. */
    fixture_visit(&f, "<title>On hockey</title><a href=/a>x</a>", 9, false, NULL);
    fixture_rename(&f, "http://site.test/9");
    score = fixture_score(&f, 0);
    strategy_merge(&f.strategy, 100, &kept, &score);
    assert_close(score.priority, 1026);
    kept = score;
    memset(f.own, 0, sizeof f.own);
    fixture_visit(&f, "<a href=/a>x</a>", 10, false, NULL);
    score = fixture_score(&f, 0);
    strategy_merge(&f.strategy, 100, &kept, &score);
    assert_close(score.priority, 1027);
    fixture_close(&f);
}

/* Seed 0 is similar and links to 1, 2: 1 of 1 page that links to them is similar, no sibling was visited: .5 + .25 = .75.
 * 1 is not similar and links to 3, 4: 0, below the threshold. For 2 one of one sibling is not similar: .75 still.
 * 5 is similar, links to 3: of 2 pages that link to 3 one is similar: .5 + .5/4 = .625. 4 stays at 0.
 * 3 is similar: 4 has a similar sibling, 1 of 1: .5 + .25 = .75. */
static void nearness(void **state)
{
    struct strategy_fixture f;
    struct strategy_score scores[8] = {0};
    const bool queued[8] = {[2] = true, [3] = true, [4] = true};

    (void)state;
    fixture_open(&f, "strategy: wtms");
    assert_close(f.strategy.threshold, .5);
    f.judgement.relevant = true;
    fixture_visit(&f, LINK("/1") LINK("/2"), 0, true, (const uint32_t[]){1, 2});
    assert_close(fixture_score(&f, 0).priority, .75);
    scores[2] = fixture_score(&f, 1);
    f.judgement.relevant = false;
    fixture_visit(&f, LINK("/3") LINK("/4"), 1, false, (const uint32_t[]){3, 4});
    assert_close(fixture_score(&f, 0).priority, 0);
    scores[4] = fixture_score(&f, 1);
    settle(&f, scores, queued, 8);
    assert_close(scores[2].priority, .75);
    f.judgement.relevant = true;
    fixture_visit(&f, LINK("/3"), 5, true, (const uint32_t[]){3});
    assert_close(fixture_score(&f, 0).priority, .625);
    fixture_visit(&f, "nothing", 3, false, NULL);
    settle(&f, scores, queued, 8);
    assert_close(scores[4].priority, .75);
    assert_int_equal(scores[4].parts[1].count, 1);
    /* Of a page that was fetched, what was known when it was chosen. */
    assert_true(f.strategy.ops->explain(f.strategy.state, 3, &scores[3]));
    assert_close(scores[3].priority, .625);
    fixture_close(&f);
}

/* A directory is left after 3 pages of which fewer than half are similar: 1 of 3. Its other URLs fall to 0. */
static void directories(void **state)
{
    struct strategy_fixture f;
    struct strategy_score scores[8] = {0};
    const bool queued[8] = {[6] = true, [7] = true};

    (void)state;
    fixture_open(&f, "strategy: {name: wtms, pages: 3, share: 0.5}");
    f.judgement.relevant = true;
    fixture_visit(&f, LINK("/dir/6") LINK("/other/7"), 0, true, (const uint32_t[]){6, 7});
    scores[6] = fixture_score(&f, 0);
    scores[7] = fixture_score(&f, 1);
    f.judgement.relevant = false;
    fixture_visit(&f, "nothing", 1, false, NULL); /* all pages of the fixture lie in /dir/ */
    settle(&f, scores, queued, 8);
    assert_close(scores[6].priority, .75);
    fixture_visit(&f, "nothing", 2, false, NULL);
    settle(&f, scores, queued, 8);
    assert_close(scores[6].priority, 0);
    assert_close(scores[7].priority, .75);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cash),
        cmocka_unit_test(sites),
        cmocka_unit_test(tunnels),
        cmocka_unit_test(queues),
        cmocka_unit_test(nearness),
        cmocka_unit_test(directories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
