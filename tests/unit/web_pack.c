/* Folders packed as WARC collections, and opened again as webs. */
#include "web_sample.h"

#include "base/file.h"
#include "web/web.h"

#include <sys/stat.h>
#include <sys/time.h>

static void put_file(const char *dir, const char *name, const char *content)
{
    struct timeval times[2] = {{1700000000, 0}, {1700000000, 0}};
    struct errmsg err = {""};
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_ok(file_replace(path, str_of(content), &err), err);
    assert_int_equal(utimes(path, times), 0);
}

/* The folder's own time is the WARC file's. */
static void set_time(const char *dir)
{
    struct timeval times[2] = {{1700000001, 0}, {1700000001, 0}};

    assert_int_equal(utimes(dir, times), 0);
}

static void make_dir(const char *dir, const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void make_link(const char *dir, const char *name, const char *target)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(symlink(target, path), 0);
}

static char *make_site(void)
{
    char *dir = test_make_dir();

    make_dir(dir, "sub");
    put_file(dir, "index.html", "<p>home</p>");
    put_file(dir, "a b?.html", "<p>odd</p>");
    put_file(dir, "sub/index.html", "<p>sub</p>");
    put_file(dir, "sub/pic.PNG", "\x89PNG");
    put_file(dir, "sub/unknown", "?");
    put_file(dir, "sub/Wiki", "\n<!DOCTYPE html><p>x");
    make_link(dir, "inside.html", "sub/index.html");
    make_link(dir, "outside.html", "/etc/hostname");
    make_link(dir, "circle", ".");
    make_link(dir, "broken.html", "nowhere");
    set_time(dir);
    return dir;
}

static void read_whole(const char *dir, struct buf *out)
{
    struct errmsg err = {""};
    char path[1024];

    snprintf(path, sizeof path, "%s/web-00000.warc.gz", dir);
    buf_init(out, 0);
    assert_ok(file_read(path, out, &err), err);
}

static void assert_answer(const struct web *web, const char *href, int status, const char *type, const char *body)
{
    struct web_response r;
    struct buf buf;

    buf_init(&buf, 0);
    r = sample_get(web, str_of(href), &buf);
    assert_int_equal(r.status, status);
    assert_int_equal(r.fault, WEB_FINE);
    assert_str(r.body, body);
    if (status == 200) {
        char length[64];

        snprintf(length, sizeof length, "\r\nContent-Length: %zu\r\n", strlen(body));
        assert_true(sample_contains(r.head, length) && sample_contains(r.head, type));
        assert_true(sample_contains(r.head, "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n"));
        assert_true(str_starts(r.head, STR("HTTP/1.1 200 OK\r\n")) && str_ends(r.head, STR("\r\n\r\n")));
    }
    buf_release(&buf);
}

static void folder_becomes_a_web(void **state)
{
    char *site = make_site(), *out = test_make_dir();
    struct errmsg err = {""};
    struct arena arena;
    struct web *web;
    uint64_t packed;

    (void)state;
    assert_ok(web_pack_folder(site, "http://docs.test/v1", out, NULL, &packed, &err), err);
    assert_int_equal(packed, 9); /* seven files, two of them indexes */
    assert_ok(web_open(out, NULL, &web, &err), err);
    assert_answer(web, "http://docs.test/v1/", 200, "Content-Type: text/html\r\n", "<p>home</p>");
    assert_answer(web, "http://docs.test/v1/index.html#x", 200, "Content-Type: text/html\r\n", "<p>home</p>");
    assert_answer(web, "http://DOCS.test:80/v1/sub/", 200, "Content-Type: text/html\r\n", "<p>sub</p>");
    assert_answer(web, "http://docs.test/v1/a%20b%3F.html", 200, "Content-Type: text/html\r\n", "<p>odd</p>");
    assert_answer(web, "http://docs.test/v1/inside.html", 200, "Content-Type: text/html\r\n", "<p>sub</p>");
    assert_answer(web, "http://docs.test/v1/sub/pic.PNG", 200, "Content-Type: image/png\r\n", "\x89PNG");
    assert_answer(web, "http://docs.test/v1/sub/unknown", 200, "application/octet-stream\r\n", "?");
    assert_answer(web, "http://docs.test/v1/sub/Wiki", 200, "text/html\r\n", "\n<!DOCTYPE html><p>x");
    assert_answer(web, "http://docs.test/v1/outside.html", 404, "", "");
    assert_answer(web, "http://docs.test/v1/circle/index.html", 404, "", "");
    assert_answer(web, "http://other.test/", 404, "", "");
    assert_answer(web, "no url", 404, "", "");
    arena_init(&arena, 1 << 16);
    assert_str(web_seed(web, 0, &arena), "http://docs.test/v1/a%20b%3F.html");
    assert_int_equal(web_seed(web, 9, &arena).len, 0);
    assert_int_equal(web_label(web, STR("http://docs.test/v1/"), &arena).len, 0);
    assert_int_equal(web_hosts(web), 0);
    arena_release(&arena);
    web_free(web);
    test_remove_dir(site);
    test_remove_dir(out);
}

