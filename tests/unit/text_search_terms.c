/* The terms of texts in many scripts: one line of terms, a tail in brackets. */
#include "text/search_terms.h"

#include "base/buf.h"
#include "test.h"

static void assert_terms(const char *text, const char *expected)
{
    struct search_terms terms;
    struct search_term term;
    struct buf got;

    buf_init(&got, 0);
    search_terms_init(&terms, str_of(text));
    while (search_terms_next(&terms, &term)) {
        assert_true(term.len > 0 && term.len <= TEXT_WORD_MAX && term.start < term.end && term.end <= strlen(text));
        buf_printf(&got, term.is_tail ? "%s(%.*s)" : "%s%.*s", got.len ? " " : "", (int)term.len, term.text);
    }
    assert_string_equal(buf_z(&got), expected);
    buf_release(&got);
}

static void words_lose_case_and_accents(void **state)
{
    (void)state;
    assert_terms("", "");
    assert_terms("The Tide-Tables, 2026!", "the tide tables 2026");
    assert_terms("Café CAFE\xCC\x81 naïve Ærø Łódź Straße", "cafe cafe naive aero lodz strasse");
    assert_terms("Ελλάδα Ёлка мой", "ελλαδα елка мой"); /* the short i is a letter */
    assert_terms("ﬁsh ＡＢＣ", "fish abc");
    assert_terms("हिन्दी", "हिन्दी"); /* vowels stay */
}

static void scripts_without_spaces_become_pairs(void **state)
{
    (void)state;
    assert_terms("東京都", "東京 京都 (都)");
    assert_terms("東", "東");
    assert_terms("東京 大学", "東京 (京) 大学 (学)");
    assert_terms("in東京tower", "in 東京 (京) tower");
    assert_terms("ทะเล", "ทะ ะเ เล (ล)");
    assert_terms("ทะabcเล", "ทะ (ะ) abc เล (ล)");
    assert_terms("한국어", "한국 국어 (어)");
}

static void bad_bytes_separate(void **state)
{
    (void)state;
    assert_terms("a\xFF" "b \xE6\x9D", "a b");
    assert_terms("\xE6\x9D\xB1\xE4\xBA", "東");
}

static void places_are_those_of_the_text(void **state)
{
    static const char text[] = "Zu Café 東京!";
    static const size_t starts[] = {0, 3, 9, 12}, ends[] = {2, 8, 15, 15};
    struct search_terms terms;
    struct search_term term;

    (void)state;
    search_terms_init(&terms, str_of(text));
    for (size_t i = 0; i < 4; i++) {
        assert_true(search_terms_next(&terms, &term));
        assert_int_equal(term.start, starts[i]);
        assert_int_equal(term.end, ends[i]);
        assert_int_equal(search_term_is_character(&term), 0);
    }
    assert_false(search_terms_next(&terms, &term));
    search_terms_init(&terms, STR("海"));
    assert_true(search_terms_next(&terms, &term) && search_term_is_character(&term));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lose_case_and_accents),
        cmocka_unit_test(scripts_without_spaces_become_pairs),
        cmocka_unit_test(bad_bytes_separate),
        cmocka_unit_test(places_are_those_of_the_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
