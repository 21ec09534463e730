/* What a guest does: asks first, waits, gives up, comes back. */
#include "engine/politeness.h"
#include "test.h"

#define HTTP(number) ((struct politeness_origin){.host = (number)})
#define SECOND ((int64_t)1000000)
#define DAY (24 * 3600 * SECOND)

static struct politeness *make(int64_t delay, uint32_t hosts)
{
    struct politeness_options options = {
        .user_agent = STR("scent/0.1 (+https://example.org/bot)"), .delay_us = delay, .give_up_after = 8, .seed = 4};
    struct politeness *politeness = politeness_new(&options);

    assert_int_equal(politeness_reserve(politeness, hosts), SCENT_OK);
    return politeness;
}

static void robots_txt_is_asked_for_once_a_day(void **state)
{
    struct politeness *m = make(SECOND, 2);
    int64_t now = 1000 * DAY;

    (void)state;
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/"), now), POLITENESS_ASK);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/x"), now), POLITENESS_ASKING);
    assert_int_equal(politeness_ask(m, HTTP(1), STR("/"), now), POLITENESS_ASK);
    politeness_robots_file(m, HTTP(0), STR("User-agent: *\nAllow: /\n\nUser-agent: scent\nDisallow: /private\n"), now);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/x"), now), POLITENESS_ALLOWED);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/private/x"), now), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/private/x"), now + DAY - 1), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/x"), now + DAY), POLITENESS_ASK);
    politeness_robots_none(m, HTTP(0), now + DAY);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/private/x"), now + DAY), POLITENESS_ALLOWED);
    politeness_free(m);
}

static void rules_do_not_outlive_a_clock_that_is_set(void **state)
{
    static const int64_t jumps[] = {DAY, 30 * DAY, -1, -SECOND, -3600 * SECOND, -DAY, -4000 * DAY};

    (void)state;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        struct politeness *m = make(SECOND, 1);
        int64_t now = 5000 * DAY;

        politeness_robots_file(m, HTTP(0), STR("User-agent: *\nDisallow: /private\n"), now);
        assert_int_equal(politeness_ask(m, HTTP(0), STR("/private"), now), POLITENESS_FORBIDDEN);
        now += jumps[i];
        assert_int_equal(politeness_ask(m, HTTP(0), STR("/private"), now), POLITENESS_ASK);
        /* The old rules hold until the new ones can be read, and are asked for again in an hour. */
        assert_int_equal(politeness_robots_failed(m, HTTP(0), "no connection", now), 0);
        assert_int_equal(politeness_ask(m, HTTP(0), STR("/private"), now), POLITENESS_FORBIDDEN);
        assert_int_equal(politeness_ask(m, HTTP(0), STR("/private"), now + 3600 * SECOND), POLITENESS_ASK);
        politeness_free(m);
    }
}

static void no_answer_means_wait_longer_and_longer_then_dead(void **state)
{
    struct politeness *m = make(SECOND, 1);
    int64_t now = 1000 * DAY, wait, before = 0;

    (void)state;
    for (int i = 1; i <= 8; i++) {
        assert_int_equal(politeness_ask(m, HTTP(0), STR("/"), now), POLITENESS_ASK);
        wait = politeness_robots_failed(m, HTTP(0), "no connection", now);
        assert_true(wait >= SECOND << (i - 1) && wait <= SECOND << i);
        assert_true(wait > before);
        before = wait;
    }
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/"), now), POLITENESS_DEAD);
    assert_string_equal(politeness_trouble(m, 0), "no connection");
    politeness_free(m);
}

static void old_rules_serve_while_the_new_ones_cannot_be_read(void **state)
{
    struct politeness *m = make(SECOND, 1);
    int64_t now = 1000 * DAY;

    (void)state;
    politeness_robots_file(m, HTTP(0), STR("User-agent: *\nDisallow: /no\n"), now);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/"), now + 2 * DAY), POLITENESS_ASK);
    assert_int_equal(politeness_robots_failed(m, HTTP(0), "no connection", now + 2 * DAY), 0);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/no"), now + 2 * DAY), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/yes"), now + 2 * DAY), POLITENESS_ALLOWED);
    politeness_free(m);
}

static void trouble_is_answered_by_waiting_and_forgotten_after_success(void **state)
{
    struct politeness *m = make(SECOND, 1);
    int64_t wait;

    (void)state;
    wait = politeness_visit_done(m, 0, "no connection", 0, SECOND);
    assert_true(wait >= SECOND && wait <= 2 * SECOND);
    wait = politeness_visit_done(m, 0, "no connection", 100 * SECOND, SECOND);
    assert_int_equal(wait, 100 * SECOND); /* Retry-After is longer */
    assert_int_equal(politeness_failures(m, 0), 2);
    assert_int_equal(politeness_visit_done(m, 0, NULL, 0, 1000), 0);
    assert_int_equal(politeness_failures(m, 0), 0);
    politeness_free(m);
}

