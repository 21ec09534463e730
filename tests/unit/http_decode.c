/* Content encodings: every format round-trips, bombs are cut at the cap, and damage never takes what came before it. */
#include "test.h"

#include "http/http.h"

#include <zlib.h>
#include <zstd.h>

enum { CAP = 1 << 20 };
#define SENTENCE "scent follows links. "

/* `SENTENCE` 500 times; 16 MiB of zeros; gzip of "chained text": each through a Brotli encoder. */
static const char br_sample[] = "\x1b\x03\x29\xf8\x8d\x54\xb5\xbf\x06\x19\x73\x9b\x93\x2e\x65\x74\x39\x48\x2b\x97\x25"
                                "\x09\x71\xe4\xd3\xd6\x3b\xea\x54\x10\x00\x00";
static const char br_bomb[] = "\xcb\xff\xff\x3f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe\x2f\xff\xff\xff\xf0\x4f\x00\xc4\x61"
                              "\x11\x80\xee\xfd\x1f";
static const char br_of_gzip[] = "\x8b\x0f\x80\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xce\x48\xcc\xcc\x4b\x4d\x51"
                                 "\x28\x49\xad\x28\x01\x00\x03\x9c\x6f\x54\x0c\x00\x00\x00\x03";

#define BYTES(array) ((struct str){(array), sizeof(array) - 1})

static struct buf sample(void)
{
    struct buf text;

    buf_init(&text, 0);
    for (int i = 0; i < 500; i++)
        buf_addz(&text, SENTENCE);
    assert_false(text.failed);
    return text;
}

static struct buf zeros(size_t len)
{
    struct buf buf;

    buf_init(&buf, 0);
    assert_true(buf_reserve(&buf, len));
    memset(buf.p, 0, len);
    buf.len = len;
    return buf;
}

static struct buf deflated(struct str in, int window_bits)
{
    z_stream z = {0};
    struct buf out;

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    buf_init(&out, 0);
    assert_true(buf_reserve(&out, deflateBound(&z, in.len)));
    z.next_in = (Bytef *)(uintptr_t)in.p;
    z.avail_in = (unsigned)in.len;
    z.next_out = (Bytef *)out.p;
    z.avail_out = (unsigned)out.room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.len = z.total_out;
    deflateEnd(&z);
    return out;
}

static struct buf zstd_of(struct str in)
{
    struct buf out;

    buf_init(&out, 0);
    assert_true(buf_reserve(&out, ZSTD_compressBound(in.len)));
    out.len = ZSTD_compress(out.p, out.room, in.p, in.len, 3);
    assert_false(ZSTD_isError(out.len));
    return out;
}

static struct buf packed(const char *encoding, struct str in)
{
    struct buf out;

    if (strcmp(encoding, "gzip") == 0)
        return deflated(in, 31);
    if (strcmp(encoding, "deflate") == 0)
        return deflated(in, 15);
    if (strcmp(encoding, "raw deflate") == 0)
        return deflated(in, -15);
    if (strcmp(encoding, "zstd") == 0)
        return zstd_of(in);
    assert_string_equal(encoding, "br");
    buf_init(&out, 0);
    assert_true(buf_add(&out, in.p[0] ? BYTES(br_sample) : BYTES(br_bomb)));
    return out;
}

static const char *const encodings[] = {"gzip", "deflate", "raw deflate", "br", "zstd"};
enum { NENCODINGS = sizeof encodings / sizeof *encodings };

static struct str wire_name(const char *encoding)
{
    return strcmp(encoding, "raw deflate") == 0 ? STR("deflate") : str_of(encoding);
}

static enum http_end decode(struct str encoding, struct str in, size_t cap, struct buf *out)
{
    enum http_end end;

    buf_init(out, cap);
    assert_int_equal(http_decode(encoding, in, out, &end), SCENT_OK);
    assert_true(out->len <= out->cap);
    return end;
}

static void check(struct str encoding, struct str in, size_t cap, enum http_end want_end, struct str want)
{
    struct buf out;

    assert_int_equal(decode(encoding, in, cap, &out), want_end);
    assert_true(str_eq(buf_str(&out), want));
    buf_release(&out);
}

