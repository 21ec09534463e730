/* text_next_word: what is a word, folded how, from which bytes. */
#include "test.h"
#include "text/text.h"

/* The words of `s`, joined by "|". */
static void check(const char *s, const char *want)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX], all[1024];
    size_t len, n = 0, before = 0;

    text_cursor_init(&cursor, str_of(s));
    while (text_next_word(&cursor, word, &len)) {
        assert_true(cursor.start < cursor.end && cursor.end <= strlen(s));
        assert_true(cursor.start >= before || cursor.prev_cjk);
        before = cursor.start;
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%.*s", n ? "|" : "", (int)len, word);
        assert_true(n < sizeof all);
    }
    all[n] = 0;
    assert_string_equal(all, want);
    assert_false(text_next_word(&cursor, word, &len));
}

static void test_ascii(void **state)
{
    (void)state;
    check("", "");
    check(" ,.;-  ", "");
    check("Hello, World!", "hello|world");
    check("don't e-mail 3.14 x86_64", "don|t|e|mail|3|14|x86|64");
}

static void test_folding(void **state)
{
    (void)state;
    check("ÄPFEL Straße ÉCOLE", "äpfel|strasse|école");
    check("ΣΊΣΥΦΟΣ Σίσυφος", "σίσυφοσ|σίσυφοσ");
    check("МОСКВА", "москва");
    check("İstanbul", "istanbul");
    check("ﬁne", "fine");
}

static void test_marks_go_on_with_a_word(void **state)
{
    (void)state;
    check("e\u0301te\u0301", "e\u0301te\u0301");
    check("\u0301x", "x");
    check("हिन्दी", "हिन्दी");
}

static void test_cjk_gives_bigrams(void **state)
{
    (void)state;
    check("東京都", "東京|京都");
    check("犬", "犬");
    check("犬 猫", "犬|猫");
    check("東京tower大阪", "東京|tower|大阪");
    check("한국어", "한국|국어");
    check("ひらがな。カタ", "ひら|らが|がな|カタ");
}

static void test_invalid_bytes_separate(void **state)
{
    (void)state;
    check("ab\xff" "cd", "ab|cd");
    check("ab\xc3", "ab");
    check("\xed\xa0\x80z", "z");
}

static void test_long_words_are_cut_at_a_character(void **state)
{
    char s[400], word[TEXT_WORD_MAX];
    struct text_cursor cursor;
    size_t len;

    (void)state;
    memset(s, 'a', 300);
    strcpy(s + 300, " b");
    text_cursor_init(&cursor, str_of(s));
    assert_true(text_next_word(&cursor, word, &len));
    assert_int_equal(len, TEXT_WORD_MAX);
    assert_int_equal(cursor.end, 300);
    assert_true(text_next_word(&cursor, word, &len));
    assert_str(((struct str){word, len}), "b");

    s[0] = 'x';
    for (size_t i = 1; i < 201; i += 2)
        memcpy(s + i, "é", 2);
    s[201] = 0;
    text_cursor_init(&cursor, str_of(s));
    assert_true(text_next_word(&cursor, word, &len));
    assert_int_equal(len, 63); /* x and 31 whole characters */
    assert_false(text_next_word(&cursor, word, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_marks_go_on_with_a_word),
        cmocka_unit_test(test_cjk_gives_bigrams),
        cmocka_unit_test(test_invalid_bytes_separate),
        cmocka_unit_test(test_long_words_are_cut_at_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
