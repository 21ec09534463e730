/* Clusters of points whose grouping is known, and of what can hardly be grouped. */
#include "learn_sample.h"

#include "learn/clustering.h"

enum { GROUPS = 5, POINTS = 200, DIMS = 8 };

static void normalise(double *v, uint32_t dims)
{
    double length = sqrt(clustering_dot(v, v, dims));

    for (uint32_t d = 0; length > 0 && d < dims; d++)
        v[d] /= length;
}

/* Group g lies around axis g; groups differ in size. */
static void scatter(double *values, uint32_t *group, double noise, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < POINTS; i++) {
        double *v = values + (size_t)i * DIMS;

        group[i] = (uint32_t)rng_below(&rng, rng_below(&rng, 2) ? 2 : GROUPS);
        for (uint32_t d = 0; d < DIMS; d++)
            v[d] = noise * (rng_unit(&rng) - .5) + (d == group[i]);
        normalise(v, DIMS);
    }
}

static void check_groups(const uint32_t *of, const uint32_t *group, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true((of[i] == of[j]) == (group[i] == group[j]));
}

static void test_known_groups(void **state)
{
    double values[POINTS * DIMS];
    uint32_t group[POINTS], of[POINTS], n;
    const struct clustering_points points = {values, POINTS, DIMS};
    struct clustering_options options = clustering_options_default();

    (void)state;
    scatter(values, group, .6, 1);
    assert_int_equal(clustering_find(&points, &options, of, &n), SCENT_OK);
    assert_int_equal(n, GROUPS);
    check_groups(of, group, POINTS);
    options.rounds = 0;
    assert_int_equal(clustering_find(&points, &options, of, &n), SCENT_OK);
    check_groups(of, group, POINTS);
}

static uint32_t misplaced(const struct clustering_points *points, uint32_t rounds, const uint32_t *group)
{
    struct clustering_options options = clustering_options_default();
    uint32_t of[POINTS], n, wrong = 0;

    options.clusters = 2;
    options.rounds = rounds;
    assert_int_equal(clustering_find(points, &options, of, &n), SCENT_OK);
    for (uint32_t i = 0; i < points->count; i++)
        wrong += of[i] != group[i];
    return wrong;
}

/* Where a narrow group lies beside a wide one, k-means draws the border in the middle; Gaussians with variances of their
 * own draw it near the narrow one. */
static void test_em_refines(void **state)
{
    double values[POINTS * DIMS];
    uint32_t group[POINTS];
    const struct clustering_points points = {values, POINTS, DIMS};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7);
    for (uint32_t i = 0; i < POINTS; i++) {
        double *v = values + (size_t)i * DIMS;

        group[i] = i >= 150;
        for (uint32_t d = 0; d < DIMS; d++)
            v[d] = (group[i] ? .1 : 1.1) * (rng_unit(&rng) - .5);
        v[0] += group[i] ? 1 : .6;
        v[1] += group[i] ? 0 : .8;
        normalise(v, DIMS);
    }
    assert_true(misplaced(&points, 0, group) >= 10);
    assert_true(misplaced(&points, 50, group) <= 1);
}

static void test_reproducible(void **state)
{
    double values[POINTS * DIMS];
    uint32_t group[POINTS], one[POINTS], two[POINTS], n;
    const struct clustering_points points = {values, POINTS, DIMS};
    struct clustering_options options = clustering_options_default();

    (void)state;
    scatter(values, group, 6, 2); /* noise: there is no right answer */
    options.seed = 9;
    assert_int_equal(clustering_find(&points, &options, one, &n), SCENT_OK);
    assert_int_equal(clustering_find(&points, &options, two, &n), SCENT_OK);
    assert_memory_equal(one, two, sizeof one);
}

static void test_hardly_any_points(void **state)
{
    double one[2] = {1, 0}, three[6] = {1, 0, 0, 1, -1, 0}, same[12], none[8] = {0};
    uint32_t of[6], n;
    struct clustering_options options = clustering_options_default();

    (void)state;
    assert_int_equal(clustering_find(&(struct clustering_points){one, 1, 2}, &options, of, &n), SCENT_OK);
    assert_int_equal(n, 1);
    assert_int_equal(clustering_find(&(struct clustering_points){three, 3, 2}, &options, of, &n), SCENT_OK);
    assert_int_equal(n, 3);
    assert_true(of[0] == 0 && of[1] == 1 && of[2] == 2);
    for (int i = 0; i < 6; i++) {
        same[2 * i] = .6;
        same[2 * i + 1] = .8;
    }
    assert_int_equal(clustering_find(&(struct clustering_points){same, 6, 2}, &options, of, &n), SCENT_OK);
    assert_int_equal(n, 1);
    assert_int_equal(clustering_find(&(struct clustering_points){none, 4, 2}, &options, of, &n), SCENT_OK);
    assert_int_equal(n, 1);
}

/* Against sorting all of them. */
static uint32_t plain_vote(const double *cosines, const uint32_t *of, uint32_t n, uint32_t k)
{
    uint32_t order[64], votes[GROUPS] = {0}, best = 0, first[GROUPS];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;

        while (at > 0 && cosines[order[at - 1]] < cosines[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    for (uint32_t i = k; i-- > 0;) {
        votes[of[order[i]]]++;
        first[of[order[i]]] = i;
    }
    for (uint32_t c = 1; c < GROUPS; c++)
        if (votes[c] > votes[best] || (votes[c] && votes[c] == votes[best] && first[c] < first[best]))
            best = c;
    return best;
}

static void test_nearest(void **state)
{
    struct clustering_neighbour room[64];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 4);
    for (int trial = 0; trial < 3000; trial++) {
        uint32_t n = 1 + (uint32_t)rng_below(&rng, 64), k = 1 + (uint32_t)rng_below(&rng, n), of[64];
        double cosines[64];

        for (uint32_t i = 0; i < n; i++) {
            cosines[i] = (double)rng_below(&rng, trial % 2 ? 5 : 1000000); /* many ties, or none */
            of[i] = (uint32_t)rng_below(&rng, GROUPS);
        }
        assert_int_equal(clustering_of_nearest(cosines, of, n, k, room), plain_vote(cosines, of, n, k));
    }
}

/* Two votes each: the cluster of the nearest point wins. */
static void test_tie(void **state)
{
    const double cosines[] = {.5, .9, .8, .4, .1};
    const uint32_t of[] = {0, 1, 0, 1, 0};
    struct clustering_neighbour room[4];

    (void)state;
    assert_int_equal(clustering_of_nearest(cosines, of, 5, 4, room), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_groups),
        cmocka_unit_test(test_em_refines),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_hardly_any_points),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_tie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
