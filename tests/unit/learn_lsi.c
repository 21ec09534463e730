/* Latent semantic indexing: what must hold of any decomposition (tests/conformance/lsi compares the numbers), and pages
 * from which little can be learned. */
#include "learn_sample.h"

#include "learn/clustering.h"
#include "learn/lsi.h"

static struct text_vector *vectors_of(const struct sample *sample)
{
    struct text_vector *pages = malloc(sample->set.nexamples * sizeof *pages);

    for (size_t i = 0; i < sample->set.nexamples; i++)
        pages[i] = sample->examples[i].tf;
    return pages;
}

static double cosine(const struct lsi *lsi, const struct text_vector *a, const struct text_vector *b)
{
    double x[LSI_DIMS], y[LSI_DIMS];

    lsi_project_unit(lsi, a, x);
    lsi_project_unit(lsi, b, y);
    return clustering_dot(x, y, lsi_dims(lsi));
}

/* With all dimensions nothing is lost: cosines are those of the full vectors. */
static void test_all_dimensions(void **state)
{
    struct sample *sample = sample_new(3, 10, 1);
    struct text_vector *pages = vectors_of(sample);
    struct errmsg err;
    struct lsi *lsi;

    (void)state;
    assert_ok(lsi_train(pages, 30, 1, &lsi, &err), err);
    assert_int_equal(lsi_dims(lsi), 30);
    for (int i = 0; i < 30; i++) {
        struct text_weight a[SAMPLE_WORDS], b[SAMPLE_WORDS];
        struct text_vector x = {a, lsi_weigh(lsi, &pages[i], a)}, y = {b, lsi_weigh(lsi, &pages[(i * 7 + 1) % 30], b)};

        assert_near(text_norm(&x), 1, 1e-12);
        assert_near(cosine(lsi, &pages[i], &pages[(i * 7 + 1) % 30]), text_dot(&x, &y), 1e-10);
    }
    lsi_free(lsi);
    free(pages);
    free(sample);
}

/* The squared lengths of the pages' coordinates add up to the share of the squared singular values that is kept, and not
 * one dimension less would do. */
static void test_kept_share(void **state)
{
    struct sample *sample = sample_new(4, 20, 2);
    struct text_vector *pages = vectors_of(sample);
    double squares = 0, singular = 0, last;
    struct errmsg err;
    struct lsi *lsi;

    (void)state;
    assert_ok(lsi_train(pages, 80, .3, &lsi, &err), err);
    assert_true(lsi_dims(lsi) < LSI_DIMS);
    for (int i = 0; i < 80; i++) {
        double x[LSI_DIMS];

        lsi_project(lsi, &pages[i], x);
        squares += clustering_dot(x, x, lsi_dims(lsi));
    }
    for (uint32_t k = 0; k < lsi_dims(lsi); k++) {
        singular += lsi_singular(lsi, k) * lsi_singular(lsi, k);
        assert_true(k == 0 || lsi_singular(lsi, k) <= lsi_singular(lsi, k - 1));
    }
    last = lsi_singular(lsi, lsi_dims(lsi) - 1);
    assert_near(squares, singular, 1e-9);
    assert_true(singular >= .3 * 80 && singular - last * last < .3 * 80);
    lsi_free(lsi);
    assert_ok(lsi_train(pages, 80, 1, &lsi, &err), err);
    assert_int_equal(lsi_dims(lsi), LSI_DIMS);
    lsi_free(lsi);
    free(pages);
    free(sample);
}

/* Pages without a common word are near each other where others connect their words. */
static void test_association(void **state)
{
    struct text_weight items[5][2] = {{{1, 1}, {2, 1}}, {{2, 1}, {3, 1}}, {{2, 1}, {3, 2}}, {{7, 1}, {8, 1}}, {{8, 1}, {9, 1}}};
    struct text_weight one = {1, 1}, three = {3, 1}, nine = {9, 1};
    struct text_vector pages[5], a = {&one, 1}, b = {&three, 1}, c = {&nine, 1};
    struct errmsg err;
    struct lsi *lsi;

    (void)state;
    for (int i = 0; i < 5; i++)
        pages[i] = (struct text_vector){items[i], 2};
    assert_ok(lsi_train(pages, 5, .6, &lsi, &err), err);
    assert_true(cosine(lsi, &a, &b) > .9);
    assert_true(cosine(lsi, &a, &c) < .1);
    lsi_free(lsi);
}

