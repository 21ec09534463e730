/* The bytes of records: what stands in them, and that a hostile server cannot write headers of its own. */
#include "test.h"

#include "http/http.h"
#include "warc/warc.h"

#define WALL 1794733080000000 /* 2026-11-15T08:58:00Z */

static const struct warc_exchange plain = {
    .url = {"http://example.org/a", 20},
    .wall = WALL,
    .ip = {"192.0.2.1", 9},
    .protocol = {"http/1.1", 8},
    .request = {"GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n", 38},
    .response_head = {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", 45},
    .body = {"hello\n", 6},
};

/* The records, unpacked; each must be one gzip member. */
static struct buf build(const struct warc_exchange *exchange, uint64_t seed, char digest[33])
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct warc_span span;
    struct buf packed, out;
    struct rng rng;
    size_t pos = 0;

    rng_seed(&rng, seed);
    buf_init(&packed, 0);
    buf_init(&out, 0);
    buf_addz(&packed, "before");
    assert_int_equal(warc_build_exchange(exchange, &rng, packer, &packed, &span, digest), SCENT_OK);
    assert_int_equal(span.offset, 6);
    for (pos = 6; pos < packed.len;) {
        size_t used;
        enum http_end end;

        assert_int_equal(http_gunzip_member((struct str){packed.p + pos, packed.len - pos}, &out, &used, &end),
                         SCENT_OK);
        assert_int_equal(end, HTTP_WHOLE);
        if (pos == 6)
            assert_int_equal(used, span.length);
        pos += used;
    }
    http_packer_free(packer);
    buf_release(&packed);
    return out;
}

static bool holds(const struct buf *text, const char *what)
{
    return memmem(text->p, text->len, what, strlen(what)) != NULL;
}

static void an_exchange_is_these_bytes(void **state)
{
    char digest[33];
    struct buf got = build(&plain, 1, digest);

    (void)state;
    buf_z(&got);
    assert_string_equal(digest, "6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP"); /* sha1 of "hello\n" */
    assert_string_equal(got.p, "WARC/1.1\r\n"
                               "WARC-Type: response\r\n"
                               "WARC-Record-ID: <urn:uuid:b3f2af6d-0fc7-40c5-853b-559647364cea>\r\n"
                               "WARC-Date: 2026-11-15T08:58:00Z\r\n"
                               "WARC-Target-URI: http://example.org/a\r\n"
                               "WARC-IP-Address: 192.0.2.1\r\n"
                               "WARC-Protocol: http/1.1\r\n"
                               "WARC-Concurrent-To: <urn:uuid:92f89756-082a-4514-a42e-1c7bc266a3a7>\r\n"
                               "Content-Type: application/http;msgtype=response\r\n"
                               "WARC-Payload-Digest: sha1:6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP\r\n"
                               "WARC-Block-Digest: sha1:CF5D4OIVUN4TZZNQKZYBH5WF2AARIP73\r\n"
                               "Content-Length: 51\r\n"
                               "\r\n"
                               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
                               "hello\n\r\n\r\n"
                               "WARC/1.1\r\n"
                               "WARC-Type: request\r\n"
                               "WARC-Record-ID: <urn:uuid:92f89756-082a-4514-a42e-1c7bc266a3a7>\r\n"
                               "WARC-Date: 2026-11-15T08:58:00Z\r\n"
                               "WARC-Target-URI: http://example.org/a\r\n"
                               "WARC-IP-Address: 192.0.2.1\r\n"
                               "WARC-Protocol: http/1.1\r\n"
                               "WARC-Concurrent-To: <urn:uuid:b3f2af6d-0fc7-40c5-853b-559647364cea>\r\n"
                               "Content-Type: application/http;msgtype=request\r\n"
                               "WARC-Block-Digest: sha1:M6WTIJW2WYYJT5IBHTEWVUSW3OICATEF\r\n"
                               "Content-Length: 38\r\n"
                               "\r\n"
                               "GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n\r\n\r\n");
    buf_release(&got);
}

static void ids_are_random_uuids(void **state)
{
    char digest[33];

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct buf got = build(&plain, seed, digest), again = build(&plain, seed, digest);
        const char *id = strstr(buf_z(&got), "urn:uuid:") + 9;

        assert_int_equal(id[14], '4');
        assert_non_null(strchr("89ab", id[19]));
        assert_string_equal(got.p, buf_z(&again)); /* the seed alone decides */
        buf_release(&got);
        buf_release(&again);
    }
}

