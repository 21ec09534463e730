/* The answers of a generated web: the same every time, and what the URL says. */
#include "web_sample.h"

#include "base/hash.h"

#include <pthread.h>

/* Everything that can happen, in a small web. */
static const char capricious[] =
    "hosts: 60\npages_per_host: 12\ntopics: 6\nwords: 60\nlinks: 12\nerrors: 0.08\nredirects: 0.08\n"
    "redirect_loops: 0.02\n"
    "duplicates: 0.05\nnear_duplicates: 0.05\nother_types: 0.05\ntraps: 0.2\ndead_hosts: 0.1\ncharsets: 0.3\n"
    "languages: {en: 2, de: 1, fr: 1, ru: 1, zh: 1}\ntunnels: {share: 0.2, length: 2}\n";

static uint64_t hash_page(const struct web *web, uint64_t host, uint64_t page, struct buf *buf, struct arena *arena)
{
    struct web_response r = sample_get(web, web_page_url(web, host, page, arena), buf);

    return hash_str(r.body, hash_str(r.head, (uint64_t)r.status * 8 + r.fault + r.delay_ms));
}

/* All pages of the web, forwards or backwards, as one number. */
static uint64_t hash_web(const struct web *web, bool backwards)
{
    uint64_t sum = 0, hosts = web_hosts(web);
    struct arena arena;
    struct buf buf;

    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    for (uint64_t i = 0; i < hosts; i++) {
        uint64_t host = backwards ? hosts - 1 - i : i, pages = web_host_pages(web, host);

        for (uint64_t j = 0; j < pages; j++) {
            uint64_t page = backwards ? pages - 1 - j : j;

            sum += hash_mix(hash_page(web, host, page, &buf, &arena), hash_mix(host, page));
            arena_reset(&arena);
        }
    }
    buf_release(&buf);
    arena_release(&arena);
    return sum;
}

static void same_bytes_in_any_order(void **state)
{
    struct web *a = sample_open(capricious), *b = sample_open(capricious);
    uint64_t first = hash_web(a, false);

    (void)state;
    assert_int_equal(first, hash_web(a, true));
    assert_int_equal(first, hash_web(b, false));
    web_free(a);
    web_free(b);
}

static void another_seed_is_another_web(void **state)
{
    struct web *a = sample_open("seed: 1\nhosts: 20\npages_per_host: 5\n");
    struct web *b = sample_open("seed: 2\nhosts: 20\npages_per_host: 5\n");

    (void)state;
    assert_int_not_equal(hash_web(a, false), hash_web(b, false));
    web_free(a);
    web_free(b);
}

struct worker {
    const struct web *web;
    pthread_t thread;
    uint64_t sum;
};

static void *work(void *ctx)
{
    struct worker *worker = ctx;

    worker->sum = hash_web(worker->web, worker->sum & 1);
    return NULL;
}

static void same_bytes_from_many_threads(void **state)
{
    struct web *web = sample_open(capricious);
    uint64_t want = hash_web(web, false);
    struct worker workers[4];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        workers[i] = (struct worker){.web = web, .sum = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].sum, want);
    }
    web_free(web);
}

static void names_are_read_back(void **state)
{
    struct web *webs[] = {sample_open(capricious), sample_open("hosts: 100\nhosts_per_domain: 7\nsuffix: a.test\n"),
                          sample_open("hosts: 1000000\npages_per_host: 1000\n")};
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (size_t w = 0; w < 3; w++) {
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t host = i * 7919 % web_hosts(webs[w]), page = i % web_host_pages(webs[w], host);
            struct str href = web_page_url(webs[w], host, page, &arena);
            struct world_page found;

            assert_true(sample_find(webs[w], href, &found));
            assert_int_equal(found.host.index, host);
            assert_int_equal(found.number, page);
            arena_reset(&arena);
        }
        web_free(webs[w]);
    }
    arena_release(&arena);
}

