/* A collection as a browser sees it: what is listed, what is replayed, and with which policies. */
#include "test.h"

#include "base/buf.h"
#include "http/http.h"
#include "serve/viewer.h"

#include <time.h>

#define HOST "127.0.0.1:8080"

struct fixture {
    char *dir;
    struct web *web;
    struct viewer *viewer;
    struct buf buf;
    struct web_response response;
    char token[33];
};

static const struct {
    const char *url, *head, *body;
} records[] = {
    {"http://a.test/", "Content-Type: text/html\r\nSet-Cookie: a=b\r\nContent-Security-Policy: x\r\n",
     "<title>First &amp; <b>best</b></title><link rel=stylesheet href=s.css><a href=/next?x=1>n</a><img src=i.png>"
     "<script>x</script>"},
    {"http://a.test/s.css", "Content-Type: text/css\r\n", "@import url(//b.test/t.css);"},
    {"http://a.test/i.png", "Content-Type: image/png\r\n", "\x89PNG"},
    {"http://a.test/next?x=1", "Content-Type: text/html; charset=iso-8859-1\r\n", "<title>N\xE4" "chste</title>\xE4"},
    {"http://a.test/frame", "Content-Type: TEXT/HTML\r\n", "<a href=/ target=main>x</a>"},
    {"http://b.test/doc.pdf", "Content-Type: application/pdf\r\n", "%PDF-"},
    {"http://b.test/code.js", "Content-Type: application/javascript\r\n", "alert(1)"},
    {"http://b.test/feed", "Content-Type: application/rss+xml\r\n", "<rss>"},
    {"http://b.test/robots.txt", "Content-Type: text/plain\r\n", "User-agent: *"},
    {"http://b.test/odd", "Content-Type: text/<b>\r\n", "odd"},
};

static void add_redirect(struct packer *packer, struct errmsg *err)
{
    assert_ok(packer_add(packer, STR("http://a.test/moved"), 1794733080000000,
                         STR("HTTP/1.1 301 Moved\r\nLocation: /next?x=1\r\nContent-Type: text/html\r\n\r\n"), STR("x"),
                         err), *err);
    assert_ok(packer_add(packer, STR("http://a.test/out"), 1794733080000000,
                         STR("HTTP/1.1 302 Moved\r\nLocation: javascript:alert(1)\r\nContent-Type: text/html\r\n\r\n"),
                         STR("x"), err), *err);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct errmsg err = {""};
    struct packer *packer;
    struct log log;
    char head[512];

    f->dir = test_make_dir();
    assert_ok(packer_open(f->dir, 1794733080000000, &packer, &err), err);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\n", records[i].head);
        assert_ok(packer_add(packer, str_of(records[i].url), 1794733080000000, str_of(head), str_of(records[i].body),
                             &err), err);
    }
    add_redirect(packer, &err);
    assert_ok(packer_close(packer, &err), err);
    log_init_stderr(&log, LOG_ERROR);
    assert_ok(web_open(f->dir, &log, &f->web, &err), err);
    f->viewer = viewer_new(f->web, f->dir, NULL);
    buf_init(&f->buf, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    viewer_free(f->viewer);
    web_free(f->web);
    buf_release(&f->buf);
    test_remove_dir(f->dir);
    free(f);
    return 0;
}

static int ask_as(struct fixture *f, const char *target, const char *dest, const char *site, const char *mode)
{
    struct viewer_request request = {.target = str_of(target), .host = STR(HOST), .dest = str_of(dest),
                                     .site = str_of(site), .mode = str_of(mode)};
    struct errmsg err = {""};

    assert_ok(viewer_get(f->viewer, &request, &f->buf, &f->response, &err), err);
    assert_str(http_header(f->response.head, STR("X-Content-Type-Options")), "nosniff");
    assert_str(http_header(f->response.head, STR("Referrer-Policy")), "no-referrer");
    assert_null(http_header(f->response.head, STR("Set-Cookie")).p);
    return f->response.status;
}

static int ask(struct fixture *f, const char *target)
{
    return ask_as(f, target, "", "", "");
}

static bool has(const struct fixture *f, const char *text)
{
    return f->response.body.len && memmem(f->response.body.p, f->response.body.len, text, strlen(text));
}

static struct str field(const struct fixture *f, const char *name)
{
    return http_header(f->response.head, str_of(name));
}

static bool policy_has(const struct fixture *f, const char *text)
{
    struct str policy = field(f, "Content-Security-Policy");

    return policy.len && memmem(policy.p, policy.len, text, strlen(text));
}

/* The list, once it is there. */
static void ask_list(struct fixture *f, const char *target)
{
    do
        assert_int_equal(ask(f, target), 200);
    while (has(f, "Reading the collection") && nanosleep(&(struct timespec){0, 1000000}, NULL) == 0);
}

