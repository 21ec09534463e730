/* The models of a topic: which examples teach which of them, and their file. */
#include "test.h"

#include "base/file.h"
#include "training/trained.h"

#include <stdio.h>

static const struct str classes[] = {{"negative", 8}, {"positive", 8}};

enum { POSITIVES = 4, WEAK = 20 };

/* Positives have words 1 and 2, weak ones a common word and one of their own. */
static struct learn_set make_set(size_t nnegatives)
{
    static struct text_weight items[64][2];
    static struct learn_example examples[64];
    struct learn_set set = {.examples = examples, .classes = classes, .nclasses = 2, .nweak = WEAK};

    for (size_t i = 0; i < POSITIVES + nnegatives + WEAK; i++) {
        bool positive = i < POSITIVES;

        items[i][0] = (struct text_weight){positive ? 1000 : 5000, 1};
        items[i][1] = (struct text_weight){10000 + 100 * i, 1};
        examples[set.nexamples++] = (struct learn_example){{items[i], 2}, positive};
    }
    return set;
}

static void weak_examples_are_not_for_contexts(void **state)
{
    struct learn_set set = make_set(3), labelled = trained_labelled(&set, 2);
    struct model_options options = model_options_default(MODEL_SVM);

    (void)state;
    assert_int_equal(labelled.nexamples, POSITIVES + 3);
    assert_int_equal(labelled.nweak, 0);
    assert_int_equal(trained_by_judge(&set, &options, 2).nexamples, set.nexamples);
    options.weak = 0;
    assert_int_equal(trained_by_judge(&set, &options, 2).nexamples, POSITIVES + 3);
    set = make_set(0); /* nobody gave a negative one: some of the weak ones have to do */
    assert_int_equal(trained_labelled(&set, 2).nexamples, POSITIVES + 8);
    assert_int_equal(trained_labelled(&set, 100).nexamples, POSITIVES + WEAK);
}

static uint32_t features(const struct model *model)
{
    return model ? model_nfeatures(model) : 0;
}

static void both_models_are_in_the_file(void **state)
{
    struct learn_set set = make_set(3), whole = {.nexamples = POSITIVES, .classes = classes, .nclasses = 2};
    static struct learn_example others[POSITIVES];
    struct model_options options = model_options_default(MODEL_SVM);
    struct trained trained, read;
    char path[300], *dir = test_make_dir();
    struct errmsg err = {{0}};
    struct buf bytes;
    uint64_t fingerprint;

    (void)state;
    memcpy(others, set.examples, sizeof others);
    whole.examples = others;
    snprintf(path, sizeof path, "%s/x.model", dir);
    assert_ok(trained_learn(&set, &options, 2, &trained, &err), err);
    assert_int_equal(features(trained.judge), 2 + POSITIVES + 3 + WEAK);
    assert_int_equal(features(trained.guide), 2 + POSITIVES + 3);
    assert_int_equal(trained_keep(&trained, &set, &whole), SCENT_OK);
    trained.auc = .875;
    assert_ok(trained_save(&trained, 0xabcd, path, &err), err);
    assert_ok(trained_load(path, &read, &fingerprint, &err), err);
    assert_true(read.auc == .875);
    assert_int_equal(fingerprint, 0xabcd);
    assert_int_equal(features(read.judge), features(trained.judge));
    assert_int_equal(features(read.guide), features(trained.guide));
    assert_int_equal(read.examples->set.nexamples, set.nexamples);
    assert_int_equal(read.examples->set.nweak, WEAK);
    assert_int_equal(read.examples->whole.nexamples, POSITIVES);
    for (size_t i = 0; i < set.nexamples; i++) {
        assert_int_equal(read.examples->set.examples[i].class, set.examples[i].class);
        assert_memory_equal(read.examples->set.examples[i].tf.items, set.examples[i].tf.items,
                            2 * sizeof(struct text_weight));
    }
    trained_release(&read);
    buf_init(&bytes, 1 << 20);
    assert_ok(file_read(path, &bytes, &err), err);
    for (size_t cut = 0; cut < bytes.len; cut += 7) { /* every part of it is missed */
        assert_ok(file_replace(path, str_sub(buf_str(&bytes), 0, cut), &err), err);
        assert_int_not_equal(trained_load(path, &read, &fingerprint, &err), SCENT_OK);
        assert_null(read.judge);
    }
    buf_release(&bytes);
    trained.examples->set.examples[0].tf.items[0].stem = UINT64_MAX; /* words that are in no order */
    assert_ok(trained_save(&trained, 0xabcd, path, &err), err);
    assert_int_equal(trained_load(path, &read, &fingerprint, &err), SCENT_E_FORMAT);
    trained_release(&trained);
    options.weak = 0;
    assert_ok(trained_learn(&set, &options, 2, &trained, &err), err);
    assert_null(trained.guide);
    assert_ok(trained_save(&trained, 1, path, &err), err);
    assert_ok(trained_load(path, &read, &fingerprint, &err), err);
    assert_null(read.guide);
    trained_release(&read);
    trained_release(&trained);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_examples_are_not_for_contexts),
        cmocka_unit_test(both_models_are_in_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