static void jitter_keeps_hosts_apart(void **state)
{
    struct politeness *m = make(SECOND, 2);
    int64_t one = politeness_visit_done(m, 0, "no connection", 0, 0), two = politeness_visit_done(m, 1, "connect", 0, 0);

    (void)state;
    assert_true(one != two);
    politeness_free(m);
}

static void the_delay_is_the_longest_that_anyone_asks_for(void **state)
{
    struct politeness *m = make(SECOND, 3), *own = make(0, 1);

    (void)state;
    assert_int_equal(politeness_delay(m, 0), SECOND);
    politeness_robots_file(m, HTTP(0), STR("User-agent: *\nCrawl-delay: 5\n"), 0);
    assert_int_equal(politeness_delay(m, 0), 5 * SECOND);
    politeness_robots_file(m, HTTP(1), STR("User-agent: *\nCrawl-delay: 0.1\n"), 0);
    assert_int_equal(politeness_delay(m, 1), SECOND);
    for (int i = 0; i < 50; i++)
        politeness_visit_done(m, 2, NULL, 0, 3 * SECOND);
    assert_true(politeness_delay(m, 2) > 5 * SECOND && politeness_delay(m, 2) <= 6 * SECOND);
    for (int i = 0; i < 50; i++)
        politeness_visit_done(m, 2, NULL, 0, 1000);
    assert_int_equal(politeness_delay(m, 2), SECOND);
    /* The user's own servers: nothing adapts. */
    politeness_robots_file(own, HTTP(0), STR("User-agent: *\nCrawl-delay: 5\n"), 0);
    politeness_visit_done(own, 0, NULL, 0, 3 * SECOND);
    assert_int_equal(politeness_delay(own, 0), 0);
    politeness_free(m);
    politeness_free(own);
}

static void rules_and_failures_survive_a_restart(void **state)
{
    struct politeness *m = make(SECOND, 1), *later = make(SECOND, 1);
    int64_t now = 1000 * DAY, expires;
    struct buf blob;

    (void)state;
    buf_init(&blob, 0);
    politeness_robots_file(m, HTTP(0), STR("User-agent: scent\nDisallow: /no\nCrawl-delay: 7\n"), now);
    assert_int_equal(robots_save(politeness_robots(m, HTTP(0), &expires), &blob), SCENT_OK);
    assert_int_equal(politeness_restore_robots(later, HTTP(0), buf_str(&blob), expires), SCENT_OK);
    politeness_restore(later, 0, 200, 0);
    assert_int_equal(politeness_ask(later, HTTP(0), STR("/no"), now + DAY - 1), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_delay(later, 0), 7 * SECOND);
    politeness_visit_done(later, 0, "no connection", 0, 0); /* its last chance */
    assert_int_equal(politeness_ask(later, HTTP(0), STR("/yes"), now), POLITENESS_DEAD);
    buf_release(&blob);
    politeness_free(m);
    politeness_free(later);
}

static void rules_are_bounded_in_memory(void **state)
{
    enum { HOSTS = 200, BYTES = 400 * 1024 }; /* more than POLITENESS_RULE_BYTES of rules */
    struct politeness *m = make(SECOND, HOSTS);
    struct buf text;
    uint32_t known = 0;

    (void)state;
    buf_init(&text, 0);
    buf_addz(&text, "User-agent: *\n");
    while (text.len < BYTES)
        buf_printf(&text, "Disallow: /some/long/path/number/%zu\n", text.len);
    for (uint32_t i = 0; i < HOSTS; i++)
        politeness_robots_file(m, HTTP(i), buf_str(&text), 0);
    for (uint32_t i = 0; i < HOSTS; i++)
        known += politeness_ask(m, HTTP(i), STR("/"), 1) == POLITENESS_ALLOWED;
    assert_true(known > 10 && known < HOSTS); /* the others are asked for again */
    assert_int_equal(politeness_ask(m, HTTP(HOSTS - 1), STR("/"), 1), POLITENESS_ALLOWED);
    buf_release(&text);
    politeness_free(m);
}

