/* Framed files and the bytes in them: what was put comes back, nothing is read past the end, damage is noticed. */
#include "base/bytes.h"
#include "base/hash.h"
#include "test.h"

#include <math.h>

static const struct frame frame = {
    .magic = "scentxyz", .version = 2, .seed = 7, .thing = "thing", .foreign = "name a thing", .again = "make it again",
};

static void put_content(struct buf *out)
{
    bytes_put(out, 0xab, 1);
    bytes_put(out, 0x1234, 2);
    bytes_put(out, 0xdeadbeef, 4);
    bytes_put(out, UINT64_MAX - 1, 8);
    bytes_put_double(out, -0.1);
    bytes_put_float(out, 1.5f);
    bytes_put_varint(out, 300);
    bytes_put_str(out, STR("scent"), 2);
    bytes_put_str(out, STR_NONE, 1);
}

/* Are these the values that were put? */
static bool get_content(struct bytes *in)
{
    bool same = bytes_get(in, 1) == 0xab;

    same &= bytes_get(in, 2) == 0x1234;
    same &= bytes_get(in, 4) == 0xdeadbeef;
    same &= bytes_get(in, 8) == UINT64_MAX - 1;
    same &= bytes_get_double(in) == -0.1;
    same &= bytes_get_float(in) == 1.5f;
    same &= bytes_get_varint(in) == 300;
    same &= str_eq(bytes_get_str(in, 2, 5), STR("scent"));
    same &= bytes_get_str(in, 1, 0).len == 0;
    return same;
}

static void values_come_back(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    put_content(&out);
    assert_int_equal(out.p[1], 0x34); /* little-endian, whatever the machine */
    struct bytes in = bytes_of(buf_str(&out));
    assert_true(get_content(&in));
    assert_null(in.wrong);
    assert_int_equal(bytes_left(&in), 0);
    buf_release(&out);
}

/* Cut at every place, in memory of exactly that size, so that a sanitizer would see a byte too much. */
static void nothing_is_read_past_the_end(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    put_content(&out);
    for (size_t len = 0; len < out.len; len++) {
        char *copy = malloc(len + !len);
        struct bytes in = bytes_of((struct str){copy, len});

        memcpy(copy, out.p, len);
        (void)get_content(&in);
        assert_non_null(in.wrong);
        assert_true(in.p <= in.end);
        assert_int_equal(bytes_get(&in, 1), 0); /* all that comes after something wrong is 0 or empty */
        assert_int_equal(bytes_get_str(&in, 1, 9).len, 0);
        free(copy);
    }
    buf_release(&out);
}

static void varints_have_one_form(void **state)
{
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
    static const char *const wrong[] = {"\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
                                        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
    struct bytes in;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        bytes_put_varint(&out, values[i]);
    in = bytes_of(buf_str(&out));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(bytes_get_varint(&in) == values[i]);
    assert_null(in.wrong);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        in = bytes_of(str_of(wrong[i]));
        assert_true(bytes_get_varint(&in) == 0);
        assert_non_null(in.wrong);
    }
    in = bytes_of((struct str){"\x80\0", 2}); /* 0 in two bytes */
    assert_true(bytes_get_varint(&in) == 0);
    assert_non_null(in.wrong);
    buf_release(&out);
}

static void wrong_things_stick(void **state)
{
    struct bytes in = bytes_of(STR("abcdefgh"));
    struct buf out;

    (void)state;
    assert_true(bytes_has(&in, 2, 4));
    assert_false(bytes_has(&in, 3, 4));
    assert_string_equal(in.wrong, "it is shorter than it says");
    assert_false(bytes_check(&in, true, "never told"));
    assert_false(bytes_check(&in, false, "the second"));
    assert_string_equal(in.wrong, "it is shorter than it says");
    in = bytes_of(STR("\x05scent"));
    assert_int_equal(bytes_get_str(&in, 1, 4).len, 0);
    assert_string_equal(in.wrong, "a name is longer than it may be");
    buf_init(&out, 0);
    bytes_put_double(&out, NAN);
    bytes_put_float(&out, INFINITY);
    in = bytes_of(buf_str(&out));
    assert_true(bytes_get_double(&in) == 0);
    assert_string_equal(in.wrong, "a number is out of range");
    in = bytes_of(str_sub(buf_str(&out), 8, 12));
    assert_true(bytes_get_float(&in) == 0);
    assert_non_null(in.wrong);
    buf_release(&out);
}

