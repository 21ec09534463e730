/* What generated hosts do besides serving pages: robots.txt, sitemaps, copies, traps, faults, charsets, languages. */
#include "web_sample.h"

static struct web_response get_beside(const struct web *web, const struct world_page *page, const char *path,
                                      struct buf *buf, struct arena *arena)
{
    char host[WORLD_NAME_MAX];
    int len = (int)world_write_host(web_world(web), &page->host, host);
    struct str href = arena_printf(arena, "http://%.*s%s", len, host, path);

    return sample_get(web, href, buf);
}

/* ---- robots.txt and sitemaps ---- */

struct closing {
    size_t open, closed;
};

static void robots_agree(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                         void *ctx)
{
    struct closing *count = ctx;
    struct web_response r = get_beside(web, page, "/robots.txt", buf, arena);
    char path[WORLD_PATH_MAX];
    struct str own = {path, world_write_path(web_world(web), page, path)}, line, rest = r.body;
    bool closed = false;

    assert_int_equal(r.status, world_host_has_robots(web_world(web), &page->host) ||
                                       world_host_has_sitemap(web_world(web), &page->host)
                                   ? 200
                                   : 404);
    while (r.status == 200 && str_split(&rest, '\n', &line)) {
        if (str_starts(line, STR("Disallow: ")))
            closed |= str_starts(own, str_sub(line, 10, line.len));
    }
    assert_int_equal(closed, world_page_is_closed(web_world(web), page));
    *(closed ? &count->closed : &count->open) += 1;
}

static void robots_txt_is_the_plan(void **state)
{
    struct web *web = sample_open(SAMPLE_CALM "hosts: 100\npages_per_host: 30\n"
                                  "robots: {share: 0.6, crawl_delay: 0.5}\n");
    struct closing count = {0};

    (void)state;
    sample_each_page(web, 200, robots_agree, &count);
    assert_true(count.closed > 50 && count.open > count.closed * 4);
    web_free(web);
}

static void is_in_sitemap(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                          void *ctx)
{
    struct str href = sample_href(web, page, arena);
    char part[64] = "/sitemap.xml";
    struct web_response r;

    (void)ctx;
    if (page->number % 7 || !world_host_has_sitemap(web_world(web), &page->host))
        return;
    if (page->host.pages > 1000)
        snprintf(part, sizeof part, "/sitemap-%llu.xml", (unsigned long long)page->number / 1000);
    r = get_beside(web, page, part, buf, arena);
    assert_int_equal(r.status, 200);
    assert_true(sample_contains(r.body, arena_printf(arena, "<loc>%.*s</loc>", STR_ARG(href)).p));
}

static void sitemaps_list_the_pages(void **state)
{
    struct web *web = sample_open(SAMPLE_CALM "hosts: 16\npages_per_host: 500\nsitemaps: 1\n");

    (void)state;
    sample_each_page(web, 200, is_in_sitemap, NULL);
    web_free(web);
}

/* ---- copies ---- */

struct copies {
    size_t exact, foreign, near;
};

static double share_of_common_bytes(struct str a, struct str b)
{
    size_t front = 0, back = 0, least = a.len < b.len ? a.len : b.len, most = a.len + b.len - least;

    while (front < least && a.p[front] == b.p[front])
        front++;
    while (back < least - front && a.p[a.len - 1 - back] == b.p[b.len - 1 - back])
        back++;
    return (double)(front + back) / (double)most;
}

static void copies_are_copies(const struct web *web, const struct world_page *page, struct buf *buf,
                              struct arena *arena, void *ctx)
{
    struct copies *copies = ctx;
    struct world_page original;
    struct web_response r, other;
    struct buf other_buf;

    if ((page->kind != PAGE_COPY && page->kind != PAGE_NEAR_COPY) || !linkage_original(web_world(web), page, &original))
        return;
    buf_init(&other_buf, 0);
    r = sample_get(web, sample_href(web, page, arena), buf);
    other = sample_get(web, sample_href(web, &original, arena), &other_buf);
    assert_int_equal(original.topic, page->topic);
    if (page->kind == PAGE_COPY) {
        assert_true(str_eq(r.body, other.body));
        copies->exact++;
        copies->foreign += original.host.index != page->host.index;
    } else {
        assert_false(str_eq(r.body, other.body));
        copies->near += share_of_common_bytes(r.body, other.body) > 0.5;
    }
    buf_release(&other_buf);
}

static void duplicates_are_duplicates(void **state)
{
    struct web *web = sample_open("gzip: 0\ndead_hosts: 0\nhosts: 60\npages_per_host: 20\nduplicates: 0.2\n"
                                  "near_duplicates: 0.2\n");
    struct copies copies = {0};

    (void)state;
    sample_each_page(web, 200, copies_are_copies, &copies);
    assert_true(copies.exact > 50 && copies.foreign > 5 && copies.near > 50);
    web_free(web);
}

/* ---- traps ---- */

/* From the home page of a host of this kind, `steps` new URLs on and on; each must be answered. */
static void fall_into(const struct web *web, enum world_host_kind kind, const char *sign, int steps)
{
    struct world_host host;
    struct world_page page;
    struct arena arena;
    struct url url, found;
    struct buf buf, seen;

    for (uint64_t index = 0;; index++) {
        world_host(web_world(web), index, &host);
        if (world_host_kind(web_world(web), &host) == kind && host.pages > 3)
            break;
    }
    arena_init(&arena, 64 << 20);
    buf_init(&buf, 0);
    buf_init(&seen, 0);
    world_page(web_world(web), &host, 0, &page);
    assert_int_equal(url_parse(&arena, sample_href(web, &page, &arena), NULL, &url), SCENT_OK);
    for (int step = 0; step < steps; step++) {
        struct web_response r = sample_get(web, url.href, &buf);
        struct str html = r.body;
        bool is_new = false;

        assert_int_equal(r.status, 200);
        while (!is_new && sample_link(&html, &url, &arena, &found))
            is_new = sample_contains(found.href, sign) &&
                     !sample_contains(buf_str(&seen), arena_printf(&arena, "%.*s\n", STR_ARG(found.href)).p);
        assert_true(is_new);
        buf_add(&seen, found.href);
        buf_addc(&seen, '\n');
        url = found;
    }
    buf_release(&buf);
    buf_release(&seen);
    arena_release(&arena);
}

