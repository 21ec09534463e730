/* The hmm strategy: its formulas, and its eager reading against the paper's crawler, written down plainly. */
#include "hmm_fixture.h"

#include "base/rng.h"
#include "strategy/openlist.h"

enum { NODES = 80, SEED = 0 };

/* delta travels from the seed to its child, and on. */
static void lazy_formula(void **state)
{
    double delta[HMM_STATES], ahead[HMM_STATES];
    struct strategy_score score;
    struct scene scene = {.targets = {5, 6}};
    struct bench bench;

    (void)state;
    bench_open(&bench, "");
    scene_set(&scene, 1, 1, 2, 2);
    score = examine(&bench, &scene);
    hmm_begin(bench.hmm, 2, delta);
    for (uint64_t step = 2; step < 6; step++) {
        uint32_t cluster = (uint32_t)(step * 7) % bench.hmm->nsymbols;

        hmm_ahead(bench.hmm, delta, ahead);
        assert_close((double)score.priority, ahead[0] + ahead[1] / 2 + ahead[2] / 4 + ahead[3] / 8);
        assert_parts_add_up(&score);
        memcpy(scene.own, score.own, sizeof scene.own);
        scene_set(&scene, step, (uint32_t)step, cluster, 2);
        score = examine(&bench, &scene);
        hmm_step(bench.hmm, delta, cluster, delta);
    }
    bench_close(&bench);
}

static void literal_formula(void **state)
{
    double delta[HMM_STATES], ahead[HMM_STATES];
    struct strategy_score score;
    struct scene scene = {.targets = {5, 6}};
    struct bench bench;

    (void)state;
    bench_open(&bench, ", literal: yes");
    scene_set(&scene, 1, 1, 0, 2);
    score = examine(&bench, &scene);
    hmm_begin(bench.hmm, 0, delta);
    hmm_ahead(bench.hmm, delta, ahead);
    assert_close((double)score.priority, hmm_largest(ahead));
    assert_parts_add_up(&score);
    bench_close(&bench);
}

/* The page that gave the priority in force is the one whose delta a link inherits. */
static void parent_in_force(void **state)
{
    struct strategy_score low = {.priority = .2f, .own = {1}}, high = {.priority = .4f, .own = {2}}, kept;
    struct bench bench;

    (void)state;
    bench_open(&bench, "");
    kept = high;
    strategy_merge(&bench.strategy, 9, &low, &kept);
    assert_int_equal(kept.own[0], 2);
    kept = low;
    strategy_merge(&bench.strategy, 9, &high, &kept);
    assert_int_equal(kept.own[0], 2);
    bench_close(&bench);
}

/* A URL that no page led to (a sitemap's) begins like a seed; so does one whose parent is not known. */
static void without_parent(void **state)
{
    static const char *const options[] = {"", ", children: eager"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct strategy_score seed, other;
        struct scene scene = {.targets = {5, 6}};
        struct bench bench;

        bench_open(&bench, options[i]);
        scene_set(&scene, 1, 1, 1, 2);
        seed = examine(&bench, &scene);
        scene_set(&scene, 2, 2, 1, 2);
        other = examine(&bench, &scene);
        assert_true(seed.priority == other.priority);
        bench_close(&bench);
    }
}

/* A strange page's links come last, and what lies behind them begins anew; by its nearest cluster it is like any. */
static void strange_pages(void **state)
{
    static const char *const options[] = {", strange: last", ", strange: last, children: eager"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct strategy_score strange, behind, seed;
        struct scene scene = {.targets = {5, 6}};
        struct bench bench;

        bench_open(&bench, options[i]);
        scene_set(&scene, 1, 1, 1, 2);
        seed = examine(&bench, &scene);
        memcpy(scene.own, seed.own, sizeof scene.own);
        scene_set(&scene, 2, 2, 0, 2);
        scene.judgement.strange = true;
        strange = examine(&bench, &scene);
        assert_true(strange.priority == 0);
        assert_parts_add_up(&strange);
        memcpy(scene.own, strange.own, sizeof scene.own);
        scene_set(&scene, 3, 3, 1, 2);
        behind = examine(&bench, &scene);
        assert_true(behind.priority == seed.priority);
        bench_close(&bench);
    }
}

