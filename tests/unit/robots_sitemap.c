/* Sitemaps, indexes, lists and feeds, good and bad: the entries that are reported and what is said of the rest. */
#include "base/buf.h"
#include "http/http.h"
#include "robots/sitemap.h"
#include "test.h"

static struct buf story;
static struct sitemap_report report;
static int stop_after;

static bool on_entry(void *ctx, const struct sitemap_entry *entry)
{
    (void)ctx;
    buf_printf(&story, "%.*s", STR_ARG(entry->url));
    if (entry->modified)
        buf_printf(&story, " @%lld", (long long)(entry->modified / 1000000));
    if (entry->priority >= 0)
        buf_printf(&story, " %.2f", entry->priority);
    buf_addc(&story, '\n');
    return stop_after == 0 || --stop_after > 0;
}

static struct str read_bytes(struct str body)
{
    buf_clear(&story);
    assert_int_equal(sitemap_read(body, on_entry, NULL, &report), SCENT_OK);
    return buf_str(&story);
}

static void check(enum sitemap_kind kind, const char *body, const char *want)
{
    assert_str(read_bytes(str_of(body)), want);
    assert_int_equal(report.kind, kind);
    if (report.cut || report.reason[0])
        print_error("%s\n", report.reason);
    assert_false(report.cut);
    assert_string_equal(report.reason, "");
}

static void check_bad(enum sitemap_kind kind, struct str body, const char *want, bool cut, const char *reason)
{
    assert_str(read_bytes(body), want);
    assert_int_equal(report.kind, kind);
    assert_string_equal(report.reason, reason);
    assert_int_equal(report.cut, cut);
}

#define SITEMAP "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"

static void test_urlset(void **state)
{
    (void)state;
    check(SITEMAP_URLS, SITEMAP "<url><loc> http://a/?x=1&amp;y=2 </loc><lastmod>2005-01-01</lastmod>"
          "<priority>0.8</priority></url><url><priority>2</priority><loc><![CDATA[http://a/b]]></loc></url></urlset>",
          "http://a/?x=1&y=2 @1104537600 0.80\nhttp://a/b\n");
    check(SITEMAP_URLS, "\xEF\xBB\xBF \n<?xml version='1.0'?><urlset><url><loc>http://a/?b=1&c=2</loc></url></urlset>",
          "http://a/?b=1&c=2\n");
    check(SITEMAP_URLS, "<urlset xmlns='wrong'><url><loc>/rel</loc><loc>second</loc></url></urlset>", "/rel\n");
    check(SITEMAP_URLS, "<s:urlset><s:url><s:loc>http://a/</s:loc></s:url></s:urlset>", "http://a/\n");
    check(SITEMAP_URLS, "<s:urlset xmlns:s='u'><url><loc>http://a/</loc></url></s:urlset>", "http://a/\n");
    check(SITEMAP_URLS, "<urlset></urlset>", "");
    assert_int_equal(report.entries, 0);
    check(SITEMAP_URLS, "<urlset><url><lastmod>2005</lastmod></url><url><loc>http://a/</loc></url></urlset>",
          "http://a/\n");
    assert_int_equal(report.refused, 1);
    assert_int_equal(report.entries, 1);
}

static void test_extensions_give_no_entries(void **state)
{
    (void)state;
    check(SITEMAP_URLS, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' "
          "xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><url>"
          "<i:image><i:loc>http://a/i.jpg</i:loc></i:image><i:loc>http://a/j.jpg</i:loc>"
          "<loc>http://a/</loc><i:lastmod>2005</i:lastmod></url><i:url><i:loc>http://a/k</i:loc></i:url></urlset>",
          "http://a/\n");
    check(SITEMAP_URLS, SITEMAP "<url><image:image><image:loc>http://a/i</image:loc></image:image>"
          "<image:loc>b</image:loc><loc>http://a/</loc></url></urlset>", "http://a/\n");
    check(SITEMAP_URLS, SITEMAP "<url><PageMap xmlns='p'><loc>http://a/x</loc></PageMap>"
          "<loc>http://a/</loc></url></urlset>", "http://a/\n");
}

