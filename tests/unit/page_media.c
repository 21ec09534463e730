/* What is read as text: by type and by the first bytes. */
#include "page/media.h"
#include "page_fixture.h"

static void check(const char *mime, struct str body, enum media want)
{
    if (media_of(str_of(mime), body, str_of(mime)) != want) {
        print_error("%s: \"%.*s\"\n", mime, STR_ARG(body));
        fail();
    }
}

static void test_types(void **state)
{
    (void)state;
    check("text/html", STR("<p>x"), MEDIA_TEXT);
    check("text/html", STR("zeros \0 and \1 are read over"), MEDIA_TEXT);
    check("text/html", STR("PK\x03\x04 an archive"), MEDIA_BINARY);
    check("text/html", STR("%PDF-1.7 a document"), MEDIA_PDF);
    check("", STR("plain"), MEDIA_TEXT);
    check("", STR("not \1 plain"), MEDIA_BINARY);
    check("", STR(""), MEDIA_TEXT);
    check("text/plain", STR("not \1 plain"), MEDIA_BINARY);
    check("text/plain", STR("\xFF\xFEh\0i\0"), MEDIA_TEXT);
    check("unknown", STR("plain"), MEDIA_TEXT);
    check("image/png", STR("anything"), MEDIA_BINARY);
    check("image/svg+xml", STR("<svg>"), MEDIA_TEXT);
    check("application/octet-stream", STR("anything"), MEDIA_BINARY);
    check("application/xhtml+xml", STR("<p>"), MEDIA_TEXT);
    check("application/rss+xml", STR("<rss>"), MEDIA_TEXT);
    check("application/json", STR("{}"), MEDIA_TEXT);
    check("application/pdf", STR("\n\n%PDF-1.4"), MEDIA_PDF);
    check("application/pdf", STR("<p>not found"), MEDIA_BINARY);
    check("video/mp4", STR("\0\0\0\x18" "ftypmp42"), MEDIA_BINARY);
    assert_int_equal(media_of(STR("text/plain"), STR("h\0i\0"), STR("text/plain; charset=utf-16le")), MEDIA_TEXT);
}

/* No word is read from what is not text. */
static void test_pages(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_analyse(&f, "Content-Type: image/png\r\n", STR("\x89PNG many words"));

    (void)state;
    assert_true(page->truncated & PAGE_NOT_TEXT && page->nwords == 0 && page->bytes == 15);
    assert_string_equal(page->not_text, "not text");
    fixture_release(&f);
    page = fixture_analyse(&f, "Content-Type: application/pdf\r\n", STR("%PDF-1.4 many words"));
    assert_string_equal(page->not_text, "PDFs cannot be read here");
    assert_int_equal(page->nwords, 0);
    fixture_release(&f);
}

static const char *read_as_html(const void *ctx, struct str body, struct buf *html)
{
    assert_true(str_starts(body, STR("%PDF-")));
    buf_addz(html, ctx);
    return NULL;
}

/* The names that a reader gives to the pages of a document are not links. */
static void test_documents(void **state)
{
    static const char html[] = "<title>Rinks</title><a href=http://a.test/x>one</a> <a href='3.html#2'>page two</a>";
    struct page_fixture f = {.options = {.pdf = {read_as_html, html}}};
    const struct page *page = fixture_analyse(&f, "Content-Type: application/pdf\r\n", STR("%PDF-1.4"));

    (void)state;
    assert_null(page->not_text);
    assert_str(page->mime, "application/pdf");
    assert_words(page, 0, page->nwords, "rinks one page two");
    assert_int_equal(page->nlinks, 1);
    assert_str(page->links[0].url.href, "http://a.test/x");
    fixture_release(&f);
    /* whatever its type is said to be */
    page = fixture_analyse(&f, "Content-Type: application/octet-stream\r\n", STR("%PDF-1.4"));
    assert_int_equal(page->nlinks, 1);
    fixture_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