/* By default: half as familiar is worth a quarter, and what lies behind is not worth less. */
static void strange_pages_as_far_as_they_are_familiar(void **state)
{
    struct strategy_score plain[2], strange[2];
    struct scene scene = {.targets = {5, 6}};
    struct bench bench;

    (void)state;
    for (int is_strange = 0; is_strange < 2; is_strange++) {
        struct strategy_score *out = is_strange ? strange : plain;

        bench_open(&bench, "");
        scene = (struct scene){.targets = {5, 6}};
        scene_set(&scene, 1, 1, 1, 2);
        scene.judgement.strange = is_strange;
        scene.judgement.familiar = is_strange ? .5f : 1;
        out[0] = examine(&bench, &scene);
        memcpy(scene.own, out[0].own, sizeof scene.own);
        scene_set(&scene, 2, 2, 0, 2);
        scene.visit.seed = false;
        scene.judgement.strange = false;
        out[1] = examine(&bench, &scene);
        bench_close(&bench);
    }
    assert_close(strange[0].priority, plain[0].priority / 4);
    assert_parts_add_up(&strange[0]);
    assert_close(strange[1].priority, plain[1].priority);
}

static void strange_pages_by_their_nearest_cluster(void **state)
{
    static const char *const options[] = {", strange: nearest", ", preset: paper"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.targets = {5, 6}};
        struct strategy_score score;
        struct bench bench;

        bench_open(&bench, options[i]);
        scene_set(&scene, 1, 1, 1, 2);
        score = examine(&bench, &scene);
        scene.judgement.strange = true;
        scene.visit.number = 2;
        assert_true(examine(&bench, &scene).priority == score.priority);
        bench_close(&bench);
    }
}

static void presets(void **state)
{
    static const struct {
        const char *options;
        bool eager;
    } cases[] = {{"", false}, {", preset: paper", true}, {", preset: paper, children: lazy", false}, {", children: eager", true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double delta[HMM_STATES], ahead[HMM_STATES];
        struct scene scene = {.targets = {5, 6}};
        struct bench bench;

        bench_open(&bench, cases[i].options);
        scene_set(&scene, 1, 1, 1, 2);
        hmm_begin(bench.hmm, 1, delta);
        hmm_ahead(bench.hmm, delta, ahead);
        assert_close((double)examine(&bench, &scene).priority, hmm_worth(cases[i].eager ? delta : ahead));
        bench_close(&bench);
    }
}

static void needs_a_model(void **state)
{
    static const char *const strategies[] = {"hmm", "{name: best-first, by: browsing}"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct strategy strategy;
        struct topic *topic;
        struct errmsg err = {{0}};
        char text[100];

        snprintf(text, sizeof text, "topic: t\nstrategy: %s\n", strategies[i]);
        assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
        assert_int_equal(strategy_open(&(struct strategy_context){.topic = topic}, &strategy, &err), SCENT_E_INVALID);
        assert_non_null(strstr(err.text, "scent browse train"));
        topic_free(topic);
    }
}

/* ---- eager ---- */

static void siblings_are_raised(void **state)
{
    struct scene scene = {.targets = {5, 6, 7}};
    struct strategy_score first, raised, told;
    struct bench bench;
    uint32_t ids[8];

    (void)state;
    bench_open(&bench, ", children: eager");
    scene_set(&scene, 1, 1, 0, 3);
    first = examine(&bench, &scene);
    assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids, 8), 0);
    memcpy(scene.own, first.own, sizeof scene.own);
    memcpy(scene.targets, (uint32_t[]){8, 9, 6}, sizeof(uint32_t[3]));
    scene_set(&scene, 2, 5, 1, 3);
    (void)examine(&bench, &scene);
    assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids, 2), 2);
    assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids + 2, 2), 1);
    assert_true(ids[0] == 5 && ids[1] == 6 && ids[2] == 7);
    raised = told = first;
    assert_true(bench.strategy.ops->rescore(bench.strategy.state, 7, &raised));
    assert_true(raised.priority > 1);
    assert_memory_equal(raised.own, first.own, sizeof raised.own);
    assert_true(bench.strategy.ops->explain(bench.strategy.state, 7, &told));
    assert_true(told.priority == raised.priority);
    assert_parts_add_up(&told);
    assert_false(bench.strategy.ops->rescore(bench.strategy.state, 8, &first)); /* its page was not chosen */
    assert_int_equal(bench.strategy.ops->stale(bench.strategy.state, ids, 8), 0);
    bench_close(&bench);
}

/* A random web, and both crawlers of it. */
struct graph {
    uint32_t links[NODES][MOST_LINKS], nlinks[NODES], cluster[NODES];
};

