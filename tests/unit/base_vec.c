/* Arrays that grow: what is in them stays, and there is room for one more. */
#include "test.h"

#include "base/vec.h"

#include <stdlib.h>

static void keeps_what_it_holds(void **state)
{
    uint32_t *items = NULL;
    size_t room = 0, moved = 0;

    (void)state;
    for (size_t count = 0; count < 10000; count++) {
        size_t before = room;

        assert_true(vec_reserve(&items, &room, count + 1, sizeof *items));
        assert_true(count < room);
        moved += room != before;
        items[count] = (uint32_t)count;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_in_range(moved, 1, 20);
    free(items);
}

static void what_cannot_be_is_refused(void **state)
{
    uint32_t *items = NULL;
    size_t room = SIZE_MAX / 4;

    (void)state;
    assert_false(vec_reserve(&items, &room, room + 1, sizeof *items));
    assert_null(items);
    assert_true(room == SIZE_MAX / 4);
}

static void fits_exactly(void **state)
{
    uint32_t *items = NULL;

    (void)state;
    assert_true(vec_fit(&items, 3, sizeof *items));
    for (uint32_t i = 0; i < 3; i++)
        items[i] = i;
    assert_true(vec_fit(&items, 300, sizeof *items));
    assert_true(vec_fit(&items, 2, sizeof *items));
    assert_true(items[0] == 0 && items[1] == 1);
    assert_false(vec_fit(&items, SIZE_MAX / 4, sizeof *items));
    assert_int_equal(items[1], 1);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_it_holds),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(fits_exactly),
    };

    return cmocka_run_group_tests_name("base/vec", tests, NULL, NULL);
}
