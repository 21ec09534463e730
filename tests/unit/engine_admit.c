/* Who enters the queue beside the links that a strategy likes: what authors disown, sitemaps and what they list. */
#include "steer_fixture.h"

#include <math.h>

static void what_its_author_disowns_is_not_followed(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, plain);
    visit = take(&f, "http://a.test/");
    script.rel[0] = PAGE_REL_NOFOLLOW, script.rel[1] = PAGE_REL_UGC, script.rel[2] = PAGE_REL_SPONSORED;
    script.priority[3] = 1;
    examine(&f, &visit, LINKS("http://a.test/n", "http://a.test/u", "http://a.test/s", "http://a.test/plain"));
    assert_str(added(&f, "http://a.test/n")->error, "its link says nofollow");
    assert_str(added(&f, "http://a.test/u")->error, "its link says ugc");
    assert_str(added(&f, "http://a.test/s")->error, "its link says sponsored");
    assert_int_equal(added(&f, "http://a.test/n")->state, STORE_SEEN);
    assert_int_equal(f.rows.nlinks, 4);

    /* A nofollow page does not even raise what is queued; a link without the word queues what was seen. */
    visit = take(&f, "http://b.test/");
    script.robots = PAGE_NOFOLLOW;
    memset(script.rel, 0, sizeof script.rel);
    script.priority[0] = 7;
    examine(&f, &visit, LINKS("http://a.test/plain", "http://a.test/m"));
    assert_str(added(&f, "http://a.test/m")->error, "its page says nofollow");
    assert_null(changed(&f, added(&f, "http://a.test/plain")->id));
    visit = take(&f, "http://a.test/plain");
    assert_true(visit.candidate.priority == 1);
    script.robots = PAGE_NOINDEX | PAGE_NOARCHIVE;
    examine(&f, &visit, LINKS("http://a.test/n"));
    assert_int_equal(changed(&f, added(&f, "http://a.test/n")->id)->state, STORE_QUEUED);
    assert_int_equal(changed(&f, added(&f, "http://a.test/n")->id)->error.len, 0);
    take(&f, "http://a.test/n");
    expect_nothing_left(&f);
    end(&f);
}

static void the_topic_may_overrule_authors(void **state)
{
    struct fixture f;
    struct steer_visit visit;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\npoliteness: {page_robots: ignore}\n");
    visit = take(&f, "http://a.test/");
    script.robots = PAGE_NOFOLLOW, script.rel[1] = PAGE_REL_UGC;
    examine(&f, &visit, LINKS("http://a.test/1", "http://a.test/2"));
    take(&f, "http://a.test/1");
    expect_nothing_left(&f);
    end(&f);

    begin(&f, "topic: t\nseeds: [http://a.test/]\npoliteness: {rel_nofollow: ignore}\n");
    visit = take(&f, "http://a.test/");
    script.rel[0] = PAGE_REL_NOFOLLOW | PAGE_REL_UGC;
    examine(&f, &visit, LINKS("http://a.test/1"));
    visit = take(&f, "http://a.test/1");
    script.robots = PAGE_NOFOLLOW;
    examine(&f, &visit, LINKS("http://a.test/2"));
    expect_nothing_left(&f);
    end(&f);
}

/* ---- sitemaps ---- */

static struct url parse(struct fixture *f, const char *href)
{
    struct url url;

    assert_int_equal(url_parse(&f->arena, str_of(href), NULL, &url), SCENT_OK);
    return url;
}

static void ask(struct fixture *f, const char *href, uint32_t for_host)
{
    struct url url = parse(f, href);
    struct steer_sitemap sitemap = {.host = for_host, .found_on = 0, .depth = 3, .off_domain = 2, .level = 1};

    assert_int_equal(steer_ask_sitemap(f->steer, &url, &sitemap, &f->rows), SCENT_OK);
}

static void list(struct fixture *f, const struct steer_visit *sitemap, const char *href)
{
    struct url url = parse(f, href);

    assert_int_equal(steer_list(f->steer, sitemap, &url, &f->rows), SCENT_OK);
}

static void done(struct fixture *f, const struct steer_visit *visit)
{
    frontier_finish(steer_frontier(f->steer), visit->id, f->now);
}