static void test_index(void **state)
{
    (void)state;
    check(SITEMAP_INDEX, "<sitemapindex><sitemap><loc>http://a/1.gz</loc><lastmod>2004-10-01T18:23:17+00:00</lastmod>"
          "</sitemap><sitemap>http://a/2</sitemap></sitemapindex>", "http://a/1.gz @1096654997\nhttp://a/2\n");
}

static void test_text(void **state)
{
    (void)state;
    check(SITEMAP_TEXT, "\xEF\xBB\xBFhttp://a/1\r\n\r\n  HTTPS://a/2  \rhttp://a/3\nftp://a/4",
          "http://a/1\nHTTPS://a/2\nhttp://a/3\n");
    assert_int_equal(report.refused, 1);
    check_bad(SITEMAP_NONE, STR("Not found\nhttp://a/"), "", false, "neither XML nor a list of URLs");
    check_bad(SITEMAP_NONE, STR(" \n\t"), "", false, "it is empty");
    check_bad(SITEMAP_NONE, STR(""), "", false, "it is empty");
}

static void test_rss(void **state)
{
    (void)state;
    check(SITEMAP_RSS, "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><link>http://a/</link>"
          "<atom:link href='http://a/feed' rel='self'/><item><link>http://a/1</link><guid>http://a/g</guid>"
          "<pubDate>Sat, 13 Dec 2003 18:30:02 GMT</pubDate><atom:link href='http://a/no'/></item>"
          "<item><guid>http://a/2</guid></item><item><guid isPermaLink='false'>http://a/3</guid></item>"
          "<item><description>&lt;link&gt; &nbsp; x<link>http://a/no</link></description><link>http://a/4</link></item>"
          "</channel></rss>", "http://a/1 @1071340202\nhttp://a/2\nhttp://a/4\n");
    assert_int_equal(report.refused, 1);
    check(SITEMAP_RSS, "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
          "xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
          "<channel><link>http://a/</link></channel><item rdf:about='x'>"
          "<link>http://a/1</link><dc:date>2003-12-13T18:30:02Z</dc:date></item></rdf:RDF>",
          "http://a/1 @1071340202\n");
}

static void test_atom(void **state)
{
    (void)state;
    check(SITEMAP_ATOM, "<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://a/'/><entry>"
          "<published>2002-01-01</published><link href='http://a/1?x&amp;y'/><link rel='edit' href='http://a/e'/>"
          "<link rel=' Alternate ' href='http://a/2'/><updated>2003-12-13T18:30:02.25Z</updated>"
          "<source><link href='http://a/s'/></source><content><link href='http://a/c'/></content></entry>"
          "<entry><link href=''/></entry></feed>", "http://a/1?x&y @1071340202\nhttp://a/2 @1071340202\n");
    assert_int_equal(report.refused, 1);
}

static void test_damage(void **state)
{
    (void)state;
    check_bad(SITEMAP_URLS, STR("<urlset><url><loc>http://a/1</loc></url>\n<url><loc>http://a/2"), "http://a/1\n", true,
              "line 2: the document ends inside an element");
    check_bad(SITEMAP_URLS, STR("<urlset><url><loc>http://a/1</loc><url><loc>http://a/2</loc></url></urlset>"),
              "http://a/1\nhttp://a/2\n", true, "line 1: unexpected end tag </urlset>");
    check_bad(SITEMAP_NONE, STR("<html><body>http://a/</body></html>"), "", false,
              "its root element is <html>: no sitemap and no feed");
    check_bad(SITEMAP_NONE, STR("\xFF\xFE<\0u\0r\0l\0"), "", true,
              "line 1: a NUL byte: this is not text, or UTF-16, which is not read");
}

static void test_forgotten_end_tags(void **state)
{
    (void)state;
    check_bad(SITEMAP_URLS, STR("<urlset>\n<url><loc>http://a/1</url><url><loc>http://a/2</lco></url></nothing></urlset>"),
              "http://a/1\nhttp://a/2\n", true, "line 2: unexpected end tag </url>");
    check_bad(SITEMAP_URLS, STR("<urlset><url><loc>http://a/1</loc></url></urlset>\n\n<urlset>"), "http://a/1\n", true,
              "line 3: there is more behind the root element");
    check_bad(SITEMAP_URLS, STR("<urlset><url><loc>http://a/1</loc></url></urlset> x"), "http://a/1\n", true,
              "line 1: there is more behind the root element");
    check_bad(SITEMAP_NONE, STR("<!-- x --> y"), "", true, "line 1: there is no element");
    check_bad(SITEMAP_NONE, STR("<\xE9\n>"), "", false, "its root element is <?>: no sitemap and no feed");
}

