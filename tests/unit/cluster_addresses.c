/* Filters of addresses: none that was told is missing, few are wrongly there, and what is not a filter is refused. */
#include "cluster/addresses.h"

#include "base/hash.h"
#include "base/rng.h"
#include "test.h"

static struct buf make(uint64_t first, size_t count)
{
    uint64_t *hashes = calloc(count + 1, sizeof *hashes);
    struct buf out;

    assert_non_null(hashes);
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_mix(first + i, 17);
    buf_init(&out, 0);
    addresses_make(hashes, count, &out);
    free(hashes);
    return out;
}

static void those_that_were_told_are_there_and_few_others(void **state)
{
    const size_t counts[] = {0, 1, 6, 7, 1000, 50000};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct buf filter = make(0, counts[i]);
        unsigned wrong = 0;

        assert_true(addresses_is_filter(buf_str(&filter)));
        assert_true(filter.len <= 16 + 8 + counts[i] * 10 / 8);
        for (uint64_t k = 0; k < counts[i]; k++)
            assert_true(addresses_have(buf_str(&filter), hash_mix(k, 17)));
        for (uint64_t k = 1u << 20; k < (1u << 20) + 10000; k++)
            wrong += addresses_have(buf_str(&filter), hash_mix(k, 17));
        assert_true(wrong < 200); /* 82 are expected */
        buf_release(&filter);
    }
}

static void a_stamp_tells_filters_apart(void **state)
{
    struct buf one = make(0, 100), same = make(0, 100), other = make(1, 100);

    (void)state;
    assert_true(addresses_stamp(buf_str(&one)) == addresses_stamp(buf_str(&same)));
    assert_true(addresses_stamp(buf_str(&one)) != addresses_stamp(buf_str(&other)));
    buf_release(&one);
    buf_release(&same);
    buf_release(&other);
}

/* As its writer would make it, but for what was changed. */
static void stamp(struct buf *filter)
{
    uint64_t value = hash_bytes(filter->p + 8, filter->len - 8, UINT64_C(0x616464726573736F));

    for (int i = 0; i < 8; i++)
        filter->p[i] = (char)(value >> 8 * i);
}

static void other_sizes_are_refused(void **state)
{
    struct buf filter = make(0, 100);

    (void)state;
    for (size_t len = 0; len < filter.len; len++)
        assert_false(addresses_is_filter((struct str){filter.p, len}));
    filter.p[8]++; /* 101 addresses need no more words */
    assert_false(addresses_is_filter(buf_str(&filter)));
    stamp(&filter);
    assert_true(addresses_is_filter(buf_str(&filter)));
    filter.p[8] += 27; /* 128 do */
    stamp(&filter);
    assert_false(addresses_is_filter(buf_str(&filter)));
    memset(filter.p + 8, 0xFF, 8); /* more than there are */
    stamp(&filter);
    assert_false(addresses_is_filter(buf_str(&filter)));
    buf_release(&filter);
}

static void one_that_says_yes_to_all_is_refused(void **state)
{
    struct buf filter = make(0, 100);

    (void)state;
    memset(filter.p + 16, 0xFF, filter.len - 16);
    stamp(&filter);
    assert_false(addresses_is_filter(buf_str(&filter)));
    buf_release(&filter);
}

static void damage_is_found(void **state)
{
    struct buf filter = make(0, 300);
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (int i = 0; i < 1000; i++) {
        size_t at = rng_below(&rng, filter.len);
        char before = filter.p[at];

        filter.p[at] = (char)(before ^ (1 << rng_below(&rng, 8)));
        assert_false(addresses_is_filter(buf_str(&filter)));
        filter.p[at] = before;
    }
    buf_release(&filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_were_told_are_there_and_few_others),
        cmocka_unit_test(a_stamp_tells_filters_apart),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(one_that_says_yes_to_all_is_refused),
        cmocka_unit_test(damage_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