static void check_head(const char *head, bool chunked, const char *want)
{
    struct warc_exchange exchange = plain;
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;
    char digest[33];
    struct buf got;

    exchange.response_head = str_of(head);
    exchange.chunked = chunked;
    got = build(&exchange, 1, digest);
    reader = warc_reader_open_memory(buf_str(&got));
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.http_head, want);
    assert_str(record.payload, "hello\n");
    assert_int_equal(record.http_status, 200);
    assert_int_equal(warc_record_check_digest(&record), WARC_DIGEST_OK);
    warc_reader_close(reader);
    buf_release(&got);
}

static void heads(void **state)
{
    (void)state;
    /* Kept byte for byte where it fits the body. */
    check_head("HTTP/1.1 200 OK\nx:  y \n\n", false, "HTTP/1.1 200 OK\nx:  y \n\n");
    check_head("HTTP/1.0 200\r\nContent-Length: 99\r\n\r\n", false, "HTTP/1.0 200\r\nContent-Length: 99\r\n\r\n");
    /* Chunks are gone, so the head may not announce them. */
    check_head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n", true,
               "HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nA: b\r\nContent-Length: 6\r\n\r\n");
    check_head("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n", false,
               "HTTP/1.1 200 OK\r\nX-Archive-Orig-content-length: 3\r\nX-Archive-Orig-transfer-encoding: chunked\r\n"
               "Content-Length: 6\r\n\r\n");
    check_head("HTTP/2 200 \r\nA: b\r\n\r\n", false, "HTTP/1.1 200 \r\nA: b\r\n\r\n");
    check_head("HTTP/3 200\nA: b\n\n", true, "HTTP/1.1 200\r\nA: b\r\nContent-Length: 6\r\n\r\n");
    /* The empty line that a head must end with is put there. */
    check_head("HTTP/1.1 200 OK\r\nA: b", false, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
    check_head("HTTP/1.1 200 OK\r\nA: b\r\n", false, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
}

static void a_value_cannot_begin_a_line(void **state)
{
    struct warc_exchange exchange = plain;
    char digest[33];
    struct buf got;

    (void)state;
    exchange.url = STR("http://example.org/\r\nWARC-Type: resource\r\n");
    exchange.ip = STR("\nx");
    got = build(&exchange, 1, digest);
    assert_true(holds(&got, "WARC-Target-URI: http://example.org/\r\n"));
    assert_false(holds(&got, "resource"));
    assert_false(holds(&got, "WARC-IP-Address"));
    buf_release(&got);
}

static void truncation_is_named(void **state)
{
    static const char *const want[] = {NULL, "length", "time", "disconnect", "unspecified"};
    struct warc_exchange exchange = plain;

    (void)state;
    for (int i = 0; i < 5; i++) {
        char digest[33], line[64];
        struct buf got;

        exchange.truncated = (enum warc_truncated)i;
        got = build(&exchange, 1, digest);
        snprintf(line, sizeof line, "\r\nWARC-Truncated: %s\r\n", want[i] ? want[i] : "");
        assert_int_equal(holds(&got, want[i] ? line : "WARC-Truncated"), want[i] != NULL);
        buf_release(&got);
    }
}

static void a_duplicate_is_a_revisit(void **state)
{
    struct warc_exchange exchange = plain;
    char digest[33];
    struct buf got;

    (void)state;
    exchange.same_as_url = STR("http://example.org/first");
    exchange.same_as_wall = WALL - 60000000;
    got = build(&exchange, 1, digest);
    assert_string_equal(digest, "6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP");
    assert_true(holds(&got, "WARC-Type: revisit\r\n"));
    assert_true(holds(&got, "WARC-Refers-To-Target-URI: http://example.org/first\r\n"));
    assert_true(holds(&got, "WARC-Refers-To-Date: 2026-11-15T08:57:00Z\r\n"));
    assert_true(holds(&got, "identical-payload-digest\r\n"));
    assert_true(holds(&got, "Content-Length: 45\r\n\r\n"));
    assert_false(holds(&got, "hello"));
    buf_release(&got);
}

static void what_a_server_calls_unchanged_is_one_too(void **state)
{
    struct warc_exchange exchange = plain;
    char digest[33];
    struct buf got;

    (void)state;
    exchange.response_head = STR("HTTP/1.1 304 Not Modified\r\n\r\n");
    exchange.body = STR_NONE;
    exchange.not_modified = true;
    exchange.same_as_url = exchange.url;
    exchange.same_as_wall = WALL - 60000000;
    exchange.same_as_digest = STR("6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP");
    got = build(&exchange, 1, digest);
    assert_true(holds(&got, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"));
    assert_true(holds(&got, "WARC-Refers-To-Date: 2026-11-15T08:57:00Z\r\n"));
    assert_true(holds(&got, "WARC-Payload-Digest: sha1:6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP\r\n"));
    assert_true(holds(&got, "\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n"));
    buf_release(&got);
}

/* The body is gone by then: the known digest stands for it, and its length for the header of a chunked one. */
static void a_revisit_needs_no_body(void **state)
{
    struct warc_exchange exchange = plain;
    char digest[33];
    struct buf got;

    (void)state;
    exchange.same_as_url = STR("http://example.org/first");
    exchange.same_as_digest = STR("6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP");
    exchange.body = (struct str){NULL, 12345};
    exchange.chunked = true;
    got = build(&exchange, 1, digest);
    assert_string_equal(digest, "6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP");
    assert_true(holds(&got, "WARC-Payload-Digest: sha1:6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP\r\n"));
    assert_true(holds(&got, "Content-Length: 12345\r\n\r\n"));
    buf_release(&got);
}

static void without_a_request_there_is_one_record(void **state)
{
    struct warc_exchange exchange = plain;
    char digest[33];
    struct buf got;

    (void)state;
    exchange.request = STR_NONE;
    got = build(&exchange, 1, digest);
    assert_false(holds(&got, "WARC-Concurrent-To"));
    assert_false(holds(&got, "WARC-Type: request"));
    buf_release(&got);
}

static void what_is_not_kept_leaves_a_note(void **state)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct buf packed, got;
    char digest[33];
    struct rng rng;
    enum http_end end;
    size_t used;

    (void)state;
    rng_seed(&rng, 1);
    buf_init(&packed, 0);
    buf_init(&got, 0);
    assert_int_equal(warc_build_metadata(&plain, STR("robots: noarchive\r\n"), &rng, packer, &packed, digest), SCENT_OK);
    assert_int_equal(http_gunzip_member(buf_str(&packed), &got, &used, &end), SCENT_OK);
    assert_int_equal(used, packed.len); /* one record: neither response nor request */
    assert_string_equal(digest, "6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP");
    assert_true(holds(&got, "WARC-Type: metadata\r\n") && holds(&got, "WARC-Target-URI: http://example.org/a\r\n"));
    assert_true(holds(&got, "Content-Type: application/warc-fields\r\n"));
    assert_true(holds(&got, "Content-Length: 19\r\n\r\nrobots: noarchive\r\n\r\n\r\n"));
    assert_false(holds(&got, "hello") || holds(&got, "HTTP/1.1 200"));
    http_packer_free(packer);
    buf_release(&packed);
    buf_release(&got);
}

static void what_does_not_fit_leaves_nothing(void **state)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct warc_span span;
    char digest[33];
    struct buf out;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (size_t cap = 10; cap < 800; cap += 50) { /* both records take more than that at worst */
        buf_init(&out, cap);
        buf_addz(&out, "before");
        assert_int_equal(warc_build_exchange(&plain, &rng, packer, &out, &span, digest), SCENT_E_LIMIT);
        assert_str(buf_str(&out), "before");
        buf_release(&out);
    }
    http_packer_free(packer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_these_bytes),
        cmocka_unit_test(ids_are_random_uuids),
        cmocka_unit_test(heads),
        cmocka_unit_test(a_value_cannot_begin_a_line),
        cmocka_unit_test(truncation_is_named),
        cmocka_unit_test(a_duplicate_is_a_revisit),
        cmocka_unit_test(a_revisit_needs_no_body),
        cmocka_unit_test(what_a_server_calls_unchanged_is_one_too),
        cmocka_unit_test(without_a_request_there_is_one_record),
        cmocka_unit_test(what_is_not_kept_leaves_a_note),
        cmocka_unit_test(what_does_not_fit_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