/* "/replay/TOKEN" of this run, as a page tells it. */
static const char *replay(struct fixture *f, const char *rest)
{
    static char address[512];
    const char *at;

    assert_int_equal(ask(f, "/page/0/http://a.test/"), 200);
    at = memmem(f->response.body.p, f->response.body.len, "/replay/", 8);
    assert_non_null(at);
    snprintf(f->token, sizeof f->token, "%.32s", at + 8);
    snprintf(address, sizeof address, "/replay/%s%s", f->token, rest);
    return address;
}

static void list(void **state)
{
    struct fixture *f = *state;

    ask_list(f, "/");
    assert_true(has(f, "First &amp; &lt;b&gt;best&lt;/b&gt;</a>")); /* text, though it was written as markup */
    assert_true(has(f, "N\xC3\xA4" "chste"));
    assert_true(has(f, "href=\"/page/20261115085800/http://a.test/next?x=1\""));
    assert_true(has(f, "http://b.test/doc.pdf") && !has(f, "i.png") && !has(f, "s.css") && !has(f, "moved") &&
                !has(f, "robots.txt"));
    assert_true(has(f, "4 pages of 2 hosts"));
    assert_true(policy_has(f, "default-src 'none'") && policy_has(f, "frame-ancestors 'none'") &&
                !policy_has(f, "script-src"));
    assert_str(field(f, "Cross-Origin-Resource-Policy"), "same-origin");
    ask_list(f, "/?q=N%C3%84CHSTE");
    assert_true(has(f, "N\xC3\xA4" "chste") && !has(f, "First"));
    ask_list(f, "/?q=B.TEST+pdf");
    assert_true(has(f, "1 page with <strong>B.TEST pdf</strong>") && has(f, "doc.pdf"));
    ask_list(f, "/?q=%3Cscript%3E%22");
    assert_true(has(f, "&lt;script&gt;&quot;") && !has(f, "<script>") && has(f, "No page was found"));
    ask_list(f, "/?host=b.test&order=date&page=1");
    assert_true(has(f, "doc.pdf") && !has(f, "First"));
    ask_list(f, "/?page=99999999999999999999&collection=7&order=zzz&q=%zz%4");
    ask_list(f, "/?page=300");
    assert_true(has(f, "The list ends before"));
    ask_list(f, "/hosts?q=b.");
    assert_true(has(f, ">b.test</a></td><td>1<") && !has(f, "a.test"));
}

static void page(void **state)
{
    struct fixture *f = *state;

    ask_list(f, "/");
    assert_int_equal(ask(f, "/page/20261115085800/http://a.test/"), 200);
    assert_true(has(f, "<iframe sandbox title=") && has(f, "First &amp; &lt;b&gt;best&lt;/b&gt;"));
    assert_true(has(f, "archived <time datetime=\"2026-11-15T08:58Z\">") && has(f, "from a.test"));
    assert_true(policy_has(f, "frame-src http://" HOST "/replay/") && policy_has(f, "frame-ancestors 'none'"));
    assert_int_equal(ask(f, "/page/0/http://a.test/moved"), 302);
    assert_str(field(f, "Location"), "/page/0/http://a.test/next?x=1");
    assert_int_equal(ask(f, "/page/0/http://nobody.test/<x>\"'"), 404);
    assert_true(has(f, "Not in this collection") && !has(f, "<x>"));
    assert_int_equal(ask(f, "/page/0/javascript:alert(1)"), 404);
    assert_int_equal(ask(f, "/page/x/http://a.test/"), 404);
    assert_int_equal(ask(f, "/page/"), 404);
}

static void documents(void **state)
{
    struct fixture *f = *state;
    char want[256];

    assert_int_equal(ask_as(f, replay(f, ".1/5/http://a.test/"), "iframe", "same-origin", "navigate"), 200);
    assert_str(field(f, "Content-Type"), "text/html; charset=utf-8");
    snprintf(want, sizeof want, "<a href=\"/replay/%s.1/5/http://a.test/next?x=1\">", f->token);
    assert_true(has(f, want)); /* links stay in the frame that the bar follows */
    snprintf(want, sizeof want, "<img src=\"/replay/%s/5/http://a.test/i.png\">", f->token);
    assert_true(has(f, want) && !has(f, "script"));
    assert_true(policy_has(f, "sandbox;") && policy_has(f, "script-src 'none'") && policy_has(f, "form-action 'none'"));
    snprintf(want, sizeof want, "img-src http://" HOST "/replay/%s/ data:;", f->token);
    assert_true(policy_has(f, want) && !policy_has(f, "'self'"));
    assert_int_equal(ask_as(f, replay(f, "/5/http://a.test/s.css"), "style", "cross-site", "no-cors"), 200);
    snprintf(want, sizeof want, "@import url(\"/replay/%s/5/http://b.test/t.css\");", f->token);
    assert_str(f->response.body, want);
    assert_int_equal(ask(f, replay(f, "/5/http://a.test/i.png")), 200);
    assert_str(field(f, "Content-Type"), "image/png");
    assert_str(f->response.body, "\x89PNG");
    assert_int_equal(ask(f, replay(f, ".1/5/http://a.test/next?x=1")), 200);
    assert_true(has(f, "</title>\xC3\xA4"));
    assert_int_equal(ask(f, replay(f, ".1/5/http://a.test/moved")), 302);
    snprintf(want, sizeof want, "/replay/%s.1/5/http://a.test/next?x=1", f->token);
    assert_str(field(f, "Location"), want);
    assert_int_equal(ask(f, replay(f, ".1/5/http://a.test/out")), 302);
    assert_null(field(f, "Location").p);
    assert_int_equal(ask(f, replay(f, "/5/http://a.test/frame")), 200);
    assert_true(has(f, "target=\"main\""));
}

