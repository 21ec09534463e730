/* The hash table against a plain array, with hashes that collide on purpose. */
#include "test.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/rng.h"

enum { KEYS = 3000 };

static bool has(const struct map *map, uint64_t hash, uint32_t number)
{
    struct map_walk walk = map_find(map, hash);
    unsigned found = 0;

    while (map_next(&walk))
        found += walk.value == number;
    assert_in_range(found, 0, 1);
    return found;
}

/* `hashes` different hashes for all keys: few of them make long chains. */
static void behaves_like_a_set(uint64_t hashes)
{
    static bool present[KEYS];
    struct map map = {0};
    struct rng rng;
    size_t count = 0;

    memset(present, 0, sizeof present);
    rng_seed(&rng, hashes);
    for (int step = 0; step < 20000; step++) {
        uint32_t key = (uint32_t)rng_below(&rng, KEYS);
        uint64_t hash = hash_mix(key % hashes, 7);

        assert_int_equal(has(&map, hash, key), present[key]);
        if (present[key])
            map_remove(&map, hash, key);
        else
            assert_int_equal(map_add(&map, hash, key), SCENT_OK);
        present[key] = !present[key];
        count += present[key] ? 1 : (size_t)-1;
        assert_int_equal(map.count, count);
    }
    for (uint32_t key = 0; key < KEYS; key++)
        assert_int_equal(has(&map, hash_mix(key % hashes, 7), key), present[key]);
    map_clear(&map);
    assert_false(has(&map, hash_mix(1, 7), 1));
    map_release(&map);
}

static void adds_finds_and_removes(void **state)
{
    (void)state;
    behaves_like_a_set(UINT64_MAX);
}

static void holds_when_hashes_collide(void **state)
{
    (void)state;
    behaves_like_a_set(50);
}

static void reserved_room_does_not_move(void **state)
{
    struct map map = {0};
    const struct map_slot *slots;

    (void)state;
    assert_int_equal(map_reserve(&map, 1000), SCENT_OK);
    slots = map.slots;
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(map_add(&map, hash_mix(i, 0), i), SCENT_OK);
    assert_ptr_equal(map.slots, slots);
    map_remove(&map, 5, 5); /* absent: nothing happens */
    assert_int_equal(map.count, 1000);
    map_release(&map);
}

static void refuses_more_than_it_can_hold(void **state)
{
    struct map map = {0};

    (void)state;
    assert_int_equal(map_reserve(&map, SIZE_MAX), SCENT_E_LIMIT);
    assert_null(map.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_finds_and_removes),
        cmocka_unit_test(holds_when_hashes_collide),
        cmocka_unit_test(reserved_room_does_not_move),
        cmocka_unit_test(refuses_more_than_it_can_hold),
    };

    return cmocka_run_group_tests_name("base/map", tests, NULL, NULL);
}