static void sitemaps_and_what_they_list_come_last(void **state)
{
    struct fixture f;
    struct steer_visit visit, home;
    struct steer_sitemap sitemap;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    home = take(&f, "http://a.test/");
    ask(&f, "http://a.test/map1", home.host);
    ask(&f, "http://a.test/map2", home.host);
    script.priority[0] = -1e9f;
    examine(&f, &home, LINKS("http://a.test/low"));
    visit = take(&f, "http://a.test/low");
    done(&f, &visit);

    visit = take(&f, "http://a.test/map1");
    assert_int_equal(visit.candidate.flags, CANDIDATE_SITEMAP);
    assert_true(isinf(steer_shown_priority(&visit.candidate)) && steer_shown_priority(&visit.candidate) < 0);
    sitemap = steer_sitemap_of(&visit);
    assert_true(sitemap.host == home.host && sitemap.found_on == visit.id && sitemap.level == 1);
    assert_true(sitemap.depth == 3 && sitemap.off_domain == 2);
    list(&f, &visit, "http://a.test/x");
    list(&f, &visit, "http://a.test/low"); /* known */
    list(&f, &visit, "http://c.test/y");
    done(&f, &visit);
    assert_int_equal(added(&f, "http://a.test/x")->depth, 4);
    assert_int_equal(added(&f, "http://a.test/x")->off_domain, 0);
    assert_int_equal(added(&f, "http://c.test/y")->off_domain, 3);
    assert_int_equal(added(&f, "http://a.test/x")->parent, visit.id);
    visit = take(&f, "http://a.test/map2"); /* before the pages that another sitemap lists */
    done(&f, &visit);
    visit = take(&f, "http://a.test/x");
    assert_int_equal(visit.candidate.flags, 0);
    end(&f);
}

/* A merge that would see what no strategy gave. */
static void merge_sum(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id;
    score->priority += kept->priority;
}

static void a_page_that_is_named_as_a_sitemap_is_visited_as_both(void **state)
{
    struct fixture f;
    struct steer_visit visit, home;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    home = take(&f, "http://a.test/");
    ask(&f, "http://a.test/both", home.host);
    ask(&f, "http://a.test/both", home.host); /* once is enough */
    examine(&f, &home, LINKS("http://a.test/both"));
    visit = take(&f, "http://a.test/both");
    assert_int_equal(visit.candidate.flags, 0);
    done(&f, &visit);
    visit = take(&f, "http://a.test/both");
    assert_int_equal(visit.candidate.flags, CANDIDATE_SITEMAP);
    done(&f, &visit);
    end(&f);
}

static void a_link_gives_what_was_listed_its_place(void **state)
{
    struct strategy_ops ops = scripted;
    struct fixture f;
    struct steer_visit home, map;

    (void)state;
    begin(&f, plain);
    home = take(&f, "http://a.test/");
    ask(&f, "http://a.test/map", home.host);
    done(&f, &home);
    home = take(&f, "http://b.test/");
    map = take(&f, "http://a.test/map");
    list(&f, &map, "http://a.test/x");
    list(&f, &map, "http://a.test/y");
    list(&f, &map, "http://a.test/z");
    done(&f, &map);
    ops.merge = merge_sum;
    steer_strategy(f.steer)->ops = &ops;
    script.nstale = STRATEGY_ALL, script.rescored = 99; /* the others are unknown to it: not scored again */
    script.priority[0] = 2, script.priority[1] = 3;
    examine(&f, &home, LINKS("http://a.test/y", "http://a.test/z"));
    script.nstale = 0;
    assert_true(changed(&f, added(&f, "http://a.test/y")->id)->priority == 2);
    assert_null(changed(&f, added(&f, "http://a.test/x")->id));
    take(&f, "http://a.test/y");
    take(&f, "http://a.test/z");
    take(&f, "http://a.test/x");
    end(&f);
}

