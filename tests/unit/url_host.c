#include "test.h"
#include "url/url_parts.h"
#include "url/url.h"

/* {the host as it is written, as it is serialised; NULL when it is none} */
static void check(const char *const (*cases)[2], size_t count)
{
    struct arena arena;

    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        struct url url;
        struct str text = arena_printf(&arena, "http://%s/", cases[i][0]);
        scent_status status = url_parse(&arena, text, NULL, &url);

        if (status != (cases[i][1] ? SCENT_OK : SCENT_E_INVALID))
            fail_msg("\"%s\": %s", cases[i][0], scent_status_text(status));
        if (cases[i][1])
            assert_str(url_host(&url), cases[i][1]);
    }
    arena_release(&arena);
}
#define CHECK(cases) check(cases, sizeof cases / sizeof *cases)

static void ipv4(void **state)
{
    static const char *const cases[][2] = {
        {"1.2.3.4", "1.2.3.4"},       {"1.2.3.4.", "1.2.3.4"},     {"1.2.3", "1.2.0.3"},
        {"1.2", "1.0.0.2"},           {"1", "0.0.0.1"},            {"4294967295", "255.255.255.255"},
        {"0x7f.1", "127.0.0.1"},      {"0X7F000001", "127.0.0.1"}, {"017700000001", "127.0.0.1"},
        {"0x", "0.0.0.0"},            {"0", "0.0.0.0"},            {"1.0x.010.1", "1.0.8.1"},
        {"%31.2.3.4", "1.2.3.4"},     {"4294967296", NULL},        {"1.2.3.4.5", NULL},
        {"256.1.1.1", NULL},          {"1.2.3.256", NULL},         {"1.2.65536", NULL},
        {"1..2", NULL},               {"1.2.3.08", NULL},          {"a.1", NULL},
        {"a.0x1", NULL},              {"a.0xg", "a.0xg"},          {"1.a", "1.a"},
        {"1.2.3.4..", "1.2.3.4.."},   {"99999999999999999999999", NULL}, {"0x1ffffffff", NULL},
        {"a.1x", "a.1x"},             {".", "."},
    };

    (void)state;
    CHECK(cases);
}

static void ipv6(void **state)
{
    static const char *const cases[][2] = {
        {"[::]", "[::]"},
        {"[::1]", "[::1]"},
        {"[1::]", "[1::]"},
        {"[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"},
        {"[0001:0:0:A:0:0:0:B]", "[1:0:0:a::b]"},
        {"[0:0:1:0:0:1:0:0]", "[::1:0:0:1:0:0]"},
        {"[1:0:3:0:5:0:7:0]", "[1:0:3:0:5:0:7:0]"},
        {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
        {"[::127.0.0.1]", "[::7f00:1]"},
        {"[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"},
        {"[]", NULL},
        {"[:]", NULL},
        {"[:::]", NULL},
        {"[1]", NULL},
        {"[1:]", NULL},
        {"[:1]", NULL},
        {"[1::2::3]", NULL},
        {"[1:2:3:4:5:6:7:8:9]", NULL},
        {"[1:2:3:4:5:6:7:8::]", NULL},
        {"[::1:2:3:4:5:6:7:8]", NULL},
        {"[12345::]", NULL},
        {"[g::]", NULL},
        {"[::1.2.3]", NULL},
        {"[::1.2.3.4.5]", NULL},
        {"[::01.2.3.4]", NULL},
        {"[::1.2.3.256]", NULL},
        {"[::1.2.3.]", NULL},
        {"[::.1.2.3]", NULL},
        {"[1:2:3:4:5:6:7:1.2.3.4]", NULL},
        {"[1:2:3:4:5:6::1.2.3.4]", NULL},
        {"[::1%25eth0]", NULL},
    };

    (void)state;
    CHECK(cases);
}

static void names(void **state)
{
    static const char *const cases[][2] = {
        {"WWW.Example.ORG.", "www.example.org."},
        {"a_b-.--c", "a_b-.--c"},
        {"%65xample", "example"},
        {"xn--invalid-", "xn--invalid-"},  /* all ASCII: taken as it is */
        {"B\u00fccher.de", "xn--bcher-kva.de"},
        {"%C3%A9", "xn--9ca"},
        {"e\u0301", "xn--9ca"},                              /* NFC */
        {"\uff27\uff4f\u3002com", "go.com"},
        {"fa\u00df.de", "xn--fa-hia.de"},                    /* non-transitional */
        {"\u2665.net", "xn--g6h.net"},                       /* a symbol: not IDNA2008, but UTS #46 */
        {"I\u2665NY.\u00df", "xn--iny-zx5a.xn--zca"},
        {"-\u00e9-", "xn-----bja"},                          /* hyphens anywhere */
        {"xn--zca.\u00e9", "xn--zca.xn--9ca"},
        {"XN--G6H.\u00e9", "xn--g6h.xn--9ca"},
        {"xn--a.\u00e9", NULL},                              /* no punycode */
        {"xn--abc-.\u00e9", NULL},                           /* nothing to encode */
        {"xn--zc.\u00e9", NULL},
        {"xn--\u00e9", NULL},
        {"\u1e9e", "xn--zca"},                               /* changed with Unicode 16 */
        {"a\u180e\u00adb", "ab"},
        {"\u10a0", "xn--rkj"},
        {"\u0301a", NULL},                                   /* a leading mark */
        {"\u200d", NULL},                                    /* joiners need a context */
        {"\U0001f469\u200d\U0001f4bb", NULL},
        {"\u064aa", NULL},                                   /* the bidi rule */
        {"\u05d0-", NULL},
        {"\u2665\u05bea", NULL},
        {"\u2025", NULL},
        {"a\uff05\u00e9", NULL},                             /* maps to a percent sign */
        {"\ufffd", NULL},
        {"%ff", NULL},
        {"%C3", NULL},
        {"\u00ad", NULL},                                    /* nothing is left */
    };

    (void)state;
    CHECK(cases);
}

static void long_names(void **state)
{
    char text[3000] = "http://", *to;
    struct arena arena;
    struct url url;

    (void)state;
    arena_init(&arena, 1 << 20);
    to = text + 7;
    memset(to, 'x', 100);
    memcpy(to + 100, "\xC3\xA9", 2);
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_OK);
    assert_int_equal(url_host(&url).len, 4 + 100 + 1 + 3);
    for (size_t i = 0; i < 1000; i++)
        memcpy(to + 2 * i, "\xC3\xA9", 2);
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_E_INVALID);
    to[2 * 400] = 0;
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_E_INVALID);
    arena_release(&arena);
}

