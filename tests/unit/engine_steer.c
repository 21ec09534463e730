/* Frontier and strategy together: who enters the queue, in which order, and what a strategy is told. */
#include "steer_fixture.h"

#include <math.h>

/* ---- tests ---- */

static void seeds_go_first_then_the_best(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, plain);
    script.priority[0] = 1, script.priority[1] = 5, script.priority[2] = 3;
    visit = take(&f, "http://a.test/");
    assert_true(isinf(steer_shown_priority(&visit.candidate)));
    examine(&f, &visit, LINKS("http://a.test/1", "http://a.test/5", "http://a.test/3"));
    assert_int_equal(script.observed, 1);
    visit = take(&f, "http://b.test/");
    visit = take(&f, "http://a.test/5");
    assert_int_equal(visit.candidate.own[0], 2);
    assert_int_equal(visit.candidate.depth, 1);
    examine(&f, &visit, LINKS("http://a.test/1"));
    assert_int_equal(script.seen_own, 2);
    end(&f);
}

static void a_link_found_again_keeps_the_larger_score(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    struct candidate candidate;
    uint32_t id;

    (void)state;
    begin(&f, plain);
    visit = take(&f, "http://a.test/");
    script.priority[0] = 2;
    examine(&f, &visit, LINKS("http://a.test/x"));
    visit = take(&f, "http://b.test/");
    script.priority[0] = 1, script.priority[1] = 7;
    examine(&f, &visit, LINKS("http://a.test/x", "http://a.test/x"));
    assert_true(frontier_find(steer_frontier(f.steer), url_fingerprint(STR("http://a.test/x"), KEY), &id));
    assert_true(frontier_get(steer_frontier(f.steer), id, &candidate));
    assert_true(candidate.priority == 7);
    assert_int_equal(candidate.own[0], 2);
    assert_int_equal(f.rows.nchanged, 1); /* the smaller score changed nothing */
    assert_int_equal(f.rows.nlinks, 3);
    end(&f);
}

static void every_url_has_one_row_with_the_reason(void **state)
{
    static const char topic[] = "topic: t\nseeds: [http://a.test/]\nscope: {include: ['*.test'], exclude: ['*/private*'],"
                                " hops_off_domain: 1}\nlimits: {depth: 1}\n";
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, topic);
    visit = take(&f, "http://a.test/");
    script.drop[3] = true;
    examine(&f, &visit, LINKS("http://a.test/in", "http://a.test/private/x", "http://c.example/", "http://a.test/no"));
    assert_int_equal(f.rows.nadded, 5);
    assert_int_equal(added(&f, "http://a.test/in")->state, STORE_QUEUED);
    assert_int_equal(added(&f, "http://a.test/private/x")->state, STORE_SEEN);
    assert_true(added(&f, "http://a.test/private/x")->error.len > 0);
    assert_int_equal(added(&f, "http://c.example/")->state, STORE_SEEN);
    assert_str(added(&f, "http://a.test/no")->error, "dropped by the strategy");
    for (uint32_t i = 0; i < f.rows.nadded; i++)
        assert_int_equal(f.rows.added[i].id, i); /* dense: resume depends on it */
    visit = take(&f, "http://a.test/in");
    examine(&f, &visit, LINKS("http://a.test/deeper", "http://a.test/no"));
    assert_str(added(&f, "http://a.test/deeper")->error, "too deep");
    expect_nothing_left(&f);
    end(&f);
}

static void what_was_refused_may_enter_later(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, plain);
    visit = take(&f, "http://a.test/");
    script.drop[0] = true;
    examine(&f, &visit, LINKS("http://a.test/x"));
    visit = take(&f, "http://b.test/");
    script.drop[0] = false;
    examine(&f, &visit, LINKS("http://a.test/x"));
    assert_int_equal(f.rows.nchanged, 1);
    assert_int_equal(f.rows.changed[0].state, STORE_QUEUED);
    visit = take(&f, "http://a.test/x");
    end(&f);
}

