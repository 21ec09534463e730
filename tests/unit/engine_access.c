/* When a host may be visited again. */
#include "engine/crawl.h"
#include "steer_fixture.h"

#define MS INT64_C(1000)

/* ---- a clock that the test sets ---- */

struct times {
    int64_t mono, wall;
};

static int64_t mono(void *ctx)
{
    return ((struct times *)ctx)->mono;
}

static int64_t wall(void *ctx)
{
    return ((struct times *)ctx)->wall;
}

/* ---- visits ---- */

/* A page of a host is taken at 0, begins `late` after that and is applied when it has taken 20 ms, by a wall clock that
 * was set ahead by `set` meanwhile: how long must the next one wait? */
static int64_t wait_after(int64_t late, int64_t set)
{
    struct times times = {.wall = 1000 * MS};
    struct clock clock = {mono, wall, &times};
    struct engine_options options = {.clock = &clock};
    struct politeness *politeness =
        politeness_new(&(struct politeness_options){.user_agent = STR("scent"), .delay_us = 300 * MS, .seed = 4});
    struct fixture f;
    struct frontier_taken taken;
    struct job *job = job_new(JOB_VISIT);
    int64_t wait;

    begin(&f, "topic: t\nseeds: [http://a.test/1, http://a.test/2]\n");
    frontier_set_usual_delay(steer_frontier(f.steer), 300 * MS);
    assert_int_equal(politeness_reserve(politeness, 1), SCENT_OK);
    job->visit.at = take(&f, "http://a.test/1");
    times.mono += late;
    times.wall += late;
    job->visit.wall = times.wall;
    job->visit.took_us = 20 * MS;
    times.mono += 20 * MS;
    times.wall += 20 * MS + set;
    access_visit_done(&(struct crawl){.options = &options, .steer = f.steer, .access.politeness = politeness}, job);
    frontier_finish(steer_frontier(f.steer), job->visit.at.id, times.mono);
    assert_int_equal(steer_take(f.steer, times.mono, &f.rows, &taken, &wait), SCENT_E_NOTFOUND);
    job_free(job);
    politeness_free(politeness);
    end(&f);
    return wait;
}

static void the_next_visit_keeps_its_distance_from_when_the_last_one_began(void **state)
{
    (void)state;
    assert_int_equal(wait_after(0, 0), 280 * MS);
    assert_int_equal(wait_after(250 * MS, 0), 280 * MS);
}

static void a_clock_that_is_set_makes_no_visit_early_or_very_late(void **state)
{
    (void)state;
    assert_int_equal(wait_after(0, -3600 * 1000 * MS), 300 * MS);
    assert_int_equal(wait_after(0, 3600 * 1000 * MS), 280 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_visit_keeps_its_distance_from_when_the_last_one_began),
        cmocka_unit_test(a_clock_that_is_set_makes_no_visit_early_or_very_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
