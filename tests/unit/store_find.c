/* Some rows among many: by id, by text, those of one URL; a walk that is broken off. */
#include "store_fixture.h"

static scent_status append_text(void *ctx, const struct store_url *url)
{
    buf_printf(ctx, "%u=%.*s ", url->id, STR_ARG(url->url));
    return SCENT_OK;
}

static void add_three(struct fixture *t)
{
    begin(t);
    add_url(t, &(struct store_url){.id = 0, .url = STR("http://a.test/0")});
    add_url(t, &(struct store_url){.id = 1, .url = STR("http://a.test/1")});
    add_url(t, &(struct store_url){.id = 2, .url = STR("http://a.test/2")});
    commit(t);
}

static void urls_are_found_by_id(void **state)
{
    struct fixture *t = *state;
    const uint32_t ids[] = {2, 0, 2}, unknown[] = {1, 3};
    struct store *reader;
    struct buf text;

    buf_init(&text, 0);
    add_three(t);
    assert_ok(store_open(t->dir, STORE_READ, &reader, &t->err), t->err);
    assert_ok(store_get_urls(reader, ids, 3, append_text, &text, &t->err), t->err);
    assert_str(buf_str(&text), "2=http://a.test/2 0=http://a.test/0 2=http://a.test/2 ");
    buf_clear(&text);
    assert_int_equal(store_get_urls(reader, unknown, 2, append_text, &text, &t->err), SCENT_E_NOTFOUND);
    assert_str(buf_str(&text), "1=http://a.test/1 ");
    assert_ok(store_get_urls(reader, ids, 1, append_text, &text, &t->err), t->err); /* no transaction stays open */
    store_close(reader);
    buf_release(&text);
}

static void a_url_is_found_by_its_text(void **state)
{
    struct fixture *t = *state;
    struct buf text;

    buf_init(&text, 0);
    add_three(t);
    assert_ok(store_find_url(t->store, STR("http://a.test/1"), append_text, &text, &t->err), t->err);
    assert_ok(store_find_url(t->store, STR("http://a.test/"), append_text, &text, &t->err), t->err);
    assert_ok(store_find_url(t->store, STR("http://a.test/11"), append_text, &text, &t->err), t->err);
    assert_str(buf_str(&text), "1=http://a.test/1 ");
    buf_release(&text);
}

static scent_status append_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    buf_printf(ctx, "%llu=%.*s ", (unsigned long long)page->number, STR_ARG(url->url));
    return SCENT_OK;
}

static scent_status append_link(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    buf_printf(ctx, "%.*s>%.*s [%.*s] ", STR_ARG(from), STR_ARG(to), STR_ARG(link->anchor));
    return SCENT_OK;
}

static void visits_and_links_of_one_url(void **state)
{
    struct fixture *t = *state;
    const struct store_link links[] = {{.page = 1, .target = 2, .anchor = STR("a")},
                                       {.page = 1, .target = 0, .anchor = STR("b")},
                                       {.page = 2, .target = 2, .anchor = STR("c")}};
    struct buf text;

    buf_init(&text, 0);
    add_three(t);
    begin(t);
    for (uint32_t i = 0; i < 3; i++) /* the pages 1 and 3 are visits to URL 0 */
        assert_ok(store_add_page(t->store, &(struct store_page){.number = i + 1, .url = i % 2}, &t->err), t->err);
    assert_ok(store_add_links(t->store, links, 3, &t->err), t->err);
    commit(t);
    assert_ok(store_each_page_of(t->store, 0, append_page, &text, &t->err), t->err);
    assert_ok(store_each_page_of(t->store, 2, append_page, &text, &t->err), t->err);
    assert_str(buf_str(&text), "1=http://a.test/0 3=http://a.test/0 ");
    buf_clear(&text);
    assert_ok(store_each_link_to(t->store, 2, append_link, &text, &t->err), t->err);
    assert_ok(store_each_link_to(t->store, 1, append_link, &text, &t->err), t->err);
    assert_str(buf_str(&text), "http://a.test/0>http://a.test/2 [a] http://a.test/1>http://a.test/2 [c] ");
    buf_release(&text);
}

static scent_status stop_at_second(void *ctx, const struct store_url *url)
{
    int *calls = ctx;

    (void)url;
    return ++*calls == 2 ? SCENT_E_LIMIT : SCENT_OK;
}

static void a_callback_ends_the_walk(void **state)
{
    struct fixture *t = *state;
    struct store_url url = {.url = STR("http://a.test/"), .parent = STORE_NO_PARENT};
    int calls = 0;

    begin(t);
    for (url.id = 0; url.id < 5; url.id++)
        add_url(t, &url);
    commit(t);
    assert_int_equal(store_each_url(t->store, stop_at_second, &calls, &t->err), SCENT_E_LIMIT);
    assert_int_equal(calls, 2);
    calls = 2;
    assert_ok(store_each_url(t->store, stop_at_second, &calls, &t->err), t->err); /* from the start again */
    assert_int_equal(calls, 7);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(urls_are_found_by_id),
        TEST(a_url_is_found_by_its_text),
        TEST(visits_and_links_of_one_url),
        TEST(a_callback_ends_the_walk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