static void graph_draw(struct graph *graph, struct rng *rng, uint32_t clusters)
{
    for (uint32_t i = 0; i < NODES; i++) {
        graph->cluster[i] = (uint32_t)rng_below(rng, clusters);
        graph->nlinks[i] = (uint32_t)rng_below(rng, MOST_LINKS + 1);
        if (i == SEED)
            graph->nlinks[i] = MOST_LINKS;
        for (uint32_t k = 0; k < graph->nlinks[i]; k++)
            graph->links[i][k] = (uint32_t)rng_below(rng, NODES);
    }
}

/* The crawler of the paper (2.4): a queue of downloaded pages; all children of the best are downloaded. Among equals
 * the page whose next link was seen first, as everywhere here. */
struct printed {
    const struct graph *graph;
    const struct hmm *hmm;
    float delta[NODES][HMM_STATES], worth[NODES];
    uint32_t seen[NODES], clock; /* when a link to it was first seen; 0: never */
    uint32_t order[NODES], n;
    bool done[NODES];
};

static void download(struct printed *p, uint32_t node, uint32_t parent)
{
    double delta[HMM_STATES];

    if (parent == UINT32_MAX) {
        hmm_begin(p->hmm, p->graph->cluster[node], delta);
    } else {
        for (unsigned j = 0; j < HMM_STATES; j++)
            delta[j] = (double)p->delta[parent][j];
        hmm_step(p->hmm, delta, p->graph->cluster[node], delta);
    }
    for (unsigned j = 0; j < HMM_STATES; j++)
        p->delta[node][j] = (float)delta[j];
    p->worth[node] = (float)hmm_worth(delta);
    p->done[node] = true;
    p->order[p->n++] = node;
    for (uint32_t k = 0; k < p->graph->nlinks[node]; k++)
        if (!p->seen[p->graph->links[node][k]])
            p->seen[p->graph->links[node][k]] = ++p->clock;
}

static uint32_t next_link(const struct printed *p, uint32_t node)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t k = 0; k < p->graph->nlinks[node]; k++) {
        uint32_t to = p->graph->links[node][k];

        if (!p->done[to] && (best == UINT32_MAX || p->seen[to] < p->seen[best]))
            best = to;
    }
    return best;
}

static uint32_t choose(const struct printed *p)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t node = p->order[i], link = next_link(p, node);

        if (link != UINT32_MAX &&
            (best == UINT32_MAX || p->worth[node] > p->worth[best] ||
             (p->worth[node] == p->worth[best] && p->seen[link] < p->seen[next_link(p, best)])))
            best = node;
    }
    return best;
}

static void crawl_as_printed(struct printed *p)
{
    uint32_t node, link;

    download(p, SEED, UINT32_MAX);
    while ((node = choose(p)) != UINT32_MAX)
        while ((link = next_link(p, node)) != UINT32_MAX)
            download(p, link, node);
}

/* Ours: a queue of URLs, led by the strategy. */
struct ours {
    struct bench *bench;
    const struct graph *graph;
    struct strategy_score kept[NODES];
    struct strategy_score stored[NODES]; /* as the database has them: without what rescore said */
    uint32_t seen[NODES], clock, order[NODES], n;
    bool done[NODES];
};

static void settle(struct ours *o)
{
    const struct strategy_ops *ops = o->bench->strategy.ops;
    uint32_t ids[4];
    size_t count;

    do {
        count = ops->stale(o->bench->strategy.state, ids, 4);
        for (size_t i = 0; i < count; i++)
            if (!o->done[ids[i]])
                (void)ops->rescore(o->bench->strategy.state, ids[i], &o->kept[ids[i]]);
    } while (count == 4);
}

static void take(struct ours *o, uint32_t node)
{
    const struct strategy_ops *ops = o->bench->strategy.ops;
    struct scene scene;

    memcpy(scene.targets, o->graph->links[node], sizeof scene.targets);
    memcpy(scene.own, o->kept[node].own, sizeof scene.own);
    o->done[node] = true;
    o->order[o->n++] = node;
    scene_set(&scene, o->n, node, o->graph->cluster[node], o->graph->nlinks[node]);
    ops->observe(o->bench->strategy.state, &scene.visit);
    for (uint32_t k = 0; k < scene.page.nlinks; k++) {
        uint32_t to = scene.targets[k];
        struct strategy_score score = {0};

        ops->score(o->bench->strategy.state, &scene.visit, k, &score);
        if (!o->seen[to] || score.priority > o->stored[to].priority)
            o->stored[to] = score;
        if (o->seen[to])
            strategy_merge(&o->bench->strategy, to, &o->kept[to], &score);
        else
            o->seen[to] = ++o->clock;
        o->kept[to] = score;
    }
    settle(o);
}

