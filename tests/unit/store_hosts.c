/* Hosts, robots.txt, names and revisits come back as they went in, the last of them for each key. */
#include "store_fixture.h"

static int set_up_and_begin(void **state)
{
    int failed = set_up(state);

    begin(*state);
    return failed;
}

static void commit_and_reopen(struct fixture *t)
{
    commit(t);
    reopen(t);
}

static scent_status append_host(void *ctx, const struct store_host *h)
{
    buf_printf(ctx, "%u %.*s %lld %lld %u %.*s %u %llx\n", h->id, STR_ARG(h->name), (long long)h->delay_us,
               (long long)h->not_before, h->failures, STR_ARG(h->ip), h->pages, (unsigned long long)h->purged);
    return SCENT_OK;
}

static void hosts_keep_their_manners(void **state)
{
    struct fixture *t = *state;
    struct store_host host = {.id = 1,
                              .delay_us = 2500000,
                              .not_before = 1763197080123456,
                              .failures = 4,
                              .ip = STR("::1"),
                              .pages = UINT32_MAX};
    struct buf text;

    buf_init(&text, 0);
    assert_ok(store_add_host(t->store, 0, STR("a.test"), &t->err), t->err);
    assert_ok(store_add_host(t->store, 1, STR("b.test:80"), &t->err), t->err);
    assert_ok(store_add_host(t->store, 2, STR("purged:0123456789abcdef"), &t->err), t->err);
    assert_ok(store_update_host(t->store, &host, &t->err), t->err);
    host.id = 9;
    assert_int_equal(store_update_host(t->store, &host, &t->err), SCENT_E_NOTFOUND);
    commit_and_reopen(t);
    assert_ok(store_each_host(t->store, append_host, &text, &t->err), t->err);
    assert_str(buf_str(&text), "0 a.test 0 0 0  0 0\n"
                               "1 b.test:80 2500000 1763197080123456 4 ::1 4294967295 0\n"
                               "2 purged:0123456789abcdef 0 0 0  0 123456789abcdef\n");
    buf_release(&text);
}

static scent_status append_robots(void *ctx, const struct store_robots *robots)
{
    buf_printf(ctx, "%u %lld %lld %d ", robots->host, (long long)robots->fetched, (long long)robots->expires,
               robots->status);
    buf_add(ctx, robots->rules);
    buf_addc(ctx, '\n');
    return robots->host == 8 ? SCENT_E_LIMIT : SCENT_OK;
}

static void robots_come_back(void **state)
{
    struct fixture *t = *state;
    struct store_robots put = {.host = 7, .fetched = 5, .expires = 6, .status = 200, .rules = STR("Disallow: /\0\xFF")};
    struct buf text;

    buf_init(&text, 0);
    assert_ok(store_put_robots(t->store, &(struct store_robots){.host = 7, .status = 503}, &t->err), t->err);
    assert_ok(store_put_robots(t->store, &put, &t->err), t->err);
    assert_ok(store_put_robots(t->store, &(struct store_robots){.host = 3, .status = 404}, &t->err), t->err);
    commit_and_reopen(t);
    assert_ok(store_each_robots(t->store, append_robots, &text, &t->err), t->err);
    assert_true(str_eq(buf_str(&text), STR("3 0 0 404 \n7 5 6 200 Disallow: /\0\xFF\n")));
    put.host = 8;
    assert_ok(store_begin(t->store, &t->err), t->err);
    assert_ok(store_put_robots(t->store, &put, &t->err), t->err);
    assert_int_equal(store_each_robots(t->store, append_robots, &text, &t->err), SCENT_E_LIMIT);
    buf_release(&text);
}

static scent_status append_dns(void *ctx, const struct store_dns *dns)
{
    buf_printf(ctx, "%.*s=%.*s,%lld,%.*s ", STR_ARG(dns->name), STR_ARG(dns->addresses), (long long)dns->expires,
               STR_ARG(dns->failure));
    return SCENT_OK;
}

static void names_come_back(void **state)
{
    struct fixture *t = *state;
    struct store_dns dns = {.name = STR("b.test"), .addresses = STR("127.0.0.1 ::1"), .expires = 10};
    struct buf text;

    buf_init(&text, 0);
    assert_ok(store_put_dns(t->store, &dns, &t->err), t->err);
    dns.expires = 20;
    assert_ok(store_put_dns(t->store, &dns, &t->err), t->err);
    dns = (struct store_dns){.name = STR("a.test"), .expires = 30, .failure = STR("no such name")};
    assert_ok(store_put_dns(t->store, &dns, &t->err), t->err);
    commit_and_reopen(t);
    assert_ok(store_each_dns(t->store, append_dns, &text, &t->err), t->err);
    assert_str(buf_str(&text), "a.test=,30,no such name b.test=127.0.0.1 ::1,20, ");
    buf_release(&text);
}

static scent_status append_revisit(void *ctx, const struct store_revisit *r)
{
    buf_printf(ctx, "%u: %llu %lld %u/%u %lld %.*s %.*s %.*s\n", r->url, (unsigned long long)r->page,
               (long long)r->next, r->changes, r->visits, (long long)r->wall, STR_ARG(r->digest), STR_ARG(r->etag),
               STR_ARG(r->last_modified));
    return SCENT_OK;
}

