/* What a priority was made of, as bytes and back; bytes that nobody wrote. */
#include "strategy/parts.h"

#include "base/rng.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

static const struct strategy_score full = {
    .nparts = 3,
    .parts = {{.name = "words", .value = -0.25, .weight = 2, .is_log = true},
              {.name = "siblings", .value = 0.5, .counted = "are relevant", .count = 7, .of = 400000, .weight = .5f},
              {.name = "dropped by one", .value = -INFINITY}},
};

static void check_same(const struct strategy_score *a, const struct strategy_score *b)
{
    assert_int_equal(a->nparts, b->nparts);
    for (unsigned i = 0; i < a->nparts; i++) {
        const struct strategy_part *x = &a->parts[i], *y = &b->parts[i];

        assert_string_equal(x->name, y->name);
        assert_true(x->value == y->value && x->weight == y->weight && x->is_log == y->is_log);
        assert_true(x->count == y->count && x->of == y->of);
        assert_string_equal(x->counted ? x->counted : "", y->counted ? y->counted : "");
    }
}

static void parts_come_back(void **state)
{
    struct parts_names names, others;
    struct strategy_score again = {0}, none = {0};
    struct buf kept;
    struct str bytes;

    (void)state;
    parts_names_init(&names);
    parts_names_init(&others);
    buf_init(&kept, 0);
    bytes = parts_write(&names, &full);
    assert_int_equal(bytes.len, 5 + 4 + 5 + 1 + 3 + 4 + 5);
    assert_int_equal(names.count, 3);
    assert_true(parts_read(&names, bytes, &again));
    check_same(&full, &again);

    /* By names that were kept; others are added behind them, known ones are not. */
    parts_names_write(&names, &kept);
    parts_names_read(&others, buf_str(&kept));
    assert_int_equal(others.count, 3);
    assert_true(parts_read(&others, bytes, &again));
    check_same(&full, &again);
    (void)parts_write(&others, &full);
    assert_int_equal(others.count, 3);

    assert_int_equal(parts_write(&names, &none).len, 0);
    assert_false(parts_read(&names, STR_NONE, &again));
    parts_names_release(&names);
    parts_names_release(&others);
    buf_release(&kept);
}

/* Where there is no room for a name nothing is kept, and what is there stays. */
static void names_are_bounded(void **state)
{
    static char words[PARTS_NAMES + 1][8];
    char longest[PARTS_NAME_BYTES + 1];
    struct parts_names names;
    struct strategy_score score = {.nparts = 1}, again;

    (void)state;
    parts_names_init(&names);
    for (size_t i = 0; i <= PARTS_NAMES; i++) {
        snprintf(words[i], sizeof words[i], "%zu", i);
        score.parts[0] = (struct strategy_part){.name = words[i], .value = 1};
        assert_int_equal(parts_write(&names, &score).len, i < PARTS_NAMES ? 5 : 0);
    }
    assert_int_equal(names.count, PARTS_NAMES);
    score.parts[0].name = words[PARTS_NAMES - 1];
    assert_true(parts_read(&names, parts_write(&names, &score), &again));
    assert_string_equal(again.parts[0].name, "63");

    names.count = 1;
    memset(longest, 'x', PARTS_NAME_BYTES);
    longest[PARTS_NAME_BYTES] = 0;
    score.parts[0].name = longest;
    assert_int_equal(parts_write(&names, &score).len, 0);
    parts_names_release(&names);
}

/* A crawl directory may come from anywhere. */
static void damage_is_no_harm(void **state)
{
    struct parts_names names, others;
    struct strategy_score again;
    char bytes[64];
    struct buf kept;
    struct rng rng;

    (void)state;
    parts_names_init(&names);
    buf_init(&kept, 0);
    (void)parts_write(&names, &full);
    parts_names_write(&names, &kept);
    rng_seed(&rng, 1);
    for (unsigned round = 0; round < 20000; round++) {
        struct str damaged = {bytes, rng_below(&rng, sizeof bytes)};

        for (size_t i = 0; i < damaged.len; i++)
            bytes[i] = i < kept.len && rng_below(&rng, 4) ? kept.p[i] : (char)rng_below(&rng, 256);
        parts_names_init(&others);
        parts_names_read(&others, damaged);
        assert_true(others.count <= PARTS_NAMES);
        if (parts_read(&names, damaged, &again))
            for (unsigned i = 0; i < again.nparts; i++)
                assert_true(strlen(again.parts[i].name) && !isnan(again.parts[i].value));
        parts_names_release(&others);
    }
    parts_names_release(&names);
    buf_release(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(damage_is_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
