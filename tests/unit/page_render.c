/* Pages as text and as Markdown: structure kept, boilerplate left out, nothing of a page taken for markup. */
#include "page_fixture.h"

#include <stdlib.h>

#define PROSE "Sockets carry bytes between two programs that need not run on the same machine, and keep them in order."

static void write_as(enum page_form form, const char *headers, const char *body, size_t cap, struct buf *out)
{
    struct page_options options = {.form = form};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct arena arena;
    struct page page;

    buf_init(out, cap);
    arena_init(&arena, (size_t)1 << 30);
    assert_int_equal(page_analyse_stored(analyser, STR("http://site.test/dir/page.html"), str_of(headers), str_of(body),
                                         &arena, &page),
                     SCENT_OK);
    page_check(&page);
    page_write(analyser, &page, out);
    arena_release(&arena);
    page_analyser_free(analyser);
}

static void check(enum page_form form, const char *html, const char *want)
{
    struct buf got;

    write_as(form, "Content-Type: text/html; charset=utf-8\r\n", html, 0, &got);
    assert_string_equal(buf_z(&got), want);
    buf_release(&got);
}

static void check_markdown(const char *html, const char *want)
{
    check(PAGE_FORM_MARKDOWN, html, want);
}

static void test_blocks(void **state)
{
    (void)state;
    check_markdown("<title>T</title><h1>Big <br>news</h1><p>One\n two</p>three<h3>Small</h3><blockquote><p>Said<p>"
                   "again</blockquote>end",
                   "# Big news\n\nOne two\n\nthree\n\n### Small\n\n> Said\n\n> again\n\nend\n");
    check_markdown("<p>a<br>b", "a\\\nb\n");
    check(PAGE_FORM_TEXT, "<h2>A *b*</h2><p>1. c<ul><li>x<li>y</ul><p>d<br>e", "A *b*\n\n1. c\n\nx\ny\n\nd\ne\n");
}

static void test_lists(void **state)
{
    (void)state;
    check_markdown("<ul><li>a<li>b<ol><li>c<p>d<li>e</ol>f<li>g</ul>h",
                   "- a\n- b\n  1. c\n\n     d\n  2. e\n  f\n- g\n\nh\n");
    check_markdown("<ul><li><ul><li>deep</ul></ul>", "- - deep\n");
    check_markdown("<dl><dt>term<dd>meaning<dt>next<dd>other</dl>", "- term\n\n  meaning\n- next\n\n  other\n");
    check_markdown("<li>alone", "alone\n");
}

static void test_code(void **state)
{
    (void)state;
    check_markdown("<p>Use <code>a*b</code>, <code>x`y</code> and <code><a href=f.html>f()</a> g</code>.",
                   "Use `a*b`, `` x`y `` and [`f()`](http://site.test/dir/f.html) `g`.\n");
    check_markdown("<p>see<pre>\nint x;\n  y <b>=</b> 1;\n```\n</pre>done",
                   "see\n\n````\nint x;\n  y = 1;\n```\n````\n\ndone\n");
    check_markdown("<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```\n");
    check_markdown("<p>a<pre> \n</pre><p>b", "a\n\nb\n");
    check(PAGE_FORM_TEXT, "<p>a<pre>\n b\n  c\n</pre>d", "a\n\n b\n  c\n\nd\n");
}

static void test_links(void **state)
{
    (void)state;
    check_markdown("<p>to <a href='a(b)|c.html?x=<y>'> the\npage </a>, <a href=#here>here</a>.",
                   "to [the page](http://site.test/dir/a%28b%29%7Cc.html?x=%3Cy%3E) , here.\n");
    check_markdown("<p><a href='javascript:alert(1)'>x</a> <a href='data:text/html,y'>y</a> <a>z</a>", "x y z\n");
    check_markdown("<base href=http://other.test/b/><p><a href=c>c</a>", "[c](http://other.test/b/c)\n");
    check_markdown("<a href=u><div>one</div><div>two</div></a>",
                   "[one](http://site.test/dir/u)\n\n[two](http://site.test/dir/u)\n");
    check_markdown("<p>a<a href=b></a>c", "ac\n");
}