static void every_encoding_decodes(void **state)
{
    struct buf text = sample();

    (void)state;
    for (int i = 0; i < NENCODINGS; i++) {
        struct buf in = packed(encodings[i], buf_str(&text));

        check(wire_name(encodings[i]), buf_str(&in), CAP, HTTP_WHOLE, buf_str(&text));
        /* The cap is exactly reached: that is no cut. One less is. */
        check(wire_name(encodings[i]), buf_str(&in), text.len, HTTP_WHOLE, buf_str(&text));
        check(wire_name(encodings[i]), buf_str(&in), text.len - 1, HTTP_CUT_CAP, (struct str){text.p, text.len - 1});
        buf_release(&in);
    }
    buf_release(&text);
}

static void a_bomb_is_cut(void **state)
{
    struct buf bomb = zeros(16 << 20), part = zeros(100000);

    (void)state;
    for (int i = 0; i < NENCODINGS; i++) {
        struct buf in = packed(encodings[i], buf_str(&bomb));
        struct buf out;

        check(wire_name(encodings[i]), buf_str(&in), part.len, HTTP_CUT_CAP, buf_str(&part));
        assert_int_equal(decode(wire_name(encodings[i]), buf_str(&in), part.len, &out), HTTP_CUT_CAP);
        assert_true(out.room <= 2 * part.len); /* the cap bounds memory, not only the length */
        buf_release(&out);
        buf_release(&in);
    }
    buf_release(&bomb);
    buf_release(&part);
}

static void truncation_keeps_what_came_before(void **state)
{
    struct buf text = sample();

    (void)state;
    for (int i = 0; i < NENCODINGS; i++) {
        struct buf in = packed(encodings[i], buf_str(&text));

        for (size_t len = 1; len < in.len; len++) {
            /* An exact copy lets the sanitizer see a read past the end. */
            char *cut = malloc(len);
            struct buf out;

            memcpy(cut, in.p, len);
            assert_int_equal(decode(wire_name(encodings[i]), (struct str){cut, len}, CAP, &out), HTTP_CUT_INPUT);
            assert_true(out.len <= text.len && memcmp(out.p ? out.p : "", text.p, out.len) == 0);
            buf_release(&out);
            free(cut);
        }
        buf_release(&in);
    }
    buf_release(&text);
}

/* Whether a wrong checksum of the header is damage must not depend on the length that the trailer announces. */
static void a_header_with_a_wrong_checksum_is_damage(void **state)
{
    static const char right[] = "\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x03"
                                "\xa7\x77\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00";
    char wrong[sizeof right];
    (void)state;

    check(STR("gzip"), BYTES(right), CAP, HTTP_WHOLE, STR("a"));
    memcpy(wrong, right, sizeof wrong);
    wrong[10] ^= 1;
    check(STR("gzip"), BYTES(wrong), CAP, HTTP_CUT_ERROR, STR(""));
}

static void a_cut_gzip_gives_its_beginning(void **state)
{
    struct buf text = sample();
    struct buf noise, in;
    struct buf out;

    (void)state;
    buf_init(&noise, 0);
    for (uint32_t i = 0, x = 1; i < 20000; i++, x = x * 1664525 + 1013904223)
        buf_addc(&noise, (char)(x >> 24));
    in = deflated(buf_str(&noise), 31);
    assert_int_equal(decode(STR("gzip"), (struct str){in.p, in.len / 2}, CAP, &out), HTTP_CUT_INPUT);
    assert_true(out.len > noise.len / 3);
    assert_memory_equal(out.p, noise.p, out.len);
    buf_release(&out);
    /* Damage in the checksum comes after everything was delivered. */
    in.p[in.len - 6] ^= 1;
    assert_int_equal(decode(STR("gzip"), buf_str(&in), CAP, &out), HTTP_CUT_ERROR);
    assert_int_equal(out.len, noise.len);
    buf_release(&out);
    buf_release(&in);
    buf_release(&noise);
    buf_release(&text);
}

