/* The events of documents, written down as text and compared; every document is also fed byte by byte. */
#include "base/buf.h"
#include "test.h"
#include "xml/xml.h"

static struct buf story;
static int stop_after; /* events; 0: never */

static bool go_on(void)
{
    return stop_after == 0 || --stop_after > 0;
}

static bool on_start(void *ctx, const struct xml_element *e)
{
    (void)ctx;
    buf_printf(&story, "<%.*s", STR_ARG(e->name));
    if (e->ns.len)
        buf_printf(&story, "{%.*s}", STR_ARG(e->ns));
    else if (e->prefix.len)
        buf_printf(&story, "(%.*s)", STR_ARG(e->prefix));
    for (size_t i = 0; i < e->nattrs; i++)
        buf_printf(&story, " %.*s='%.*s'", STR_ARG(e->attrs[i].name), STR_ARG(e->attrs[i].value));
    buf_addc(&story, '>');
    return go_on();
}

static bool on_end(void *ctx, struct str name, unsigned depth)
{
    (void)ctx;
    buf_printf(&story, "</%.*s %u>", STR_ARG(name), depth);
    return go_on();
}

static bool on_text(void *ctx, struct str text)
{
    (void)ctx;
    buf_add(&story, text);
    return true;
}

static const struct xml_events events = {on_start, on_end, on_text};
static char fault[256];

static struct str read_in(struct str text, size_t piece)
{
    struct xml *xml = xml_new(&events, NULL);

    buf_clear(&story);
    for (size_t at = 0; at < text.len; at += piece) {
        size_t end = text.len - at < piece ? text.len : at + piece;

        assert_int_equal(xml_feed(xml, str_sub(text, at, end)), SCENT_OK);
    }
    assert_int_equal(xml_finish(xml), SCENT_OK);
    snprintf(fault, sizeof fault, "%s", xml_fault(xml));
    xml_free(xml);
    return buf_str(&story);
}

/* Reads `text` in pieces of 1, 2, 3, 7 bytes and whole: the same each time. */
static void check(const char *text, const char *want, const char *want_fault)
{
    static const size_t pieces[] = {1, 2, 3, 7, 1000000};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_str(read_in(str_of(text), pieces[i]), want);
        assert_string_equal(fault, want_fault);
    }
}

static void test_elements(void **state)
{
    (void)state;
    check("<a><b c='1' d=\"2\">t</b><e/></a>", "<a><b c='1' d='2'>t</b 2><e></e 2></a 1>", "");
    check("<?xml version='1.0' encoding='UTF-8'?>\n<a>\xC3\xA9</a>\n", "<a>\xC3\xA9</a 1>", "");
    check("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>", "<a>\xC3\xA9</a 1>", "");
    check("<a b='x>y'>1 > 0</a>", "<a b='x>y'>1 > 0</a 1>", "");
    check("<a><![CDATA[<b>&amp;]]]]></a>", "<a><b>&amp;]]</a 1>", "");
    check("<a> <!-- <b/> don't -- --><?php <c/> ?>x</a>", "<a> x</a 1>", "");
}

static void test_namespaces(void **state)
{
    (void)state;
    check("<a xmlns='u:1' xmlns:p='u:2'><p:b p:c='1'/></a>", "<a{u:1}><b{u:2} c='1'></b 2></a 1>", "");
    check("<a><p:b/></a>", "<a><b(p)></b 2></a 1>", "");
}

static void test_references(void **state)
{
    (void)state;
    check("<a b='1&amp;2&#38;3&lt;'>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a>", "<a b='1&2&3<'><>&\"'AB</a 1>", "");
    check("<a b='?x=1&y=2&z;'>?x=1&y=2&nbsp;& &#; &#x; &#99999999;&</a>",
          "<a b='?x=1&y=2&z;'>?x=1&y=2&nbsp;& &#; &#x; &#99999999;&</a 1>", "");
}

static void test_doctype_is_dropped(void **state)
{
    (void)state;
    check("<!DOCTYPE a [<!ENTITY lol 'lol'><!ENTITY l2 '&lol;&lol;'><!ATTLIST a x CDATA 'd'>\n]\n><a>&l2;</a>",
          "<a>&l2;</a 1>", "");
    check("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a>&x;</a>", "<a>&x;</a 1>", "");
    check("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a b='&x;'>&x;</a>", "<a b='&x;'>&x;</a 1>", "");
}

