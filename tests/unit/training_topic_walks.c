/* Walks on a web whose links are known: classes count as links lead, and pages of unknown classes are never entered. */
#include "test.h"
#include "training/topic_walks.h"

enum { A, B, CLASSES };

/* 0 links to 1 and 2, 1 to 0, 2 to 3 and to itself, 3 to nothing; 4 links to 0, and its class is unknown. */
static const uint32_t targets[][3] = {{1, 2, 4}, {0}, {3, 2}, {0}, {0}};
static const size_t counts[] = {3, 1, 2, 0, 1};
static const uint32_t classes[] = {A, B, A, B, RULEBOOK_NONE};

static const uint32_t *links_of(const void *ctx, uint32_t page, size_t *count)
{
    (void)ctx;
    *count = counts[page];
    return targets[page];
}

static struct rulebook *empty_rules(void)
{
    static const struct str names[] = {{"A", 1}, {"B", 1}};
    struct rulebook *rules;
    struct errmsg err;

    assert_ok(rulebook_new(names, CLASSES, &rules, &err), err);
    return rules;
}

static uint64_t walk(uint32_t start, uint32_t walks, uint64_t seed, struct rulebook *rules)
{
    struct topic_walks wanted = {.class = classes, .links = links_of, .starts = &start, .nstarts = 1, .walks = walks,
                                 .seed = seed};

    return topic_walks_count(&wanted, rules);
}

static void walks_follow_links(void **state)
{
    struct rulebook *rules = empty_rules();
    uint64_t counted;

    (void)state;
    /* 0 -> 2 -> 3: each walk from 2 has one link, that to itself does not count. */
    assert_int_equal(walk(2, 100, 1, rules), 100);
    assert_int_equal(rules->counts[A * CLASSES + B], 100);
    assert_int_equal(walk(3, 100, 1, rules), 0);
    assert_int_equal(walk(4, 100, 1, rules), 0); /* nobody knows what it is */
    rulebook_free(rules);

    /* From 0 half of the steps lead to 1 and back (A -> B -> A), half to 2 and on to 3 (A -> A -> B). */
    rules = empty_rules();
    counted = walk(0, 4000, 1, rules);
    assert_int_equal(counted, rules->counts[A * CLASSES + A] + rules->counts[A * CLASSES + B] +
                                  rules->counts[B * CLASSES + A] + rules->counts[B * CLASSES + B]);
    assert_int_equal(rules->counts[B * CLASSES + B], 0);
    assert_int_equal(rules->counts[A * CLASSES + A] > 3900 && rules->counts[A * CLASSES + A] <= 4000, true);
    assert_true(rules->counts[B * CLASSES + A] > 3700 && rules->counts[B * CLASSES + A] < 4300); /* (1/2 + 1/4 + …) each */
    rulebook_free(rules);
}

static void the_same_seed_walks_the_same_way(void **state)
{
    struct rulebook *one = empty_rules(), *two = empty_rules(), *three = empty_rules();

    (void)state;
    walk(0, 500, 7, one);
    walk(0, 500, 7, two);
    walk(0, 500, 8, three);
    assert_memory_equal(one->counts, two->counts, CLASSES * CLASSES * sizeof *one->counts);
    assert_memory_not_equal(one->counts, three->counts, CLASSES * CLASSES * sizeof *one->counts);
    rulebook_free(one);
    rulebook_free(two);
    rulebook_free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_follow_links),
        cmocka_unit_test(the_same_seed_walks_the_same_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
