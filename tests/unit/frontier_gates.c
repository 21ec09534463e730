/* Politeness towards domains and IP addresses, holds, back-off: one rule at a time. frontier_model.c mixes them. */
#include "frontier/frontier.h"

#include "base/rng.h"
#include "test.h"

static struct frontier *make(int64_t delay_us, uint32_t per_host, uint32_t per_domain, uint32_t per_ip)
{
    struct frontier_options options = {
        .delay_us = delay_us, .per_host = per_host, .per_domain = per_domain, .per_ip = per_ip};

    return frontier_new(&options);
}

static uint32_t add_host(struct frontier *f, uint32_t domain, uint32_t ip)
{
    char name[32];
    uint32_t host;
    bool is_new;

    snprintf(name, sizeof name, "h%u.test", frontier_hosts(f));
    assert_int_equal(frontier_host(f, str_of(name), &host, &is_new), SCENT_OK);
    assert_int_equal(frontier_set_domain(f, host, domain), SCENT_OK);
    assert_int_equal(frontier_set_ip(f, host, ip), SCENT_OK);
    return host;
}

static uint32_t queue(struct frontier *f, uint32_t host, float priority)
{
    struct candidate candidate = {.priority = priority};
    uint32_t id;
    bool is_new;

    assert_int_equal(frontier_intern(f, 77 + frontier_known(f), &id, &is_new), SCENT_OK);
    assert_int_equal(frontier_queue(f, id, STR("http://h/"), host, &candidate), SCENT_OK);
    return id;
}

static void assert_takes(struct frontier *f, int64_t now, uint32_t want)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(frontier_take(f, now, &taken, &wait), SCENT_OK);
    assert_int_equal(taken.id, want);
}

static void assert_waits(struct frontier *f, int64_t now, int64_t want)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(frontier_take(f, now, &taken, &wait), SCENT_E_NOTFOUND);
    assert_true(wait == want);
}

static void a_domain_has_so_many_visits_at_once(void **state)
{
    struct frontier *f = make(0, 1, 2, 0);

    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        queue(f, add_host(f, 0, FRONTIER_UNKNOWN), 4 - (float)i);
    queue(f, add_host(f, 1, FRONTIER_UNKNOWN), 0);
    assert_takes(f, 0, 0);
    assert_takes(f, 0, 1);
    assert_takes(f, 0, 4); /* of the other domain */
    assert_waits(f, 0, INT64_MAX);
    frontier_finish(f, 0, 5);
    assert_takes(f, 5, 2); /* the best of those that wait */
    assert_waits(f, 5, INT64_MAX);
    frontier_finish(f, 2, 6);
    assert_takes(f, 6, 3);
    frontier_free(f);
}

static void visits_to_an_address_begin_apart(void **state)
{
    struct frontier *f = make(100, 1, 0, 4);

    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        queue(f, add_host(f, FRONTIER_UNKNOWN, 0), 6 - (float)i);
    for (uint32_t i = 0; i < 4; i++) {
        assert_takes(f, 25 * i, i);
        assert_waits(f, 25 * i, i < 3 ? 25 : INT64_MAX); /* four are in flight */
    }
    frontier_finish(f, 0, 80);
    assert_waits(f, 80, 20);
    assert_takes(f, 100, 4);
    frontier_free(f);
}

/* Two other crawlers go there, too: a third of the visits at once, and three times as long between two of them. */
static void an_address_may_be_shared(void **state)
{
    struct frontier *f = make(120, 1, 0, 4);

    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        queue(f, add_host(f, FRONTIER_UNKNOWN, 0), 5 - (float)i);
    frontier_share_ip(f, 0, 3);
    assert_takes(f, 0, 0);
    assert_waits(f, 0, INT64_MAX); /* one is in flight */
    frontier_finish(f, 0, 1);
    assert_waits(f, 1, 89);
    assert_takes(f, 90, 1);
    assert_waits(f, 200, INT64_MAX);
    frontier_share_ip(f, 0, 2); /* two at once from now on */
    assert_takes(f, 200, 2);
    assert_waits(f, 200, INT64_MAX);
    frontier_share_ip(f, 0, 1);
    assert_waits(f, 200, 60); /* as it was then */
    assert_takes(f, 260, 3);
    assert_waits(f, 260, 30);
    frontier_free(f);
}