static void several_members_and_padding(void **state)
{
    struct buf one = deflated(STR("one "), 31), two = deflated(STR("two"), 31), both;

    (void)state;
    buf_init(&both, 0);
    buf_add(&both, buf_str(&one));
    buf_add(&both, buf_str(&two));
    check(STR("gzip"), buf_str(&both), CAP, HTTP_WHOLE, STR("one two"));
    check(STR("gzip"), buf_str(&both), 4, HTTP_CUT_CAP, STR("one "));
    check(STR("gzip"), buf_str(&both), 5, HTTP_CUT_CAP, STR("one t"));
    buf_add(&both, BYTES("\0\0\0\0"));
    check(STR("gzip"), buf_str(&both), CAP, HTTP_WHOLE, STR("one two"));
    buf_release(&one);
    buf_release(&two);
    buf_release(&both);
}

static void several_zstd_frames(void **state)
{
    struct buf in = zstd_of(STR("one ")), two = zstd_of(STR("two"));

    (void)state;
    buf_add(&in, BYTES("\x50\x2a\x4d\x18\x03\0\0\0xyz")); /* a skippable frame */
    buf_add(&in, buf_str(&two));
    check(STR("zstd"), buf_str(&in), CAP, HTTP_WHOLE, STR("one two"));
    buf_release(&in);
    buf_release(&two);
}

static void chains_are_undone_from_the_end(void **state)
{
    struct buf in = deflated(STR("x"), 31), out;
    enum http_end end;

    (void)state;
    check(STR("gzip, br"), BYTES(br_of_gzip), CAP, HTTP_WHOLE, STR("chained text"));
    check(STR(" GZip ,identity,\tBR"), BYTES(br_of_gzip), CAP, HTTP_WHOLE, STR("chained text"));
    check(STR("gzip, br"), BYTES(br_of_gzip), 10, HTTP_CUT_CAP, STR(""));
    check(STR("br, gzip"), BYTES(br_of_gzip), CAP, HTTP_CUT_ERROR, STR(""));
    for (int i = 0; i < HTTP_CHAIN_MAX - 1; i++) {
        struct buf next = deflated(buf_str(&in), 31);

        buf_release(&in);
        in = next;
    }
    check(STR("gzip,x-gzip,gzip,gzip"), buf_str(&in), CAP, HTTP_WHOLE, STR("x"));
    buf_init(&out, CAP);
    assert_int_equal(http_decode(STR("gzip,gzip,gzip,gzip,gzip"), buf_str(&in), &out, &end), SCENT_E_UNSUPPORTED);
    buf_release(&in);
    buf_release(&out);
}

static void names(void **state)
{
    struct buf out;
    enum http_end end;

    (void)state;
    check(STR(""), STR("plain"), CAP, HTTP_WHOLE, STR("plain"));
    check(STR("identity"), STR("plain"), 3, HTTP_CUT_CAP, STR("pla"));
    check(STR("gzip"), STR(""), CAP, HTTP_WHOLE, STR(""));
    check(STR("gzip"), STR("<html>no gzip at all"), CAP, HTTP_CUT_ERROR, STR(""));
    buf_init(&out, CAP);
    assert_int_equal(http_decode(STR("compress"), STR("x"), &out, &end), SCENT_E_UNSUPPORTED);
    assert_int_equal(http_decode(STR("gzip, sdch"), STR("x"), &out, &end), SCENT_E_UNSUPPORTED);
    buf_release(&out);
}

static void it_appends(void **state)
{
    struct buf out;
    enum http_end end;
    struct buf in = deflated(STR("tail"), 31);

    (void)state;
    buf_init(&out, 7);
    buf_addz(&out, "head");
    assert_int_equal(http_decode(STR("gzip"), buf_str(&in), &out, &end), SCENT_OK);
    assert_int_equal(end, HTTP_CUT_CAP);
    assert_str(buf_str(&out), "headtai");
    buf_release(&out);
    buf_release(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_decodes),
        cmocka_unit_test(a_bomb_is_cut),
        cmocka_unit_test(truncation_keeps_what_came_before),
        cmocka_unit_test(a_header_with_a_wrong_checksum_is_damage),
        cmocka_unit_test(a_cut_gzip_gives_its_beginning),
        cmocka_unit_test(several_members_and_padding),
        cmocka_unit_test(several_zstd_frames),
        cmocka_unit_test(chains_are_undone_from_the_end),
        cmocka_unit_test(names),
        cmocka_unit_test(it_appends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
