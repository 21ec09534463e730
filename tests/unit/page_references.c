/* What documents load: each once, absolute, whatever else stands around it. */
#include "test.h"

#include "base/buf.h"
#include "page/references.h"

/* "kind URL" lines, with s, f and - for styles, frames and files. */
static void find(const char *head, struct str body, enum references_kind kind, uint32_t most, struct buf *out)
{
    struct references *references = references_new();
    struct references_found found;
    struct arena arena;
    struct url url;

    arena_init(&arena, 8 << 20);
    assert_int_equal(url_parse(&arena, STR("http://a.test/dir/page?q"), NULL, &url), SCENT_OK);
    for (int i = 0; i < 2; i++) { /* the second time as the first */
        struct references_input input = {
            .url = &url, .head = str_of(head), .body = body, .kind = kind, .max_bytes = 1 << 20, .most = most};

        buf_clear(out);
        assert_int_equal(references_find(references, &input, &arena, &found), SCENT_OK);
        for (uint32_t k = 0; k < found.count; k++)
            buf_printf(out, "%c %.*s\n", "-sf"[found.items[k].kind], STR_ARG(found.items[k].url.href));
    }
    references_free(references);
    arena_release(&arena);
}

static void check_as(const char *head, const char *body, enum references_kind kind, const char *want)
{
    struct buf out;

    buf_init(&out, 0);
    find(head, str_of(body), kind, 100, &out);
    assert_str(buf_str(&out), want);
    buf_release(&out);
}

#define HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
#define CSS "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"

static void check(const char *html, const char *want)
{
    check_as(HTML, html, REFERENCES_FRAME, want);
}

static void of_documents(void **state)
{
    (void)state;
    check("<link rel='alternate StyleSheet' href=a.css><link rel=canonical href=/c><link rel=next href=n><a href=x>",
          "s http://a.test/dir/a.css\n");
    check("<link rel='shortcut icon' href=/i.ico><link rel=preload as=style href=p.css><link rel=preload href=f.woff>"
          "<link rel=modulepreload href=m.js><link rel=preconnect href=//b.test><link rel=manifest href=w.json>",
          "- http://a.test/i.ico\ns http://a.test/dir/p.css\n- http://a.test/dir/f.woff\n- http://a.test/dir/m.js\n");
    check("<img src=a.png srcset='a.png 1x, b.png 2x,c,d.png 3x'><picture><source srcset=e.png></picture>",
          "- http://a.test/dir/a.png\n- http://a.test/dir/b.png\n- http://a.test/dir/c,d.png\n"
          "- http://a.test/dir/e.png\n");
    check("<script src=s.js></script><script>'<img src=no.png>'</script><noscript><img src=n.png></noscript>",
          "- http://a.test/dir/s.js\n- http://a.test/dir/n.png\n");
    check("<iframe src=f.html><img src=fallback.png></iframe><frame src=g.html><object data=o.svg></object><embed src=e>",
          "f http://a.test/dir/f.html\nf http://a.test/dir/g.html\nf http://a.test/dir/o.svg\nf http://a.test/dir/e\n");
    check("<iframe srcdoc='<img src=in.png><iframe srcdoc=\"<img src=deeper.png>\"></iframe>'></iframe>",
          "- http://a.test/dir/in.png\n");
    check("<td background=t.gif><video poster=p.jpg src=v.mp4></video><input type=image src=i.png><svg><image href=s.png />"
          "<use xlink:href='u.svg#x' /><use href='#here' /></svg>",
          "- http://a.test/dir/t.gif\n- http://a.test/dir/p.jpg\n- http://a.test/dir/v.mp4\n- http://a.test/dir/i.png\n"
          "- http://a.test/dir/s.png\n- http://a.test/dir/u.svg\n");
    check("<p style='background: url(b.png)'><style>@import \"i.css\"; p { content: 'url(no)'; mask: image-set('m.png' 1x) }"
          "</style>",
          "- http://a.test/dir/b.png\ns http://a.test/dir/i.css\n- http://a.test/dir/m.png\n");
    check("<base href=//b.test/x/><img src=a.png><img src='data:image/png,x'><img src='javascript:x'><img src=''>"
          "<img src='http://'><img src='ftp://b.test/a'>",
          "- http://b.test/x/a.png\n");
    check("<!-- <img src=a.png> --><title><img src=b.png></title><textarea><img src=c.png></textarea>", "");
}

static void each_once_and_normalised(void **state)
{
    (void)state;
    check("<img src=a.png><img src=./a.png#1><img src=%61.png><img src=/dir/a.png?>", "- http://a.test/dir/a.png\n");
    check("<img src='b.png?utm_source=x'>", "- http://a.test/dir/b.png?utm_source=x\n"); /* as the browser will ask */
}

static void of_stylesheets(void **state)
{
    (void)state;
    check_as(CSS, "@import url(a.css); @font-face { src: url('f.woff2') } /* url(no) */ b { c: u\\72l(d.png) }",
             REFERENCES_STYLE, "s http://a.test/dir/a.css\n- http://a.test/dir/f.woff2\n- http://a.test/dir/d.png\n");
    check_as("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "p { background: url(x) }", REFERENCES_STYLE,
             "- http://a.test/dir/x\n");
    check_as(CSS, "p { background: url(x) }", REFERENCES_FILE, "- http://a.test/dir/x\n");
    check_as(HTML, "<img src=a.png>", REFERENCES_STYLE, ""); /* an error page */
}

static void of_nothing_else(void **state)
{
    (void)state;
    check_as(HTML, "<img src=a.png>", REFERENCES_FILE, "");
    check_as("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", "<img src=a.png>", REFERENCES_FRAME, "");
    check_as("HTTP/1.1 200 OK\r\nContent-Type: image/svg+xml\r\n\r\n",
             "<svg xmlns='http://www.w3.org/2000/svg'><image href='a.png'/><style>p{background:url(b.png)}</style></svg>",
             REFERENCES_FRAME, "- http://a.test/dir/a.png\n- http://a.test/dir/b.png\n");
    check_as("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: none-such\r\n\r\n", "<img src=a.png>",
             REFERENCES_FRAME, "");
}

static void no_more_than_asked_for(void **state)
{
    struct buf html, out;

    (void)state;
    buf_init(&html, 0);
    buf_init(&out, 0);
    for (int i = 0; i < 1000; i++)
        buf_printf(&html, "<img src=a><img src=%d>", i);
    find(HTML, buf_str(&html), REFERENCES_FRAME, 3, &out);
    assert_str(buf_str(&out), "- http://a.test/dir/a\n- http://a.test/dir/0\n- http://a.test/dir/1\n");
    find(HTML, buf_str(&html), REFERENCES_FRAME, 100000, &out);
    assert_non_null(strstr(buf_z(&out), "\n- http://a.test/dir/999\n"));
    buf_release(&html);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_documents),    cmocka_unit_test(each_once_and_normalised),
        cmocka_unit_test(of_stylesheets),  cmocka_unit_test(of_nothing_else),
        cmocka_unit_test(no_more_than_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
