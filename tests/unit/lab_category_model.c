/* What labels teach: half of the pages, a model of the categories, rules counted from the links between taught pages; and
 * that no trial takes a taught page for a target. */
#include "lab_trial_fixture.h"

#include "lab/trial_judge.h"
#include "lab/trial_model.h"

static struct experiment *experiment_of(const char *more)
{
    return lab_experiment("seeds: 2\nbudget: 50\nmodel: {train: taxonomy}\ntopics: {level: 1, min_pages: 8}\n"
                          "strategies: [soft-focus, rules]\n", more);
}

static struct category_models *models_of(struct lab_fixture *fixture, const struct experiment *experiment)
{
    struct errmsg err = {0};
    struct category_models *models;

    assert_ok(category_models_new(experiment, fixture->collection, &fixture->labels, &models, &err), err);
    assert_non_null(models);
    return models;
}

static bool teaches(const struct lab_fixture *fixture, const struct experiment *experiment, uint32_t page)
{
    return experiment_trains_on(experiment, collection_url(fixture->collection, page));
}

static void a_share_is_taught(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *half = experiment_of(""), *most = experiment_of("taxonomy: {share: .9}\n");
    uint32_t n = collection_count(fixture->collection), taught = 0, mostly = 0;

    for (uint32_t i = 0; i < n; i++) {
        taught += teaches(fixture, half, i);
        mostly += teaches(fixture, most, i);
    }
    assert_in_range(taught, n * 3 / 10, n * 7 / 10);
    assert_in_range(mostly, n * 8 / 10, n - 1);
    experiment_free(half);
    experiment_free(most);
}

static void targets_are_new_and_seeds_are_known(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("repeats: 2\ndisjoint_seeds: true\n");
    struct trial *one = lab_trial(fixture, experiment, 0), *two = lab_trial(fixture, experiment, 1);

    for (uint32_t i = 0; i < collection_count(fixture->collection); i++) {
        assert_false(one->target[i] && teaches(fixture, experiment, i));
        assert_true(one->target[i] == (one->relevant[i] && !teaches(fixture, experiment, i)));
    }
    assert_int_equal(one->nseeds, 2);
    for (size_t i = 0; i < one->nseeds; i++) {
        assert_true(one->relevant[one->seeds[i]] && teaches(fixture, experiment, one->seeds[i]));
        assert_true(two->relevant[two->seeds[i]] && teaches(fixture, experiment, two->seeds[i]));
        for (size_t k = 0; k < two->nseeds; k++)
            assert_int_not_equal(one->seeds[i], two->seeds[k]);
    }
    trial_free(one);
    trial_free(two);
    experiment_free(experiment);
}

/* ---- rules ---- */

static uint32_t best_class(const struct lab_fixture *fixture, const struct model *model, uint32_t page)
{
    double *scores = calloc(model_nclasses(model), sizeof *scores);
    struct text_vector tf;
    struct arena arena;
    uint32_t best;

    arena_init(&arena, SIZE_MAX);
    assert_int_equal(page_frequencies(collection_page(fixture->collection, page, NULL), &arena, &tf), SCENT_OK);
    model_decision(model, &tf, scores);
    best = model_best(scores, model_nclasses(model));
    arena_release(&arena);
    free(scores);
    return best;
}

static bool has_label(const struct labels *labels, uint32_t page, struct str category)
{
    for (size_t i = 0; i < labels->count; i++)
        if (labels->rows[i].page == page && str_eq(labels->rows[i].category, category))
            return true;
    return false;
}

static bool links_to(const struct lab_fixture *fixture, uint32_t from, uint32_t to)
{
    const uint32_t *targets;
    const struct page *page = collection_page(fixture->collection, from, &targets);

    for (uint32_t i = 0; i < page->nlinks; i++)
        if (targets[i] == to)
            return true;
    return false;
}

/* Every page against every class: is it linked from a taught page of the class? */
static void rules_are_those_of_the_links(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("taxonomy: {min_leaf: 2}\n");
    struct category_models *models = models_of(fixture, experiment);
    const struct category_model *learned = category_models_find(models, &experiment->strategies[1].model);
    uint32_t npages = collection_count(fixture->collection), n = learned->rules->nclasses;
    uint32_t *counts = calloc((size_t)n * n, sizeof *counts);

    assert_true(n > 1);
    for (uint32_t to = 0; to < npages; to++)
        for (uint32_t class = 0; class < n && teaches(fixture, experiment, to); class++)
            for (uint32_t from = 0; from < npages; from++)
                if (from != to && teaches(fixture, experiment, from) &&
                    collection_page(fixture->collection, from, NULL)->nbag && links_to(fixture, from, to) &&
                    has_label(&fixture->labels, from, learned->rules->classes[class])) {
                    counts[class * n + best_class(fixture, learned->model, to)]++;
                    break;
                }
    assert_true(rulebook_number(learned->rules) > 0);
    assert_memory_equal(learned->rules->counts, counts, (size_t)n * n * sizeof *counts);
    free(counts);
    category_models_free(models);
    experiment_free(experiment);
}

