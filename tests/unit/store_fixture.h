/* store_fixture - a store in a folder of its own. */
#ifndef SCENT_TESTS_STORE_FIXTURE_H
#define SCENT_TESTS_STORE_FIXTURE_H

#include "store/store.h"

#include "test.h"

struct fixture {
    char *dir;
    struct store *store;
    struct errmsg err;
};

static inline int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->dir = test_make_dir();
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &t->err), t->err);
    *state = t;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *t = *state;

    store_close(t->store);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

static inline void reopen(struct fixture *t)
{
    store_close(t->store);
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &t->err), t->err);
}

static inline void begin(struct fixture *t)
{
    assert_ok(store_begin(t->store, &t->err), t->err);
}

static inline void commit(struct fixture *t)
{
    assert_ok(store_commit(t->store, &t->err), t->err);
}

static inline void add_url(struct fixture *t, const struct store_url *url)
{
    assert_ok(store_add_url(t->store, url, &t->err), t->err);
}

#endif