static void other_spellings_do_not_exist(void **state)
{
    struct web *web = sample_open(SAMPLE_CALM "hosts: 50\n");
    struct arena arena;
    struct buf buf;
    struct str href;
    char wrong[512];

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    href = web_page_url(web, 3, 2, &arena);
    assert_int_equal(sample_get(web, href, &buf).status, 200);
    snprintf(wrong, sizeof wrong, "%.*sx%.*s", (int)(href.len - 6), href.p, 6, href.p + href.len - 6);
    assert_int_equal(sample_get(web, str_of(wrong), &buf).status, 404);
    snprintf(wrong, sizeof wrong, "http://x%.*s", (int)href.len - 7, href.p + 7);
    assert_int_equal(sample_get(web, str_of(wrong), &buf).fault, WEB_NO_HOST);
    assert_int_equal(sample_get(web, STR("http://"), &buf).fault, WEB_NO_HOST);
    assert_int_equal(sample_get(web, STR(""), &buf).fault, WEB_REFUSE);
    assert_int_equal(sample_get(web, STR("https://a.test/"), &buf).fault, WEB_REFUSE);
    arena_release(&arena);
    buf_release(&buf);
    web_free(web);
}

/* The head is whole, its length is the body's, and what is packed unpacks to HTML. */
static void heads_are_right(void **state)
{
    struct web *web = sample_open(capricious);
    struct buf buf, plain;
    struct arena arena;
    size_t packed = 0;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    buf_init(&plain, 0);
    for (uint64_t host = 0; host < web_hosts(web); host++) {
        for (uint64_t page = 0; page < web_host_pages(web, host); page++) {
            struct web_response r = sample_get(web, web_page_url(web, host, page, &arena), &buf);
            char length[64];
            enum http_end end;

            arena_reset(&arena);
            if (r.fault != WEB_FINE)
                continue;
            snprintf(length, sizeof length, "\r\nContent-Length: %zu\r\n", r.body.len);
            assert_true(str_starts(r.head, STR("HTTP/1.1 ")) && str_ends(r.head, STR("\r\n\r\n")));
            assert_true(sample_contains(r.head, length));
            if (!sample_contains(r.head, "Content-Encoding: gzip"))
                continue;
            buf_clear(&plain);
            assert_int_equal(http_decode(STR("gzip"), r.body, &plain, &end), SCENT_OK);
            assert_int_equal(end, HTTP_WHOLE);
            packed++;
        }
    }
    assert_true(packed > 50);
    buf_release(&buf);
    buf_release(&plain);
    arena_release(&arena);
    web_free(web);
}

/* Every link leads to a page, a service file or a trap of the plan: a 404 is there only where asked for. */
static void links_resolve(void **state)
{
    struct web *web = sample_open("gzip: 0\nhosts: 60\npages_per_host: 12\ntopics: 6\nwords: 60\n"
                                  "links: 20\ntraps: 0.3\n"
                                  "duplicates: 0.1\nnear_duplicates: 0.1\nlanguages: {en: 1, fr: 1, zh: 1}\n");
    struct buf buf, other;
    struct arena arena;
    size_t links = 0, traps = 0;

    (void)state;
    arena_init(&arena, 16 << 20);
    buf_init(&buf, 0);
    buf_init(&other, 0);
    for (uint64_t host = 0; host < web_hosts(web); host++) {
        for (uint64_t page = 0; page < web_host_pages(web, host); page++) {
            struct url base, url;
            struct world_page target;
            struct web_response r;
            struct str html;

            arena_reset(&arena);
            assert_int_equal(url_parse(&arena, web_page_url(web, host, page, &arena), NULL, &base), SCENT_OK);
            r = sample_get(web, base.href, &buf);
            html = r.body;
            while (r.fault == WEB_FINE && r.status == 200 && sample_link(&html, &base, &arena, &url)) {
                links++;
                if (sample_find(web, url.href, &target))
                    continue;
                traps++;
                if (sample_get(web, url.href, &other).status != 200) {
                    print_error("%.*s\nlinks to %.*s\n", STR_ARG(base.href), STR_ARG(url.href));
                    fail();
                }
            }
        }
    }
    assert_true(links > 5000 && traps > 20 && traps < links / 10);
    buf_release(&buf);
    buf_release(&other);
    arena_release(&arena);
    web_free(web);
}