static void test_little_to_learn(void **state)
{
    struct text_weight items[] = {{3, 1}, {5, 2}, {9, 1}}, other[] = {{3, 1}, {4, 1}};
    struct text_vector same[3] = {{items, 3}, {items, 3}, {items, 3}}, empty[3] = {{0}};
    struct text_vector mixed[4] = {{items, 3}, {NULL, 0}, {other, 2}, {items, 3}}, nothing = {0};
    struct text_weight bad[] = {{3, NAN}, {5, -1}, {9, INFINITY}};
    struct text_weight part[] = {{3, 1}, {5, 2}, {77, 5}, {78, NAN}};
    struct text_vector odd = {bad, 3}, half = {part, 4};
    double x[LSI_DIMS];
    struct errmsg err;
    struct lsi *lsi;

    (void)state;
    assert_int_equal(lsi_train(same, 0, .8, &lsi, &err), SCENT_E_INVALID);
    assert_int_equal(lsi_train(same, 1, .8, &lsi, &err), SCENT_E_INVALID);
    assert_int_equal(lsi_train(same, 3, .8, &lsi, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "do not differ in any word"));
    assert_int_equal(lsi_train(empty, 3, .8, &lsi, &err), SCENT_E_INVALID);
    assert_int_equal(lsi_train(same, LSI_PAGES_MAX + 1, .8, &lsi, &err), SCENT_E_LIMIT);
    assert_ok(lsi_train(mixed, 4, 1, &lsi, &err), err);
    assert_int_equal(lsi_dims(lsi), 2); /* two of the four are the same, one is empty */
    lsi_project_unit(lsi, &nothing, x);
    assert_true(x[0] == 0 && x[1] == 0);
    assert_near(lsi_known(lsi, &nothing), 0, 0);
    assert_near(lsi_known(lsi, &odd), 0, 0);
    assert_near(lsi_known(lsi, &half), 3. / 8, 1e-15); /* words by how often they stand there */
    lsi_project_unit(lsi, &odd, x);
    assert_true(x[0] == 0 && x[1] == 0);
    assert_near(cosine(lsi, &mixed[0], &mixed[3]), 1, 1e-12);
    lsi_free(lsi);
}

/* The same pages give the same bytes; bytes give the same coordinates; cut or changed bytes are refused or harmless. */
static void test_bytes(void **state)
{
    struct sample *sample = sample_new(2, 8, 3);
    struct text_vector *pages = vectors_of(sample);
    struct buf one, two;
    struct lsi *lsi, *again;
    struct errmsg err;
    struct bytes in;
    double x[LSI_DIMS], y[LSI_DIMS];

    (void)state;
    buf_init(&one, 0);
    buf_init(&two, 0);
    assert_ok(lsi_train(pages, 16, .8, &lsi, &err), err);
    lsi_put(lsi, &one);
    assert_ok(lsi_train(pages, 16, .8, &again, &err), err);
    lsi_put(again, &two);
    assert_true(str_eq(buf_str(&one), buf_str(&two)));
    lsi_free(again);
    in = bytes_of(buf_str(&one));
    again = lsi_get(&in);
    assert_non_null(again);
    lsi_project(lsi, &pages[3], x);
    lsi_project(again, &pages[3], y);
    assert_memory_equal(x, y, lsi_dims(lsi) * sizeof *x);
    lsi_free(again);
    for (size_t len = 0; len < one.len; len += 1 + len / 7) {
        in = bytes_of((struct str){one.p, len});
        assert_null(lsi_get(&in));
        assert_non_null(in.wrong);
    }
    lsi_free(lsi);
    buf_release(&one);
    buf_release(&two);
    free(pages);
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_dimensions),
        cmocka_unit_test(test_kept_share),
        cmocka_unit_test(test_association),
        cmocka_unit_test(test_little_to_learn),
        cmocka_unit_test(test_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
