/* hmm_fixture - the strategy hmm on a small model of browsing, and pages that it examines. */
#ifndef SCENT_TESTS_HMM_FIXTURE_H
#define SCENT_TESTS_HMM_FIXTURE_H

#include "browse_fixture.h"

#include "strategy/strategy.h"

#include <math.h>

enum { MOST_LINKS = 7 };

struct bench {
    struct web web;
    struct topic *topic;
    struct knowledge knowledge;
    struct strategy strategy;
    const struct hmm *hmm;
};

static inline void bench_open(struct bench *bench, const char *options)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {{0}};
    char text[200];

    snprintf(text, sizeof text, "topic: t\nbrowsing: f\nstrategy: {name: hmm%s}\n", options);
    web_init(&bench->web);
    assert_ok(topic_parse(str_of(text), "t.yaml", &bench->topic, &err), err);
    bench->knowledge = (struct knowledge){.browsing = web_train(&bench->web)};
    context.topic = bench->topic;
    context.knowledge = &bench->knowledge;
    assert_ok(strategy_open(&context, &bench->strategy, &err), err);
    bench->hmm = browse_hmm(bench->knowledge.browsing);
}

static inline void bench_close(struct bench *bench)
{
    strategy_close(&bench->strategy);
    knowledge_release(&bench->knowledge);
    topic_free(bench->topic);
    web_release(&bench->web);
}

/* An examined page with `nlinks` links to `targets`. */
struct scene {
    struct page page;
    struct judgement judgement;
    uint32_t targets[MOST_LINKS];
    uint8_t own[STRATEGY_OWN_BYTES];
    struct strategy_visit visit;
};

static inline void scene_set(struct scene *scene, uint64_t number, uint32_t id, uint32_t cluster, uint32_t nlinks)
{
    scene->page = (struct page){.nlinks = nlinks};
    scene->judgement = (struct judgement){.cluster = cluster};
    scene->visit = (struct strategy_visit){.number = number, .id = id, .page = &scene->page,
                                           .judgement = &scene->judgement, .targets = scene->targets,
                                           .seed = number == 1, .own = scene->own};
}

static inline struct strategy_score examine(struct bench *bench, const struct scene *scene)
{
    struct strategy_score score = {0};

    bench->strategy.ops->observe(bench->strategy.state, &scene->visit);
    bench->strategy.ops->score(bench->strategy.state, &scene->visit, 0, &score);
    return score;
}

static inline void assert_close(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6))
        fail_msg("got %.9f, want %.9f", got, want);
}

static inline void assert_parts_add_up(const struct strategy_score *score)
{
    double sum = 0;

    for (unsigned i = 0; i < score->nparts; i++)
        sum += score->parts[i].value * (double)score->parts[i].weight;
    assert_close(sum, (double)score->priority);
}

#endif