static void labels_are_the_plan(void **state)
{
    struct web *web = sample_open(capricious);
    struct arena arena;
    struct buf buf;
    size_t labelled = 0;
    char text[16];

    (void)state;
    arena_init(&arena, 16 << 20);
    buf_init(&buf, 0);
    for (uint64_t host = 0; host < web_hosts(web); host++) {
        for (uint64_t number = 0; number < web_host_pages(web, host); number++) {
            struct str href = web_page_url(web, host, number, &arena), label = web_label(web, href, &arena);
            struct web_response r = sample_get(web, href, &buf);
            struct world_page page;

            assert_true(sample_find(web, href, &page));
            snprintf(text, sizeof text, "t%u", page.topic);
            if (label.len) {
                assert_str(label, text);
                labelled++;
            }
            if (r.fault == WEB_FINE)
                assert_int_equal(label.len > 0, r.status == 200 && sample_contains(r.head, "text/html"));
        }
    }
    assert_true(labelled > 300);
    assert_int_equal(web_label(web, STR("http://nowhere.test/"), &arena).len, 0);
    buf_release(&buf);
    arena_release(&arena);
    web_free(web);
}

/* Sessions and loops must not earn anything. */
static void queries_have_no_label(void **state)
{
    struct web *web = sample_open("hosts: 50\n");
    struct arena arena;
    struct str home;

    (void)state;
    arena_init(&arena, 1 << 20);
    home = web_page_url(web, 0, 0, &arena);
    assert_str(web_label(web, home, &arena), "t0");
    assert_str(web_label(web, arena_printf(&arena, "%.*s#part", STR_ARG(home)), &arena), "t0");
    assert_int_equal(web_label(web, arena_printf(&arena, "%.*s?sid=1", STR_ARG(home)), &arena).len, 0);
    assert_true(web_is_trap(web, arena_printf(&arena, "%.*s?sid=1", STR_ARG(home))));
    assert_false(web_is_trap(web, arena_printf(&arena, "%.*s?utm_source=1", STR_ARG(home))));
    assert_false(web_is_trap(web, home));
    arena_release(&arena);
    web_free(web);
}

static void seeds_are_hubs_of_the_wanted_topic(void **state)
{
    struct web *web = sample_open("wanted: 4\nhosts: 400\nseeds: 8\nhubs: 0.1\n");
    struct arena arena;
    struct buf buf;
    size_t seeds = 0;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    for (;; seeds++) {
        struct str href = web_seed(web, seeds, &arena);
        struct world_page page;

        if (href.len == 0)
            break;
        assert_true(sample_find(web, href, &page));
        assert_int_equal(page.kind, PAGE_HUB);
        assert_false(world_page_is_closed(web_world(web), &page));
        assert_str(web_label(web, href, &arena), "t4");
        assert_int_equal(sample_get(web, href, &buf).status, 200);
    }
    assert_int_equal(seeds, 8);
    buf_release(&buf);
    arena_release(&arena);
    web_free(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_in_any_order),
        cmocka_unit_test(another_seed_is_another_web),
        cmocka_unit_test(same_bytes_from_many_threads),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(other_spellings_do_not_exist),
        cmocka_unit_test(heads_are_right),
        cmocka_unit_test(links_resolve),
        cmocka_unit_test(labels_are_the_plan),
        cmocka_unit_test(queries_have_no_label),
        cmocka_unit_test(seeds_are_hubs_of_the_wanted_topic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
