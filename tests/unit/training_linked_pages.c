/* The sample of linked pages: distinct, the same whatever the order, within its bounds; classes that move. */
#include "training/linked_pages.h"
#include "test.h"

static void add(struct linked_pages *linked, uint32_t class, unsigned from, unsigned to, bool backwards)
{
    for (unsigned i = from; i < to; i++) {
        char url[64];

        snprintf(url, sizeof url, "http://s.test/%u", backwards ? to - 1 - (i - from) : i);
        assert_int_equal(linked_pages_add(linked, class, str_of(url)), SCENT_OK);
    }
}

static uint64_t count_lines(const struct linked_pages *linked, struct buf *out)
{
    uint64_t lines = 0;

    buf_init(out, 0);
    linked_pages_list(linked, out);
    for (size_t i = 0; i < out->len; i++)
        lines += out->p[i] == '\n';
    return lines;
}

static void each_page_once(void **state)
{
    struct linked_pages *linked = linked_pages_new(100, 1);
    struct buf list;
    uint64_t count;

    (void)state;
    add(linked, 0, 0, 30, false);
    add(linked, 0, 10, 40, true);
    add(linked, 2, 20, 50, false); /* the same pages from another class */
    assert_int_equal(linked_pages_finish(linked, 1000, &count), SCENT_OK);
    assert_int_equal(count, 50);
    assert_int_equal(count_lines(linked, &list), 50);
    buf_release(&list);
    linked_pages_free(linked);
}

static void a_sample_does_not_depend_on_the_order(void **state)
{
    struct linked_pages *one = linked_pages_new(7, 3), *two = linked_pages_new(7, 3), *other = linked_pages_new(7, 4);
    struct buf list, again, another;
    uint64_t count;

    (void)state;
    add(one, 0, 0, 5000, false);
    add(two, 0, 0, 5000, true);
    add(two, 0, 0, 5000, false);
    add(other, 0, 0, 5000, false);
    assert_int_equal(linked_pages_finish(one, 1000, &count), SCENT_OK);
    assert_int_equal(count, 7);
    assert_int_equal(linked_pages_finish(two, 1000, &count), SCENT_OK);
    assert_int_equal(linked_pages_finish(other, 1000, &count), SCENT_OK);
    assert_int_equal(count_lines(one, &list), 7);
    assert_int_equal(count_lines(two, &again), 7);
    assert_int_equal(count_lines(other, &another), 7);
    assert_true(str_eq(buf_str(&list), buf_str(&again)));
    assert_false(str_eq(buf_str(&list), buf_str(&another)));
    buf_release(&list), buf_release(&again), buf_release(&another);
    linked_pages_free(one), linked_pages_free(two), linked_pages_free(other);
}

static void all_together_are_bounded_fairly(void **state)
{
    struct linked_pages *linked = linked_pages_new(1000, 1);
    uint64_t count;

    (void)state;
    add(linked, 0, 0, 500, false);
    add(linked, 1, 1000, 1010, false);
    add(linked, 2, 2000, 2500, false);
    assert_int_equal(linked_pages_finish(linked, 111, &count), SCENT_OK);
    assert_int_equal(count, 110); /* 50, 10 and 50 */
    linked_pages_free(linked);
}

static void a_class_takes_another_number(void **state)
{
    struct linked_pages *linked = linked_pages_new(10, 1);
    struct buf list;
    uint64_t count;

    (void)state;
    add(linked, 3, 0, 4, false);
    linked_pages_move(linked, 3, 1);
    linked_pages_move(linked, 9, 2); /* a class that linked to nothing */
    add(linked, 1, 2, 5, false);
    assert_int_equal(linked_pages_finish(linked, 100, &count), SCENT_OK);
    assert_int_equal(count, 5);
    assert_int_equal(count_lines(linked, &list), 5);
    buf_release(&list);
    linked_pages_free(linked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_page_once),
        cmocka_unit_test(a_sample_does_not_depend_on_the_order),
        cmocka_unit_test(all_together_are_bounded_fairly),
        cmocka_unit_test(a_class_takes_another_number),
    };

    return cmocka_run_group_tests_name("examples/linked", tests, NULL, NULL);
}
