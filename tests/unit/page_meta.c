/* Robots, canonical, headers, tags. */
#include "http/http.h"
#include "page_fixture.h"

#include "page/outline.h"

static void test_robots(void **state)
{
    static const struct {
        const char *value;
        unsigned flags;
    } cases[] = {
        {"", 0},
        {"index, follow", 0},
        {"noindex", PAGE_NOINDEX},
        {"NoIndex ,NOFOLLOW", PAGE_NOINDEX | PAGE_NOFOLLOW},
        {"none", PAGE_NOINDEX | PAGE_NOFOLLOW},
        {"noarchive, max-snippet:20", PAGE_NOARCHIVE},
        {"otherbot: noindex, nofollow", 0},
        {"scent: nofollow", PAGE_NOFOLLOW},
        {"otherbot: noindex, scent: noarchive", PAGE_NOARCHIVE},
        {"unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", PAGE_NOINDEX},
        {"unavailable_after: Sat, 25 Jun 2030 15:00:00 GMT, noindex", PAGE_NOINDEX},
        {"otherbot/2.0: noindex, nofollow", 0},
        {"noindex, otherbot: nofollow", PAGE_NOINDEX},
    };
    int64_t until = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(head_robots(str_of(cases[i].value), STR("Scent"), &until), cases[i].flags);
    assert_int_equal(head_robots(STR("scent: noindex, my-bot: nofollow"), STR("my-bot"), &until), PAGE_NOFOLLOW);
}

/* The date after which a page is not to be shown, in every form that is in use. */
static void test_unavailable_after(void **state)
{
    static const int64_t june = INT64_C(1277478000000000); /* 2010-06-25T15:00:00Z */
    static const struct {
        const char *value;
        int64_t until;
        unsigned flags;
    } cases[] = {
        {"unavailable_after: 25 Jun 2010 15:00:00 GMT", june, 0},
        {"Unavailable_After:2010-06-25T15:00:00Z , noindex", june, PAGE_NOINDEX},
        {"nofollow, unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noarchive", june, PAGE_NOFOLLOW | PAGE_NOARCHIVE},
        {"unavailable_after: Friday, 25-Jun-10 15:00:00 GMT", june, 0},
        {"scent: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", june, 0},
        {"otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex", 0, 0},
        {"unavailable_after: 25 Jun 2030 15:00:00 GMT, unavailable_after: 25 Jun 2010 15:00:00 GMT", june, 0},
        {"unavailable_after: 25 Jun 2010 15:00:00 GMT, unavailable_after: 25 Jun 2030 15:00:00 GMT", june, 0},
        {"unavailable_after: soon, noindex", 0, PAGE_NOINDEX},
        {"unavailable_after:", 0, 0},
        {"unavailable_after: ,", 0, 0},
        {"unavailable_after", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t until = 0;

        assert_int_equal(head_robots(str_of(cases[i].value), STR("scent"), &until), cases[i].flags);
        assert_int_equal(until, cases[i].until);
    }
}

static void test_robots_of_a_page(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_analyse(&f,
                                              "X-Robots-Tag: otherbot: noindex\r\nx-robots-tag: noarchive\r\n"
                                              "Content-Type: text/html\r\n",
                                              STR("<meta name=ROBOTS content=nofollow><meta name=otherbot content=noindex>"));

    (void)state;
    assert_int_equal(page->robots, PAGE_NOARCHIVE | PAGE_NOFOLLOW);
    fixture_release(&f);
}

static void test_canonical(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<link rel=stylesheet href=s><link rel='Canonical' href='/c#x'>");

    (void)state;
    assert_str(page->canonical.href, "http://site.test/c");
    fixture_release(&f);
    page = fixture_html(&f, "<p>none");
    assert_null(page->canonical.href.p);
    fixture_release(&f);
}

static void test_content_encoding(void **state)
{
    static const char headers[] = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    const struct str html = STR("<title>packed</title><p>some words");
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct page_fixture f = {0};
    const struct page *page;
    struct buf packed;

    (void)state;
    buf_init(&packed, 0);
    assert_int_equal(http_pack(packer, html, &packed), SCENT_OK);
    page = fixture_analyse(&f, headers, buf_str(&packed));
    assert_str(page->title, "packed");
    assert_int_equal(page->bytes, html.len);
    assert_int_equal(page->truncated, 0);
    fixture_release(&f);
    page = fixture_analyse(&f, headers, str_sub(buf_str(&packed), 0, packed.len - 8)); /* what there is counts */
    assert_str(page->title, "packed");
    fixture_release(&f);
    page = fixture_analyse(&f, headers, STR("not gzip"));
    assert_int_equal(page->truncated, PAGE_UNDECODED);
    assert_int_equal(page->nwords, 0);
    fixture_release(&f);
    page = fixture_analyse(&f, "Content-Encoding: rot13\r\n", html);
    assert_int_equal(page->truncated, PAGE_UNDECODED);
    fixture_release(&f);
    page = fixture_analyse(&f, "Content-Encoding: identity\r\n", html);
    assert_str(page->title, "packed");
    fixture_release(&f);
    f.options.max_bytes = 21;
    page = fixture_analyse(&f, headers, buf_str(&packed));
    assert_int_equal(page->bytes, 21);
    assert_int_equal(page->nwords, 1);
    fixture_release(&f);
    buf_release(&packed);
    http_packer_free(packer);
}

static void test_tags(void **state)
{
    (void)state;
    for (enum page_tag tag = PAGE_TAG_OTHER + 1; tag < PAGE_TAG_COUNT; tag++) {
        assert_int_equal(page_tag_find(str_of(page_tag_name(tag))), tag);
        assert_true(strcmp(page_tag_name(tag - 1), page_tag_name(tag)) < 0);
    }
    assert_int_equal(page_tag_find(STR("blink")), PAGE_TAG_OTHER);
    assert_int_equal(page_tag_find(STR("")), PAGE_TAG_OTHER);
    assert_string_equal(page_tag_name(PAGE_TAG_OTHER), "");
}

static void test_which_title(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<svg><g><title>drawing</title></g></svg><title> The\n<b> &amp; </title>"
                                               "<title>another</title><p>text");

    (void)state;
    assert_str(page->title, "The <b> &");
    assert_str(page->text, "drawing\ntext");
    fixture_release(&f);
}

/* Its cap is met anywhere, also right behind a space. */
static void test_long_title(void **state)
{
    (void)state;
    for (int shift = 0; shift < 8; shift++) {
        struct page_fixture f = {0};
        struct buf html;

        buf_init(&html, 0);
        buf_printf(&html, "<title>%.*s", shift, "01234567");
        for (int i = 0; i < 3000; i++)
            buf_addz(&html, "a &amp; \xc3\xa9");
        buf_addz(&html, "</title>");
        fixture_html(&f, buf_z(&html));
        assert_in_range(f.page.title.len, 4080, 4095);
        fixture_release(&f);
        buf_release(&html);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robots), cmocka_unit_test(test_unavailable_after), cmocka_unit_test(test_robots_of_a_page), cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_content_encoding),
        cmocka_unit_test(test_tags), cmocka_unit_test(test_which_title),
        cmocka_unit_test(test_long_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
