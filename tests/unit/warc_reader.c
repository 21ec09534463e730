/* The reader on files that are cut, flipped, joined, too long or no archives at all. */
#include "warc_fixture.h"
#include "http/http.h"

enum { EXCHANGES = 4, RECORDS = 2 * EXCHANGES };

/* Four exchanges: a member a record, or plain. */
static struct buf series(int level)
{
    struct buf all;

    buf_init(&all, 0);
    for (int i = 0; i < EXCHANGES; i++) {
        struct buf one = fixture_exchange(i, STR("<html>the body of a page</html>\n"), level);

        buf_add(&all, buf_str(&one));
        buf_release(&one);
    }
    return all;
}

static struct buf gzip_of(struct str in)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 6);
    struct buf out;

    buf_init(&out, 0);
    assert_int_equal(http_pack(packer, in, &out), SCENT_OK);
    http_packer_free(packer);
    return out;
}

struct tally {
    int whole, damaged;
};

static struct tally read_all(struct str data)
{
    char *copy = malloc(data.len ? data.len : 1); /* of exact size, for the sanitizer */
    struct warc_reader *reader;
    struct warc_record record;
    struct tally tally = {0};
    struct errmsg err;
    scent_status status;

    memcpy(copy, data.p, data.len);
    reader = warc_reader_open_memory((struct str){copy, data.len});
    while ((status = warc_reader_next(reader, &record, &err)) == SCENT_OK) {
        *(record.damaged ? &tally.damaged : &tally.whole) += 1;
        assert_true(record.offset <= data.len);
        warc_record_check_digest(&record);
    }
    assert_true(status == SCENT_E_END || status == SCENT_E_FORMAT);
    assert_int_equal(warc_reader_next(reader, &record, &err), SCENT_E_END);
    warc_reader_close(reader);
    free(copy);
    return tally;
}

static void every_way_of_packing(void **state)
{
    struct buf plain = series(0), members = series(1), one = gzip_of(buf_str(&plain)), joined;

    (void)state;
    fixture_check_outline(buf_str(&plain), "rqrqrqrq");
    fixture_check_outline(buf_str(&members), "rqrqrqrq");
    fixture_check_outline(buf_str(&one), "rqrqrqrq");
    /* Members that know nothing of records. */
    for (size_t piece = 7; piece < 1000; piece = piece * 2 + 1) {
        buf_init(&joined, 0);
        for (size_t at = 0; at < plain.len; at += piece) {
            struct buf part = gzip_of((struct str){plain.p + at, plain.len - at < piece ? plain.len - at : piece});

            buf_add(&joined, buf_str(&part));
            buf_release(&part);
        }
        fixture_check_outline(buf_str(&joined), "rqrqrqrq");
        buf_release(&joined);
    }
    buf_release(&plain);
    buf_release(&members);
    buf_release(&one);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct buf all = series(level);
        int before = 0;

        for (size_t len = 0; len <= all.len; len++) {
            struct tally tally = read_all((struct str){all.p, len});

            assert_in_range(tally.damaged, 0, 1);
            assert_in_range(tally.whole, before > 0 ? before - 1 : 0, RECORDS);
            assert_true(tally.whole >= before);
            before = tally.whole;
        }
        assert_int_equal(before, RECORDS);
        buf_release(&all);
    }
}

/* One flipped byte costs at most the record that it lies in. */
static void flipped_at_every_byte(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct buf all = series(level);

        for (size_t i = 0; i < all.len; i++) {
            struct tally tally;

            all.p[i] ^= 0x15;
            tally = read_all(buf_str(&all));
            all.p[i] ^= 0x15;
            if (tally.whole < RECORDS - 1 || tally.damaged > 2)
                print_error("level %d, byte %zu: %d whole, %d damaged\n", level, i, tally.whole, tally.damaged);
            assert_in_range(tally.whole, RECORDS - 1, RECORDS);
            assert_in_range(tally.damaged, tally.whole < RECORDS ? 1 : 0, 2);
        }
        buf_release(&all);
    }
}

static void hole(struct buf *all, size_t from, size_t to)
{
    memmove(all->p + from, all->p + to, all->len - to);
    all->len -= to - from;
}

static void a_missing_piece_costs_what_it_touches(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct buf whole = series(level);

        for (size_t at = 1; at + 60 < whole.len; at += 13) {
            struct buf all = series(level);
            struct tally tally;

            hole(&all, at, at + 40);
            tally = read_all(buf_str(&all));
            assert_in_range(tally.whole, RECORDS - 2, RECORDS - (level ? 1 : 0));
            buf_release(&all);
        }
        buf_release(&whole);
    }
}

