/* When a page is due again, by examples that were computed by hand; and what is sent back to a server. */
#include "engine/freshness.h"

#include "test.h"

#define DAY ((int64_t)86400 * 1000000)

static const struct topic_recrawl adaptive = {
    .policy = TOPIC_RECRAWL_ADAPTIVE, .interval_us = 7 * DAY, .min_us = DAY / 24, .max_us = 90 * DAY};

/* In days, of looks `gap` days apart. */
static double days(const struct topic_recrawl *recrawl, uint32_t visits, uint32_t changes, int64_t gap)
{
    struct freshness seen = {visits, changes, 1000 * DAY, 1000 * DAY + gap * (visits - 1) * DAY, visits > 1 ? gap * DAY : 0};

    return (double)freshness_interval(recrawl, &seen) / (double)DAY;
}

#define assert_days(a, b) assert_true((a) > (b)-0.001 && (a) < (b) + 0.001)

static void a_fixed_interval_is_fixed(void **state)
{
    struct topic_recrawl fixed = {.policy = TOPIC_RECRAWL_FIXED, .interval_us = 3 * DAY};
    struct freshness seen = {9, 9, 1, 100 * DAY, 50 * DAY};

    (void)state;
    assert_days(days(&fixed, 1, 0, 0), 3);
    assert_days(days(&fixed, 5, 4, 7), 3);
    assert_true(freshness_patience(&fixed, &seen) == 3 * DAY);
}

static void the_first_guess_is_the_interval(void **state)
{
    (void)state;
    assert_days(days(&adaptive, 1, 0, 0), 7);
}

/* -ln((n - x + 0.5) / (n + 0.5)) changes in a gap of 7 days. */
static void the_rate_is_estimated(void **state)
{
    (void)state;
    assert_days(days(&adaptive, 2, 1, 7), 6.3717);  /* n 1, x 1: ln 3 = 1.0986 */
    assert_days(days(&adaptive, 5, 4, 7), 3.1858);  /* n 4, x 4: ln 9 = 2.1972 */
    assert_days(days(&adaptive, 11, 5, 7), 10.8254); /* n 10, x 5: ln (10.5 / 5.5) = 0.6466 */
    assert_days(days(&adaptive, 5, 2, 7), 11.9092); /* n 4, x 2: ln (4.5 / 2.5) = 0.5878 */
}

static void it_grows_by_twice_at_most(void **state)
{
    (void)state;
    assert_days(days(&adaptive, 2, 0, 7), 14);
    assert_days(days(&adaptive, 101, 1, 7), 14);
    assert_days(days(&adaptive, 5, 1, 7), 14); /* 27.9 */
}

static void it_stays_within_its_bounds(void **state)
{
    struct freshness hourly = {1001, 1000, 0, 1000 * DAY / 24, DAY / 24};

    (void)state;
    assert_days(days(&adaptive, 3, 0, 80), 90);
    assert_true(freshness_interval(&adaptive, &hourly) == DAY / 24);
}

static void nonsense_does_no_harm(void **state)
{
    struct freshness backwards = {4, 2, 10 * DAY, 5 * DAY, -DAY}, too_many = {3, 9, 0, 14 * DAY, 7 * DAY};

    (void)state;
    assert_true(freshness_interval(&adaptive, &backwards) == 7 * DAY);
    assert_true(freshness_patience(&adaptive, &backwards) == 7 * DAY);
    assert_days((double)freshness_interval(&adaptive, &too_many) / (double)DAY, 4.3493); /* as if 2 of 2: ln 5 */
}

static void trouble_waits_twice_as_long(void **state)
{
    struct freshness seen = {3, 1, DAY, 15 * DAY, 20 * DAY};

    (void)state;
    assert_true(freshness_patience(&adaptive, &seen) == 40 * DAY);
    seen.gap = 50 * DAY;
    assert_true(freshness_patience(&adaptive, &seen) == 90 * DAY);
}

/* ---- validators ---- */

static bool offers(const char *line, const char *etag, const char *date)
{
    struct arena arena;
    char head[2048];
    struct str a, b;
    bool same;

    arena_init(&arena, 1 << 20);
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", line);
    a = freshness_etag(str_of(head), &arena);
    b = freshness_last_modified(str_of(head), &arena);
    same = str_eq(a, str_of(etag)) && str_eq(b, str_of(date));
    arena_release(&arena);
    return same;
}

static void entity_tags_are_kept_as_they_are(void **state)
{
    char longest[300], line[320];

    (void)state;
    assert_true(offers("ETag: \"abc\"", "\"abc\"", ""));
    assert_true(offers("etag:W/\"abc,d\"  ", "W/\"abc,d\"", ""));
    assert_true(offers("ETag: \"\"", "\"\"", ""));
    assert_true(offers("ETag: \"caf\xe9\"", "\"caf\xe9\"", ""));
    memset(longest, 'x', sizeof longest);
    longest[0] = longest[FRESHNESS_ETAG_MAX - 1] = '"';
    longest[FRESHNESS_ETAG_MAX] = 0;
    snprintf(line, sizeof line, "ETag: %s", longest);
    assert_true(offers(line, longest, ""));
}

static void hostile_entity_tags_are_dropped(void **state)
{
    char longer[400];

    (void)state;
    assert_true(offers("ETag: abc", "", ""));
    assert_true(offers("ETag: \"", "", ""));
    assert_true(offers("ETag: w/\"a\"", "", ""));
    assert_true(offers("ETag: \"a\"b\"", "", ""));
    assert_true(offers("ETag: \"a b\"", "", ""));
    assert_true(offers("ETag: \"a\tb\"", "", ""));
    assert_true(offers("ETag: \"a\x7f\"", "", ""));
    assert_true(offers("ETag: \"a\rX-Evil: 1\"", "", ""));
    snprintf(longer, sizeof longer, "ETag: \"%0*d\"", FRESHNESS_ETAG_MAX - 1, 0);
    assert_true(offers(longer, "", ""));
}

static void dates_must_be_dates(void **state)
{
    (void)state;
    assert_true(offers("Last-Modified: Tue, 01 Sep 2026 10:00:00 GMT", "", "Tue, 01 Sep 2026 10:00:00 GMT"));
    assert_true(offers("Last-Modified: yesterday", "", ""));
    assert_true(offers("Last-Modified: 0", "", ""));
    assert_true(offers("Last-Modified: Tue, 01 Sep 2026 10:00:00 GMT\x01", "", ""));
    assert_true(offers("Last-Modified: Tue, 41 Sep 2026 10:00:00 GMT", "", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_interval_is_fixed),
        cmocka_unit_test(the_first_guess_is_the_interval),
        cmocka_unit_test(the_rate_is_estimated),
        cmocka_unit_test(it_grows_by_twice_at_most),
        cmocka_unit_test(it_stays_within_its_bounds),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(trouble_waits_twice_as_long),
        cmocka_unit_test(entity_tags_are_kept_as_they_are),
        cmocka_unit_test(hostile_entity_tags_are_dropped),
        cmocka_unit_test(dates_must_be_dates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