static void traps_do_not_end(void **state)
{
    struct web *web = sample_open("traps: 0.9\ndead_hosts: 0\nduplicates: 0\nredirects: 0\nredirect_loops: 0\n"
                                  "errors: 0\nother_types: 0\ngzip: 0\nhosts: 60\npages_per_host: 20\nwords: 20\n"
                                  "near_duplicates: 0\n");

    (void)state;
    fall_into(web, HOST_CALENDAR, "/calendar/", 100);
    fall_into(web, HOST_SESSIONS, "?sid=", 100);
    fall_into(web, HOST_DEEP, "/archive/", 100);
    web_free(web);
}

/* ---- faults ---- */

static void answers_follow(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                           void *ctx)
{
    static const enum web_fault faults[] = {WEB_FINE, WEB_REFUSE, WEB_DROP, WEB_HANG, WEB_NO_HOST,
                                            WEB_FINE, WEB_FINE,   WEB_FINE};
    struct web_response r = sample_get(web, sample_href(web, page, arena), buf);

    (void)ctx;
    assert_int_equal(r.fault, faults[world_host_kind(web_world(web), &page->host)]);
    if (r.fault != WEB_FINE)
        return;
    assert_int_equal(r.delay_ms, world_host_is_slow(web_world(web), &page->host) ? 750 : 0);
    if (page->kind == PAGE_ERROR)
        assert_true(r.status >= 400);
    else if (page->kind == PAGE_REDIRECT || page->kind == PAGE_LOOP)
        assert_true(r.status / 100 == 3 && sample_contains(r.head, "\r\nLocation: "));
    else
        assert_int_equal(r.status, 200);
    assert_int_equal(sample_contains(r.head, "application/pdf"), page->kind == PAGE_PDF);
    assert_int_equal(sample_contains(r.head, "image/png"), page->kind == PAGE_PNG);
}

static void answers_follow_the_plan(void **state)
{
    struct web *web = sample_open("hosts: 200\npages_per_host: 5\nwords: 20\nslow_hosts: {share: 0.2, delay_ms: 750}\n"
                                  "dead_hosts: 0.2\ntraps: 0.1\nerrors: 0.1\nredirects: 0.1\nredirect_loops: 0.1\n"
                                  "other_types: 0.1\n");

    (void)state;
    sample_each_page(web, 200, answers_follow, NULL);
    web_free(web);
}

/* Each loop leads back to its own path, for ever. */
static void loops_at(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                     void *ctx)
{
    struct url url;

    (void)ctx;
    if (page->kind != PAGE_LOOP)
        return;
    assert_int_equal(url_parse(arena, sample_href(web, page, arena), NULL, &url), SCENT_OK);
    for (int hop = 0; hop < 20; hop++) {
        struct web_response r = sample_get(web, url.href, buf);
        struct str location = sample_between(r.head, "\r\nLocation: ", "\r\nETag");

        assert_int_equal(r.status, 302);
        assert_int_equal(url_parse(arena, str_sub(location, 12, location.len), &url, &url), SCENT_OK);
    }
}

static void loops_do_not_end(void **state)
{
    struct web *web = sample_open("dead_hosts: 0\nhosts: 20\npages_per_host: 20\nredirect_loops: 0.3\n");

    (void)state;
    sample_each_page(web, 200, loops_at, NULL);
    web_free(web);
}

/* ---- charsets and languages ---- */

static void charset_is_true(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                            void *ctx)
{
    struct web_response r = sample_get(web, sample_href(web, page, arena), buf);
    bool told = sample_contains(r.head, "windows-125") || sample_contains(r.body, "<meta charset=\"windows-125");
    size_t high = 0, utf8 = 0;

    for (size_t i = 1; i < r.body.len; i++) {
        unsigned char a = (unsigned char)r.body.p[i - 1], b = (unsigned char)r.body.p[i];

        high += b >= 0x80;
        utf8 += a >= 0xc2 && a <= 0xe2 && (b & 0xc0) == 0x80;
    }
    assert_true(high > 0); /* the copyright sign at least */
    if (told)
        assert_true(utf8 * 4 <= high);
    else
        assert_true(utf8 * 3 >= high);
    *(size_t *)ctx += told;
}

static void charsets_are_told(void **state)
{
    struct web *web = sample_open("gzip: 0\ndead_hosts: 0\nother_types: 0\nerrors: 0\nredirects: 0\nredirect_loops: 0\n"
                                  "hosts: 40\npages_per_host: 10\nlanguages: {de: 1, fr: 1, ru: 1}\ncharsets: 0.5\n");
    size_t narrow = 0;

    (void)state;
    sample_each_page(web, 200, charset_is_true, &narrow);
    assert_true(narrow > 100);
    web_free(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_txt_is_the_plan),
        cmocka_unit_test(sitemaps_list_the_pages),
        cmocka_unit_test(duplicates_are_duplicates),
        cmocka_unit_test(traps_do_not_end),
        cmocka_unit_test(answers_follow_the_plan),
        cmocka_unit_test(loops_do_not_end),
        cmocka_unit_test(charsets_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