static scent_status reread(struct str file, struct errmsg *err)
{
    struct bytes in;
    scent_status status = frame_open(&frame, file, "a.xyz", &in, err);

    if (status != SCENT_OK)
        return status;
    (void)get_content(&in);
    return frame_close(&frame, &in, "a.xyz", err);
}

static void make_file(struct buf *out)
{
    size_t begin;

    buf_init(out, 0);
    buf_addz(out, "before"); /* a frame may stand behind something else */
    begin = frame_begin(&frame, out);
    put_content(out);
    assert_int_equal(frame_end(&frame, out, begin), SCENT_OK);
}

static void every_damaged_byte_is_noticed(void **state)
{
    struct errmsg err;
    struct buf out;

    (void)state;
    make_file(&out);
    struct str file = str_sub(buf_str(&out), 6, out.len);
    assert_ok(reread(file, &err), err);
    for (size_t i = 0; i < file.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            out.p[6 + i] ^= (char)(1 << bit);
            assert_int_not_equal(reread(file, &err), SCENT_OK);
            assert_non_null(strstr(err.text, "a.xyz: "));
            assert_non_null(strstr(err.text, i < FRAME_MAGIC ? "name a thing" : "make it again"));
            out.p[6 + i] ^= (char)(1 << bit);
        }
    for (size_t len = 0; len < file.len; len++)
        assert_int_equal(reread(str_sub(file, 0, len), &err), SCENT_E_FORMAT);
    buf_addc(&out, 0);
    assert_int_equal(reread(str_sub(buf_str(&out), 6, out.len), &err), SCENT_E_FORMAT);
    buf_release(&out);
}

static void messages_name_file_and_fix(void **state)
{
    struct frame newer = frame;
    struct errmsg err;
    struct buf out;
    size_t begin;

    (void)state;
    assert_int_equal(reread(STR("<html>"), &err), SCENT_E_FORMAT);
    assert_string_equal(err.text, "a.xyz: this is not a thing of scent; name a thing");
    assert_int_equal(reread(STR("scentxyz\2\0\0\0"), &err), SCENT_E_FORMAT);
    assert_string_equal(err.text, "a.xyz: the thing is cut off after 12 bytes; make it again");
    buf_init(&out, 0);
    newer.version = 3;
    begin = frame_begin(&newer, &out);
    assert_int_equal(frame_end(&newer, &out, begin), SCENT_OK);
    assert_int_equal(reread(buf_str(&out), &err), SCENT_E_VERSION);
    assert_string_equal(err.text,
                        "a.xyz: the thing has version 3, this program reads version 2; use a newer scent, or make it again");
    buf_clear(&out);
    begin = frame_begin(&frame, &out);
    put_content(&out);
    buf_addc(&out, 'x');
    assert_int_equal(frame_end(&frame, &out, begin), SCENT_OK);
    assert_int_equal(reread(buf_str(&out), &err), SCENT_E_FORMAT);
    assert_string_equal(err.text, "a.xyz: the thing cannot be used: it is longer than it says; make it again");
    buf_release(&out);
}

static void what_does_not_fit_is_told(void **state)
{
    struct buf out;
    size_t begin;

    (void)state;
    buf_init(&out, 24);
    begin = frame_begin(&frame, &out);
    put_content(&out);
    assert_int_equal(frame_end(&frame, &out, begin), SCENT_E_NOMEM);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(nothing_is_read_past_the_end),
        cmocka_unit_test(varints_have_one_form),
        cmocka_unit_test(wrong_things_stick),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(messages_name_file_and_fix),
        cmocka_unit_test(what_does_not_fit_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
