/* The maximum average similarity on four pages, worked out by hand. */
#include "lab_pages_fixture.h"

#include "lab/measure.h"

#include <math.h>

/* Stems of no stop words; D = 4. apple stands in 2 pages, pear in 2, plum in 1, fig in 1. No titles. */
static const struct pages_row rows[] = {
    {"a.html", "<p>apple pear</p>"},
    {"b.html", "<p>apple apple apple</p>"},
    {"c.html", "<p>pear plum</p>"},
    {"d.html", "<p>fig</p>"},
    {NULL, NULL},
};

static void by_hand(void **state)
{
    struct pages_fixture fixture;
    struct similarity *similarity;
    uint32_t a, b, c, d;
    double cos_ab = 1 / sqrt(2), cos_ac = log(2) / sqrt(2) / sqrt(log(2) * log(2) + log(4) * log(4));

    (void)state;
    pages_open(&fixture, rows);
    a = pages_find(&fixture, "a.html"), b = pages_find(&fixture, "b.html");
    c = pages_find(&fixture, "c.html"), d = pages_find(&fixture, "d.html");
    assert_int_equal(similarity_new(fixture.collection, &similarity), SCENT_OK);
    {
        const uint32_t pages[] = {b, c, d};
        const struct measure_crawl crawl = {pages, 3}, empty = {pages, 0};
        bool marked[8] = {false};

        assert_true(similarity_of(similarity, &crawl, marked, 3) == 0); /* nothing is marked */
        marked[a] = true;
        assert_true(similarity_of(similarity, &empty, marked, 3) == 0);
        assert_true(fabs(similarity_of(similarity, &crawl, marked, 1) - cos_ab) < 1e-6);
        assert_true(fabs(similarity_of(similarity, &crawl, marked, 3) - (cos_ab + cos_ac) / 3) < 1e-6);
        assert_true(fabs(similarity_of(similarity, &crawl, marked, 9) - (cos_ab + cos_ac) / 3) < 1e-6);
        marked[b] = true; /* nearer to the first page: itself */
        assert_true(fabs(similarity_of(similarity, &crawl, marked, 1) - 1) < 1e-6);
    }
    similarity_free(similarity);
    pages_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
