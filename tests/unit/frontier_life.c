/* Every transition of THE LIFE OF A URL (frontier.h), those that are forbidden, and when a host may be visited. */
#include "frontier/frontier.h"

#include "test.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static struct frontier *make(int64_t delay_us, uint32_t per_host)
{
    struct frontier_options options = {.delay_us = delay_us, .per_host = per_host};

    return frontier_new(&options);
}

static uint32_t intern(struct frontier *f, uint64_t fingerprint)
{
    uint32_t id;
    bool is_new;

    assert_int_equal(frontier_intern(f, fingerprint, &id, &is_new), SCENT_OK);
    return id;
}

static uint32_t host(struct frontier *f, const char *name)
{
    uint32_t id;
    bool is_new;

    assert_int_equal(frontier_host(f, str_of(name), &id, &is_new), SCENT_OK);
    return id;
}

/* A new URL, queued. */
static uint32_t queue(struct frontier *f, const char *host_name, const char *href, float priority)
{
    struct candidate candidate = {.priority = priority};
    uint32_t id = intern(f, 1000 + frontier_known(f));

    assert_int_equal(frontier_queue(f, id, str_of(href), host(f, host_name), &candidate), SCENT_OK);
    return id;
}

static uint32_t take(struct frontier *f, int64_t now)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(frontier_take(f, now, &taken, &wait), SCENT_OK);
    return taken.id;
}

static void assert_wait(struct frontier *f, int64_t now, scent_status status, int64_t want)
{
    struct frontier_taken taken;
    int64_t wait = -1;

    assert_int_equal(frontier_take(f, now, &taken, &wait), status);
    assert_true(wait == want);
}

static void walks_the_whole_life(void **state)
{
    struct frontier *f = make(0, 1);
    struct candidate candidate = {.priority = 1};
    uint32_t id = intern(f, 5);

    (void)state;
    assert_int_equal(frontier_state(f, id), FRONTIER_SEEN);
    assert_false(frontier_get(f, id, &candidate));
    assert_int_equal(frontier_queue(f, id, STR("http://a/"), host(f, "a"), &candidate), SCENT_OK);
    assert_int_equal(frontier_state(f, id), FRONTIER_QUEUED);
    assert_int_equal(take(f, 0), id);
    assert_int_equal(frontier_state(f, id), FRONTIER_IN_FLIGHT);
    frontier_requeue(f, id, &candidate, 0, 0);
    assert_int_equal(frontier_state(f, id), FRONTIER_QUEUED);
    assert_int_equal(take(f, 0), id);
    frontier_finish(f, id, 0);
    assert_int_equal(frontier_state(f, id), FRONTIER_DONE);
    assert_wait(f, 0, SCENT_E_END, INT64_MAX);
    id = queue(f, "a", "http://a/2", 1);
    frontier_drop(f, id);
    assert_int_equal(frontier_state(f, id), FRONTIER_DONE);
    id = intern(f, 6);
    frontier_mark_done(f, id);
    assert_int_equal(frontier_state(f, id), FRONTIER_DONE);
    assert_int_equal(frontier_queued(f) + frontier_in_flight(f), 0);
    frontier_free(f);
}

/* ---- what must abort ---- */

static void make_four(struct frontier *f, uint32_t ids[4])
{
    ids[FRONTIER_IN_FLIGHT] = queue(f, "a", "http://a/1", 1);
    assert_int_equal(take(f, 0), ids[FRONTIER_IN_FLIGHT]);
    ids[FRONTIER_QUEUED] = queue(f, "a", "http://a/2", 1);
    ids[FRONTIER_DONE] = intern(f, 1);
    frontier_mark_done(f, ids[FRONTIER_DONE]);
    ids[FRONTIER_SEEN] = intern(f, 2);
}

enum operation { QUEUE, DROP, FINISH, REQUEUE, UNTAKE, MARK_DONE, OPERATIONS };

static void operate(struct frontier *f, enum operation operation, uint32_t id)
{
    struct candidate candidate = {0};

    switch (operation) {
    case QUEUE:
        assert_int_equal(frontier_queue(f, id, STR("http://a/"), host(f, "a"), &candidate), SCENT_OK);
        break;
    case DROP:
        frontier_drop(f, id);
        break;
    case FINISH:
        frontier_finish(f, id, 0);
        break;
    case REQUEUE:
        frontier_requeue(f, id, &candidate, 0, 0);
        break;
    case UNTAKE:
        frontier_untake(f, id, &candidate);
        break;
    default:
        frontier_mark_done(f, id);
    }
}

