/* One rich host does not starve the others: politeness makes room for them, however good its candidates are. */
#include "frontier/frontier.h"

#include "test.h"

#define SECOND INT64_C(1000000)

enum { RICH = 100000, SMALL_HOSTS = 50, SMALL_PAGES = 10, FLIGHTS_MAX = 64 };

struct world {
    struct frontier *f;
    uint32_t small_taken;
    struct flight {
        uint32_t id;
        int64_t ends;
    } flights[FLIGHTS_MAX];
    size_t nflights;
    int64_t now;
};

static void add(struct world *w, uint32_t host, uint32_t count, float priority)
{
    char name[32], href[64];
    uint32_t got, id;
    bool is_new;

    snprintf(name, sizeof name, "h%u.test", host);
    assert_int_equal(frontier_host(w->f, str_of(name), &got, &is_new), SCENT_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct candidate candidate = {.priority = priority - (float)i * 1e-6f};

        assert_int_equal(frontier_intern(w->f, 1 + frontier_known(w->f), &id, &is_new), SCENT_OK);
        snprintf(href, sizeof href, "http://%s/%u", name, i);
        assert_int_equal(frontier_queue(w->f, id, str_of(href), got, &candidate), SCENT_OK);
    }
}

static void land(struct world *w, int64_t until)
{
    for (size_t i = 0; i < w->nflights;) {
        if (w->flights[i].ends > until) {
            i++;
            continue;
        }
        frontier_finish(w->f, w->flights[i].id, w->now);
        w->flights[i] = w->flights[--w->nflights];
    }
}

static int64_t first_landing(const struct world *w)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < w->nflights; i++)
        first = w->flights[i].ends < first ? w->flights[i].ends : first;
    return first;
}

/* One more visit, however long it takes until one may begin. */
static void visit(struct world *w, size_t window, int64_t took)
{
    struct frontier_taken taken;
    int64_t wait = INT64_MAX, landing;

    for (;;) {
        if (w->nflights < window && frontier_take(w->f, w->now, &taken, &wait) == SCENT_OK)
            break;
        landing = first_landing(w);
        w->now = wait != INT64_MAX && w->nflights < window && w->now + wait < landing ? w->now + wait : landing;
        land(w, w->now);
        wait = INT64_MAX;
    }
    w->small_taken += taken.id >= RICH;
    w->flights[w->nflights++] = (struct flight){taken.id, w->now + took};
}

static uint32_t visits_until_all_small_are_done(const struct frontier_options *options, size_t window, int64_t took)
{
    struct world w = {.f = frontier_new(options)};
    uint32_t visits = 0;

    add(&w, 0, RICH, 100);
    for (uint32_t host = 1; host <= SMALL_HOSTS; host++)
        add(&w, host, SMALL_PAGES, 1);
    while (w.small_taken < SMALL_HOSTS * SMALL_PAGES && visits < RICH + SMALL_HOSTS * SMALL_PAGES) {
        visit(&w, window, took);
        visits++;
    }
    frontier_free(w.f);
    return visits;
}

/* Each host has its turn once in a delay: ten rounds of 51. */
static void all_small_hosts_are_done_while_the_rich_one_waits(void **state)
{
    struct frontier_options options = {.delay_us = SECOND, .per_host = 1};
    uint32_t fair = (SMALL_HOSTS + 1) * SMALL_PAGES;

    (void)state;
    assert_in_range(visits_until_all_small_are_done(&options, FLIGHTS_MAX, SECOND / 10), fair - 10, fair);
    /* Slow answers: a visit counts until it ends. */
    assert_in_range(visits_until_all_small_are_done(&options, FLIGHTS_MAX, 30 * SECOND), fair - 10, fair);
    /* Fewer at once than there are hosts: the rich one has a turn in each. */
    assert_in_range(visits_until_all_small_are_done(&options, 4, SECOND / 10), fair - 10, 2 * fair);
    /* Four visits to a host at once. */
    options.per_host = 4;
    assert_in_range(visits_until_all_small_are_done(&options, FLIGHTS_MAX, SECOND / 10), fair - 10, 4 * fair);
}

/* No delay, but one visit at a time: as many of the rich host as of each other. */
static void one_visit_at_a_time_is_enough(void **state)
{
    struct frontier_options options = {.delay_us = 0, .per_host = 1};

    (void)state;
    assert_in_range(visits_until_all_small_are_done(&options, FLIGHTS_MAX, SECOND / 10), 500, 520);
}

/* An archive has no host to spare: the best comes first, and the rich host has all of the best. The same holds for one
 * visit at a time (window: 1), when it takes as long as the delay: the strictly sequential crawl of the papers. */
static void without_politeness_the_best_comes_first(void **state)
{
    struct frontier_options rude = {.delay_us = 0, .per_host = UINT32_MAX};
    struct frontier_options polite = {.delay_us = SECOND, .per_host = 1};

    (void)state;
    assert_int_equal(visits_until_all_small_are_done(&rude, FLIGHTS_MAX, SECOND / 10), RICH + 500);
    assert_int_equal(visits_until_all_small_are_done(&polite, 1, 2 * SECOND), RICH + 500);
}

/* A rich domain of a thousand hosts, which is as good as a rich host. */
static void a_rich_domain_does_not_either(void **state)
{
    struct frontier_options options = {.delay_us = SECOND, .per_host = 1, .per_domain = 4};
    struct world w = {.f = frontier_new(&options)};
    uint32_t visits = 0;

    (void)state;
    for (uint32_t host = 0; host < 1000; host++) {
        add(&w, host, RICH / 1000, 100);
        assert_int_equal(frontier_set_domain(w.f, host, 0), SCENT_OK);
    }
    for (uint32_t host = 1000; host < 1000 + SMALL_HOSTS; host++) {
        add(&w, host, SMALL_PAGES, 1);
        assert_int_equal(frontier_set_domain(w.f, host, host - 999), SCENT_OK);
    }
    while (w.small_taken < SMALL_HOSTS * SMALL_PAGES && visits < RICH) {
        visit(&w, FLIGHTS_MAX, SECOND / 10);
        visits++;
    }
    assert_in_range(visits, 500, (SMALL_HOSTS + 4) * SMALL_PAGES);
    frontier_free(w.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_hosts_are_done_while_the_rich_one_waits),
        cmocka_unit_test(one_visit_at_a_time_is_enough),
        cmocka_unit_test(without_politeness_the_best_comes_first),
        cmocka_unit_test(a_rich_domain_does_not_either),
    };

    return cmocka_run_group_tests_name("frontier/fairness", tests, NULL, NULL);
}