/* Nothing is what an archived head says, but for the kinds that cannot do anything. */
static void types(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *rest, *dest, *type;
    } cases[] = {
        {"/5/http://b.test/code.js", "script", "text/plain; charset=utf-8"},
        {"/5/http://b.test/code.js", "serviceworker", "text/plain; charset=utf-8"},
        {"/5/http://b.test/feed", "iframe", "text/plain; charset=utf-8"},
        {"/5/http://b.test/odd", "image", "text/plain; charset=utf-8"},
        {"/5/http://b.test/doc.pdf", "iframe", "text/html; charset=utf-8"},
        {"/5/http://b.test/doc.pdf", "image", "application/octet-stream"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ask_as(f, replay(f, cases[i].rest), cases[i].dest, "cross-site", "no-cors"), 200);
        assert_str(field(f, "Content-Type"), cases[i].type);
        assert_true(policy_has(f, "sandbox;"));
    }
    assert_int_equal(ask(f, replay(f, "/5/http://nobody.test/x.png")), 404);
    char file[256];
    snprintf(file, sizeof file, "/file/%s/5/http://b.test/doc.pdf", f->token);
    assert_int_equal(ask(f, file), 200);
    assert_str(field(f, "Content-Type"), "application/octet-stream");
    assert_str(field(f, "Content-Disposition"), "attachment; filename=\"doc.pdf\"");
}

/* The bar follows the document that a frame was given last. */
static void bar(void **state)
{
    struct fixture *f = *state;
    char address[256];

    ask_list(f, "/");
    assert_int_equal(ask(f, "/page/0/http://a.test/"), 200);
    struct str body = f->response.body;
    const char *at = memmem(body.p, body.len, "/bar/", 5);
    struct str rest = str_sub(body, (size_t)(at - body.p), body.len);
    snprintf(address, sizeof address, "%.*s", (int)str_find(rest, '"'), at);
    assert_int_equal(ask(f, address), 404); /* nothing is shown yet */
    char document[512];
    snprintf(document, sizeof document, "/replay/%s/0/http://a.test/next?x=1", address + 5);
    assert_int_equal(ask_as(f, document, "iframe", "same-origin", "navigate"), 200);
    assert_int_equal(ask(f, address), 200);
    assert_true(has(f, "<title>N\xC3\xA4" "chste</title>") &&
                has(f, "data-address=\"/page/20261115085800/http://a.test/next?x=1\""));
    snprintf(document, sizeof document, "/replay/%s/0/http://a.test/i.png", address + 5);
    assert_int_equal(ask_as(f, document, "image", "cross-site", "no-cors"), 200);
    assert_int_equal(ask(f, address), 200);
    assert_true(has(f, "<title>N\xC3\xA4" "chste</title>"));
}

static void strangers(void **state)
{
    struct fixture *f = *state;
    char wrong[256];

    assert_int_equal(ask(f, "/replay/0123456789abcdef0123456789abcdef/5/http://a.test/"), 403);
    snprintf(wrong, sizeof wrong, "%s", replay(f, "x/5/http://a.test/"));
    assert_int_equal(ask(f, wrong), 403);
    assert_int_equal(ask(f, replay(f, ".99999999999/5/http://a.test/")), 403);
    assert_int_equal(ask_as(f, "/", "image", "cross-site", "no-cors"), 403);
    assert_int_equal(ask_as(f, "/page/0/http://a.test/", "empty", "cross-site", "cors"), 403);
    assert_int_equal(ask_as(f, "/page/0/http://a.test/", "document", "cross-site", "navigate"), 200);
    assert_int_equal(ask_as(f, replay(f, ".1/5/http://a.test/?q"), "document", "same-origin", "navigate"), 302);
    assert_str(field(f, "Location"), "/page/5/http://a.test/?q"); /* what is opened by itself gets its bar */
    assert_int_equal(ask(f, "/nothing"), 404);
    assert_int_equal(ask(f, "/replay/"), 403);
    assert_int_equal(ask(f, "/bar/"), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list), cmocka_unit_test(page),      cmocka_unit_test(documents), cmocka_unit_test(types),
        cmocka_unit_test(bar),  cmocka_unit_test(strangers),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
