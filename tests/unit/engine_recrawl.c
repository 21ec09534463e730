/* Pages that are due: what is kept of them, how they are read, and where they stand in the queue. */
#include "engine/recrawl.h"
#include "engine/steer.h"
#include "engine/writer.h"
#include "test.h"

/* ---- the table ---- */

static void pages_are_found_by_host_and_id(void **state)
{
    struct recrawl *recrawl = recrawl_new();
    struct candidate candidate = {.priority = 3};
    struct recrawl_page *page;

    (void)state;
    for (uint32_t id = 0; id < 1000; id++) {
        char etag[16];
        struct store_revisit known = {.url = id, .etag = str_of(etag), .digest = STR("D")};

        snprintf(etag, sizeof etag, "\"%u\"", id);
        assert_int_equal(recrawl_add(recrawl, &known, &candidate, id % 300), SCENT_OK);
    }
    assert_int_equal(recrawl->queued, 1000);
    assert_int_equal(recrawl_count(recrawl, 0), 4);   /* 0, 300, 600, 900; 256 shares their bucket */
    assert_int_equal(recrawl_count(recrawl, 256), 3);
    page = recrawl_find(recrawl, 17, 617);
    assert_non_null(page);
    assert_string_equal(page->known.etag.p, "\"617\""); /* with a zero behind it: libcurl wants one */
    assert_true(page->known.last_modified.len == 0 && page->known.last_modified.p[0] == 0);
    assert_null(recrawl_find(recrawl, 18, 617));
    recrawl->in_flight = 1;
    recrawl_drop(recrawl, page, true);
    assert_null(recrawl_find(recrawl, 17, 617));
    assert_true(recrawl->queued == 999 && recrawl->in_flight == 0);
    recrawl_free(recrawl);
    recrawl_free(NULL);
}

/* ---- batches ---- */

enum { PAGES = 10 };

static struct store *make_store(const char *dir)
{
    struct errmsg err = {0};
    struct store *store;

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_ok(store_begin(store, &err), err);
    for (uint32_t i = 0; i < PAGES; i++) {
        char href[32];

        snprintf(href, sizeof href, "http://a.test/%u", i);
        assert_ok(store_add_url(store, &(struct store_url){.id = i, .url = str_of(href), .state = STORE_FETCHED}, &err),
                  err);
        assert_ok(store_add_page(store, &(struct store_page){.number = i + 1, .url = i, .digest = STR("D")}, &err), err);
        /* 1000 for the first two, then one more for each: ties must not be lost between batches */
        assert_ok(store_put_revisit(store, &(struct store_revisit){.url = i, .page = i + 1, .next = 1000 + (i ? i - 1 : 0)},
                                    &err), err);
    }
    return store;
}

static void each_is_read_once_in_batches_of_any_size(void **state)
{
    char *dir = test_make_dir();
    struct store *store = make_store(dir);

    (void)state;
    for (size_t room = 1; room <= PAGES + 1; room++) {
        struct store_revisit after = {0};
        uint32_t read = 0;

        for (;;) {
            struct job_due batch = {.after = after, .until = 1006, .room = room};
            struct errmsg err = {0};
            struct arena arena;

            arena_init(&arena, SIZE_MAX);
            assert_ok(writer_read_due(&batch, &arena, store, &err), err);
            for (size_t i = 0; i < batch.count; i++, read++) {
                assert_int_equal(batch.pages[i].url, read);
                assert_int_equal(batch.urls[i].id, read);
                after = batch.pages[i];
            }
            after.digest = after.etag = after.last_modified = STR_NONE;
            arena_release(&arena);
            if (batch.count < room) {
                assert_true(batch.later == 1007); /* the first that is not due */
                break;
            }
            assert_true(batch.later <= 1007);
        }
        assert_int_equal(read, 8);
    }
    store_rollback(store);
    store_close(store);
    test_remove_dir(dir);
}

/* ---- the queue ---- */

static int observed;

static void observe(void *state, const struct strategy_visit *visit)
{
    (void)state, (void)visit;
    observed++;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit, (void)link;
    *out = (struct strategy_score){.priority = 1e37f};
}

static const struct strategy_ops eager = {
    .name = "eager", .summary = "s", .paper = "p", .observe = observe, .score = score};

struct fixture {
    struct topic *topic;
    struct steer *steer;
    struct arena arena;
    struct rows rows;
};

static void begin(struct fixture *f, const char *topic)
{
    struct steer_options options = {.strategy = &eager, .key = 7};
    struct errmsg err = {0};

    observed = 0;
    arena_init(&f->arena, SIZE_MAX);
    rows_init(&f->rows, &f->arena);
    assert_ok(topic_parse(str_of(topic), "test.yaml", &f->topic, &err), err);
    f->topic->noptions = 0; /* of the strategy that would have been chosen */
    options.topic = f->topic;
    assert_ok(steer_new(&options, &f->steer, &err), err);
    for (size_t i = 0; i < f->topic->nseeds; i++)
        assert_int_equal(steer_seed(f->steer, &f->topic->seeds[i], &f->rows, NULL), SCENT_OK);
}

