/* The hidden Markov model against the enumeration of every way through its states. */
#include "learn_sample.h"

#include "learn/hmm.h"

enum { LENGTH = 6 };

static struct hmm_counts random_counts(struct rng *rng, uint32_t nsymbols)
{
    struct hmm_counts counts = {0};

    for (unsigned i = 0; i < HMM_STATES; i++) {
        counts.labels[i] = (uint32_t)rng_below(rng, 20);
        for (unsigned j = 0; j < HMM_STATES; j++)
            counts.steps[i][j] = hmm_can_step(i, j) ? (uint32_t)rng_below(rng, 30) : 0;
        for (uint32_t s = 0; s < nsymbols; s++)
            counts.seen[i][s] = (uint32_t)rng_below(rng, 10);
    }
    return counts;
}

/* Counted by hand: 3 pages of T0, 1 of T1, 4 of T3; links T1->T0 twice, T3->T3 once. */
static void test_estimation(void **state)
{
    const struct hmm_counts counts = {
        .labels = {3, 1, 0, 4},
        .steps = {[1] = {[0] = 2}, [3] = {[3] = 1}},
        .seen = {{3, 0}, {0, 1}, {0, 0}, {2, 2}},
    };
    struct hmm hmm;

    (void)state;
    hmm_estimate(&counts, 2, &hmm);
    assert_near(hmm.pi[0], 3.5 / 10, 1e-15);
    assert_near(hmm.pi[2], .5 / 10, 1e-15);
    assert_near(hmm.a[1][0], 2.5 / 4, 1e-15);
    assert_near(hmm.a[1][3], .5 / 4, 1e-15);
    assert_near(hmm.a[0][2], .25, 1e-15);
    assert_near(hmm.a[2][1], 1. / 3, 1e-15);
    assert_near(hmm.a[3][3], 1.5 / 2, 1e-15);
    assert_near(hmm.a[3][2], .5 / 2, 1e-15);
    assert_near(hmm.b[0][0], 3.5 / 4, 1e-15);
    assert_near(hmm.b[2][1], .5, 1e-15);
}

static struct hmm random_hmm(struct rng *rng, uint32_t nsymbols)
{
    struct hmm_counts counts = random_counts(rng, nsymbols);
    struct hmm hmm;

    hmm_estimate(&counts, nsymbols, &hmm);
    return hmm;
}

/* What cannot be stays 0, whatever was counted; each row sums to 1. */
static void test_structure(void **state)
{
    struct hmm_counts counts;
    struct hmm hmm;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    counts = random_counts(&rng, 5);
    counts.steps[3][0] = counts.steps[3][1] = counts.steps[2][0] = 1000;
    hmm_estimate(&counts, 5, &hmm);
    assert_true(hmm.a[3][0] == 0 && hmm.a[3][1] == 0 && hmm.a[2][0] == 0);
    for (unsigned i = 0; i < HMM_STATES; i++) {
        double steps = 0, seen = 0;

        for (unsigned j = 0; j < HMM_STATES; j++) {
            steps += hmm.a[i][j];
            assert_true(hmm.a[i][j] > 0 || !hmm_can_step(i, j));
        }
        for (uint32_t s = 0; s < 5; s++)
            seen += hmm.b[i][s];
        assert_near(steps, 1, 1e-12);
        assert_near(seen, 1, 1e-12);
    }
}

/* best[j]: the probability of the likeliest of all ways that see `symbols` and end in j. */
static void enumerate(const struct hmm *hmm, const uint32_t *symbols, int length, double best[HMM_STATES])
{
    unsigned way[LENGTH];

    for (unsigned j = 0; j < HMM_STATES; j++)
        best[j] = 0;
    for (unsigned code = 0; code < 1u << (2 * length); code++) {
        double p;

        for (int t = 0; t < length; t++)
            way[t] = code >> (2 * t) & 3;
        p = hmm->pi[way[0]] * hmm->b[way[0]][symbols[0]];
        for (int t = 1; t < length; t++)
            p *= hmm->a[way[t - 1]][way[t]] * hmm->b[way[t]][symbols[t]];
        if (p > best[way[length - 1]])
            best[way[length - 1]] = p;
    }
}

static void test_against_enumeration(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 11);
    for (int trial = 0; trial < 40; trial++) {
        struct hmm_counts counts = random_counts(&rng, 5);
        double delta[HMM_STATES], best[HMM_STATES];
        uint32_t symbols[LENGTH];
        struct hmm hmm;

        hmm_estimate(&counts, 5, &hmm);
        for (int t = 0; t < LENGTH; t++) {
            double sum = 0;

            symbols[t] = (uint32_t)rng_below(&rng, 5);
            if (t == 0)
                hmm_begin(&hmm, symbols[t], delta);
            else
                hmm_step(&hmm, delta, symbols[t], delta);
            enumerate(&hmm, symbols, t + 1, best);
            for (unsigned j = 0; j < HMM_STATES; j++)
                sum += best[j];
            for (unsigned j = 0; j < HMM_STATES; j++)
                assert_near(delta[j], best[j] / sum, 1e-12);
        }
    }
}

