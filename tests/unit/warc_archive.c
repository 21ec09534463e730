/* A folder of archive files as a map: which response answers for a URL, and that many threads may ask at once. */
#include "warc_fixture.h"

#include "warc/archive.h"

#include <pthread.h>

static struct log quiet = {.level = LOG_ERROR};

/* A plain response record. */
static void add_response(struct buf *out, const char *url, const char *date, int status, const char *body)
{
    struct buf block;

    buf_init(&block, 0);
    buf_printf(&block, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\n\r\n%s", status, body);
    buf_printf(out,
               "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Length: %zu\r\n\r\n",
               url, date, block.len);
    buf_add(out, buf_str(&block));
    buf_addz(out, "\r\n\r\n");
    buf_release(&block);
}

static void add_revisit(struct buf *out, const char *url, const char *original, const char *date)
{
    const char *head = "HTTP/1.1 200 X\r\n\r\n";

    buf_printf(out,
               "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: %s\r\nWARC-Date: 2021-01-01T00:00:00Z\r\n"
               "WARC-Refers-To-Target-URI: %s\r\nWARC-Refers-To-Date: %s\r\nContent-Length: %zu\r\n\r\n%s\r\n\r\n",
               url, original, date, strlen(head), head);
}

static struct archive *open_dir(const char *dir)
{
    struct archive *archive;
    struct errmsg err;

    assert_ok(archive_open(dir, &quiet, &archive, &err), err);
    return archive;
}

static void check(const struct archive *archive, const char *url, int status, const char *body)
{
    struct archive_response response;
    struct errmsg err;
    struct buf buf;

    buf_init(&buf, 0);
    assert_ok(archive_get(archive, str_of(url), &buf, &response, &err), err);
    assert_int_equal(response.status, status);
    assert_str(response.body, body);
    assert_str(response.url, url);
    assert_true(str_starts(response.head, STR("HTTP/1.1 ")) && str_ends(response.head, STR("\r\n\r\n")));
    buf_release(&buf);
}

static void the_newest_good_response_wins(void **state)
{
    char *dir = test_make_dir();
    struct archive *archive;
    struct archive_response response;
    struct errmsg err;
    struct buf file, buf;

    (void)state;
    buf_init(&file, 0);
    buf_init(&buf, 0);
    add_response(&file, "http://a.test/new", "2020-01-02T00:00:00Z", 200, "newer");
    add_response(&file, "http://a.test/new", "2020-01-01T00:00:00Z", 200, "older");
    add_response(&file, "http://a.test/good", "2020-01-01T00:00:00Z", 200, "good");
    add_response(&file, "http://a.test/good", "2020-01-02T00:00:00Z", 500, "bad");
    add_response(&file, "http://a.test/gone", "2020-01-01T00:00:00Z", 301, "moved");
    add_response(&file, "http://a.test/gone", "2020-01-01T00:00:00.5Z", 404, "gone");
    add_response(&file, "HTTP://A.test:80/%7euser#part", "2020-01-01T00:00:00Z", 200, "normal");
    add_response(&file, "dns:a.test", "2020-01-01T00:00:00Z", 200, "no page");
    fixture_write(dir, "x.warc", buf_str(&file));
    archive = open_dir(dir);
    assert_int_equal(archive_count(archive), 4);
    assert_str(archive_url(archive, 0), "http://a.test/new");
    assert_str(archive_url(archive, 3), "http://a.test/~user");
    check(archive, "http://a.test/new", 200, "newer");
    check(archive, "http://a.test/good", 200, "good");
    check(archive, "http://a.test/gone", 404, "gone");
    check(archive, "http://a.test/~user", 200, "normal");
    assert_int_equal(archive_get(archive, STR("http://a.test/none"), &buf, &response, &err), SCENT_E_NOTFOUND);
    archive_free(archive);
    buf_release(&file);
    buf_release(&buf);
    test_remove_dir(dir);
}

static void a_revisit_has_the_bytes_that_it_refers_to(void **state)
{
    char *dir = test_make_dir();
    struct archive *archive;
    struct buf file;

    (void)state;
    buf_init(&file, 0);
    add_revisit(&file, "http://a.test/early", "http://a.test/first", "2020-01-01T00:00:00Z");
    add_response(&file, "http://a.test/first", "2020-01-01T00:00:00Z", 200, "bytes");
    add_revisit(&file, "http://a.test/copy", "http://A.test/first", "2020-01-01T00:00:00Z");
    add_revisit(&file, "http://a.test/other", "http://a.test/first", "2020-01-02T00:00:00Z");
    add_revisit(&file, "http://a.test/lost", "http://a.test/none", "2020-01-01T00:00:00Z");
    add_response(&file, "http://a.test/first", "2020-01-03T00:00:00Z", 200, "changed");
    fixture_write(dir, "x.warc", buf_str(&file));
    archive = open_dir(dir);
    assert_int_equal(archive_count(archive), 2);
    check(archive, "http://a.test/copy", 200, "bytes");
    check(archive, "http://a.test/first", 200, "changed");
    archive_free(archive);
    buf_release(&file);
    test_remove_dir(dir);
}

static void all_kinds_of_files_below_a_folder(void **state)
{
    static const char arc[] = "http://a.test/arc 192.0.2.1 20050101000003 text/html 22\nHTTP/1.1 200 OK\r\n\r\narc\n";
    char *dir = test_make_dir(), *sub = fixture_path(dir, "warc"), *deep = fixture_path(sub, "deeper");
    struct buf file, plain, packed = fixture_exchange(1, STR("packed"), 1);
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 6);
    struct archive *archive;
    struct errmsg err;

    (void)state;
    assert_ok(file_make_dir(deep, &err), err);
    buf_init(&plain, 0);
    buf_init(&file, 0);
    add_response(&plain, "http://a.test/one", "2020-01-01T00:00:00Z", 200, "first of a member");
    add_response(&plain, "http://a.test/two", "2020-01-01T00:00:00Z", 200, "second of a member");
    assert_int_equal(http_pack(packer, buf_str(&plain), &file), SCENT_OK);
    fixture_write(sub, "shared.warc.gz", buf_str(&file));
    fixture_write(sub, "packed.warc.gz", buf_str(&packed));
    fixture_write(dir, "x.arc", STR(arc));
    fixture_write(dir, "rubbish.warc", STR("this is none"));
    fixture_write(dir, "unfinished.warc.gz.open", buf_str(&packed));
    fixture_write(deep, "too-deep.warc", buf_str(&plain));
    archive = open_dir(dir);
    assert_int_equal(archive_count(archive), 4);
    check(archive, "http://a.test/one", 200, "first of a member");
    check(archive, "http://a.test/two", 200, "second of a member");
    check(archive, "http://example.org/1", 200, "packed");
    check(archive, "http://a.test/arc", 200, "arc");
    archive_free(archive);
    http_packer_free(packer);
    buf_release(&file);
    buf_release(&plain);
    buf_release(&packed);
    free(sub);
    free(deep);
    test_remove_dir(dir);
}

