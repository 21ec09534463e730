#include "base/str.h"
#include "test.h"

/* {bytes, length of a good sequence or 0, bytes of the bad one} */
static void sequences(void **state)
{
    static const struct {
        struct str s;
        size_t good, bad;
    } cases[] = {
        {{"", 0}, 0, 0},
        {{"\0", 1}, 1, 0},
        {{"a\x80", 2}, 1, 0},
        {{"\xC2\x80", 2}, 2, 0},
        {{"\xE0\xA0\x80", 3}, 3, 0},
        {{"\xED\x9F\xBF", 3}, 3, 0},
        {{"\xF4\x8F\xBF\xBF", 4}, 4, 0},
        {{"\x80", 1}, 0, 1},
        {{"\xC1\xBF", 2}, 0, 1},             /* overlong */
        {{"\xE0\x9F\x80", 3}, 0, 1},
        {{"\xF0\x8F\x80\x80", 4}, 0, 1},
        {{"\xED\xA0\x80", 3}, 0, 1},         /* a surrogate */
        {{"\xF4\x90\x80\x80", 4}, 0, 1},     /* beyond U+10FFFF */
        {{"\xF5\x80\x80\x80", 4}, 0, 1},
        {{"\xE2\x82", 2}, 0, 2},             /* cut short */
        {{"\xF0\x9F\x98x", 4}, 0, 3},
        {{"\xC3", 1}, 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(utf8_sequence(cases[i].s), cases[i].good);
        if (cases[i].bad)
            assert_int_equal(utf8_bad_prefix(cases[i].s), cases[i].bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sequences)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
