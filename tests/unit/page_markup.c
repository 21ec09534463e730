/* The parser: tags, references, comments, and which element ends which. */
#include "base/buf.h"
#include "page/markup.h"
#include "test.h"

static void on_start(void *ctx, enum page_tag tag, const struct token_attributes *attributes)
{
    const char *name = tag == PAGE_TAG_OTHER ? "?" : page_tag_name(tag);

    buf_printf(ctx, "<%s", name);
    for (unsigned i = 0; i < attributes->count; i++)
        buf_printf(ctx, " %.*s=%.*s", STR_ARG(attributes->items[i].name), STR_ARG(attributes->items[i].value));
    buf_addc(ctx, '>');
}

static void on_end(void *ctx)
{
    buf_addc(ctx, '/');
}

static void on_text(void *ctx, struct str text)
{
    buf_add(ctx, text);
}

/* The events of `html` inside the root: "<b>" a start, "/" an end. */
static void check_as(bool xml, const char *html, const char *want)
{
    struct markup markup;
    struct buf got;
    struct markup_sink sink = {on_start, on_end, on_text, &got};
    bool too_deep;

    buf_init(&got, 0);
    markup_init(&markup);
    markup_parse(&markup, str_of(html), xml, &sink, &too_deep);
    assert_false(too_deep);
    assert_true(str_starts(buf_str(&got), STR("<html>")) && str_ends(buf_str(&got), STR("/")));
    assert_str(str_sub(buf_str(&got), 6, got.len - 1), want);
    markup_release(&markup);
    buf_release(&got);
}

static void check(const char *html, const char *want)
{
    check_as(false, html, want);
}

static void test_tags(void **state)
{
    (void)state;
    check("<p>a</p>", "<p>a/");
    check("<P\n CLASS=x >a</P\t>", "<p CLASS=x>a/");
    check("<B\n CLASS=x >a</B\t>", "<b>a/");
    check("<a HREF=x/y title='a \"b\"' c = \"d>e\" f g=>t", "<a HREF=x/y title=a \"b\" c=d>e f= g=>t/");
    check("<a/href=x>t", "<a href=x>t/");
    check("<a href='x'title=y>t", "<a href=x title=y>t/");
    check("<a =x>t", "<a =x=>t/");
    check("<a href==x>t", "<a href==x>t/");
    check("<a href=\"x\"\"y\">t", "<a href=x \"y\"=>t/");
    check("<a href=a\"b'c`d=e<f>t", "<a href=a\"b'c`d=e<f>t/");
    check("<a href = x / title>t", "<a href=x title=>t/");
    check("<a href\n=\n'x'\n>t", "<a href=x>t/");
    check("<a href=x href=y>t", "<a href=x href=y>t/"); /* token_attribute() takes the first */
    check("<a href=x/>t</a>u", "<a href=x/>t/u");
    check("<a<b>t</a<b>u", "<?>t/u");
    check("<div<p>a</div>b", "<?>ab/");
    check("</a href='>'>x", "x");
    check("a < b <3 <> </> x", "a < b <3 <>  x");
    check("x<a href='never closed", "x");
    check("x<a", "x");
    check("x<", "x<");
    check("x</", "x</");
    check("<o:p>a</o:p><x-y>b</x-z>c</x-y>d", "<?>a/<?>bc/d");
}

static void test_comments(void **state)
{
    (void)state;
    check("a<!-- <p> -->b<!-->c<!--->d<!-- - -- > --!>e<!---->f<!-- ---->g", "abcdefg");
    check("a<!DOCTYPE html>b<?php x ?>c</ x>d<![CDATA[x]]>e", "abcde");
    check("a<!-- never closed <p>", "a");
    check("a<!--->b<!---->c<!----->d<!----!>e", "abcde");
    check("a<!---!>b-->c<!--!>d-->e<!-- --!b-->f", "acef");
    check("a<!--<!-->b<!--<!--x-->c", "abc");
    check("a<!>b<!x>c<?>d</?>e</!>f", "abcdef");
    check("a<!DOCTYPE html PUBLIC \"x>y\">b", "ay\">b");
}

static void test_references(void **state)
{
    (void)state;
    check("&lt;&AMP;&eacute;&eacute &notit; &notin; &nGt;&CounterClockwiseContourIntegral;", "<&éé ¬it; ∉ ≫⃒∳");
    check("&#65;&#x41;&#X42 &#128;&#0;&#xD800;&#1114112;&#99999999999;", "AAB €����");
    check("& &; &# &#; &#x; &xyzzy; &Eacute", "& &; &# &#; &#x; &xyzzy; É");
    check("a&NewLine;b&Tab;", "a\nb\t");
    check("&amp&amp;&ampx&am;&a", "&&&x&am;&a");
    check("&not&notin&notin;", "¬¬in∉");
    check("&#x80;&#x81;&#x9F;&#150;&#13;", "€\xC2\x81Ÿ–\r");
    check("&#x10FFFF;&#xFDD0;&#55296", "\xF4\x8F\xBF\xBF\xEF\xB7\x90�");
    check("&lt;p&gt;&#60;p>", "<p><p>");
    check("<a href='&lt=&lt;=&amp=&#38=&ltx'>", "<a href=&lt=<=&amp=&=&ltx>/");
    check("<a href='?a&copy=1&copy;2&amp;b&lt&copyx&copy'>", "<a href=?a&copy=1©2&b<&copyx©>/");
}

