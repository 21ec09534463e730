/* gzip members one by one, as WARC files hold them, and chunked bodies. */
#include "test.h"

#include "http/http.h"

static struct buf gzip(int level, struct str in)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, level);
    struct buf out;

    buf_init(&out, 0);
    assert_int_equal(http_pack(packer, in, &out), SCENT_OK);
    http_packer_free(packer);
    return out;
}

static struct buf pattern(size_t len)
{
    struct buf buf;

    buf_init(&buf, 0);
    for (uint32_t i = 0, x = 7; i < len; i++, x = x * 1664525 + 1013904223)
        buf_addc(&buf, i % 3 ? 'a' : (char)(x >> 27));
    return buf;
}

static void members_round_trip(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 65535, 65536, 65537, 300000, 12 << 20};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf text = pattern(sizes[i]), out;
        struct buf in = gzip((int)i + 1, buf_str(&text));
        size_t member = in.len, used;
        enum http_end end;

        buf_add(&in, STR("\x1f\x8b next"));
        buf_init(&out, 0);
        assert_int_equal(http_gunzip_member(buf_str(&in), &out, &used, &end), SCENT_OK);
        assert_int_equal(end, HTTP_WHOLE);
        assert_int_equal(used, member);
        assert_true(str_eq(buf_str(&out), buf_str(&text)));
        buf_release(&text);
        buf_release(&in);
        buf_release(&out);
    }
}

static void a_member_stops_at_the_cap(void **state)
{
    struct buf text = pattern(300000), out;
    struct buf in = gzip(6, buf_str(&text));
    size_t used;
    enum http_end end;

    (void)state;
    buf_init(&out, 1000);
    assert_int_equal(http_gunzip_member(buf_str(&in), &out, &used, &end), SCENT_OK);
    assert_int_equal(end, HTTP_CUT_CAP);
    assert_int_equal(out.len, 1000);
    buf_release(&out);
    buf_init(&out, text.len);
    assert_int_equal(http_gunzip_member(buf_str(&in), &out, &used, &end), SCENT_OK);
    assert_int_equal(end, HTTP_WHOLE);
    assert_int_equal(used, in.len);
    buf_release(&out);
    buf_release(&text);
    buf_release(&in);
}

static void a_truncated_member_gives_what_there_is(void **state)
{
    struct buf text = pattern(5000);
    struct buf in = gzip(1, buf_str(&text));

    (void)state;
    for (size_t len = 0; len < in.len; len++) {
        char *cut = malloc(len ? len : 1);
        struct buf out;
        size_t used;
        enum http_end end;

        memcpy(cut, in.p, len);
        buf_init(&out, 0);
        assert_int_equal(http_gunzip_member((struct str){cut, len}, &out, &used, &end), SCENT_OK);
        assert_int_equal(end, HTTP_CUT_INPUT);
        assert_int_equal(used, len);
        assert_true(out.len <= text.len && memcmp(out.p, text.p, out.len) == 0);
        if (len > in.len - 8)
            assert_int_equal(out.len, text.len); /* only the trailer is missing */
        buf_release(&out);
        free(cut);
    }
    buf_release(&text);
    buf_release(&in);
}

static void the_inflater_takes_any_pieces(void **state)
{
    struct http_inflater *inflater = http_inflater_new();
    struct buf text = pattern(40000), out;
    struct buf in = gzip(3, buf_str(&text));

    (void)state;
    for (size_t piece = 1; piece < 3000; piece = piece * 3 + 1) {
        enum http_step step = HTTP_STEP_INPUT;
        size_t pos = 0;

        buf_init(&out, 0);
        http_inflater_reset(inflater);
        while (step == HTTP_STEP_INPUT || step == HTTP_STEP_ROOM) {
            size_t left = in.len - pos, used;
            struct str part = {in.p + pos, left < piece ? left : piece};

            assert_int_equal(http_inflater_feed(inflater, part, piece, &out, &used, &step), SCENT_OK);
            pos += used;
        }
        assert_int_equal(step, HTTP_STEP_DONE);
        assert_int_equal(pos, in.len);
        assert_true(str_eq(buf_str(&out), buf_str(&text)));
        buf_release(&out);
    }
    http_inflater_free(inflater);
    buf_release(&text);
    buf_release(&in);
}

static void the_inflater_sees_damage(void **state)
{
    struct http_inflater *inflater = http_inflater_new();
    struct buf in = gzip(6, STR("some text that is stored")), out;
    enum http_step step;
    size_t used;

    (void)state;
    in.p[in.len - 5] ^= 0x40;
    buf_init(&out, 0);
    assert_int_equal(http_inflater_feed(inflater, buf_str(&in), 1000, &out, &used, &step), SCENT_OK);
    assert_int_equal(step, HTTP_STEP_BAD);
    assert_str(buf_str(&out), "some text that is stored");
    http_inflater_free(inflater);
    buf_release(&in);
    buf_release(&out);
}

static void chunk(const char *in, size_t cap, enum http_end want_end, const char *want)
{
    struct buf out;
    enum http_end end;

    buf_init(&out, cap);
    assert_int_equal(http_dechunk(str_of(in), &out, &end), SCENT_OK);
    assert_str(buf_str(&out), want);
    assert_int_equal(end, want_end);
    buf_release(&out);
}

static void chunks(void **state)
{
    (void)state;
    chunk("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", 0, HTTP_WHOLE, "hello world");
    chunk("0005 ;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", 0, HTTP_WHOLE, "hello");
    chunk("A\n0123456789\na\nabcdefghij\n0\n\n", 0, HTTP_WHOLE, "0123456789abcdefghij");
    chunk("0\r\n\r\n", 0, HTTP_WHOLE, "");
    chunk("5\r\nhello\r\n6\r\n wor", 0, HTTP_CUT_INPUT, "hello wor");
    chunk("5\r\nhello\r\n", 0, HTTP_CUT_INPUT, "hello");
    chunk("5\r\nhello", 0, HTTP_CUT_INPUT, "hello");
    chunk("5", 0, HTTP_CUT_INPUT, "");
    chunk("", 0, HTTP_CUT_INPUT, "");
    chunk("5\r\nhelloX\r\n0\r\n\r\n", 0, HTTP_CUT_ERROR, "hello");
    chunk("<html>\r\n", 0, HTTP_CUT_ERROR, "");
    chunk("<html>", 0, HTTP_CUT_ERROR, "");
    chunk("-5\r\nhello\r\n", 0, HTTP_CUT_ERROR, "");
    chunk("5x\r\nhello\r\n", 0, HTTP_CUT_ERROR, "");
    chunk("fffffffffffffffff\r\nhello\r\n", 0, HTTP_CUT_ERROR, "");
    chunk("ffffffffffffff\r\nhello\r\n", 0, HTTP_CUT_INPUT, "hello\r\n");
    chunk("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", 7, HTTP_CUT_CAP, "hello w");
    chunk("5\r\nhello\r\n0\r\n\r\n", 5, HTTP_WHOLE, "hello");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_round_trip),
        cmocka_unit_test(a_member_stops_at_the_cap),
        cmocka_unit_test(a_truncated_member_gives_what_there_is),
        cmocka_unit_test(the_inflater_takes_any_pieces),
        cmocka_unit_test(the_inflater_sees_damage),
        cmocka_unit_test(chunks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
