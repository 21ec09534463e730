/* What is below the strategy's threshold is not visited, is not forgotten, and may rise. */
#include "steer_fixture.h"

static const char above_two[] = "topic: t\nseeds: [http://a.test/]\nstrategy: {name: best-first, threshold: 2}\n";

static struct steer_visit begin_with(struct fixture *f, const char *topic, const char *const *hrefs)
{
    struct steer_visit visit;

    begin(f, topic);
    for (uint32_t i = 0; hrefs[i]; i++)
        script.priority[i] = (float)i + .5f;
    visit = take(f, "http://a.test/"); /* a seed has no priority to be below */
    examine(f, &visit, hrefs);
    return visit;
}

static void what_is_below_is_not_taken(void **state)
{
    struct fixture f;

    (void)state;
    begin_with(&f, above_two, LINKS("http://a.test/.5", "http://a.test/1.5", "http://a.test/2.5", "http://b.test/3.5"));
    take(&f, "http://b.test/3.5");
    take(&f, "http://a.test/2.5");
    expect_nothing_left(&f);
    assert_int_equal(frontier_queued(steer_frontier(f.steer)), 2);
    assert_int_equal(frontier_below(steer_frontier(f.steer)), 2);
    assert_int_equal(added(&f, "http://a.test/.5")->state, STORE_QUEUED); /* a later run may want it */
    end(&f);
}

static void the_threshold_itself_is_taken(void **state)
{
    struct fixture f;

    (void)state;
    begin_with(&f, "topic: t\nseeds: [http://a.test/]\nstrategy: {name: best-first, threshold: 1.5}\n",
               LINKS("http://a.test/.5", "http://a.test/1.5"));
    take(&f, "http://a.test/1.5");
    expect_nothing_left(&f);
    end(&f);
}

static void it_may_rise_by_another_link(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin_with(&f, above_two, LINKS("http://a.test/.5", "http://a.test/1.5", "http://a.test/2.5"));
    visit = take(&f, "http://a.test/2.5");
    expect_nothing_left(&f);
    script.priority[0] = 7;
    examine(&f, &visit, LINKS("http://a.test/.5"));
    take(&f, "http://a.test/.5");
    expect_nothing_left(&f);
    end(&f);
}

static void it_may_rise_and_fall_by_new_scores(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin_with(&f, above_two, LINKS("http://a.test/.5", "http://a.test/1.5", "http://a.test/2.5", "http://a.test/3.5"));
    visit = take(&f, "http://a.test/3.5");
    script.nstale = STRATEGY_ALL, script.rescored = 1;
    examine(&f, &visit, LINKS("http://a.test/"));
    expect_nothing_left(&f); /* 2.5 has fallen */
    assert_int_equal(frontier_below(steer_frontier(f.steer)), 3);
    script.nstale = STRATEGY_ALL, script.rescored = 2;
    examine_again(&f, &visit, LINKS("http://a.test/"));
    take(&f, "http://a.test/.5");
    take(&f, "http://a.test/1.5");
    take(&f, "http://a.test/2.5");
    expect_nothing_left(&f);
    end(&f);
}

static void proposals_have_to_reach_it_too(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\nstrategy: {name: best-first, threshold: 9.5}\n");
    visit = take(&f, "http://a.test/");
    script.proposals[0] = "http://p.test/", script.nproposals = 1; /* with a priority of 9 */
    examine(&f, &visit, LINKS("http://a.test/"));
    expect_nothing_left(&f);
    assert_int_equal(frontier_below(steer_frontier(f.steer)), 1);
    end(&f);
}

/* A host whose best is below neither is visited nor stands in the way of others at the gates. */
static void another_host_goes_on(void **state)
{
    struct frontier_options polite = {.delay_us = 10, .per_domain = 1};
    struct frontier *f = frontier_new(&polite);
    struct frontier_taken taken;
    uint32_t low, high, id;
    int64_t wait;
    bool is_new;

    (void)state;
    frontier_set_floor(f, 1);
    assert_int_equal(frontier_host(f, STR("low.test"), &low, &is_new), SCENT_OK);
    assert_int_equal(frontier_host(f, STR("high.test"), &high, &is_new), SCENT_OK);
    assert_int_equal(frontier_set_domain(f, low, 0), SCENT_OK);
    assert_int_equal(frontier_set_domain(f, high, 0), SCENT_OK);
    for (uint64_t i = 0; i < 3; i++) {
        struct candidate candidate = {.priority = i == 0 ? .5f : 2};

        assert_int_equal(frontier_intern(f, 100 + i, &id, &is_new), SCENT_OK);
        assert_int_equal(frontier_queue(f, id, STR("http://x.test/"), i == 0 ? low : high, &candidate), SCENT_OK);
    }
    assert_int_equal(frontier_take(f, 0, &taken, &wait), SCENT_OK);
    assert_int_equal(taken.host, high);
    frontier_finish(f, taken.id, 1);
    assert_int_equal(frontier_take(f, 1, &taken, &wait), SCENT_E_NOTFOUND); /* it is not over: high.test comes again */
    assert_int_equal(wait, 9);
    assert_int_equal(frontier_take(f, 10, &taken, &wait), SCENT_OK);
    assert_int_equal(taken.host, high);
    assert_int_equal(frontier_take(f, 30, &taken, &wait), SCENT_E_END);
    frontier_free(f);
}

static void what_sitemaps_list_is_below(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    struct steer_sitemap sitemap = {0};
    struct url url;

    (void)state;
    visit = begin_with(&f, above_two, LINKS("http://a.test/.5"));
    sitemap.host = visit.host;
    assert_int_equal(url_parse(&f.arena, STR("http://a.test/sitemap.xml"), NULL, &url), SCENT_OK);
    assert_int_equal(steer_ask_sitemap(f.steer, &url, &sitemap, &f.rows), SCENT_OK);
    expect_nothing_left(&f);
    assert_int_equal(frontier_below(steer_frontier(f.steer)), 2);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_below_is_not_taken),
        cmocka_unit_test(the_threshold_itself_is_taken),
        cmocka_unit_test(it_may_rise_by_another_link),
        cmocka_unit_test(it_may_rise_and_fall_by_new_scores),
        cmocka_unit_test(proposals_have_to_reach_it_too),
        cmocka_unit_test(another_host_goes_on),
        cmocka_unit_test(what_sitemaps_list_is_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