/* In a child, since it may abort. */
static bool aborts(enum operation operation, enum frontier_state from)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct frontier *f = make(0, 1);
        uint32_t ids[4];

        signal(SIGABRT, SIG_DFL);
        assert_non_null(freopen("/dev/null", "w", stderr));
        make_four(f, ids);
        operate(f, operation, ids[from]);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void other_transitions_abort(void **state)
{
    static const enum frontier_state allowed[OPERATIONS] = {
        [QUEUE] = FRONTIER_SEEN,         [DROP] = FRONTIER_QUEUED,    [FINISH] = FRONTIER_IN_FLIGHT,
        [REQUEUE] = FRONTIER_IN_FLIGHT, [UNTAKE] = FRONTIER_IN_FLIGHT, [MARK_DONE] = FRONTIER_SEEN,
    };

    (void)state;
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int from = FRONTIER_SEEN; from <= FRONTIER_DONE; from++)
            assert_int_equal(aborts(operation, from), from != (int)allowed[operation]);
}

static void an_update_of_others_is_ignored(void **state)
{
    struct frontier *f = make(0, 1);
    struct candidate candidate = {.priority = 9};
    uint32_t ids[4];

    (void)state;
    make_four(f, ids);
    for (int from = FRONTIER_SEEN; from <= FRONTIER_DONE; from++) {
        frontier_update(f, ids[from], &candidate);
        assert_int_equal(frontier_state(f, ids[from]), from);
    }
    assert_true(frontier_get(f, ids[FRONTIER_QUEUED], &candidate));
    assert_true(candidate.priority == 9);
    frontier_free(f);
}

/* ---- order ---- */

static void the_best_comes_first_then_the_oldest(void **state)
{
    struct frontier *f = make(0, 10);
    const float priorities[] = {1, NAN, 2, -INFINITY, 2, INFINITY, -0.0f, 0.0f};
    const uint32_t want[] = {5, 2, 4, 0, 6, 7, 3, 1};

    (void)state;
    for (int i = 0; i < 8; i++)
        queue(f, i % 2 ? "a" : "b", "http://x/", priorities[i]);
    for (int i = 0; i < 8; i++)
        assert_int_equal(take(f, 0), want[i]);
    frontier_free(f);
}

static void priorities_go_up_and_down(void **state)
{
    struct frontier *f = make(0, 10);
    struct candidate candidate = {.priority = 10};

    (void)state;
    for (int i = 0; i < 5; i++)
        queue(f, "a", "http://a/", (float)i);
    frontier_update(f, 1, &candidate);
    candidate.priority = -1;
    frontier_update(f, 4, &candidate);
    assert_int_equal(take(f, 0), 1);
    assert_int_equal(take(f, 0), 3);
    assert_int_equal(take(f, 0), 2);
    assert_int_equal(take(f, 0), 0);
    assert_int_equal(take(f, 0), 4);
    frontier_free(f);
}

static void reverse(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    uint32_t *calls = ctx;

    assert_int_equal(id, (*calls)++);
    candidate->priority = -candidate->priority;
    *changed = true;
}

static void all_can_be_scored_again(void **state)
{
    struct frontier *f = make(0, 1);
    uint32_t calls = 0;

    (void)state;
    for (int i = 0; i < 200; i++)
        queue(f, i % 3 ? "a" : "b", "http://x/", (float)i);
    frontier_each(f, reverse, &calls);
    assert_int_equal(calls, 200);
    assert_int_equal(take(f, 0), 0); /* of b */
    assert_int_equal(take(f, 0), 1); /* of a */
    assert_wait(f, 0, SCENT_E_NOTFOUND, INT64_MAX);
    frontier_finish(f, 1, 0);
    assert_int_equal(take(f, 0), 2);
    frontier_free(f);
}

/* ---- politeness ---- */

static void a_host_waits_for_its_delay(void **state)
{
    struct frontier *f = make(100, 1);

    (void)state;
    queue(f, "a", "http://a/1", 5);
    queue(f, "a", "http://a/2", 4);
    queue(f, "b", "http://b/1", 1);
    assert_int_equal(take(f, 1000), 0);
    assert_int_equal(take(f, 1000), 2); /* a is busy */
    assert_wait(f, 1000, SCENT_E_NOTFOUND, INT64_MAX);
    frontier_finish(f, 0, 1030);
    assert_wait(f, 1030, SCENT_E_NOTFOUND, 70);
    assert_wait(f, 1099, SCENT_E_NOTFOUND, 1);
    assert_int_equal(take(f, 1100), 1);
    frontier_free(f);
}

static void a_late_finish_needs_no_further_wait(void **state)
{
    struct frontier *f = make(100, 1);

    (void)state;
    queue(f, "a", "http://a/1", 5);
    queue(f, "a", "http://a/2", 4);
    assert_int_equal(take(f, 0), 0);
    frontier_finish(f, 0, 500); /* the delay counts from the beginning of the visit */
    assert_int_equal(take(f, 500), 1);
    frontier_free(f);
}

