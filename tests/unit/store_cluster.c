/* What a worker tells the others, and how far it has read: ids that are never used twice, places that are replaced. */
#include "store_fixture.h"

struct got {
    struct store_outgoing rows[4];
    char bodies[4][8];
    size_t count;
};

static scent_status keep(void *ctx, const struct store_outgoing *row)
{
    struct got *got = ctx;

    assert_true(got->count < 4 && row->body.len < 8);
    memcpy(got->bodies[got->count], row->body.p, row->body.len);
    got->rows[got->count++] = *row;
    return SCENT_OK;
}

static void add(struct fixture *t, uint64_t id, const char *body)
{
    struct store_outgoing row = {.id = id, .kind = 1, .part = (uint32_t)id + 7, .body = str_of(body)};

    assert_ok(store_begin(t->store, &t->err), t->err);
    assert_ok(store_add_outgoing(t->store, &row, &t->err), t->err);
    assert_ok(store_commit(t->store, &t->err), t->err);
}

static uint64_t last(struct fixture *t)
{
    uint64_t id;

    assert_ok(store_last_outgoing(t->store, &id, &t->err), t->err);
    return id;
}

static void outgoing_rows_come_in_order_and_behind_a_mark(void **state)
{
    struct fixture *t = *state;
    struct got got = {0};

    add(t, 1, "a");
    add(t, 2, "b");
    add(t, 3, "");
    assert_ok(store_each_outgoing(t->store, 1, keep, &got, &t->err), t->err);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.rows[0].id, 2);
    assert_int_equal(got.rows[0].part, 9);
    assert_string_equal(got.bodies[0], "b");
    assert_int_equal(got.rows[1].body.len, 0);
}

static void an_id_is_never_used_twice(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(last(t), 0);
    add(t, 1, "a");
    add(t, 2, "b");
    assert_int_equal(last(t), 2);
    assert_ok(store_begin(t->store, &t->err), t->err);
    assert_ok(store_drop_outgoing(t->store, 2, &t->err), t->err);
    assert_ok(store_commit(t->store, &t->err), t->err);
    reopen(t);
    assert_int_equal(last(t), 2); /* though there is no row */
}

static scent_status sum_places(void *ctx, const struct store_place *place)
{
    uint64_t *sum = ctx;

    *sum = *sum * 1000 + place->part + place->epoch + place->xid + place->row + place->applied;
    return SCENT_OK;
}

static void a_place_is_replaced(void **state)
{
    struct fixture *t = *state;
    uint64_t sum = 0;

    assert_ok(store_begin(t->store, &t->err), t->err);
    assert_ok(store_put_place(t->store, &(struct store_place){5, 1, 10, 20, 3}, &t->err), t->err);
    assert_ok(store_put_place(t->store, &(struct store_place){2, 1, 1, 1, 1}, &t->err), t->err);
    assert_ok(store_put_place(t->store, &(struct store_place){5, 1, 11, 21, 4}, &t->err), t->err);
    assert_ok(store_commit(t->store, &t->err), t->err);
    assert_ok(store_each_place(t->store, sum_places, &sum, &t->err), t->err);
    assert_int_equal(sum, 6 * 1000 + 42);
}

/* ---- pages of others ---- */

enum { OURS = 1, MOVED, NEWER };

static void put(struct fixture *t, const struct store_page *page)
{
    assert_ok(store_add_page(t->store, page, &t->err), t->err);
}

static struct store_page elsewhere(uint64_t number, int64_t wall, const char *digest)
{
    return (struct store_page){.number = number, .url = 0, .wall = wall, .status = 200, .digest = str_of(digest),
                               .previous = number};
}

static void import(struct fixture *t, const struct store_page *page, uint32_t visits)
{
    struct store_revisit revisit = {.url = 0, .visits = visits, .next = 5000 + visits, .first = 100, .last = 200};

    assert_ok(store_import_revisit(t->store, &revisit, page, &t->err), t->err);
}

struct seen {
    uint64_t revisit;  /* its page */
    uint32_t visits;
    uint64_t counted;  /* the page that is */
    enum store_url_state state;
};

