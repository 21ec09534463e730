/* The distiller on a small graph: a page that links to relevant pages on other hosts is a hub, and what it links to
 * beyond them is raised. */
#include "strategy_fixture.h"

#include "strategy/linkgraph.h"

enum { PAGES = 40, HUB = 1, NEXT = 500 };

/* The hub (id 1) links to pages 2 … 40 on other hosts and to 500, 501, which are not fetched; the others link to 600,
 * 601, … on other hosts, and to 700 on their own. */
static void crawl(struct strategy_fixture *f, struct distiller *distiller)
{
    uint32_t targets[FIXTURE_LINKS];
    struct buf html;

    buf_init(&html, 0);
    for (uint32_t id = 2; id <= PAGES; id++) {
        char other[256];

        snprintf(other, sizeof other, "<a href=http://h%u.test/>x</a> <a href=/own>y</a>", id);
        targets[0] = 600 + id;
        targets[1] = 700;
        fixture_visit(f, other, id, false, targets);
        distiller_observe(distiller, &f->visit, id % 2 ? .9 : .8);
    }
    for (uint32_t i = 0; i < PAGES + 1; i++) {
        buf_printf(&html, "<a href=http://t%u.test/>z</a> ", i);
        targets[i] = i < PAGES - 1 ? 2 + i : NEXT + i - (PAGES - 1);
    }
    fixture_visit(f, buf_z(&html), HUB, true, targets);
    distiller_observe(distiller, &f->visit, 1);
    for (uint32_t i = 0; i < 8; i++) { /* until the crawl has grown enough for a computation */
        fixture_visit(f, "nothing", 800 + i, false, NULL);
        distiller_observe(distiller, &f->visit, 0);
    }
    buf_release(&html);
}

static void hubs_raise_their_links(void **state)
{
    struct strategy_fixture f;
    struct distiller distiller = {.hubs = 1};
    struct strategy_score score = {.priority = .1f};
    uint32_t ids[64];
    size_t n;

    (void)state;
    fixture_open(&f, "strategy: breadth-first");
    crawl(&f, &distiller);
    n = distiller_stale(&distiller, ids, 64);
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], NEXT);
    assert_int_equal(ids[1], NEXT + 1);
    assert_int_equal(distiller_stale(&distiller, ids, 64), 0);
    assert_true(distiller_rescore(&distiller, NEXT, &score));
    assert_close(score.priority, 2); /* the best of all hubs */
    score.priority = .1f;
    assert_false(distiller_rescore(&distiller, 600, &score));
    assert_false(distiller_rescore(&distiller, 700, &score)); /* the same host */
    assert_false(distiller_rescore(&distiller, 2, &score));   /* it is fetched */
    assert_false(distiller_rescore(&distiller, 100000, &score));
    distiller_release(&distiller);
    fixture_close(&f);
}

static void kept_and_damaged(void **state)
{
    struct strategy_fixture f;
    struct distiller distiller = {.hubs = 1};
    struct errmsg err = {0};
    struct strategy_score score = {0};
    struct buf blob;

    (void)state;
    fixture_open(&f, "strategy: breadth-first");
    crawl(&f, &distiller);
    buf_init(&blob, 0);
    assert_int_equal(distiller_save(&distiller, &blob), SCENT_OK);
    for (size_t len = 0; len <= blob.len; len += len + 40 < blob.len ? 37 : 1) {
        struct distiller again = {.hubs = 1};
        scent_status status = distiller_load(&again, str_sub(buf_str(&blob), 0, len), &err);

        assert_true((status == SCENT_OK) == (len == blob.len));
        if (status == SCENT_OK)
            assert_true(distiller_rescore(&again, NEXT, &score));
        distiller_release(&again);
    }
    buf_release(&blob);
    distiller_release(&distiller);
    fixture_close(&f);
}

static void off_it_keeps_nothing(void **state)
{
    struct strategy_fixture f;
    struct distiller distiller = {.hubs = 0};
    uint32_t ids[4];

    (void)state;
    fixture_open(&f, "strategy: breadth-first");
    crawl(&f, &distiller);
    assert_int_equal(distiller.graph.npages, 0);
    assert_int_equal(distiller_stale(&distiller, ids, 4), 0);
    distiller_release(&distiller);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hubs_raise_their_links),
        cmocka_unit_test(kept_and_damaged),
        cmocka_unit_test(off_it_keeps_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
