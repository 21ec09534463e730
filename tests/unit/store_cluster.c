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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outgoing_rows_come_in_order_and_behind_a_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_id_is_never_used_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_is_replaced, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
