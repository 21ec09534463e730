/* The tokens of XML documents, written down as text and compared, however the document is cut into pieces. */
#include "base/buf.h"
#include "page/token.h"
#include "test.h"

static struct buf story;
static bool too_long;

static void tell(const struct token *token)
{
    struct str prefix, local;

    switch (token->kind) {
    case TOKEN_TEXT:
        buf_add(&story, token->text);
        break;
    case TOKEN_INSTRUCTION:
        buf_printf(&story, "{%.*s|%.*s}", STR_ARG(token->written), STR_ARG(token->text));
        break;
    case TOKEN_END:
        buf_printf(&story, "</%.*s>", STR_ARG(token->written));
        break;
    case TOKEN_START:
        local = token_local_name(token->written, &prefix);
        buf_printf(&story, prefix.len ? "<(%.*s)%.*s" : "<%.*s%.*s", STR_ARG(prefix), STR_ARG(local));
        for (unsigned i = 0; i < token->attributes.count; i++)
            buf_printf(&story, " %.*s='%.*s'", STR_ARG(token->attributes.items[i].name),
                       STR_ARG(token->attributes.items[i].value));
        buf_addz(&story, token->closes_itself ? "/>" : ">");
    }
}

static struct str read_in(struct str text, size_t size)
{
    struct tokenizer tokenizer;
    struct token token;
    size_t at = 0;

    buf_clear(&story);
    tokenizer_init(&tokenizer);
    tokenizer_start_xml(&tokenizer);
    do {
        size_t end = text.len - at < size ? text.len : at + size;
        char *piece = str_dup(str_sub(text, at, end)); /* gone before the next one comes */

        assert_non_null(piece);
        assert_int_equal(tokenizer_feed(&tokenizer, (struct str){piece, end - at}, end == text.len), SCENT_OK);
        while (token_next_xml(&tokenizer, &token))
            tell(&token);
        memset(piece, '>', end - at);
        free(piece);
        at = end;
    } while (at < text.len);
    too_long = tokenizer.too_long;
    tokenizer_release(&tokenizer);
    return buf_str(&story);
}

static void check(const char *text, const char *want)
{
    static const size_t sizes[] = {1, 2, 3, 7, 1000000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_str(read_in(str_of(text), sizes[i]), want);
        assert_false(too_long);
    }
}

static void test_elements(void **state)
{
    (void)state;
    check("<a><b c='1' d=\"2\">t</b><e/></a>", "<a><b c='1' d='2'>t</b><e/></a>");
    check("<?xml version='1.0' encoding='UTF-8'?>\n<a>\xC3\xA9</a>\n", "{xml|version='1.0' encoding='UTF-8'}\n<a>\xC3\xA9</a>\n");
    check("<a b='x>y'>1 > 0 < 2</a>", "<a b='x>y'>1 > 0 < 2</a>");
    check("<image:image xmlns:image='u:1'><image:loc/></image:image>",
          "<(image)image xmlns:image='u:1'><(image)loc/></image:image>");
    check("<_a\n:b = '1'></_a >", "<_a :b='1'></_a>");
    check("<\xC3\xA9t\xC3\xA9/>", "<\xC3\xA9t\xC3\xA9/>");
}

static void test_what_is_not_text(void **state)
{
    (void)state;
    check("<a><![CDATA[<b>&amp;]]]]></a>", "<a><b>&amp;]]</a>");
    check("<a><![CDATA[]]>x<![CDATA[y]]></a>", "<a>xy</a>");
    check("<a> <!-- <b/> don't -- --><?php <c/> ?>x</a>", "<a> {php|<c/>}x</a>");
    check("<!DOCTYPE a [<!ENTITY lol 'l>]l'><!-- don't ]> --><?x ]>'?><!ATTLIST a x CDATA 'd'>\n]\n><a>&l2;</a>",
          "<a>&l2;</a>");
    check("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a>&x;</a>", "<a>&x;</a>");
}

static void test_references(void **state)
{
    (void)state;
    check("<a b='1&amp;2&#38;3&lt;'>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#xE9;</a>", "<a b='1&2&3<'><>&\"'AB\xC3\xA9</a>");
    check("<a>&#x0000000000000000000000000041;&#x00000000000000000000000000041;</a>",
          "<a>A&#x00000000000000000000000000041;</a>");
    check("<a b='?x=1&y=2&z;'>?x=1&copy=2&nbsp;& &#; &#x; &#99999999;&#0;&</a>",
          "<a b='?x=1&y=2&z;'>?x=1&copy=2&nbsp;& &#; &#x; &#99999999;&#0;&</a>");
}

static void test_damage(void **state)
{
    (void)state;
    check("", "");
    check("no xml", "no xml");
    check("<a><b>1</b>\n<b>23", "<a><b>1</b>\n<b>23");
    check("<a><b>1</c>", "<a><b>1</c>");
    check("<a>1<b c='", "<a>1");
    check("<a b='1 <c>2</c><d e=f g=\"<h i<j<k l=m<n/>",
          "<a b='1 '><c>2</c><d e='' g=''><h i=''><j><k l=''><n/>");
    check("<a>1<!-- 2", "<a>1");
    check("<a>1<![CDATA[2]", "<a>12]");
    check("<a>1<![CDAT", "<a>1");
    check("<a>1<?x", "<a>1");
    check("<a>1<!D [", "<a>1");
    check("<a>1<", "<a>1<");
    check("<a>1&am", "<a>1&am");
}

static void fill(struct buf *text, const char *what, size_t size)
{
    while (text->len < size)
        buf_addz(text, what);
}

static void test_long_things(void **state)
{
    struct buf text;
    size_t got;

    (void)state;
    buf_init(&text, 0);
    buf_addz(&text, "<a>");
    fill(&text, "123 &amp; ", 1 << 20);
    buf_addz(&text, "<!-- ");
    fill(&text, "dropped ", 3 << 19);
    buf_addz(&text, "--><![CDATA[");
    fill(&text, "kept ", 4 << 19);
    buf_addz(&text, "]]></a>");
    got = read_in(buf_str(&text), 777).len;
    assert_int_equal(got, read_in(buf_str(&text), 1 << 22).len);
    assert_true(got > 1 << 20 && got < 3 << 19);
    buf_clear(&text);
    buf_addz(&text, "<a><b ");
    fill(&text, "c='' ", 3 * TOKEN_HELD_MAX);
    assert_str(read_in(buf_str(&text), 1000), "<a>");
    assert_true(too_long);
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),   cmocka_unit_test(test_what_is_not_text), cmocka_unit_test(test_references),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_long_things),
    };
    buf_init(&story, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    buf_release(&story);
    return failed;
}
