#include "test.h"

#include "base/rng.h"
#include "engine/duplicates.h"

enum { PAGES = 4000, CLUSTERS = 300 };

static struct duplicates *duplicates;
static struct rng rng;

static int start(void **state)
{
    (void)state;
    duplicates = duplicates_new(0);
    rng_seed(&rng, 7);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    duplicates_free(duplicates);
    return 0;
}

static void the_first_page_of_a_digest(void **state)
{
    uint32_t page = 0;

    (void)state;
    assert_false(duplicates_find_exact(duplicates, 42, &page));
    assert_int_equal(duplicates_add_exact(duplicates, 42, 7), SCENT_OK);
    assert_int_equal(duplicates_add_exact(duplicates, 42, 8), SCENT_OK);
    assert_int_equal(duplicates_add_exact(duplicates, 43, 9), SCENT_OK);
    assert_true(duplicates_find_exact(duplicates, 42, &page));
    assert_int_equal(page, 7);
    assert_true(duplicates_find_exact(duplicates, 43, &page));
    assert_int_equal(page, 9);
    assert_false(duplicates_find_exact(duplicates, 0, &page));
}

static void many_digests(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 50000; i++)
        assert_int_equal(duplicates_add_exact(duplicates, (uint64_t)(i % 30000) << 32, i), SCENT_OK);
    for (uint32_t i = 0; i < 30000; i++) {
        uint32_t page;

        assert_true(duplicates_find_exact(duplicates, (uint64_t)i << 32, &page));
        assert_int_equal(page, i);
    }
}

static uint64_t flip(uint64_t hash, uint64_t bits)
{
    while (bits--)
        hash ^= (uint64_t)1 << rng_below(&rng, 64);
    return hash;
}

/* All that were added, compared one by one. */
static bool find_plainly(const uint64_t *hashes, uint32_t count, uint64_t hash, unsigned limit, uint32_t *page,
                         unsigned *distance)
{
    *distance = limit + 1;
    for (uint32_t i = 0; i < count; i++) {
        unsigned d = (unsigned)__builtin_popcountll(hashes[i] ^ hash);

        if (d < *distance) {
            *distance = d;
            *page = 1000 + i;
        }
    }
    return *distance <= limit;
}

static void agrees_with_brute_force(void **state)
{
    uint64_t hashes[PAGES], centres[CLUSTERS];
    unsigned hits = 0;

    (void)state;
    for (size_t i = 0; i < CLUSTERS; i++)
        centres[i] = rng_next(&rng);
    for (uint32_t i = 0; i < PAGES; i++) {
        uint64_t hash = flip(centres[rng_below(&rng, CLUSTERS)], rng_below(&rng, 12));
        unsigned limit = (unsigned)rng_below(&rng, DUPLICATES_MAX_DISTANCE + 1), distance = 99, want_distance;
        uint32_t page = 0, want = 0;
        bool found = find_plainly(hashes, i, hash, limit, &want, &want_distance);

        assert_int_equal(duplicates_find_near(duplicates, hash, limit, &page, &distance), found);
        if (found) {
            assert_int_equal(page, want);
            assert_int_equal(distance, want_distance);
        }
        hits += found;
        hashes[i] = hash;
        assert_int_equal(duplicates_add_near(duplicates, hash, 1000 + i), SCENT_OK);
    }
    assert_in_range(hits, PAGES / 20, PAGES / 2);
}

/* Every way to differ in three bits or less is found, no other is. */
static void every_three_bits(void **state)
{
    uint64_t hash = rng_next(&rng);
    uint32_t page;

    (void)state;
    assert_int_equal(duplicates_add_near(duplicates, hash, 1), SCENT_OK);
    for (unsigned a = 0; a < 64; a++)
        for (unsigned b = a; b < 64; b++)
            for (unsigned c = b; c < 64; c++) {
                uint64_t other = hash ^ ((uint64_t)1 << a | (uint64_t)1 << b | (uint64_t)1 << c);

                assert_true(duplicates_find_near(duplicates, other, 3, &page, NULL));
                if (a < b && b < c && c < 63)
                    assert_false(duplicates_find_near(duplicates, other ^ (uint64_t)1 << 63, 3, &page, NULL));
            }
}

/* Pages made to share a band do not make a look-up slower without end, and the newest are still found. */
static void a_crowded_band_is_searched_in_part(void **state)
{
    uint32_t page;

    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(duplicates_add_near(duplicates, 0xAAAA | (uint64_t)(i + 1) * 0x100010001 << 16, i), SCENT_OK);
    assert_true(duplicates_find_near(duplicates, 0xAAAA | (uint64_t)10000 * 0x100010001 << 16, 0, &page, NULL));
    assert_int_equal(page, 9999);
}

static void memory_is_as_stated(void **state)
{
    enum { MANY = 1000000, BYTES = 40 };
    size_t before = duplicates_bytes(duplicates);

    (void)state;
    assert_true(before <= 2 << 20);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(duplicates_add_near(duplicates, rng_next(&rng), i), SCENT_OK);
        assert_int_equal(duplicates_add_exact(duplicates, rng_next(&rng), i), SCENT_OK);
    }
    assert_true(duplicates_bytes(duplicates) - before <= BYTES * (size_t)MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_page_of_a_digest, start, stop),
        cmocka_unit_test_setup_teardown(many_digests, start, stop),
        cmocka_unit_test_setup_teardown(agrees_with_brute_force, start, stop),
        cmocka_unit_test_setup_teardown(every_three_bits, start, stop),
        cmocka_unit_test_setup_teardown(a_crowded_band_is_searched_in_part, start, stop),
        cmocka_unit_test_setup_teardown(memory_is_as_stated, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
