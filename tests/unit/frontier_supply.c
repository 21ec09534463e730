/* Texts on disk: what is dropped, what is asked for, and that a crawl goes on. frontier_model.c mixes it with the rest. */
#include "frontier/frontier_parts.h"

#include "base/rng.h"
#include "test.h"

enum { MANY = 40000 };

static struct frontier *make(uint32_t per_host, size_t text_bytes)
{
    struct frontier_options options = {.per_host = per_host, .text_bytes = text_bytes};

    return frontier_new(&options);
}

static uint32_t add_host(struct frontier *f)
{
    char name[32];
    uint32_t host;
    bool is_new;

    snprintf(name, sizeof name, "h%u.test", frontier_hosts(f));
    assert_int_equal(frontier_host(f, str_of(name), &host, &is_new), SCENT_OK);
    return host;
}

static struct str text_of(uint32_t id, char buffer[64])
{
    int len = snprintf(buffer, 64, "http://h.test/some/longer/text/of/%u", id);

    return (struct str){buffer, (size_t)len};
}

static uint32_t queue(struct frontier *f, uint32_t host, float priority, bool with_text)
{
    struct candidate candidate = {.priority = priority};
    char buffer[64];
    uint32_t id;
    bool is_new;

    assert_int_equal(frontier_intern(f, 77 + frontier_known(f), &id, &is_new), SCENT_OK);
    assert_int_equal(frontier_queue(f, id, with_text ? text_of(id, buffer) : STR_NONE, host, &candidate), SCENT_OK);
    return id;
}

static void supply(struct frontier *f, uint32_t id)
{
    char buffer[64];

    assert_int_equal(frontier_supply(f, id, text_of(id, buffer)), SCENT_OK);
}

static scent_status take(struct frontier *f, struct frontier_taken *taken)
{
    char buffer[64];
    int64_t wait;
    scent_status status = frontier_take(f, 0, taken, &wait);

    if (status == SCENT_OK)
        assert_true(str_eq(taken->href, text_of(taken->id, buffer)));
    else
        assert_true(wait == INT64_MAX);
    return status;
}

static void only_committed_texts_are_dropped(void **state)
{
    struct frontier *f = make(1, 100000);
    uint32_t host = add_host(f), ids[8];
    size_t all;

    (void)state;
    for (int i = 0; i < MANY; i++)
        queue(f, host, (float)-i, true);
    all = frontier_text_bytes(f);
    assert_true(all > 10 * 100000);
    assert_int_equal(frontier_wanted(f, ids, 8), 0);
    frontier_committed(f, MANY / 2);
    assert_true(frontier_text_bytes(f) < all * 2 / 3 && frontier_text_bytes(f) > all / 3);
    for (uint32_t id = MANY / 2; id < MANY; id++)
        assert_true(supply_has_text(f, id));
    frontier_committed(f, MANY);
    assert_true(frontier_text_bytes(f) < 110000);
    assert_true(supply_has_text(f, 0)); /* the host needs it at once */
    assert_true(supply_has_text(f, MANY - 1));
    frontier_free(f);
}

static void a_host_waits_for_its_best(void **state)
{
    struct frontier *f = make(1, 0);
    uint32_t a = add_host(f), b = add_host(f), ids[8];
    struct frontier_taken taken;

    (void)state;
    queue(f, a, 9, false);
    queue(f, a, 5, true);
    queue(f, b, 1, true);
    assert_int_equal(take(f, &taken), SCENT_OK);
    assert_int_equal(taken.id, 2); /* not the second of a */
    assert_int_equal(take(f, &taken), SCENT_E_NOTFOUND);
    assert_int_equal(frontier_wanted(f, ids, 8), 1);
    assert_int_equal(ids[0], 0);
    assert_int_equal(frontier_wanted(f, ids, 8), 0); /* once */
    supply(f, 0);
    supply(f, 0); /* nobody waits for it */
    assert_int_equal(take(f, &taken), SCENT_OK);
    assert_int_equal(taken.id, 0);
    frontier_free(f);
}

static void what_is_done_is_not_needed(void **state)
{
    struct frontier *f = make(1, 0);
    uint32_t a = add_host(f), ids[8];
    struct frontier_taken taken;

    (void)state;
    queue(f, a, 9, false);
    queue(f, a, 5, true);
    assert_int_equal(frontier_wanted(f, ids, 8), 1);
    frontier_drop(f, 0);
    supply(f, 0);
    assert_int_equal(take(f, &taken), SCENT_OK);
    assert_int_equal(taken.id, 1);
    assert_int_equal(f->held.count, 1);
    frontier_finish(f, 1, 0);
    assert_int_equal(f->held.count, 0);
    frontier_free(f);
}

static void a_retry_keeps_its_text(void **state)
{
    struct frontier *f = make(1, 1);
    struct candidate candidate = {.priority = 1};
    struct frontier_taken taken;
    uint32_t a = add_host(f);

    (void)state;
    queue(f, a, 1, true);
    assert_int_equal(take(f, &taken), SCENT_OK);
    frontier_requeue(f, 0, &candidate, 0, 0); /* not committed yet */
    assert_true(supply_has_text(f, 0));
    assert_int_equal(take(f, &taken), SCENT_OK);
    frontier_untake(f, 0, &candidate);
    frontier_committed(f, 1);
    assert_int_equal(take(f, &taken), SCENT_OK);
    frontier_finish(f, 0, 0);
    frontier_free(f);
}