static void sitemaps_are_counted_also_after_a_restart(void **state)
{
    struct fixture f, g;
    struct errmsg err = {0};
    struct steer_visit visit;
    char href[64];
    int queued = 0;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\n");
    for (int i = 0; i < STEER_SITEMAPS_PER_HOST + 20; i++) {
        snprintf(href, sizeof href, "http://m.test/%d", i);
        ask(&f, href, 0);
    }
    for (size_t i = 0; i < f.rows.nadded; i++)
        queued += f.rows.added[i].flags & CANDIDATE_SITEMAP && f.rows.added[i].state == STORE_QUEUED;
    assert_int_equal(queued, STEER_SITEMAPS_PER_HOST);
    assert_str(f.rows.added[f.rows.nadded - 1].error, "too many sitemaps of the host");

    begin(&g, "topic: t\n");
    for (size_t i = 0; i < f.rows.nhosts; i++)
        assert_int_equal(steer_restore_host(g.steer, &(struct store_host){.id = f.rows.hosts[i].id,
                                                                         .name = f.rows.hosts[i].name}), SCENT_OK);
    for (size_t i = 0; i < f.rows.nadded; i++)
        assert_ok(steer_restore_url(g.steer, &f.rows.added[i], &err), err);
    ask(&g, "http://m.test/more", 0);
    assert_str(added(&g, "http://m.test/more")->error, "too many sitemaps of the host");
    ask(&g, "http://m.test/other", 1);
    assert_int_equal(added(&g, "http://m.test/other")->state, STORE_QUEUED);
    visit = take(&g, "http://a.test/");
    done(&g, &visit);
    visit = take(&g, "http://m.test/0");
    assert_int_equal(steer_sitemap_of(&visit).level, 1);
    list(&g, &visit, "http://m.test/page");
    visit = take(&g, "http://m.test/1");
    end(&f);
    end(&g);
}

static void what_was_listed_comes_last_after_a_restart(void **state)
{
    struct store_url rows[] = {
        {.id = 0, .url = STR("http://a.test/x"), .state = STORE_QUEUED, .priority = (float)-INFINITY, .parent = STORE_NO_PARENT},
        {.id = 1, .url = STR("http://a.test/map"), .state = STORE_QUEUED, .priority = (float)-INFINITY,
         .flags = CANDIDATE_SITEMAP, .parent = STORE_NO_PARENT},
    };
    struct fixture f;
    struct errmsg err = {0};

    (void)state;
    begin(&f, "topic: t\n");
    assert_int_equal(steer_restore_host(f.steer, &(struct store_host){.name = STR("a.test")}), SCENT_OK);
    for (size_t i = 0; i < 2; i++)
        assert_ok(steer_restore_url(f.steer, &rows[i], &err), err);
    take(&f, "http://a.test/map");
    take(&f, "http://a.test/x");
    end(&f);
}

static void a_host_lists_no_more_than_its_share(void **state)
{
    struct fixture f;
    struct steer_visit map;
    uint32_t known;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\nlimits: {per_pattern: 0}\n");
    ask(&f, "http://a.test/map", 0);
    map = take(&f, "http://a.test/");
    done(&f, &map);
    map = take(&f, "http://a.test/map");
    known = frontier_known(steer_frontier(f.steer));
    for (int i = 0; i < STEER_LISTED_PER_HOST + 100; i++) {
        char href[64];

        snprintf(href, sizeof href, "http://a.test/%d", i);
        list(&f, &map, href);
    }
    assert_int_equal(frontier_known(steer_frontier(f.steer)) - known, STEER_LISTED_PER_HOST);
    list(&f, &map, "http://b.test/");
    assert_int_equal(added(&f, "http://b.test/")->state, STORE_QUEUED);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_its_author_disowns_is_not_followed),
        cmocka_unit_test(the_topic_may_overrule_authors),
        cmocka_unit_test(sitemaps_and_what_they_list_come_last),
        cmocka_unit_test(a_page_that_is_named_as_a_sitemap_is_visited_as_both),
        cmocka_unit_test(a_link_gives_what_was_listed_its_place),
        cmocka_unit_test(sitemaps_are_counted_also_after_a_restart),
        cmocka_unit_test(what_was_listed_comes_last_after_a_restart),
        cmocka_unit_test(a_host_lists_no_more_than_its_share),
    };

    return cmocka_run_group_tests_name("engine/admit", tests, NULL, NULL);
}