static void an_address_is_visited_while_a_host_has_urls(void **state)
{
    struct frontier *f = make(100, 1, 0, 4);
    uint32_t a = add_host(f, FRONTIER_UNKNOWN, 7), b = add_host(f, FRONTIER_UNKNOWN, FRONTIER_UNKNOWN);

    (void)state;
    assert_int_equal(frontier_visited_ip(f, a, 0), FRONTIER_UNKNOWN);
    queue(f, a, 1);
    queue(f, b, 0);
    assert_int_equal(frontier_visited_ip(f, a, 0), 7);
    assert_int_equal(frontier_visited_ip(f, b, 0), FRONTIER_UNKNOWN);
    assert_takes(f, 50, 0);
    assert_int_equal(frontier_visited_ip(f, a, 1000), 7);
    frontier_finish(f, 0, 60);
    assert_int_equal(frontier_visited_ip(f, a, 149), 7);
    assert_int_equal(frontier_visited_ip(f, a, 150), FRONTIER_UNKNOWN);
    frontier_free(f);
}

static void both_gates_must_be_open(void **state)
{
    struct frontier *f = make(0, 1, 1, 1);
    uint32_t a = add_host(f, 0, 0), b = add_host(f, 0, 1), c = add_host(f, 1, 0), d = add_host(f, 1, 1);

    (void)state;
    queue(f, a, 9);
    queue(f, b, 8);
    queue(f, c, 7);
    queue(f, d, 1);
    assert_takes(f, 0, 0);
    assert_takes(f, 0, 3); /* b and c each share something with a */
    assert_waits(f, 0, INT64_MAX);
    frontier_finish(f, 0, 1);
    assert_waits(f, 1, INT64_MAX); /* b shares the address of d, c its domain */
    frontier_finish(f, 3, 2);
    assert_takes(f, 2, 1);
    assert_takes(f, 2, 2);
    frontier_free(f);
}

static void an_address_may_change_in_flight(void **state)
{
    struct frontier *f = make(0, 1, 0, 1);
    uint32_t a = add_host(f, FRONTIER_UNKNOWN, 0), b = add_host(f, FRONTIER_UNKNOWN, 0);
    uint32_t c = add_host(f, FRONTIER_UNKNOWN, 1);

    (void)state;
    queue(f, a, 3);
    queue(f, b, 2);
    queue(f, c, 1);
    assert_takes(f, 0, 0);
    assert_int_equal(frontier_set_ip(f, a, 1), SCENT_OK);
    assert_takes(f, 0, 2); /* the visit goes to the old address, which b still waits for */
    assert_waits(f, 0, INT64_MAX);
    frontier_finish(f, 0, 0);
    assert_takes(f, 0, 1);
    frontier_free(f);
}

static void held_hosts_are_not_visited(void **state)
{
    struct frontier *f = make(0, 1, 1, 0);
    uint32_t a = add_host(f, 0, FRONTIER_UNKNOWN), b = add_host(f, 0, FRONTIER_UNKNOWN);

    (void)state;
    queue(f, a, 2);
    queue(f, b, 1);
    frontier_hold(f, a);
    frontier_hold(f, a);
    assert_takes(f, 0, 1);
    frontier_finish(f, 1, 0);
    assert_waits(f, 0, INT64_MAX);
    frontier_release(f, a);
    assert_waits(f, 0, INT64_MAX); /* held twice */
    frontier_release(f, a);
    assert_takes(f, 0, 0);
    frontier_free(f);
}

static void a_host_has_its_own_delay(void **state)
{
    struct frontier *f = make(100, 1, 0, 0);
    uint32_t a = add_host(f, 0, 0);

    (void)state;
    frontier_set_delay(f, a, 7000);
    for (int i = 0; i < 4; i++)
        queue(f, a, 1);
    assert_takes(f, 0, 0);
    frontier_finish(f, 0, 0);
    assert_waits(f, 0, 7000);
    frontier_set_delay(f, a, -1);
    assert_takes(f, 7000, 1);
    frontier_finish(f, 1, 7000);
    assert_waits(f, 7000, 100);
    frontier_set_delay(f, a, INT64_MAX);
    assert_takes(f, 7100, 2);
    frontier_finish(f, 2, 7100);
    assert_waits(f, 7100, FRONTIER_DELAY_MAX_US);
    frontier_free(f);
}

