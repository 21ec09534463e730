/* The hmm strategy with refine: yes: what the links that it follows teach it. */
#include "hmm_fixture.h"

/* A page of `cluster`, or a strange one, behind a link of the seed. */
static struct strategy_score follow_link(struct bench *bench, const struct strategy_score *seed, uint64_t number, uint32_t cluster,
                                         bool strange)
{
    struct scene scene = {.targets = {5, 6}};

    memcpy(scene.own, seed->own, sizeof scene.own);
    scene_set(&scene, number, (uint32_t)number, cluster, 2);
    scene.judgement.strange = strange;
    return examine(bench, &scene);
}

/* Links of the seed's kind lead astray: at the fiftieth they sink, by formula. */
static void followed_links_refine(void **state)
{
    double delta[HMM_STATES], ahead[HMM_STATES], want[HMM_STATES][HMM_STATES];
    struct hmm_followed followed = {0};
    struct scene scene = {.targets = {5, 6}};
    struct strategy_score seed, kept;
    struct bench bench;
    struct hmm hmm;
    uint32_t ids[4];

    (void)state;
    bench_open(&bench, ", refine: yes, strange: last");
    scene_set(&scene, 1, 1, 1, 2);
    kept = seed = examine(&bench, &scene);
    hmm_begin(bench.hmm, 1, delta);
    for (uint64_t n = 0; n < 50; n++) {
        assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids, 4), 0);
        assert_false(bench.strategy.ops->rescore(bench.strategy.state, 5, &kept));
        (void)follow_link(&bench, &seed, n + 2, 0, n % 5 != 0);
        hmm_follow(bench.hmm, delta, n % 5 ? HMM_NO_SYMBOL : 0, &followed);
    }
    assert_true(bench.strategy.ops->stale(bench.strategy.state, ids, 4) == STRATEGY_ALL);
    assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids, 4), 0);
    hmm_refine(bench.hmm, &followed, want);
    hmm = *bench.hmm;
    memcpy(hmm.a, want, sizeof hmm.a);
    hmm_ahead(&hmm, delta, ahead);
    assert_true(bench.strategy.ops->explain(bench.strategy.state, 5, &kept));
    assert_parts_add_up(&kept);
    kept = seed;
    assert_true(bench.strategy.ops->rescore(bench.strategy.state, 5, &kept));
    assert_close((double)kept.priority, hmm_worth(ahead));
    assert_true(kept.priority < seed.priority);
    assert_memory_equal(kept.own, seed.own, sizeof kept.own);
    kept = follow_link(&bench, &seed, 60, 0, false); /* new links are ranked by the same A */
    hmm_step(&hmm, delta, 0, delta);
    hmm_ahead(&hmm, delta, ahead);
    assert_close((double)kept.priority, hmm_worth(ahead));
    bench_close(&bench);
}

static void refined_is_kept(void **state)
{
    struct scene scene = {.targets = {5, 6}};
    struct strategy_score seed;
    struct errmsg err = {{0}};
    struct bench a, b;
    struct buf blob;
    uint32_t ids[4];

    (void)state;
    bench_open(&a, ", refine: yes, strange: last");
    scene_set(&scene, 1, 1, 1, 2);
    seed = examine(&a, &scene);
    for (uint64_t n = 2; n < 80; n++) /* 50 of them are used */
        (void)follow_link(&a, &seed, n, (uint32_t)n % a.hmm->nsymbols, n % 3 == 0);
    buf_init(&blob, 0);
    assert_int_equal(a.strategy.ops->save(a.strategy.state, &blob), SCENT_OK);
    bench_open(&b, ", refine: yes, strange: last");
    assert_ok(b.strategy.ops->load(b.strategy.state, buf_str(&blob), &err), err);
    assert_true(b.strategy.ops->stale(b.strategy.state, ids, 4) == STRATEGY_ALL);
    for (uint64_t n = 80; n < 200; n++) { /* over the next change */
        struct strategy_score one = follow_link(&a, &seed, n, (uint32_t)n % a.hmm->nsymbols, n % 4 == 0);
        struct strategy_score other = follow_link(&b, &seed, n, (uint32_t)n % a.hmm->nsymbols, n % 4 == 0);

        assert_true(one.priority == other.priority);
    }
    bench_close(&b);
    bench_open(&b, ", refine: yes, strange: last");
    memset(blob.p + blob.len - 8, 0xff, 8); /* no number */
    assert_int_equal(b.strategy.ops->load(b.strategy.state, buf_str(&blob), &err), SCENT_E_FORMAT);
    bench_close(&b);
    bench_close(&a);
    buf_release(&blob);
}

static void refining_is_lazy(void **state)
{
    static const char *const refused[] = {"children: eager", "preset: paper"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct knowledge knowledge = {0};
        struct strategy strategy;
        struct errmsg err = {{0}};
        struct topic *topic;
        struct web web;
        char text[100];

        snprintf(text, sizeof text, "topic: t\nbrowsing: f\nstrategy: {name: hmm, refine: yes, %s}\n", refused[i]);
        web_init(&web);
        assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
        knowledge.browsing = web_train(&web);
        assert_int_equal(strategy_open(&(struct strategy_context){.topic = topic, .knowledge = &knowledge}, &strategy, &err),
                         SCENT_E_INVALID);
        assert_non_null(strstr(err.text, "children: lazy"));
        knowledge_release(&knowledge);
        topic_free(topic);
        web_release(&web);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(followed_links_refine),
        cmocka_unit_test(refined_is_kept),
        cmocka_unit_test(refining_is_lazy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
