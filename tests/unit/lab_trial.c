/* What a topic's trial draws, what the oracle makes of it, and what the evaluation classifiers say. */
#include "lab_trial_fixture.h"

#include "lab/trial_model.h"
#include "lab/replay.h"

static struct experiment *experiment_of(const char *more)
{
    return lab_experiment("seeds: 4\nbudget: 50\nstrategies: [breadth-first]\n", more);
}

static bool has(const uint32_t *pages, size_t count, uint32_t page)
{
    for (size_t i = 0; i < count; i++)
        if (pages[i] == page)
            return true;
    return false;
}

static void disjoint(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("topics: {level: 1, min_pages: 8}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    size_t targets = 0;

    assert_int_equal(trial->nseeds, 4);
    assert_int_equal(trial->nnegatives, 8);
    for (size_t i = 0; i < trial->nseeds; i++) {
        assert_true(trial->relevant[trial->seeds[i]]);
        assert_false(trial->target[trial->seeds[i]]);
        assert_false(has(trial->seeds, i, trial->seeds[i]));
    }
    for (size_t i = 0; i < trial->nnegatives; i++) {
        assert_false(trial->relevant[trial->negatives[i]]);
        assert_false(has(trial->negatives, i, trial->negatives[i]));
    }
    for (uint32_t i = 0; i < collection_count(fixture->collection); i++) {
        assert_true(!trial->target[i] || trial->relevant[i]);
        targets += trial->target[i];
    }
    assert_int_equal(targets, trial->ntargets);
    assert_int_equal(trial->ntargets + trial->nseeds, trial->nrelevant);
    trial_free(trial);
    experiment_free(experiment);
}

/* Pages to learn from beside the seeds: of the topic, no targets; and not of it, half of them examples of others. */
static void training_pages(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *plain = experiment_of("topics: {level: 1, min_pages: 12}\n");
    struct experiment *experiment =
        experiment_of("topics: {level: 1, min_pages: 12}\ntraining: {positives: 9, negatives: 10, other_topics: 0.4, share: 0.6}\n");
    struct trial *before = lab_trial(fixture, plain, 0), *trial = lab_trial(fixture, experiment, 0), *other;
    struct experiment_topic *topics;
    struct errmsg err = {0};
    struct arena arena;
    size_t count, of_other = 0, most = (size_t)(.6 * (double)trial->nrelevant);

    arena_init(&arena, SIZE_MAX);
    assert_ok(trial_topics(experiment, fixture->collection, &fixture->labels, &arena, &topics, &count, &err), err);
    assert_ok(trial_make(experiment, fixture->collection, &fixture->labels, &topics[1], 0, 0, &other, &err), err);
    assert_memory_equal(before->seeds, trial->seeds, 4 * sizeof *trial->seeds); /* the draw of seeds is the same */
    assert_int_equal(before->npositives, 4);
    assert_int_equal(trial->npositives, most < 9 ? most : 9);
    for (size_t i = 0; i < trial->npositives; i++) {
        assert_true(trial->relevant[trial->positives[i]]);
        assert_false(trial->target[trial->positives[i]]);
        assert_false(has(trial->positives, i, trial->positives[i]));
    }
    assert_int_equal(trial->ntargets + trial->npositives, trial->nrelevant);
    assert_ok(trial_draw_negatives(trial, experiment, collection_count(fixture->collection), &other, 1, &err), err);
    assert_int_equal(trial->nnegatives, 10);
    for (size_t i = 0; i < trial->nnegatives; i++) {
        assert_false(trial->relevant[trial->negatives[i]]);
        assert_false(has(trial->negatives, i, trial->negatives[i]));
        of_other += has(other->positives, other->npositives, trial->negatives[i]);
    }
    assert_in_range(of_other, 4, 6); /* 4 are drawn from them, and chance may find one more */
    arena_release(&arena);
    trial_free(before);
    trial_free(trial);
    trial_free(other);
    experiment_free(plain);
    experiment_free(experiment);
}

/* Topics by chance: another seed chooses others, the same seed the same, and all are of the rule. */
static void topics_by_chance(void **state)
{
    struct lab_fixture *fixture = *state;
    char chosen[3][200] = {{0}};

    for (int i = 0; i < 3; i++) {
        char text[200];
        struct experiment *experiment;
        struct experiment_topic *topics;
        struct errmsg err = {0};
        struct arena arena;
        size_t count;

        snprintf(text, sizeof text, "topics: {level: 1, min_pages: 8, max: 2, choose: random}\nseed: %d\n", i / 2 ? 5 : 1);
        experiment = experiment_of(text);
        arena_init(&arena, SIZE_MAX);
        assert_ok(trial_topics(experiment, fixture->collection, &fixture->labels, &arena, &topics, &count, &err), err);
        assert_int_equal(count, 2);
        assert_false(str_eq(topics[0].name, topics[1].name));
        snprintf(chosen[i], sizeof chosen[i], "%.*s %.*s", STR_ARG(topics[0].name), STR_ARG(topics[1].name));
        arena_release(&arena);
        experiment_free(experiment);
    }
    assert_string_equal(chosen[0], chosen[1]);
    assert_string_not_equal(chosen[0], chosen[2]);
}

static bool same_seeds(const struct trial *a, const struct trial *b)
{
    return memcmp(a->seeds, b->seeds, a->nseeds * sizeof *a->seeds) == 0 &&
           memcmp(a->negatives, b->negatives, a->nnegatives * sizeof *a->negatives) == 0;
}

/* The same topic gives the same draw whatever else is in the experiment; a repeat or another seed gives another. */
static void independent(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *all = experiment_of("topics: {level: 1, min_pages: 8}\n");
    struct experiment *other = experiment_of("topics: {level: 1, min_pages: 8}\nseed: 2\n");
    struct trial *first = lab_trial(fixture, all, 0), *repeat = lab_trial(fixture, all, 1), *seeded = lab_trial(fixture, other, 0);
    struct trial *again;
    struct experiment *one;
    char topics[600];

    snprintf(topics, sizeof topics, "topics: [nowhere, '%.*s']\n", STR_ARG(first->category));
    one = experiment_of(topics);
    {
        struct errmsg err = {0};

        assert_int_equal(trial_make(one, fixture->collection, &fixture->labels, &one->topics[0], 0, 0, &again, &err),
                         SCENT_E_INVALID);
        assert_non_null(strstr(err.text, "topic nowhere: it has 0 pages: too few for 4 seeds"));
        assert_ok(trial_make(one, fixture->collection, &fixture->labels, &one->topics[1], 0, 0, &again, &err), err);
    }
    assert_true(same_seeds(first, again));
    assert_false(same_seeds(first, repeat));
    assert_false(same_seeds(first, seeded));
    trial_free(first);
    trial_free(repeat);
    trial_free(seeded);
    trial_free(again);
    experiment_free(all);
    experiment_free(other);
    experiment_free(one);
}

static void try_topic(const struct lab_fixture *fixture, struct str category, uint32_t seed, uint32_t negative,
                      const char *more, const char *message)
{
    struct errmsg err = {0};
    struct trial *trial = NULL;
    struct experiment *e;
    char text[1900];
    scent_status status;

    snprintf(text, sizeof text, "topics: [{category: '%.*s', seeds: ['%.*s'%s], negatives: ['%.*s']}]\n",
             STR_ARG(category), STR_ARG(collection_url(fixture->collection, seed)), more,
             STR_ARG(collection_url(fixture->collection, negative)));
    e = experiment_of(text);
    status = trial_make(e, fixture->collection, &fixture->labels, &e->topics[0], 0, 0, &trial, &err);
    if (message) {
        assert_int_equal(status, SCENT_E_INVALID);
        if (!strstr(err.text, message))
            fail_msg("got %s, want %s", err.text, message);
    } else {
        assert_ok(status, err);
        assert_int_equal(trial->nseeds, 1);
        assert_int_equal(trial->seeds[0], seed);
        assert_int_equal(trial->negatives[0], negative);
        trial_free(trial);
    }
    experiment_free(e);
}

static void explicit_seeds(void **state)
{
    struct lab_fixture *fixture = *state;
    struct str category = fixture->labels.rows[0].category;

    try_topic(fixture, category, 3, 5, "", NULL);
    try_topic(fixture, category, 3, 3, "", "is a seed and a negative");
    try_topic(fixture, category, 3, 5, ", 'http://elsewhere.test/'", "http://elsewhere.test/ is not in the collection");
}

/* Other draws have other seeds, even where the topic names some, and the same pages are relevant. */
static void draws(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *e = experiment_of("topics: {level: 1, min_pages: 8}\n");
    struct trial *first = lab_trial(fixture, e, 0), *named, *drawn, *again;
    size_t npages = collection_count(fixture->collection);
    struct errmsg err = {0};
    struct str seed = collection_url(fixture->collection, first->seeds[0]);
    struct experiment_topic topic = {.name = first->name, .category = first->category, .seeds = &seed, .nseeds = 1};

    assert_ok(trial_make(e, fixture->collection, &fixture->labels, &topic, 0, 0, &named, &err), err);
    assert_int_equal(named->seeds[0], first->seeds[0]);
    topic.nseeds = 0;
    assert_ok(trial_make(e, fixture->collection, &fixture->labels, &topic, 0, 1, &drawn, &err), err);
    assert_ok(trial_make(e, fixture->collection, &fixture->labels, &topic, 0, 2, &again, &err), err);
    assert_false(same_seeds(first, drawn));
    assert_false(same_seeds(again, drawn));
    assert_memory_equal(first->relevant, drawn->relevant, npages * sizeof *first->relevant);
    assert_int_equal(drawn->ntargets, first->ntargets);
    trial_free(first);
    trial_free(named);
    trial_free(drawn);
    trial_free(again);
    experiment_free(e);
}

static size_t ask_oracle(const struct lab_fixture *fixture, const struct trial *trial, size_t budget, uint32_t *pages)
{
    return replay_oracle(fixture->collection, trial->starts, trial->nstarts, trial->relevant, budget, pages);
}

/* All relevant pages that the oracle knows come before any other, and it beats the order of discovery. */
static void oracle(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("topics: {level: 1, min_pages: 8}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    uint32_t npages = collection_count(fixture->collection), *pages = calloc(npages, sizeof *pages);
    bool *known = calloc(npages, sizeof *known);
    size_t count = ask_oracle(fixture, trial, npages, pages);

    assert_memory_equal(pages, trial->seeds, trial->nseeds * sizeof *pages);
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *targets;
        const struct page *page = collection_page(fixture->collection, pages[i], &targets);

        assert_false(has(pages, i, pages[i]));
        assert_true(i < trial->nseeds || known[pages[i]]);
        for (uint32_t k = 0; !trial->relevant[pages[i]] && k < npages; k++)
            assert_true(!known[k] || !trial->relevant[k] || has(pages, i, k));
        for (uint32_t k = 0; k < page->nlinks; k++)
            known[targets[k]] = true;
    }
    assert_int_equal(ask_oracle(fixture, trial, 10, pages), 10);
    free(known);
    free(pages);
    trial_free(trial);
    experiment_free(experiment);
}

static void evaluation(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("topics: {level: 1, min_pages: 8}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    uint32_t npages = collection_count(fixture->collection), right = 0;
    bool *verdict = calloc(2 * npages, sizeof *verdict);
    double *p = calloc(2 * npages, sizeof *p);
    struct errmsg err = {0};

    assert_ok(trial_model_evaluate(fixture->collection, &fixture->labels, trial, 1, verdict, p, &err), err);
    assert_ok(trial_model_evaluate(fixture->collection, &fixture->labels, trial, 1, verdict + npages, p + npages, &err), err);
    assert_memory_equal(verdict, verdict + npages, npages * sizeof *verdict);
    assert_memory_equal(p, p + npages, npages * sizeof *p);
    for (uint32_t i = 0; i < npages; i++) {
        assert_true(p[i] >= 0 && p[i] <= 1);
        right += verdict[i] == trial->relevant[i];
    }
    assert_true(right > npages * 9 / 10); /* it was trained on them */
    free(verdict);
    free(p);
    trial_free(trial);
    experiment_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_pages),
        cmocka_unit_test(topics_by_chance),
        cmocka_unit_test(disjoint), cmocka_unit_test(independent), cmocka_unit_test(explicit_seeds),
        cmocka_unit_test(oracle),   cmocka_unit_test(evaluation),   cmocka_unit_test(draws),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
