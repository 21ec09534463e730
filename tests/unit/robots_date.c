/* Dates of sitemaps and feeds. The seconds were computed by `date -u -d … +%s`. */
#include "robots/date.h"
#include "robots/decimal.h"
#include "test.h"

#include <time.h>

static const struct {
    const char *text;
    int64_t micros;
} good[] = {
    {"2005", 1104537600000000},
    {"2005-01", 1104537600000000},
    {"2005-01-01", 1104537600000000},
    {"2004-12-23T18:00+00:00", 1103824800000000},
    {"2004-12-23T18:00:15+00:00", 1103824815000000},
    {"2015-05-03T18:51:50+01:00", 1430675510000000},
    {"2015-05-03T18:51:50-0130", 1430684510000000},
    {"2015-05-03T18:51:50-01", 1430682710000000},
    {" 2003-12-13t18:30:02.25z ", 1071340202250000},
    {"2003-12-13 18:30:02", 1071340202000000},
    {"2003-12-13 18:30:02.1234567 UTC", 1071340202123456},
    {"2000-02-29", 951782400000000},
    {"2100-03-01", 4107542400000000},
    {"9999-12-31T23:59:59Z", 253402300799000000},
    {"Sat, 13 Dec 2003 18:30:02 GMT", 1071340202000000},
    {"13 Dec 03 18:30 EST", 1071358200000000},
    {"Saturday, 13-Dec-03 18:30:02 +0100", 1071336602000000},
    {"Sat,13 December 2003", 1071273600000000},
    {"1 Jan 99 00:00:00 PDT", 915174000000000},
    {"Sat, 13 Dec 2003 18:30:02 Z", 1071340202000000},
};

static const char *const bad[] = {
    "", "yesterday", "20050101", "2005-1-1", "2005-13-01", "2005-02-29", "2100-02-29", "2005-01-00", "2005-01-01T",
    "2005-01-01T24:00Z", "2005-01-01T10:60Z", "2005-01-01T10:00:61Z", "2005-01-01T10:00+25:00", "2005-01-01 x",
    "1969-12-31", "0000-00-00", "1970-01-01", "2005-01-01T10:00:00.Z", "13 Foo 2003", "32 Dec 2003", "Dec 13 2003",
    "99999-01-01", "2005-01-01T10:00Z!", "13 Dec 2003 18:30 GMT GMT",
};

static void test_dates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (date_parse(str_of(good[i].text)) != good[i].micros)
            print_error("%s: %lld\n", good[i].text, (long long)date_parse(str_of(good[i].text)));
        assert_int_equal(date_parse(str_of(good[i].text)), good[i].micros);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct str text = str_of(bad[i]);

        if (date_parse(text))
            print_error("\"%.*s\" is no date\n", STR_ARG(text));
        assert_int_equal(date_parse(text), 0);
    }
}

/* Every day for four centuries, against the C library. */
static void test_calendar(void **state)
{
    char text[32];

    (void)state;
    for (time_t day = 86400; day < (time_t)86400 * 365 * 430; day += 86400) {
        struct tm tm;

        assert_non_null(gmtime_r(&day, &tm));
        strftime(text, sizeof text, "%Y-%m-%d", &tm);
        assert_int_equal(date_parse(str_of(text)), (int64_t)day * 1000000);
    }
}

static void test_decimals(void **state)
{
    (void)state;
    assert_int_equal(decimal_millionths(STR("0.8")), 800000);
    assert_int_equal(decimal_millionths(STR("12")), 12000000);
    assert_int_equal(decimal_millionths(STR("1.0000019")), 1000001);
    assert_int_equal(decimal_millionths(STR("99999999999999999999999999")), DECIMAL_MAX);
    assert_int_equal(decimal_millionths(STR("1,5")), -1);
    assert_int_equal(decimal_millionths(STR("")), -1);
    assert_int_equal(decimal_millionths(STR(".")), -1);
    assert_int_equal(decimal_millionths(STR("+1")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_decimals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