/* RFC 9309, 2.3: robots.txt is for a scheme and an authority. */
static void http_and_https_have_rules_of_their_own(void **state)
{
    struct politeness *m = make(SECOND, 1);
    struct politeness_origin https = {.host = 0, .secure = true};

    (void)state;
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/a"), 0), POLITENESS_ASK);
    politeness_robots_file(m, HTTP(0), STR("User-agent: *\nDisallow: /a\nCrawl-delay: 3\n"), 0);
    assert_int_equal(politeness_ask(m, https, STR("/a"), 0), POLITENESS_ASK);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/a"), 0), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_ask(m, https, STR("/a"), 0), POLITENESS_ASKING);
    politeness_robots_none(m, https, 0);
    assert_int_equal(politeness_ask(m, https, STR("/a"), 0), POLITENESS_ALLOWED);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/a"), 0), POLITENESS_FORBIDDEN);
    assert_int_equal(politeness_delay(m, 0), 3 * SECOND);
    politeness_free(m);
}

/* A host that answers a redirect and then fails at its end, or answers 304, is in order as far as visits go. */
static void failures_of_robots_txt_add_up_between_visits_that_succeed(void **state)
{
    struct politeness *m = make(SECOND, 1);
    int64_t longest = 0;
    int asked = 0;

    (void)state;
    while (politeness_ask(m, HTTP(0), STR("/"), 0) == POLITENESS_ASK && asked < 100) {
        int64_t wait;

        asked++;
        assert_int_equal(politeness_visit_done(m, 0, NULL, 0, 1000), 0);
        wait = politeness_robots_failed(m, HTTP(0), "http 500", 0);
        longest = wait > longest ? wait : longest;
    }
    assert_in_range(asked, 2, 20);
    assert_true(longest > 4 * SECOND);
    assert_int_equal(politeness_ask(m, HTTP(0), STR("/"), 0), POLITENESS_DEAD);
    politeness_free(m);
}

/* In a long crawl a host may be up again after some minutes, or hours. */
static void a_host_that_is_down_rests_and_gets_three_more_chances(void **state)
{
    struct politeness *m = make(SECOND, 1);
    int64_t rest, last = 0;
    int chances = 0;

    (void)state;
    while (!politeness_is_dead(m, 0))
        politeness_visit_done(m, 0, "no connection", 0, 0);
    while ((rest = politeness_rest(m, 0)) > 0) {
        assert_true(rest >= 200 * SECOND && rest <= 2 * 3600 * SECOND && rest > last);
        assert_false(politeness_is_dead(m, 0));
        politeness_visit_done(m, 0, "no connection", 0, 0);
        assert_true(politeness_is_dead(m, 0));
        last = rest;
        chances++;
    }
    assert_int_equal(chances, 3);
    politeness_visit_done(m, 0, NULL, 0, 1000); /* it answers: all is forgotten */
    assert_false(politeness_is_dead(m, 0));
    politeness_give_up(m, 0);
    assert_true(politeness_is_dead(m, 0));
    assert_int_equal(politeness_rest(m, 0), 0);
    politeness_free(m);
}

static void a_visit_that_ran_out_of_time_does_not_make_the_host_slow(void **state)
{
    struct politeness *m = make(SECOND, 1);

    (void)state;
    politeness_visit_done(m, 0, NULL, 0, -1);
    assert_int_equal(politeness_delay(m, 0), SECOND);
    politeness_visit_done(m, 0, NULL, 0, 30 * SECOND);
    assert_true(politeness_delay(m, 0) > 10 * SECOND);
    politeness_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_is_down_rests_and_gets_three_more_chances),
        cmocka_unit_test(a_visit_that_ran_out_of_time_does_not_make_the_host_slow),
        cmocka_unit_test(http_and_https_have_rules_of_their_own),
        cmocka_unit_test(failures_of_robots_txt_add_up_between_visits_that_succeed),
        cmocka_unit_test(robots_txt_is_asked_for_once_a_day),
        cmocka_unit_test(rules_do_not_outlive_a_clock_that_is_set),
        cmocka_unit_test(no_answer_means_wait_longer_and_longer_then_dead),
        cmocka_unit_test(old_rules_serve_while_the_new_ones_cannot_be_read),
        cmocka_unit_test(trouble_is_answered_by_waiting_and_forgotten_after_success),
        cmocka_unit_test(jitter_keeps_hosts_apart),
        cmocka_unit_test(the_delay_is_the_longest_that_anyone_asks_for),
        cmocka_unit_test(rules_and_failures_survive_a_restart),
        cmocka_unit_test(rules_are_bounded_in_memory),
    };

    return cmocka_run_group_tests_name("engine/politeness", tests, NULL, NULL);
}
