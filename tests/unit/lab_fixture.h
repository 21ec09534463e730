/* A small collection for the tests of the lab: a generated web in a folder of its own. */
#ifndef SCENT_TESTS_LAB_FIXTURE_H
#define SCENT_TESTS_LAB_FIXTURE_H

#include "test.h"

#include "base/file.h"
#include "lab/collection.h"
#include "lab/labels.h"

struct lab_fixture {
    char *dir;
    struct collection *collection;
    struct labels labels;
};

static inline void lab_write(const struct lab_fixture *fixture, const char *name, const char *text)
{
    struct errmsg err = {0};
    char path[600];

    snprintf(path, sizeof path, "%s/%s", fixture->dir, name);
    assert_ok(file_replace(path, str_of(text), &err), err);
}

static inline int lab_set_up(void **state)
{
    struct lab_fixture *fixture = calloc(1, sizeof *fixture);
    struct collection_options options = {.threads = 1};
    struct errmsg err = {0};
    char spec[600];

    fixture->dir = test_make_dir();
    lab_write(fixture, "web.yaml", "kind: generated\nseed: 7\nhosts: 20\npages_per_host: 10\n");
    snprintf(spec, sizeof spec, "%s/web.yaml", fixture->dir);
    options.path = spec;
    options.cache = fixture->dir;
    assert_ok(collection_open(&options, &fixture->collection, &err), err);
    assert_ok(labels_read(fixture->collection, NULL, NULL, &fixture->labels, &err), err);
    *state = fixture;
    return 0;
}

static inline int lab_tear_down(void **state)
{
    struct lab_fixture *fixture = *state;

    labels_release(&fixture->labels);
    collection_close(fixture->collection);
    test_remove_dir(fixture->dir);
    free(fixture);
    return 0;
}

#endif