static void parallel_visits_begin_apart(void **state)
{
    struct frontier *f = make(100, 2);

    (void)state;
    for (int i = 0; i < 3; i++)
        queue(f, "a", "http://a/", 1);
    assert_int_equal(take(f, 0), 0);
    assert_wait(f, 40, SCENT_E_NOTFOUND, 60);
    assert_int_equal(take(f, 100), 1);
    assert_wait(f, 200, SCENT_E_NOTFOUND, INT64_MAX); /* two in flight */
    frontier_finish(f, 0, 250);
    assert_int_equal(take(f, 250), 2);
    frontier_free(f);
}

static void a_retry_makes_its_host_wait(void **state)
{
    struct frontier *f = make(100, 1);
    struct candidate candidate = {.priority = 9, .tries = 1};
    struct frontier_taken taken;
    int64_t wait;

    (void)state;
    queue(f, "a", "http://a/1", 5);
    queue(f, "a", "http://a/2", 4);
    assert_int_equal(take(f, 0), 0);
    frontier_requeue(f, 0, &candidate, 10, 5000);
    assert_wait(f, 100, SCENT_E_NOTFOUND, 4910);
    assert_int_equal(frontier_take(f, 5010, &taken, &wait), SCENT_OK);
    assert_int_equal(taken.id, 0);
    assert_int_equal(taken.candidate.tries, 1);
    assert_str(taken.href, "http://a/1");
    frontier_requeue(f, 0, &candidate, 5020, 0); /* never less than the delay */
    assert_wait(f, 5020, SCENT_E_NOTFOUND, 90);
    assert_int_equal(take(f, 5110), 0);
    frontier_requeue(f, 0, &candidate, 5200, INT64_MAX); /* for ever */
    assert_wait(f, 6000, SCENT_E_NOTFOUND, INT64_MAX - 6000);
    frontier_free(f);
}

static void the_text_stays_where_it_is_in_flight(void **state)
{
    struct frontier *f = make(0, 1000);
    struct frontier_taken taken;
    int64_t wait;

    (void)state;
    queue(f, "a", "http://a/first", 9);
    assert_int_equal(frontier_take(f, 0, &taken, &wait), SCENT_OK);
    for (int i = 0; i < 500; i++)
        queue(f, "a", "http://a/another/one", 1);
    for (int i = 0; i < 400; i++)
        frontier_finish(f, take(f, 0), 0);
    assert_str(taken.href, "http://a/first");
    frontier_finish(f, taken.id, 0);
    frontier_free(f);
}

static void too_long_a_text_changes_nothing(void **state)
{
    struct frontier *f = make(0, 1);
    struct candidate candidate = {.priority = 1};
    uint32_t id = intern(f, 7);
    char *text = calloc(1, 65536);

    (void)state;
    assert_int_equal(frontier_queue(f, id, (struct str){text, 65536}, host(f, "a"), &candidate), SCENT_E_LIMIT);
    assert_int_equal(frontier_state(f, id), FRONTIER_SEEN);
    assert_int_equal(frontier_queue(f, id, (struct str){text, 65535}, host(f, "a"), &candidate), SCENT_OK);
    assert_int_equal(take(f, 0), id);
    free(text);
    frontier_free(f);
}

static void memory_of_the_done_is_given_back(void **state)
{
    struct frontier *f = make(0, 1000);
    size_t full;

    (void)state;
    for (int i = 0; i < 10000; i++)
        queue(f, "a", "http://a/some/longer/text/of/an/address", (float)(i * 7919 % 10000));
    full = frontier_text_bytes(f);
    for (int i = 0; i < 9000; i++)
        frontier_finish(f, take(f, 0), 0);
    assert_true(frontier_text_bytes(f) < full / 4);
    frontier_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_the_whole_life),
        cmocka_unit_test(other_transitions_abort),
        cmocka_unit_test(an_update_of_others_is_ignored),
        cmocka_unit_test(the_best_comes_first_then_the_oldest),
        cmocka_unit_test(priorities_go_up_and_down),
        cmocka_unit_test(all_can_be_scored_again),
        cmocka_unit_test(a_host_waits_for_its_delay),
        cmocka_unit_test(a_late_finish_needs_no_further_wait),
        cmocka_unit_test(parallel_visits_begin_apart),
        cmocka_unit_test(a_retry_makes_its_host_wait),
        cmocka_unit_test(the_text_stays_where_it_is_in_flight),
        cmocka_unit_test(too_long_a_text_changes_nothing),
        cmocka_unit_test(memory_of_the_done_is_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
