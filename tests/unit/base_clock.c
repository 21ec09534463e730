/* Dates on a clock that may be set. */
#include "base/clock.h"
#include "test.h"

static void a_date_too_far_ahead_is_none(void **state)
{
    (void)state;
    assert_int_equal(clock_until(100, 90, 50), 10);
    assert_int_equal(clock_until(100, 50, 50), 50);
    assert_int_equal(clock_until(100, 49, 50), 0); /* the clock was set back */
    assert_int_equal(clock_until(100, 100, 50), 0);
    assert_int_equal(clock_until(100, 200, 50), 0);
    assert_int_equal(clock_until(INT64_MAX, 0, 50), 0);
    assert_int_equal(clock_until(INT64_MAX, -1000, 50), 0);
    assert_int_equal(clock_until(0, -10, 50), 10);
    assert_int_equal(clock_until(INT64_MIN, 10, 50), 0);
}

static void dates_are_written_in_utc(void **state)
{
    static const struct {
        int64_t wall;
        const char *text;
        unsigned year;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z", 1970},
        {INT64_C(1763197080) * 1000000, "2025-11-15T08:58:00Z", 2025},
        {INT64_C(951782400) * 1000000, "2000-02-29T00:00:00Z", 2000},
        {INT64_C(-86400) * 1000000, "1969-12-31T00:00:00Z", 1969},
        {INT64_C(4102444800) * 1000000, "2100-01-01T00:00:00Z", 2100},
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clock_format_iso(cases[i].wall, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(clock_year(cases[i].wall), cases[i].year);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_date_too_far_ahead_is_none),
        cmocka_unit_test(dates_are_written_in_utc),
    };

    return cmocka_run_group_tests_name("base/clock", tests, NULL, NULL);
}
