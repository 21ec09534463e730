/* Archived documents as they are shown: references lead into the archive, and nothing runs. */
#include "test.h"

#include "page/rewrite.h"

#define BEFORE "/r/"  /* what a document loads */
#define TO "/l/"      /* what it links to */

static void rewrite(struct str html, bool css, struct rewrite_options options, struct buf *out)
{
    struct arena arena;
    struct url url;
    scent_status status;

    arena_init(&arena, 1 << 20);
    assert_int_equal(url_parse(&arena, STR("http://site.test/dir/page.html?q"), NULL, &url), SCENT_OK);
    options.url = &url;
    options.resources = STR(BEFORE);
    options.links = STR(TO);
    status = css ? rewrite_css(&options, html, out) : rewrite_html(&options, html, out);
    assert_int_equal(status, out->failed ? SCENT_E_LIMIT : SCENT_OK);
    arena_release(&arena);
}

static void check_as(const char *text, bool css, struct rewrite_options options, const char *want)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    rewrite(str_of(text), css, options, &out);
    assert_str(buf_str(&out), want);
    buf_release(&out);
}

static void check(const char *html, const char *want)
{
    check_as(html, false, (struct rewrite_options){0}, want);
}

static void links(void **state)
{
    (void)state;
    check("<a href=next.html>x</a>", "<a href=\"" TO "http://site.test/dir/next.html\">x</a>");
    check("<a href='//other.test/?a=1&amp;b#c'>", "<a href=\"" TO "http://other.test/?a=1&amp;b#c\">");
    check("<a href='#top'>", "<a href=\"#top\">");
    check("<a href=''>", "<a href=\"" TO "http://site.test/dir/page.html?q\">");
    check("<a href=' java\nscript:alert(1)'>", "<a>");
    check("<a href=mailto:x@y><a href=data:text/html,x><a href=blob:x>", "<a><a><a>");
    check("<a target=_top href=/ ping=//evil.test/ download>", "<a href=\"" TO "http://site.test/\">");
    check("<form action=/s method=post><button formaction=t>",
          "<form action=\"" TO "http://site.test/s\" method=\"post\"><button formaction=\"" TO "http://site.test/dir/t\">");
    check("<base href=/other/ target=_top><a href=x><a href=#y>",
          "<a href=\"" TO "http://site.test/other/x\"><a href=\"" TO "http://site.test/other/#y\">");
    check("<base href=a/><base href=b/><img src=c>", "<img src=\"" BEFORE "http://site.test/dir/a/c\">");
    check_as("<a target=main href=/><a target=_BLANK>", false, (struct rewrite_options){.keep_targets = true},
             "<a target=\"main\" href=\"" TO "http://site.test/\"><a>");
}

static void resources(void **state)
{
    (void)state;
    check("<img src=a.png srcset='a.png, b.png 2x,c,d.png 3x'>",
          "<img src=\"" BEFORE "http://site.test/dir/a.png\" srcset=\"" BEFORE "http://site.test/dir/a.png, " BEFORE
          "http://site.test/dir/b.png 2x, " BEFORE "http://site.test/dir/c,d.png 3x\">");
    check("<img srcset='javascript:x 1x, ,data:image/png;base64,AA== 2x'>",
          "<img srcset=\"data:image/png;base64,AA== 2x\">");
    check("<img srcset='a,\x02 2x'>", "<img>");
    check("<video poster=p src=v>", "<video poster=\"" BEFORE "http://site.test/dir/p\" src=\"" BEFORE
          "http://site.test/dir/v\">");
    check("<link rel=stylesheet href=s.css integrity=sha256-x crossorigin>",
          "<link rel=\"stylesheet\" href=\"" BEFORE "http://site.test/dir/s.css\">");
    check("<link rel='DNS-prefetch' href=//evil.test><link rel=preload href=x><link rel=manifest href=m>", "");
    check("<iframe src=f srcdoc='<script>'>fallback</iframe><frame src=data:text/html,x>",
          "<iframe src=\"" BEFORE "http://site.test/dir/f\"></iframe><frame>");
    check("<svg><use xlink:href=i.svg#a /><image href=b /></svg><svg><a href=c>",
          "<svg><use xlink:href=\"" BEFORE "http://site.test/dir/i.svg#a\" /><image href=\"" BEFORE
          "http://site.test/dir/b\" /></svg><svg><a href=\"" TO "http://site.test/dir/c\">");
    check("<svg><rect fill='url(#g)' mask=\"url('m.svg')\" />",
          "<svg><rect fill=\"url(&quot;#g&quot;)\" mask=\"url(&quot;" BEFORE "http://site.test/dir/m.svg&quot;)\" />");
    check("<svg><set attributeName=' XLINK:href' to=javascript:alert(1) />", "<svg><set to=\"javascript:alert(1)\" />");
    check("<object data=o classid=x codebase=//evil.test>", "<object data=\"" BEFORE "http://site.test/dir/o\">");
    check("<body background=b.gif>", "<body background=\"" BEFORE "http://site.test/dir/b.gif\">");
}

