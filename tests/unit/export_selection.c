/* Which rows an export takes: what is asked for, and what comes along. */
#include "export/selection.h"

#include "page/simhash.h"
#include "test.h"

#include <stdlib.h>

static struct errmsg err;

struct fixture {
    char *dir;
    struct store *store;
    uint32_t count;
};

/* One more URL and its page; fields that matter here are the caller's. Its number is that of the call. */
static void add(struct fixture *t, const char *url, uint32_t parent, enum store_url_state state, struct store_page page)
{
    struct store_url row = {.id = t->count++, .url = str_of(url), .state = state, .parent = parent};

    page.url = row.id;
    page.number = t->count;
    page.warc_length = 100;
    page.warc_file = STR("scent-00000.warc.gz");
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_add_url(t->store, &row, &err), err);
    assert_ok(store_add_page(t->store, &page, &err), err);
    assert_ok(store_commit(t->store, &err), err);
}

enum { START = 1, SEA, MOVED, TIDE, COPY, NEAR, FRENCH, HIDDEN, LAND, MISSING, COPY_OF_LAND, PAGES = COPY_OF_LAND };

static int set_up(void **state)
{
    const uint64_t far = 0x0123456789abcdef, other = 0xfedcba9876543210;
    struct fixture *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->dir = test_make_dir();
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &err), err);
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_add_host(t->store, 0, STR("sea.test"), &err), err);
    assert_ok(store_commit(t->store, &err), err);
    add(t, "http://sea.test/", STORE_NO_PARENT, STORE_FETCHED, (struct store_page){.counted = true, .status = 200,
        .lang = STR("en"), .score = 0.2});
    add(t, "http://sea.test/sea", 0, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .relevant = true,
        .lang = STR("en"), .score = 0.9, .simhash = far});
    add(t, "http://sea.test/moved", 0, STORE_REDIRECTED, (struct store_page){.status = 301});
    add(t, "http://www.tide.test/tide", 2, STORE_FETCHED, (struct store_page){.counted = true, .status = 200,
        .relevant = true, .lang = STR("en"), .score = 0.7, .simhash = other});
    add(t, "http://copy.test/sea", 0, STORE_FETCHED, (struct store_page){.status = 200, .duplicate_of = SEA});
    add(t, "http://sea.test/near", 0, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .relevant = true,
        .lang = STR("en"), .score = 0.8, .simhash = far ^ 5, .duplicate_of = SEA});
    add(t, "http://sea.test/fr", 0, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .relevant = true,
        .lang = STR("fr"), .score = 0.6});
    add(t, "http://sea.test/hidden", 0, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .relevant = true,
        .lang = STR("en"), .score = 0.9, .robots = STORE_NOINDEX});
    add(t, "http://land.test/", 0, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .lang = STR("en"),
        .score = 0.1});
    add(t, "http://sea.test/none", 0, STORE_FAILED, (struct store_page){.status = 404});
    add(t, "http://sea.test/land", 0, STORE_FETCHED, (struct store_page){.status = 200, .duplicate_of = LAND});
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;

    store_close(t->store);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

static struct selection *choose(const struct fixture *t, const struct selection_options *options)
{
    struct selection_shared shared;
    struct selection *selection;

    selection_shared_init(&shared, options);
    assert_ok(selection_make(t->store, options, &shared, &selection, &err), err);
    assert_int_equal(shared.equal, 0);
    selection_shared_release(&shared);
    return selection;
}

/* Pages as p, records that come along as r, the others as -; in the order of the rows. */
static void expect(const struct fixture *t, const struct selection_options *options, const char *want, uint64_t copies)
{
    struct selection *selection;
    char got[PAGES + 1] = "";

    selection = choose(t, options);
    for (uint64_t i = 1; i <= PAGES; i++) {
        bool page = selection_has_page(selection, i), record = selection_has_record(selection, i);

        assert_true(record || !page); /* a page without its record would be of no use */
        got[i - 1] = page ? 'p' : record ? 'r' : '-';
    }
    assert_string_equal(got, want);
    assert_int_equal(selection_copies(selection), copies);
    assert_false(selection_has_page(selection, 0) || selection_has_record(selection, PAGES + 1));
    selection_free(selection);
}

static void everything(void **state)
{
    struct selection *selection;

    expect(*state, &(struct selection_options){0}, "pprprpp-prr", 0);
    selection = choose(*state, &(struct selection_options){0});
    assert_true(selection_is_all(selection));
    selection_free(selection);
}

/* The redirect by which a page was found, and copies of pages that fit; not those of pages that do not. */
static void what_comes_along(void **state)
{
    expect(*state, &(struct selection_options){.relevant = true}, "-prprpp----", 0);
    expect(*state, &(struct selection_options){.min_score = 0.75}, "-p--rp-----", 0);
}

static void languages_and_hosts(void **state)
{
    static const char *const french[] = {"FR"}, *const tides[] = {"*.tide.test"}, *const copies[] = {"copy.test"},
                            *const two[] = {"land.test", "sea.test"};

    expect(*state, &(struct selection_options){.langs = french, .nlangs = 1}, "------p----", 0);
    expect(*state, &(struct selection_options){.hosts = tides, .nhosts = 1}, "--rp-------", 0);
    /* a copy on this host brings the page that it refers to, on another one */
    expect(*state, &(struct selection_options){.hosts = copies, .nhosts = 1}, "-r--r------", 0);
    expect(*state, &(struct selection_options){.hosts = two, .nhosts = 2}, "pp---pp-p-r", 0);
}

/* Near copies and exact ones go; a page without a simhash is never one. */
static void unique(void **state)
{
    expect(*state, &(struct selection_options){.relevant = true, .unique = true}, "-prp--p----", 1);
    expect(*state, &(struct selection_options){.unique = true}, "pprp--p-p--", 1);
}

/* A damaged database: redirects in a circle end. */
static void a_circle_of_redirects(void **state)
{
    struct fixture *t = *state;
    struct selection *selection;

    add(t, "http://a.test/", 12, STORE_REDIRECTED, (struct store_page){.status = 301});
    add(t, "http://b.test/", 11, STORE_REDIRECTED, (struct store_page){.status = 301});
    add(t, "http://c.test/", 12, STORE_FETCHED, (struct store_page){.counted = true, .status = 200, .relevant = true});
    selection = choose(t, &(struct selection_options){.relevant = true});
    assert_true(selection_has_record(selection, 12) && selection_has_record(selection, 13) &&
                selection_has_page(selection, 14));
    selection_free(selection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_comes_along, set_up, tear_down),
        cmocka_unit_test_setup_teardown(languages_and_hosts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unique, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_circle_of_redirects, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
