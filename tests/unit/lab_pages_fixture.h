/* A collection of pages that a test writes itself, under http://pages.test/. */
#ifndef SCENT_TESTS_LAB_PAGES_FIXTURE_H
#define SCENT_TESTS_LAB_PAGES_FIXTURE_H

#include "test.h"

#include "base/file.h"
#include "lab/collection.h"
#include "web/web.h"

struct pages_fixture {
    char *dir;
    struct collection *collection;
};

/* Each page is a name and its HTML; a NULL name ends them. */
struct pages_row {
    const char *name, *html;
};

static inline void pages_open(struct pages_fixture *fixture, const struct pages_row *rows)
{
    struct collection_options options = {.threads = 1};
    struct errmsg err = {0};
    char source[512], packed[512], path[600];
    uint64_t count;

    fixture->dir = test_make_dir();
    snprintf(source, sizeof source, "%s/source", fixture->dir);
    snprintf(packed, sizeof packed, "%s/packed", fixture->dir);
    assert_ok(file_make_dir(source, &err), err);
    for (; rows->name; rows++) {
        snprintf(path, sizeof path, "%s/%s", source, rows->name);
        assert_ok(file_replace(path, str_of(rows->html), &err), err);
    }
    assert_ok(web_pack_folder(source, "http://pages.test/", packed, NULL, &count, &err), err);
    options.path = packed;
    options.cache = fixture->dir;
    assert_ok(collection_open(&options, &fixture->collection, &err), err);
}

static inline void pages_close(struct pages_fixture *fixture)
{
    collection_close(fixture->collection);
    test_remove_dir(fixture->dir);
}

static inline uint32_t pages_find(const struct pages_fixture *fixture, const char *name)
{
    char href[256];
    uint32_t page = UINT32_MAX;

    snprintf(href, sizeof href, "http://pages.test/%s", name);
    assert_true(collection_find(fixture->collection, str_of(href), &page));
    return page;
}

#endif