static void end(struct fixture *f)
{
    steer_free(f->steer);
    topic_free(f->topic);
    arena_release(&f->arena);
}

static struct frontier_taken take(struct fixture *f, const char *href)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(steer_take(f->steer, 0, &f->rows, &taken, &wait), SCENT_OK);
    assert_str(taken.href, href);
    return taken;
}

static bool again(struct fixture *f, uint32_t id, const char *href, double relevance)
{
    struct store_url row = {.id = id, .url = str_of(href), .state = STORE_FETCHED, .priority = -5, .depth = 3, .tries = 2};
    bool queued;

    assert_int_equal(steer_again(f->steer, &row, relevance, &queued), SCENT_OK);
    return queued;
}

static void they_go_before_all_that_is_new(void **state)
{
    struct fixture f;
    struct frontier_taken taken;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/0, http://a.test/1, http://a.test/2, http://a.test/3]\n"
              "politeness: {per_host: 8}\n");
    for (int i = 0; i < 3; i++) {
        char href[32];

        snprintf(href, sizeof href, "http://a.test/%d", i);
        taken = take(&f, href);
        frontier_finish(steer_frontier(f.steer), taken.id, 0);
    }
    assert_true(again(&f, 1, "http://a.test/1", 0.2));
    assert_true(again(&f, 0, "http://a.test/0", 0));
    assert_true(again(&f, 2, "http://a.test/2", 0.9));
    assert_false(again(&f, 2, "http://a.test/2", 0.9)); /* it is queued */
    taken = take(&f, "http://a.test/2");
    assert_true(taken.candidate.flags & CANDIDATE_AGAIN && taken.candidate.tries == 0 && taken.candidate.depth == 3);
    take(&f, "http://a.test/1");
    take(&f, "http://a.test/0");
    take(&f, "http://a.test/3");
    end(&f);
}

static void limits_of_hosts_are_for_new_pages(void **state)
{
    struct fixture f;
    struct frontier_taken taken;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/0, http://a.test/1]\nlimits: {per_host: 1}\npoliteness: {per_host: 8}\n");
    taken = take(&f, "http://a.test/0");
    frontier_finish(steer_frontier(f.steer), taken.id, 0);
    steer_count_page(f.steer, taken.host);
    assert_true(again(&f, taken.id, "http://a.test/0", 0.5));
    take(&f, "http://a.test/0");
    assert_int_equal(steer_take(f.steer, 0, &f.rows, &taken, &(int64_t){0}), SCENT_E_END);
    end(&f);
}

static void what_the_scope_refuses_now_stays_away(void **state)
{
    struct fixture f;
    struct frontier_taken taken;

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\nscope: {exclude: ['*/old/*']}\n");
    taken = take(&f, "http://a.test/");
    frontier_finish(steer_frontier(f.steer), taken.id, 0);
    assert_false(again(&f, taken.id, "http://a.test/old/x", 1));
    assert_int_equal(frontier_state(steer_frontier(f.steer), taken.id), FRONTIER_DONE);
    end(&f);
}

static void links_are_followed_without_learning(void **state)
{
    struct fixture f;
    struct frontier_taken taken;
    struct page_link link = {0};
    struct page page = {.links = &link, .nlinks = 1};
    struct judgement judgement = {0};
    struct steer_visit visit;
    struct errmsg err = {0};

    (void)state;
    begin(&f, "topic: t\nseeds: [http://a.test/]\npoliteness: {per_host: 2}\n");
    taken = take(&f, "http://a.test/");
    visit = (struct steer_visit){.id = taken.id, .host = taken.host, .row = 1};
    assert_int_equal(url_parse(&f.arena, STR("http://a.test/new"), NULL, &link.url), SCENT_OK);
    link.fingerprint = url_fingerprint(link.url.href, 7);
    visit.number = 1;
    visit.page = &page;
    visit.judgement = &judgement;
    assert_ok(steer_examine(f.steer, &visit, false, &f.rows, &err), err);
    assert_int_equal(observed, 0);
    take(&f, "http://a.test/new");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_found_by_host_and_id),
        cmocka_unit_test(each_is_read_once_in_batches_of_any_size),
        cmocka_unit_test(they_go_before_all_that_is_new),
        cmocka_unit_test(limits_of_hosts_are_for_new_pages),
        cmocka_unit_test(what_the_scope_refuses_now_stays_away),
        cmocka_unit_test(links_are_followed_without_learning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