static scent_status see_revisit(void *ctx, const struct store_revisit *revisit)
{
    struct seen *seen = ctx;

    seen->revisit = revisit->page;
    seen->visits = revisit->visits;
    return SCENT_OK;
}

static scent_status see_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct seen *seen = ctx;

    seen->state = url->state;
    if (page->counted) {
        assert_int_equal(seen->counted, 0);
        seen->counted = page->number;
    }
    return SCENT_OK;
}

static struct seen look(struct fixture *t)
{
    struct seen seen = {0};

    assert_ok(store_each_revisit(t->store, see_revisit, &seen, &t->err), t->err);
    assert_ok(store_each_page(t->store, 0, see_page, &seen, &t->err), t->err);
    return seen;
}

static void add_own_page(struct fixture *t)
{
    struct store_url url = {.id = 0, .host = 0, .url = STR("http://a.test/"), .state = STORE_FETCHED,
                            .parent = STORE_NO_PARENT};

    assert_ok(store_begin(t->store, &t->err), t->err);
    assert_ok(store_add_host(t->store, 0, STR("a.test"), &t->err), t->err);
    assert_ok(store_add_url(t->store, &url, &t->err), t->err);
}

static void a_page_of_another_worker_is_visited_again(void **state)
{
    struct fixture *t = *state;
    struct store_page first = elsewhere(OURS, 100, "A"), second = elsewhere(MOVED, 200, "B");

    add_own_page(t);
    import(t, NULL, 9); /* nothing is known of it */
    assert_int_equal(look(t).visits, 0);
    import(t, &first, 1);
    assert_int_equal(look(t).revisit, OURS);
    import(t, NULL, 2);
    assert_true(look(t).revisit == OURS && look(t).visits == 2);
    import(t, &second, 3);
    assert_true(look(t).revisit == MOVED && look(t).visits == 3 && look(t).counted == 0);
    assert_ok(store_commit(t->store, &t->err), t->err);
}

static void the_newest_version_counts(void **state)
{
    struct fixture *t = *state;
    struct store_page ours = {.number = OURS, .wall = 150, .status = 200, .digest = STR("B"), .counted = true};
    struct store_page older = elsewhere(MOVED, 100, "A"), newer = elsewhere(NEWER, 200, "C");

    add_own_page(t);
    put(t, &ours);
    assert_ok(store_put_revisit(t->store, &(struct store_revisit){.page = OURS, .visits = 1}, &t->err), t->err);
    import(t, &older, 1);
    assert_true(look(t).revisit == OURS && look(t).counted == OURS);
    import(t, &newer, 2);
    assert_true(look(t).revisit == NEWER && look(t).counted == 0);
    assert_ok(store_commit(t->store, &t->err), t->err);
}

/* The state of its partition was never sent: others do not know of the new version. */
static void an_old_version_comes_back_where_the_new_one_is_disowned(void **state)
{
    struct fixture *t = *state;
    struct store_page old = {.number = OURS, .wall = 100, .status = 200, .counted = true};
    struct store_page changed = {.number = MOVED, .wall = 200, .status = 200, .counted = true, .previous = OURS};

    add_own_page(t);
    put(t, &old);
    put(t, &changed);
    assert_ok(store_replace_page(t->store, OURS, MOVED, &t->err), t->err);
    assert_ok(store_put_revisit(t->store, &(struct store_revisit){.page = MOVED, .visits = 2}, &t->err), t->err);
    assert_ok(store_disown_page(t->store, MOVED, STR("why"), &t->err), t->err);
    assert_true(look(t).revisit == OURS && look(t).counted == OURS && look(t).state == STORE_FETCHED);
    assert_ok(store_disown_page(t->store, OURS, STR("why"), &t->err), t->err);
    assert_true(look(t).counted == 0 && look(t).state == STORE_SEEN);
    assert_ok(store_commit(t->store, &t->err), t->err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outgoing_rows_come_in_order_and_behind_a_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_id_is_never_used_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_is_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_of_another_worker_is_visited_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_version_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_version_comes_back_where_the_new_one_is_disowned, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
