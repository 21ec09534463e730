/* Snapshots of crawls as text for Prometheus: every sample below its head, and text of others is escaped. */
#include "test.h"

#include "crawldir/metrics.h"
#include "crawldir/snapshot.h"

#include <string.h>

static struct json *parsed(const struct snapshot *snapshot)
{
    struct errmsg err = {{0}};
    struct json_writer w;
    struct json *root;
    struct buf text;

    buf_init(&text, 0);
    json_writer_init(&w, &text);
    snapshot_write(snapshot, &w);
    assert_ok(json_parse(buf_str(&text), &root, &err), err);
    buf_release(&text);
    return root;
}

static void a_running_crawl_and_one_that_has_ended(void **state)
{
    struct snapshot_reason reasons[] = {{STR("said \"no\"\nscent_pages 7\\"), 3}};
    struct snapshot live = {.counts = {.pages = 40, .relevant = 10, .urls = {[STORE_FETCHED] = 41}},
                            .reasons = reasons,
                            .nreasons = 1,
                            .running = true,
                            .live = {.state = "crawling", .left_us = -1, .in_flight = 5, .pages_per_s = 2.5}};
    struct snapshot ended = {.counts = {.pages = 7}};
    struct metrics_crawl crawls[] = {{STR("a"), parsed(&live)}, {STR("b\"\x1b[2J"), parsed(&ended)}};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    metrics_write(crawls, 2, &out);
    assert_false(out.failed);
    assert_non_null(strstr(buf_z(&out), "# TYPE scent_pages gauge\nscent_pages{crawl=\"a\"} 40\n"
                                        "scent_pages{crawl=\"b\\\"?[2J\"} 7\n# HELP"));
    assert_non_null(strstr(buf_z(&out), "scent_harvest_ratio{crawl=\"a\"} 0.25\n"));
    assert_non_null(strstr(buf_z(&out), "scent_pages_per_second{crawl=\"a\"} 2.5\n# HELP"));
    assert_non_null(strstr(buf_z(&out), "scent_in_flight{crawl=\"a\"} 5\n# HELP"));
    assert_non_null(strstr(buf_z(&out), "scent_running{crawl=\"a\"} 1\n"));
    assert_non_null(strstr(buf_z(&out), "scent_urls{crawl=\"a\",state=\"fetched\"} 41\n"));
    assert_non_null(strstr(buf_z(&out), "reason=\"said \\\"no\\\"\\nscent_pages 7\\\\\"} 3\n"));
    assert_null(strstr(buf_z(&out), "scent_left_seconds{")); /* nobody knows */
    buf_release(&out);
    json_free((struct json *)crawls[0].snapshot);
    json_free((struct json *)crawls[1].snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_crawl_and_one_that_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
