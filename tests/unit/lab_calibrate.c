/* Thresholds of a query: the sample, the sheet for a person, and the precision by hand. */
#include "lab_pages_fixture.h"

#include "lab/calibrate.h"

#include <math.h>

/* The more often a page says "hockey", the more the query believes in it. */
static const struct pages_row PAGES[] = {
    {"a.html", "<html lang=en><title>All</title><body>hockey hockey hockey hockey hockey hockey hockey hockey milk"},
    {"b.html", "<html lang=en><title>Some&#9;more</title><body>hockey hockey hockey bread butter milk cheese"},
    {"c.html", "<html lang=en><body>hockey bread butter milk cheese apple pear plum cherry grape lemon"},
    {"d.html", "<html lang=en><body>bread butter milk cheese apple"},
    {"e.html", "<html lang=en><body>bread butter milk cheese pear"},
    {"f.html", "<html lang=en><body>bread butter milk cheese plum"},
    {"g.html", "<html lang=en><body>bread butter milk cheese grape"},
    {0},
};

static const struct calibrate_options OPTIONS = {
    .query = {"hockey", 6}, .around = .5, .width = .1, .pages = 30, .seed = 1};

static void sample(void **state)
{
    struct calibrate_options none = OPTIONS;
    struct pages_fixture fixture;
    struct calibration calibration;
    struct errmsg err = {0};

    (void)state;
    pages_open(&fixture, PAGES);
    assert_ok(calibrate_sample(fixture.collection, &OPTIONS, &calibration, &err), err);
    assert_int_equal(calibration.count, 3); /* pages without the word have a belief of .4, which is not above */
    assert_int_equal(calibration.sample[0].page, pages_find(&fixture, "a.html"));
    assert_int_equal(calibration.sample[2].page, pages_find(&fixture, "c.html"));
    for (size_t i = 0; i < calibration.count; i++) {
        const struct calibrate_page *page = &calibration.sample[i];

        assert_true(page->belief > calibration.bands[page->band].low);
        assert_true(page->band == CALIBRATE_BANDS || page->belief <= calibration.bands[page->band + 1].low);
    }
    calibrate_release(&calibration);
    none.query = STR("unheardof");
    assert_int_equal(calibrate_sample(fixture.collection, &none, &calibration, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "lower --around"));
    none.query = STR("#sum(");
    assert_int_equal(calibrate_sample(fixture.collection, &none, &calibration, &err), SCENT_E_INVALID);
    pages_close(&fixture);
}

static void sheet(void **state)
{
    struct pages_fixture fixture;
    struct calibration calibration;
    struct errmsg err = {0};
    struct buf text;
    double error;

    (void)state;
    pages_open(&fixture, PAGES);
    assert_ok(calibrate_sample(fixture.collection, &OPTIONS, &calibration, &err), err);
    buf_init(&text, 0);
    calibrate_write_sheet(&calibration, fixture.collection, &text);
    assert_non_null(strstr(buf_z(&text), "http://pages.test/b.html\tSome more\n"));
    assert_ok(calibrate_read_sheet(&calibration, fixture.collection, buf_str(&text), "s", &err), err);
    assert_true(isnan(calibrate_precision(&calibration, 0, &error))); /* nobody has judged yet */
    assert_ok(calibrate_read_sheet(&calibration, fixture.collection,
                                   STR("y\t.5\thttp://pages.test/a.html\tAll\r\n\n# x\nn\t.5\thttp://pages.test/c.html\n"
                                       "y\t0\thttp://elsewhere.test/\n"), "s", &err), err);
    assert_int_equal(calibration.sample[0].verdict, CALIBRATE_YES);
    assert_int_equal(calibration.sample[1].verdict, CALIBRATE_UNKNOWN);
    assert_int_equal(calibration.sample[2].verdict, CALIBRATE_NO);
    assert_int_equal(calibrate_read_sheet(&calibration, fixture.collection, STR("y\t1\tu\nmaybe\t1\tu\n"), "s", &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "s:2: expected a verdict (y, n or ?)"));
    buf_release(&text);
    calibrate_release(&calibration);
    pages_close(&fixture);
}

/* 80 pages of a band, 10 judged, 5 of them relevant; 20 pages above, 4 judged, all relevant: .8 * .5 + .2 * 1. */
static void precision_by_hand(void **state)
{
    struct calibration calibration = {0};
    struct buf text;
    double error;

    (void)state;
    calibration.bands[9] = (struct calibrate_band){.4, 80, 10, 5};
    calibration.bands[10] = (struct calibrate_band){.5, 20, 4, 4};
    assert_true(fabs(calibrate_precision(&calibration, 9, &error) - .6) < 1e-12);
    assert_true(fabs(error - .8 * sqrt(.25 / 9 * (1 - 10. / 80))) < 1e-12);
    assert_true(calibrate_precision(&calibration, 10, &error) == 1 && error == 0);
    buf_init(&text, 0);
    calibrate_print(&calibration, &text);
    assert_non_null(strstr(buf_z(&text), "    0.400       100       14   0.600 +- 0.125\n"));
    buf_clear(&text);
    calibrate_write_json(&calibration, &text);
    assert_non_null(strstr(buf_z(&text), "{\"threshold\":0.5,\"pages\":20,\"judged\":4,\"precision\":1,\"error\":0}"));
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample),
        cmocka_unit_test(sheet),
        cmocka_unit_test(precision_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