static void revisits_come_with_their_page(void **state)
{
    struct fixture *t = *state;
    struct store_page page = {
        .number = 3, .wall = 99, .digest = STR("ABC"), .etag = STR("\"e\""), .last_modified = STR("Sat")};
    struct store_revisit revisit = {.url = 4, .page = 3, .next = 1000, .visits = 1};
    struct buf text;

    buf_init(&text, 0);
    assert_ok(store_add_page(t->store, &page, &t->err), t->err);
    assert_ok(store_put_revisit(t->store, &revisit, &t->err), t->err);
    revisit.visits = 2;
    revisit.changes = 1;
    assert_ok(store_put_revisit(t->store, &revisit, &t->err), t->err);
    revisit = (struct store_revisit){.url = 0, .page = 8, .next = 5};
    assert_ok(store_put_revisit(t->store, &revisit, &t->err), t->err);
    commit_and_reopen(t);
    assert_ok(store_each_revisit(t->store, append_revisit, &text, &t->err), t->err);
    assert_str(buf_str(&text), "0: 8 5 0/0 0   \n4: 3 1000 1/2 99 ABC \"e\" Sat\n");
    buf_release(&text);
}

static scent_status append_due(void *ctx, const struct store_revisit *r, const struct store_url *url)
{
    buf_printf(ctx, "%lld %.*s %u\n", (long long)r->next, STR_ARG(url->url), r->visits);
    return SCENT_OK;
}

static void add_pages(struct fixture *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char href[32];
        struct store_page page = {.number = i + 1, .url = i, .counted = true, .wall = 100 + i};

        snprintf(href, sizeof href, "http://a.test/%u", i);
        assert_ok(store_add_url(t->store, &(struct store_url){.id = i, .url = str_of(href), .state = STORE_FETCHED},
                                &t->err), t->err);
        assert_ok(store_add_page(t->store, &page, &t->err), t->err);
    }
}

/* In the order of time, and of URLs at the same time; one after the other, however small the steps. */
static void what_is_due_comes_in_order(void **state)
{
    static const int64_t times[] = {30, 10, 20, 10, 40};
    struct fixture *t = *state;
    struct store_revisit_counts counts;
    struct buf text;

    buf_init(&text, 0);
    add_pages(t, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_ok(store_put_revisit(t->store, &(struct store_revisit){.url = i, .page = i + 1, .next = times[i]},
                                    &t->err), t->err);
    commit_and_reopen(t);
    assert_ok(store_each_due(t->store, &(struct store_revisit){0}, append_due, &text, &t->err), t->err);
    assert_str(buf_str(&text), "10 http://a.test/1 0\n10 http://a.test/3 0\n20 http://a.test/2 0\n"
                               "30 http://a.test/0 0\n40 http://a.test/4 0\n");
    buf_clear(&text);
    assert_ok(store_each_due(t->store, &(struct store_revisit){.next = 10, .url = 1}, append_due, &text, &t->err),
              t->err);
    assert_str(buf_str(&text), "10 http://a.test/3 0\n20 http://a.test/2 0\n30 http://a.test/0 0\n"
                               "40 http://a.test/4 0\n");
    assert_ok(store_count_revisits(t->store, 20, &counts, &t->err), t->err);
    assert_true(counts.pages == 5 && counts.due == 3 && counts.next == 10);
    buf_release(&text);
}

static void only_what_has_no_row_gets_one(void **state)
{
    struct fixture *t = *state;
    struct buf text;

    buf_init(&text, 0);
    add_pages(t, 3);
    assert_ok(store_put_revisit(t->store, &(struct store_revisit){.url = 1, .page = 2, .next = 7, .visits = 9}, &t->err),
              t->err);
    assert_ok(store_replace_page(t->store, 3, 1, &t->err), t->err); /* no longer counted */
    assert_ok(store_fill_revisits(t->store, 1000, &t->err), t->err);
    assert_ok(store_each_due(t->store, &(struct store_revisit){0}, append_due, &text, &t->err), t->err);
    assert_str(buf_str(&text), "7 http://a.test/1 9\n1100 http://a.test/0 1\n");
    buf_clear(&text);
    assert_ok(store_bound_revisits(t->store, 1099, &t->err), t->err);
    assert_ok(store_each_due(t->store, &(struct store_revisit){0}, append_due, &text, &t->err), t->err);
    assert_str(buf_str(&text), "7 http://a.test/1 9\n1099 http://a.test/0 1\n");
    buf_release(&text);
}

static void values_can_be_taken_back(void **state)
{
    struct fixture *t = *state;
    struct buf value;

    buf_init(&value, 0);
    assert_ok(store_set(t->store, "a", STR("1"), &t->err), t->err);
    assert_ok(store_unset(t->store, "a", &t->err), t->err);
    assert_ok(store_unset(t->store, "never there", &t->err), t->err);
    assert_int_equal(store_get(t->store, "a", &value, &t->err), SCENT_E_NOTFOUND);
    buf_release(&value);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_and_begin, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(hosts_keep_their_manners), TEST(robots_come_back),         TEST(names_come_back),
        TEST(revisits_come_with_their_page), TEST(values_can_be_taken_back),
        TEST(what_is_due_comes_in_order), TEST(only_what_has_no_row_gets_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