static void endless_parts_of_a_host_are_cut_off(void **state)
{
    struct steer_options options = {.strategy = &scripted, .key = KEY, .year = 2026};
    struct fixture f;
    struct steer_visit visit;
    struct errmsg err = {0};
    char href[64];

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/x/x/x/x/x/x]\nlimits: {per_pattern: 3}\n");
    steer_free(f.steer);
    options.topic = f.topic;
    rows_init(&f.rows, &f.arena);
    assert_ok(steer_new(&options, &f.steer, &err), err);
    assert_int_equal(steer_seed(f.steer, &f.topic->seeds[0], &f.rows, NULL), SCENT_OK);
    visit = take(&f, "http://a.test/x/x/x/x/x/x"); /* a seed is never a trap */
    examine(&f, &visit, LINKS("http://a.test/a/b/a/b/a/b/a/b", "http://a.test/calendar/2093/04/", "http://a.test/fine"));
    assert_int_equal(added(&f, "http://a.test/a/b/a/b/a/b/a/b")->state, STORE_SEEN);
    assert_int_equal(added(&f, "http://a.test/calendar/2093/04/")->state, STORE_SEEN);
    assert_int_equal(added(&f, "http://a.test/fine")->state, STORE_QUEUED);
    visit = take(&f, "http://a.test/fine");
    for (int i = 0; i < 5; i++) {
        snprintf(href, sizeof href, "http://a.test/thread/%d", 100 + i);
        examine_again(&f, &visit, LINKS(href));
        assert_int_equal(added(&f, href)->state, i < 3 ? STORE_QUEUED : STORE_SEEN);
    }
    assert_str(added(&f, "http://a.test/thread/104")->error, "too many URLs of this shape");
    end(&f);
}

/* Whether the crawl knows it. */
static bool knows(struct fixture *f, const char *href)
{
    uint32_t id;

    return frontier_find(steer_frontier(f->steer), url_fingerprint(str_of(href), KEY), &id);
}

static void a_domain_has_so_many_urls_and_more_for_its_pages(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    uint32_t hosts;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/, http://b.test/]\nlimits: {urls_per_domain: 4}\n");
    visit = take(&f, "http://a.test/");
    hosts = frontier_hosts(steer_frontier(f.steer));
    script.priority[0] = 1;
    examine_again(&f, &visit, LINKS("http://a.test/1", "http://x.a.test/", "http://a.test/3", "http://a.test/4",
                                    "http://y.a.test/", "http://b.test/1", "http://c.test/"));
    assert_true(knows(&f, "http://a.test/3") && knows(&f, "http://b.test/1") && knows(&f, "http://c.test/"));
    assert_false(knows(&f, "http://a.test/4") || knows(&f, "http://y.a.test/"));
    assert_int_equal(frontier_hosts(steer_frontier(f.steer)), hosts + 2); /* x.a.test and c.test */
    assert_int_equal(f.rows.nlinks, 5);
    steer_note_left_out(f.steer, &f.rows);
    steer_note_left_out(f.steer, &f.rows); /* nothing new */
    assert_int_equal(f.rows.nvalues, 1);
    assert_str(f.rows.values[0].value, "2");
    /* A known one may still rise. */
    script.priority[0] = 9;
    examine_again(&f, &visit, LINKS("http://a.test/1"));
    assert_int_equal(f.rows.nchanged, 1);
    /* A page makes room, for its whole domain. */
    steer_count_page(f.steer, visit.host);
    examine(&f, &visit, LINKS("http://a.test/4", "http://y.a.test/"));
    assert_true(knows(&f, "http://a.test/4") && knows(&f, "http://y.a.test/"));
    end(&f);
}

