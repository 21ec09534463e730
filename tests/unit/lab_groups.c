/* Quarters by difficulty, domains, tests inside them, and what three crawls have in common: crawls that the test writes
 * itself, so that every figure is known. */
#include "lab_fixture.h"

#include "lab/lab.h"
#include "lab/summary.h"

#include <math.h>

enum { BUDGET = 40, SEEDS = 3 };

static const char EXPERIMENT[] = "collection: web.yaml\nseeds: 3\nbudget: 40\npoints: [20, 40]\n"
                                 "strategies: [breadth-first, {name: random, as: b}, {name: random, as: c}]\n"
                                 "fusions: [[breadth-first, b], [breadth-first, b, c]]\n%s";

struct place {
    struct experiment *experiment;
    struct lab *lab;
    struct summary *summary;
};

static void run(const struct lab_fixture *fixture, const char *topics, struct place *place)
{
    struct lab_options options = {.cache = fixture->dir, .threads = 1};
    struct errmsg err = {0};
    char text[1000], name[600];

    snprintf(text, sizeof text, EXPERIMENT, topics);
    snprintf(name, sizeof name, "%s/e.yaml", fixture->dir);
    assert_ok(experiment_parse(str_of(text), name, &place->experiment, &err), err);
    assert_ok(lab_run(place->experiment, &options, &place->lab, &err), err);
}

static void release(struct place *place)
{
    summary_free(place->summary);
    lab_free(place->lab);
    experiment_free(place->experiment);
}

/* The crawl has the seeds, then `found` targets from number `skip` on, then pages off the topic. */
static void write_crawl(const struct lab *lab, size_t topic, size_t strategy, size_t skip, size_t found)
{
    const struct trial *trial = lab_trial(lab, topic, 0)->trial;
    struct lab_crawl *crawl = &lab_trial(lab, topic, 0)->crawls[strategy];
    size_t n = 0, off = BUDGET - SEEDS - found;

    for (size_t i = 0; i < trial->nseeds; i++)
        crawl->visits[n++].page = trial->seeds[i];
    for (uint32_t page = 0; page < collection_count(lab->collection) && n < SEEDS + found; page++)
        if (trial->target[page] && skip-- == 0) {
            crawl->visits[n++].page = page;
            skip = 0;
        }
    for (uint32_t page = 0; page < collection_count(lab->collection) && off; page++)
        if (!trial->relevant[page]) {
            crawl->visits[n++].page = page;
            off--;
        }
    assert_int_equal(n, BUDGET);
    crawl->count = n;
}

static const struct summary_group *find_group(const struct summary *summary, const char *name)
{
    for (size_t g = 0; g < summary->ngroups; g++)
        if (str_eq(summary->groups[g].name, str_of(name)))
            return &summary->groups[g];
    return NULL;
}

/* Large topics give a high harvest and a low recall: they are the difficult ones. */
static void difficulty_is_recall(void **state)
{
    struct place place = {0};
    size_t n, hard = 0;

    run(*state, "topics: {level: 1, min_pages: 8}\n", &place);
    n = place.lab->ntopics;
    assert_true(n >= 8);
    for (size_t i = 0; i < n; i++) {
        size_t targets = lab_trial(place.lab, i, 0)->trial->ntargets;
        size_t found = targets > 10 ? targets / 3 + 3 : targets - 1;

        write_crawl(place.lab, i, 0, 0, found < 30 ? found : 30);
    }
    place.summary = summary_make(place.lab);
    for (size_t i = 0; i < n; i++) {
        double own = summary_value(place.summary, &place.summary->points, SUMMARY_RECALL, 0, i, 1);

        for (size_t k = 0; k < n; k++)
            if (place.summary->quartile[k] < place.summary->quartile[i])
                assert_true(summary_value(place.summary, &place.summary->points, SUMMARY_RECALL, 0, k, 1) >= own);
        hard += place.summary->quartile[i] == 3;
    }
    assert_int_equal(find_group(place.summary, "quartile 4")->count, hard);
    /* By harvest the order would be another. */
    assert_true(summary_group_mean(place.summary, find_group(place.summary, "quartile 4"), SUMMARY_HARVEST, 0, 1, NULL) >
                summary_group_mean(place.summary, find_group(place.summary, "quartile 1"), SUMMARY_HARVEST, 0, 1, NULL));
    release(&place);
}

