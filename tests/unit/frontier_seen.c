/* The seen map and the host table at sizes where segments have grown many times. */
#include "frontier/hosttable.h"
#include "frontier/seen.h"

#include "base/hash.h"
#include "test.h"

enum { MANY = 600000 };

/* Keys in a row are the worst that a caller can pass; mixed ones the usual. */
static uint64_t key_of(uint32_t i, bool mixed)
{
    return mixed ? hash_mix(i, 42) : i;
}

static void every_id_is_found_again(bool mixed)
{
    struct seen seen;

    seen_init(&seen);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t id = 1;
        bool is_new = false;

        assert_false(seen_find(&seen, key_of(i, mixed), &id));
        assert_int_equal(seen_add(&seen, key_of(i, mixed), &id, &is_new), SCENT_OK);
        assert_true(is_new && id == i);
        /* an older one */
        assert_int_equal(seen_add(&seen, key_of(i / 3, mixed), &id, &is_new), SCENT_OK);
        assert_true(!is_new && id == i / 3);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t id = UINT32_MAX;

        assert_true(seen_find(&seen, key_of(i, mixed), &id) && id == i);
        assert_false(seen_find(&seen, key_of(i + MANY, mixed), &id));
    }
    assert_int_equal(seen.count, MANY);
    seen_release(&seen);
}

static void finds_mixed_keys(void **state)
{
    (void)state;
    every_id_is_found_again(true);
}

static void finds_keys_in_a_row(void **state)
{
    (void)state;
    every_id_is_found_again(false);
}

static void finds_extreme_keys(void **state)
{
    const uint64_t keys[] = {0, 1, UINT64_MAX, (uint64_t)1 << 63, 0xFFFFFFFF};
    struct seen seen;

    (void)state;
    seen_init(&seen);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t id;
            bool is_new;

            assert_int_equal(seen_add(&seen, keys[i], &id, &is_new), SCENT_OK);
            assert_int_equal(id, i);
            assert_int_equal(is_new, round == 0);
        }
    seen_release(&seen);
}

static void hosts_keep_their_names(void **state)
{
    struct hosttable table;
    char name[64];

    (void)state;
    hosttable_init(&table);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 50000; i++) {
            uint32_t id;
            bool is_new;

            snprintf(name, sizeof name, "www.%u.test:%u", i, i % 65536);
            assert_int_equal(hosttable_add(&table, str_of(name), &id, &is_new), SCENT_OK);
            assert_int_equal(id, i);
            assert_int_equal(is_new, round == 0);
            assert_str(hosttable_name(&table, id), name);
        }
    assert_int_equal(hosttable_count(&table), 50000);
    hosttable_release(&table);
}

static void too_long_a_name_changes_nothing(void **state)
{
    struct hosttable table;
    char name[HOSTTABLE_NAME_MAX + 1];
    uint32_t id;
    bool is_new;

    (void)state;
    memset(name, 'a', sizeof name);
    hosttable_init(&table);
    assert_int_equal(hosttable_add(&table, (struct str){name, sizeof name}, &id, &is_new), SCENT_E_LIMIT);
    assert_int_equal(hosttable_count(&table), 0);
    assert_int_equal(hosttable_add(&table, (struct str){name, sizeof name - 1}, &id, &is_new), SCENT_OK);
    assert_int_equal(hosttable_name(&table, id).len, HOSTTABLE_NAME_MAX);
    hosttable_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_mixed_keys),
        cmocka_unit_test(finds_keys_in_a_row),
        cmocka_unit_test(finds_extreme_keys),
        cmocka_unit_test(hosts_keep_their_names),
        cmocka_unit_test(too_long_a_name_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
