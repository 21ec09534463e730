/* The loader brings the texts of committed rows; missing and purged ones come back empty; it stops while it loads. */
#include "engine/loader.h"

#include "test.h"

#include <stdio.h>

enum { ROWS = 5000 };

struct fixture {
    char *dir;
    struct store *store;
    struct queue *out;
    struct loader *loader;
    struct errmsg err;
};

static struct str text_of(uint32_t id, char buffer[64])
{
    return (struct str){buffer, (size_t)snprintf(buffer, 64, "http://h%u.test/page-%u.html", id % 7, id)};
}

static void add_rows(struct fixture *t, uint32_t from, uint32_t to)
{
    assert_ok(store_begin(t->store, &t->err), t->err);
    for (uint32_t id = from; id < to; id++) {
        char buffer[64];
        struct store_url row = {
            .id = id, .url = text_of(id, buffer), .state = STORE_QUEUED, .parent = STORE_NO_PARENT};

        if (id % 100 == 13) {
            row.state = STORE_PURGED;
            row.purged = 0x1234;
            row.url = STR_NONE;
        }
        if (id % 100 != 12) /* a gap */
            assert_ok(store_add_url(t->store, &row, &t->err), t->err);
    }
    assert_ok(store_commit(t->store, &t->err), t->err);
}

static int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);

    t->dir = test_make_dir();
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &t->err), t->err);
    add_rows(t, 0, ROWS);
    t->out = queue_new(LOADER_JOBS);
    assert_ok(loader_start(t->dir, t->out, &t->loader, &t->err), t->err);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;
    struct job *job;

    loader_stop(t->loader);
    while ((job = queue_pop_for(t->out, 0)))
        job_free(job);
    queue_free(t->out);
    store_close(t->store);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

/* Of the next job, which must be whole. */
static size_t check_next(struct fixture *t)
{
    struct job *job = queue_pop(t->out);
    size_t count = job->texts.count;

    assert_int_equal(job->kind, JOB_TEXTS);
    assert_ok(job->texts.status, job->texts.err);
    for (size_t i = 0; i < count; i++) {
        uint32_t id = job->texts.ids[i];
        char buffer[64];

        if (id >= ROWS * 2 || id % 100 == 12 || id % 100 == 13)
            assert_int_equal(job->texts.texts[i].len, 0);
        else
            assert_true(str_eq(job->texts.texts[i], text_of(id, buffer)));
    }
    job_free(job);
    loader_came(t->loader);
    return count;
}

static void every_text_comes(void **state)
{
    struct fixture *t = *state;
    uint32_t ids[LOADER_IDS], next = 0;
    size_t came = 0;

    while (came < ROWS) {
        while (next < ROWS && loader_has_room(t->loader)) {
            size_t n = 0;

            for (; n < LOADER_IDS && next < ROWS; next++)
                ids[n++] = next * 1237 % ROWS; /* each once, in disorder */
            loader_ask(t->loader, ids, n);
        }
        came += check_next(t);
    }
    assert_int_equal(came, ROWS);
}

static void missing_and_purged_rows_are_empty(void **state)
{
    struct fixture *t = *state;
    uint32_t ids[] = {12, 13, 14, 112, 212, 4000000000, 11};

    loader_ask(t->loader, ids, 7);
    assert_int_equal(check_next(t), 7);
    loader_ask(t->loader, ids, 2); /* nothing else */
    assert_int_equal(check_next(t), 2);
    loader_ask(t->loader, ids, 0);
    assert_int_equal(check_next(t), 0);
}

static void what_was_just_committed_is_seen(void **state)
{
    struct fixture *t = *state;

    for (uint32_t id = ROWS; id < ROWS * 2; id += 50) {
        uint32_t ids[] = {id, id + 49, id - 1};

        add_rows(t, id, id + 50);
        loader_ask(t->loader, ids, 3);
        assert_int_equal(check_next(t), 3);
    }
}

static void it_stops_while_it_loads(void **state)
{
    struct fixture *t = *state;
    uint32_t ids[LOADER_IDS];
    struct job *job;
    size_t jobs = 0;

    for (uint32_t i = 0; i < LOADER_IDS; i++)
        ids[i] = i;
    for (; loader_has_room(t->loader); jobs++)
        loader_ask(t->loader, ids, LOADER_IDS);
    assert_int_equal(jobs, LOADER_JOBS);
    loader_stop(t->loader);
    t->loader = NULL;
    for (; (job = queue_pop_for(t->out, 0)); jobs--) {
        assert_true(job->texts.status == SCENT_OK || job->texts.status == SCENT_E_END);
        job_free(job);
    }
    assert_int_equal(jobs, 0);
}

static void no_crawl_no_loader(void **state)
{
    struct fixture *t = *state;
    struct loader *none;
    char path[256];

    snprintf(path, sizeof path, "%s/nothing", t->dir);
    assert_int_equal(loader_start(path, t->out, &none, &t->err), SCENT_E_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_text_comes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_and_purged_rows_are_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_just_committed_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_stops_while_it_loads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_crawl_no_loader, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
