/* Platt's sigmoid against the optimum that a general minimiser finds. */
#include "learn_sample.h"

#include "learn/model_parts.h"

static void test_known_set(void **state)
{
    const double f[] = {-2, -1.5, -1, -.5, .2, -.1, .4, .9, 1.3, 2.2};
    const bool y[] = {0, 0, 0, 0, 0, 1, 1, 0, 1, 1};
    struct sigmoid s = platt_fit(&(struct platt_values){f, y, NULL, 10});

    (void)state;
    assert_near(s.a, -.89112943, 1e-5); /* by Nelder and Mead on the same likelihood */
    assert_near(s.b, .45423107, 1e-5);
    assert_near(platt_probability(s, 1), 1 / (1 + exp(s.a + s.b)), 1e-12);
}

/* Without information (all values equal) the probability is what the targets average to: (3 * 4/5 + 1 * 1/3) / 4. */
static void test_no_information(void **state)
{
    const double f[] = {1, 1, 1, 1};
    const bool y[] = {1, 1, 1, 0};

    (void)state;
    assert_near(platt_probability(platt_fit(&(struct platt_values){f, y, NULL, 4}), 1), (3 * .8 + 1. / 3) / 4, 1e-5);
}

/* Separable values, however large: a finite sigmoid that rises, and ends at the targets. */
static void test_separable(void **state)
{
    double f[60];
    bool y[60];
    struct sigmoid s;

    (void)state;
    for (int i = 0; i < 60; i++) {
        y[i] = i % 3 == 0;
        f[i] = (y[i] ? 1 : -1) * (1e6 + i);
    }
    s = platt_fit(&(struct platt_values){f, y, NULL, 60});
    assert_true(isfinite(s.a) && isfinite(s.b) && s.a < 0);
    assert_near(platt_probability(s, 1e6 + 30), 21. / 22, .01);
    assert_near(platt_probability(s, -1e6 - 30), 1. / 42, .01);
    assert_true(platt_probability(s, 1e300) <= 1 && platt_probability(s, -1e300) >= 0);
}

/* A value of weight 3 is three values. */
static void test_weights(void **state)
{
    const double f[] = {-2, -1, -.5, .3, 1}, thrice[] = {-2, -1, -.5, -.5, -.5, .3, 1};
    const bool y[] = {0, 0, 1, 0, 1}, thrice_y[] = {0, 0, 1, 1, 1, 0, 1};
    const double weight[] = {1, 1, 3, 1, 1};
    struct sigmoid a = platt_fit(&(struct platt_values){f, y, weight, 5});
    struct sigmoid b = platt_fit(&(struct platt_values){thrice, thrice_y, NULL, 7});

    (void)state;
    assert_near(a.a, b.a, 1e-9);
    assert_near(a.b, b.b, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_set),
        cmocka_unit_test(test_no_information),
        cmocka_unit_test(test_separable),
        cmocka_unit_test(test_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