static void same_folder_gives_same_bytes(void **state)
{
    char *site = make_site(), *one = test_make_dir(), *two = test_make_dir();
    struct errmsg err = {""};
    struct buf a, b;
    uint64_t packed;

    (void)state;
    assert_ok(web_pack_folder(site, "http://docs.test/", one, NULL, &packed, &err), err);
    assert_ok(web_pack_folder(site, "http://docs.test/", two, NULL, &packed, &err), err);
    read_whole(one, &a);
    read_whole(two, &b);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    buf_release(&a);
    buf_release(&b);
    test_remove_dir(site);
    test_remove_dir(one);
    test_remove_dir(two);
}

static void mistakes_are_named(void **state)
{
    char *site = make_site(), *out = test_make_dir();
    struct errmsg err = {""};
    uint64_t packed;

    (void)state;
    assert_int_equal(web_pack_folder("/nowhere", "http://a.test/", out, NULL, &packed, &err), SCENT_E_NOTFOUND);
    assert_int_equal(web_pack_folder(site, "a.test", out, NULL, &packed, &err), SCENT_E_INVALID);
    assert_int_equal(web_pack_folder(site, "http://a.test/?q", out, NULL, &packed, &err), SCENT_E_INVALID);
    assert_ok(web_pack_folder(site, "http://a.test/", out, NULL, &packed, &err), err);
    assert_int_equal(web_pack_folder(site, "http://a.test/", out, NULL, &packed, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "already holds a collection"));
    test_remove_dir(site);
    test_remove_dir(out);
}

/* An archive may hold heads that speak of a transfer that is over, or lie. */
static void heads_are_put_right(void **state)
{
    char *out = test_make_dir();
    struct errmsg err = {""};
    struct web_response r;
    struct packer *packer;
    struct web *web;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_ok(packer_open(out, 0, &packer, &err), err);
    assert_ok(packer_add(packer, STR("http://a.test/"), 0,
                         STR("HTTP/1.1 203 Odd\nX-Odd:  1\r\ntransfer-encoding: chunked\r\ncontent-length: 99\r\n\r\n"),
                         STR("body"), &err), err);
    assert_ok(packer_add(packer, STR("http://a.test/lie"), 0, STR("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"),
                         STR("body"), &err), err);
    assert_ok(packer_close(packer, &err), err);
    assert_ok(web_open(out, NULL, &web, &err), err);
    assert_str(sample_get(web, STR("http://a.test/lie"), &buf).head, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
    r = sample_get(web, STR("http://a.test/"), &buf);
    assert_int_equal(r.status, 203);
    assert_str(r.body, "body");
    assert_true(str_starts(r.head, STR("HTTP/1.1 203 Odd\r\nX-Odd:  1\r\n")));
    assert_true(str_ends(r.head, STR("\r\nContent-Length: 4\r\n\r\n")));
    assert_false(sample_contains(r.head, "\ntransfer-encoding"));
    buf_release(&buf);
    web_free(web);
    test_remove_dir(out);
}

static void kinds_are_told_apart(void **state)
{
    char *dir = test_make_dir(), path[1024];
    struct errmsg err = {""};
    struct web *web;

    (void)state;
    put_file(dir, "web.yaml", "kind: generated\nhosts: 30\n");
    snprintf(path, sizeof path, "%s/web.yaml", dir);
    assert_ok(web_open(path, NULL, &web, &err), err);
    assert_int_equal(web_hosts(web), 30);
    web_free(web);
    put_file(dir, "web.yaml", "kind: generated\nhots: 30\n");
    assert_int_equal(web_open(path, NULL, &web, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "web.yaml:2"));
    assert_int_equal(web_open("/nowhere", NULL, &web, &err), SCENT_E_NOTFOUND);
    assert_int_not_equal(web_open(dir, NULL, &web, &err), SCENT_OK); /* no WARC file in it */
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_becomes_a_web),
        cmocka_unit_test(same_folder_gives_same_bytes),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(heads_are_put_right),
        cmocka_unit_test(kinds_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