static void a_wait_is_at_most_a_day(void **state)
{
    struct frontier *f = make(100, 1, 0, 0);
    uint32_t a = add_host(f, 0, 0);

    (void)state;
    queue(f, a, 1);
    frontier_wait_until(f, a, 500, 0);
    frontier_wait_until(f, a, 300, 0); /* never less than before */
    assert_waits(f, 0, 500);
    frontier_wait_until(f, a, INT64_MAX, 10);
    assert_waits(f, 10, FRONTIER_WAIT_MAX_US);
    frontier_free(f);
}

static void near_hosts_are_those_that_come_next(void **state)
{
    struct frontier *f = make(100, 1, 0, 0);
    uint32_t near[8], hosts[5];

    (void)state;
    assert_int_equal(frontier_near(f, near, 8), 0);
    for (int i = 0; i < 5; i++) {
        hosts[i] = add_host(f, 0, 0);
        if (i < 4)
            queue(f, hosts[i], (float)i); /* the last has nothing to visit */
    }
    frontier_wait_until(f, hosts[2], 500, 0);
    frontier_hold(f, hosts[1]);
    assert_int_equal(frontier_near(f, near, 8), 3);
    assert_true(near[0] == hosts[3] && near[1] == hosts[0] && near[2] == hosts[2]);
    assert_int_equal(frontier_near(f, near, 1), 1);
    assert_int_equal(near[0], hosts[3]);
    frontier_free(f);
}

static void what_is_untaken_has_not_begun(void **state)
{
    struct frontier *f = make(100, 1, 1, 1);
    uint32_t a = add_host(f, 0, 0), b = add_host(f, 0, 0);
    struct candidate candidate = {.priority = 5, .depth = 3};

    (void)state;
    queue(f, a, 5);
    queue(f, b, 4);
    assert_takes(f, 1000, 0);
    assert_waits(f, 1000, INT64_MAX);
    frontier_untake(f, 0, &candidate);
    frontier_hold(f, a);
    assert_takes(f, 1000, 1); /* at once: the domain and the address were not visited */
    frontier_release(f, a);
    frontier_finish(f, 1, 1001);
    assert_takes(f, 1100, 0);
    frontier_free(f);
}

/* Thousands of hosts behind the same two gates, and others that share only one of them: every URL is visited once,
 * never more at once than allowed, and better ones of a domain mostly first. */
static void crowds_at_two_gates(void **state)
{
    enum { HOSTS = 3000 };
    struct frontier *f = make(10, 1, 2, 3);
    uint32_t flying[16], n = 0, visits = 0, domain_of[HOSTS];
    struct rng rng;
    int64_t now = 0, last[8] = {-1000, -1000, -1000, -1000, -1000, -1000, -1000, -1000};

    (void)state;
    rng_seed(&rng, 1);
    for (uint32_t i = 0; i < HOSTS; i++) {
        domain_of[i] = i % 4 ? 0 : (uint32_t)rng_below(&rng, 8);
        queue(f, add_host(f, domain_of[i], i % 3 ? 0 : (uint32_t)rng_below(&rng, 4)), (float)rng_unit(&rng));
    }
    while (visits < HOSTS) {
        struct frontier_taken taken;
        int64_t wait;
        scent_status status = frontier_take(f, now, &taken, &wait);

        assert_true(status == SCENT_OK ? wait == 0 : wait > 0);
        if (status == SCENT_OK) {
            assert_true(now - last[domain_of[taken.host]] >= 5);
            last[domain_of[taken.host]] = now;
            flying[n++] = taken.id;
            visits++;
            assert_true(n <= 12); /* four addresses, three each */
        } else if (n && rng_below(&rng, 2)) {
            uint32_t i = (uint32_t)rng_below(&rng, n);

            frontier_finish(f, flying[i], now);
            flying[i] = flying[--n];
        } else
            now += wait < 3 ? wait : 3;
    }
    assert_int_equal(frontier_queued(f), 0);
    frontier_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_domain_has_so_many_visits_at_once),
        cmocka_unit_test(visits_to_an_address_begin_apart),
        cmocka_unit_test(an_address_may_be_shared),
        cmocka_unit_test(an_address_is_visited_while_a_host_has_urls),
        cmocka_unit_test(both_gates_must_be_open),
        cmocka_unit_test(an_address_may_change_in_flight),
        cmocka_unit_test(held_hosts_are_not_visited),
        cmocka_unit_test(a_host_has_its_own_delay),
        cmocka_unit_test(a_wait_is_at_most_a_day),
        cmocka_unit_test(near_hosts_are_those_that_come_next),
        cmocka_unit_test(what_is_untaken_has_not_begun),
        cmocka_unit_test(crowds_at_two_gates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