static void a_restart_knows_how_many_urls_a_domain_has(void **state)
{
    const struct store_url rows[] = {
        {.id = 0, .host = 0, .url = STR("http://a.test/"), .state = STORE_QUEUED, .flags = CANDIDATE_SEED},
        {.id = 1, .host = 1, .url = STR("http://x.a.test/"), .state = STORE_SEEN},
    };
    struct fixture f;
    struct steer_visit visit;
    struct errmsg err = {0};

    (void)state;
    begin(&f, "topic: t\nlimits: {urls_per_domain: 3}\n");
    assert_int_equal(steer_restore_host(f.steer, &(struct store_host){.name = STR("a.test")}), SCENT_OK);
    assert_int_equal(steer_restore_host(f.steer, &(struct store_host){.id = 1, .name = STR("x.a.test")}), SCENT_OK);
    for (size_t i = 0; i < 2; i++)
        assert_ok(steer_restore_url(f.steer, &rows[i], &err), err);
    steer_restore_left_out(f.steer, 5);
    steer_note_left_out(f.steer, &f.rows);
    assert_int_equal(f.rows.nvalues, 0);
    visit = take(&f, "http://a.test/");
    examine_again(&f, &visit, LINKS("http://a.test/1", "http://a.test/2"));
    assert_true(knows(&f, "http://a.test/1"));
    assert_false(knows(&f, "http://a.test/2"));
    steer_note_left_out(f.steer, &f.rows);
    assert_str(f.rows.values[0].value, "6");
    end(&f);
}

static void hops_off_the_seeds_domains_are_counted(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://www.a.test/]\nscope: {hops_off_domain: 1}\n");
    visit = take(&f, "http://www.a.test/");
    examine(&f, &visit, LINKS("http://b.test/", "http://other.a.test/"));
    visit = take(&f, "http://b.test/");
    assert_int_equal(visit.candidate.off_domain, 1);
    examine(&f, &visit, LINKS("http://c.test/", "http://www.a.test/back"));
    assert_str(added(&f, "http://c.test/")->error, "too far off the seeds' domains");
    assert_int_equal(added(&f, "http://www.a.test/back")->off_domain, 0);
    end(&f);
}

static void limits_of_hosts_and_domains_drop_the_rest(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\nlimits: {per_host: 2, per_domain: 3}\n");
    visit = take(&f, "http://a.test/");
    examine(&f, &visit, LINKS("http://a.test/1", "http://a.test/2", "http://x.a.test/", "http://x.a.test/1"));
    visit = take(&f, "http://a.test/1");
    examine(&f, &visit, LINKS("http://a.test/1"));
    visit = take(&f, "http://x.a.test/"); /* a.test has given two; /2 is dropped on the way */
    examine(&f, &visit, LINKS("http://a.test/1"));
    expect_nothing_left(&f);
    assert_int_equal(f.rows.nchanged, 2);
    assert_int_equal(f.rows.changed[0].state, STORE_DROPPED);
    assert_str(f.rows.changed[0].error, "the host's limit of pages is reached");
    assert_str(f.rows.changed[1].error, "the domain's limit of pages is reached");
    end(&f);
}

static void redirects_inherit_and_end(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    struct url url;
    const char *refused;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    visit = take(&f, "http://a.test/");
    for (int i = 0; i <= STEER_MAX_REDIRECTS; i++) {
        char href[64];

        snprintf(href, sizeof href, "http://a.test/%d", i);
        assert_int_equal(url_parse(&f.arena, str_of(href), NULL, &url), SCENT_OK);
        assert_int_equal(steer_redirect(f.steer, &visit, &url, &f.rows, &refused), SCENT_OK);
        frontier_finish(steer_frontier(f.steer), visit.id, f.now);
        if (i == STEER_MAX_REDIRECTS)
            break;
        assert_null(refused);
        visit = take(&f, href);
        assert_int_equal(visit.candidate.flags, CANDIDATE_SEED);
        assert_int_equal(visit.candidate.depth, 0);
    }
    assert_string_equal(refused, "too many redirects");
    expect_nothing_left(&f);
    end(&f);
}

