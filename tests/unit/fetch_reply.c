#include "test.h"

#include "fetch/reply.h"

/* Feeds `lines`, split after each LF, and says how the last one ended. */
static enum reply_result feed(struct reply *reply, const char *lines)
{
    enum reply_result result = REPLY_MORE;
    struct str rest = str_of(lines);

    while (rest.len && result <= REPLY_COMPLETE) {
        size_t end = str_find(rest, '\n') + 1;

        end = end < rest.len ? end : rest.len;
        result = reply_line(reply, str_sub(rest, 0, end));
        rest = str_sub(rest, end, rest.len);
    }
    return result;
}

static void expect(const char *lines, int status, const char *mime, const char *head)
{
    struct reply reply;
    struct buf buf;

    buf_init(&buf, 0);
    reply_init(&reply, &buf, 10000);
    assert_int_equal(feed(&reply, lines), REPLY_COMPLETE);
    assert_true(reply.done);
    assert_int_equal(reply.status, status);
    assert_string_equal(reply.mime, mime);
    assert_int_equal(reply.mime_len, strlen(mime));
    assert_str(buf_str(&buf), head);
    buf_release(&buf);
}

static void test_lines_are_kept(void **state)
{
    (void)state;
    expect("HTTP/1.1 200 OK\r\nA:b\r\n\r\n", 200, "", "HTTP/1.1 200 OK\r\nA:b\r\n\r\n");
    expect("HTTP/1.0 404  Not  there \r\nA : b\r\n\tc\r\n\r\n", 404, "",
           "HTTP/1.0 404  Not  there \r\nA : b\r\n\tc\r\n\r\n");
    expect("HTTP/1.1 200\nno colon\nx:\r\r\n\n", 200, "", "HTTP/1.1 200\r\nno colon\r\nx:\r\r\n\r\n");
    expect("HTTP/1.1 2\r\n\r\n", 0, "", "HTTP/1.1 2\r\n\r\n");
}

static void test_status_lines_of_later_versions(void **state)
{
    (void)state;
    expect("HTTP/2 200 \r\nserver: x\r\n\r\n", 200, "", "HTTP/1.1 200 OK\r\nserver: x\r\n\r\n");
    expect("HTTP/2 404 \r\n\r\n", 404, "", "HTTP/1.1 404 Not Found\r\n\r\n");
    expect("HTTP/3 503 \r\n\r\n", 503, "", "HTTP/1.1 503 Service Unavailable\r\n\r\n");
    expect("HTTP/2 599 \r\n\r\n", 599, "", "HTTP/1.1 599 Unknown\r\n\r\n");
}

static void test_interim_heads_vanish(void **state)
{
    (void)state;
    expect("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Type: image/png\r\n\r\n"
           "HTTP/1.1 204 None\r\nA: b\r\n\r\n",
           204, "", "HTTP/1.1 204 None\r\nA: b\r\n\r\n");
}

static void test_mime(void **state)
{
    (void)state;
    expect("HTTP/1.1 200 OK\r\ncontent-TYPE:\t Text/HTML ; charset=x\r\n\r\n", 200, "text/html",
           "HTTP/1.1 200 OK\r\ncontent-TYPE:\t Text/HTML ; charset=x\r\n\r\n");
    expect("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n", 200, "a/b",
           "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n");
    expect("HTTP/1.1 200 OK\r\nContent-Type:\r\nX-Content-Type: c/d\r\n\r\n", 200, "",
           "HTTP/1.1 200 OK\r\nContent-Type:\r\nX-Content-Type: c/d\r\n\r\n");
}

static void test_names_without_a_colon(void **state)
{
    (void)state;
    expect("HTTP/1.1 200 OK\r\nContent-Type\r\nTransfer-Encoding\r\n\r\n", 200, "",
           "HTTP/1.1 200 OK\r\nContent-Type\r\nTransfer-Encoding\r\n\r\n");
}

static void test_a_long_mime_is_cut(void **state)
{
    char line[400] = "Content-Type: ";
    struct reply reply;
    struct buf buf;

    (void)state;
    memset(line + 14, 'A', 300);
    buf_init(&buf, 0);
    reply_init(&reply, &buf, 10000);
    reply_line(&reply, STR("HTTP/1.1 200 OK\r\n"));
    assert_int_equal(reply_line(&reply, str_of(line)), REPLY_MORE);
    assert_int_equal(reply.mime_len, REPLY_MIME_MAX);
    assert_int_equal(strlen(reply.mime), REPLY_MIME_MAX);
    buf_release(&buf);
}

static bool is_chunked(const char *value)
{
    char lines[200];
    struct reply reply;
    struct buf buf;

    snprintf(lines, sizeof lines, "HTTP/1.1 200 OK\r\nTransfer-Encoding:%s\r\n\r\n", value);
    buf_init(&buf, 0);
    reply_init(&reply, &buf, 10000);
    assert_int_equal(feed(&reply, lines), REPLY_COMPLETE);
    buf_release(&buf);
    return reply.chunked;
}

static void test_chunked(void **state)
{
    (void)state;
    assert_true(is_chunked(" chunked"));
    assert_true(is_chunked("Chunked "));
    assert_true(is_chunked(" gzip ,chunked"));
    assert_false(is_chunked(" gzip"));
    assert_false(is_chunked(" xchunked, chunked-not"));
    assert_false(is_chunked(""));
}

static void test_trailers_are_no_head(void **state)
{
    struct reply reply;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    reply_init(&reply, &buf, 100);
    assert_int_equal(feed(&reply, "HTTP/1.1 200 OK\r\n\r\n"), REPLY_COMPLETE);
    assert_int_equal(feed(&reply, "X-Late: 1\r\n\r\n"), REPLY_MORE);
    assert_str(buf_str(&buf), "HTTP/1.1 200 OK\r\n\r\n");
    buf_release(&buf);
}

static void test_cap(void **state)
{
    struct reply reply;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    reply_init(&reply, &buf, 19);
    assert_int_equal(feed(&reply, "HTTP/1.1 200 OK\r\n\r\n"), REPLY_COMPLETE);
    reply_init(&reply, &buf, 18);
    assert_int_equal(feed(&reply, "HTTP/1.1 200 OK\r\n\r\n"), REPLY_TOO_LARGE);
    reply_init(&reply, &buf, 50); /* what was dropped counts too */
    assert_int_equal(feed(&reply, "HTTP/1.1 103 X\r\n\r\nHTTP/1.1 103 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n"),
                     REPLY_TOO_LARGE);
    buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_kept),       cmocka_unit_test(test_status_lines_of_later_versions),
        cmocka_unit_test(test_interim_heads_vanish), cmocka_unit_test(test_mime),
        cmocka_unit_test(test_names_without_a_colon),
        cmocka_unit_test(test_a_long_mime_is_cut),   cmocka_unit_test(test_chunked),
        cmocka_unit_test(test_trailers_are_no_head), cmocka_unit_test(test_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
