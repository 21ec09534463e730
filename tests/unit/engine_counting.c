/* What became of URLs is counted as it happens. */
#include "test.h"

#include "engine/counting.h"

#include <stdio.h>

static struct counting counting;

static void states_and_reasons_are_counted(void **state)
{
    struct snapshot_reason *reasons;
    struct arena arena;
    struct rows rows;
    size_t count;

    (void)state;
    counting = (struct counting){0};
    arena_init(&arena, 1 << 20);
    rows_init(&rows, &arena);
    for (int i = 0; i < 5; i++)
        ROWS_ADD(&rows, added, ((struct store_url){.state = STORE_SEEN, .error = STR("out of scope")}));
    ROWS_ADD(&rows, added, ((struct store_url){.state = STORE_QUEUED}));
    ROWS_ADD(&rows, changed, ((struct store_url){.state = STORE_QUEUED, .error = STR("HTTP 503")}));
    ROWS_ADD(&rows, changed, ((struct store_url){.state = STORE_FAILED, .error = STR("HTTP 404")}));
    ROWS_ADD(&rows, changed, ((struct store_url){.state = STORE_FETCHED, .error = STR("the same as page 7")}));
    counting_rows(&counting, &rows, false);
    assert_int_equal(counting.urls[STORE_FETCHED], 1);
    counting_rows(&counting, &rows, true); /* a page that was fetched before */
    assert_int_equal(counting.urls[STORE_FETCHED], 1);
    assert_int_equal(counting.urls[STORE_FAILED], 2);
    assert_int_equal(counting_reasons(&counting, &arena, &reasons, &count), SCENT_OK);
    assert_int_equal(count, 2);
    assert_str(reasons[0].text, "out of scope");
    assert_int_equal(reasons[0].count, 10);
    assert_str(reasons[1].text, "HTTP 404");
    arena_release(&arena);
}

static void reasons_without_end_count_together(void **state)
{
    struct snapshot_reason *reasons;
    struct arena arena;
    uint64_t sum = 0;
    char text[300];
    size_t count;

    (void)state;
    counting = (struct counting){0};
    arena_init(&arena, 1 << 20);
    for (int i = 0; i < 10 * COUNTING_REASONS; i++) {
        snprintf(text, sizeof text, "the server said %d %0200d", i, i);
        counting_url(&counting, &(struct store_url){.state = STORE_FAILED, .error = str_of(text)});
        counting_url(&counting, &(struct store_url){.state = STORE_FAILED, .error = STR("HTTP 500")});
    }
    for (size_t i = 0; i < counting.nreasons; i++)
        sum += counting.reasons[i].count;
    assert_int_equal(counting.nreasons, COUNTING_REASONS);
    assert_int_equal(sum, 20 * COUNTING_REASONS);
    assert_int_equal(counting_reasons(&counting, &arena, &reasons, &count), SCENT_OK);
    assert_int_equal(count, SNAPSHOT_REASONS);
    assert_str(reasons[0].text, "HTTP 500");
    assert_int_equal(reasons[0].count, 10 * COUNTING_REASONS);
    assert_str(reasons[1].text, "other reasons");
    arena_release(&arena);
}

static void the_last_pages_and_seconds(void **state)
{
    const int64_t second = 1000000;

    (void)state;
    counting = (struct counting){0};
    for (int i = 0; i < 3 * SNAPSHOT_RECENT; i++)
        counting_page(&counting, i < 2000 ? 1 : 2, i >= 2500);
    assert_int_equal(counting.recent_relevant, 500);
    assert_int_equal(counting.judged, 1000);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 3; k++)
            counting_speed(&counting, (100 + i) * second);
    assert_true(counting_pages_per_s(&counting, 140 * second, 0) == 3);
    assert_true(counting_pages_per_s(&counting, 145 * second, 0) == 1.5);
    assert_true(counting_pages_per_s(&counting, 1000 * second, 0) == 0);
    assert_true(counting_pages_per_s(&counting, 140 * second, 138 * second) == 3);
    assert_true(counting_pages_per_s(&counting, 140 * second, 140 * second) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_reasons_are_counted),
        cmocka_unit_test(reasons_without_end_count_together),
        cmocka_unit_test(the_last_pages_and_seconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