/* Nothing is loaded and nothing is expanded; what is not a reference is text. */
static void test_references(void **state)
{
    (void)state;
    check(SITEMAP_URLS, "<urlset><url><loc>http://a/&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#xE9;</loc></url></urlset>",
          "http://a/<>&\"'AB\xC3\xA9\n");
    check(SITEMAP_URLS, "<urlset><url><loc>http://a/?x=1&y=2&nbsp;& &#; &#x; &#99999999;&#0;&</loc></url></urlset>",
          "http://a/?x=1&y=2&nbsp;& &#; &#x; &#99999999;&#0;&\n");
    check(SITEMAP_URLS, "<!DOCTYPE urlset [<!ENTITY lol 'lol'><!ENTITY l2 '&lol;&lol;'><!ATTLIST a x CDATA 'd'>\n]\n>"
          "<urlset><url><loc>http://a/&l2;</loc></url></urlset>", "http://a/&l2;\n");
    check(SITEMAP_URLS, "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd' [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
          "<urlset><url><loc>http://a/&x;</loc></url></urlset>", "http://a/&x;\n");
    check(SITEMAP_ATOM, "<feed><entry><link href='http://a/?1&amp;2&#38;3&y=4&z;'/></entry></feed>",
          "http://a/?1&2&3&y=4&z;\n");
    check(SITEMAP_URLS, "<urlset><!-- <url> don't -- --><?php <c/> ?><url><loc><![CDATA[http://a/<b>&amp;]]]]></loc></url>"
          "</urlset>", "http://a/<b>&amp;]]\n");
}

static void test_encodings(void **state)
{
    (void)state;
    check(SITEMAP_URLS, "<?xml version='1.0' encoding='UTF-8'?><urlset><url><loc>http://a/\xC3\xA9</loc></url></urlset>",
          "http://a/\xC3\xA9\n");
    check(SITEMAP_URLS, "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a/\xE9</loc></url></urlset>",
          "http://a/\xC3\xA9\n");
    check(SITEMAP_URLS, "<?xml version='1.0' encoding='UTF-8'?><urlset><url><loc>http://a/\xE9t</loc></url></urlset>",
          "http://a/\xC3\xA9t\n");
    check(SITEMAP_ATOM, "<?xml version='1.0' encoding='koi8-r'?><feed><entry><link href='http://a/\xC1'/></entry></feed>",
          "http://a/\xD0\xB0\n");
}

static void test_fn_can_stop(void **state)
{
    (void)state;
    stop_after = 2;
    check(SITEMAP_TEXT, "http://a/1\nhttp://a/2\nhttp://a/3\n", "http://a/1\nhttp://a/2\n");
    stop_after = 1;
    check(SITEMAP_URLS, SITEMAP "<url><loc>http://a/1</loc></url><url><loc>http://a/2</loc></url><broken",
          "http://a/1\n");
    stop_after = 0;
}

static void pack(struct str text, struct buf *out)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);

    assert_int_equal(http_pack(packer, text, out), SCENT_OK);
    http_packer_free(packer);
}

static void test_gzip(void **state)
{
    struct buf packed;

    (void)state;
    buf_init(&packed, 0);
    pack(STR("http://a/1\nhttp://a/"), &packed);
    pack(STR("2\n"), &packed); /* a second member goes on with the same file */
    assert_str(read_bytes(buf_str(&packed)), "http://a/1\nhttp://a/2\n");
    assert_string_equal(report.reason, "");
    size_t first = packed.len;
    buf_addz(&packed, "junk");
    assert_str(read_bytes(buf_str(&packed)), "http://a/1\nhttp://a/2\n");
    assert_false(report.cut);
    assert_str(read_bytes(str_sub(buf_str(&packed), 0, first - 9)), "http://a/1\n"); /* and not half of the second */
    assert_true(report.cut);
    assert_string_equal(report.reason, "its gzip data ends early");
    packed.p[15] ^= 0x40;
    (void)read_bytes(buf_str(&packed));
    assert_true(report.cut);
    buf_release(&packed);
}

