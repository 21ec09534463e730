/* The network's gradient against finite differences. */
#include "learn_sample.h"

#include "learn/model_parts.h"

static void check_gradient(struct mlp_net *net, const struct dataset *data, const uint32_t *rows, size_t n)
{
    size_t total = mlp_nweights(net), checked = 0;
    float *gradient = calloc(total, sizeof *gradient);

    mlp_loss(net, data, rows, n, gradient);
    for (size_t i = 0; i < total; i += 1 + i / 50) {
        float middle = net->weights[i];
        double up, down, step;

        net->weights[i] = middle + 1e-3f;
        step = (double)net->weights[i];
        up = mlp_loss(net, data, rows, n, NULL);
        net->weights[i] = middle - 1e-3f;
        step -= (double)net->weights[i];
        down = mlp_loss(net, data, rows, n, NULL);
        net->weights[i] = middle;
        assert_near((double)gradient[i], (up - down) / step, 2e-4 * (1 + fabs((double)gradient[i])));
        checked++;
    }
    assert_true(checked > 50);
    free(gradient);
}

static void test_gradient(void **state)
{
    struct sample *sample = sample_new(3, 4, 11);
    struct model_options options = model_options_default(MODEL_MLP);
    struct mlp_net net = {.hidden = 5, .nclasses = 3};
    const uint32_t rows[] = {0, 1, 2, 5, 7, 10};
    struct dataset data;
    struct errmsg err;
    struct rng rng;

    (void)state;
    assert_ok(dataset_init(&data, &sample->set, &options, &err), err);
    assert_int_equal(dataset_weigh(&data, TEXT_LTC, NULL), SCENT_OK);
    net.nfeatures = data.nfeatures;
    net.p = malloc(3 * sizeof *net.p);
    net.weights = malloc(mlp_nweights(&net) * sizeof *net.weights);
    rng_seed(&rng, 12);
    for (size_t i = 0; i < mlp_nweights(&net); i++)
        net.weights[i] = (float)(2 * rng_unit(&rng) - 1);
    check_gradient(&net, &data, rows, 6);
    free(net.weights);
    free(net.p);
    dataset_release(&data);
    free(sample);
}

/* ltc rows have length 1, and values as worked out by hand. */
static void test_dataset_weights(void **state)
{
    struct text_weight a[] = {{1, 3}, {2, 1}}, b[] = {{1, .5}, {2, 2}, {3, 1}}, c[] = {{2, 5}, {4, 1}};
    const struct learn_example examples[] = {{{a, 2}, 0}, {{b, 3}, 1}, {{c, 2}, 1}};
    const struct str names[] = {STR("a"), STR("b")};
    struct learn_set set = {.examples = examples, .nexamples = 3, .classes = names, .nclasses = 2};
    struct model_options options = model_options_default(MODEL_SVM);
    double first = .5 * log(1.5), third = log(3);
    struct dataset data;
    struct errmsg err;

    (void)state;
    assert_ok(dataset_init(&data, &set, &options, &err), err);
    assert_int_equal(dataset_weigh(&data, TEXT_LTC, NULL), SCENT_OK);
    assert_near((double)data.cells[0].value, 1, 1e-6); /* stem 2 is in every page and weighs nothing */
    assert_near((double)data.cells[1].value, 0, 0);
    assert_near((double)data.cells[2].value, first / hypot(first, third), 1e-6);
    assert_near((double)data.cells[4].value, third / hypot(first, third), 1e-6);
    dataset_release(&data);
    assert_ok(dataset_init(&data, &set, &options, &err), err);
    assert_int_equal(dataset_weigh(&data, TEXT_ATN, NULL), SCENT_OK);
    assert_near((double)data.cells[0].value, log(1.5), 1e-6);
    assert_near((double)data.cells[2].value, (.5 + .5 * .25) * log(1.5), 1e-6);
    dataset_release(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_dataset_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
