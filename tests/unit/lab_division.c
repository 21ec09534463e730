/* A collection that is divided among workers, and crawls of it side by side. */
#include "lab_fixture.h"
#include "lab_pages_fixture.h"

#include "lab/division.h"
#include "lab/experiment.h"
#include "lab/replay.h"
#include "url/url.h"

enum { WORKERS = 5 };

static struct str domain_of(const struct collection *collection, uint32_t page, struct arena *arena)
{
    struct url url;

    assert_int_equal(url_parse(arena, collection_url(collection, page), NULL, &url), SCENT_OK);
    return url_registered_domain(url_host_without_port(url_server(&url)));
}

static void a_domain_has_one_owner(void **state)
{
    const struct lab_fixture *fixture = *state;
    const struct collection *collection = fixture->collection;
    bool owns[WORKERS] = {0};
    struct division division;
    struct errmsg err = {0};
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    assert_ok(division_make(collection, WORKERS, &division, &err), err);
    assert_string_equal(division_word(division_kind(collection)), "registered domain");
    for (uint32_t a = 0; a < collection_count(collection); a++) {
        owns[division.owners[a]] = true;
        for (uint32_t b = 0; b < a; b++)
            if (str_eq(domain_of(collection, a, &arena), domain_of(collection, b, &arena)))
                assert_int_equal(division.owners[a], division.owners[b]);
    }
    for (int i = 0; i < WORKERS; i++)
        assert_true(owns[i]);
    division_release(&division);
    arena_release(&arena);
}

static void one_host_is_divided_by_page(void **state)
{
    static const struct pages_row rows[] = {{"a.html", "<p>a"}, {"b.html", "<p>b"}, {"c.html", "<p>c"}, {"d.html", "<p>d"},
                                            {"e.html", "<p>e"}, {"f.html", "<p>f"}, {0}};
    struct pages_fixture fixture;
    struct division division;
    struct errmsg err = {0};
    bool differ = false;

    (void)state;
    pages_open(&fixture, rows);
    assert_string_equal(division_word(division_kind(fixture.collection)), "page");
    assert_ok(division_make(fixture.collection, 2, &division, &err), err);
    for (uint32_t i = 1; i < 6; i++)
        differ |= division.owners[i] != division.owners[0];
    assert_true(differ);
    division_release(&division);
    pages_close(&fixture);
}

/* ---- crawls ---- */

static const struct judgement *judge_by_number(void *ctx, uint32_t number, const struct page *page, bool seed)
{
    struct judgement *judgement = ctx;

    (void)page, (void)seed;
    *judgement = (struct judgement){.relevant = number % 3 == 0, .score = number % 3 == 0};
    return judgement;
}

struct crawl {
    const char *strategy;
    uint32_t workers, exchange, budget;
    struct replay_visit *visits;
    size_t count;
};

static void crawl_with(const struct lab_fixture *fixture, struct crawl *crawl)
{
    static const uint32_t seeds[] = {0, 50};
    struct judgement judgement;
    struct replay_options options = {.collection = fixture->collection,
                                     .seeds = seeds,
                                     .nseeds = 2,
                                     .budget = crawl->budget,
                                     .judge = judge_by_number,
                                     .judge_ctx = &judgement,
                                     .exchange = crawl->exchange};
    struct division division;
    struct errmsg err = {0};
    struct topic *topic;
    char text[200];

    snprintf(text, sizeof text, "topic: t\nstrategy: %s\nseeds: [http://a.test/]\n", crawl->strategy);
    assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
    options.topic = topic;
    if (crawl->workers) {
        assert_ok(division_make(fixture->collection, crawl->workers, &division, &err), err);
        options.division = &division;
    }
    crawl->visits = calloc(crawl->budget + 1, sizeof *crawl->visits);
    assert_ok(replay_run(&options, crawl->visits, &crawl->count, &err), err);
    if (crawl->workers)
        division_release(&division);
    topic_free(topic);
}

static void same_pages(const struct lab_fixture *fixture, const struct crawl *a, const struct crawl *b, bool in_order)
{
    uint8_t *found = calloc(collection_count(fixture->collection) + (size_t)1, 1);

    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(found[a->visits[i].page], 0); /* none twice */
        found[a->visits[i].page] = 1;
    }
    for (size_t i = 0; i < b->count; i++) {
        assert_int_equal(found[b->visits[i].page], 1);
        found[b->visits[i].page] = 2;
        if (in_order)
            assert_int_equal(a->visits[i].page, b->visits[i].page);
    }
    free(found);
}