static void test_damage_comes_after_what_was_good(void **state)
{
    (void)state;
    check("<a><b>1</b>\n<b>23", "<a><b>1</b 2>\n<b>23", "line 2: the document ends inside an element");
    check("", "", "line 1: there is no element");
    check("no xml", "", "line 1: there is no element");
    check("<a/>x", "<a></a 1>", "line 1: Extra content at the end of the document");
    check("<a><b>1</c><b>2</b></a>", "<a><b>1</b 2><b>2</b 2></a 1>",
          "line 1: Opening and ending tag mismatch: b line 1 and c");
}

static void test_nul_ends_it(void **state)
{
    (void)state;
    struct str text = STR("<a>1</a>\0<b/>");

    assert_str(read_in(text, 1), "<a>1</a 1>");
    assert_string_equal(fault, "line 1: a NUL byte: this is no text, or UTF-16, which is not read");
    (void)read_in(STR("\xFF\xFE<\0a\0/\0>\0"), 100);
    assert_non_null(strstr(fault, "UTF-16"));
}

static void test_an_event_can_stop(void **state)
{
    (void)state;
    stop_after = 2;
    assert_str(read_in(STR("<a><b/><c/></a>"), 100), "<a><b>");
    assert_string_equal(fault, "");
    stop_after = 0;
}

/* `head`, then `before` i `after` until `size` bytes are there. */
static void fill(struct buf *text, const char *head, const char *before, const char *after, size_t size)
{
    buf_clear(text);
    buf_addz(text, head);
    for (unsigned i = 10000; text->len < size; i++)
        buf_printf(text, "%s%u%s", before, i, after);
}

static void test_caps(void **state)
{
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    fill(&text, "<a ", "b", "='' ", 2 * XML_MAX_TAG);
    assert_str(read_in(buf_str(&text), 1000), "");
    assert_string_equal(fault, "line 1: a tag is longer than 64 KiB");
    fill(&text, "<a ", "b", "='' ", XML_MAX_TAG / 2);
    buf_addz(&text, "/>");
    assert_str(read_in(buf_str(&text), 1000), "");
    assert_string_equal(fault, "line 1: an element has more than 256 attributes");
    fill(&text, "<a b='", "", "", XML_MAX_TAG);
    buf_addz(&text, "'/>");
    assert_str(read_in(buf_str(&text), 1 << 20), "");
    assert_string_equal(fault, "line 1: a tag is longer than 64 KiB");
    fill(&text, "<r>", "<a", "/>", 1 << 22);
    (void)read_in(buf_str(&text), 1 << 20);
    assert_string_equal(fault, "line 1: its different names take more than 1 MiB");
    fill(&text, "", "<a", ">", 8 * 300);
    assert_int_equal(read_in(buf_str(&text), 1000).len, 8 * XML_MAX_DEPTH);
    assert_string_equal(fault, "line 1: elements are nested deeper than 256");
    buf_release(&text);
}

/* The same attack where the screen sees no tag: the declaration turns the bytes into others. */
static void test_caps_in_an_encoding_unlike_ascii(void **state)
{
    struct buf text;

    (void)state;
    buf_init(&text, 0);
    fill(&text, "<?xml version='1.0' encoding='UTF-7'?><r>+ADw-a ", "b", "='' ", 4 * XML_MAX_TAG);
    buf_addz(&text, "+AD4-</r>");
    assert_str(read_in(buf_str(&text), 1 << 20), "<r>");
    assert_string_equal(fault, "line 1: a token is too long");
    buf_release(&text);
}

static void test_long_texts_come_whole(void **state)
{
    struct buf text;
    size_t got;

    (void)state;
    buf_init(&text, 0);
    fill(&text, "<a>", "123", "", 1 << 20);
    buf_addz(&text, "<!-- ");
    while (text.len < 3 << 19)
        buf_addz(&text, "dropped ");
    buf_addz(&text, "--></a>");
    got = read_in(buf_str(&text), 777).len;
    assert_int_equal(got, read_in(buf_str(&text), 1 << 22).len);
    assert_true(got > (1 << 20) && got < (1 << 20) + 32);
    assert_string_equal(fault, "");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_doctype_is_dropped),
        cmocka_unit_test(test_damage_comes_after_what_was_good),
        cmocka_unit_test(test_nul_ends_it),
        cmocka_unit_test(test_an_event_can_stop),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_caps_in_an_encoding_unlike_ascii),
        cmocka_unit_test(test_long_texts_come_whole),
    };
    buf_init(&story, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    buf_release(&story);
    return failed;
}