/* Two topics of one domain, where b finds 2 and 4 pages more than a, and two of another, where it finds fewer. */
static void tests_inside_domains(void **state)
{
    struct lab_fixture *fixture = *state;
    struct str *label;
    struct arena arena;
    size_t count;
    struct place place = {0};
    char topics[600];
    size_t found[4] = {2, 3, 4, 5}, more[4] = {4, 7, 1, 3};

    arena_init(&arena, SIZE_MAX);
    assert_int_equal(labels_categories(&fixture->labels, 1, 12, &arena, &label, &count), SCENT_OK);
    assert_true(count >= 2);
    snprintf(topics, sizeof topics,
             "topics:\n- {category: %.*s, name: t0}\n- {category: %.*s, name: t1}\n- {category: %.*s, name: t2}\n"
             "- {category: %.*s, name: t3}\n",
             STR_ARG(label[0]), STR_ARG(label[0]), STR_ARG(label[1]), STR_ARG(label[1]));
    run(fixture, topics, &place);
    assert_int_equal(place.lab->ntopics, 4);
    for (size_t i = 0; i < 4; i++) {
        write_crawl(place.lab, i, 0, 0, found[i]);
        write_crawl(place.lab, i, 1, 0, more[i]);
    }
    place.summary = summary_make(place.lab);
    for (int d = 0; d < 2; d++) {
        char name[200];
        const struct summary_group *group;
        double a[2], b[2];

        snprintf(name, sizeof name, "%.*s", (int)str_find(label[d], '.'), label[d].p);
        group = find_group(place.summary, name);
        assert_non_null(group);
        assert_int_equal(group->by, GROUP_BY_DOMAIN);
        assert_int_equal(group->count, 2);
        for (int i = 0; i < 2; i++) {
            a[i] = (SEEDS + (double)found[2 * d + i]) / BUDGET;
            b[i] = (SEEDS + (double)more[2 * d + i]) / BUDGET;
        }
        assert_true(fabs(summary_group_mean(place.summary, group, SUMMARY_HARVEST, 0, 1, NULL) - (a[0] + a[1]) / 2) <
                    1e-12);
        assert_true(fabs(summary_group_better(place.summary, group, SUMMARY_HARVEST, 1, 0, 1) - stats_t_test(b, a, 2)) <
                    1e-12);
        assert_int_equal(summary_group_better(place.summary, group, SUMMARY_HARVEST, 1, 0, 1) < .5, d == 0);
    }
    arena_release(&arena);
    release(&place);
}

/* Targets 0-5, 2-7 and 4-9 beside the seeds: two share 4, three share 2, and all have the seeds. */
static void three_way_overlap(void **state)
{
    struct place place = {0};
    struct summary_overlap two, three;

    run(*state, "topics: {level: 1, min_pages: 16, max: 1}\n", &place);
    for (size_t s = 0; s < 3; s++)
        write_crawl(place.lab, 0, s, 2 * s, 6);
    place.summary = summary_make(place.lab);
    two = summary_overlap_of(place.summary, 0, 1, NULL);
    three = summary_overlap_of(place.summary, 1, 1, NULL);
    assert_true(two.pages == SEEDS + 4 && fabs(two.rate - (SEEDS + 4.) / (2 * (SEEDS + 6))) < 1e-12);
    assert_true(three.pages == SEEDS + 2 && fabs(three.rate - (SEEDS + 2.) / (3 * (SEEDS + 6))) < 1e-12);
    /* one topic: no tests */
    assert_true(isnan(summary_group_better(place.summary, &place.summary->groups[0], SUMMARY_HARVEST, 1, 0, 1)));
    release(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(difficulty_is_recall),
        cmocka_unit_test(tests_inside_domains),
        cmocka_unit_test(three_way_overlap),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