static void test_tables(void **state)
{
    (void)state;
    check_markdown("<table><caption>Cap</caption><tr><th>a<th>b|c<tr><td>1<br>2<td><p>x<p>y<tr><td>3</table>z",
                   "Cap\n\n| a | b\\|c |\n| --- | --- |\n| 1 2 | x y |\n| 3 |  |\n\nz\n");
    check(PAGE_FORM_TEXT, "<table><tr><th>a<th>b<tr><td>1<td>2</table>z", "a\tb\n1\t2\n\nz\n");
    /* frames around something: one cell, a list inside, another table inside */
    check_markdown("<table><tr><td>a<tr><td>b</table>", "a\n\nb\n");
    check_markdown("<table><tr><td><ul><li>x</ul><td>y<tr><td>z<td>w</table>", "- x\n\ny\n\nz\n\nw\n");
    check_markdown("<table><tr><td>o<td>p<tr><td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>",
                   "o\n\np\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n");
}

/* Whatever a page says, it stays text. */
static void test_escapes(void **state)
{
    (void)state;
    check_markdown("<p># no<br>- no<br>1. no<br>&gt; no<p>+ no<p>=== no",
                   "\\# no\\\n\\- no\\\n1\\. no\\\n\\> no\n\n\\+ no\n\n\\=== no\n");
    check_markdown("<p>&lt;script&gt; [x](javascript:1) ![y](z) `c` *d* _e_ f_g ~~h~~ &amp;lt; \\ a &amp; b",
                   "\\<script> \\[x\\](javascript:1) \\!\\[y\\](z) \\`c\\` \\*d\\* \\_e\\_ f_g \\~\\~h\\~\\~ \\&lt; \\\\ a \\& b\n");
}

static void test_content_only(void **state)
{
    (void)state;
    check_markdown("<nav><a href=/>Home</a></nav><main><h1>Sockets</h1><p>" PROSE "</main><footer>Us</footer>",
                   "# Sockets\n\n" PROSE "\n");
    check(PAGE_FORM_TEXT, "<title>T</title><script>x</script><main>" PROSE "<template>no</template></main><aside>no",
          PROSE "\n");
    check_markdown("<main>" PROSE "</main>out<title>T</title><a href=u>x</a>", PROSE "\n");
}

static void test_other_documents(void **state)
{
    struct buf got;

    (void)state;
    write_as(PAGE_FORM_MARKDOWN, "Content-Type: text/plain\r\n", "a *b*\n\n  c\n", 0, &got);
    assert_string_equal(buf_z(&got), "```\na *b*\n\n  c\n```\n");
    buf_release(&got);
    write_as(PAGE_FORM_TEXT, "Content-Type: text/plain\r\n", "a *b*\n\n  c\n", 0, &got);
    assert_string_equal(buf_z(&got), "a *b*\n\n  c\n");
    buf_release(&got);
    write_as(PAGE_FORM_MARKDOWN, "Content-Type: image/png\r\n", "\x89PNG", 0, &got);
    assert_string_equal(buf_z(&got), "");
    buf_release(&got);
}

static void repeat(struct buf *out, const char *what, size_t count)
{
    buf_init(out, 0);
    while (count--)
        buf_addz(out, what);
}

/* A page nested without end, or with a table without end, has lines of bounded depth, and the caps hold. */
static void test_hostile(void **state)
{
    static const char *const parts[] = {"<ul><li>x", "<blockquote>x", "<table><tr><td>x<td>y<tr><td>z", "<td>x", "<pre>`",
                                        "<a href=x>y", "<code>`", "<dl><dt>a<dd>b", "<h1><ol><li>"};

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct buf html, got;

        repeat(&html, parts[i], 20000);
        write_as(PAGE_FORM_MARKDOWN, "Content-Type: text/html\r\n", buf_z(&html), 0, &got);
        for (struct str rest = buf_str(&got), line; str_split(&rest, '\n', &line);)
            assert_true(str_starts(line, STR("```")) || i == 4 || i == 5 || i == 6 || i == 3 || line.len < 400);
        assert_true(got.len < 40 * html.len);
        buf_release(&got);
        write_as(PAGE_FORM_MARKDOWN, "Content-Type: text/html\r\n", buf_z(&html), 1000, &got);
        assert_true(got.len <= 1000);
        buf_release(&got);
        buf_release(&html);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),       cmocka_unit_test(test_lists),
        cmocka_unit_test(test_code),         cmocka_unit_test(test_links),
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_content_only), cmocka_unit_test(test_other_documents),
        cmocka_unit_test(test_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