static void styles(void **state)
{
    (void)state;
    check("<p style='background:url(\"a.png\")'>",
          "<p style=\"background:url(&quot;" BEFORE "http://site.test/dir/a.png&quot;)\">");
    check("<style>@import 'x.css';p{b:url(javascript:x)}@media (width<5px){p{c:'</STYL'}}</style>",
          "<style>@import \"" BEFORE "http://site.test/dir/x.css\";p{b:url(\"\")}@media (width<5px){p{c:'\\3c /STYL'}}"
          "</style>");
    check("<style><!-- p{a:'\\<b\\&c'} & x<y{} @media (1px<=width) --></style>",
          "<style>   p{a:'\\3c b\\26 c'} & x< y{} @media (1px<=width) --></style>");
    check("<style>p{a:u\\72<!--l(z)}</style>", "<style>p{a:u\\72  l(z)}</style>");
    check("<svg><style>a{&:b{}&amp;#117;{}}/*<b>*/</style>", "<svg><style>a{&:b{}& #117;{}}/*\\3c b>*/</style>");
    check("<svg><style/>url(a)", "<svg><style></style>url(a)");
    check("<svg><style><![CDATA[a>b{c:url(d)}]]></style>",
          "<svg><style>a>b{c:url(\"" BEFORE "http://site.test/dir/d\")}</style>");
    check("<svg><style>a{c:&#117;rl(d);e:'&lt;script>'}</style>",
          "<svg><style>a{c:url(\"" BEFORE "http://site.test/dir/d\");e:'\\3c script>'}</style>");
    check_as("@import \"//other.test/a.css\";a{b:url(c d);e:url(  x\\.png )}", true, (struct rewrite_options){0},
             "@import \"" BEFORE "http://other.test/a.css\";a{b:url(c d);e:url(\"" BEFORE "http://site.test/dir/x.png\")}");
}

static void scripts(void **state)
{
    (void)state;
    check("a<script>alert('<b>')</script>b<SCRIPT src=x></SCRIPT >c<script><!--<script></script>--></script>d", "abcd");
    check("<p ONCLICK=x onmouseover='y' title=z>", "<p title=\"z\">");
    check("<svg><script href=x />text", "<svg>text");
    check("<noscript><img src=a></noscript>", "<img src=\"" BEFORE "http://site.test/dir/a\">");
    check("<noscript><p title='</noscript><img onerror=x>'>", "<p title=\"&lt;/noscript&gt;&lt;img onerror=x&gt;\">");
    check("<noframes><a href=x></noframes><noembed><b></noembed>y", "y");
    check("<meta http-equiv=refresh content='3;URL=\"next\"'><meta http-equiv=Content-Security-Policy content=x>",
          "<meta http-equiv=\"refresh\" content=\"3; url=" TO "http://site.test/dir/next\">");
    check("<meta http-equiv=refresh content='0;javascript:x'><meta http-equiv=set-cookie content=a=b>", "");
    check("<meta charset=latin1><meta name=viewport content=x><meta name=referrer content=unsafe-url>",
          "<meta name=\"viewport\" content=\"x\">");
    check("<html manifest=m>", "<html>");
}

/* What two parsers could read in different ways has one reading afterwards. */
static void canonical(void **state)
{
    (void)state;
    check("<!doctype html><!-- c --><p\n class=a b='<i>'>1 < 2 <3 &lt;b></p >", "<!doctype html><p class=\"a\" b=\"&lt;i&gt;\">"
          "1 &lt; 2 &lt;3 &lt;b></p>");
    check(" <!-- x --><!DOCTYPE html PUBLIC \"a\">x", "<!DOCTYPE html PUBLIC \"a\"> x");
    check("<p a\"b=c <d=e>x", "<p>x");
    check("<p<script>x</p<script>", "x");
    check("<title><b>&amp;</title><textarea></TEXTAREA x><xmp><a href=x></xmp><plaintext></plaintext>",
          "<title>&lt;b>&amp;</title><textarea></TEXTAREA><pre>&lt;a href=x&gt;</pre><pre>&lt;/plaintext&gt;");
    check("<math><![CDATA[<script>]]></math><![CDATA[<b>]]>", "<math>&lt;script&gt;</math>]]>");
    check("<a href=\"unfinished", "");
    check_as("<?xml version='1.0'?><html><script src='x'/><p/><br/>x</html>", false, (struct rewrite_options){.xml = true},
             "<!DOCTYPE html><html><p></p><br>x</html>");
}

/* An attribute of megabytes, a base that makes every link long: the output has a cap, and ends between two tags. */
static void capped(void **state)
{
    enum { CAP = 1 << 20 };
    struct buf html, out;

    (void)state;
    buf_init(&html, 0);
    buf_init(&out, CAP);
    buf_addz(&html, "<base href=/");
    for (int i = 0; i < 8000; i++)
        buf_addc(&html, 'x');
    buf_addz(&html, "/>");
    for (int i = 0; i < 200000; i++)
        buf_addz(&html, "<a href=y>");
    rewrite(buf_str(&html), false, (struct rewrite_options){0}, &out);
    assert_true(out.failed && out.len <= CAP && out.p[out.len - 1] == '>');

    buf_clear(&html);
    buf_clear(&out);
    buf_addz(&html, "<p title='");
    for (int i = 0; i < 20 << 20; i++)
        buf_addc(&html, '"');
    buf_addz(&html, "'><b>");
    rewrite(buf_str(&html), false, (struct rewrite_options){0}, &out);
    assert_str(buf_str(&out), "<p><b>"); /* the value that is too long is left out */
    buf_release(&html);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),   cmocka_unit_test(resources), cmocka_unit_test(styles),
        cmocka_unit_test(scripts), cmocka_unit_test(canonical), cmocka_unit_test(capped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