static uint32_t best_url(const struct ours *o)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < NODES; i++)
        if (o->seen[i] && !o->done[i] &&
            (best == UINT32_MAX || o->kept[i].priority > o->kept[best].priority ||
             (o->kept[i].priority == o->kept[best].priority && o->seen[i] < o->seen[best])))
            best = i;
    return best;
}

/* In the middle the state is saved and taken by another instance, which is told its scores again. */
static void interrupt(struct ours *o)
{
    const struct strategy_ops *ops = o->bench->strategy.ops;
    struct strategy_context context = {.topic = o->bench->topic, .knowledge = &o->bench->knowledge};
    struct strategy resumed;
    struct errmsg err = {{0}};
    struct buf blob;

    buf_init(&blob, 0);
    assert_int_equal(ops->save(o->bench->strategy.state, &blob), SCENT_OK);
    assert_ok(strategy_open(&context, &resumed, &err), err);
    assert_ok(ops->load(resumed.state, buf_str(&blob), &err), err);
    for (size_t cut = 0; cut < blob.len; cut += 1 + cut / 5) {
        struct strategy damaged;

        assert_ok(strategy_open(&context, &damaged, &err), err);
        assert_true(ops->load(damaged.state, (struct str){blob.p, cut}, &err) != SCENT_OK);
        strategy_close(&damaged);
    }
    strategy_close(&o->bench->strategy);
    o->bench->strategy = resumed;
    memcpy(o->kept, o->stored, sizeof o->kept);
    settle(o);
    buf_release(&blob);
}

static void eager_is_as_printed(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 21);
    for (int trial = 0; trial < 60; trial++) {
        struct printed *p = calloc(1, sizeof *p);
        struct ours *o = calloc(1, sizeof *o);
        struct bench bench;
        struct graph graph;

        bench_open(&bench, ", preset: paper");
        graph_draw(&graph, &rng, bench.hmm->nsymbols);
        p->graph = o->graph = &graph;
        p->hmm = bench.hmm;
        o->bench = &bench;
        crawl_as_printed(p);
        p->seen[SEED] = o->seen[SEED] = 1; /* the seed is nobody's candidate */
        for (uint32_t node = SEED; node != UINT32_MAX; node = best_url(o)) {
            take(o, node);
            if (trial % 3 == 0 && o->n == 20)
                interrupt(o);
        }
        assert_int_equal(o->n, p->n);
        assert_memory_equal(o->order, p->order, p->n * sizeof *p->order);
        free(p);
        free(o);
        bench_close(&bench);
    }
}

/* Chosen pages beyond the recent ones are forgotten, nothing else. */
static void recent_pages(void **state)
{
    struct openlist list = {0};
    struct openlist_page page = {0};
    uint32_t links[2], ids[4 * OPENLIST_RECENT], all = 2 * OPENLIST_RECENT;

    (void)state;
    for (uint32_t i = 0; i < all; i++) {
        page.id = i;
        links[0] = 1000 + 2 * i;
        links[1] = 1001 + 2 * i;
        openlist_add(&list, &page, links, 2);
    }
    for (uint32_t i = 0; i < all; i++) {
        openlist_expand(&list, i);
        openlist_expand(&list, i);
    }
    openlist_expand(&list, 5000);
    assert_null(openlist_expanded(&list, 1000));
    assert_int_equal(openlist_expanded(&list, 1000 + 2 * (all - 1))->id, all - 1);
    assert_non_null(openlist_find(&list, 0));
    assert_int_equal(openlist_stale(&list, ids, sizeof ids / sizeof *ids), 2 * OPENLIST_RECENT);
    assert_int_equal(ids[0], 1000 + 2 * OPENLIST_RECENT);
    openlist_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_formula),
        cmocka_unit_test(literal_formula),
        cmocka_unit_test(parent_in_force),
        cmocka_unit_test(without_parent),
        cmocka_unit_test(strange_pages),
        cmocka_unit_test(strange_pages_as_far_as_they_are_familiar),
        cmocka_unit_test(strange_pages_by_their_nearest_cluster),
        cmocka_unit_test(presets),
        cmocka_unit_test(needs_a_model),
        cmocka_unit_test(siblings_are_raised),
        cmocka_unit_test(eager_is_as_printed),
        cmocka_unit_test(recent_pages),
    };

    return cmocka_run_group_tests_name("strategy/hmm", tests, NULL, NULL);
}