/* A path of 100,000 pages neither loses its numbers nor its sum. */
static void test_long_path(void **state)
{
    double delta[HMM_STATES], sum = 0;
    struct hmm hmm;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5);
    hmm = random_hmm(&rng, 3);
    hmm_begin(&hmm, 0, delta);
    for (int t = 0; t < 100000; t++)
        hmm_step(&hmm, delta, (uint32_t)rng_below(&rng, 3), delta);
    for (unsigned j = 0; j < HMM_STATES; j++)
        sum += delta[j];
    assert_near(sum, 1, 1e-12);
}

static void test_one_step_ahead(void **state)
{
    const double delta[HMM_STATES] = {.1, .2, .3, .4}, sure_far[HMM_STATES] = {0, 0, 0, 1};
    struct hmm hmm;
    struct rng rng;
    double p[HMM_STATES];

    (void)state;
    rng_seed(&rng, 8);
    hmm = random_hmm(&rng, 2);
    hmm_ahead(&hmm, delta, p);
    for (unsigned j = 0; j < HMM_STATES; j++)
        assert_near(p[j], .1 * hmm.a[0][j] + .2 * hmm.a[1][j] + .3 * hmm.a[2][j] + .4 * hmm.a[3][j], 1e-15);
    hmm_ahead(&hmm, sure_far, p);
    assert_true(p[0] == 0 && p[1] == 0);
    assert_near(hmm_worth(delta), .1 + .1 + .075 + .05, 1e-15);
    assert_near(hmm_worth(sure_far), .125, 1e-15);
    assert_near(hmm_largest(sure_far), 1, 0);
    assert_near(hmm_largest(delta), .4, 0);
}

/* Every step by its share of all ways over one link, and A from both counts. */
static void test_learning_on(void **state)
{
    const double from[HMM_STATES] = {.1, .2, .3, .4};
    struct hmm_followed followed = {0};
    double a[HMM_STATES][HMM_STATES], all = 0;
    struct hmm_counts counts;
    struct hmm hmm;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 13);
    counts = random_counts(&rng, 3);
    hmm_estimate(&counts, 3, &hmm);
    for (unsigned code = 0; code < 16; code++)
        all += from[code / 4] * hmm.a[code / 4][code % 4] * hmm.b[code % 4][2];
    hmm_follow(&hmm, from, 2, &followed);
    for (unsigned code = 0; code < 16; code++)
        assert_near(followed.steps[code / 4][code % 4],
                    from[code / 4] * hmm.a[code / 4][code % 4] * hmm.b[code % 4][2] / all, 1e-15);
    hmm_follow(&hmm, from, HMM_NO_SYMBOL, &followed);
    hmm_refine(&hmm, &followed, a);
    for (unsigned i = 0; i < HMM_STATES; i++) {
        double steps = from[i], counted = 0;

        for (unsigned j = 0; j < HMM_STATES; j++) {
            steps += followed.steps[i][j];
            counted += hmm_can_step(i, j) ? counts.steps[i][j] + .5 : 0;
        }
        for (unsigned j = 0; j < HMM_STATES; j++)
            assert_near(a[i][j], hmm_can_step(i, j) ? (counts.steps[i][j] + .5 + followed.steps[i][j]) / (counted + steps) : 0,
                        1e-12);
    }
}

/* Where the crawl's links are as hers were, A stays; a link that strays takes from the row that it came from. */
static void test_learning_nothing_new(void **state)
{
    const struct hmm_counts counts = {.steps = {{4, 2, 1, 1}, {3, 3, 0, 0}, {0, 5, 1, 0}, {0, 0, 2, 6}}};
    struct hmm_followed followed = {0}, none = {0};
    double a[HMM_STATES][HMM_STATES];
    struct hmm hmm;

    (void)state;
    hmm_estimate(&counts, 1, &hmm); /* one cluster: it tells nothing of the state */
    hmm_refine(&hmm, &none, a);
    for (unsigned i = 0; i < HMM_STATES; i++) {
        const double from[HMM_STATES] = {i == 0, i == 1, i == 2, i == 3};

        for (unsigned j = 0; j < HMM_STATES; j++)
            assert_near(a[i][j], hmm.a[i][j], 1e-15);
        for (int k = 0; k < 50; k++)
            hmm_follow(&hmm, from, 0, &followed);
    }
    for (int k = 0; k < 30; k++)
        hmm_follow(&hmm, (double[]){0, 1, 0, 0}, HMM_NO_SYMBOL, &followed);
    hmm_refine(&hmm, &followed, a);
    for (unsigned i = 0; i < HMM_STATES; i++)
        for (unsigned j = 0; j < HMM_STATES; j++)
            assert_near(a[i][j], hmm.a[i][j] * (i == 1 ? (8. + 50) / (8 + 50 + 30) : 1), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimation),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_against_enumeration),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_one_step_ahead),
        cmocka_unit_test(test_learning_on),
        cmocka_unit_test(test_learning_nothing_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