/* It comes in pieces, which cut tags and texts anywhere. */
static void test_long_gzip(void **state)
{
    struct buf body, packed, want;

    (void)state;
    buf_init(&body, 0);
    buf_init(&packed, 0);
    buf_init(&want, 0);
    buf_addz(&body, SITEMAP);
    for (int i = 0; i < 20000; i++) {
        buf_printf(&body, "<url>\n<loc attribute='value of %d'>http://a/?x=%d&amp;y=z</loc></url>", i, i);
        buf_printf(&want, "http://a/?x=%d&y=z\n", i);
    }
    buf_addz(&body, "</urlset>");
    pack(buf_str(&body), &packed);
    assert_true(str_eq(read_bytes(buf_str(&packed)), buf_str(&want)));
    assert_string_equal(report.reason, "");
    assert_true(str_eq(read_bytes(buf_str(&body)), buf_str(&want)));
    body.len -= sizeof "</urlset>" - 1;
    (void)read_bytes(buf_str(&body));
    assert_string_equal(report.reason, "line 20001: the document ends inside an element");
    buf_release(&body);
    buf_release(&packed);
    buf_release(&want);
}

static bool count(void *ctx, const struct sitemap_entry *entry)
{
    (void)entry;
    ++*(size_t *)ctx;
    return true;
}

static void test_caps(void **state)
{
    struct buf body, packed;
    size_t n = 0;

    (void)state;
    buf_init(&body, 0);
    buf_init(&packed, 0);
    for (int i = 0; i < SITEMAP_MAX_ENTRIES + 3; i++)
        buf_printf(&body, "http://a/%d\n", i);
    assert_int_equal(sitemap_read(buf_str(&body), count, &n, &report), SCENT_OK);
    assert_int_equal(n, SITEMAP_MAX_ENTRIES);
    assert_int_equal(report.refused, 3);
    assert_true(report.cut);
    assert_string_equal(report.reason, "it has more than 50,000 entries");

    buf_clear(&body);
    buf_addz(&body, SITEMAP "<url><loc>http://a/");
    while (body.len < 20000)
        buf_addz(&body, "long");
    buf_addz(&body, "</loc></url><url><loc>http://a/</loc></url></urlset>");
    assert_str(read_bytes(buf_str(&body)), "http://a/\n");
    assert_int_equal(report.refused, 1);

    buf_clear(&body);
    buf_addz(&body, SITEMAP "<url><loc>http://a/</loc></url>\n<url ");
    while (body.len < 200000)
        buf_addz(&body, "b='' ");
    check_bad(SITEMAP_URLS, buf_str(&body), "http://a/\n", true, "line 2: a tag is longer than 64 KiB");

    buf_clear(&body);
    buf_addz(&body, SITEMAP "<url><loc>http://a/</loc></url>");
    for (int i = 0; i < 300; i++)
        buf_addz(&body, "<x xmlns='y'>");
    check_bad(SITEMAP_URLS, buf_str(&body), "http://a/\n", true, "line 1: elements are nested deeper than 256");

    buf_clear(&body);
    buf_addz(&body, SITEMAP "<url><loc>http://a/</loc></url>");
    assert_true(buf_reserve(&body, SITEMAP_MAX_BYTES));
    memset(body.p + body.len, ' ', SITEMAP_MAX_BYTES);
    body.len += SITEMAP_MAX_BYTES;
    pack(buf_str(&body), &packed);
    assert_str(read_bytes(buf_str(&packed)), "http://a/\n");
    assert_true(report.cut);
    assert_string_equal(report.reason, "it is larger than 50 MiB");
    buf_release(&body);
    buf_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urlset), cmocka_unit_test(test_extensions_give_no_entries),
        cmocka_unit_test(test_index),  cmocka_unit_test(test_text),
        cmocka_unit_test(test_rss),    cmocka_unit_test(test_atom),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_forgotten_end_tags),
        cmocka_unit_test(test_references), cmocka_unit_test(test_encodings), cmocka_unit_test(test_fn_can_stop),
        cmocka_unit_test(test_gzip), cmocka_unit_test(test_long_gzip), cmocka_unit_test(test_caps),
    };
    buf_init(&story, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    buf_release(&story);
    return failed;
}