static void without_a_file_there_is_no_archive(void **state)
{
    char *dir = test_make_dir(), *none = fixture_path(dir, "none");
    struct archive *archive;
    struct errmsg err;

    (void)state;
    assert_int_equal(archive_open(dir, &quiet, &archive, &err), SCENT_E_NOTFOUND);
    assert_int_equal(archive_open(none, &quiet, &archive, &err), SCENT_E_NOTFOUND);
    fixture_write(dir, "rubbish.warc", STR("this is none"));
    assert_int_equal(archive_open(dir, &quiet, &archive, &err), SCENT_E_NOTFOUND);
    free(none);
    test_remove_dir(dir);
}

static void a_file_that_changed_is_an_error(void **state)
{
    char *dir = test_make_dir();
    struct buf file = fixture_exchange(1, STR("packed"), 1), buf;
    struct archive_response response;
    struct archive *archive;
    struct errmsg err;

    (void)state;
    buf_init(&buf, 0);
    fixture_write(dir, "x.warc.gz", buf_str(&file));
    archive = open_dir(dir);
    fixture_write(dir, "x.warc.gz", STR("short"));
    assert_int_equal(archive_get(archive, STR("http://example.org/1"), &buf, &response, &err), SCENT_E_IO);
    memset(file.p, 'x', file.len);
    fixture_write(dir, "x.warc.gz", buf_str(&file));
    assert_int_equal(archive_get(archive, STR("http://example.org/1"), &buf, &response, &err), SCENT_E_FORMAT);
    archive_free(archive);
    buf_release(&file);
    buf_release(&buf);
    test_remove_dir(dir);
}

enum { PAGES = 300, THREADS = 4 };

static void *look_up(void *arg)
{
    const struct archive *archive = arg;
    uintptr_t wrong = 0;
    struct buf buf;

    buf_init(&buf, 0);
    for (int i = 0; i < PAGES; i++) {
        struct archive_response response;
        char url[64], body[64];

        snprintf(url, sizeof url, "http://example.org/%d", i);
        snprintf(body, sizeof body, "body number %d", i);
        wrong += archive_get(archive, str_of(url), &buf, &response, NULL) != SCENT_OK ||
                 !str_eq(response.body, str_of(body));
    }
    buf_release(&buf);
    return (void *)wrong;
}

static void many_threads_look_up(void **state)
{
    char *dir = test_make_dir();
    struct archive *archive;
    pthread_t threads[THREADS];
    struct buf file;

    (void)state;
    buf_init(&file, 0);
    for (int i = 0; i < PAGES; i++) {
        char body[64];
        struct buf one;

        snprintf(body, sizeof body, "body number %d", i);
        one = fixture_exchange(i, str_of(body), 1);
        buf_add(&file, buf_str(&one));
        buf_release(&one);
    }
    fixture_write(dir, "x.warc.gz", buf_str(&file));
    buf_release(&file);
    archive = open_dir(dir);
    assert_int_equal(archive_count(archive), PAGES);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, archive), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;

        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    archive_free(archive);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_good_response_wins),
        cmocka_unit_test(a_revisit_has_the_bytes_that_it_refers_to),
        cmocka_unit_test(all_kinds_of_files_below_a_folder),
        cmocka_unit_test(without_a_file_there_is_no_archive),
        cmocka_unit_test(a_file_that_changed_is_an_error),
        cmocka_unit_test(many_threads_look_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
