/* Any bytes give a page, in bounded time and memory. */
#include "page_fixture.h"

#include "base/rng.h"

static struct str repeat(struct buf *buf, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++)
        assert_true(buf_addz(buf, piece));
    return buf_str(buf);
}

static void test_deep_nesting(void **state)
{
    struct page_fixture f = {0};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    repeat(&html, "<div>", 1000000);
    repeat(&html, "deep <a href=x>link</a>", 1);
    page = fixture_html(&f, buf_z(&html));
    assert_true(page->truncated & PAGE_CUT_DEPTH);
    assert_true(page->truncated & PAGE_CUT_NODES);
    assert_words(page, 0, page->nwords, "deep link");
    assert_int_equal(page->nlinks, 1);
    buf_release(&html);
    fixture_release(&f);
}

/* Each of these is quadratic in a parser that is not careful. */
static void test_slow_for_the_careless(void **state)
{
    static const char *const pieces[][2] = {
        {"<b>", "</i>"}, {"<a href=x>", "</b>"}, {"<table><tr><td>", "</td>"}, {"<", "<"},   {"&", "&"},
        {"<!--", "--"},  {"<a ", "x='"},         {"<p><font>", "</font></p>"}, {"</", "</"}, {"<script>", "</scrip"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct page_fixture f = {0};
        struct buf html;

        buf_init(&html, 0);
        repeat(&html, pieces[i][0], 100000);
        repeat(&html, pieces[i][1], 100000);
        fixture_html(&f, buf_z(&html));
        buf_release(&html);
        fixture_release(&f);
    }
}

static void test_many_attributes_and_names(void **state)
{
    struct page_fixture f = {0};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    buf_addz(&html, "<a href=y ");
    for (int i = 0; i < 100000; i++)
        buf_printf(&html, "n%d=v ", i);
    buf_addz(&html, "href=x>far</a>");
    for (int i = 0; i < 50000; i++)
        buf_printf(&html, "<x%d>", i);
    buf_addz(&html, "end");
    page = fixture_html(&f, buf_z(&html));
    assert_words(page, 0, page->nwords, "far end");
    assert_int_equal(page->nlinks, 1);
    assert_str(page->links[0].url.href, "http://site.test/dir/y"); /* the first of a name counts */
    buf_release(&html);
    fixture_release(&f);
}

static void test_caps(void **state)
{
    struct page_fixture f = {.options = {.max_words = 10, .max_nodes = 5, .max_links = 3}};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    repeat(&html, "<p>one <a href=x>two</a>", 20);
    page = fixture_html(&f, buf_z(&html));
    assert_int_equal(page->nwords, 10);
    assert_int_equal(page->nnodes, 5);
    assert_int_equal(page->nlinks, 3);
    assert_int_equal(page->truncated, PAGE_CUT_WORDS | PAGE_CUT_NODES | PAGE_CUT_LINKS);
    buf_release(&html);
    fixture_release(&f);
}

static void test_empty_and_truncated(void **state)
{
    static const char html[] = "<!DOCTYPE html><html lang=\"en\"><head><title>T &amp; t</title><meta charset=\"utf-8\"></head>"
                               "<body><!-- c --><p class='x'>a &lt; <a href=\"http://x.test/?a=1&amp;b\">é 東京</a>"
                               "<script>x</script><style>y</style></body></html>";

    (void)state;
    for (size_t len = 0; len < sizeof html; len++) {
        struct page_fixture f = {0};
        char *exact = malloc(len ? len : 1); /* so that reading beyond its end is seen */

        memcpy(exact, html, len);
        fixture_analyse(&f, "", (struct str){exact, len});
        free(exact);
        fixture_release(&f);
    }
}

static void test_binary(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (int round = 0; round < 20; round++) {
        struct page_fixture f = {0};
        size_t len = 1 + rng_below(&rng, 100000);
        char *bytes = malloc(len);

        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)rng_next(&rng);
        fixture_analyse(&f, round % 2 ? "" : "Content-Type: text/html; charset=utf-8\r\n", (struct str){bytes, len});
        free(bytes);
        fixture_release(&f);
    }
}

static void test_memory_is_capped(void **state)
{
    struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct arena small, urls;
    struct page page;
    struct url url;
    struct buf html;

    (void)state;
    buf_init(&html, 0);
    repeat(&html, "<p>word <a href=x>y</a>", 10000);
    arena_init(&urls, SIZE_MAX);
    assert_int_equal(url_parse(&urls, STR("http://a.test/"), NULL, &url), SCENT_OK);
    for (size_t cap = 1024; cap < 1024 * 1024; cap *= 2) {
        arena_init(&small, cap);
        assert_int_equal(page_analyse(analyser, &(struct page_input){&url, STR(""), buf_str(&html)}, &small, &page),
                         SCENT_E_NOMEM);
        arena_release(&small);
    }
    arena_init(&small, SIZE_MAX); /* and the analyser is as good as new */
    assert_int_equal(page_analyse(analyser, &(struct page_input){&url, STR(""), buf_str(&html)}, &small, &page), SCENT_OK);
    page_check(&page);
    assert_int_equal(page.nlinks, 10000);
    arena_release(&small);
    arena_release(&urls);
    buf_release(&html);
    page_analyser_free(analyser);
    page_analyser_free(NULL);
}

/* One analyser, many pages: nothing of one shows in the next. */
static void test_pages_do_not_mix(void **state)
{
    struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct arena arena;
    struct url url;

    (void)state;
    arena_init(&arena, SIZE_MAX);
    assert_int_equal(url_parse(&arena, STR("http://a.test/"), NULL, &url), SCENT_OK);
    for (int i = 0; i < 6; i++) {
        struct page page;
        struct str body = i % 2 ? STR("<p>alone")
                                : STR("<html lang=de><base href=/b/><meta name=robots content=none><link rel=canonical href=c>"
                                      "<title>t</title><template><noscript><a href=x>open <b>");

        assert_int_equal(page_analyse(analyser, &(struct page_input){&url, STR(""), body}, &arena, &page), SCENT_OK);
        page_check(&page);
        if (i % 2) {
            assert_str(page.text, "alone");
            assert_str(page.title, "");
            assert_int_equal(page.robots, 0);
            assert_null(page.canonical.href.p);
            assert_str(page.base.href, "http://a.test/");
            assert_int_equal(page.nwords, 1);
            assert_true(!str_eq(page.lang, STR("de")));
        }
    }
    arena_release(&arena);
    page_analyser_free(analyser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_slow_for_the_careless),
        cmocka_unit_test(test_many_attributes_and_names),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_empty_and_truncated),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_memory_is_capped),
        cmocka_unit_test(test_pages_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
