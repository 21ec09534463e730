/* Training and asking from many threads at once: the same answers as alone. */
#include "learn_sample.h"

#include <pthread.h>

enum { THREADS = 4 };

struct worker {
    const struct learn_set *set;
    const struct model *shared;
    struct buf bytes; /* of the model that it trains */
    double sum;       /* of what the shared model answers */
};

static double ask_all(const struct model *model, const struct learn_set *set)
{
    double p[4], sum = 0;

    for (size_t i = 0; i < set->nexamples; i++) {
        model_predict(model, &set->examples[i].tf, p);
        sum += p[1];
    }
    return sum;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct model_options options = model_options_default(MODEL_SVM);
    struct model *model;
    struct errmsg err;

    worker->sum = ask_all(worker->shared, worker->set);
    if (model_train(worker->set, &options, &model, &err) != SCENT_OK || model_write(model, &worker->bytes) != SCENT_OK)
        return NULL;
    model_free(model);
    return worker;
}

static void test_threads(void **state)
{
    struct sample *sample = sample_new(3, 20, 41);
    struct model_options options = model_options_default(MODEL_SVM);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct model *shared;
    struct errmsg err;
    void *result;

    (void)state;
    assert_ok(model_train(&sample->set, &options, &shared, &err), err);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.set = &sample->set, .shared = shared};
        buf_init(&workers[i].bytes, 0);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_near(workers[i].sum, ask_all(shared, &sample->set), 0);
        assert_true(str_eq(buf_str(&workers[i].bytes), buf_str(&workers[0].bytes)));
    }
    for (int i = 0; i < THREADS; i++)
        buf_release(&workers[i].bytes);
    model_free(shared);
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
