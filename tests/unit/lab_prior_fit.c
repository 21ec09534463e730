/* A regression of rows that are known: what goes with relevance rises, the rest stays where the plain prior has it. */
#include "lab/prior_fit.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 400 };

static void a_fit_moves_what_the_rows_ask_for(void **state)
{
    struct prior plain = prior_built_in(PRIOR_PLAIN), fitted;
    struct prior_fit fit = {.nrows = {[PRIOR_EXACT] = ROWS}, .ntopics = {[PRIOR_EXACT] = 1}};
    struct prior_fit_row *rows = calloc(ROWS, sizeof *rows);
    double expected = 0, relevant = 0;

    (void)state;
    assert_non_null(rows);
    fit.rows[PRIOR_EXACT] = rows;
    for (int i = 0; i < ROWS; i++) { /* shape says all; host would, and is of the site; the newest parent says nothing */
        rows[i].relevant = i % 4 == 0;
        rows[i].weight = 200.f / ROWS; /* as 200 topics */
        rows[i].x[EVIDENCE_BIAS] = 1;
        rows[i].x[EVIDENCE_SHAPE] = (float)(rows[i].relevant != (i % 10 == 0));
        rows[i].x[EVIDENCE_HOST] = rows[i].relevant;
        rows[i].x[EVIDENCE_NEWEST] = (float)(i % 3);
    }
    fitted = prior_fit_solve(&fit);
    assert_true(fitted.weights[PRIOR_EXACT][EVIDENCE_SHAPE].mean > 1);
    assert_true(fabs(fitted.weights[PRIOR_EXACT][EVIDENCE_NEWEST].mean) < .1);
    assert_true(fitted.weights[PRIOR_EXACT][EVIDENCE_HOST].mean == 0);
    assert_true(fitted.weights[PRIOR_EXACT][EVIDENCE_ANCHOR].mean == plain.weights[PRIOR_EXACT][EVIDENCE_ANCHOR].mean);
    assert_true(fitted.weights[PRIOR_EXACT][EVIDENCE_SHAPE].variance ==
                plain.weights[PRIOR_EXACT][EVIDENCE_SHAPE].variance);
    for (int i = 0; i < EVIDENCE_FEATURES; i++) /* no rows */
        assert_true(fitted.weights[PRIOR_LEARNED][i].mean == plain.weights[PRIOR_LEARNED][i].mean);
    for (int i = 0; i < ROWS; i++) { /* as many are expected as there are */
        double odds = 0;

        for (int k = 0; k < EVIDENCE_FEATURES; k++)
            odds += fitted.weights[PRIOR_EXACT][k].mean * (double)rows[i].x[k];
        expected += 1 / (1 + exp(-odds));
        relevant += rows[i].relevant;
    }
    assert_true(fabs(expected - relevant) < 1);
    prior_fit_release(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_moves_what_the_rows_ask_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
