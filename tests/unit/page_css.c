/* The references of stylesheets: what a browser would load, and nothing that only looks like it. */
#include "test.h"

#include "page/css.h"

/* "range=value" of all references, with "import " before imports, separated by " | ". */
static void check(const char *css, const char *want)
{
    struct css_reference reference;
    struct css_reader reader;
    struct buf got;

    buf_init(&got, 0);
    css_reader_init(&reader, str_of(css));
    while (css_next(&reader, &reference)) {
        buf_printf(&got, "%s%s%.*s=%.*s", got.len ? " | " : "", reference.kind == CSS_IMPORT ? "import " : "",
                   (int)(reference.end - reference.start), css + reference.start, STR_ARG(reference.value));
    }
    css_reader_release(&reader);
    assert_str(buf_str(&got), want);
    buf_release(&got);
}

static void urls(void **state)
{
    (void)state;
    check("a{background:url(a.png)}", "url(a.png)=a.png");
    check("a{background:URL(  a.png\n)}", "URL(  a.png\n)=a.png");
    check("a{background:url( 'a b.png' )}", "'a b.png'=a b.png");
    check("a{background:url(\"a\\\nb\\\"c\")}", "\"a\\\nb\\\"c\"=ab\"c");
    check("a{src:url(a.woff2) format('woff2'),url(\"b.ttf\")}", "url(a.woff2)=a.woff2 | \"b.ttf\"=b.ttf");
    check("a{b:src('x')}", "'x'=x");
    check("a{b:url()}", "url()=");
    check("a{b:url(a", "url(a=a");
    check("a{b:url('a", "'a=a");
    check("url(a)", "url(a)=a"); /* the value of an attribute */
    check("a{--x:url(a);b:-url(c)}", "url(a)=a");
}

static void escapes(void **state)
{
    (void)state;
    check("a{b:u\\72 l(x)}", "u\\72 l(x)=x");
    check("a{b:\\000075rl(x)}", "\\000075rl(x)=x");
    check("a{b:url(\\68ttp\\:\\/\\/x)}", "url(\\68ttp\\:\\/\\/x)=http://x");
    check("a{b:url(a\\)b)}", "url(a\\)b)=a)b");
    check("a{b:url('\\0 \\110000 \\d800 ')}", "'\\0 \\110000 \\d800 '=" UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT);
    check("@\\69mport 'a'", "import 'a'=a");
    check("a{b:url(\xC3\xA9)}", "url(\xC3\xA9)=\xC3\xA9");
}

static void imports(void **state)
{
    (void)state;
    check("@import 'a.css';@import url(b.css) screen;@import url(\"c.css\") layer(x) supports(display: grid);",
          "import 'a.css'=a.css | import url(b.css)=b.css | import \"c.css\"=c.css");
    check("@import/**/'a'/*;*/;'b'", "import 'a'=a");
    check("@IMPORT 'a' supports(background:url(x));", "import 'a'=a | url(x)=x");
    check("@imports 'a';@import-x 'b';", "");
}

static void image_sets(void **state)
{
    (void)state;
    check("a{b:image-set('a.png' 1x, \"b.png\" type(\"image/png\") 2x, url(c) 3x)}",
          "'a.png'=a.png | \"b.png\"=b.png | url(c)=c");
    check("a{b:-webkit-image-set(url(a) 1x)}", "url(a)=a");
    check("a{b:cross-fade(image('a'),'b')}", "'a'=a");
}

static void not_references(void **state)
{
    (void)state;
    check("/* url(a) */a{b:'url(c)'}", "");
    check("a{b:xurl(c);d:1url(c);e:#url(c);f:@url(c)}", "");
    check("a{b:url(a b);c:url(d)}", "url(d)=d"); /* a bad url ends at its bracket */
    check("a{b:url(a'b);c:url(d)}", "url(d)=d");
    check("a{b:'c\nurl(d)}", "url(d)=d"); /* a newline ends the string */
    check("@namespace svg url(http://www.w3.org/2000/svg);@namespace 'a';a{b:url(c)}", "url(c)=c");
    check("a{content:'x'}@charset 'utf-8';", "");
    check("<!-- url(a) -->url(b)", "url(a)=a | url(b)=b");
    check("/* never closed url(a)", "");
    check("a{b:url", "");
    check("\\", "");
    check("a\\", "");
    check("'\\", "");
}

/* Brackets as deep as the input is long, names and strings of megabytes: one pass, and what comes after is found. */
static void hostile(void **state)
{
    enum { MUCH = 3 << 20 };
    struct css_reference reference;
    struct css_reader reader;
    struct buf css;
    unsigned count = 0;

    (void)state;
    buf_init(&css, 0);
    for (size_t i = 0; i < MUCH; i++)
        buf_addc(&css, '(');
    buf_addz(&css, "image-set('deep'))}a{b:");
    for (size_t i = 0; i < MUCH; i++)
        buf_addc(&css, 'u');
    buf_addz(&css, "rl(x)}a{b:url(");
    for (size_t i = 0; i < 2 * MUCH; i++)
        buf_addc(&css, 'v');
    buf_addz(&css, ")}a{b:url(last)}");
    css_reader_init(&reader, buf_str(&css));
    while (css_next(&reader, &reference)) {
        assert_true(reference.value.len <= CSS_VALUE_MAX);
        assert_true(reader.name.room <= 256);
        count++;
    }
    assert_str(reference.value, "last");
    assert_int_equal(count, 2);
    css_reader_release(&reader);
    buf_release(&css);
}

static void strings(void **state)
{
    struct css_reference reference;
    struct css_reader reader;
    struct buf css;
    static const char odd[] = "a\"b\\c\nd</style>\x01\x7F\xC3\xA9'e";

    (void)state;
    buf_init(&css, 0);
    buf_addz(&css, "@import ");
    css_add_string(&css, str_of(odd));
    assert_null(memchr(css.p, '<', css.len));
    css_reader_init(&reader, buf_str(&css));
    assert_true(css_next(&reader, &reference));
    assert_str(reference.value, odd);
    assert_false(css_next(&reader, &reference));
    css_reader_release(&reader);
    buf_release(&css);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),          cmocka_unit_test(escapes),        cmocka_unit_test(imports),
        cmocka_unit_test(image_sets),    cmocka_unit_test(not_references), cmocka_unit_test(hostile),
        cmocka_unit_test(strings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
