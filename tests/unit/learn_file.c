/* Model files: what was saved comes back; what is damaged, cut, foreign or newer is refused. */
#include "learn_sample.h"

#include "base/file.h"

static const enum model_kind kinds[] = {MODEL_BAYES, MODEL_SVM, MODEL_LOGISTIC, MODEL_MLP};
enum { KINDS = 4 };

static struct model *train(const struct sample *sample, enum model_kind kind, bool words)
{
    struct model_options options = model_options_default(kind);
    struct learn_set set = sample->set;
    struct model *model;
    struct errmsg err;

    options.hidden = 3;
    options.max_features = 25;
    set.nwords = words ? set.nwords : 0;
    assert_ok(model_train(&set, &options, &model, &err), err);
    return model;
}

static void assert_same_answers(const struct model *a, const struct model *b, const struct learn_set *set)
{
    struct model_term x[5], y[5];
    double p[4], q[4];

    for (size_t i = 0; i < set->nexamples; i++) {
        model_predict(a, &set->examples[i].tf, p);
        model_predict(b, &set->examples[i].tf, q);
        assert_memory_equal(p, q, set->nclasses * sizeof *p);
        model_decision(a, &set->examples[i].tf, p);
        model_decision(b, &set->examples[i].tf, q);
        assert_memory_equal(p, q, set->nclasses * sizeof *p);
    }
    assert_int_equal(model_telling(a, 1, x, 5), model_telling(b, 1, y, 5));
    for (int i = 0; i < 3; i++)
        assert_true(x[i].stem == y[i].stem && str_eq(x[i].text, y[i].text));
    for (uint32_t c = 0; c < set->nclasses; c++)
        assert_true(str_eq(model_class(a, c), model_class(b, c)));
}

static void test_write_and_read(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * KINDS; k++) {
        struct sample *sample = sample_new(k & 1 ? 2 : 4, 12, 20);
        struct model *model = train(sample, kinds[k / 4], k & 2), *loaded;
        struct errmsg err;
        struct buf bytes;

        buf_init(&bytes, 0);
        assert_int_equal(model_write(model, &bytes), SCENT_OK);
        assert_ok(model_read(buf_str(&bytes), "m.model", &loaded, &err), err);
        buf_release(&bytes);
        assert_same_answers(model, loaded, &sample->set);
        model_free(model);
        model_free(loaded);
        free(sample);
    }
}

static scent_status reread(struct str bytes, struct errmsg *err)
{
    struct model *model;
    scent_status status = model_read(bytes, "x.model", &model, err);

    assert_true((status == SCENT_OK) == (model != NULL));
    model_free(model);
    return status;
}

static void test_every_damaged_byte_is_noticed(void **state)
{
    struct sample *sample = sample_new(3, 8, 21);
    struct errmsg err;

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *model = train(sample, kinds[k], true);
        struct buf bytes;

        buf_init(&bytes, 0);
        assert_int_equal(model_write(model, &bytes), SCENT_OK);
        assert_ok(reread(buf_str(&bytes), &err), err);
        for (size_t i = 0; i < bytes.len; i++) {
            bytes.p[i] ^= (char)(1 << i % 8);
            assert_int_not_equal(reread(buf_str(&bytes), &err), SCENT_OK);
            assert_non_null(strstr(err.text, "x.model: "));
            bytes.p[i] ^= (char)(1 << i % 8);
            assert_int_equal(reread((struct str){bytes.p, i}, &err), SCENT_E_FORMAT);
        }
        buf_addc(&bytes, 0);
        assert_int_equal(reread(buf_str(&bytes), &err), SCENT_E_FORMAT);
        buf_release(&bytes);
        model_free(model);
    }
    free(sample);
}

/* The checksum is no secret: whoever computes it anew must not get a lie past the reader. */
static void test_lies_with_a_valid_checksum(void **state)
{
    struct sample *sample = sample_new(3, 8, 22);
    size_t refused = 0;
    struct errmsg err;

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct model *model = train(sample, kinds[k], true);
        struct buf bytes;

        buf_init(&bytes, 0);
        assert_int_equal(model_write(model, &bytes), SCENT_OK);
        for (size_t i = 12; i < bytes.len - 8; i++) {
            char old = bytes.p[i];
            uint64_t sum;

            bytes.p[i] = (char)0xff;
            sum = hash_bytes(bytes.p, bytes.len - 8, 0x6d6f64);
            memcpy(bytes.p + bytes.len - 8, &sum, 8);
            refused += reread(buf_str(&bytes), &err) != SCENT_OK;
            bytes.p[i] = old;
        }
        buf_release(&bytes);
        model_free(model);
    }
    assert_true(refused > 100);
    free(sample);
}

static void test_messages(void **state)
{
    struct sample *sample = sample_new(2, 8, 23);
    struct model *model = train(sample, MODEL_BAYES, false);
    struct errmsg err;
    struct buf bytes;

    (void)state;
    assert_int_equal(reread(STR("<html>no model</html>"), &err), SCENT_E_FORMAT);
    assert_string_equal(err.text, "x.model: this is not a model of scent; name a file that `scent train` wrote");
    buf_init(&bytes, 0);
    assert_int_equal(model_write(model, &bytes), SCENT_OK);
    assert_int_equal(reread((struct str){bytes.p, bytes.len / 2}, &err), SCENT_E_FORMAT);
    assert_non_null(strstr(err.text, "damaged or cut off"));
    bytes.p[8] = 9;
    assert_int_equal(reread(buf_str(&bytes), &err), SCENT_E_VERSION);
    assert_string_equal(err.text, "x.model: the model has version 9, this program reads version 1; use a newer scent, or "
                                  "train it again with `scent train`");
    model_free(model);
    buf_release(&bytes);
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_every_damaged_byte_is_noticed),
        cmocka_unit_test(test_lies_with_a_valid_checksum),
        cmocka_unit_test(test_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