static void stale_scores_are_renewed(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    uint32_t id;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    visit = take(&f, "http://a.test/");
    script.priority[0] = 1, script.priority[1] = 2;
    examine(&f, &visit, LINKS("http://a.test/1", "http://a.test/2"));
    assert_true(frontier_find(steer_frontier(f.steer), url_fingerprint(STR("http://a.test/1"), KEY), &id));
    visit = take(&f, "http://a.test/2");
    script.priority[0] = 3;
    script.stale[0] = id, script.nstale = 1, script.rescored = 8;
    examine(&f, &visit, LINKS("http://a.test/3"));
    visit = take(&f, "http://a.test/1");
    assert_true(visit.candidate.priority == 8);
    script.nstale = STRATEGY_ALL, script.rescored = -4;
    examine(&f, &visit, LINKS("http://a.test/4"));
    visit = take(&f, "http://a.test/3");
    assert_true(visit.candidate.priority == -4);
    end(&f);
}

static void proposals_enter_like_links(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\nscope: {exclude: ['bad.test']}\n");
    visit = take(&f, "http://a.test/");
    script.proposals[0] = "http://trace.test/page#part";
    script.proposals[1] = "http://bad.test/";
    script.proposals[2] = "no url at all";
    script.nproposals = 3;
    examine(&f, &visit, LINKS("http://a.test/1"));
    visit = take(&f, "http://trace.test/page");
    assert_true(visit.candidate.priority == 9);
    assert_int_equal(added(&f, "http://bad.test/")->state, STORE_SEEN);
    /* The strategy is told what became of them, unless they were no URLs. */
    assert_int_equal(script.ntold, 2);
    assert_int_equal(script.told[0], added(&f, "http://bad.test/")->id);
    assert_false(script.queued[0]);
    assert_int_equal(script.told[1], visit.id);
    assert_true(script.queued[1]);
    end(&f);
}

static void the_strategy_is_asked_before_a_crawl_ends(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    bool any;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    script.last_resort = "http://trace.test/";
    visit = take(&f, "http://a.test/");
    examine(&f, &visit, LINKS("http://a.test/1"));
    visit = take(&f, "http://a.test/1");
    frontier_finish(steer_frontier(f.steer), visit.id, f.now);
    expect_nothing_left(&f);
    assert_int_equal(steer_propose(f.steer, &f.rows, &any), SCENT_OK);
    assert_true(any);
    take(&f, "http://trace.test/");
    assert_int_equal(steer_propose(f.steer, &f.rows, &any), SCENT_OK);
    assert_false(any);
    expect_nothing_left(&f);
    end(&f);
}

static void only_loopback_where_asked(void **state)
{
    struct steer_options options = {.strategy = &scripted, .loopback_only = true};
    struct errmsg err = {0};
    struct topic *topic;
    struct steer *steer;
    const char *refused;

    (void)state;
    memset(&script, 0, sizeof script);
    assert_ok(topic_parse(STR("topic: t\nseeds: [http://example.org/, 'http://127.0.0.1:8080/', 'http://x.localhost/']\n"),
                          "t", &topic, &err), err);
    topic->noptions = 0; /* of the strategy that would have been chosen */
    options.topic = topic;
    assert_ok(steer_new(&options, &steer, &err), err);
    assert_int_equal(steer_seed(steer, &topic->seeds[0], NULL, &refused), SCENT_OK);
    assert_string_equal(refused, "not on loopback");
    for (int i = 1; i <= 2; i++) {
        assert_int_equal(steer_seed(steer, &topic->seeds[i], NULL, &refused), SCENT_OK);
        assert_null(refused);
    }
    steer_free(steer);
    topic_free(topic);
}

static void rows_bring_it_all_back(void **state)
{
    struct fixture f, g;
    struct steer_visit visit;
    struct errmsg err = {0};

    (void)state;
    begin(&f, plain);
    visit = take(&f, "http://a.test/");
    script.priority[0] = 1, script.priority[1] = 2;
    examine(&f, &visit, LINKS("http://a.test/1", "http://c.test:8080/2"));
    begin(&g, "topic: t\n");
    for (size_t i = 0; i < f.rows.nhosts; i++) {
        struct store_host host = {.id = f.rows.hosts[i].id, .name = f.rows.hosts[i].name};

        assert_int_equal(steer_restore_host(g.steer, &host), SCENT_OK);
    }
    f.rows.added[0].state = STORE_FETCHED;
    for (size_t i = 0; i < f.rows.nadded; i++)
        assert_ok(steer_restore_url(g.steer, &f.rows.added[i], &err), err);
    visit = take(&g, "http://b.test/");
    assert_int_equal(visit.candidate.flags, CANDIDATE_SEED);
    visit = take(&g, "http://c.test:8080/2");
    assert_int_equal(visit.candidate.own[0], 2);
    visit = take(&g, "http://a.test/1");
    expect_nothing_left(&g);
    assert_int_equal(steer_restore_url(g.steer, &f.rows.added[0], &err), SCENT_E_FORMAT);
    end(&f);
    end(&g);
}

