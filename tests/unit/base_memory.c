/* Arenas and buffers: growth, caps, and what a failure leaves behind. */
#include "base/arena.h"
#include "base/buf.h"
#include "test.h"

static void an_arena_keeps_what_it_gave(void **state)
{
    struct arena arena;
    char *parts[500];

    (void)state;
    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < 500; i++) {
        parts[i] = arena_alloc(&arena, i * 7 + 1);
        assert_non_null(parts[i]);
        assert_int_equal((uintptr_t)parts[i] % 16, 0);
        memset(parts[i], (int)(i & 0xFF), i * 7 + 1);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t j = 0; j < i * 7 + 1; j++)
            assert_int_equal((unsigned char)parts[i][j], i & 0xFF);
    arena_release(&arena);
}

static void an_arena_stops_at_its_cap(void **state)
{
    struct arena arena;
    size_t got = 0;

    (void)state;
    arena_init(&arena, 100 * 1024);
    while (arena_alloc(&arena, 1024))
        got++;
    assert_true(got >= 50 && got <= 200);
    assert_null(arena_alloc(&arena, SIZE_MAX - 3));
    assert_null(arena_array(&arena, SIZE_MAX / 2, 4));
    arena_reset(&arena);
    assert_non_null(arena_alloc(&arena, 1024));
    arena_release(&arena);
}

static void growing_keeps_the_content(void **state)
{
    struct arena arena;
    char *p, *other;

    (void)state;
    arena_init(&arena, SIZE_MAX);
    p = arena_alloc(&arena, 100);
    memset(p, 'x', 100);
    p = arena_grow(&arena, p, 100, 1000); /* the newest: in place */
    other = arena_alloc(&arena, 10);
    memset(other, 'o', 10);
    p = arena_grow(&arena, p, 1000, 100000); /* not the newest: a copy */
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 'x');
    assert_int_equal(other[9], 'o');
    arena_release(&arena);
}

static void arena_strings_end_in_zero(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, SIZE_MAX);
    assert_string_equal(arena_str(&arena, STR("abc")).p, "abc");
    assert_string_equal(arena_str(&arena, STR_NONE).p, "");
    assert_string_equal(arena_printf(&arena, "%d-%s", 42, "x").p, "42-x");
    arena_release(&arena);
}

static void a_buffer_stops_at_its_cap_and_stays_as_it_was(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 10);
    assert_true(buf_addz(&buf, "12345"));
    assert_false(buf_addz(&buf, "678901"));
    assert_true(buf.failed);
    assert_str(buf_str(&buf), "12345");
    assert_false(buf_printf(&buf, "%s", "0123456789"));
    buf_clear(&buf);
    assert_false(buf.failed);
    assert_true(buf_printf(&buf, "%d", 1234567890));
    assert_string_equal(buf_z(&buf), "1234567890");
    buf_release(&buf);
    assert_string_equal(buf_z(&buf), "");
    buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_keeps_what_it_gave),
        cmocka_unit_test(an_arena_stops_at_its_cap),
        cmocka_unit_test(growing_keeps_the_content),
        cmocka_unit_test(arena_strings_end_in_zero),
        cmocka_unit_test(a_buffer_stops_at_its_cap_and_stays_as_it_was),
    };

    return cmocka_run_group_tests_name("base/memory", tests, NULL, NULL);
}