/* The samples of RFC 3492, section 7.1, that have other than letters of one script. */
static void punycode_samples(void **state)
{
    static const struct {
        uint32_t points[20];
        const char *text;
    } cases[] = {
        {{0x33, 0x5E74, 0x42, 0x7D44, 0x91D1, 0x516B, 0x5148, 0x751F}, "3B-ww4c5e180e575a65lsy2b"},
        {{0x3072, 0x3068, 0x3064, 0x5C4B, 0x6839, 0x306E, 0x4E0B, 0x32}, "2-u9tlzr9756bt3uc0v"},
        {{0x30D1, 0x30D5, 0x30A3, 0x30FC, 0x64, 0x65, 0x30EB, 0x30F3, 0x30D0}, "de-jg4avhby1noc0d"},
        {{0x305D, 0x306E, 0x30B9, 0x30D4, 0x30FC, 0x30C9, 0x3067}, "d9juau41awczczp"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        uint32_t points[64];
        size_t count = 0, len;

        while (cases[i].points[count])
            count++;
        assert_true(url_punycode_encode(cases[i].points, count, text, sizeof text, &len));
        assert_str(((struct str){text, len}), cases[i].text);
        assert_true(url_punycode_decode(str_of(cases[i].text), points, 64, &len));
        assert_int_equal(len, count);
        assert_memory_equal(points, cases[i].points, count * sizeof *points);
        assert_false(url_punycode_encode(cases[i].points, count, text, 5, &len));
        assert_false(url_punycode_decode(str_of(cases[i].text), points, 3, &len));
    }
}

static void bad_punycode(void **state)
{
    static const char *const cases[] = {"!", "a-\x80", "9" /* cut short */, "a-9", "99999999999a" /* overflow */,
                                        "99999b"};
    uint32_t points[64];
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (url_punycode_decode(str_of(cases[i]), points, 64, &len))
            fail_msg("%s must not decode", cases[i]);
    assert_true(url_punycode_decode(STR(""), points, 64, &len));
    assert_int_equal(len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4),       cmocka_unit_test(ipv6),
        cmocka_unit_test(names),      cmocka_unit_test(long_names),
        cmocka_unit_test(punycode_samples), cmocka_unit_test(bad_punycode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