static void rubbish(void **state)
{
    struct buf all, plain = series(0), packed = series(1);

    (void)state;
    fixture_check_outline(STR(""), "");
    fixture_check_outline(STR("\r\n\r\n\n"), "");
    fixture_check_outline(STR("<html>no archive\n\n</html>"), "o! damaged data");
    fixture_check_outline(STR("\x1f\x8b\x08\x00garbage that is no gzip"), "o! damaged data");
    fixture_check_outline(STR("WARC/1.0\r\nWARC-Type: response\r\n"), "o! damaged data");
    buf_init(&all, 0);
    buf_addz(&all, "some lines\nthat are no record\n");
    buf_add(&all, buf_str(&plain));
    fixture_check_outline(buf_str(&all), "o!rqrqrqrq");
    buf_clear(&all);
    buf_add(&all, buf_str(&packed));
    buf_addz(&all, "something behind the last member");
    fixture_check_outline(buf_str(&all), "rqrqrqrqo!");
    buf_clear(&all);
    for (int i = 0; i < 20000; i++) /* a header that never ends */
        buf_addz(&all, i ? "X-Header: and so on\r\n" : "WARC/1.0\r\n");
    buf_add(&all, buf_str(&plain));
    fixture_check_outline(buf_str(&all), "o!rqrqrqrq");
    buf_release(&all);
    buf_release(&plain);
    buf_release(&packed);
}

static void a_spoilt_start_is_not_taken_for_gzip(void **state)
{
    struct buf body = gzip_of(STR("<html>a body that came as gzip</html>")), one, all;

    (void)state;
    buf_init(&all, 0);
    for (int i = 0; i < 3; i++) {
        one = fixture_exchange(i, buf_str(&body), 0);
        buf_add(&all, buf_str(&one));
        buf_release(&one);
    }
    all.p[0] = 'X';
    fixture_check_outline(buf_str(&all), "o!qrqrq");
    buf_release(&all);
    buf_release(&body);
}

/* "WARC/1.1 … Content-Length: LENGTH" and `block`, followed by a good exchange. */
static struct buf with_length(const char *length, struct str block)
{
    struct buf all, next = fixture_exchange(7, STR("next"), 0);

    buf_init(&all, 0);
    buf_printf(&all, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: urn:x\r\nContent-Length: %s\r\n\r\n", length);
    buf_add(&all, block);
    buf_addz(&all, "\r\n\r\n");
    buf_add(&all, buf_str(&next));
    buf_release(&next);
    return all;
}

static void check_length(const char *length, const char *outline, const char *block)
{
    struct buf all = with_length(length, STR("0123456789"));
    struct buf packed = gzip_of(buf_str(&all));
    struct str forms[] = {buf_str(&all), buf_str(&packed)};

    for (int i = 0; i < 2; i++) {
        struct warc_reader *reader = warc_reader_open_memory(forms[i]);
        struct warc_record record;
        struct errmsg err;

        assert_ok(warc_reader_next(reader, &record, &err), err);
        assert_str(record.block, block);
        warc_reader_close(reader);
        fixture_check_outline(forms[i], outline);
    }
    buf_release(&all);
    buf_release(&packed);
}

/* The same, with a gzip member a record. */
static void a_short_record_ends_with_its_member(void **state)
{
    struct buf all = with_length("100", STR("0123456789\n")), one, two;
    size_t end = (size_t)((char *)memmem(all.p, all.len, "9\n\r\n\r\n", 6) - all.p) + 6;
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;

    (void)state;
    one = gzip_of((struct str){all.p, end});
    two = gzip_of((struct str){all.p + end, all.len - end});
    end = one.len;
    buf_add(&one, buf_str(&two));
    reader = warc_reader_open_memory(buf_str(&one));
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.block, "0123456789\n");
    assert_string_equal(record.damage, "shorter than announced");
    assert_int_equal(record.length, end);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.url, "http://example.org/7");
    assert_int_equal(record.offset, end);
    assert_false(record.damaged);
    warc_reader_close(reader);
    buf_release(&all);
    buf_release(&one);
    buf_release(&two);
}

static void wrong_lengths(void **state)
{
    (void)state;
    check_length("10", "srq", "0123456789");
    check_length("4", "s!rq", "0123");
    check_length("100", "s!rq", "0123456789");
    check_length("60000000", "s!rq", "0123456789");
    check_length("", "s!rq", "0123456789");
    check_length("-5", "s!rq", "0123456789");
    check_length("99999999999999999999999", "s!rq", "0123456789");
}

static void an_impossible_length_is_not_believed(void **state)
{
    struct buf all = with_length("1000000000000", STR("0123456789"));

    (void)state;
    fixture_check_outline(buf_str(&all), "s!rq");
    buf_release(&all);
}

static void a_record_that_is_too_long_is_cut_and_skipped(void **state)
{
    enum { LONG = WARC_BLOCK_MAX + 1000000 };
    struct buf block, all, packed;
    char length[32];

    (void)state;
    buf_init(&block, 0);
    assert_true(buf_reserve(&block, LONG));
    memset(block.p, 'x', LONG);
    block.len = LONG;
    snprintf(length, sizeof length, "%d", LONG);
    all = with_length(length, buf_str(&block));
    packed = gzip_of(buf_str(&all));
    buf_release(&block);
    for (int i = 0; i < 2; i++) {
        struct warc_reader *reader = warc_reader_open_memory(i ? buf_str(&packed) : buf_str(&all));
        struct warc_record record;
        struct errmsg err;

        assert_ok(warc_reader_next(reader, &record, &err), err);
        assert_string_equal(record.damage, "larger than 64 MiB");
        assert_int_equal(record.block.len, WARC_BLOCK_MAX);
        assert_ok(warc_reader_next(reader, &record, &err), err);
        assert_str(record.url, "http://example.org/7");
        assert_false(record.damaged);
        warc_reader_close(reader);
    }
    buf_release(&all);
    buf_release(&packed);
}