/* Along random walks: the same walks for the same seed, only links between taught pages, the most travelled ones most;
 * and as printed the model is not flattened. */
static void rules_of_random_walks(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment =
        lab_experiment("seeds: 2\nbudget: 50\nmodel: {train: taxonomy}\ntaxonomy: {min_leaf: 2}\n",
                       "topics: {level: 1, min_pages: 8}\nstrategies: [{name: rules, model: {walks: 300}}, "
                       "{name: rules, as: b, preset: paper}, {name: rules, as: c}]\n");
    struct category_models *models = models_of(fixture, experiment), *again = models_of(fixture, experiment);
    const struct rulebook *walked = category_models_find(models, &experiment->strategies[0].model)->rules;
    const struct rulebook *linked = category_models_find(models, &experiment->strategies[2].model)->rules;
    const struct rulebook *same = category_models_find(again, &experiment->strategies[0].model)->rules;
    uint32_t npages = collection_count(fixture->collection), n = walked->nclasses;
    const struct model *model = category_models_find(models, &experiment->strategies[0].model)->model;
    bool *possible = calloc((size_t)n * n, sizeof *possible);
    uint64_t all = 0;

    assert_true(experiment->strategies[1].model.options.flatten == 0);
    assert_true(experiment->strategies[0].model.options.flatten > 0 && experiment->strategies[2].model.walks == 0);
    for (uint32_t from = 0; from < npages; from++)
        for (uint32_t to = 0; to < npages; to++)
            if (teaches(fixture, experiment, from) && teaches(fixture, experiment, to) && links_to(fixture, from, to))
                possible[best_class(fixture, model, from) * n + best_class(fixture, model, to)] = true;
    for (uint32_t i = 0; i < n * n; i++) {
        assert_true(!walked->counts[i] || possible[i]);
        all += walked->counts[i];
    }
    assert_in_range(all, 300, 300 * 20);
    assert_memory_equal(walked->counts, same->counts, (size_t)n * n * sizeof *walked->counts);
    assert_memory_not_equal(walked->counts, linked->counts, (size_t)n * n * sizeof *walked->counts);
    free(possible);
    category_models_free(models);
    category_models_free(again);
    experiment_free(experiment);
}

static void a_judge_has_the_model_and_the_rules(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("taxonomy: {min_leaf: 2}\n"), *strict = experiment_of("taxonomy: {min_leaf: 30}\n");
    struct category_models *models = models_of(fixture, experiment);
    struct trial *trial = lab_trial(fixture, experiment, 0);
    struct errmsg err = {0};
    struct trial_judge_basis basis = {
        .experiment = experiment, .collection = fixture->collection, .categories = models};
    struct category_models *none;
    struct trial_judge *judge;
    const struct topic *topic;
    const struct knowledge *knowledge;

    assert_ok(trial_judge_new(&basis, trial, &experiment->strategies[1].model, &judge, &err), err);
    assert_ok(trial_judge_prepare(judge, &experiment->strategies[1], NULL, &err), err);
    topic = trial_judge_topic(judge);
    knowledge = trial_judge_knowledge(judge);
    assert_non_null(knowledge->rules);
    assert_int_equal(knowledge->rules->nclasses, model_nclasses(knowledge->model));
    assert_str(topic->taxonomy.targets[0], trial->category.p);
    trial_judge_free(judge);
    trial_free(trial);
    category_models_free(models);
    /* Every leaf is too small, and at the top there is no parent. */
    assert_int_equal(category_models_new(strict, fixture->collection, &fixture->labels, &none, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "min_leaf"));
    experiment_free(strict);
    experiment_free(experiment);
}

static void wrong_experiments_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"strategies: [rules]\n", "model: {train: taxonomy}"},
        {"strategies: [{name: rules, model: {train: labels}}]\n", "taxonomy (all categories"},
        {"strategies: [soft-focus]\ntaxonomy: {share: 1}\n", "share"},
        {"strategies: [soft-focus]\ntaxonomy: {leaves: 1}\n", "leaves"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct experiment *experiment;
        struct errmsg err = {0};
        char text[600];

        snprintf(text, sizeof text, "collection: c\n%s", wrong[i][0]);
        assert_int_equal(experiment_parse(str_of(text), "e.yaml", &experiment, &err), SCENT_E_INVALID);
        if (!strstr(err.text, wrong[i][1]))
            fail_msg("\"%s\" lacks \"%s\"", err.text, wrong[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_is_taught),
        cmocka_unit_test(targets_are_new_and_seeds_are_known),
        cmocka_unit_test(rules_are_those_of_the_links),
        cmocka_unit_test(rules_of_random_walks),
        cmocka_unit_test(a_judge_has_the_model_and_the_rules),
        cmocka_unit_test(wrong_experiments_are_refused),
    };

    return cmocka_run_group_tests_name("lab/category_model", tests, lab_set_up, lab_tear_down);
}