/* A URL and a host of which only hashes are left. */
static void what_was_purged_stays_away(void **state)
{
    struct fixture f;
    struct steer_visit visit;
    struct errmsg err = {0};
    struct url seed;
    struct store_url url = {.id = 0,
                            .host = 1,
                            .url = STR("purged:0000000000000001"),
                            .state = STORE_PURGED,
                            .purged = url_fingerprint(STR("http://b.test/"), KEY),
                            .parent = STORE_NO_PARENT};
    struct store_host here = {.id = 0, .name = STR("b.test")};
    struct store_host gone = {.id = 1,
                              .name = STR("purged:0000000000000002"),
                              .purged = url_fingerprint(STR("gone.test:81"), KEY)};

    (void)state;
    begin(&f, "topic: t\n");
    assert_int_equal(steer_restore_host(f.steer, &here), SCENT_OK);
    assert_int_equal(steer_restore_host(f.steer, &gone), SCENT_OK);
    assert_ok(steer_restore_url(f.steer, &url, &err), err);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(url_parse(&f.arena, i ? STR("http://b.test/") : STR("http://a.test/"), NULL, &seed), SCENT_OK);
        assert_int_equal(steer_seed(f.steer, &seed, &f.rows, NULL), SCENT_OK);
    }
    visit = take(&f, "http://a.test/");
    script.priority[0] = script.priority[1] = script.priority[2] = 1;
    f.rows.nadded = f.rows.nhosts = 0;
    examine(&f, &visit, LINKS("http://gone.test:81/x", "http://b.test/", "http://b.test/y"));
    assert_int_equal(f.rows.nhosts, 0); /* its name does not come back */
    assert_int_equal(f.rows.nadded, 2);
    assert_int_equal(f.rows.added[0].state, STORE_PURGED);
    assert_int_equal(f.rows.added[0].host, 1);
    assert_true(f.rows.added[0].purged == url_fingerprint(STR("http://gone.test:81/x"), KEY));
    assert_true(f.rows.added[0].url.len == 0 && f.rows.added[0].error.len == 0);
    visit = take(&f, "http://b.test/y");
    expect_nothing_left(&f);
    assert_int_equal(steer_restore_url(f.steer, &url, &err), SCENT_E_FORMAT);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_go_first_then_the_best),
        cmocka_unit_test(a_link_found_again_keeps_the_larger_score),
        cmocka_unit_test(every_url_has_one_row_with_the_reason),
        cmocka_unit_test(what_was_refused_may_enter_later),
        cmocka_unit_test(endless_parts_of_a_host_are_cut_off),
        cmocka_unit_test(a_domain_has_so_many_urls_and_more_for_its_pages),
        cmocka_unit_test(a_restart_knows_how_many_urls_a_domain_has),
        cmocka_unit_test(hops_off_the_seeds_domains_are_counted),
        cmocka_unit_test(limits_of_hosts_and_domains_drop_the_rest),
        cmocka_unit_test(redirects_inherit_and_end),
        cmocka_unit_test(stale_scores_are_renewed),
        cmocka_unit_test(proposals_enter_like_links),
        cmocka_unit_test(the_strategy_is_asked_before_a_crawl_ends),
        cmocka_unit_test(only_loopback_where_asked),
        cmocka_unit_test(rows_bring_it_all_back),
        cmocka_unit_test(what_was_purged_stays_away),
    };

    return cmocka_run_group_tests_name("engine/steer", tests, NULL, NULL);
}