static void test_raw_text(void **state)
{
    (void)state;
    check("<script>if (a<b) '</p>' </scriptx> </SCRIPT >x", "<script>/x");
    check("<title>a <b> &amp; </title>x", "<title>a <b> & /x");
    check("<textarea><p></textarea>x", "<textarea><p>/x");
    check("<style>never closed <p>", "<style>/");
    check("<noscript><p>x</noscript>y", "<noscript><p>x//y");
    check("<noscript><img><span>x</noscript>y", "<noscript><img>/<span>x//y");
    check("<script><!-- <script> </script> --> </script>x", "<script>/x");
    check("<script><!-- <script> </script> </script>x", "<script>/x");
    check("<script><!-- </script>x", "<script>/x");
    check("<script><!-- <script> --> </script>x", "<script>/x");
    check("<script><!--><script></script>x", "<script>/x");
    check("<script><!-- <scriptx> </script>x", "<script>/x");
    check("<script>a</script", "<script>/");
    check("<title>a</titlex></title/>x", "<title>a</titlex>/x");
    check("<xmp><b>&amp;</xmp>x<noembed><p></noembed>y", "<xmp><b>&amp;/x<noembed>/y");
    check("<plaintext><p>&amp;</plaintext>", "<plaintext><p>&amp;</plaintext>/");
    check("<p><![CDATA[a]]>b</p><svg><![CDATA[<c>&amp;]]></svg><![CDATA[d]]>e", "<p>b/<svg><c>&amp;/e");
    check("<svg><desc><![CDATA[x]]><style><b></style>", "<svg><desc><style>///");
    check("<math><![CDATA[never closed ]]", "<math>never closed ]]/");
    check("<svg><style>a</style><g/><title>t</title></svg>", "<svg><style>a/<?>/<title>t//");
}

static void test_implied_ends(void **state)
{
    (void)state;
    check("<p>a<p>b<div>c</div>d", "<p>a/<p>b/<div>c/d");
    check("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "<ul><li>a/<li>b<ul><li>c///<li>d//e");
    check("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a/<dd>b/<dt>c//");
    check("<table><tr><td>a<td>b<tr><th>c</table>d", "<table><tr><td>a/<td>b//<tr><th>c///d");
    check("<table><tbody><tr><td>a<tbody><tr><td>b</table>", "<table><tbody><tr><td>a///<tbody><tr><td>b////");
    check("<table><tr><td><table><tr><td>a</table>b<td>c</table>",
          "<table><tr><td><table><tr><td>a///b/<td>c///");
    check("<select><option>a<option>b<optgroup><option>c<optgroup>d</select>",
          "<select><option>a/<option>b/<optgroup><option>c//<optgroup>d//");
    check("<a href=1>x<a href=2>y", "<a href=1>x/<a href=2>y/");
    check("<h1>a<h2>b", "<h1>a/<h2>b/");
    check("<h1>a</h3>b", "<h1>a/b");
    check("<dl><dd><p>a<dt>b<dd>c", "<dl><dd><p>a//<dt>b/<dd>c//");
    check("<ul><li><p>a<b>b<li>c", "<ul><li><p>a<b>b///<li>c//");
    check("<ol><li>a<div><li>b</div></ol>", "<ol><li>a<div>//<li>b//");
    check("<button>a<button>b", "<button>a/<button>b/");
    check("<table><caption>a<tr><td>b", "<table><caption>a/<tr><td>b///");
    check("<table><tr><td><a href=1>x<td>y<a href=2>z</table>",
          "<table><tr><td><a href=1>x//<td>y<a href=2>z////");
    check("<a href=1>x<table><tr><td><a href=2>y</table>z", "<a href=1>x<table><tr><td><a href=2>y////z/");
    check("<p>a<pre>b</pre><p>c<hr>d", "<p>a/<pre>b/<p>c/<hr>/d");
    check("<p>a<table><tr><td><p>b", "<p>a/<table><tr><td><p>b////");
}

static void test_end_tags(void **state)
{
    (void)state;
    check("a</p>b</div>c", "abc");
    check("<div><b>a</div>b", "<div><b>a//b");
    check("<b><p>a</b>b</p>c", "<b><p>ab/c/");
    check("<a href=x><div>a</a>b", "<a href=x><div>a//b");
    check("<div><table><tr><td></div>a</table>b", "<div><table><tr><td>a///b/");
    check("<br>a<br/>b<img/>c", "<br>/a<br>/b<img>/c");
    check("<a href=1>x<div>y</a>z", "<a href=1>x<div>y//z");
    check("<a href=1>x<p>y</a>z</p>w", "<a href=1>x<p>y//zw");
    check("<a href=1><b>x</a>y</b>z", "<a href=1><b>x//yz");
    check("<p><a href=1>x</p>y", "<p><a href=1>x//y");
    check("<marquee>a</p>b</marquee>c", "<marquee>ab/c");
    check("<table><tr><td><p>a</table>b</p>c", "<table><tr><td><p>a////bc");
    check("<ul><li>a</ul>b</li>c", "<ul><li>a//bc");
    check("<select><option>a</select>b</option>c", "<select><option>a//bc");
}

static void test_document(void **state)
{
    (void)state;
    check("<html><head><title>t</title></head><body>a</body></html>b", "<head><title>t//<body>ab/");
    check("<head><title>t</title><p>a", "<head><title>t//<p>a/");
    check("<head> <meta name=a> text", "<head><meta name=a>// text");
    check("<body>a<body>b<head>c", "<body>abc/");
    check("\n <p>a", "<p>a/");
}

static void test_xml(void **state)
{
    (void)state;
    check_as(true, "<script src='x'/><p/>a", "<script>/<p>/a");
    check("<p/>a", "<p>a/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags),         cmocka_unit_test(test_comments), cmocka_unit_test(test_references),
        cmocka_unit_test(test_raw_text),     cmocka_unit_test(test_end_tags), cmocka_unit_test(test_implied_ends),
        cmocka_unit_test(test_document),     cmocka_unit_test(test_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