static void check_chunked(const char *body, const char *more, const char *payload, const char *damage)
{
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;
    struct buf all;

    buf_init(&all, 0);
    buf_printf(&all,
               "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n%sContent-Length: %zu\r\n\r\n"
               "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n%s\r\n\r\n",
               more, 47 + strlen(body), body);
    reader = warc_reader_open_memory(buf_str(&all));
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.payload, payload);
    assert_string_equal(record.damage ? record.damage : "none", damage ? damage : "none");
    warc_reader_close(reader);
    buf_release(&all);
}

static void chunked_bodies(void **state)
{
    (void)state;
    check_chunked("5\r\nhello\r\n0\r\n\r\n", "", "hello", NULL);
    check_chunked("5\r\nhello\r\nzz\r\n", "", "hello", "bad chunks");
    check_chunked("9\r\nhello", "", "hello", "the chunked body ends early");
    check_chunked("9\r\nhello", "WARC-Truncated: length\r\n", "hello", NULL);
    check_chunked("<html>the chunks were removed</html>", "", "<html>the chunks were removed</html>", NULL);
    check_chunked("", "", "", NULL);
}

static void arc_lines(void **state)
{
    static const char file[] =
        "filedesc://x.arc 0.0.0.0 20050101000000 text/plain 34\n"
        "2 0 Somebody\nURL IP-address etc.\n\n\n"
        "dns:example.org 192.0.2.1 20050101000001 text/dns 200 - - 0 x.arc 4\n"
        "abc\n\n"
        "http://example.org/a b 2001:db8::1 20050101000002 text/html; charset=x 200 - - 90 x.arc 25\n"
        "HTTP/1.0 404 No\r\n\r\nsorry\n\n"
        "http://example.org/last 192.0.2.1 20050101000003 text/html 20\n"
        "HTTP/1.0  200 OK\n\nok\n";
    struct warc_reader *reader = warc_reader_open_memory(STR(file));
    struct warc_record record;
    struct errmsg err;

    (void)state;
    fixture_check_outline(STR(file), "isrr");
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.url, "dns:example.org");
    assert_str(record.payload, "abc\n");
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_str(record.url, "http://example.org/a b");
    assert_str(record.date, "20050101000002");
    assert_int_equal(record.http_status, 404);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_int_equal(record.http_status, 200);
    assert_str(record.payload, "ok");
    warc_reader_close(reader);
}

/* As HTTP clients read it: three digits, however many spaces stand before them. */
static void statuses_have_three_digits(void **state)
{
    static const struct {
        const char *line;
        int status;
    } cases[] = {{"HTTP/1.1 301 Moved", 301}, {"HTTP/1.1   204", 204},     {"HTTP/1.     1 301 Moved", 0},
                 {"HTTP/1.1 20", 0},          {"HTTP/1.1 twohundred", 0}, {"HTTP/2 200", 200}};
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;
    char file[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(file, sizeof file,
                 "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                 "WARC-Target-URI: http://example.org/\r\nContent-Type: application/http;msgtype=response\r\n"
                 "Content-Length: %zu\r\n\r\n%s\r\n\r\n\r\n\r\n", strlen(cases[i].line) + 4, cases[i].line);
        reader = warc_reader_open_memory(str_of(file));
        assert_ok(warc_reader_next(reader, &record, &err), err);
        assert_int_equal(record.http_status, cases[i].status);
        warc_reader_close(reader);
    }
}

static void header_values(void **state)
{
    struct warc_record record = {.headers = STR("WARC/1.0\r\nA: 1\r\nab:2 \r\n A: 3\r\nEmpty:\r\n")};

    (void)state;
    assert_str(http_header(record.headers, STR("a")), "1");
    assert_str(http_header(record.headers, STR("AB")), "2");
    assert_int_equal(http_header(record.headers, STR("empty")).len, 0);
    assert_null(http_header(record.headers, STR("abc")).p);
    assert_str(http_header(STR("HTTP/1.1 200 OK\nContent-Type:text/html\n\n"), STR("content-type")), "text/html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_packing),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(flipped_at_every_byte),
        cmocka_unit_test(a_missing_piece_costs_what_it_touches),
        cmocka_unit_test(rubbish),
        cmocka_unit_test(a_spoilt_start_is_not_taken_for_gzip),
        cmocka_unit_test(wrong_lengths),
        cmocka_unit_test(a_short_record_ends_with_its_member),
        cmocka_unit_test(an_impossible_length_is_not_believed),
        cmocka_unit_test(a_record_that_is_too_long_is_cut_and_skipped),
        cmocka_unit_test(chunked_bodies),
        cmocka_unit_test(arc_lines),
        cmocka_unit_test(statuses_have_three_digits),
        cmocka_unit_test(header_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