static void what_cannot_be_loaded_is_dropped(void **state)
{
    struct frontier *f = make(1, 0);
    struct frontier_taken taken;
    uint32_t id;

    (void)state;
    queue(f, add_host(f), 1, false);
    assert_int_equal(frontier_wanted(f, &id, 1), 1);
    assert_int_equal(frontier_supply(f, id, STR_NONE), SCENT_E_INVALID);
    frontier_drop(f, id);
    assert_int_equal(take(f, &taken), SCENT_E_END);
    frontier_free(f);
}

/* A loader that brings what was asked `lag` visits ago; returns how often there was nothing to visit. */
static uint32_t crawl(struct frontier *f, uint32_t lag)
{
    enum { LINE = 1 << 16 };
    uint32_t *line = calloc(LINE, sizeof *line), stalls = 0;
    uint64_t asked = 0, loaded = 0, *due = calloc(LINE, sizeof *due);
    struct frontier_taken taken;
    scent_status status = SCENT_OK;

    for (uint64_t tick = 0; status != SCENT_E_END; tick++) {
        for (uint32_t id; asked - loaded < LINE && frontier_wanted(f, &id, 1);) {
            due[asked % LINE] = tick + lag;
            line[asked++ % LINE] = id;
        }
        for (; loaded < asked && due[loaded % LINE] <= tick; loaded++)
            supply(f, line[loaded % LINE]);
        status = take(f, &taken);
        if (status == SCENT_OK)
            frontier_finish(f, taken.id, 0);
        stalls += status == SCENT_E_NOTFOUND;
    }
    free(line);
    free(due);
    return stalls;
}

static void one_rich_host_is_supplied_ahead(void **state)
{
    struct frontier *f = make(1, 0);
    uint32_t host = add_host(f);
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (int i = 0; i < MANY; i++)
        queue(f, host, (float)rng_unit(&rng), false);
    frontier_committed(f, MANY);
    /* At first one at a time, then twice as many, and so on. */
    assert_in_range(crawl(f, 30), 1, 30 * 10);
    frontier_free(f);
}

static void many_hosts_go_on_while_some_wait(void **state)
{
    struct frontier *f = make(1, 0);
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (int i = 0; i < 500; i++)
        add_host(f);
    for (int i = 0; i < MANY; i++)
        queue(f, (uint32_t)rng_below(&rng, 500), (float)rng_unit(&rng), false);
    frontier_committed(f, MANY);
    assert_in_range(crawl(f, 30), 30, 100);
    frontier_free(f);
}

/* More hosts than texts may be held: those of the best must still come in. */
static void better_hosts_find_room(void **state)
{
    enum { HOSTS = 2 * HELD_MAX };
    struct frontier *f = make(1, 0);
    struct frontier_taken taken;
    uint32_t *ids = calloc(HOSTS, sizeof *ids), best = add_host(f);

    (void)state;
    for (int i = 0; i < HOSTS; i++)
        queue(f, add_host(f), 1, false);
    frontier_committed(f, HOSTS);
    assert_int_equal(frontier_wanted(f, ids, HOSTS), HELD_MAX);
    for (int i = 0; i < HELD_MAX; i++)
        supply(f, ids[i]);
    assert_int_equal(frontier_wanted(f, ids, HOSTS), 0);
    queue(f, best, 2, false);
    assert_int_equal(frontier_wanted(f, ids, HOSTS), 1);
    assert_int_equal(ids[0], HOSTS);
    supply(f, HOSTS);
    assert_int_equal(take(f, &taken), SCENT_OK);
    assert_int_equal(taken.id, HOSTS);
    frontier_finish(f, taken.id, 0);
    assert_int_equal(crawl(f, 1), 0);
    free(ids);
    frontier_free(f);
}

/* The texts of more ready hosts leave the window than may be held. */
static void ready_hosts_may_lose_their_text(void **state)
{
    struct frontier *f = make(1, 1);

    (void)state;
    for (int i = 0; i < 2 * HELD_MAX; i++)
        queue(f, add_host(f), (float)-i, true);
    frontier_committed(f, 2 * HELD_MAX);
    assert_false(supply_has_text(f, 2 * HELD_MAX - 1));
    assert_in_range(crawl(f, 1), 0, 2);
    frontier_free(f);
}

static void what_is_on_disk_nowhere_is_kept(void **state)
{
    enum { RETRIES = HELD_MAX + 100 };
    struct frontier *f = make(RETRIES, 0);
    struct candidate candidate = {.priority = 1};
    uint32_t a = add_host(f), b = add_host(f), ids[8];
    struct frontier_taken taken;

    (void)state;
    queue(f, a, 9, false);
    frontier_committed(f, 1);
    for (int i = 0; i < RETRIES; i++)
        queue(f, b, 1, true);
    for (int i = 0; i < RETRIES; i++)
        assert_int_equal(take(f, &taken), SCENT_OK);
    for (uint32_t id = 1; id <= RETRIES; id++)
        frontier_requeue(f, id, &candidate, 0, 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(frontier_wanted(f, ids, 8), 0); /* nothing may make room */
    for (uint32_t id = 1; id <= RETRIES; id++)
        assert_true(supply_has_text(f, id));
    crawl(f, 1);
    frontier_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_committed_texts_are_dropped), cmocka_unit_test(a_host_waits_for_its_best),
        cmocka_unit_test(what_is_done_is_not_needed),       cmocka_unit_test(a_retry_keeps_its_text),
        cmocka_unit_test(what_cannot_be_loaded_is_dropped), cmocka_unit_test(one_rich_host_is_supplied_ahead),
        cmocka_unit_test(many_hosts_go_on_while_some_wait), cmocka_unit_test(better_hosts_find_room),
        cmocka_unit_test(ready_hosts_may_lose_their_text),  cmocka_unit_test(what_is_on_disk_nowhere_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