static void workers_find_what_one_finds(void **state)
{
    static const char *const strategies[] = {"breadth-first", "best-first", "in-degree", "intelligent", "adaptive"};
    const struct lab_fixture *fixture = *state;

    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        struct crawl alone = {.strategy = strategies[i], .budget = 10000}, one = alone, many = alone;

        one.workers = 1;
        many.workers = WORKERS;
        crawl_with(fixture, &alone);
        crawl_with(fixture, &one);
        crawl_with(fixture, &many);
        assert_true(alone.count > 100);
        same_pages(fixture, &alone, &one, true);
        same_pages(fixture, &alone, &many, false);
        free(alone.visits);
        free(one.visits);
        free(many.visits);
    }
}

/* Sums of counts change the order, not the pages; the same every time. */
static void counts_are_shared(void **state)
{
    static const char *const strategies[] = {"intelligent", "adaptive"};
    const struct lab_fixture *fixture = *state;

    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        struct crawl own = {.strategy = strategies[i], .workers = WORKERS, .budget = 10000}, shared = own, again;
        bool differ = false;

        shared.exchange = 16;
        again = shared;
        crawl_with(fixture, &own);
        crawl_with(fixture, &shared);
        crawl_with(fixture, &again);
        same_pages(fixture, &own, &shared, false);
        same_pages(fixture, &shared, &again, true);
        for (size_t k = 0; k < own.count; k++)
            differ |= own.visits[k].page != shared.visits[k].page;
        assert_true(differ);
        free(own.visits);
        free(shared.visits);
        free(again.visits);
    }
}

/* In a round each fetches one page: after a budget that is reached in the first rounds nobody is ahead of the others
 * by more than the rounds in which these had nothing. */
static void a_budget_is_for_all_of_them(void **state)
{
    const struct lab_fixture *fixture = *state;
    struct crawl crawl = {.strategy = "breadth-first", .workers = WORKERS, .budget = 60};
    uint32_t pages[WORKERS] = {0};
    struct division division;
    struct errmsg err = {0};

    crawl_with(fixture, &crawl);
    assert_int_equal(crawl.count, 60);
    assert_ok(division_make(fixture->collection, WORKERS, &division, &err), err);
    for (size_t i = 0; i < crawl.count; i++)
        pages[division.owners[crawl.visits[i].page]]++;
    for (int i = 0; i < WORKERS; i++)
        assert_in_range(pages[i], 4, 24);
    division_release(&division);
    free(crawl.visits);
}

/* ---- experiments ---- */

static void wrong_workers_are_refused(void **state)
{
    static const struct {
        const char *strategy, *says;
    } cases[] = {
        {"{name: intelligent, workers: 0}", "workers"},
        {"{name: intelligent, counts: shared}", "nobody to share with"},
        {"{name: best-first, workers: 8, counts: shared}", "learns nothing that workers could share"},
        {"{name: intelligent, workers: 8, counts: all}", "counts"},
        {"{name: intelligent, workers: 8, reuse: {budget: 10}}", "do not go together"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct experiment *experiment;
        struct errmsg err = {0};
        char text[300];

        snprintf(text, sizeof text, "collection: c\nbudget: 100\nstrategies:\n  - %s\n", cases[i].strategy);
        assert_int_equal(experiment_parse(str_of(text), "e.yaml", &experiment, &err), SCENT_E_INVALID);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].strategy, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_domain_has_one_owner, lab_set_up, lab_tear_down),
        cmocka_unit_test(one_host_is_divided_by_page),
        cmocka_unit_test_setup_teardown(workers_find_what_one_finds, lab_set_up, lab_tear_down),
        cmocka_unit_test_setup_teardown(counts_are_shared, lab_set_up, lab_tear_down),
        cmocka_unit_test_setup_teardown(a_budget_is_for_all_of_them, lab_set_up, lab_tear_down),
        cmocka_unit_test(wrong_workers_are_refused),
    };

    return cmocka_run_group_tests_name("lab/division", tests, NULL, NULL);
}
