/* Dates of HTTP, sitemaps, feeds and logs. The seconds were computed by `date -u -d … +%s`. */
#include "base/date.h"
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
    {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777000000},
    {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777000000},
    {"Sun Nov  6 08:49:37 1994", 784111777000000},
};

static const char *const bad[] = {
    "", "yesterday", "20050101", "2005-1-1", "2005-13-01", "2005-02-29", "2100-02-29", "2005-01-00", "2005-01-01T",
    "2005-01-01T24:00Z", "2005-01-01T10:60Z", "2005-01-01T10:00:61Z", "2005-01-01T10:00+25:00", "2005-01-01 x",
    "1969-12-31", "0000-00-00", "1970-01-01", "2005-01-01T10:00:00.Z", "13 Foo 2003", "32 Dec 2003", "Dec 13 2003",
    "99999-01-01", "2005-01-01T10:00Z!", "13 Dec 2003 18:30 GMT GMT", "Sun Nov 6 1994",
    "Sun Nov  6 08:49:37 94", "Nov 6 08:49:37 1994",
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

static void test_one_form(void **state)
{
    int64_t t;

    (void)state;
    assert_true(date_parse_iso(STR("2000-10-10T13:55:36.5+02:00"), &t) && t == 971178936500000);
    assert_true(date_parse_iso(STR("2000-10-10"), &t) && t == 971136000000000);
    assert_true(date_parse_iso(STR("1970-01-01"), &t) && t == 0);
    assert_false(date_parse_iso(STR("2000-10"), &t) || date_parse_iso(STR("2000"), &t));
    assert_false(date_parse_iso(STR("2100-01-01"), &t) || date_parse_iso(STR("1969-12-31"), &t));
    assert_true(date_parse_log(STR("10/Oct/2000:13:55:36 -0700"), &t) && t == 971211336000000);
    assert_true(date_parse_log(STR("10/oct/2000:13:55:36"), &t) && t == 971186136000000);
    assert_false(date_parse_log(STR("10/Oct/2000"), &t) || date_parse_log(STR("2000-10-10"), &t));
    assert_true(date_parse_epoch(STR("1297054935.25"), &t) && t == 1297054935250000);
    assert_true(date_parse_epoch(STR("1297054935"), &t) && t == 1297054935000000);
    assert_false(date_parse_epoch(STR("1297054935."), &t) || date_parse_epoch(STR("1297054935.5x"), &t));
    assert_false(date_parse_epoch(STR("4102444800"), &t) || date_parse_epoch(STR(""), &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_one_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
