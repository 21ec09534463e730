/* Links: which, resolved against what, with which words. */
#include "page_fixture.h"

static void test_resolved_and_normalised(void **state)
{
    struct page_fixture f = {.options = {.key = 7, .url_flags = URL_STRIP_TRACKING}};
    const struct page *page = fixture_html(&f, "<a href=a.html>A</a><a href='/b?utm_source=x&amp;y=1#top'>B</a>"
                                               "<a href=' HTTP://Other.TEST:80/%7ec '>C</a>");

    (void)state;
    assert_int_equal(page->nlinks, 3);
    assert_str(page->links[0].url.href, "http://site.test/dir/a.html");
    assert_str(page->links[1].url.href, "http://site.test/b?y=1");
    assert_str(page->links[2].url.href, "http://other.test/~c");
    assert_true(page->links[0].fingerprint == url_fingerprint(page->links[0].url.href, 7));
    fixture_release(&f);
}

static void test_left_out(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(
        &f, "<a>none</a><a href>empty</a><a href=' '>blank</a><a href=mailto:a@b.test>m</a><a href='javascript:x()'>j</a>"
            "<a href='http://[bad'>bad</a><a href='#top'>self</a><a href=page.html>self</a><a href='?'>self</a>"
            "<a href='ftp://x.test/'>f</a><template><a href=t>t</a></template><a href=ok>ok</a>");

    (void)state;
    assert_int_equal(page->nlinks, 1);
    assert_str(page->links[0].url.href, "http://site.test/dir/ok");
    fixture_release(&f);
}

static void test_base(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<a href=before>x</a><base href='/sub/'><base href='/no/'><a href=a>x</a>");

    (void)state;
    assert_str(page->base.href, "http://site.test/sub/");
    assert_str(page->links[0].url.href, "http://site.test/sub/before");
    assert_str(page->links[1].url.href, "http://site.test/sub/a");
    fixture_release(&f);

    page = fixture_html(&f, "<base href='data:x'><a href=a>x</a>");
    assert_str(page->base.href, "http://site.test/dir/page.html");
    assert_str(page->links[0].url.href, "http://site.test/dir/a");
    fixture_release(&f);
}

static void test_anchor_words(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(
        &f, "<p>one <a href=a>two <b>three</b><img alt='Four' title='five six'></a> seven <img alt=nothing>"
            "<a href=b><img alt='Eight nine' title='Eight nine'></a><a href=c></a> ten");
    const struct page_link *links = page->links;

    (void)state;
    assert_int_equal(page->nlinks, 3);
    assert_words(page, 0, page->nwords, "one two three four five six seven eight nine ten");
    assert_words(page, links[0].first_word, links[0].end_word, "two three four five six");
    assert_words(page, links[1].first_word, links[1].end_word, "eight nine");
    assert_int_equal(links[2].first_word, links[2].end_word);
    assert_int_equal(page->nodes[links[0].node].tag, PAGE_TAG_A);
    assert_int_equal(links[1].node, find_node(page, PAGE_TAG_A, 1));
    assert_str(page->text, "one two three seven ten");
    assert_str(links[0].anchor, "two three");
    assert_str(links[1].anchor, "Eight nine");
    assert_str(links[2].anchor, "");
    fixture_release(&f);
}

static void test_anchor_text(void **state)
{
    struct page_fixture f = {0};
    char html[1000] = "<a href=a> A&amp;B\n<p>c </p><div>d</div></a>e<map><area href=b alt=' \n the  north '></map>"
                      "<a name=n><img alt=no></a>"
                      "<a href=c>x";
    const struct page *page;

    (void)state;
    for (int i = 0; i < 200; i++)
        strcat(html, "é");
    page = fixture_html(&f, html);
    assert_int_equal(page->nlinks, 3);
    assert_str(page->links[0].anchor, "A&B c d");
    assert_str(page->links[1].anchor, "the north");
    assert_int_equal(page->links[2].anchor.len, 255); /* whole characters */
    fixture_release(&f);
}

static void test_rel(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<a href=a rel='nofollow'>x</a><a href=b rel='UGC, Sponsored noopener'>x</a>"
                                               "<a href=c rel=nofollowing>x</a>");

    (void)state;
    assert_int_equal(page->links[0].rel, PAGE_REL_NOFOLLOW);
    assert_int_equal(page->links[1].rel, PAGE_REL_UGC | PAGE_REL_SPONSORED);
    assert_int_equal(page->links[2].rel, 0);
    fixture_release(&f);
}

static void test_other_elements(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(
        &f, "<meta http-equiv=Refresh content=\"3; URL='next.html'\"><iframe src=i>inside</iframe>"
            "<map><area href=m alt='North side'></map><noscript><a href=n>no script</a></noscript>");

    (void)state;
    assert_int_equal(page->nlinks, 4);
    assert_str(page->links[0].url.href, "http://site.test/dir/next.html");
    assert_int_equal(page->links[0].kind, PAGE_LINK_REFRESH);
    assert_int_equal(page->links[1].kind, PAGE_LINK_FRAME);
    assert_str(page->links[2].url.href, "http://site.test/dir/m");
    assert_words(page, page->links[2].first_word, page->links[2].end_word, "north side");
    assert_words(page, 0, page->nwords, "north side");
    assert_str(page->links[3].url.href, "http://site.test/dir/n");
    fixture_release(&f);
}

static void test_refresh_forms(void **state)
{
    static const char *const cases[][2] = {
        {"0;url=a", "http://site.test/dir/a"},  {"0; URL = a", "http://site.test/dir/a"},
        {"5", NULL},                            {"5;", NULL},
        {"0;a", "http://site.test/dir/a"},      {"0, url=\"a b\" c", "http://site.test/dir/a%20b"},
        {"foo; url=a", NULL},                   {"0.5;url=/x", "http://site.test/x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct page_fixture f = {0};
        char html[200];
        const struct page *page;

        snprintf(html, sizeof html, "<meta http-equiv=refresh content='%s'>", cases[i][0]);
        page = fixture_html(&f, html);
        assert_int_equal(page->nlinks, cases[i][1] != NULL);
        if (cases[i][1])
            assert_str(page->links[0].url.href, cases[i][1]);
        fixture_release(&f);
    }
}

static void test_xhtml(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_analyse(
        &f, "Content-Type: application/xhtml+xml\r\n",
        STR("<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"fr\"><head><title>T</title>"
            "<script src=\"s\" /></head><body><p>un<br/>deux <a href=\"x\"/></p></body></html>"));

    (void)state;
    assert_str(page->mime, "application/xhtml+xml");
    assert_str(page->lang, "fr");
    assert_str(page->text, "un\ndeux");
    assert_int_equal(page->nlinks, 1);
    fixture_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolved_and_normalised), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_base),                    cmocka_unit_test(test_anchor_words),
        cmocka_unit_test(test_anchor_text),             cmocka_unit_test(test_rel),
        cmocka_unit_test(test_other_elements),          cmocka_unit_test(test_refresh_forms),
        cmocka_unit_test(test_xhtml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
