/* Experiments and trials for the tests of the lab. */
#ifndef SCENT_TESTS_LAB_TRIAL_FIXTURE_H
#define SCENT_TESTS_LAB_TRIAL_FIXTURE_H

#include "lab_fixture.h"

#include "lab/experiment.h"
#include "lab/trial.h"

/* What several experiments of a test have in common, and what this one adds. */
static inline struct experiment *lab_experiment(const char *common, const char *more)
{
    struct experiment *experiment;
    struct errmsg err = {0};
    char text[2000];

    snprintf(text, sizeof text, "collection: c\n%s%s", common, more);
    assert_ok(experiment_parse(str_of(text), "e.yaml", &experiment, &err), err);
    return experiment;
}

/* The first topic of the generated web. */
static inline struct trial *lab_trial(const struct lab_fixture *fixture, const struct experiment *experiment,
                                      uint32_t repeat)
{
    struct experiment_topic *topics;
    struct errmsg err = {0};
    struct arena arena;
    struct trial *trial;
    size_t count;

    arena_init(&arena, SIZE_MAX);
    assert_ok(trial_topics(experiment, fixture->collection, &fixture->labels, &arena, &topics, &count, &err), err);
    assert_true(count > 0);
    assert_ok(trial_make(experiment, fixture->collection, &fixture->labels, &topics[0], repeat, 0, &trial, &err), err);
    arena_release(&arena);
    return trial;
}

#endif
